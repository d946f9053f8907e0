//! Suggestions: what a session is to be told because of a subscription. Each is pending until a hook or a listing delivers
//! it, and is told once.

use super::{load_intact_records, load_record, note};
use crate::base::{Error, Project, Result};
use crate::memory::MemoryContext;
use crate::memory::checkpoints::scrub_json;
use crate::memory::naming::named_session;
use model::{
    NewRecord, ProjectId, RecordEvent, RecordId, RecordKind, RecordNote, SessionRecord, Timestamp, count_tokens,
};
use serde_json::{Value, json};
use std::cmp::Reverse;
use store::RecordBatch;

/// How a suggestion stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SuggestionStatus {
    /// Nobody was told yet.
    Pending,
    /// A session was told.
    Delivered,
    /// Somebody did something with it.
    Acted,
    /// Somebody did not want it.
    Dismissed,
}

model::enum_words! {
    pub SuggestionStatus {
        Pending = "pending", Delivered = "delivered", Acted = "acted", Dismissed = "dismissed"
    }
}

/// A place that a suggestion names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuggestionItem {
    /// `changed`, `removed`, `mentioned`, `near`, `caller` or `test`.
    pub kind: String,
    /// A path, or the id of a symbol.
    pub place: String,
}

/// A suggestion.
#[derive(Clone, Debug)]
pub struct Suggestion {
    /// Its id.
    pub id: RecordId,
    /// Its subscription.
    pub subscription: RecordId,
    /// The session that is to be told; none for every session of the project.
    pub session: Option<String>,
    /// Its project.
    pub project: ProjectId,
    /// From 0 to 1.
    pub relevance: f64,
    /// What it is about, in a line.
    pub title: String,
    /// The places.
    pub items: Vec<SuggestionItem>,
    /// How it stands.
    pub status: SuggestionStatus,
    /// When it was made.
    pub created: Timestamp,
    /// Its place among all records of the store.
    pub number: i64,
    /// What it was made of, as a text that is the same for the same.
    cause: String,
}

/// A suggestion on its way in.
#[derive(Clone, Debug)]
pub(crate) struct NewSuggestion {
    /// Its subscription.
    pub(crate) subscription: RecordId,
    /// The session that is to be told.
    pub(crate) session: Option<String>,
    /// From 0 to 1.
    pub(crate) relevance: f64,
    /// What it is about, in a line.
    pub(crate) title: String,
    /// The places.
    pub(crate) items: Vec<SuggestionItem>,
    /// What it is made of: the same cause is told once, whichever process saw it.
    pub(crate) cause: String,
}

/// What to do with suggestions.
#[derive(Clone, Debug)]
pub enum SuggestionAction {
    /// List them, the newest first.
    List {
        /// Also those that were told or dealt with.
        include_delivered: bool,
        /// How many at most.
        limit: u32,
    },
    /// Note that something was done with one, by its id.
    Act(String),
    /// Note that one was not wanted, by its id.
    Dismiss(String),
}

/// A request about suggestions.
#[derive(Clone, Debug)]
pub struct SuggestionRequest {
    /// The session, by name or id; none for every session of the project.
    pub session: Option<String>,
    /// What to do.
    pub action: SuggestionAction,
}

/// What became of a request.
#[derive(Clone, Debug, Default)]
pub struct SuggestionReport {
    /// The suggestions.
    pub suggestions: Vec<Suggestion>,
    /// How many more there are.
    pub omitted: u64,
}

/// Suggestions that are looked at for what was done with earlier ones, and for the same cause.
const LOOKED_AT: u32 = 200;
/// Suggestions that a hook tells at once.
const MAX_DELIVERED: usize = 2;
/// Places of one that a hook tells.
const MAX_TOLD_ITEMS: usize = 6;
/// The least that is left of the relevance of what nobody acts on.
const LEAST_WEIGHT: f64 = 0.3;

