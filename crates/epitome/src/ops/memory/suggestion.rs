//! The `suggestion` operation (command, MCP tool, HTTP route): its parameters and its reply; the engine does the work. It
//! lists what subscriptions led to, and notes what became of it.

use crate::ops::{
    CommandExit, CommandGroup, DataSource, Operation, OperationCall, OperationKind, OperationReply, render_count,
    round_hundredths,
};
use clap::{Args, ValueEnum};
use engine::{Suggestion, SuggestionAction, SuggestionRequest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

pub(crate) struct SuggestionOperation;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct SuggestionParams {
    /// What to do
    #[arg(value_enum, default_value = "list")]
    #[serde(default)]
    action: SuggestionActionParam,
    /// Which one, by id; for `near` a `path:line`
    id: Option<String>,
    /// The session, by name or id (default: every session of the project)
    #[arg(long)]
    session: Option<String>,
    /// Also those that were told or dealt with
    #[arg(long)]
    #[serde(default)]
    include_delivered: bool,
    /// How many at most
    #[arg(long, default_value_t = 10)]
    #[serde(default = "default_limit")]
    limit: u32,
}

fn default_limit() -> u32 {
    10
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
enum SuggestionActionParam {
    /// List them, newest first
    #[default]
    List,
    /// Note that one was of use
    Act,
    /// Note that one was not wanted: the next ones matter less
    Dismiss,
    /// Make those of a cursor
    Near,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct SuggestionReply {
    suggestions: Vec<SuggestionEntry>,
    /// How many more there are
    #[serde(skip_serializing_if = "is_zero")]
    omitted: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape serde asks for")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct SuggestionEntry {
    id: String,
    subscription_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<String>,
    /// From 0 to 1
    relevance_score: f64,
    title: String,
    items: Vec<SuggestedPlace>,
    /// `pending`, `delivered`, `acted` or `dismissed`
    status: &'static str,
    created_at: String,
}

#[derive(Serialize, JsonSchema)]
struct SuggestedPlace {
    /// `changed`, `removed`, `mentioned`, `near`, `caller` or `test`
    kind: String,
    /// A path, or the id of a symbol
    place: String,
}

impl From<Suggestion> for SuggestionEntry {
    fn from(suggestion: Suggestion) -> Self {
        let place = |item: engine::SuggestionItem| SuggestedPlace { kind: item.kind, place: item.place };
        Self {
            id: suggestion.id.to_string(),
            subscription_id: suggestion.subscription.to_string(),
            session_id: suggestion.session,
            relevance_score: round_hundredths(suggestion.relevance as f32),
            title: suggestion.title,
            items: suggestion.items.into_iter().map(place).collect(),
            status: suggestion.status.as_str(),
            created_at: suggestion.created.to_string(),
        }
    }
}

impl Operation for SuggestionOperation {
    const NAME: &'static str = "suggestion";
    const SUMMARY: &'static str = "List what subscriptions led to, and say what was of use";
    const KIND: OperationKind = OperationKind::Write;
    const READS: DataSource = DataSource::Conversations;
    const GROUP: CommandGroup = CommandGroup::Remember;
    const HELP: &'static str = "\
Each suggestion is told once: by the next hook of a session that asked, as an event of `/v1/events`, and as the resource \
`epitome://suggestions`. An editor says with `near` where its cursor rests, and gets what was made of it. What is dismissed or told in vain makes the next ones of its subscription matter less. Exit \
status 3: there is none.

Examples:
  epitome suggestion list --include-delivered
  epitome suggestion act sugg_51432ca8c094e7e8
  epitome suggestion near src/auth/session.rs:40";
    type Params = SuggestionParams;
    type Reply = SuggestionReply;

    async fn run(call: &OperationCall<'_>, params: SuggestionParams) -> Result<SuggestionReply, engine::Error> {
        let needed = |id: Option<String>, reason: &str| {
            id.ok_or_else(|| engine::Error::Parameter { field: "id", reason: reason.to_owned() })
        };
        let an_id = "is needed: `suggestion list` shows the ids";
        let action = match params.action {
            SuggestionActionParam::List => {
                SuggestionAction::List { include_delivered: params.include_delivered, limit: params.limit }
            }
            SuggestionActionParam::Act => SuggestionAction::Act(needed(params.id, an_id)?),
            SuggestionActionParam::Dismiss => SuggestionAction::Dismiss(needed(params.id, an_id)?),
            SuggestionActionParam::Near => {
                let place = needed(params.id, "is needed: the place of a cursor, as `src/a.rs:12`")?;
                let made = call.engine.suggest_near(call.project, &place).await?;
                return Ok(SuggestionReply::new(made, 0));
            }
        };
        let request = SuggestionRequest { session: params.session, action };
        let report = call.engine.manage_suggestions(call.project, request).await?;
        Ok(SuggestionReply::new(report.suggestions, report.omitted))
    }
}

impl SuggestionReply {
    fn new(suggestions: Vec<Suggestion>, omitted: u64) -> Self {
        Self { suggestions: suggestions.into_iter().map(SuggestionEntry::from).collect(), omitted }
    }
}

impl OperationReply for SuggestionReply {
    fn is_report(&self) -> bool {
        true
    }

    fn to_text(&self) -> String {
        let mut text = String::new();
        for suggestion in &self.suggestions {
            let _ = writeln!(
                text,
                "{}  {}\n    {} · relevance {:.2} · {}",
                suggestion.id, suggestion.title, suggestion.status, suggestion.relevance_score, suggestion.created_at
            );
            for item in &suggestion.items {
                let _ = writeln!(text, "    {} {}", item.kind, item.place);
            }
        }
        if self.omitted > 0 {
            let _ = writeln!(text, "… and {}", render_count(self.omitted, "more suggestion"));
        }
        if text.is_empty() {
            text.push_str("no suggestions: `epitome subscription add` asks for them\n");
        }
        text
    }

    fn command_exit(&self) -> CommandExit {
        if self.suggestions.is_empty() { CommandExit::NothingFound } else { CommandExit::Ok }
    }
}
