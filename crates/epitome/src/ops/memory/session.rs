//! The `session` operation (command, MCP tool, HTTP route): its parameters and its reply; the engine does the work. It
//! makes, shows, lists, sums up, archives and resumes conversations.

use super::conversation_line::ConversationLine;
use crate::ops::search_scope::StateParam;
use crate::ops::{
    CommandExit, CommandGroup, DataSource, Operation, OperationCall, OperationKind, OperationReply, render_count,
};
use clap::{Args, ValueEnum};
use engine::{SessionAction, SessionListing};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

pub(crate) struct SessionOperation;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct SessionParams {
    /// What to do
    #[arg(value_enum)]
    action: SessionActionParam,
    /// The conversation's name or id, or `latest`; of a new session its name
    session: Option<String>,
    /// With `list`: only those that stand so
    #[arg(long = "state", alias = "status", value_enum)]
    state: Option<StateParam>,
    /// With `list`: how many of the newest
    #[arg(long, default_value_t = 20)]
    #[serde(default = "default_limit")]
    limit: u32,
}

fn default_limit() -> u32 {
    20
}

#[derive(Clone, Copy, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
enum SessionActionParam {
    /// Show the one that messages go to which name none; make it where there is none
    Current,
    /// Make one
    Create,
    /// List those of the project
    List,
    /// Sum one up (default: the latest)
    Summarize,
    /// Put one away; nothing is deleted
    Archive,
    /// Go on with one
    Resume,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct SessionReply {
    /// Newest first, as they stand now
    sessions: Vec<SessionEntry>,
    /// How many more there are
    omitted: u64,
    /// What did not run
    #[serde(skip_serializing_if = "Vec::is_empty")]
    degraded: Vec<String>,
    /// Whether the text shows the summaries: a caller that lists or puts away sessions knows them, or asks for one.
    #[serde(skip)]
    shows_summaries: bool,
}

#[derive(Serialize, JsonSchema)]
struct SessionEntry {
    #[serde(flatten)]
    line: ConversationLine,
    /// Topics, decisions, open questions and context of the whole
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    /// `extractive`, `fallback` or `model`
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'static str>,
}

impl Operation for SessionOperation {
    const NAME: &'static str = "session";
    const SUMMARY: &'static str = "Make, list, sum up, archive and resume conversations";
    const KIND: OperationKind = OperationKind::Write;
    const READS: DataSource = DataSource::Conversations;
    const GROUP: CommandGroup = CommandGroup::Remember;
    const HELP: &'static str = "\
A conversation is active, summarized or archived. No state hides a message, and the next message makes a conversation \
active again. Those in which nobody spoke for `memory.archive_days` are archived by themselves.

Examples:
  epitome session list --state active
  epitome session summarize latest
  epitome session archive a6a3";
    type Params = SessionParams;
    type Reply = SessionReply;

    async fn run(call: &OperationCall<'_>, params: SessionParams) -> Result<SessionReply, engine::Error> {
        let session = params.session.map(|name| call.conversation_name(&name));
        let needed = |session: Option<String>| {
            let reason = "is needed: a conversation's name or id, or `latest`".to_owned();
            session.ok_or(engine::Error::Parameter { field: "session", reason })
        };
        let shows_summaries = matches!(params.action, SessionActionParam::Current | SessionActionParam::Summarize);
        let action = match params.action {
            SessionActionParam::Current => SessionAction::Current,
            SessionActionParam::Create => SessionAction::Create(session),
            SessionActionParam::List => {
                SessionAction::List { state: params.state.map(Into::into), limit: params.limit }
            }
            SessionActionParam::Summarize => SessionAction::Summarize(session),
            SessionActionParam::Archive => SessionAction::Archive(needed(session)?),
            SessionActionParam::Resume => SessionAction::Resume(needed(session)?),
        };
        let report = call.engine.manage_session(call.project, action).await?;
        Ok(SessionReply {
            sessions: report.sessions.into_iter().map(SessionEntry::from).collect(),
            omitted: report.omitted,
            degraded: report.degraded,
            shows_summaries,
        })
    }
}

impl From<SessionListing> for SessionEntry {
    fn from(session: SessionListing) -> Self {
        Self {
            line: session.listing.into(),
            method: session.summary.as_ref().map(|summary| summary.method.as_str()),
            summary: session.summary.map(|summary| summary.content),
        }
    }
}

impl OperationReply for SessionReply {
    fn is_report(&self) -> bool {
        true
    }

    fn to_text(&self) -> String {
        let mut text = String::new();
        for session in &self.sessions {
            text.push_str(&session.line.to_text());
            let summary = session.summary.iter().filter(|_| self.shows_summaries);
            for line in summary.flat_map(|summary| summary.lines()) {
                let _ = writeln!(text, "  {line}");
            }
        }
        if self.omitted > 0 {
            let _ = writeln!(text, "… and {} more", render_count(self.omitted, "session"));
        }
        if text.is_empty() {
            text.push_str("no sessions\n");
        }
        for reason in &self.degraded {
            let _ = writeln!(text, "degraded: {reason}");
        }
        text
    }

    fn command_exit(&self) -> CommandExit {
        if self.sessions.is_empty() { CommandExit::NothingFound } else { CommandExit::Ok }
    }
}
