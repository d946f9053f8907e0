//! Lists the projects that the store knows: those that have an index, those that conversations belong to, and those that
//! somebody named, each with what there is of its conversations and whether it is still there (`presence`). A project has
//! a name of its own (`registry`), by which a question reaches it from another one (`selection`).

mod package_links;
mod presence;
mod registry;
mod selection;
mod shared_entities;

pub use presence::ProjectPresence;
pub use registry::ProjectSetting;
pub use selection::{ProjectReach, SelectedProject};
pub use shared_entities::SharedEntity;

pub(crate) use package_links::find_package_links;
pub(crate) use selection::select_projects;
pub(crate) use shared_entities::shared_entities;

use crate::Engine;
use crate::base::{Error, Project, Result};
use futures::future::join_all;
use model::{ConversationId, EntityState, ProjectId, Timestamp};
use presence::{FoundProject, commits_behind, folder_name, look_for};
use registry::{ProjectRegistry, StatedProject, set_project, state_link};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use store::{CodeTotals, Conversation, ConversationFolds, IndexState, ListedWorktree};

/// Every project, and what all conversations come to, those of no project included.
#[derive(Clone, Debug, Default)]
pub struct ProjectList {
    /// The one that was worked in last first.
    pub projects: Vec<ProjectListing>,
    /// Of all conversations.
    pub totals: ConversationTotals,
    /// Links between projects.
    pub links: Vec<ProjectLink>,
}

/// One project depends on another.
#[derive(Clone, Debug, PartialEq)]
pub struct ProjectLink {
    /// The one that depends, by name.
    pub source: String,
    /// The one it depends on, by name.
    pub target: String,
    /// What names the other: the project itself where somebody linked the two, else the manifest that depends on it.
    pub source_entity: String,
    /// What it names: the project, or the package that it publishes.
    pub target_entity: String,
    /// How the two are related.
    pub relationship: &'static str,
    /// How sure that is, 1 at most.
    pub weight: f64,
}

/// What the store has of one project.
#[derive(Clone, Debug)]
pub struct ProjectListing {
    /// Which project.
    pub id: ProjectId,
    /// What it is called; no other has the same name.
    pub name: String,
    /// What somebody said it is.
    pub description: Option<String>,
    /// Whether it is there, where that was looked for.
    pub presence: ProjectPresence,
    /// Where it is, or was last.
    pub path: Option<String>,
    /// Directories that were looked at and are gone, or hold another project now.
    pub former: Vec<String>,
    /// Commits of its checkout that the index has not seen.
    pub behind: Option<u64>,
    /// When it was first known.
    pub created: Option<Timestamp>,
    /// When something was last said of it, or it was last indexed.
    pub updated: Option<Timestamp>,
    /// Its checkouts that were looked at, the one that was indexed last first.
    pub worktrees: Vec<ListedWorktree>,
    /// What the index of the first of them holds.
    pub code: CodeTotals,
    /// Of the conversations that belong to it.
    pub totals: ConversationTotals,
}

/// What several conversations come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConversationTotals {
    /// How many.
    pub conversations: u64,
    /// Messages of them.
    pub messages: u64,
    /// Tokens of those messages.
    pub tokens: u64,
    /// Summaries that were made of them.
    pub summaries: u64,
    /// Tokens of the messages that summaries stand for in contexts.
    pub folded_tokens: u64,
    /// Tokens of those summaries.
    pub summary_tokens: u64,
    /// Facts taken from them.
    pub facts: u64,
    /// When the newest message happened.
    pub last_message: Option<Timestamp>,
}

impl ConversationTotals {
    fn add(&mut self, conversation: &Conversation, folds: Option<&ConversationFolds>) {
        self.conversations += 1;
        self.messages += conversation.messages;
        self.tokens += u64::from(conversation.tokens.0);
        self.last_message = self.last_message.max(Some(conversation.updated));
        if let Some(folds) = folds {
            self.summaries += folds.summaries;
            self.folded_tokens += folds.folded_tokens;
            self.summary_tokens += folds.active_tokens;
            self.facts += folds.facts;
        }
    }
}

impl ProjectListing {
    fn new(id: ProjectId) -> Self {
        Self {
            name: id.to_string(),
            id,
            description: None,
            presence: ProjectPresence::Unknown,
            path: None,
            former: Vec::new(),
            behind: None,
            created: None,
            updated: None,
            worktrees: Vec::new(),
            code: CodeTotals::default(),
            totals: ConversationTotals::default(),
        }
    }

    /// The commit that it was indexed at last.
    pub fn commit(&self) -> Option<&str> {
        let is_at = |listed: &&ListedWorktree| self.path.as_deref().is_none_or(|path| path == listed.root);
        self.worktrees.iter().find(is_at).and_then(|listed| listed.commit.as_deref())
    }

