//! JSON types of the `project` operation: a project, a link between two, an entity that several name.

use crate::ops::{render_count, render_duration};
use engine::{ConversationTotals, ProjectListing, ProjectPresence};
use model::show_name;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;

/// A project
#[derive(Serialize, JsonSchema)]
pub(super) struct ProjectLine {
    id: String,
    /// What it is called; no other has the same name
    name: String,
    /// Where it is, or was last
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    /// What its own `.epitome.toml` has a say in
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    config: BTreeMap<String, String>,
    /// Whether it is the project of the caller
    current: bool,
    /// `here`, `missing` (moved, deleted or on another machine), `replaced` (another project is there now) or `unknown`
    state: &'static str,
    /// Directories in which it was looked at, the one that was indexed last first
    roots: Vec<String>,
    /// Those of them that are gone
    #[serde(skip_serializing_if = "Vec::is_empty")]
    former: Vec<String>,
    /// When it was first known
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<String>,
    /// When something was last said of it, or it was last indexed
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_indexed_at: Option<String>,
    /// The commit that the index was compared at
    #[serde(skip_serializing_if = "Option::is_none")]
    last_sync_commit: Option<String>,
    /// Commits of the checkout that it has not seen
    #[serde(skip_serializing_if = "Option::is_none")]
    commits_behind: Option<u64>,
    files: u64,
    symbols: u64,
    edges: u64,
    #[serde(flatten)]
    totals: ProjectTotals,
}

/// What conversations come to
#[derive(Serialize, JsonSchema)]
pub(super) struct ProjectTotals {
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

/// One project depends on another
#[derive(Serialize, JsonSchema)]
pub(super) struct ProjectLinkLine {
    source_project: String,
    target_project: String,
    /// The project that was linked, or the manifest that names the other
    source_entity: String,
    /// The project, or its package
    target_entity: String,
    relationship: &'static str,
    weight: f64,
}

/// An entity that several projects name
#[derive(Serialize, JsonSchema)]
pub(super) struct SharedEntity {
    pub(super) r#type: &'static str,
    pub(super) name: String,
    /// The other projects, by name
    projects: Vec<String>,
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

impl From<ProjectListing> for ProjectLine {
    fn from(listing: ProjectListing) -> Self {
        Self {
            last_indexed_at: listing.indexed_at().map(|at| at.to_string()),
            last_sync_commit: listing.commit().map(str::to_owned),
            commits_behind: listing.behind,
            id: listing.id.to_string(),
            name: listing.name,
            path: listing.path,
            description: listing.description,
            config: BTreeMap::new(),
            current: false,
            state: listing.presence.as_str(),
            roots: listing.worktrees.into_iter().map(|listed| listed.root).collect(),
            former: listing.former,
            created_at: listing.created.map(|at| at.to_string()),
            updated_at: listing.updated.map(|at| at.to_string()),
            files: listing.code.files,
            symbols: listing.code.symbols,
            edges: listing.code.edges,
            totals: listing.totals.into(),
        }
    }
}

impl From<engine::ProjectLink> for ProjectLinkLine {
    fn from(link: engine::ProjectLink) -> Self {
        Self {
            source_project: link.source,
            target_project: link.target,
            source_entity: link.source_entity,
            target_entity: link.target_entity,
            relationship: link.relationship,
            weight: link.weight,
        }
    }
}

impl From<engine::SharedEntity> for SharedEntity {
    fn from(shared: engine::SharedEntity) -> Self {
        Self { r#type: shared.kind.as_str(), name: shared.name, projects: shared.projects }
    }
}

impl SharedEntity {
    /// The projects that name it, too.
    pub(super) fn listed(&self) -> String {
        self.projects.iter().map(|name| show_name(name)).collect::<Vec<_>>().join(", ")
    }
}

impl ProjectLine {
    /// The same as its caller sees it, with what its own file sets.
    pub(super) fn seen_from(self, current: bool, config: BTreeMap<String, String>) -> Self {
        Self { config, current, ..self }
    }

    /// What it is called and where it is, then its index and its conversations.
    pub(super) fn to_text(&self) -> String {
        let here = if self.current { " (this one)" } else { "" };
        let mut text = format!("{}{here}, {}\n", show_name(&self.name), self.id);
        if let Some(description) = &self.description {
            let _ = writeln!(text, "  about        {}", show_name(description));
        }
        let root = self.path.as_deref().unwrap_or("directory unknown");
        let state = match self.state {
            state if state == ProjectPresence::Missing.as_str() => ", which is missing: moved, deleted or elsewhere",
            state if state == ProjectPresence::Replaced.as_str() => ", which holds another project now",
            _ => "",
        };
        let _ = writeln!(text, "  path         {}{state}", show_name(root));
        for other in self.roots.iter().filter(|other| Some(*other) != self.path.as_ref()) {
            let gone = if self.former.contains(other) { ", which is gone" } else { "" };
            let _ = writeln!(text, "  also         {}{gone}", show_name(other));
        }
        let index = match &self.last_indexed_at {
            Some(at) => {
                let (files, symbols) = (render_count(self.files, "file"), render_count(self.symbols, "symbol"));
                format!("{files}, {symbols}, indexed {at}")
            }
            None => "none".to_owned(),
        };
        let _ = writeln!(text, "  index        {index}");
        if let Some(commit) = describe_commit(self.last_sync_commit.as_deref(), self.commits_behind) {
            let _ = writeln!(text, "  commit       {commit}");
        }
        for (key, value) in &self.config {
            let _ = writeln!(text, "  config       {key} = {}", show_name(value));
        }
        let messages = render_count(self.totals.messages, "message");
        let last = self.totals.last_at.as_ref().map(|at| format!(", the last at {at}")).unwrap_or_default();
        let _ = writeln!(text, "  sessions     {}, {messages}{last}", self.totals.conversations);
        text
    }
}

impl ProjectLinkLine {
    pub(super) fn starts_at(&self, project: &ProjectLine) -> bool {
        self.source_project == project.name
    }

    pub(super) fn to_text(&self) -> String {
        format!("  depends on   {}{}\n", show_name(&self.target_project), self.through())
    }

    pub(super) fn to_incoming_text(&self) -> String {
        format!("  used by      {}{}\n", show_name(&self.source_project), self.through())
    }

    /// The manifest and the package, where nobody linked the two.
    fn through(&self) -> String {
        if self.source_entity.starts_with("proj_") {
            return String::new();
        }
        format!(" ({} names {})", show_name(&self.source_entity), show_name(&self.target_entity))
    }
}

/// The commit of an index in short, and how many it has not seen.
pub(super) fn describe_commit(commit: Option<&str>, behind: Option<u64>) -> Option<String> {
    let commit = commit?;
    let short: String = commit.chars().take(12).collect();
    Some(match behind {
        Some(0) => short,
        Some(behind) => format!("{short}, {} behind", render_count(behind, "commit")),
        None => format!("{short}, which git cannot be asked about here"),
    })
}

/// How long ago something was.
pub(super) fn describe_age(milliseconds: i64) -> String {
    format!("{} ago", render_duration(u64::try_from(milliseconds / 1_000).unwrap_or_default()))
}
