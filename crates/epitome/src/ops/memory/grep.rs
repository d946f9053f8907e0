//! The `grep` operation (command, MCP tool, HTTP route): its parameters and its reply; the engine makes the answer. It
//! finds messages, summaries and artifacts by regular expression or by words.

use crate::ops::search_scope::{WithinParam, elsewhere_note};
use crate::ops::time_bounds::TimeBound;
use crate::ops::{
    CommandExit, CommandGroup, DataSource, MeasureKind, Operation, OperationCall, OperationKind, OperationReply,
};
use clap::{Args, ValueEnum};
use engine::{GrepFound, GrepMatch, GrepScope};
use model::show_name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

pub(crate) struct GrepOperation;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct GrepParams {
    /// The pattern
    pattern: String,
    /// How to read the pattern
    #[arg(long, value_enum, default_value = "regex")]
    #[serde(default)]
    mode: GrepModeParam,
    /// What to look through
    #[arg(long, value_enum, default_value = "both")]
    #[serde(default)]
    scope: GrepScopeParam,
    /// Only this conversation, by name or id, or `latest`
    #[arg(long)]
    conversation: Option<String>,
    /// Which conversations to look through
    #[arg(long, value_enum, default_value = "project")]
    #[serde(default)]
    within: WithinParam,
    /// Only what happened from this time on: a day, or RFC 3339
    #[arg(long)]
    since: Option<String>,
    /// Only what happened up to this time
    #[arg(long)]
    until: Option<String>,
    /// Continue where an earlier reply ended: its `cursor`
    #[arg(long)]
    cursor: Option<String>,
    /// Most matches to return
    #[arg(long, default_value_t = 20)]
    #[serde(default = "default_limit")]
    limit: u32,
}