    fn take_in(&mut self, stated: Option<&StatedProject>, found: FoundProject) {
        self.description = stated.and_then(|stated| stated.description.clone());
        let root = self.worktrees.first().map(|listed| listed.root.clone());
        let there = found.project.map(|project| project.root_text());
        self.path = there.or(root).or_else(|| stated.and_then(|stated| stated.path.clone()));
        self.presence = found.presence;
        self.former = found.former;
        self.behind = found.behind;
        let firsts = self.worktrees.iter().filter_map(|listed| listed.first_finished);
        self.created = firsts.chain(stated.map(|it| it.created)).chain(self.created).min();
        self.updated = self.indexed_at().into_iter().chain(stated.map(|it| it.updated)).max();
    }

    /// When it was indexed last.
    pub fn indexed_at(&self) -> Option<Timestamp> {
        self.worktrees.iter().filter_map(finished_at).max()
    }
}

/// Where it is looked for projects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProjectLookup {
    /// In the store and on this machine.
    OnDisk,
    /// In the store alone: a caller from elsewhere is not told what is on this machine.
    InStore,
}

pub(crate) async fn list_projects(engine: &Engine, lookup: ProjectLookup) -> Result<ProjectList> {
    let registry = ProjectRegistry::load(engine).await?;
    let mut known: BTreeMap<ProjectId, ProjectListing> = BTreeMap::new();
    for listed in engine.store.list_worktrees().await? {
        let project = listed.id.project.clone();
        known.entry(project.clone()).or_insert_with(|| ProjectListing::new(project)).worktrees.push(listed);
    }
    for id in registry.projects.keys() {
        known.entry(id.clone()).or_insert_with(|| ProjectListing::new(id.clone()));
    }
    let totals = add_conversations(engine, &mut known).await?;
    let mut projects: Vec<ProjectListing> = known.into_values().collect();
    for project in &mut projects {
        project.worktrees.sort_by_key(|listed| Reverse(finished_at(listed)));
        if let Some(newest) = project.worktrees.first() {
            project.code = engine.store.code_totals(&newest.id).await?;
        }
    }
    let folders = projects.iter().map(|project| {
        let root = project.worktrees.first().map(|listed| listed.root.as_str());
        let stated = registry.projects.get(&project.id).and_then(|stated| stated.path.as_deref());
        (project.id.clone(), root.or(stated).and_then(folder_name))
    });
    let mut names = registry.name_projects(&folders.collect::<Vec<_>>());
    let found = join_all(projects.iter().map(|project| async {
        if lookup == ProjectLookup::InStore {
            return FoundProject::default();
        }
        let roots = project.worktrees.iter().map(|listed| (listed.root.clone(), listed.commit.clone()));
        let stated = registry.projects.get(&project.id).and_then(|stated| stated.path.clone());
        let stated = stated.filter(|path| project.worktrees.iter().all(|listed| listed.root != *path));
        look_for(project.id.clone(), roots.chain(stated.map(|path| (path, None))).collect()).await
    }));
    let found = found.await;
    for (project, found) in projects.iter_mut().zip(found) {
        project.take_in(registry.projects.get(&project.id), found);
        project.name = names.remove(&project.id).unwrap_or_else(|| project.id.to_string());
    }
    let links = stated_links(&registry, &projects);
    projects.sort_by_key(|project| Reverse(project.totals.last_message.max(project.indexed_at())));
    Ok(ProjectList { projects, totals, links })
}

/// Adds the conversations of each project, and the projects that only conversations belong to. Returns what all come to.
async fn add_conversations(
    engine: &Engine,
    known: &mut BTreeMap<ProjectId, ProjectListing>,
) -> Result<ConversationTotals> {
    let folds = engine.store.conversation_folds().await?.into_iter();
    let folds: HashMap<ConversationId, ConversationFolds> =
        folds.map(|folds| (folds.conversation.clone(), folds)).collect();
    let mut totals = ConversationTotals::default();
    for conversation in engine.store.list_conversations().await? {
        let folds = folds.get(&conversation.id);
        totals.add(&conversation, folds);
        if let Some(project) = conversation.project.clone() {
            let listing = known.entry(project.clone()).or_insert_with(|| ProjectListing::new(project));
            listing.totals.add(&conversation, folds);
            listing.created = [listing.created, Some(conversation.created)].into_iter().flatten().min();
        }
    }
    Ok(totals)
}

