//! What is there: counts and states, nothing computed.

use crate::{Engine, Project, Result};
use store::{ArchiveTotals, CodeTotals, IndexState, MemoryTotals};

/// The state of a project and of the store.
#[derive(Clone, Debug)]
pub struct Status {
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
    /// Which store runs.
    pub store: String,
}

impl Status {
    /// Whether answers from the index are whole.
    pub fn index_ready(&self) -> bool {
        matches!(self.index, IndexState::Ready(_))
    }
}

pub(crate) async fn run(engine: &Engine, project: &Project) -> Result<Status> {
    let worktree = engine.store.open_worktree(&project.id, &project.root_text()).await?;
    Ok(Status {
        project: project.clone(),
        index: worktree.state,
        code: engine.store.code_totals(&worktree.id).await?,
        memory: engine.store.memory_totals().await?,
        archive: engine.store.archive_totals().await?,
        store: engine.store.describe(),
    })
}
