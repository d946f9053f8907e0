//! Subscriptions, which say what a session wants to be told of, and suggestions, which are what it is to be told: kept,
//! listed, delivered once, and marked by whoever acts on them. What makes suggestions needs the code as well, and is in
//! `crate::suggest`.
//!
//! What a session ignores or dismisses makes the next suggestions of the same subscription matter less.

mod suggestion;

pub(crate) use suggestion::{
    NewSuggestion, add_suggestion, deliver_suggestions, load_suggestions_after, manage_suggestions,
    newest_suggestion_time, subscription_weight,
};
pub use suggestion::{
    Suggestion, SuggestionAction, SuggestionItem, SuggestionReport, SuggestionRequest, SuggestionStatus,
};

use super::checkpoints::scrub_json;
use super::naming::{complete_id, named_session, normalize_id};
use crate::base::{Error, Project, Result};
use crate::memory::MemoryContext;
use model::scrub::RuleName;
use model::{
    NewRecord, ProjectId, RecordEvent, RecordId, RecordKind, RecordNote, SessionRecord, SymbolKind, Timestamp,
};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::time::Duration;
use store::{RecordBatch, RecordFilter};

/// What a subscription is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternKind {
    /// Files whose path fits a pattern.
    FilePattern,
    /// Symbols of a kind.
    EntityType,
    /// A word.
    Keyword,
    /// What a colleague shares.
    Author,
}

model::enum_words! {
    pub PatternKind { FilePattern = "file_pattern", EntityType = "entity_type", Keyword = "keyword", Author = "author" }
}

/// When a subscription is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TriggerKind {
    /// A file changed.
    FileChange,
    /// The cursor of an editor came near.
    CursorProximity,
    /// A prompt mentions it.
    ContextMention,
    /// A time has come.
    Schedule,
    /// Somebody shares something: it is told from then on wherever memories are.
    Share,
}

model::enum_words! {
    pub TriggerKind {
        FileChange = "file_change",
        CursorProximity = "cursor_proximity",
        ContextMention = "context_mention",
        Schedule = "schedule",
        Share = "share",
    }
}

/// How a subscription stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubscriptionStatus {
    /// It is told.
    Active,
    /// It rests.
    Paused,
    /// It is over.
    Completed,
}

model::enum_words! {
    pub SubscriptionStatus { Active = "active", Paused = "paused", Completed = "completed" }
}

/// A subscription.
#[derive(Clone, Debug)]
pub struct Subscription {
    /// Its id.
    pub id: RecordId,
    /// The session that wants to be told; none for every session of the project.
    pub session: Option<String>,
    /// What it is about.
    pub pattern: PatternKind,
    /// The pattern, the kind of symbols, the word or the name.
    pub value: String,
    /// Who asked for it, in a store that several people share; none where it is for all who use the store.
    pub subscriber: Option<String>,
    /// Only below this folder.
    pub scope: Option<String>,
    /// When it is told.
    pub trigger: TriggerKind,
    /// The time between one suggestion and the next, where a time is what it waits for.
    pub every: Option<Duration>,
    /// The relevance, from 0 to 1, below which nothing is told.
    pub min_relevance: f64,
    /// How it stands.
    pub status: SubscriptionStatus,
    /// When it was made.
    pub created: Timestamp,
}

/// A subscription on its way in.
#[derive(Clone, Debug)]
pub struct NewSubscription {
    /// What it is about.
    pub pattern: PatternKind,
    /// The pattern, the kind of symbols or the word.
    pub value: String,
    /// Only below this folder.
    pub scope: Option<String>,
    /// When it is told; none for what the pattern is for.
    pub trigger: Option<TriggerKind>,
    /// With [`TriggerKind::Schedule`], and only then: the time between one suggestion and the next.
    pub every: Option<Duration>,
    /// The relevance below which nothing is told.
    pub min_relevance: Option<f64>,
}

/// What to do with subscriptions.
#[derive(Clone, Debug)]
pub enum SubscriptionAction {
    /// Make one.
    Add(NewSubscription),
    /// List those that are not over, or all.
    List {
        /// Also those that are over.
        everything: bool,
    },
    /// Let one rest, by its id, or go on where it rests.
    Pause(String),
    /// End one, by its id.
    Remove(String),
}

