//! The `stats` operation (command, MCP tool, HTTP route): its parameters and its reply; the engine does the work. It
//! says what memory holds and how much shorter folding made it; what was saved and spent in detail is `value`.

use crate::ops::memory::conversation_line::{label_conversation, short_id};
use crate::ops::style::TextStyle;
use crate::ops::text_layout::{TextTable, wrap_report};
use crate::ops::{
    CommandGroup, DataSource, Operation, OperationCall, OperationKind, OperationReply, group_digits, render_count,
};
use clap::Args;
use engine::{MemoryStats, ReplacedSecrets, StatsScope};
use model::show_name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use store::{Conversation, ConversationFolds};

pub(crate) struct StatsOperation;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct StatsParams {
    /// Each conversation, too, the longest first
    #[arg(long, short)]
    #[serde(default)]
    verbose: bool,
    /// Of all projects
    #[arg(long)]
    #[serde(default)]
    all: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct StatsReply {
    /// Projects that the conversations belong to
    projects: u64,
    conversations: u64,
    messages: u64,
    /// Tokens of all messages
    raw_tokens: u64,
    /// Conversations that were folded
    folded_conversations: u64,
    summaries: u64,
    /// The greatest depth of a summary
    #[serde(skip_serializing_if = "Option::is_none")]
    max_depth: Option<u32>,
    /// Tokens of the messages that summaries stand for in contexts
    folded_tokens: u64,
    /// Tokens of those summaries
    summary_tokens: u64,
    /// How many tokens of messages one token of a summary stands for
    #[serde(skip_serializing_if = "Option::is_none")]
    ratio: Option<f64>,
    /// How much of the folded tokens is spared, of 100
    #[serde(skip_serializing_if = "Option::is_none")]
    compressed_percent: Option<f64>,
    facts: u64,
    /// What later sessions are told
    memories: u64,
    /// Secrets that were replaced in messages
    secrets: SecretCounts,
    /// Tokens that readers were spared, less those they read for our sake
    net_tokens: i64,
    /// Of all projects
    artifacts: u64,
    artifact_bytes: u64,
    /// Work that waits, of all projects
    jobs: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    details: Vec<ConversationStats>,
}

#[derive(Serialize, JsonSchema)]
struct SecretCounts {
    total: u64,
    /// By the rules that are built in
    built_in: u64,
    /// By your rules
    yours: u64,
    /// By the rules of this project
    project: u64,
    /// By rules that are gone, or that another project has
    other: u64,
    /// Whether all messages were looked through in time
    complete: bool,
}

impl From<ReplacedSecrets> for SecretCounts {
    fn from(secrets: ReplacedSecrets) -> Self {
        let ReplacedSecrets { built_in, user, project, other, is_complete } = secrets;
        Self { total: built_in + user + project + other, built_in, yours: user, project, other, complete: is_complete }
    }
}

#[derive(Serialize, JsonSchema)]
struct ConversationStats {
    conversation_id: String,
    name: String,
    /// What its source calls it
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    messages: u64,
    raw_tokens: u64,
    summaries: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_depth: Option<u32>,
    folded_tokens: u64,
    summary_tokens: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    ratio: Option<f64>,
    facts: u64,
    /// When its newest message happened
    last_at: String,
}

impl Operation for StatsOperation {
    const NAME: &'static str = "stats";
    const SUMMARY: &'static str = "Count what memory holds, and how much shorter folding made it";
    const KIND: OperationKind = OperationKind::Read;
    const READS: DataSource = DataSource::Conversations;
    const GROUP: CommandGroup = CommandGroup::LookAfter;
    const HELP: &'static str = "\
Counts conversations, messages, summaries, memories and replaced secrets of the project. What was saved and spent in \
front of models is `epitome value`; what is indexed of this project is `epitome status`.

Examples:
  epitome stats
  epitome stats --verbose --all";
    type Params = StatsParams;
    type Reply = StatsReply;

