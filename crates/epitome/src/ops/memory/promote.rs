//! The `promote` operation (command, MCP tool, HTTP route): its parameters and its reply; the engine does the work. It
//! makes facts of conversations memories.

use crate::ops::{CommandGroup, DataSource, Operation, OperationCall, OperationKind, OperationReply, render_count};
use clap::Args;
use engine::{PromoteReport, PromoteRequest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

pub(crate) struct PromoteOperation;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct PromoteParams {
    /// The conversation's name or id; none: those of the project
    #[arg(conflicts_with = "all")]
    conversation: Option<String>,
    /// Conversations of every project
    #[arg(long)]
    #[serde(default)]
    all: bool,
    /// Show each memory
    #[arg(long)]
    #[serde(default)]
    verbose: bool,
    /// Show what would be promoted, and promote nothing
    #[arg(long)]
    #[serde(default)]
    dry_run: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct PromoteReply {
    /// Conversations whose facts were looked at
    processed: u64,
    /// Facts that became memories, or that a memory was stated by again
    promoted: u64,
    /// Memories that were put aside: what they say was taken back or replaced
    ended: Vec<String>,
    /// Conversations that belong to no project, of which nothing is promoted
    #[serde(skip_serializing_if = "is_zero")]
    without_project: u64,
    /// Conversations that could not be read
    #[serde(skip_serializing_if = "Vec::is_empty")]
    damaged: Vec<String>,
    /// What was promoted, where it is asked for
    #[serde(skip_serializing_if = "Vec::is_empty")]
    memories: Vec<PromotedLine>,
    /// Nothing was written
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    dry_run: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape serde asks for")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

#[derive(Serialize, JsonSchema)]
struct PromotedLine {
    memory_id: String,
    /// `rule`, `decision` or `fix`
    kind: &'static str,
    content: String,
    /// Whether it was known, and is noted as said again
    known: bool,
    /// The conversation it was taken from
    conversation: String,
}

impl Operation for PromoteOperation {
    const NAME: &'static str = "promote";
    const SUMMARY: &'static str = "Remember the rules, decisions and fixes of conversations";
    const KIND: OperationKind = OperationKind::Write;
    const READS: DataSource = DataSource::Conversations;
    const GROUP: CommandGroup = CommandGroup::Remember;
    const HELP: &'static str = "\
Rules of the user, decisions in force, and failures that ended with one command become memories of their project. What \
was taken back or replaced is put aside. This happens by itself after each fold; the command is for conversations that \
were never folded.

Examples:
  epitome promote --dry-run       what would be promoted of this project
  epitome promote latest --verbose
  epitome promote --all";
    type Params = PromoteParams;
    type Reply = PromoteReply;

    async fn run(call: &OperationCall<'_>, params: PromoteParams) -> Result<PromoteReply, engine::Error> {
        let is_shown = params.verbose || params.dry_run;
        let (conversation, everything, dry_run) = (params.conversation, params.all, params.dry_run);
        if conversation.is_some() && everything {
            let reason = "is named, and `all` as well: choose one".to_owned();
            return Err(engine::Error::Parameter { field: "conversation", reason });
        }
        let request = PromoteRequest { conversation, everything, dry_run };
        let report = call.engine.promote_facts(call.project, request, call.observer).await?;
        Ok(PromoteReply::new(report, is_shown, dry_run))
    }
}

impl PromoteReply {
    fn new(report: PromoteReport, is_shown: bool, dry_run: bool) -> Self {
        let promoted = report.promoted.len() as u64;
        let lines = report.promoted.into_iter().filter(|_| is_shown).map(|promoted| PromotedLine {
            memory_id: promoted.id.to_string(),
            kind: promoted.kind.as_str(),
            content: promoted.content,
            known: promoted.is_known,
            conversation: promoted.conversation,
        });
        Self {
            processed: report.processed,
            promoted,
            ended: report.ended.iter().map(ToString::to_string).collect(),
            without_project: report.homeless,
            damaged: report.damaged,
            memories: lines.collect(),
            dry_run,
        }
    }
}

impl OperationReply for PromoteReply {
    fn is_report(&self) -> bool {
        true
    }

    fn to_text(&self) -> String {
        let mut text = String::new();
        for line in &self.memories {
            let known = if line.known { ", said again" } else { "" };
            let PromotedLine { memory_id, kind, content, conversation, .. } = line;
            let _ = writeln!(text, "{memory_id}  {content}\n    {kind} of {conversation}{known}");
        }
        let would = if self.dry_run { "would be " } else { "" };
        let facts = render_count(self.promoted, "fact");
        let _ = writeln!(text, "{facts} {would}promoted, of {}", render_count(self.processed, "conversation"));
        if !self.ended.is_empty() {
            let _ = writeln!(text, "{would}put aside, taken back or replaced: {}", self.ended.join(", "));
        }
        if self.without_project > 0 {
            let count = render_count(self.without_project, "conversation");
            let _ = writeln!(text, "{count} without a project, of which nothing is promoted");
        }
        if !self.damaged.is_empty() {
            let _ = writeln!(text, "could not be read: {}; `epitome verify` says more", self.damaged.join(", "));
        }
        text
    }
}
