//! Reflections, which are lessons of earlier work: keeps, finds and counts them. `lesson` says what one is.

use super::lesson::{Reflection, ReflectionOutcome, USUAL_CONFIDENCE};
use super::listing::load_intact;
use super::lookup::{FoundMemory, rank_by_nearness};
use super::placement::is_joined;
use super::remember::{check_length, read_tags};
use crate::base::{Error, Project, Result};
use crate::memory::MemoryContext;
use crate::memory::naming::{named_session, session_name};
use model::scrub::RuleName;
use model::{MemoryEvent, MemoryId, MemoryKind, MemoryNote, MemoryStatement, NewMemory};
use serde_json::json;
use std::collections::BTreeMap;
use store::{MemoryBatch, MemoryScope};

/// A lesson on its way in.
#[derive(Clone, Debug, Default)]
pub struct NewReflection {
    /// What was learned.
    pub content: String,
    /// How it went.
    pub outcome: ReflectionOutcome,
    /// Where it applies.
    pub context: String,
    /// How certain its author is, from 0 to 1.
    pub confidence: Option<f64>,
    /// Words to find it by.
    pub tags: Vec<String>,
}

/// Which lessons.
#[derive(Clone, Debug, Default)]
pub struct ReflectionFilter {
    /// What they shall be about; none for all, the newest first.
    pub query: Option<String>,
    /// Only those that have all of these tags.
    pub tags: Vec<String>,
    /// Only those that went so.
    pub outcome: Option<ReflectionOutcome>,
    /// How many at most.
    pub limit: u32,
}

/// What to do with lessons.
#[derive(Clone, Debug)]
pub enum ReflectionAction {
    /// Keep one.
    Add(NewReflection),
    /// Find or list them.
    Find(ReflectionFilter),
    /// Count them.
    Summarize,
}

/// A request about lessons.
#[derive(Clone, Debug)]
pub struct ReflectionRequest {
    /// The session that asks, by name or id; a new lesson is of the latest one where none is named.
    pub session: Option<String>,
    /// Whether only its own are looked at.
    pub own_only: bool,
    /// What to do.
    pub action: ReflectionAction,
}

/// Counts of lessons.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReflectionSummary {
    /// All of them.
    pub total: u64,
    /// By outcome.
    pub by_outcome: BTreeMap<ReflectionOutcome, u64>,
    /// The tags that most of them have.
    pub top_tags: Vec<(String, u64)>,
    /// Their confidence on average.
    pub average_confidence: Option<f64>,
}

/// What became of a request.
#[derive(Clone, Debug, Default)]
pub struct ReflectionReport {
    /// The lessons, the nearest or the newest first.
    pub reflections: Vec<Reflection>,
    /// How many more there are.
    pub omitted: u64,
    /// Whether the one that was to be added is new; known ones are stated again.
    pub is_new: Option<bool>,
    /// The counts, where they were asked for.
    pub summary: Option<ReflectionSummary>,
    /// The rules by which secrets were replaced, one for each secret.
    pub secrets: Vec<RuleName>,
}

/// Characters of where a lesson applies.
const MAX_CONTEXT_CHARS: usize = 2_000;
/// Tags that a summary names.
const TOP_TAGS: usize = 10;
/// The likeness of meaning from which a lesson is found that shares no word with the question.
const LEAST_MEANING: f64 = 0.45;

pub(crate) async fn manage_reflections(
    memory: &MemoryContext,
    project: &Project,
    request: ReflectionRequest,
) -> Result<ReflectionReport> {
    match request.action.clone() {
        ReflectionAction::Add(new) => {
            let session = session_name(memory, project, request.session.as_deref()).await?;
            add_reflection(memory, project, &session, new).await
        }
        ReflectionAction::Find(filter) => {
            let own = own_session(memory, project, &request).await?;
            find_reflections(memory, project, own.as_deref(), filter).await
        }
        ReflectionAction::Summarize => {
            let own = own_session(memory, project, &request).await?;
            let known = load_reflections(memory, project, own.as_deref()).await?;
            Ok(ReflectionReport { summary: Some(count_reflections(&known)), ..ReflectionReport::default() })
        }
    }
}

