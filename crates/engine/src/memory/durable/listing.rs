//! Lists the memories of a project and of the user, the one that was seen last first, and puts one aside that is not
//! wanted any more. Nothing is deleted: what was put aside is listed on request, and counts again when it is said again.

use super::visibility::{check_own, retain_visible};
use crate::base::{Error, Project, Result};
use crate::memory::MemoryContext;
use crate::memory::naming::{complete_id, normalize_id};
use model::{DurableMemory, MemoryEvent, MemoryId, MemoryNote};
use std::cmp::Reverse;
use store::{MemoryBatch, MemoryScope};

/// Which memories.
#[derive(Clone, Debug, Default)]
pub struct MemoriesRequest {
    /// Only those that have all of these tags.
    pub tags: Vec<String>,
    /// Also those that were put aside, and those of other projects.
    pub everything: bool,
}

/// A memory among others.
#[derive(Clone, Debug)]
pub struct ListedMemory {
    /// It.
    pub memory: DurableMemory,
    /// How far it is to be trusted now, from 0 to 1.
    pub confidence: f64,
    /// Whether it is about another project than the one that was asked about.
    pub is_elsewhere: bool,
}

/// Memories.
#[derive(Clone, Debug, Default)]
pub struct MemoryListing {
    /// The memories, the one that was seen last first.
    pub memories: Vec<ListedMemory>,
    /// How many fit and were left out because they were put aside.
    pub put_aside: u64,
    /// Memories whose words are not those that they were stored with: they are not shown.
    pub damaged: Vec<MemoryId>,
}

pub(crate) async fn list_memories(
    memory: &MemoryContext,
    project: &Project,
    request: MemoriesRequest,
) -> Result<MemoryListing> {
    let scope = if request.everything { MemoryScope::All } else { MemoryScope::Project(project.id.clone()) };
    let now = memory.clock.now();
    let (mut found, damaged) = split_damaged(memory.store.load_memories(scope.clone()).await?);
    retain_visible(memory, &scope, &mut found).await?;
    let tags: Vec<String> = request.tags.iter().map(|tag| tag.trim().to_lowercase()).collect();
    found.retain(|memory| tags.iter().all(|tag| memory.tags.contains(tag)));
    // Counted behind the tags, so that the number is of what the caller asked for.
    let all = found.len();
    found.retain(|memory| request.everything || memory.is_active());
    let put_aside = (all - found.len()) as u64;
    // What was put aside stands behind what counts, also where all of it is shown.
    found.sort_by_key(|memory| (!memory.is_active(), Reverse(memory.last_note), memory.id.clone()));
    let listed = found.into_iter().map(|memory| ListedMemory {
        confidence: memory.confidence_at(now),
        is_elsewhere: memory.body.project.as_ref().is_some_and(|about| *about != project.id),
        memory,
    });
    Ok(MemoryListing { memories: listed.collect(), put_aside, damaged })
}

/// The memories of a project and of its user that count and that the reader is told, the one that was seen last first.
pub(crate) async fn load_intact(memory: &MemoryContext, scope: MemoryScope) -> Result<Vec<DurableMemory>> {
    let mut found = load_active(memory, scope.clone()).await?;
    retain_visible(memory, &scope, &mut found).await?;
    Ok(found)
}

/// Those of them that are the reader's own.
pub(crate) async fn load_own(memory: &MemoryContext, scope: MemoryScope) -> Result<Vec<DurableMemory>> {
    let mut found = load_active(memory, scope).await?;
    found.retain(|found| memory.author.owns(found.body.author.as_deref()));
    Ok(found)
}

/// All that count, whoever they belong to. Damaged ones are logged and left out; `verify` reports them.
pub(crate) async fn load_active(memory: &MemoryContext, scope: MemoryScope) -> Result<Vec<DurableMemory>> {
    let (mut found, damaged) = split_damaged(memory.store.load_memories(scope).await?);
    for id in damaged {
        tracing::warn!(memory = id.as_str(), "a damaged memory is left out");
    }
    found.retain(DurableMemory::is_active);
    found.sort_by_key(|memory| (Reverse(memory.last_note), memory.id.clone()));
    Ok(found)
}

fn split_damaged(memories: Vec<DurableMemory>) -> (Vec<DurableMemory>, Vec<MemoryId>) {
    let (whole, damaged): (Vec<_>, Vec<_>) = memories.into_iter().partition(DurableMemory::is_intact);
    (whole, damaged.into_iter().map(|memory| memory.id).collect())
}

/// Puts a memory aside, and says how it stood before.
pub(crate) async fn forget_memory(memory: &MemoryContext, id: &str) -> Result<DurableMemory> {
    let wanted = complete_id(memory, normalize_id(id)).await?;
    let missing =
        || Error::NotFound { what: "memory", id: wanted.clone(), hint: Some("epitome memories lists them".to_owned()) };
    let parsed = MemoryId::parse(&wanted).map_err(|_| missing())?;
    let found = memory.store.load_memory(&parsed).await?.ok_or_else(missing)?;
    check_own(memory, &found)?;
    // Once is enough: a second note would only move the time at which it was put aside.
    if found.is_active() {
        let note = MemoryNote { at: memory.clock.now(), event: MemoryEvent::Archived };
        let batch = MemoryBatch { memories: Vec::new(), notes: vec![(parsed, note)] };
        memory.store.write_memories(batch).await?;
    }
    Ok(found)
}