impl Suggestion {
    fn from_record(record: &SessionRecord) -> Option<Self> {
        let content: Value = serde_json::from_str(&record.body.content).ok()?;
        let status = match record.last_event() {
            Some(RecordEvent::Acted) => SuggestionStatus::Acted,
            Some(RecordEvent::Dismissed) => SuggestionStatus::Dismissed,
            Some(RecordEvent::Delivered) => SuggestionStatus::Delivered,
            _ => SuggestionStatus::Pending,
        };
        let item = |item: &Value| {
            let text = |name: &str| item[name].as_str().map(str::to_owned);
            Some(SuggestionItem { kind: text("kind")?, place: text("place")? })
        };
        Some(Self {
            id: record.id.clone(),
            subscription: record.body.about.clone()?,
            session: Some(record.body.session.clone()).filter(|session| !session.is_empty()),
            project: record.body.project.clone(),
            relevance: content["relevanceScore"].as_f64().unwrap_or_default(),
            title: content["title"].as_str()?.to_owned(),
            items: content["items"].as_array()?.iter().filter_map(item).collect(),
            status,
            created: record.body.created,
            number: record.number,
            cause: content["cause"].as_str().unwrap_or_default().to_owned(),
        })
    }
}

pub(crate) async fn manage_suggestions(
    memory: &MemoryContext,
    project: &Project,
    request: SuggestionRequest,
) -> Result<SuggestionReport> {
    let (id, event) = match request.action {
        SuggestionAction::List { include_delivered, limit } => {
            let session = match request.session.as_deref().filter(|session| !session.trim().is_empty()) {
                Some(session) => Some(named_session(memory, project, session).await?),
                None => None,
            };
            let mut known = load_suggestions(memory, &project.id, None).await?;
            known.retain(|it| include_delivered || it.status == SuggestionStatus::Pending);
            known.retain(|it| session.is_none() || it.session.is_none() || it.session == session);
            known.sort_by_key(|it| Reverse(it.number));
            let omitted = known.len().saturating_sub(limit as usize) as u64;
            known.truncate(limit as usize);
            return Ok(SuggestionReport { suggestions: known, omitted });
        }
        SuggestionAction::Act(id) => (id, RecordEvent::Acted),
        SuggestionAction::Dismiss(id) => (id, RecordEvent::Dismissed),
    };
    let found = load_record(memory, &id, "suggestion").await?;
    if found.last_event() != Some(event) {
        note(memory, &found.id, event).await?;
    }
    let now = load_record(memory, found.id.as_str(), "suggestion").await?;
    let now = Suggestion::from_record(&now);
    let unreadable = || Error::NotFound { what: "suggestion", id: found.id.to_string(), hint: None };
    Ok(SuggestionReport { suggestions: vec![now.ok_or_else(unreadable)?], omitted: 0 })
}

/// Keeps a suggestion, unless one of the same cause is there; which it is.
pub(crate) async fn add_suggestion(
    memory: &MemoryContext,
    project: &ProjectId,
    new: NewSuggestion,
) -> Result<Option<Suggestion>> {
    let known = load_suggestions(memory, project, Some(LOOKED_AT)).await?;
    if known.iter().any(|it| it.subscription == new.subscription && it.cause == new.cause) {
        return Ok(None);
    }
    let items: Vec<Value> = new.items.iter().map(|item| json!({ "kind": item.kind, "place": item.place })).collect();
    let mut content =
        json!({ "relevanceScore": new.relevance, "title": new.title, "items": items, "cause": new.cause });
    let content = scrub_json(memory.scrubber.load().await?, &mut content, &mut Vec::new());
    let record = NewRecord {
        kind: RecordKind::Suggestion,
        project: project.clone(),
        session: new.session.unwrap_or_default(),
        step: 0,
        about: Some(new.subscription),
        content,
        created: memory.clock.now(),
    };
    let id = record.id();
    memory.store.write_records(RecordBatch { records: vec![record], notes: Vec::new() }).await?;
    Ok(memory.store.load_session_record(&id).await?.as_ref().and_then(Suggestion::from_record))
}

/// What suggestions of a subscription matter, by what was done with earlier ones: 1 for a new one, less where they were
/// dismissed or told in vain.
pub(crate) async fn subscription_weight(
    memory: &MemoryContext,
    project: &ProjectId,
    subscription: &RecordId,
) -> Result<f64> {
    let mut known = load_suggestions(memory, project, Some(LOOKED_AT)).await?;
    known.retain(|it| it.subscription == *subscription);
    Ok(weight_of(known.iter().map(|it| it.status)))
}

