//! The `team` operation (command, MCP tool, HTTP route): its parameters and its reply; the engine does the work. It shares
//! memories, reflections and decisions with colleagues, and lists what is shared.

use super::memory_line::{MemoryContradiction, contradictions_of};
use crate::ops::time_bounds::TimeBound;
use crate::ops::{
    CommandExit, CommandGroup, DataSource, Operation, OperationCall, OperationKind, OperationReply, render_count,
};
use clap::{Args, ValueEnum};
use engine::{SharedItem, TeamAction, TeamFilter};
use model::{MemoryKind, show_name};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) struct TeamOperation;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct TeamParams {
    /// What to do
    #[arg(value_enum, default_value = "list")]
    #[serde(default)]
    action: TeamActionParam,
    /// With `share` and `withdraw`: which, by id (`mem_…`, `fact_…`)
    #[serde(default)]
    ids: Vec<String>,
    /// With `list`: only of this kind
    #[arg(long, value_enum)]
    kind: Option<KindParam>,
    /// With `list`: only what was shared from then on: a day, or RFC 3339
    #[arg(long)]
    since: Option<String>,
    /// With `list`: only what this colleague shares
    #[arg(long)]
    author: Option<String>,
    /// With `list`: most to return
    #[arg(long, default_value_t = 50)]
    #[serde(default = "default_limit")]
    limit: u32,
}

fn default_limit() -> u32 {
    50
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
enum TeamActionParam {
    /// List what is shared
    #[default]
    List,
    /// Share it with colleagues who subscribed to you
    Share,
    /// Share it no longer
    Withdraw,
}

#[derive(Clone, Copy, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
enum KindParam {
    Note,
    Rule,
    Decision,
    Fix,
    Reflection,
}

impl From<KindParam> for MemoryKind {
    fn from(kind: KindParam) -> Self {
        match kind {
            KindParam::Note => Self::Note,
            KindParam::Rule => Self::Rule,
            KindParam::Decision => Self::Decision,
            KindParam::Fix => Self::Fix,
            KindParam::Reflection => Self::Reflection,
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct TeamReply {
    /// Shared last first
    items: Vec<TeamEntry>,
    /// How many more there are
    omitted: u64,
    #[serde(skip)]
    action: TeamActionParam,
}

#[derive(Serialize, JsonSchema)]
struct TeamEntry {
    id: String,
    kind: &'static str,
    content: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    author: Option<String>,
    /// `own`, `told`, or `not told`: you did not subscribe to its author
    standing: &'static str,
    visibility: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    shared_at: Option<String>,
    said_at: String,
    /// None where it is for every project
    #[serde(skip_serializing_if = "Option::is_none")]
    project_id: Option<String>,
    /// Decision, messages and summaries it was taken from
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sources: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    conversation_id: Option<String>,
    /// Memories of other people that say the contrary
    #[serde(skip_serializing_if = "Vec::is_empty")]
    contradicts: Vec<MemoryContradiction>,
}

impl From<SharedItem> for TeamEntry {
    fn from(item: SharedItem) -> Self {
        let SharedItem { memory, author, is_own, is_told } = item;
        Self {
            id: memory.id.to_string(),
            kind: memory.body.kind.as_str(),
            author,
            standing: if is_own {
                "own"
            } else if is_told {
                "told"
            } else {
                "not told"
            },
            visibility: memory.visibility.as_str(),
            shared_at: memory.shared.map(|at| at.to_string()),
            said_at: memory.said.to_string(),
            project_id: memory.body.project.as_ref().map(ToString::to_string),
            conversation_id: memory.body.conversation.as_ref().map(ToString::to_string),
            contradicts: contradictions_of(&memory),
            sources: memory.sources,
            content: memory.body.content,
        }
    }
}

impl Operation for TeamOperation {
    const NAME: &'static str = "team";
    const SUMMARY: &'static str = "Share memories and decisions with colleagues, and list what they share";
    const KIND: OperationKind = OperationKind::Write;
    const READS: DataSource = DataSource::Conversations;
    const GROUP: CommandGroup = CommandGroup::Remember;
    const HELP: &'static str = "\
Everything is private until it is shared. What colleagues of the same tenant share is told to whoever subscribed to them \
(`subscription add NAME --pattern author`); `list` shows all of it. Where two people say the contrary, both are told and \
say so. Exit status 3: nothing is shared.

Examples:
  epitome team share mem_51432ca8c094e7e8 fact_3f2a91c0d4e5b6a7
  epitome team list --kind decision --since 2026-11-01
  epitome team withdraw mem_51432ca8c094e7e8";
    type Params = TeamParams;
    type Reply = TeamReply;

    async fn run(call: &OperationCall<'_>, params: TeamParams) -> Result<TeamReply, engine::Error> {
        if matches!(params.action, TeamActionParam::List) && !params.ids.is_empty() {
            let reason = "are only for `share` and `withdraw`: `describe` shows one".to_owned();
            return Err(engine::Error::Parameter { field: "ids", reason });
        }
        let action = match params.action {
            TeamActionParam::List => TeamAction::List(TeamFilter {
                kind: params.kind.map(MemoryKind::from),
                since: TimeBound::Since.parse(params.since)?,
                author: params.author,
                limit: params.limit,
            }),
            TeamActionParam::Share => TeamAction::Share(params.ids),
            TeamActionParam::Withdraw => TeamAction::Withdraw(params.ids),
        };
        let report = call.engine.manage_team(call.project, action).await?;
        let items = report.items.into_iter().map(TeamEntry::from).collect();
        Ok(TeamReply { items, omitted: report.omitted, action: params.action })
    }
}

impl OperationReply for TeamReply {
    fn is_report(&self) -> bool {
        true
    }

    fn to_text(&self) -> String {
        let mut text = match self.action {
            TeamActionParam::List => String::new(),
            TeamActionParam::Share => "shared:\n".to_owned(),
            TeamActionParam::Withdraw => "shared no longer:\n".to_owned(),
        };
        for entry in &self.items {
            let words = entry.content.trim().replace('\n', "\n    ");
            let mut about = vec![entry.kind.to_owned()];
            about.extend(entry.author.as_ref().map(|author| format!("from {}", show_name(author))));
            about.push(entry.standing.to_owned());
            about.extend(entry.shared_at.as_ref().map(|at| format!("shared {}", at.split('T').next().unwrap_or(at))));
            let sources = entry.sources.len() as u64;
            about.extend((sources > 0).then(|| format!("from {}", render_count(sources, "source"))));
            about.extend(entry.contradicts.iter().map(MemoryContradiction::to_text));
            text += &format!("{}  {words}\n    {}\n", entry.id, about.join(" · "));
        }
        if self.items.is_empty() {
            text.push_str("nothing is shared: `epitome team share ID` shares a memory or a decision\n");
        }
        if self.omitted > 0 {
            text += &format!("{} more: raise the limit to see them\n", self.omitted);
        }
        text
    }

    fn command_exit(&self) -> CommandExit {
        if self.items.is_empty() { CommandExit::NothingFound } else { CommandExit::Ok }
    }
}
