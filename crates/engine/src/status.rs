//! Collects the status report of a project from the store: state and totals of the index, of conversations, of imported
//! transcripts, of feedback and of vectors, and how far imports lag behind the disk. Nothing is indexed or imported.

use crate::base::{Project, Result};
use crate::code::watch::unwatched_directories;
use crate::memory::{self, ReadableTranscript, SilentTranscript};
use crate::projects::{IndexAge, index_age, project_name};
use crate::{Engine, feedback};
use model::{ProjectId, Timestamp};
use std::collections::HashSet;
use std::sync::Arc;
use store::{ArchiveTotals, CodeTotals, ConversationFolds, FeedbackTotals, IndexState, MemoryTotals, SpaceTotals};

/// The state of a project and of the store.
#[derive(Clone, Debug)]
pub struct ProjectStatus {
    /// The project asked about.
    pub project: Project,
    /// What it is called.
    pub name: String,
    /// How old its index is.
    pub age: IndexAge,
    /// Whether its index is whole.
    pub index: IndexState,
    /// What its index holds.
    pub code: CodeTotals,
    /// How many of its directories are beyond the system's limit of watches, and that limit; none where it suffices.
    pub unwatched: Option<(u64, u64)>,
    /// What the store holds of conversations, of all projects.
    pub memory: MemoryTotals,
    /// What it holds of the project's.
    pub own: ProjectMemory,
    /// What the store holds of imported transcripts.
    pub archive: ArchiveTotals,
    /// How far it is behind what is on disk.
    pub lag: ImportLag,
    /// Transcripts whose lines are kept and gave no message.
    pub silent: Vec<SilentTranscript>,
    /// Totals of the feedback on answers about it.
    pub feedback: FeedbackTotals,
    /// The models that made vectors of it, and how many.
    pub models: Vec<SpaceTotals>,
    /// Which store runs.
    pub store: String,
}

/// What is kept of the conversations of a project, and when something was last done about them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProjectMemory {
    /// Its conversations and their messages.
    pub totals: MemoryTotals,
    /// Summaries that stand in its contexts.
    pub summaries: u64,
    /// Tokens of those.
    pub summary_tokens: u64,
    /// Memories that its sessions are told, also those of the user.
    pub memories: u64,
    /// When a message was last stored.
    pub last_ingest: Option<Timestamp>,
    /// When a summary was last made.
    pub last_compact: Option<Timestamp>,
    /// When a fact last became a memory.
    pub last_promote: Option<Timestamp>,
}

/// Transcripts with more than was imported of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImportLag {
    /// How many.
    pub transcripts: u64,
    /// Bytes of them that were not imported, about.
    pub bytes: u64,
}

impl ProjectStatus {
    /// Whether answers from the index are whole.
    pub fn index_ready(&self) -> bool {
        matches!(self.index, IndexState::Ready(_))
    }
}

pub(crate) async fn collect_status(
    engine: &Engine,
    project: &Project,
    on_disk: Vec<Arc<dyn ReadableTranscript>>,
) -> Result<ProjectStatus> {
    let behind = memory::find_lagging_transcripts(&engine.memory, on_disk).await?;
    let lag = ImportLag { transcripts: behind.len() as u64, bytes: behind.iter().map(|behind| behind.bytes).sum() };
    // Feedback in memory is written first, so that the totals below include it.
    feedback::flush_answers(engine).await;
    let worktree = engine.store.open_worktree(&project.id, &project.root_text()).await?;
    Ok(ProjectStatus {
        project: project.clone(),
        name: project_name(engine, project).await?,
        age: index_age(project, &worktree).await?,
        index: worktree.state,
        code: engine.store.code_totals(&worktree.id).await?,
        unwatched: unwatched_directories(&engine.code, project).await?,
        memory: engine.store.memory_totals().await?,
        own: project_memory(engine, &project.id).await?,
        archive: engine.store.archive_totals().await?,
        lag,
        silent: memory::find_silent_transcripts(&engine.memory).await?,
        feedback: engine.store.feedback_totals(&project.id).await?,
        models: engine.store.vector_spaces(&project.id).await?,
        store: engine.store.describe(),
    })
}

async fn project_memory(engine: &Engine, project: &ProjectId) -> Result<ProjectMemory> {
    let store = &engine.store;
    let known = store.list_conversations().await?.into_iter();
    let of_project: HashSet<_> = known.filter(|it| it.project.as_ref() == Some(project)).map(|it| it.id).collect();
    let folds = store.conversation_folds().await?;
    let folds: Vec<_> = folds.into_iter().filter(|folds| of_project.contains(&folds.conversation)).collect();
    let sum = |value: fn(&ConversationFolds) -> u64| folds.iter().map(value).sum();
    let (memories, last_promote) = memory::count_memories(&engine.memory, project).await?;
    let last = store.last_activity(Some(project)).await?;
    Ok(ProjectMemory {
        totals: MemoryTotals {
            conversations: folds.len() as u64,
            messages: sum(|it| it.messages),
            tokens: sum(|it| it.tokens),
        },
        summaries: sum(|it| it.active_summaries),
        summary_tokens: sum(|it| it.active_tokens),
        memories,
        last_ingest: last.stored,
        last_compact: last.folded,
        last_promote,
    })
}
