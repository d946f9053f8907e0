//! Collects the status report of a project from the store: state and totals of the index, of conversations, of imported
//! transcripts, of feedback and of vectors, and how far imports lag behind the disk. Nothing is indexed or imported.

use crate::base::{Project, Result};
use crate::memory::{self, ReadableTranscript, SilentTranscript};
use crate::{Engine, feedback};
use std::sync::Arc;
use store::{ArchiveTotals, CodeTotals, FeedbackTotals, IndexState, MemoryTotals, SpaceTotals};

/// The state of a project and of the store.
#[derive(Clone, Debug)]
pub struct ProjectStatus {
    /// The project asked about.
    pub project: Project,
    /// Whether its index is whole.
    pub index: IndexState,
    /// What its index holds.
    pub code: CodeTotals,
    /// What the store holds of conversations.
    pub memory: MemoryTotals,
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
        index: worktree.state,
        code: engine.store.code_totals(&worktree.id).await?,
        memory: engine.store.memory_totals().await?,
        archive: engine.store.archive_totals().await?,
        lag,
        silent: memory::find_silent_transcripts(&engine.memory).await?,
        feedback: engine.store.feedback_totals(&project.id).await?,
        models: engine.store.vector_spaces(&project.id).await?,
        store: engine.store.describe(),
    })
}