/// When the newest suggestion of a subscription was made; none where there is none.
pub(crate) async fn newest_suggestion_time(
    memory: &MemoryContext,
    project: &ProjectId,
    subscription: &RecordId,
) -> Result<Option<Timestamp>> {
    let known = load_suggestions(memory, project, Some(LOOKED_AT)).await?;
    Ok(known.iter().filter(|it| it.subscription == *subscription).map(|it| it.created).max())
}

fn weight_of(statuses: impl Iterator<Item = SuggestionStatus>) -> f64 {
    let (mut acted, mut ignored) = (0.0, 0.0);
    for status in statuses {
        match status {
            SuggestionStatus::Acted => acted += 1.0,
            SuggestionStatus::Dismissed => ignored += 1.0,
            // One that was told may still be acted on.
            SuggestionStatus::Delivered => ignored += 0.5,
            SuggestionStatus::Pending => {}
        }
    }
    // Two more that were acted on, so that the first one that is ignored decides nothing.
    ((acted + 2.0_f64) / (acted + ignored + 2.0)).max(LEAST_WEIGHT)
}

/// Pending suggestions for a session as a text within so many tokens; they are noted as told.
pub(crate) async fn deliver_suggestions(
    memory: &MemoryContext,
    project: &Project,
    session: &str,
    tokens: u32,
) -> Result<Option<String>> {
    let mut known = load_suggestions(memory, &project.id, Some(LOOKED_AT)).await?;
    known.retain(|it| it.status == SuggestionStatus::Pending);
    known.retain(|it| it.session.as_deref().is_none_or(|of| of == session));
    known.sort_by(|a, b| b.relevance.total_cmp(&a.relevance).then(b.number.cmp(&a.number)));
    let (mut room, mut lines, mut told) = (tokens, Vec::new(), Vec::new());
    for suggestion in known {
        let line = render_suggestion(&suggestion);
        let cost = count_tokens(&line).0;
        if told.len() < MAX_DELIVERED && cost <= room {
            room -= cost;
            lines.push(line);
            told.push(suggestion.id);
        }
    }
    if told.is_empty() {
        return Ok(None);
    }
    let note = RecordNote { at: memory.clock.now(), event: RecordEvent::Delivered };
    let notes = told.into_iter().map(|id| (id, note)).collect();
    memory.store.write_records(RecordBatch { records: Vec::new(), notes }).await?;
    Ok(Some(lines.concat()))
}

fn render_suggestion(suggestion: &Suggestion) -> String {
    let shown = suggestion.items.iter().take(MAX_TOLD_ITEMS);
    let places: Vec<String> = shown.map(|item| format!("{} {}", item.kind, item.place)).collect();
    let more = suggestion.items.len().saturating_sub(MAX_TOLD_ITEMS);
    let more = if more > 0 { format!(", and {more} more") } else { String::new() };
    format!("- {}: {}{more} ({})\n", suggestion.title, places.join(", "), suggestion.id)
}

/// Suggestions that were added behind a place, in order.
pub(crate) async fn load_suggestions_after(
    memory: &MemoryContext,
    project: &ProjectId,
    number: i64,
    limit: u32,
) -> Result<Vec<Suggestion>> {
    let mut known = load_suggestions(memory, project, Some(limit)).await?;
    known.retain(|it| it.number > number);
    Ok(known)
}

async fn load_suggestions(memory: &MemoryContext, project: &ProjectId, newest: Option<u32>) -> Result<Vec<Suggestion>> {
    let records = load_intact_records(memory, Some(project), RecordKind::Suggestion, newest).await?;
    Ok(records.iter().filter_map(Suggestion::from_record).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_ignored_matters_less_and_what_is_acted_on_does_not() {
        use SuggestionStatus::{Acted, Delivered, Dismissed, Pending};
        let weight = |statuses: &[SuggestionStatus]| (weight_of(statuses.iter().copied()) * 100.0).round() as u32;
        assert_eq!(weight(&[]), 100);
        assert_eq!(weight(&[Pending, Pending]), 100);
        assert_eq!(weight(&[Acted, Acted]), 100);
        assert_eq!(weight(&[Dismissed, Dismissed]), 50);
        assert_eq!(weight(&[Delivered, Delivered]), 67);
        assert_eq!(weight(&[Dismissed; 40]), 30);
    }
}
