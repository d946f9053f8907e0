//! The `repair` operation (command, MCP tool, HTTP route): its parameters and its reply; the engine does the work. It
//! finds summaries, contexts and facts that are inconsistent, and shows the remedy for each or applies it; messages
//! stay as they are.

use crate::ops::{
    CommandExit, CommandGroup, DataSource, Operation, OperationCall, OperationKind, OperationReply, render_count,
};
use clap::Args;
use engine::{ConversationSelection, RepairEffect, RepairRequest, RepairedProblem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

pub(crate) struct RepairOperation;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct RepairParams {
    /// The conversation's name or id (default: all)
    conversation: Option<String>,
    /// Show what is wrong and what would be done, and change nothing
    #[arg(long)]
    #[serde(default)]
    dry_run: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct RepairReply {
    /// How many were looked at
    conversations: u64,
    problems: Vec<RepairFinding>,
    /// Nothing was changed
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    dry_run: bool,
}

#[derive(Serialize, JsonSchema)]
struct RepairFinding {
    conversation_id: String,
    /// The id of a summary, a fact or a conversation
    subject: String,
    what: String,
    remedy: &'static str,
    mended: bool,
}

impl Operation for RepairOperation {
    const NAME: &'static str = "repair";
    const SUMMARY: &'static str =
        "Mend summaries, contexts and facts that do not fit together; messages stay as they are";
    const KIND: OperationKind = OperationKind::Write;
    const READS: DataSource = DataSource::Conversations;
    const GROUP: CommandGroup = CommandGroup::LookAfter;
    const HELP: &'static str = "\
Mends what can be derived again: links between summaries and messages, orders, token counts. Messages themselves are \
never changed.

Examples:
  epitome repair --dry-run
  epitome repair latest";
    type Params = RepairParams;
    type Reply = RepairReply;

    async fn run(call: &OperationCall<'_>, params: RepairParams) -> Result<RepairReply, engine::Error> {
        let request = RepairRequest {
            which: params
                .conversation
                .map_or(ConversationSelection::All, |name| ConversationSelection::One(call.conversation_name(&name))),
            effect: if params.dry_run { RepairEffect::Plan } else { RepairEffect::Mend },
        };
        let report = call.engine.repair(request, call.observer).await?;
        let problems = report.problems.into_iter().map(RepairFinding::from).collect();
        Ok(RepairReply { conversations: report.conversations, problems, dry_run: params.dry_run })
    }
}

impl From<RepairedProblem> for RepairFinding {
    fn from(repaired: RepairedProblem) -> Self {
        Self {
            conversation_id: repaired.conversation.to_string(),
            subject: repaired.problem.subject,
            what: repaired.problem.what,
            remedy: repaired.problem.remedy.advice_text(),
            mended: repaired.mended,
        }
    }
}

impl OperationReply for RepairReply {
    fn to_text(&self) -> String {
        let mended = self.problems.iter().filter(|problem| problem.mended).count() as u64;
        let looked = render_count(self.conversations, "conversation");
        let found = render_count(self.problems.len() as u64, "problem");
        let mut text = match (self.problems.is_empty(), self.dry_run) {
            (true, _) => format!("looked at {looked}: all fits together\n"),
            (false, true) => format!("looked at {looked}: {found}; nothing was changed\n"),
            (false, false) => format!("looked at {looked}: {found}, of which {mended} mended\n"),
        };
        for problem in &self.problems {
            let RepairFinding { subject, what, remedy, .. } = problem;
            let rest = if problem.mended { "mended".to_owned() } else { format!("remedy: {remedy}") };
            let _ = writeln!(text, "  {subject}: {what} ({rest})");
        }
        text
    }

    fn command_exit(&self) -> CommandExit {
        if self.problems.iter().all(|problem| problem.mended) { CommandExit::Ok } else { CommandExit::Integrity }
    }
}
