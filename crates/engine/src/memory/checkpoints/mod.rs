//! Checkpoints: the state of a session's work at a moment (what was asked, the plan, the step it is at, what came out, the
//! last error), kept so that the work can go on after a failure, a compaction, or in another session.
//!
//! ```text
//! state       what a checkpoint says, read from the JSON that callers and agents give
//! automatic   makes one of the events of a session: its plan changed, a risky command, an error, a compaction
//! ```
//! A checkpoint never changes. Those beyond the newest of a session are listed no more; nothing is deleted.

mod automatic;
mod state;

pub(crate) use automatic::note_event;
pub use automatic::{EventMoment, marks_checkpoint};
pub use state::{CheckpointState, CheckpointTrigger, PlanStep};

use super::naming::{complete_id, named_session, normalize_id, session_name};
use crate::base::{Error, Project, Result};
use crate::memory::MemoryContext;
use model::scrub::{RuleName, Scrubber};
use model::{NewRecord, ProjectId, RecordEvent, RecordId, RecordKind, RecordNote, SessionRecord, Timestamp};
use serde_json::{Map, Value, json};
use std::cmp::Reverse;
use store::{RecordBatch, RecordFilter};

/// A checkpoint.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    /// Its id.
    pub id: RecordId,
    /// The session that it is of.
    pub session: String,
    /// Its project.
    pub project: ProjectId,
    /// The step that the work was at.
    pub step: u64,
    /// When it was made.
    pub created: Timestamp,
    /// The state.
    pub state: CheckpointState,
    /// In a few words, what it was made for.
    pub description: Option<String>,
    /// Who made it.
    pub trigger: CheckpointTrigger,
    /// How long the step took, where its author says so.
    pub duration_ms: u64,
    /// The tokens it took, where its author says so.
    pub token_usage: Option<u64>,
    /// The event that it was made of, where it was made of one.
    event: Option<String>,
    /// The call of a tool that the event was about.
    call: Option<String>,
    number: i64,
    is_dropped: bool,
}

/// A checkpoint on its way in.
#[derive(Clone, Debug, Default)]
pub struct NewCheckpoint {
    /// The state, as a JSON object; none for what is known of the session.
    pub state: Option<Map<String, Value>>,
    /// In a few words, what it is made for.
    pub description: Option<String>,
    /// Who makes it.
    pub trigger: CheckpointTrigger,
    /// How long the step took.
    pub duration_ms: u64,
    /// The tokens it took.
    pub token_usage: Option<u64>,
}

/// What to do with checkpoints.
#[derive(Clone, Debug)]
pub enum CheckpointAction {
    /// Make one.
    Save(NewCheckpoint),
    /// Show one, by its id; none for the one of the highest step, the newest of those.
    Load(Option<String>),
    /// The same, to go on from it.
    Resume(Option<String>),
    /// List them, the newest first.
    List(u32),
    /// List no more but so many of the newest; none for as many as is set.
    Prune(Option<u32>),
}

/// A request about checkpoints.
#[derive(Clone, Debug)]
pub struct CheckpointRequest {
    /// The session, by name or id; none for the latest where one is made, and for the one that made a checkpoint last.
    pub session: Option<String>,
    /// What to do.
    pub action: CheckpointAction,
}

/// What became of a request.
#[derive(Clone, Debug, Default)]
pub struct CheckpointReport {
    /// The checkpoints.
    pub checkpoints: Vec<Checkpoint>,
    /// How many more there are.
    pub omitted: u64,
    /// Those that are listed no more.
    pub dropped: Vec<RecordId>,
    /// The rules by which secrets were replaced, one for each secret.
    pub secrets: Vec<RuleName>,
}

/// Bytes of a state at most: it is read at once by whoever goes on.
const MAX_STATE_BYTES: usize = 256 << 10;
/// Characters of what a checkpoint is for.
const MAX_DESCRIPTION_CHARS: usize = 400;