/// A request about subscriptions.
#[derive(Clone, Debug)]
pub struct SubscriptionRequest {
    /// The session, by name or id; none for every session of the project.
    pub session: Option<String>,
    /// What to do.
    pub action: SubscriptionAction,
}

/// What became of a request.
#[derive(Clone, Debug, Default)]
pub struct SubscriptionReport {
    /// The subscriptions.
    pub subscriptions: Vec<Subscription>,
    /// The rules by which secrets were replaced, one for each secret.
    pub secrets: Vec<RuleName>,
}

/// What nothing below is told of, where nobody says otherwise.
const USUAL_MIN_RELEVANCE: f64 = 0.4;
/// The name that stands for all colleagues.
pub(crate) const EVERYBODY: &str = "*";
/// Characters of a pattern and of a scope.
const MAX_VALUE_CHARS: usize = 400;
/// The shortest time of a schedule: how often it is looked.
const SHORTEST_TIME: Duration = Duration::from_mins(1);
/// Subscriptions of a project that are not over.
const MAX_SUBSCRIPTIONS: usize = 100;

impl Subscription {
    fn from_record(record: &SessionRecord) -> Option<Self> {
        let content: Value = serde_json::from_str(&record.body.content).ok()?;
        let last = record.notes.iter().rev().map(|note| note.event).next();
        let status = match last {
            _ if record.has_event(RecordEvent::Completed) => SubscriptionStatus::Completed,
            Some(RecordEvent::Paused) => SubscriptionStatus::Paused,
            _ => SubscriptionStatus::Active,
        };
        Some(Self {
            id: record.id.clone(),
            session: Some(record.body.session.clone()).filter(|session| !session.is_empty()),
            pattern: PatternKind::parse(content["pattern"]["type"].as_str()?)?,
            value: content["pattern"]["value"].as_str()?.to_owned(),
            subscriber: content["subscriber"].as_str().map(str::to_owned),
            scope: content["pattern"]["scope"].as_str().map(str::to_owned),
            trigger: TriggerKind::parse(content["triggerType"].as_str()?)?,
            every: content["everySeconds"].as_u64().map(Duration::from_secs),
            min_relevance: content["minRelevance"].as_f64().unwrap_or(USUAL_MIN_RELEVANCE),
            status,
            created: record.body.created,
        })
    }
}

pub(crate) async fn manage_subscriptions(
    memory: &MemoryContext,
    project: &Project,
    request: SubscriptionRequest,
) -> Result<SubscriptionReport> {
    let session = match request.session.as_deref().filter(|session| !session.trim().is_empty()) {
        Some(session) => Some(named_session(memory, project, session).await?),
        None => None,
    };
    match request.action {
        SubscriptionAction::Add(new) => add_subscription(memory, project, session, new).await,
        SubscriptionAction::List { everything } => {
            let mut known = load_subscriptions(memory, &project.id).await?;
            known.retain(|it| everything || it.status != SubscriptionStatus::Completed);
            known.retain(|it| session.is_none() || it.session == session);
            Ok(SubscriptionReport { subscriptions: known, secrets: Vec::new() })
        }
        SubscriptionAction::Pause(id) => {
            let found = load_subscription(memory, &id).await?;
            let event = match found.status {
                SubscriptionStatus::Active => RecordEvent::Paused,
                SubscriptionStatus::Paused => RecordEvent::Resumed,
                SubscriptionStatus::Completed => {
                    let reason = format!("is `{}`, which is over: add another one", found.id);
                    return Err(Error::Parameter { field: "id", reason });
                }
            };
            note(memory, &found.id, event).await?;
            let subscriptions = vec![load_subscription(memory, found.id.as_str()).await?];
            Ok(SubscriptionReport { subscriptions, secrets: Vec::new() })
        }
        SubscriptionAction::Remove(id) => {
            let found = load_subscription(memory, &id).await?;
            if found.status != SubscriptionStatus::Completed {
                note(memory, &found.id, RecordEvent::Completed).await?;
            }
            let subscriptions = vec![load_subscription(memory, found.id.as_str()).await?];
            Ok(SubscriptionReport { subscriptions, secrets: Vec::new() })
        }
    }
}

