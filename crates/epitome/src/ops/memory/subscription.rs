//! The `subscription` operation (command, MCP tool, HTTP route): its parameters and its reply; the engine does the work. It
//! says what sessions want to be told of.

use crate::ops::time_bounds::parse_stretch;
use crate::ops::{
    CommandExit, CommandGroup, DataSource, Operation, OperationCall, OperationKind, OperationReply, render_duration,
    round_hundredths,
};
use clap::{Args, ValueEnum};
use engine::{NewSubscription, PatternKind, Subscription, SubscriptionAction, SubscriptionRequest, TriggerKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) struct SubscriptionOperation;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct SubscriptionParams {
    /// What to do
    #[arg(value_enum)]
    action: SubscriptionActionParam,
    /// With `add` what to look for, else which one, by id
    value: Option<String>,
    /// With `add`: what the value is
    #[arg(long, value_enum, default_value = "file_pattern")]
    #[serde(default)]
    pattern: PatternParam,
    /// With `add`: only below this folder
    #[arg(long)]
    scope: Option<String>,
    /// With `add`: when to tell (default: as suits the pattern)
    #[arg(long, value_enum)]
    trigger: Option<TriggerParam>,
    /// With `add`: at most once in `6h`, `1d`
    #[arg(long)]
    every: Option<String>,
    /// With `add`: tell nothing that matters less, from 0 to 1
    #[arg(long)]
    min_relevance: Option<f64>,
    /// The session, by name or id (default: every session of the project)
    #[arg(long)]
    session: Option<String>,
    /// With `list`: also those that are over
    #[arg(long)]
    #[serde(default)]
    all: bool,
}