impl Checkpoint {
    /// The checkpoint that a record holds; none for a record of another kind, or one that cannot be read.
    fn from_record(record: SessionRecord) -> Option<Self> {
        if record.body.kind != RecordKind::Checkpoint {
            return None;
        }
        let content: Value = serde_json::from_str(&record.body.content).ok()?;
        let about = &content["metadata"];
        Some(Self {
            is_dropped: record.last_event() == Some(RecordEvent::Dropped),
            id: record.id,
            session: record.body.session,
            project: record.body.project,
            step: record.body.step,
            created: record.body.created,
            state: CheckpointState::from_json(content["state"].as_object().cloned().unwrap_or_default()),
            description: about["description"].as_str().map(str::to_owned),
            trigger: about["triggerType"].as_str().and_then(CheckpointTrigger::parse).unwrap_or_default(),
            duration_ms: about["durationMs"].as_u64().unwrap_or_default(),
            token_usage: about["tokenUsage"].as_u64(),
            event: about["event"].as_str().map(str::to_owned),
            call: about["call"].as_str().map(str::to_owned),
            number: record.number,
        })
    }
}

pub(crate) async fn manage_checkpoints(
    memory: &MemoryContext,
    project: &Project,
    request: CheckpointRequest,
) -> Result<CheckpointReport> {
    match request.action {
        CheckpointAction::Save(new) => {
            memory.check_enabled("save a checkpoint")?;
            let session = session_name(memory, project, request.session.as_deref()).await?;
            save_checkpoint(memory, &project.id, &session, new).await
        }
        CheckpointAction::Load(id) | CheckpointAction::Resume(id) => {
            let id = id.filter(|id| !id.trim().is_empty() && id.trim() != "latest");
            let found = if let Some(id) = id {
                load_by_id(memory, &id).await?
            } else {
                let mut known = load_of_session(memory, project, request.session.as_deref()).await?;
                // By the step and not by the time alone: a checkpoint made at an error of an earlier step is no progress.
                known.sort_by_key(|it| (Reverse(it.step), Reverse(it.created), Reverse(it.number)));
                known.into_iter().next().ok_or_else(|| no_checkpoint(request.session.as_deref()))?
            };
            Ok(CheckpointReport { checkpoints: vec![found], ..CheckpointReport::default() })
        }
        CheckpointAction::List(limit) => {
            let mut known = match request.session.as_deref() {
                Some(_) => load_of_session(memory, project, request.session.as_deref()).await?,
                None => load_checkpoints(memory, &project.id, None).await?,
            };
            known.retain(|it| !it.is_dropped);
            known.sort_by_key(|it| Reverse(it.number));
            let omitted = known.len().saturating_sub(limit as usize) as u64;
            known.truncate(limit as usize);
            Ok(CheckpointReport { checkpoints: known, omitted, ..CheckpointReport::default() })
        }
        CheckpointAction::Prune(keep) => {
            memory.check_enabled("prune checkpoints")?;
            let mut known = load_of_session(memory, project, request.session.as_deref()).await?;
            let keep = keep.unwrap_or(memory.settings.checkpoints) as usize;
            let dropped = beyond_newest(&mut known, keep);
            write_dropped(memory, Vec::new(), &dropped).await?;
            known.retain(|it| !dropped.contains(&it.id));
            Ok(CheckpointReport { checkpoints: known, dropped, ..CheckpointReport::default() })
        }
    }
}