async fn add_subscription(
    memory: &MemoryContext,
    project: &Project,
    session: Option<String>,
    new: NewSubscription,
) -> Result<SubscriptionReport> {
    memory.check_enabled("subscribe")?;
    let value = new.value.trim();
    if value.is_empty() || value.chars().count() > MAX_VALUE_CHARS {
        let reason =
            format!("has to have 1 to {MAX_VALUE_CHARS} characters: a pattern such as `src/**/*.rs`, or a word");
        return Err(Error::Parameter { field: "value", reason });
    }
    let min_relevance = new.min_relevance.unwrap_or(USUAL_MIN_RELEVANCE);
    if !(0.0..=1.0).contains(&min_relevance) {
        let reason = format!("is {min_relevance}, and has to be from 0 to 1");
        return Err(Error::Parameter { field: "min_relevance", reason });
    }
    let trigger = new.trigger.unwrap_or(match (new.every, new.pattern) {
        (_, PatternKind::Author) => TriggerKind::Share,
        (Some(_), _) => TriggerKind::Schedule,
        (None, PatternKind::FilePattern | PatternKind::EntityType) => TriggerKind::FileChange,
        (None, PatternKind::Keyword) => TriggerKind::ContextMention,
    });
    check_every(trigger, new.every)?;
    check_share(new.pattern, trigger, session.is_some())?;
    match new.pattern {
        PatternKind::FilePattern => check_pattern(value)?,
        PatternKind::EntityType => check_kind(value)?,
        PatternKind::Keyword | PatternKind::Author => {}
    }
    let known = load_subscriptions(memory, &project.id).await?;
    let open: Vec<&Subscription> = known.iter().filter(|it| it.status != SubscriptionStatus::Completed).collect();
    let same = open.iter().find(|it| {
        let is_same_pattern = it.pattern == new.pattern && it.value == value && it.scope == new.scope;
        is_same_pattern && it.trigger == trigger && it.every == new.every && it.session == session
    });
    // Asked for twice it is told once.
    if let Some(same) = same {
        return Ok(SubscriptionReport { subscriptions: vec![(*same).clone()], secrets: Vec::new() });
    }
    if open.len() >= MAX_SUBSCRIPTIONS {
        let reason = format!("cannot be added: the project has {MAX_SUBSCRIPTIONS} subscriptions; remove one first");
        return Err(Error::Parameter { field: "value", reason });
    }
    let mut content = json!({
        "pattern": { "type": new.pattern.as_str(), "value": value, "scope": new.scope },
        "triggerType": trigger.as_str(),
        "minRelevance": min_relevance,
    });
    if let Some(every) = new.every {
        content["everySeconds"] = every.as_secs().into();
    }
    let subscriber = memory.author.owner().filter(|_| new.pattern == PatternKind::Author);
    if let Some(subscriber) = &subscriber {
        content["subscriber"] = json!(subscriber);
    }
    let mut secrets = Vec::new();
    let content = scrub_json(memory.scrubber.load().await?, &mut content, &mut secrets);
    let record = NewRecord {
        kind: RecordKind::Subscription,
        project: project.id.clone(),
        session: session.unwrap_or_default(),
        step: 0,
        about: None,
        content,
        created: memory.clock.now(),
    };
    let id = record.id();
    memory.store.write_records(RecordBatch { records: vec![record], notes: Vec::new() }).await?;
    Ok(SubscriptionReport { subscriptions: vec![load_subscription(memory, id.as_str()).await?], secrets })
}

fn check_pattern(value: &str) -> Result<()> {
    crate::base::path_pattern::PathPattern::new(value)
        .map(drop)
        .map_err(|why| Error::Parameter { field: "value", reason: format!("is no pattern of paths: {why}") })
}

fn check_kind(value: &str) -> Result<()> {
    let kinds: Vec<&str> = SymbolKind::ALL.iter().map(|(_, word)| *word).collect();
    let reason = || format!("is no kind of symbols: there are {}", kinds.join(", "));
    SymbolKind::parse(value).map(drop).ok_or_else(|| Error::Parameter { field: "value", reason: reason() })
}

/// What a colleague shares is told wherever memories are, to every session, and nothing else is told of a share.
fn check_share(pattern: PatternKind, trigger: TriggerKind, has_session: bool) -> Result<()> {
    let is_author = pattern == PatternKind::Author;
    if is_author && has_session {
        let reason = "cannot be named with `author`: what a colleague shares is told to every session of the project";
        return Err(Error::Parameter { field: "session", reason: reason.to_owned() });
    }
    if is_author != (trigger == TriggerKind::Share) {
        let reason = format!("is `{}`, which nothing tells of for `{}`", trigger.as_str(), pattern.as_str());
        return Err(Error::Parameter { field: "trigger", reason });
    }
    Ok(())
}

