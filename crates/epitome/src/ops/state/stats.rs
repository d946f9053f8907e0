//! The `stats` operation (command, MCP tool, HTTP route): its parameters and its reply; the engine does the work. It
//! says what memory holds and how much shorter folding made it; what was saved and spent is `value`.

use crate::ops::{CommandGroup, DataSource, Operation, OperationCall, OperationKind, OperationReply, render_count};
use clap::Args;
use engine::MemoryStats;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use store::ConversationFolds;

pub(crate) struct StatsOperation;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct StatsParams {
    /// Each conversation, too, the longest first
    #[arg(long, short)]
    #[serde(default)]
    verbose: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct StatsReply {
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
    facts: u64,
    artifacts: u64,
    artifact_bytes: u64,
    /// Work that waits
    jobs: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    details: Vec<ConversationStats>,
}

#[derive(Serialize, JsonSchema)]
struct ConversationStats {
    conversation_id: String,
    name: String,
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
}

impl Operation for StatsOperation {
    const NAME: &'static str = "stats";
    const SUMMARY: &'static str = "Count what memory holds, and how much shorter folding made it";
    const KIND: OperationKind = OperationKind::Read;
    const READS: DataSource = DataSource::Conversations;
    const GROUP: CommandGroup = CommandGroup::State;
    const HELP: &'static str = "\
Counts conversations, messages, summaries, facts and artifacts of all projects. What was saved and spent in front of \
models is `epitome value`; what is indexed of this project is `epitome status`.

Examples:
  epitome stats
  epitome stats --verbose";
    type Params = StatsParams;
    type Reply = StatsReply;

    async fn run(call: &OperationCall<'_>, params: StatsParams) -> Result<StatsReply, engine::Error> {
        let MemoryStats { conversations, archive, jobs } = call.engine.memory_stats().await?;
        let sum = |value: fn(&ConversationFolds) -> u64| conversations.iter().map(value).sum::<u64>();
        let folded_tokens = sum(|it| it.folded_tokens);
        let summary_tokens = sum(|it| it.active_tokens);
        Ok(StatsReply {
            conversations: conversations.len() as u64,
            messages: sum(|it| it.messages),
            raw_tokens: sum(|it| it.tokens),
            folded_conversations: conversations.iter().filter(|it| it.active_summaries > 0).count() as u64,
            summaries: sum(|it| it.summaries),
            max_depth: conversations.iter().filter_map(|it| it.deepest).max(),
            folded_tokens,
            summary_tokens,
            ratio: compression_ratio(folded_tokens, summary_tokens),
            facts: sum(|it| it.facts),
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

impl From<ConversationFolds> for ConversationStats {
    fn from(folds: ConversationFolds) -> Self {
        Self {
            conversation_id: folds.conversation.to_string(),
            name: folds.name,
            messages: folds.messages,
            raw_tokens: folds.tokens,
            summaries: folds.summaries,
            max_depth: folds.deepest,
            folded_tokens: folds.folded_tokens,
            summary_tokens: folds.active_tokens,
            ratio: compression_ratio(folds.folded_tokens, folds.active_tokens),
            facts: folds.facts,
        }
    }
}

impl OperationReply for StatsReply {
    fn to_text(&self) -> String {
        let mut text = format!(
            "conversations  {} with {}, {}\n",
            self.conversations,
            render_count(self.messages, "message"),
            render_count(self.raw_tokens, "token")
        );
        let depth = self.max_depth.map(|depth| format!(", the deepest at depth {depth}")).unwrap_or_default();
        let _ = writeln!(
            text,
            "folded         {}: {} made{depth}",
            render_count(self.folded_conversations, "conversation"),
            summaries(self.summaries)
        );
        if let Some(ratio) = self.ratio {
            let _ = writeln!(
                text,
                "compression    {} stand as {} in contexts, {ratio} to 1",
                render_count(self.folded_tokens, "token"),
                render_count(self.summary_tokens, "token")
            );
        }
        let _ = writeln!(text, "facts          {}", self.facts);
        let _ = writeln!(text, "artifacts      {}, {}", self.artifacts, render_count(self.artifact_bytes, "byte"));
        if self.jobs > 0 {
            let _ = writeln!(text, "jobs           {} to do", self.jobs);
        }
        for each in &self.details {
            let ratio = each.ratio.map(|ratio| format!(", {ratio} to 1")).unwrap_or_default();
            let _ = writeln!(
                text,
                "{}: {}, {}, {}{ratio}, {}",
                each.name,
                render_count(each.messages, "message"),
                render_count(each.raw_tokens, "token"),
                summaries(each.summaries),
                render_count(each.facts, "fact")
            );
        }
        text
    }
}

fn summaries(number: u64) -> String {
    if number == 1 { "1 summary".to_owned() } else { format!("{number} summaries") }
}
