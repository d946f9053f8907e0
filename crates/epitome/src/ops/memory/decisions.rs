//! The `decisions` operation (command, MCP tool, HTTP route): its parameters and its reply; the engine makes the answer.
//! It lists what was decided in conversations, why, what was not chosen, and whether it still holds.

use super::memory_line::MemoryContradiction;
use crate::ops::search_scope::{WithinParam, elsewhere_note};
use crate::ops::time_bounds::TimeBound;
use crate::ops::{
    CommandExit, CommandGroup, DataSource, Operation, OperationCall, OperationKind, OperationReply, render_count,
};
use clap::{Args, ValueEnum};
use engine::{Decision, DecisionRequest, DecisionStatus, SharedDecision};
use model::show_name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

pub(crate) struct DecisionsOperation;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct DecisionsParams {
    /// This decision, by its id or the beginning of it
    id: Option<String>,
    /// Only decisions about this, best first
    #[arg(long)]
    about: Option<String>,
    /// Only those stated from this time on: a day, or RFC 3339
    #[arg(long)]
    since: Option<String>,
    /// Only those of this conversation, by name or id, or `latest`
    #[arg(long)]
    conversation: Option<String>,
    /// Only those that name this file or symbol
    #[arg(long)]
    entity: Option<String>,
    /// Only those that stand so
    #[arg(long, value_enum)]
    status: Option<StatusParam>,
    /// Which conversations to look through
    #[arg(long, value_enum, default_value = "project")]
    #[serde(default)]
    within: WithinParam,
    /// Most decisions to return
    #[arg(long, default_value_t = 20)]
    #[serde(default = "default_limit")]
    limit: u32,
}

fn default_limit() -> u32 {
    20
}

#[derive(Clone, Copy, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
enum StatusParam {
    /// Put forward by a model, not agreed to yet
    Proposed,
    /// It holds
    InForce,
    /// A later one came in its place
    Superseded,
    /// Refused, or taken back
    Withdrawn,
}