fn default_limit() -> u32 {
    20
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
enum GrepModeParam {
    /// A regular expression, matched in linear time
    #[default]
    Regex,
    /// Words that must all occur
    FullText,
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
enum GrepScopeParam {
    /// What was said, and what was too large for its message
    Messages,
    /// What it was folded into
    Summaries,
    /// Messages, then summaries, then what was too large for its message
    #[default]
    Both,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct GrepReply {
    /// Messages, newest first by when they happened, then summaries, then artifacts
    matches: Vec<GrepReplyMatch>,
    /// How many there are, from the cursor on
    total: u64,
    /// Where to continue, when there is more
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
    /// False when time ran out: then there may be more than `total` says
    complete: bool,
    /// What could not be looked through, and why
    #[serde(skip_serializing_if = "Vec::is_empty")]
    degraded: Vec<String>,
    /// Conversations of other projects or of none, not looked through, where nothing was found
    #[serde(skip_serializing_if = "Option::is_none")]
    elsewhere: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
struct GrepReplyMatch {
    /// Of an artifact: the bytes around the match, as `describe` takes them
    id: String,
    /// `message`, `summary` or `artifact`
    #[serde(rename = "type")]
    kind: &'static str,
    conversation_id: String,
    snippet: String,
    /// When it happened, in its source's words; of a summary or an artifact, the first of its messages
    at: Option<String>,
    /// Of a summary: `leaf` or `condensed`
    #[serde(rename = "kind", skip_serializing_if = "Option::is_none")]
    fold: Option<&'static str>,
    /// Of a summary: how many levels it stands above messages
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u32>,
    /// The message of another conversation that it repeats: an agent that forks or resumes a session writes its history
    /// again
    #[serde(skip_serializing_if = "Option::is_none")]
    repeated: Option<String>,
}

impl Operation for GrepOperation {
    const NAME: &'static str = "grep";
    const SUMMARY: &'static str = "Find messages, summaries and artifacts by regular expression or by words";
    const KIND: OperationKind = OperationKind::Read;
    const READS: DataSource = DataSource::Conversations;
    const GROUP: CommandGroup = CommandGroup::Ask;
    const MEASURE: MeasureKind = MeasureKind::Search;
    const HELP: &'static str = "\
Messages come first, newest first by when they happened. A cursor in the reply continues where the limit was reached.

Examples:
  epitome grep 'timeout=\\d+'
  epitome grep \"connection refused\" --mode full_text --scope messages";
    type Params = GrepParams;
    type Reply = GrepReply;

    async fn run(call: &OperationCall<'_>, params: GrepParams) -> Result<GrepReply, engine::Error> {
        let mode = match params.mode {
            GrepModeParam::Regex => engine::GrepMode::Regex,
            GrepModeParam::FullText => engine::GrepMode::FullText,
        };
        let request = engine::GrepRequest {
            pattern: params.pattern,
            mode,
            scope: match params.scope {
                GrepScopeParam::Messages => GrepScope::Messages,
                GrepScopeParam::Summaries => GrepScope::Summaries,
                GrepScopeParam::Both => GrepScope::Both,
            },
            conversation: params.conversation.map(|name| params.within.conversation_name(call, name)),
            project: params.within.project(call),
            since: TimeBound::Since.parse(params.since)?,
            until: TimeBound::Until.parse(params.until)?,
            cursor: params.cursor,
            limit: params.limit,
        };
        let reply = call.engine.grep_messages(request).await?;
        let matches = reply.matches.into_iter().map(GrepReplyMatch::from);
        let total = reply.total;
        let cursor = reply.cursor;
        let complete = reply.is_complete;
        let elsewhere = (total == 0 && reply.elsewhere > 0).then_some(reply.elsewhere);
        Ok(GrepReply { matches: matches.collect(), total, cursor, complete, degraded: reply.degraded, elsewhere })
    }
}

impl From<GrepMatch> for GrepReplyMatch {
    fn from(GrepMatch { found, snippet, repeats }: GrepMatch) -> Self {
        let (fold, depth) = match &found {
            GrepFound::Summary(summary) => (Some(summary.kind().as_str()), Some(summary.depth)),
            GrepFound::Message(_) | GrepFound::Artifact { .. } => (None, None),
        };
        let (id, kind, conversation, at) = match found {
            GrepFound::Message(message) => {
                (message.id.to_string(), "message", message.conversation, message.body.at.map(|at| at.display_text()))
            }
            GrepFound::Summary(summary) => (summary.id.to_string(), "summary", summary.conversation, summary.from),
            GrepFound::Artifact { place, message } => {
                (place, "artifact", message.conversation, message.body.at.map(|at| at.display_text()))
            }
        };
        let repeated = repeats.map(|original| original.to_string());
        Self { id, kind, conversation_id: conversation.to_string(), snippet, at, fold, depth, repeated }
    }
}

impl OperationReply for GrepReply {
    fn to_text(&self) -> String {
        let mut text = String::new();
        for found in &self.matches {
            let at = found.at.as_ref().map(|at| format!(" ({at})")).unwrap_or_default();
            let repeated = found.repeated.as_ref().map(|of| format!(" (repeats {of})")).unwrap_or_default();
            let _ =
                writeln!(text, "{}{}{repeated}  {}", show_name(&found.id), show_name(&at), show_name(&found.snippet));
        }
        // Without a known number more may follow, because the search stopped when its time was up.
        let more = self.total - self.matches.len() as u64;
        let known = if more > 0 { format!("{more} more") } else { "perhaps more, time ran out".to_owned() };
        if let Some(cursor) = &self.cursor {
            let _ = writeln!(text, "… and {known}: continue with cursor {cursor}");
        }
        if text.is_empty() {
            text.push_str("nothing found\n");
        }
        text.extend(self.elsewhere.and_then(elsewhere_note));
        for reason in &self.degraded {
            let _ = writeln!(text, "{reason}");
        }
        text
    }

    fn command_exit(&self) -> CommandExit {
        match (self.total, self.degraded.is_empty()) {
            (0, true) => CommandExit::NothingFound,
            // The pattern may stand in a message that is damaged, so "nothing" would be too much said.
            (0, false) => CommandExit::Integrity,
            _ => CommandExit::Ok,
        }
    }
}