/// The session whose lessons alone are meant.
async fn own_session(memory: &MemoryContext, project: &Project, request: &ReflectionRequest) -> Result<Option<String>> {
    match request.session.as_deref().filter(|_| request.own_only) {
        Some(session) => named_session(memory, project, session).await.map(Some),
        None if request.own_only => {
            let reason = "is needed where only the reflections of one session are meant".to_owned();
            Err(Error::Parameter { field: "session", reason })
        }
        None => Ok(None),
    }
}

async fn add_reflection(
    memory: &MemoryContext,
    project: &Project,
    session: &str,
    new: NewReflection,
) -> Result<ReflectionReport> {
    memory.check_enabled("keep a reflection")?;
    if new.content.trim().is_empty() {
        let reason = "is empty: say what was learned".to_owned();
        return Err(Error::Parameter { field: "content", reason });
    }
    let confidence = new.confidence.unwrap_or(USUAL_CONFIDENCE);
    if !(0.0..=1.0).contains(&confidence) {
        let reason = format!("is {confidence}, and has to be from 0 to 1");
        return Err(Error::Parameter { field: "confidence", reason });
    }
    let scrubber = memory.scrubber.load().await?;
    let mut secrets = Vec::new();
    let mut scrub = |text: &str| {
        let (clean, found) = scrubber.scrub_text(text);
        secrets.extend(found.into_iter().map(|found| found.rule));
        clean.into_owned()
    };
    let content = scrub(new.content.trim());
    check_length(&content)?;
    let situation = scrub(new.context.trim());
    if situation.chars().count() > MAX_CONTEXT_CHARS {
        let reason = format!("has more than {MAX_CONTEXT_CHARS} characters: say in short where the lesson applies");
        return Err(Error::Parameter { field: "context", reason });
    }
    let tags = read_tags(&new.tags, &mut scrub)?;
    let now = memory.clock.now();
    let new_memory = NewMemory {
        content,
        kind: MemoryKind::Reflection,
        project: Some(project.id.clone()),
        author: memory.author.owner(),
        conversation: None,
        depth: 0,
        created: now,
    };
    let id = new_memory.id();
    let mut known = load_reflections(memory, project, None).await?;
    known.retain(|known| known.memory.body.author == new_memory.author);
    let same = known.iter().find(|known| known.memory.id == id);
    let same = same.or_else(|| known.iter().find(|known| is_joined(&known.memory.body.content, &new_memory.content)));
    let (id, is_new) = same.map_or((id, true), |same| (same.memory.id.clone(), false));
    let metadata = json!({
        "outcome": new.outcome.as_str(), "context": situation, "confidence": confidence, "session": session,
    });
    let statement = MemoryStatement {
        certainty: (confidence * 100.0).round() as u32,
        tags,
        sources: Vec::new(),
        metadata: Some(metadata.to_string()),
        said: now,
    };
    let note = MemoryNote { at: now, event: MemoryEvent::Stated(statement) };
    let memories = if is_new { vec![new_memory] } else { Vec::new() };
    memory.store.write_memories(MemoryBatch { memories, notes: vec![(id.clone(), note)] }).await?;
    let kept = memory.store.load_memory(&id).await?.as_ref().and_then(Reflection::from_memory);
    let kept = kept.ok_or_else(|| Error::NotFound { what: "reflection", id: id.to_string(), hint: None })?;
    Ok(ReflectionReport { reflections: vec![kept], is_new: Some(is_new), secrets, ..ReflectionReport::default() })
}

