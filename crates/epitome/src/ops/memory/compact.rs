//! The `compact` operation (command, MCP tool, HTTP route): its parameters and its reply; the engine does the work. It
//! folds older messages of conversations into summaries that expand back to them.

use super::conversation_line::{LABEL_INDENT, count_summaries, label_conversation};
use crate::ops::wire::DegradationNotice;
use crate::ops::{
    CommandGroup, DataSource, MeasureKind, Operation, OperationCall, OperationKind, OperationReply, group_digits,
    render_count,
};
use clap::Args;
use engine::{CompactEffect, CompactRequest, ConversationSelection, FoldMode};
use model::{FoldTrigger, Money, SummaryMethod, TokenCount};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

pub(crate) struct CompactOperation;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub(crate) struct CompactParams {
    /// The conversation's name or id
    #[arg(required_unless_present = "all", conflicts_with = "all")]
    conversation: Option<String>,
    /// Fold every conversation
    #[arg(long)]
    #[serde(default)]
    all: bool,
    /// Fold until the context has no more tokens than this, and no further
    #[arg(long, value_name = "TOKENS")]
    until: Option<u32>,
    /// Fold only the oldest full chunk, and what is ready to be condensed then
    #[arg(long, conflicts_with = "until")]
    #[serde(default)]
    incremental: bool,
    /// Who writes the summaries, as `vendor` or `vendor/model`, or `builtin` (default: `providers.chain`, else built in)
    #[arg(long)]
    provider: Option<String>,
    /// Write summaries anew that a model was asked for and could not write, and fold nothing
    #[arg(long, conflicts_with_all = ["until", "incremental", "dry_run"])]
    #[serde(default)]
    redo: bool,
    /// Show what would be folded and what it would cost, and fold nothing
    #[arg(long)]
    #[serde(default)]
    dry_run: bool,
    /// Show each summary, also with `all`
    #[arg(long, short)]
    #[serde(default)]
    verbose: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct CompactReply {
    runs: Vec<CompactRunReply>,
    /// Whether the text shows each summary: of many conversations a line each is enough.
    #[serde(skip)]
    shows_folds: bool,
    /// Conversations in which there was nothing to fold
    #[serde(skip_serializing_if = "is_zero")]
    unchanged: u64,
    /// Nothing was written
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    dry_run: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

#[derive(Serialize, JsonSchema)]
struct CompactRunReply {
    conversation_id: String,
    name: String,
    /// What its source calls it
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    tokens_before: u64,
    tokens_after: u64,
    /// How many summaries were made
    summaries: u64,
    folded: Vec<CompactFold>,
    /// Stretches that could not be made shorter
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_alone: Vec<CompactSkip>,
    /// Why it ended before it was done
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped: Option<String>,
    /// Models that were asked and gave nothing usable
    #[serde(skip_serializing_if = "Vec::is_empty")]
    degraded: Vec<DegradationNotice>,
    /// What a model would cost, of a dry run
    #[serde(skip_serializing_if = "Option::is_none")]
    price: Option<CompactPrice>,
}

#[derive(Serialize, JsonSchema)]
struct CompactPrice {
    model: String,
    calls: u64,
    tokens_in: u64,
    tokens_out: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    dollars: Option<f64>,
}

#[derive(Serialize, JsonSchema)]
struct CompactFold {
    summary_id: String,
    /// `leaf` or `condensed`
    kind: &'static str,
    depth: u32,
    first_seq: u64,
    last_seq: u64,
    tokens: u32,
    /// Tokens of what it took the place of
    instead_of: u64,
    /// `extractive`, `fallback` or `model`
    method: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    /// Facts of what it covers that it still names
    facts_kept: u32,
    facts: u32,
}

#[derive(Serialize, JsonSchema)]
struct CompactSkip {
    first_seq: u64,
    last_seq: u64,
    why: String,
}

impl Operation for CompactOperation {
    const NAME: &'static str = "compact";
    const SUMMARY: &'static str = "Fold older messages into summaries that expand back to them";
    const KIND: OperationKind = OperationKind::Write;
    const READS: DataSource = DataSource::Conversations;
    const GROUP: CommandGroup = CommandGroup::Remember;
    const MEASURE: MeasureKind = MeasureKind::Compaction;
    const HELP: &'static str = "\
Older messages are folded into summaries; the messages stay, and `expand` leads back to them. Servers and agents' \
processes do this by themselves when a conversation holds more than `memory.context_threshold` allows.

Examples:
  epitome compact latest --dry-run      what would be folded, and what it would cost
  epitome compact --all --verbose";
    type Params = CompactParams;
    type Reply = CompactReply;

    async fn run(call: &OperationCall<'_>, params: CompactParams) -> Result<CompactReply, engine::Error> {
        let which = match params.conversation {
            Some(name) if !params.all => ConversationSelection::One(call.conversation_name(&name)),
            // Neither given would fold by guess, both would contradict each other: the caller has to say which.
            None if params.all => ConversationSelection::All,
            _ => {
                let reason = "is needed, or `all`, and not both".to_owned();
                return Err(engine::Error::Parameter { field: "conversation", reason });
            }
        };
        let mode = match params.until {
            Some(tokens) => FoldMode::Under(TokenCount(tokens)),
            None if params.incremental => FoldMode::Incremental,
            None => FoldMode::Sweep,
        };
        let effect = match (params.dry_run, params.redo) {
            // `dry_run` wins over `redo`: a preview must never write.
            (true, _) => CompactEffect::Show,
            (false, true) => CompactEffect::Redo,
            (false, false) => CompactEffect::Fold,
        };
        let request = CompactRequest { which, mode, trigger: FoldTrigger::Manual, effect, provider: params.provider };
        let report = call.engine.compact_conversations(request, call.observer).await?;
        let runs = report.runs.into_iter().map(CompactRunReply::from).collect();
        let shows_folds = params.verbose || !params.all;
        Ok(CompactReply { runs, shows_folds, unchanged: report.unchanged, dry_run: params.dry_run })
    }
}

impl From<engine::CompactRun> for CompactRunReply {
    fn from(run: engine::CompactRun) -> Self {
        let folded = run.folded.into_iter().map(|folded| CompactFold {
            summary_id: folded.id.to_string(),
            kind: folded.kind.as_str(),
            depth: folded.depth,
            first_seq: folded.range.first,
            last_seq: folded.range.last,
            tokens: folded.tokens.0,
            instead_of: folded.instead_of,
            method: folded.method.as_str(),
            model: match folded.method {
                SummaryMethod::Model { model, .. } => Some(model),
                SummaryMethod::Extractive | SummaryMethod::Fallback => None,
            },
            facts_kept: folded.kept.kept,
            facts: folded.kept.of,
        });
        let folded: Vec<CompactFold> = folded.collect();
        let left_alone = run.left_alone.into_iter().map(|left| CompactSkip {
            first_seq: left.range.first,
            last_seq: left.range.last,
            why: left.why,
        });
        Self {
            conversation_id: run.conversation.to_string(),
            name: run.name,
            title: run.title,
            tokens_before: run.tokens_before,
            tokens_after: run.tokens_after,
            summaries: folded.len() as u64,
            folded,
            left_alone: left_alone.collect(),
            stopped: run.stopped,
            degraded: run.degraded.into_iter().map(DegradationNotice::from).collect(),
            price: run.price.map(|price| CompactPrice {
                model: price.model,
                calls: price.calls,
                tokens_in: price.tokens_in,
                tokens_out: price.tokens_out,
                dollars: price.money.map(Money::to_dollars),
            }),
        }
    }
}

impl CompactRunReply {
    /// Whether there was nothing to do, and nothing to say about it.
    fn is_idle(&self) -> bool {
        self.folded.is_empty() && self.left_alone.is_empty() && self.stopped.is_none() && self.degraded.is_empty()
    }

    /// Which conversation it is, what it came to, and what there is to say of it.
    fn render_text(&self, is_dry: bool, shows_folds: bool) -> String {
        let label = label_conversation(&self.conversation_id, self.title.as_ref().unwrap_or(&self.name));
        let mut text = format!("{label}\n");
        let mut line = |what: String| {
            let _ = writeln!(text, "{LABEL_INDENT}{what}");
        };
        if self.is_idle() {
            line(format!("nothing to fold: {}", render_count(self.tokens_after, "token")));
            return text;
        }
        let would = if is_dry { "would go" } else { "went" };
        let saved = 100 - self.tokens_after * 100 / self.tokens_before.max(1);
        let [before, after] = [self.tokens_before, self.tokens_after].map(group_digits);
        let summaries = count_summaries(self.summaries);
        line(format!("{would} from {before} to {after} tokens ({saved} % less) with {summaries}"));
        for folded in self.folded.iter().filter(|_| shows_folds) {
            let CompactFold { kind, first_seq, last_seq, .. } = folded;
            let id = if is_dry { String::new() } else { format!("{} ", folded.summary_id) };
            let [tokens, instead_of] = [u64::from(folded.tokens), folded.instead_of].map(group_digits);
            line(format!("{kind} {id}of messages {first_seq}-{last_seq}: {tokens} tokens for {instead_of}"));
        }
        for left in &self.left_alone {
            line(format!("messages {}-{} stay: {}", left.first_seq, left.last_seq, left.why));
        }
        for degraded in &self.degraded {
            line(degraded.to_text());
        }
        if let Some(price) = &self.price {
            let dollars = price.dollars.map(|dollars| format!(", about ${dollars:.2}")).unwrap_or_default();
            let [tokens_in, tokens_out] = [price.tokens_in, price.tokens_out].map(group_digits);
            let calls = render_count(price.calls, "call");
            line(format!("{}: {calls}, {tokens_in} tokens in, {tokens_out} out{dollars}", price.model));
        }
        if let Some(stopped) = &self.stopped {
            line(stopped.clone());
        }
        text
    }
}

impl OperationReply for CompactReply {
    fn is_report(&self) -> bool {
        true
    }

    fn to_text(&self) -> String {
        let mut text = String::new();
        for run in &self.runs {
            text.push_str(&run.render_text(self.dry_run, self.shows_folds));
        }
        if let Some(total) = self.render_total() {
            text.push_str(&total);
        }
        if self.unchanged > 0 {
            let _ = writeln!(text, "nothing to fold in {}", render_count(self.unchanged, "conversation"));
        }
        if text.is_empty() { "no conversations yet\n".to_owned() } else { text }
    }
}

impl CompactReply {
    /// What several runs come to, as `epitome stats` says it.
    fn render_total(&self) -> Option<String> {
        if self.runs.len() < 2 {
            return None;
        }
        let sum = |tokens: fn(&CompactRunReply) -> u64| self.runs.iter().map(tokens).sum::<u64>();
        let (before, after) = (sum(|run| run.tokens_before), sum(|run| run.tokens_after));
        let ratio = before as f64 / after.max(1) as f64;
        let percent = 100.0 - 100.0 * after as f64 / before.max(1) as f64;
        let runs = render_count(self.runs.len() as u64, "conversation");
        let [before, after] = [before, after].map(group_digits);
        Some(format!("{runs}: {before} -> {after} tokens, {ratio:.1}x, {percent:.1} % compressed\n"))
    }
}