impl From<StatusParam> for DecisionStatus {
    fn from(status: StatusParam) -> Self {
        match status {
            StatusParam::Proposed => Self::Proposed,
            StatusParam::InForce => Self::InForce,
            StatusParam::Superseded => Self::Superseded,
            StatusParam::Withdrawn => Self::Withdrawn,
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct DecisionsReply {
    /// Newest first; best first where a topic was given
    decisions: Vec<DecisionEntry>,
    /// What colleagues share, newest first: neither side ends the other
    #[serde(skip_serializing_if = "Vec::is_empty")]
    shared: Vec<SharedEntry>,
    /// How many more there are
    omitted: u64,
    /// Conversations of other projects or of none, not looked through
    #[serde(skip_serializing_if = "Option::is_none")]
    elsewhere: Option<u64>,
    /// What could not be read, and why
    #[serde(skip_serializing_if = "Vec::is_empty")]
    degraded: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct DecisionEntry {
    id: String,
    title: String,
    /// The sentence, verbatim
    decision: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// What was not chosen
    alternatives: Vec<String>,
    /// Files and symbols it names
    related: Vec<String>,
    /// Ids of the messages it is taken from
    messages: Vec<String>,
    /// `proposed`, `in force`, `superseded by ID`, `superseded` or `withdrawn`
    status: String,
    conversation_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct SharedEntry {
    id: String,
    author: String,
    /// The sentence, verbatim
    decision: String,
    at: String,
    /// Decisions that say the contrary
    #[serde(skip_serializing_if = "Vec::is_empty")]
    contradicts: Vec<MemoryContradiction>,
}

impl From<SharedDecision> for SharedEntry {
    fn from(shared: SharedDecision) -> Self {
        let contradicts = shared.disputes.into_iter().map(|(id, newer)| MemoryContradiction { id, newer }).collect();
        Self {
            id: shared.memory.id.to_string(),
            author: shared.memory.colleague.unwrap_or_default(),
            decision: shared.memory.body.content,
            at: shared.memory.said.to_string(),
            contradicts,
        }
    }
}

impl Operation for DecisionsOperation {
    const NAME: &'static str = "decisions";
    const SUMMARY: &'static str = "List what was decided in conversations, why, and whether it still holds";
    const KIND: OperationKind = OperationKind::Read;
    const READS: DataSource = DataSource::Conversations;
    const GROUP: CommandGroup = CommandGroup::Ask;
    const HELP: &'static str = "\
Decisions are sentences of the user, or of an agent once the user agreed; until then they are proposed. They are taken \
from messages by rule, and each names its messages.

Examples:
  epitome decisions --about \"the database\"
  epitome decisions --status in_force --since 2026-01-01
  epitome decisions fact_3f2a";
    type Params = DecisionsParams;
    type Reply = DecisionsReply;

    async fn run(call: &OperationCall<'_>, params: DecisionsParams) -> Result<DecisionsReply, engine::Error> {
        let request = DecisionRequest {
            id: params.id,
            about: params.about,
            since: TimeBound::Since.parse(params.since)?,
            conversation: params.conversation.map(|name| params.within.conversation_name(call, name)),
            entity: params.entity,
            status: params.status.map(DecisionStatus::from),
            project: params.within.project(call),
            limit: params.limit,
        };
        let report = call.engine.find_decisions(request).await?;
        let elsewhere = (report.decisions.is_empty() && report.elsewhere > 0).then_some(report.elsewhere);
        Ok(DecisionsReply {
            decisions: report.decisions.into_iter().map(DecisionEntry::from).collect(),
            shared: report.shared.into_iter().map(SharedEntry::from).collect(),
            omitted: report.omitted,
            elsewhere,
            degraded: report.degraded,
        })
    }
}

impl From<Decision> for DecisionEntry {
    fn from(decision: Decision) -> Self {
        let status = match (decision.status, &decision.superseded_by) {
            (DecisionStatus::Proposed, _) => "proposed".to_owned(),
            (DecisionStatus::InForce, _) => "in force".to_owned(),
            (DecisionStatus::Superseded, Some(by)) => format!("superseded by {by}"),
            (DecisionStatus::Superseded, None) => "superseded".to_owned(),
            (DecisionStatus::Withdrawn, _) => "withdrawn".to_owned(),
        };
        Self {
            id: decision.id.to_string(),
            title: decision.title,
            decision: decision.decision,
            reason: decision.reason,
            alternatives: decision.alternatives,
            related: decision.related,
            messages: decision.messages.iter().map(ToString::to_string).collect(),
            status,
            conversation_id: decision.conversation.to_string(),
            at: decision.at.map(|at| at.to_string()),
        }
    }
}

impl OperationReply for DecisionsReply {
    fn is_report(&self) -> bool {
        true
    }

    fn to_text(&self) -> String {
        let mut text = String::new();
        for entry in &self.decisions {
            let at = entry.at.as_ref().map(|at| format!(", {at}")).unwrap_or_default();
            let _ = writeln!(text, "{} {} ({}{})", entry.id, show_name(&entry.title), entry.status, show_name(&at));
            let _ = writeln!(text, "  {}", entry.decision.replace('\n', "\n  "));
            if let Some(reason) = &entry.reason {
                let _ = writeln!(text, "  because: {}", reason.replace('\n', "\n    "));
            }
            if !entry.alternatives.is_empty() {
                let _ = writeln!(text, "  not: {}", show_name(&entry.alternatives.join(", ")));
            }
            if !entry.related.is_empty() {
                let _ = writeln!(text, "  about: {}", show_name(&entry.related.join(", ")));
            }
            let _ = writeln!(text, "  said in: {}", entry.messages.join(", "));
        }
        for entry in &self.shared {
            let _ = writeln!(text, "{} from {} ({})", entry.id, show_name(&entry.author), entry.at);
            let _ = writeln!(text, "  {}", entry.decision.replace('\n', "\n  "));
            for contrary in &entry.contradicts {
                let _ = writeln!(text, "  {}", contrary.to_text());
            }
        }
        if self.omitted > 0 {
            let _ =
                writeln!(text, "… and {} more: raise the limit to see them", render_count(self.omitted, "decision"));
        }
        if text.is_empty() {
            text.push_str("no decision found\n");
        }
        text.extend(self.elsewhere.and_then(elsewhere_note));
        for reason in &self.degraded {
            let _ = writeln!(text, "{reason}");
        }
        text
    }

    fn command_exit(&self) -> CommandExit {
        match (self.decisions.is_empty() && self.shared.is_empty(), self.degraded.is_empty()) {
            (true, true) => CommandExit::NothingFound,
            // A decision may stand in a conversation that is damaged, so "nothing" would be too much said.
            (true, false) => CommandExit::Integrity,
            (false, _) => CommandExit::Ok,
        }
    }
}