    async fn run(call: &OperationCall<'_>, params: StatsParams) -> Result<StatsReply, engine::Error> {
        let scope = if params.all { StatsScope::Everything } else { StatsScope::Project(call.project.id.clone()) };
        let stats = call.engine.memory_stats(scope).await?;
        let MemoryStats { conversations, projects, memories, secrets, net_tokens, archive, jobs } = stats;
        let sum = |value: fn(&ConversationFolds) -> u64| conversations.iter().map(|(_, folds)| value(folds)).sum();
        let folded_tokens = sum(|it| it.folded_tokens);
        let summary_tokens = sum(|it| it.active_tokens);
        let ratio = compression_ratio(folded_tokens, summary_tokens);
        Ok(StatsReply {
            projects,
            conversations: conversations.len() as u64,
            messages: sum(|it| it.messages),
            raw_tokens: sum(|it| it.tokens),
            folded_conversations: conversations.iter().filter(|(_, it)| it.active_summaries > 0).count() as u64,
            summaries: sum(|it| it.summaries),
            max_depth: conversations.iter().filter_map(|(_, it)| it.deepest).max(),
            folded_tokens,
            summary_tokens,
            ratio,
            compressed_percent: ratio.map(|_| compressed_percent(folded_tokens, summary_tokens)),
            facts: sum(|it| it.facts),
            memories,
            secrets: secrets.into(),
            net_tokens,
            artifacts: archive.artifacts,
            artifact_bytes: archive.artifact_bytes,
            jobs,
            details: if params.verbose { conversations.into_iter().map(Into::into).collect() } else { Vec::new() },
        })
    }
}

/// None where nothing was folded: one to none is no ratio.
fn compression_ratio(folded: u64, summaries: u64) -> Option<f64> {
    (summaries > 0).then(|| (folded as f64 / summaries as f64 * 10.0).round() / 10.0)
}

/// To a tenth; below 0 where summaries are longer than what they stand for.
fn compressed_percent(folded: u64, summaries: u64) -> f64 {
    ((1.0 - summaries as f64 / folded.max(1) as f64) * 1_000.0).round() / 10.0
}

impl From<(Conversation, ConversationFolds)> for ConversationStats {
    fn from((conversation, folds): (Conversation, ConversationFolds)) -> Self {
        Self {
            conversation_id: folds.conversation.to_string(),
            name: folds.name,
            title: conversation.title,
            messages: folds.messages,
            raw_tokens: folds.tokens,
            summaries: folds.summaries,
            max_depth: folds.deepest,
            folded_tokens: folds.folded_tokens,
            summary_tokens: folds.active_tokens,
            ratio: compression_ratio(folds.folded_tokens, folds.active_tokens),
            facts: folds.facts,
            last_at: conversation.updated.to_string(),
        }
    }
}

impl OperationReply for StatsReply {
    fn to_text(&self) -> String {
        let mut text = self.render_sections();
        if !self.details.is_empty() {
            text.push_str("Per conversation\n\n| # | title |");
            text.push_str(" msgs | sums | depth | tokens | ratio | last |\n|---|---|--:|--:|--:|--:|--:|---|\n");
            for each in &self.details {
                let title = show_name(each.title.as_ref().unwrap_or(&each.name)).replace('|', "\\|");
                let cells = each.number_cells().join(" | ");
                let _ = writeln!(text, "| {} | {title} | {cells} |", short_id(&each.conversation_id));
            }
        }
        text
    }

    fn to_styled_text(&self, style: &TextStyle) -> Option<String> {
        let columns = style.columns?;
        let mut text = wrap_report(&self.render_sections(), columns);
        if !self.details.is_empty() {
            let mut table = TextTable::new(&["Per conversation", "msgs", "sums", "depth", "tokens", "ratio", "last"]);
            for each in &self.details {
                let label = label_conversation(&each.conversation_id, each.title.as_ref().unwrap_or(&each.name));
                table.add_row(std::iter::once(label).chain(each.number_cells()).collect());
            }
            let _ = write!(text, "\n{}", table.render(columns));
        }
        Some(text)
    }
}

/// How many marks a bar has.
const BAR_WIDTH: usize = 30;

impl StatsReply {
    fn render_sections(&self) -> String {
        let mut text = "Memory\n".to_owned();
        let mut row = |name: &str, value: String| {
            let _ = writeln!(text, "  {name:<14} {value}");
        };
        row("projects", group_digits(self.projects));
        row("conversations", group_digits(self.conversations));
        let tokens = render_count(self.raw_tokens, "token");
        row("messages", format!("{}, {tokens}", group_digits(self.messages)));
        let depth = self.max_depth.map(|depth| format!(", the deepest at depth {depth}")).unwrap_or_default();
        row("summaries", format!("{}{depth}", group_digits(self.summaries)));
        row("facts", group_digits(self.facts));
        row("memories", group_digits(self.memories));
        row("artifacts", format!("{}, {}", group_digits(self.artifacts), render_count(self.artifact_bytes, "byte")));
        if self.jobs > 0 {
            row("jobs", format!("{} to do", group_digits(self.jobs)));
        }
        text.push_str(&self.render_compression());
        text.push_str(&self.secrets.to_text());
        let _ = writeln!(text, "Value\n  net tokens     {:+}", self.net_tokens);
        text
    }

    fn render_compression(&self) -> String {
        let mut text = "Compression\n".to_owned();
        let folded = self.folded_conversations;
        let _ = writeln!(text, "  compacted      {folded} of {}", render_count(self.conversations, "conversation"));
        if let (Some(ratio), Some(percent)) = (self.ratio, self.compressed_percent) {
            let [folded, summary] = [self.folded_tokens, self.summary_tokens].map(group_digits);
            let _ = writeln!(text, "  tokens         {folded} -> {summary}");
            let _ = writeln!(text, "  ratio          {ratio}x, {percent} % compressed");
            let full = (percent.clamp(0.0, 100.0) / 100.0 * BAR_WIDTH as f64).round() as usize;
            let _ = writeln!(text, "  {}{}", "█".repeat(full), "░".repeat(BAR_WIDTH - full));
        }
        text
    }
}

impl SecretCounts {
    fn to_text(&self) -> String {
        let Self { total, built_in, yours, project, other, complete } = self;
        let other = if *other == 0 { String::new() } else { format!(", by rules of elsewhere or before {other}") };
        let rest = if *complete { "" } else { "; not all messages were looked through in time" };
        format!(
            "Security\n  redactions     {total}: built-in {built_in}, yours {yours}, project {project}{other}{rest}\n"
        )
    }
}

impl ConversationStats {
    /// What there is of it: messages, summaries, depth, tokens, ratio, the newest day.
    fn number_cells(&self) -> [String; 6] {
        let tokens = match self.summary_tokens {
            0 => group_digits(self.raw_tokens),
            summary => format!("{} -> {}", group_digits(self.folded_tokens), group_digits(summary)),
        };
        [
            group_digits(self.messages),
            group_digits(self.summaries),
            self.max_depth.map_or_else(|| "-".to_owned(), |depth| depth.to_string()),
            tokens,
            self.ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio}x")),
            self.last_at.get(..10).unwrap_or(&self.last_at).to_owned(),
        ]
    }
}