async fn find_reflections(
    memory: &MemoryContext,
    project: &Project,
    own: Option<&str>,
    filter: ReflectionFilter,
) -> Result<ReflectionReport> {
    let mut known = load_reflections(memory, project, own).await?;
    let tags: Vec<String> = filter.tags.iter().map(|tag| tag.trim().to_lowercase()).collect();
    known.retain(|known| tags.iter().all(|tag| known.memory.tags.contains(tag)));
    known.retain(|known| filter.outcome.is_none_or(|outcome| known.outcome == outcome));
    if let Some(query) = &filter.query {
        known = nearest_reflections(memory, known, query);
    }
    let omitted = known.len().saturating_sub(filter.limit as usize) as u64;
    known.truncate(filter.limit as usize);
    if filter.query.is_some() {
        note_used(memory, known.iter().map(|known| known.memory.id.clone())).await;
    }
    Ok(ReflectionReport { reflections: known, omitted, ..ReflectionReport::default() })
}

/// Those near to a question, the nearest first; among equals what failed comes before what worked.
fn nearest_reflections(memory: &MemoryContext, known: Vec<Reflection>, query: &str) -> Vec<Reflection> {
    let is_near = |words: f64, meaning: f64| words > 0.0 || meaning >= LEAST_MEANING;
    let memories = known.into_iter().map(|known| known.memory).collect();
    let found = rank_by_nearness(memories, query, memory.embedder.as_deref(), is_near);
    let with_nearness = |FoundMemory { memory, nearness, .. }: FoundMemory| {
        Reflection::from_memory(&memory).map(|found| Reflection { nearness: Some(nearness), ..found })
    };
    let mut found: Vec<Reflection> = found.into_iter().filter_map(with_nearness).collect();
    let hundredths = |found: &Reflection| (found.nearness.unwrap_or_default() * 100.0).round() as i64;
    found.sort_by_key(|found| (-hundredths(found), found.outcome != ReflectionOutcome::Failure));
    found
}

/// The lessons of a project, the newest first.
async fn load_reflections(memory: &MemoryContext, project: &Project, session: Option<&str>) -> Result<Vec<Reflection>> {
    let known = load_intact(memory, MemoryScope::Project(project.id.clone())).await?;
    let mut known: Vec<Reflection> = known.iter().filter_map(Reflection::from_memory).collect();
    known.retain(|known| session.is_none_or(|session| known.session.as_deref() == Some(session)));
    Ok(known)
}

/// Notes that memories were asked for and given. A failure is logged: they are there, they only seem less used.
pub(crate) async fn note_used(memory: &MemoryContext, ids: impl Iterator<Item = MemoryId>) {
    let at = memory.clock.now();
    let notes: Vec<_> = ids.map(|id| (id, MemoryNote { at, event: MemoryEvent::Used })).collect();
    if notes.is_empty() || !memory.settings.enabled {
        return;
    }
    if let Err(error) = memory.store.write_memories(MemoryBatch { memories: Vec::new(), notes }).await {
        tracing::debug!(%error, "could not note which memories were used");
    }
}

fn count_reflections(known: &[Reflection]) -> ReflectionSummary {
    let (mut by_outcome, mut tags) = (BTreeMap::new(), BTreeMap::<&str, u64>::new());
    for reflection in known {
        *by_outcome.entry(reflection.outcome).or_default() += 1;
        for tag in &reflection.memory.tags {
            *tags.entry(tag).or_default() += 1;
        }
    }
    let mut top_tags: Vec<(String, u64)> = tags.into_iter().map(|(tag, count)| (tag.to_owned(), count)).collect();
    // A stable sort over tags in their order: equal counts stay by name.
    top_tags.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    top_tags.truncate(TOP_TAGS);
    let total = known.len() as u64;
    let sum: f64 = known.iter().map(|reflection| reflection.confidence).sum();
    let average_confidence = (total > 0).then(|| sum / total as f64);
    ReflectionSummary { total, by_outcome, top_tags, average_confidence }
}