async fn save_checkpoint(
    memory: &MemoryContext,
    project: &ProjectId,
    session: &str,
    new: NewCheckpoint,
) -> Result<CheckpointReport> {
    let mut known = load_checkpoints(memory, project, Some(session)).await?;
    let state = match new.state {
        Some(state) => CheckpointState::from_json(state),
        // What is known of the session: the state it was in last.
        None => newest(&known).map(|newest| newest.state.clone()).unwrap_or_default(),
    };
    if state == CheckpointState::default() && new.description.is_none() {
        let reason = "is needed, or `description`: nothing is known of the session's plan yet".to_owned();
        return Err(Error::Parameter { field: "state", reason });
    }
    let mut metadata = Map::new();
    if let Some(description) = new.description.filter(|text| !text.trim().is_empty()) {
        if description.chars().count() > MAX_DESCRIPTION_CHARS {
            let reason = format!("has more than {MAX_DESCRIPTION_CHARS} characters: the rest belongs into the state");
            return Err(Error::Parameter { field: "description", reason });
        }
        metadata.insert("description".to_owned(), description.trim().into());
    }
    metadata.insert("triggerType".to_owned(), new.trigger.as_str().into());
    metadata.insert("durationMs".to_owned(), new.duration_ms.into());
    metadata.extend(new.token_usage.map(|tokens| ("tokenUsage".to_owned(), tokens.into())));
    let created = memory.clock.now();
    let (record, secrets) = build_record(memory, project, session, &state, metadata, created).await?;
    let id = record.id();
    known.retain(|it| it.id != id);
    let dropped = beyond_newest(&mut known, (memory.settings.checkpoints as usize).saturating_sub(1));
    write_dropped(memory, vec![record], &dropped).await?;
    Ok(CheckpointReport { checkpoints: vec![load_by_id(memory, id.as_str()).await?], dropped, secrets, omitted: 0 })
}

/// The record of a state, without its secrets.
async fn build_record(
    memory: &MemoryContext,
    project: &ProjectId,
    session: &str,
    state: &CheckpointState,
    metadata: Map<String, Value>,
    created: Timestamp,
) -> Result<(NewRecord, Vec<RuleName>)> {
    let mut content = json!({ "state": state.to_json(), "metadata": metadata });
    let mut secrets = Vec::new();
    let content = scrub_json(memory.scrubber.load().await?, &mut content, &mut secrets);
    if content.len() > MAX_STATE_BYTES {
        let reason = format!(
            "has {} bytes, and a state {MAX_STATE_BYTES} at most: keep long results with `ingest` and name them",
            content.len()
        );
        return Err(Error::Parameter { field: "state", reason });
    }
    let record = NewRecord {
        kind: RecordKind::Checkpoint,
        project: project.clone(),
        session: session.to_owned(),
        step: state.current_step(),
        about: None,
        content,
        created,
    };
    Ok((record, secrets))
}

/// A JSON value as text without its secrets: each text by itself, so that no escape hides one, then the whole, because the
/// name of a field may be what says that its value is secret.
pub(super) fn scrub_json(scrubber: &Scrubber, value: &mut Value, secrets: &mut Vec<RuleName>) -> String {
    scrub_values(scrubber, value, secrets);
    let text = value.to_string();
    let (clean, found) = scrubber.scrub_text(&text);
    // What is no JSON any more is not what the caller said; its texts are clean already.
    if !found.is_empty() && serde_json::from_str::<Value>(&clean).is_ok() {
        secrets.extend(found.into_iter().map(|found| found.rule));
        return clean.into_owned();
    }
    text
}

