//! Lists the memories of a project and of the user, the one that was seen last first, and puts one aside that is not
//! wanted any more. Nothing is deleted: what was put aside is listed on request, and counts again when it is said again.

use super::known_memories::load_sorted;
use super::visibility::{check_own, retain_visible};
use crate::base::{Error, Project, Result};
use crate::memory::MemoryContext;
use crate::memory::naming::{complete_id, normalize_id};
use model::{DurableMemory, MemoryEvent, MemoryId, MemoryNote};
use std::borrow::Cow;
use store::{MemoryBatch, MemoryScope};

/// Which memories.
#[derive(Clone, Debug, Default)]
pub struct MemoriesRequest {
    /// Only those that have all of these tags.
    pub tags: Vec<String>,
    /// Also those that were put aside, and those of other projects.
    pub everything: bool,
    /// How many at most; all where there is none.
    pub limit: Option<u32>,
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
    /// How many more fit.
    pub omitted: u64,
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
    let known = load_sorted(memory).await?;
    let mut visible: Vec<Cow<'_, DurableMemory>> = known.intact_in(&scope).map(Cow::Borrowed).collect();
    if known.has_people() {
        let mut told = visible.into_iter().map(Cow::into_owned).collect();
        retain_visible(memory, &scope, &mut told).await?;
        visible = told.into_iter().map(Cow::Owned).collect();
    }
    let tags: Vec<String> = request.tags.iter().map(|tag| tag.trim().to_lowercase()).collect();
    let tagged = visible.into_iter().filter(|memory| tags.iter().all(|tag| memory.tags.contains(tag)));
    let (active, aside): (Vec<_>, Vec<_>) = tagged.partition(|memory| memory.is_active());
    // Counted behind the tags, so that the number is of what the caller asked for.
    let put_aside = if request.everything { 0 } else { aside.len() as u64 };
    let mut found = active;
    // What was put aside stands behind what counts, also where all of it is shown.
    found.extend(aside.into_iter().filter(|_| request.everything));
    let all = found.len();
    found.truncate(request.limit.map_or(all, |limit| limit as usize));
    let omitted = (all - found.len()) as u64;
    let listed = found.into_iter().map(Cow::into_owned).map(|memory| ListedMemory {
        confidence: memory.confidence_at(now),
        is_elsewhere: memory.body.project.as_ref().is_some_and(|about| *about != project.id),
        memory,
    });
    let damaged = known.damaged_in(&scope).map(|memory| memory.id.clone()).collect();
    Ok(MemoryListing { memories: listed.collect(), omitted, put_aside, damaged })
}

/// The memories of a project and of its user that count and that the reader is told, the one that was seen last first.
pub(crate) async fn load_intact(memory: &MemoryContext, scope: MemoryScope) -> Result<Vec<DurableMemory>> {
    load_intact_where(memory, scope, |_| true).await
}

/// Those of them that are wanted.
pub(crate) async fn load_intact_where(
    memory: &MemoryContext,
    scope: MemoryScope,
    is_wanted: impl Fn(&DurableMemory) -> bool,
) -> Result<Vec<DurableMemory>> {
    if !load_sorted(memory).await?.has_people() {
        return load_active_where(memory, scope, is_wanted).await;
    }
    let mut found = load_active_where(memory, scope.clone(), |_| true).await?;
    retain_visible(memory, &scope, &mut found).await?;
    found.retain(is_wanted);
    Ok(found)
}

/// Those that are the reader's own.
pub(crate) async fn load_own(memory: &MemoryContext, scope: MemoryScope) -> Result<Vec<DurableMemory>> {
    load_active_where(memory, scope, |found| memory.author.owns(found.body.author.as_deref())).await
}

/// Those that are wanted of all that count, whoever they belong to. Damaged ones are logged and left out; `verify` reports
/// them.
pub(crate) async fn load_active_where(
    memory: &MemoryContext,
    scope: MemoryScope,
    is_wanted: impl Fn(&DurableMemory) -> bool,
) -> Result<Vec<DurableMemory>> {
    let known = load_sorted(memory).await?;
    for damaged in known.damaged_in(&scope) {
        tracing::warn!(memory = damaged.id.as_str(), "a damaged memory is left out");
    }
    Ok(known.intact_in(&scope).filter(|memory| memory.is_active() && is_wanted(memory)).cloned().collect())
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