/// A time belongs to a schedule, and a schedule needs one.
fn check_every(trigger: TriggerKind, every: Option<Duration>) -> Result<()> {
    let refused = |reason: &str| Err(Error::Parameter { field: "every", reason: reason.to_owned() });
    match (trigger, every) {
        (TriggerKind::Schedule, None) => refused("is needed for a `schedule`: `1d` tells once a day"),
        (TriggerKind::Schedule, Some(every)) if every < SHORTEST_TIME => refused("has to be a minute or more"),
        (TriggerKind::Schedule, Some(_)) | (_, None) => Ok(()),
        (_, Some(_)) => refused("goes with the trigger `schedule` only"),
    }
}

async fn note(memory: &MemoryContext, id: &RecordId, event: RecordEvent) -> Result<()> {
    memory.check_enabled("change what a session is told")?;
    let note = RecordNote { at: memory.clock.now(), event };
    Ok(memory.store.write_records(RecordBatch { records: Vec::new(), notes: vec![(id.clone(), note)] }).await?)
}

/// All subscriptions of a project that are the reader's or everybody's, in the order in which they were made.
async fn load_subscriptions(memory: &MemoryContext, project: &ProjectId) -> Result<Vec<Subscription>> {
    let records = load_intact_records(memory, Some(project), RecordKind::Subscription, None).await?;
    Ok(own_subscriptions(memory, &records).collect())
}

fn own_subscriptions<'r>(
    memory: &'r MemoryContext,
    records: &'r [SessionRecord],
) -> impl Iterator<Item = Subscription> + 'r {
    let found = records.iter().filter_map(Subscription::from_record);
    found.filter(|found| memory.author.owns(found.subscriber.as_deref()))
}

/// The colleagues whose shared memories the reader wants to be told, in a project or in any.
pub(crate) async fn followed_authors(memory: &MemoryContext, project: Option<&ProjectId>) -> Result<HashSet<String>> {
    let records = load_intact_records(memory, project, RecordKind::Subscription, None).await?;
    let followed = own_subscriptions(memory, &records)
        .filter(|found| found.pattern == PatternKind::Author && found.status == SubscriptionStatus::Active);
    Ok(followed.map(|found| found.value).collect())
}

/// Subscriptions that are to be told, of a kind.
pub(crate) async fn active_subscriptions(
    memory: &MemoryContext,
    project: &ProjectId,
    trigger: TriggerKind,
) -> Result<Vec<Subscription>> {
    let mut known = load_subscriptions(memory, project).await?;
    known.retain(|it| it.status == SubscriptionStatus::Active && it.trigger == trigger);
    Ok(known)
}

async fn load_intact_records(
    memory: &MemoryContext,
    project: Option<&ProjectId>,
    kind: RecordKind,
    newest: Option<u32>,
) -> Result<Vec<SessionRecord>> {
    let filter = RecordFilter { kind: Some(kind), project: project.cloned(), session: None, newest };
    let mut records = memory.store.load_session_records(filter).await?;
    records.retain(|record| {
        if !record.is_intact() {
            tracing::warn!(record = record.id.as_str(), "a damaged record of a session is left out");
        }
        record.is_intact()
    });
    Ok(records)
}

async fn load_record(memory: &MemoryContext, id: &str, what: &'static str) -> Result<SessionRecord> {
    let wanted = complete_id(memory, normalize_id(id)).await?;
    let missing =
        || Error::NotFound { what, id: wanted.clone(), hint: Some(format!("epitome {what} list shows what there is")) };
    let parsed = RecordId::parse(&wanted).filter(|id| id.kind().as_str() == what).ok_or_else(missing)?;
    memory.store.load_session_record(&parsed).await?.ok_or_else(missing)
}

async fn load_subscription(memory: &MemoryContext, id: &str) -> Result<Subscription> {
    let record = load_record(memory, id, "subscription").await?;
    let unreadable = || Error::NotFound { what: "subscription", id: id.to_owned(), hint: None };
    let found = Subscription::from_record(&record).ok_or_else(unreadable)?;
    // Nobody ends what a colleague wants to be told.
    if memory.author.owns(found.subscriber.as_deref()) { Ok(found) } else { Err(unreadable()) }
}