fn scrub_values(scrubber: &Scrubber, value: &mut Value, secrets: &mut Vec<RuleName>) {
    match value {
        Value::String(text) => {
            let (clean, found) = scrubber.scrub_text(text);
            let clean = clean.into_owned();
            secrets.extend(found.into_iter().map(|found| found.rule));
            *text = clean;
        }
        Value::Array(values) => values.iter_mut().for_each(|value| scrub_values(scrubber, value, secrets)),
        Value::Object(members) => {
            for (name, mut value) in std::mem::take(members) {
                scrub_values(scrubber, &mut value, secrets);
                members.insert(scrubber.scrub_text(&name).0.into_owned(), value);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

async fn write_dropped(memory: &MemoryContext, records: Vec<NewRecord>, dropped: &[RecordId]) -> Result<()> {
    if records.is_empty() && dropped.is_empty() {
        return Ok(());
    }
    let note = RecordNote { at: memory.clock.now(), event: RecordEvent::Dropped };
    let notes = dropped.iter().map(|id| (id.clone(), note)).collect();
    Ok(memory.store.write_records(RecordBatch { records, notes }).await?)
}

/// The listed checkpoints beyond the newest.
fn beyond_newest(known: &mut [Checkpoint], keep: usize) -> Vec<RecordId> {
    known.sort_by_key(|it| Reverse(it.number));
    known.iter().filter(|it| !it.is_dropped).skip(keep).map(|it| it.id.clone()).collect()
}

fn newest(known: &[Checkpoint]) -> Option<&Checkpoint> {
    known.iter().max_by_key(|it| it.number)
}

/// The checkpoints of a project, of all its sessions or of one, in the order in which they were made; those that are
/// listed no more are among them.
async fn load_checkpoints(
    memory: &MemoryContext,
    project: &ProjectId,
    session: Option<&str>,
) -> Result<Vec<Checkpoint>> {
    let filter = RecordFilter {
        kind: Some(RecordKind::Checkpoint),
        project: Some(project.clone()),
        session: session.map(str::to_owned),
        newest: None,
    };
    let mut found = Vec::new();
    for record in memory.store.load_session_records(filter).await? {
        if record.is_intact() {
            found.extend(Checkpoint::from_record(record));
        } else {
            tracing::warn!(record = record.id.as_str(), "a damaged checkpoint is left out");
        }
    }
    Ok(found)
}

/// The listed checkpoints of the session that a caller names, or of the one that made a checkpoint last.
async fn load_of_session(memory: &MemoryContext, project: &Project, session: Option<&str>) -> Result<Vec<Checkpoint>> {
    let mut known = if let Some(session) = session.filter(|session| !session.trim().is_empty()) {
        let session = named_session(memory, project, session).await?;
        load_checkpoints(memory, &project.id, Some(&session)).await?
    } else {
        let mut known = load_checkpoints(memory, &project.id, None).await?;
        let last = newest(&known).map(|newest| newest.session.clone());
        known.retain(|it| last.as_ref() == Some(&it.session));
        known
    };
    known.retain(|it| !it.is_dropped);
    Ok(known)
}

async fn load_by_id(memory: &MemoryContext, id: &str) -> Result<Checkpoint> {
    let wanted = complete_id(memory, normalize_id(id)).await?;
    let missing = || Error::NotFound {
        what: "checkpoint",
        id: wanted.clone(),
        hint: Some("epitome checkpoint list shows what there is".to_owned()),
    };
    let parsed = RecordId::parse(&wanted).ok_or_else(missing)?;
    let found = memory.store.load_session_record(&parsed).await?;
    found.and_then(Checkpoint::from_record).ok_or_else(missing)
}

fn no_checkpoint(session: Option<&str>) -> Error {
    let id = session.unwrap_or("latest").to_owned();
    let hint = "epitome checkpoint save makes one; agents with hooks make them as their plans change";
    Error::NotFound { what: "checkpoint", id, hint: Some(hint.to_owned()) }
}

/// Where the work of a session stands by its newest checkpoint, in a line; none where its plan is done, or it has none.
pub(crate) async fn checkpoint_line(
    memory: &MemoryContext,
    project: &Project,
    session: &str,
) -> Result<Option<String>> {
    let mut known = load_checkpoints(memory, &project.id, Some(session)).await?;
    known.retain(|it| !it.is_dropped);
    let Some(newest) = newest(&known) else { return Ok(None) };
    let (done, all) = newest.state.progress();
    let open = newest.state.open_step();
    Ok(open.map(|open| {
        format!(
            "- {done} of {all} steps are done, next: {} (`checkpoint resume` with {} gives the state)",
            open, newest.id
        )
    }))
}
