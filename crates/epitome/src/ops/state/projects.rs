//! The `projects` operation (command, MCP tool, HTTP route): its parameters and its reply; the engine makes the answer.
//! It lists the projects that have an index or conversations.

use crate::ops::{
    CommandExit, CommandGroup, DataSource, Operation, OperationCall, OperationKind, OperationReply, render_count,
};
use clap::Args;
use engine::{ConversationTotals, ProjectListing};
use model::show_name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

pub(crate) struct ProjectsOperation;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProjectsParams {}

#[derive(Serialize, JsonSchema)]
pub(crate) struct ProjectsReply {
    /// The one that was worked in last first
    projects: Vec<ProjectLine>,
    /// Of all conversations, those of no project included
    totals: ProjectTotals,
}

#[derive(Serialize, JsonSchema)]
struct ProjectLine {
    project_id: String,
    /// Whether it is the project of the caller
    current: bool,
    /// Directories in which it was looked at, the one that was indexed last first
    roots: Vec<String>,
    /// When it was indexed last
    #[serde(skip_serializing_if = "Option::is_none")]
    indexed_at: Option<String>,
    files: u64,
    symbols: u64,
    edges: u64,
    #[serde(flatten)]
    totals: ProjectTotals,
}

/// What conversations come to
#[derive(Serialize, JsonSchema)]
struct ProjectTotals {
    conversations: u64,
    messages: u64,
    /// Tokens of all messages
    tokens: u64,
    summaries: u64,
    /// Tokens of the messages that summaries stand for in contexts
    folded_tokens: u64,
    /// Tokens of those summaries
    summary_tokens: u64,
    facts: u64,
    /// When the newest message happened
    #[serde(skip_serializing_if = "Option::is_none")]
    last_at: Option<String>,
}

impl From<ConversationTotals> for ProjectTotals {
    fn from(totals: ConversationTotals) -> Self {
        Self {
            conversations: totals.conversations,
            messages: totals.messages,
            tokens: totals.tokens,
            summaries: totals.summaries,
            folded_tokens: totals.folded_tokens,
            summary_tokens: totals.summary_tokens,
            facts: totals.facts,
            last_at: totals.last_message.map(|at| at.to_string()),
        }
    }
}

impl Operation for ProjectsOperation {
    const NAME: &'static str = "projects";
    const SUMMARY: &'static str = "List the projects that are indexed or spoken about";
    const KIND: OperationKind = OperationKind::Read;
    const READS: DataSource = DataSource::Both;
    const GROUP: CommandGroup = CommandGroup::LookAfter;
    const HELP: &'static str = "\
Shows each project with its directories, what its index holds and what is stored of its conversations, the one that was \
worked in last first.

Examples:
  epitome projects
  epitome projects --json";
    type Params = ProjectsParams;
    type Reply = ProjectsReply;

    async fn run(call: &OperationCall<'_>, _params: ProjectsParams) -> Result<ProjectsReply, engine::Error> {
        let list = call.engine.list_projects().await?;
        let line = |listing: ProjectListing| ProjectLine {
            current: listing.id == call.project.id,
            indexed_at: listing.indexed_at().map(|at| at.to_string()),
            project_id: listing.id.to_string(),
            roots: listing.worktrees.into_iter().map(|listed| listed.root).collect(),
            files: listing.code.files,
            symbols: listing.code.symbols,
            edges: listing.code.edges,
            totals: listing.totals.into(),
        };
        Ok(ProjectsReply { projects: list.projects.into_iter().map(line).collect(), totals: list.totals.into() })
    }
}

impl OperationReply for ProjectsReply {
    fn to_text(&self) -> String {
        if self.projects.is_empty() {
            return "no project yet: `index` and `import` make some\n".to_owned();
        }
        self.projects.iter().map(ProjectLine::to_text).collect()
    }

    fn command_exit(&self) -> CommandExit {
        if self.projects.is_empty() { CommandExit::NothingFound } else { CommandExit::Ok }
    }
}

impl ProjectLine {
    /// Three lines: where it is, its index, its conversations.
    fn to_text(&self) -> String {
        let here = if self.current { " (this one)" } else { "" };
        let root = self.roots.first().map_or("directory unknown", String::as_str);
        let mut text = format!("{}{here}, {}\n", show_name(root), self.project_id);
        for other in self.roots.iter().skip(1) {
            let _ = writeln!(text, "  also         {}", show_name(other));
        }
        let index = match &self.indexed_at {
            Some(at) => {
                let (files, symbols) = (render_count(self.files, "file"), render_count(self.symbols, "symbol"));
                format!("{files}, {symbols}, indexed {at}")
            }
            None => "none".to_owned(),
        };
        let _ = writeln!(text, "  index        {index}");
        let messages = render_count(self.totals.messages, "message");
        let last = self.totals.last_at.as_ref().map(|at| format!(", the last at {at}")).unwrap_or_default();
        let _ = writeln!(text, "  sessions     {}, {messages}{last}", self.totals.conversations);
        text
    }
}
