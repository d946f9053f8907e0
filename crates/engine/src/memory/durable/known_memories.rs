//! `KnownMemories`, all memories as they were read last: they are asked for with every prompt, page and session, and
//! hardly ever change.

use super::stems::{StemKey, memory_stems};
use super::visibility::accepted_from;
use crate::base::Result;
use crate::memory::MemoryContext;
use model::{DurableMemory, ProjectId};
use std::cmp::Reverse;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use store::{DurableVersion, MemoryScope};

/// More memories are read each time: what is kept takes some megabytes.
const MAX_KEPT: usize = 50_000;

/// The memories of a store.
#[derive(Default)]
pub(crate) struct KnownMemories(Mutex<Option<(DurableVersion, Arc<SortedMemories>)>>);

/// Memories, the one that was seen last first.
#[derive(Default)]
pub(super) struct SortedMemories {
    intact: Vec<DurableMemory>,
    /// The stems of each of them, made when the first question is compared with them.
    stems: OnceLock<Vec<Vec<StemKey>>>,
    /// Memories whose words are not those that they were stored with.
    damaged: Vec<DurableMemory>,
    /// Whether any is of somebody, so that not every reader is told all of them in the same way.
    has_people: bool,
}

impl SortedMemories {
    pub(super) fn has_people(&self) -> bool {
        self.has_people
    }

    pub(super) fn intact_in<'m>(&'m self, scope: &'m MemoryScope) -> impl Iterator<Item = &'m DurableMemory> {
        self.intact.iter().filter(|memory| is_within(memory, scope))
    }

    /// The same, each with the stems of its words.
    pub(super) fn stemmed_in<'m>(
        &'m self,
        scope: &'m MemoryScope,
    ) -> impl Iterator<Item = (&'m DurableMemory, &'m [StemKey])> {
        let stems = self.stems.get_or_init(|| self.intact.iter().map(memory_stems).collect());
        let stemmed = self.intact.iter().zip(stems.iter().map(Vec::as_slice));
        stemmed.filter(|(memory, _)| is_within(memory, scope))
    }

    pub(super) fn damaged_in<'m>(&'m self, scope: &'m MemoryScope) -> impl Iterator<Item = &'m DurableMemory> {
        self.damaged.iter().filter(|memory| is_within(memory, scope))
    }
}

/// All memories as they are now.
pub(super) async fn load_sorted(memory: &MemoryContext) -> Result<Arc<SortedMemories>> {
    // Asked before the memories: what comes between makes what is kept look older than it is.
    let version = memory.store.durable_version().await?;
    let known = memory.memories.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
    if let Some((_, memories)) = known.filter(|(known, _)| *known == version) {
        return Ok(memories);
    }
    let stored = memory.store.load_memories(MemoryScope::All).await?;
    let (mut intact, damaged): (Vec<_>, Vec<_>) = stored.into_iter().partition(DurableMemory::is_intact);
    intact.sort_by(|a, b| (Reverse(a.last_note), &a.id).cmp(&(Reverse(b.last_note), &b.id)));
    let has_people = intact.iter().any(|found| found.body.author.is_some() || accepted_from(found).is_some());
    let memories = Arc::new(SortedMemories { intact, stems: OnceLock::new(), damaged, has_people });
    let kept = (memories.intact.len() <= MAX_KEPT).then(|| (version, Arc::clone(&memories)));
    *memory.memories.0.lock().unwrap_or_else(PoisonError::into_inner) = kept;
    Ok(memories)
}

/// How many memories the sessions of a project are told of, and when one of some kinds was made last.
pub(crate) async fn count_memories(
    memory: &MemoryContext,
    project: &ProjectId,
) -> Result<(u64, Option<model::Timestamp>)> {
    use model::MemoryKind::{Decision, Fix, Rule};
    let known = load_sorted(memory).await?;
    let scope = MemoryScope::Project(project.clone());
    let own = || known.intact_in(&scope).filter(|found| memory.author.owns(found.body.author.as_deref()));
    let active = own().filter(|memory| memory.is_active()).count() as u64;
    // What a user asked to remember was not promoted.
    let promoted = own().filter(|memory| matches!(memory.body.kind, Rule | Decision | Fix));
    Ok((active, promoted.map(|memory| memory.body.created).max()))
}

fn is_within(memory: &DurableMemory, scope: &MemoryScope) -> bool {
    match scope {
        MemoryScope::All => true,
        MemoryScope::Project(project) => memory.body.project.as_ref().is_none_or(|about| about == project),
    }
}