#[derive(Clone, Copy, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
enum SubscriptionActionParam {
    /// Ask to be told
    Add,
    /// List what is asked for
    List,
    /// Let one rest, or go on where it rests
    Pause,
    /// End one
    Remove,
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
enum PatternParam {
    #[default]
    FilePattern,
    EntityType,
    Keyword,
    Author,
}

#[derive(Clone, Copy, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
enum TriggerParam {
    FileChange,
    CursorProximity,
    ContextMention,
    Schedule,
    Share,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct SubscriptionReply {
    subscriptions: Vec<SubscriptionEntry>,
    /// The rules by which secrets were replaced before it was stored
    #[serde(skip_serializing_if = "Vec::is_empty")]
    secrets: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct SubscriptionEntry {
    id: String,
    /// None for every session of the project
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<String>,
    pattern: WatchPattern,
    trigger_type: &'static str,
    /// Of a schedule, the seconds between one suggestion and the next
    #[serde(skip_serializing_if = "Option::is_none")]
    every_s: Option<u64>,
    min_relevance: f64,
    /// `active`, `paused` or `completed`
    status: &'static str,
    created_at: String,
}

#[derive(Serialize, JsonSchema)]
struct WatchPattern {
    r#type: &'static str,
    value: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<String>,
}

impl From<Subscription> for SubscriptionEntry {
    fn from(subscription: Subscription) -> Self {
        Self {
            id: subscription.id.to_string(),
            session_id: subscription.session,
            pattern: WatchPattern {
                r#type: subscription.pattern.as_str(),
                value: subscription.value,
                scope: subscription.scope,
            },
            trigger_type: subscription.trigger.as_str(),
            every_s: subscription.every.map(|every| every.as_secs()),
            min_relevance: round_hundredths(subscription.min_relevance as f32),
            status: subscription.status.as_str(),
            created_at: subscription.created.to_string(),
        }
    }
}

impl Operation for SubscriptionOperation {
    const NAME: &'static str = "subscription";
    const SUMMARY: &'static str = "Ask to be told of changes, mentions and what a cursor is near";
    const KIND: OperationKind = OperationKind::Write;
    const READS: DataSource = DataSource::Conversations;
    const GROUP: CommandGroup = CommandGroup::Remember;
    const HELP: &'static str = "\
What is asked for is files by a pattern of paths, symbols by their kind (`class`, `function`), or a word; it is told when it \
changes while a server follows the project (`epitome mcp`, `epitome serve`), when a prompt mentions it, when the cursor of \
an editor comes near, or with `--every` by a schedule, always with callers and the tests to run. The next hook tells it \
once. The name of a colleague (or `*`) has what they share told wherever memories are. Nothing is told that nobody asked \
for. Exit status 3: there is none.

Examples:
  epitome subscription add 'src/auth/**'
  epitome subscription add parse_header --pattern keyword
  epitome subscription add class --pattern entity_type --scope src
  epitome subscription add 'docs/**' --every 1d
  epitome subscription add 'src/auth/**' --trigger cursor_proximity
  epitome subscription add ana --pattern author
  epitome subscription remove subs_51432ca8c094e7e8";
    type Params = SubscriptionParams;
    type Reply = SubscriptionReply;

    async fn run(call: &OperationCall<'_>, params: SubscriptionParams) -> Result<SubscriptionReply, engine::Error> {
        let needed = |value: Option<String>, reason: &str| {
            value.ok_or_else(|| engine::Error::Parameter { field: "value", reason: reason.to_owned() })
        };
        let an_id = "is needed: the id of a subscription, which `list` shows";
        let action = match params.action {
            SubscriptionActionParam::Add => SubscriptionAction::Add(NewSubscription {
                pattern: match params.pattern {
                    PatternParam::FilePattern => PatternKind::FilePattern,
                    PatternParam::EntityType => PatternKind::EntityType,
                    PatternParam::Keyword => PatternKind::Keyword,
                    PatternParam::Author => PatternKind::Author,
                },
                value: needed(params.value, "is needed: a pattern of paths, a kind of symbols, a word, or a name")?,
                scope: params.scope,
                trigger: params.trigger.map(|trigger| match trigger {
                    TriggerParam::FileChange => TriggerKind::FileChange,
                    TriggerParam::CursorProximity => TriggerKind::CursorProximity,
                    TriggerParam::ContextMention => TriggerKind::ContextMention,
                    TriggerParam::Schedule => TriggerKind::Schedule,
                    TriggerParam::Share => TriggerKind::Share,
                }),
                every: params.every.as_deref().map(parse_stretch).transpose()?,
                min_relevance: params.min_relevance,
            }),
            SubscriptionActionParam::List => SubscriptionAction::List { everything: params.all },
            SubscriptionActionParam::Pause => SubscriptionAction::Pause(needed(params.value, an_id)?),
            SubscriptionActionParam::Remove => SubscriptionAction::Remove(needed(params.value, an_id)?),
        };
        let request = SubscriptionRequest { session: params.session, action };
        let report = call.engine.manage_subscriptions(call.project, request).await?;
        Ok(SubscriptionReply {
            subscriptions: report.subscriptions.into_iter().map(SubscriptionEntry::from).collect(),
            secrets: report.secrets.iter().map(ToString::to_string).collect(),
        })
    }
}

impl OperationReply for SubscriptionReply {
    fn is_report(&self) -> bool {
        true
    }

    fn to_text(&self) -> String {
        let mut text = String::new();
        for subscription in &self.subscriptions {
            let pattern = &subscription.pattern;
            let scope = pattern.scope.as_ref().map(|scope| format!(" below {scope}")).unwrap_or_default();
            let every =
                subscription.every_s.map(|every| format!(" every {}", render_duration(every))).unwrap_or_default();
            let whose = subscription.session_id.as_deref().unwrap_or("every session");
            text += &format!(
                "{}  {} {}{scope}\n    {} · {}{every} · {whose} · from relevance {:.2}\n",
                subscription.id,
                pattern.r#type,
                pattern.value,
                subscription.status,
                subscription.trigger_type,
                subscription.min_relevance
            );
        }
        if text.is_empty() {
            text.push_str("nobody asked to be told of anything: `epitome subscription add 'src/**'`\n");
        }
        text
    }

    fn command_exit(&self) -> CommandExit {
        if self.subscriptions.is_empty() { CommandExit::NothingFound } else { CommandExit::Ok }
    }
}
