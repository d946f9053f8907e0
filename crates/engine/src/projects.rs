//! Lists the projects that the store knows: those that have an index, and those that conversations belong to, each with
//! what there is of its conversations and how much shorter folding made them.

use crate::Engine;
use crate::base::Result;
use model::{ConversationId, ProjectId, Timestamp};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use store::{CodeTotals, Conversation, ConversationFolds, IndexState, ListedWorktree};

/// Every project, and what all conversations come to, those of no project included.
#[derive(Clone, Debug, Default)]
pub struct ProjectList {
    /// The one that was worked in last first.
    pub projects: Vec<ProjectListing>,
    /// Of all conversations.
    pub totals: ConversationTotals,
}

/// What the store has of one project.
#[derive(Clone, Debug)]
pub struct ProjectListing {
    /// Which project.
    pub id: ProjectId,
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
        Self { id, worktrees: Vec::new(), code: CodeTotals::default(), totals: ConversationTotals::default() }
    }

    /// When it was indexed last.
    pub fn indexed_at(&self) -> Option<Timestamp> {
        self.worktrees.iter().filter_map(finished_at).max()
    }
}

pub(crate) async fn list_projects(engine: &Engine) -> Result<ProjectList> {
    let mut known: BTreeMap<ProjectId, ProjectListing> = BTreeMap::new();
    for listed in engine.store.list_worktrees().await? {
        let project = listed.id.project.clone();
        known.entry(project.clone()).or_insert_with(|| ProjectListing::new(project)).worktrees.push(listed);
    }
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
        }
    }
    let mut projects: Vec<ProjectListing> = known.into_values().collect();
    for project in &mut projects {
        project.worktrees.sort_by_key(|listed| Reverse(finished_at(listed)));
        if let Some(newest) = project.worktrees.first() {
            project.code = engine.store.code_totals(&newest.id).await?;
        }
    }
    projects.sort_by_key(|project| Reverse(project.totals.last_message.max(project.indexed_at())));
    Ok(ProjectList { projects, totals })
}

fn finished_at(listed: &ListedWorktree) -> Option<Timestamp> {
    match listed.state {
        IndexState::Ready(at) => Some(at),
        IndexState::NotReady => None,
    }
}
