//! What a team shares: memories, lessons and decisions that their authors show to their colleagues. A decision of a
//! conversation becomes a memory of its own when it is shared, with the messages it is taken from. Who is told what follows
//! from subscriptions (`subscriptions`, pattern `author`); this lists all of it, and shares and withdraws.

use super::decisions::{DecisionRequest, DecisionStatus, find_decisions};
use super::durable::{check_own, load_active_where, mark_disputes, set_origin};
use super::naming::{complete_id, normalize_id};
use super::subscriptions::{EVERYBODY, followed_authors};
use crate::base::{Error, Project, Result};
use crate::memory::MemoryContext;
use model::{
    DurableMemory, FactId, MemoryEvent, MemoryId, MemoryKind, MemoryNote, MemoryStatement, MemoryVisibility, NewMemory,
    Timestamp,
};
use std::cmp::Reverse;
use store::{MemoryBatch, MemoryScope};

/// Which of what is shared.
#[derive(Clone, Debug, Default)]
pub struct TeamFilter {
    /// Only of this kind.
    pub kind: Option<MemoryKind>,
    /// Only what was shared from then on.
    pub since: Option<Timestamp>,
    /// Only this author's.
    pub author: Option<String>,
    /// How many at most.
    pub limit: u32,
}

/// What to do with what is shared.
#[derive(Clone, Debug)]
pub enum TeamAction {
    /// List it.
    List(TeamFilter),
    /// Share memories, lessons and decisions, by their ids.
    Share(Vec<String>),
    /// Share them no longer.
    Withdraw(Vec<String>),
}

/// Something that is shared.
#[derive(Clone, Debug)]
pub struct SharedItem {
    /// It, with what speaks against it.
    pub memory: DurableMemory,
    /// Whose it is, as far as the store knows.
    pub author: Option<String>,
    /// Whether it is the reader's own.
    pub is_own: bool,
    /// Whether the reader is told it: it is their own, or they subscribed to its author.
    pub is_told: bool,
}

/// What became of a request.
#[derive(Clone, Debug, Default)]
pub struct TeamReport {
    /// The items, those shared last first.
    pub items: Vec<SharedItem>,
    /// How many more there are.
    pub omitted: u64,
}

pub(crate) async fn manage_team(memory: &MemoryContext, project: &Project, action: TeamAction) -> Result<TeamReport> {
    match action {
        TeamAction::List(filter) => list_shared(memory, project, &filter).await,
        TeamAction::Share(ids) => show(memory, project, &ids, MemoryVisibility::Team).await,
        TeamAction::Withdraw(ids) => show(memory, project, &ids, MemoryVisibility::Private).await,
    }
}

async fn list_shared(memory: &MemoryContext, project: &Project, filter: &TeamFilter) -> Result<TeamReport> {
    if filter.limit == 0 {
        return Err(Error::Parameter { field: "limit", reason: "must be at least 1".to_owned() });
    }
    let mut found = load_shared(memory, project).await?;
    // Marked before the filter, so that what speaks against an item is named whatever is asked for.
    mark_disputes(&mut found);
    let followed = followed_authors(memory, Some(&project.id)).await?;
    found.retain(|found| {
        found.is_shared()
            && filter.kind.is_none_or(|kind| found.body.kind == kind)
            && filter.since.is_none_or(|since| found.shared.is_some_and(|shared| shared >= since))
            && filter.author.as_deref().is_none_or(|author| author_of(memory, found).as_deref() == Some(author))
    });
    found.sort_by_key(|found| (Reverse(found.shared), found.id.clone()));
    let omitted = found.len().saturating_sub(filter.limit as usize) as u64;
    found.truncate(filter.limit as usize);
    let item = |found: DurableMemory| {
        let author = author_of(memory, &found);
        let is_own = memory.author.owns(found.body.author.as_deref());
        let is_followed = |author: &String| followed.contains(author) || followed.contains(EVERYBODY);
        let is_told = is_own || author.as_ref().is_some_and(is_followed);
        SharedItem { memory: found, author, is_own, is_told }
    };
    Ok(TeamReport { items: found.into_iter().map(item).collect(), omitted })
}

/// What is shared in a project, and the reader's own memories beside it, which may speak against it.
async fn load_shared(memory: &MemoryContext, project: &Project) -> Result<Vec<DurableMemory>> {
    let mut found = load_active_where(memory, MemoryScope::Project(project.id.clone()), |_| true).await?;
    found.retain(|found| found.is_shared() || memory.author.owns(found.body.author.as_deref()));
    for found in &mut found {
        set_origin(memory, found);
    }
    Ok(found)
}