/// The links that somebody made, between projects that are known.
fn stated_links(registry: &ProjectRegistry, projects: &[ProjectListing]) -> Vec<ProjectLink> {
    let named = |id: &ProjectId| projects.iter().find(|project| project.id == *id);
    let link = |link: &registry::StatedProjectLink| {
        let (source, target) = (named(&link.source)?, named(&link.target)?);
        Some(ProjectLink {
            source: source.name.clone(),
            target: target.name.clone(),
            source_entity: source.id.to_string(),
            target_entity: target.id.to_string(),
            relationship: link.relationship.as_str(),
            weight: f64::from(link.weight) / 100.0,
        })
    };
    registry.links.iter().filter_map(link).collect()
}

/// Where a project is, and what it is called.
#[derive(Clone, Debug)]
struct KnownProject {
    id: ProjectId,
    name: String,
    /// Its directories, the one that was indexed last first; behind them the one that was stated.
    roots: Vec<String>,
    /// Whether it was ever indexed; else somebody only looked at what there is of it.
    is_indexed: bool,
}

/// Every project that has a directory or a name; without what is stored of them, which takes longer to count.
async fn known_projects(engine: &Engine) -> Result<Vec<KnownProject>> {
    let registry = ProjectRegistry::load(engine).await?;
    let mut worktrees = engine.store.list_worktrees().await?;
    worktrees.sort_by_key(|listed| Reverse(finished_at(listed)));
    let mut roots: BTreeMap<ProjectId, Vec<String>> = BTreeMap::new();
    let mut indexed: HashSet<ProjectId> = HashSet::new();
    for listed in worktrees {
        if finished_at(&listed).is_some() {
            indexed.insert(listed.id.project.clone());
        }
        roots.entry(listed.id.project).or_default().push(listed.root);
    }
    for (id, stated) in &registry.projects {
        let known = roots.entry(id.clone()).or_default();
        known.extend(stated.path.clone().filter(|path| !known.contains(path)));
    }
    let folder = |roots: &Vec<String>| roots.first().and_then(|root| folder_name(root));
    let folders: Vec<_> = roots.iter().map(|(id, roots)| (id.clone(), folder(roots))).collect();
    let mut names = registry.name_projects(&folders);
    let known = roots.into_iter().map(|(id, roots)| {
        let name = names.remove(&id).unwrap_or_else(|| id.to_string());
        KnownProject { is_indexed: indexed.contains(&id), id, name, roots }
    });
    Ok(known.collect())
}

/// What a project is called.
pub(crate) async fn project_name(engine: &Engine, project: &Project) -> Result<String> {
    let known = known_projects(engine).await?;
    let own = known.into_iter().find(|known| known.id == project.id);
    let folder = || folder_name(&project.root_text()).unwrap_or_else(|| project.id.to_string());
    Ok(own.map_or_else(folder, |own| own.name))
}

/// Keeps what somebody says of a project.
pub(crate) async fn say_of_project(engine: &Engine, project: &Project, setting: ProjectSetting) -> Result<()> {
    set_project(engine, project, setting).await
}

/// Keeps that one project depends on another, or takes that back. Returns whether anything changed by it.
pub(crate) async fn link_projects(
    engine: &Engine,
    source: &ProjectId,
    target: &ProjectId,
    state: EntityState,
) -> Result<bool> {
    if source == target {
        let reason = "is the project where the link starts: a link joins two".to_owned();
        return Err(Error::Parameter { field: "target", reason });
    }
    let registry = ProjectRegistry::load(engine).await?;
    let is_linked = registry.links.iter().any(|link| (&link.source, &link.target) == (source, target));
    if is_linked == (state == EntityState::Stated) {
        return Ok(false);
    }
    state_link(engine, source, target, state).await?;
    Ok(true)
}

/// How far the index of a project is behind its repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexAge {
    /// When it was last brought up to date.
    pub indexed: Option<Timestamp>,
    /// The commit that it was compared at.
    pub commit: Option<String>,
    /// Commits of the checkout that it has not seen.
    pub behind: Option<u64>,
}

pub(crate) async fn index_age(project: &Project, worktree: &store::Worktree) -> Result<IndexAge> {
    let indexed = match worktree.state {
        IndexState::Ready(at) => Some(at),
        IndexState::NotReady => None,
    };
    let (asked, commit) = (project.clone(), worktree.commit.clone());
    let behind = crate::base::run_blocking("asking git", move || {
        commit.as_deref().and_then(|commit| commits_behind(&asked, commit))
    });
    Ok(IndexAge { indexed, commit: worktree.commit.clone(), behind: behind.await? })
}

fn finished_at(listed: &ListedWorktree) -> Option<Timestamp> {
    match listed.state {
        IndexState::Ready(at) => Some(at),
        IndexState::NotReady => None,
    }
}