/// Whose a memory is: its author's, that of the file it was accepted from, or, in a store of one person, theirs.
pub(super) fn author_of(memory: &MemoryContext, found: &DurableMemory) -> Option<String> {
    let own = || memory.author.name.clone().filter(|_| !memory.author.shares_store);
    found.colleague.clone().or_else(|| found.body.author.clone()).or_else(own)
}

/// Shares things, all or none, or takes that back.
async fn show(
    memory: &MemoryContext,
    project: &Project,
    ids: &[String],
    visibility: MemoryVisibility,
) -> Result<TeamReport> {
    memory.check_enabled("share what is remembered")?;
    if ids.is_empty() {
        let reason = "is needed: the ids of memories, reflections or decisions".to_owned();
        return Err(Error::Parameter { field: "ids", reason });
    }
    let now = memory.clock.now();
    let (mut batch, mut meant) = (MemoryBatch::default(), Vec::new());
    for id in ids {
        let id = complete_id(memory, normalize_id(id)).await?;
        let meant_id = if visibility == MemoryVisibility::Team && FactId::parse(&id).is_ok() {
            keep_decision(memory, project, &id, now, &mut batch).await?
        } else {
            find_own(memory, &id).await?
        };
        batch.notes.push((meant_id.clone(), MemoryNote { at: now, event: MemoryEvent::Shown(visibility) }));
        meant.push(meant_id);
    }
    memory.store.write_memories(batch).await?;
    let mut report = TeamReport::default();
    for id in meant {
        let Some(mut found) = memory.store.load_memory(&id).await? else { continue };
        set_origin(memory, &mut found);
        let author = author_of(memory, &found);
        report.items.push(SharedItem { memory: found, author, is_own: true, is_told: true });
    }
    Ok(report)
}

/// A memory of the reader that counts.
async fn find_own(memory: &MemoryContext, id: &str) -> Result<MemoryId> {
    let hint = Some("epitome memories, reflection list and decisions show ids".to_owned());
    let missing = || Error::NotFound { what: "memory or decision", id: id.to_owned(), hint: hint.clone() };
    let parsed = MemoryId::parse(id).map_err(|_| missing())?;
    let found = memory.store.load_memory(&parsed).await?.ok_or_else(missing)?;
    check_own(memory, &found)?;
    if found.body.kind == MemoryKind::Item {
        let reason = format!("is `{id}`, an item of a session: `remember` what colleagues shall know, and share that");
        return Err(Error::Parameter { field: "ids", reason });
    }
    if !found.is_active() {
        let reason = format!("is `{id}`, which was put aside: remember it again first");
        return Err(Error::Parameter { field: "ids", reason });
    }
    Ok(parsed)
}

/// Makes a decision of a conversation a memory, which says what it is taken from.
async fn keep_decision(
    memory: &MemoryContext,
    project: &Project,
    id: &str,
    now: Timestamp,
    batch: &mut MemoryBatch,
) -> Result<MemoryId> {
    let request = DecisionRequest { id: Some(id.to_owned()), limit: 1, ..DecisionRequest::default() };
    let found = find_decisions(memory, request).await?.decisions;
    let hint = Some("epitome decisions lists those of the project, with their ids".to_owned());
    let decision =
        found.into_iter().next().ok_or_else(|| Error::NotFound { what: "decision", id: id.to_owned(), hint })?;
    if decision.status != DecisionStatus::InForce {
        let reason = format!("is `{id}`, a decision that does not hold (any more): share the one that does");
        return Err(Error::Parameter { field: "ids", reason });
    }
    let new = NewMemory {
        content: decision.decision,
        kind: MemoryKind::Decision,
        project: Some(project.id.clone()),
        author: memory.author.owner(),
        conversation: Some(decision.conversation),
        depth: 0,
        created: now,
    };
    let meant = new.id();
    let mut sources = vec![decision.id.to_string()];
    sources.extend(decision.messages.iter().map(ToString::to_string));
    let statement = MemoryStatement {
        certainty: MemoryStatement::ASKED_FOR,
        tags: vec![MemoryKind::Decision.as_str().to_owned()],
        sources,
        metadata: None,
        said: decision.at.unwrap_or(now),
    };
    batch.memories.push(new);
    batch.notes.push((meant.clone(), MemoryNote { at: now, event: MemoryEvent::Stated(statement) }));
    Ok(meant)
}
