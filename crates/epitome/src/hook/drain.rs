//! Drains the spool of hook events into the store: imports the transcripts they name, and turns what those lack into
//! messages. A transcript is the better source, but agents write it after they call hooks. So an event not yet in its
//! transcript waits; when its session is over, or it has waited long enough, it is stored itself. Ids make repeating
//! harmless: a killed process loses nothing and doubles nothing.

use super::dedupe_file::{merge_duplicates, read_deduper, write_deduper};
use super::final_check::{self, FinalChecks};
use super::last_seen::LastSeen;
use super::output_brief::OutputBrief;
use super::transcript_check::EventTranscripts;
use super::{find_event_project, session_file};
use crate::compose::{self, App};
use crate::spool::{Spool, SpoolContents};
use agents::{HookEvent, OutputLimit};
use engine::{EventDeadlines, EventFate, EventMessage, EventMoment, InjectedText};
use model::EventKind;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

/// How often a server or the daemon looks, and how soon again when something new waits: its transcript is written at any
/// moment, and the model may ask for what it was shown in brief.
const DRAIN_INTERVAL: Duration = Duration::from_secs(5);
const BUSY_DRAIN_INTERVAL: Duration = Duration::from_secs(1);

/// Counts of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DrainReport {
    /// Events that were dealt with.
    pub(crate) events: u64,
    /// Messages that were stored because no transcript has them.
    pub(crate) stored: u64,
    /// Events that wait for their transcript.
    pub(crate) waiting: u64,
    /// Stretches and bodies that could not be read, put aside.
    pub(crate) quarantined: u64,
}

/// How long a command waits for another process that empties the spool.
pub(crate) const DRAIN_WAIT_TIMEOUT: Duration = Duration::from_secs(10);

/// Deals with everything in the spool, unless another process does so for longer than we wait.
pub(crate) async fn drain_spool(app: &App, patience: Duration) -> Result<DrainReport, engine::Error> {
    // Nothing is written while it is switched off; what hooks left before waits until it is on again.
    if !app.config.memory.enabled {
        return Ok(DrainReport::default());
    }
    let spool = Spool::in_directory(&app.directories.data);
    // The common case: no hook left anything, and no lock is taken.
    if spool.spool_files().map_err(engine::Error::Disk)?.is_empty() {
        return Ok(DrainReport::default());
    }
    let waiting = spool.clone();
    // Two drains at once would store an event that the other one still has waiting.
    let claim = tokio::task::spawn_blocking(move || waiting.try_claim(patience)).await;
    let claim = claim.unwrap_or_else(|error| Err(std::io::Error::other(error)));
    let Some(_claim) = claim.map_err(engine::Error::Disk)? else { return Ok(DrainReport::default()) };
    drain_events(app, &spool).await
}

/// Drains the spool again and again while a server runs.
pub(crate) fn drain_while_serving(app: Arc<App>) {
    tokio::spawn(async move {
        let mut waiting = 0;
        loop {
            let drained = drain_spool(&app, Duration::ZERO).await.unwrap_or_else(|error| {
                tracing::warn!(%error, "what hooks left behind was not taken in");
                DrainReport::default()
            });
            tokio::time::sleep(drained.next_look(&mut waiting)).await;
        }
    });
}

impl DrainReport {
    /// When to look again, from how much waited before: soon, unless nothing came of this look.
    pub(crate) fn next_look(self, waiting: &mut u64) -> Duration {
        let before = std::mem::replace(waiting, self.waiting);
        let is_new = self.waiting > 0 && (self.events > 0 || self.waiting != before);
        if is_new { BUSY_DRAIN_INTERVAL } else { DRAIN_INTERVAL }
    }
}

/// The content of the spool when it was read.
#[derive(Default)]
struct SpoolBatch {
    /// Files, and how many bytes of each were read.
    files: Vec<(PathBuf, usize)>,
    /// Events by their ids.
    events: BTreeMap<String, HookEvent>,
}

/// Reads the spool. Records that cannot be read are put aside.
fn read_batch(spool: &Spool, drained: &mut DrainReport) -> std::io::Result<SpoolBatch> {
    let mut batch = SpoolBatch::default();
    for file in spool.spool_files()? {
        let bytes = Spool::read_file(&file)?;
        let contents = SpoolContents::from_bytes(&bytes);
        for torn in &contents.torn {
            // The torn bytes are kept aside before the file is emptied, so that even half an event is not lost.
            spool.quarantine_bytes(torn)?;
            drained.quarantined += 1;
        }
        batch.events.extend(contents.events.into_iter().map(|event| (event.envelope.id.clone(), event)));
        batch.files.push((file, bytes.len()));
    }
    Ok(batch)
}

async fn drain_events(app: &App, spool: &Spool) -> Result<DrainReport, engine::Error> {
    let mut drained = DrainReport::default();
    let batch = read_batch(spool, &mut drained).map_err(engine::Error::Disk)?;
    let now = compose::current_time().0;
    let (mut checks, due, mut events) = FinalChecks::part(batch.events.into_values(), now);
    if events.is_empty() && due.is_empty() && drained.quarantined == 0 {
        return Ok(drained);
    }
    // Several files hold the events of one session; their order is that of time, whichever process wrote them.
    events.sort_by(|one, other| (one.envelope.at, &one.envelope.id).cmp(&(other.envelope.at, &other.envelope.id)));
    let told = events.len();
    let mut heard = LastSeen::read(&app.directories.state);
    for event in &events {
        heard.record_event(&event.envelope);
    }

    let mut deduper = read_deduper(&app.directories.state);
    let events = merge_duplicates(&mut deduper, events);
    // If it cannot be remembered, a message may be there twice; nothing is lost.
    let _ = write_deduper(deduper, &app.directories.state);
    drained.events += (told - events.len()) as u64;
    let deadlines = EventDeadlines::from_events(events.iter().map(HookEvent::session_event), now);
    // Final checks only make their transcripts be looked at; they hold no words.
    let many = due.len();
    let mut events: Vec<HookEvent> = due.into_iter().chain(events).collect();
    let witnesses = EventTranscripts::import_named(app, &events, |event| {
        final_check::is_final_check(event) || deadlines.is_late(&event.session_event())
    })
    .await?;
    events.drain(..many);
    checks.schedule_check(&events, now);
    let mut waiting = Vec::new();
    let mut prompts: BTreeMap<String, String> = BTreeMap::new();
    for event in events {
        note_patterns(app, &event, &mut prompts).await;
        if !event.is_readable() {
            spool.quarantine_bytes(&event.bytes).map_err(engine::Error::Disk)?;
            drained.quarantined += 1;
        } else if event.event_kind() == EventKind::End
            && !deadlines.is_late(&event.session_event())
            && waiting.iter().any(|earlier: &HookEvent| earlier.conversation_name() == event.conversation_name())
        {
            // The end waits with the events before it, so that their time is up with it.
            waiting.push(event);
            continue;
        } else if let Some(conversation) = event.conversation_name()
            && !engine::event_messages(&event.session_event()).is_empty()
        {
            let (coverage, brief) = witnesses.event_coverage(app, &event);
            match deadlines.event_fate(&event.session_event(), coverage) {
                EventFate::Covered => {}
                EventFate::Waits => {
                    waiting.push(event);
                    continue;
                }
                EventFate::Stored => {
                    if let Some(brief) = brief {
                        note_brief(app, &event, &conversation, &brief);
                    }
                    drained.stored += store_all(app, event, &conversation).await?;
                }
            }
        }
        drained.events += 1;
    }
    drained.waiting = waiting.len() as u64;
    // What still waits is written where it will be looked for before the files are emptied: in between it is there
    // twice, and known by its ids.
    waiting.extend(checks.into_events());
    spool.write_waiting(&waiting).map_err(engine::Error::Disk)?;
    for (file, bytes) in &batch.files {
        spool.discard_read(file, *bytes).map_err(engine::Error::Disk)?;
    }
    // After the events are stored: a drain that fails before this reports the same events again.
    heard.write(&app.directories.state).map_err(engine::Error::Disk)?;
    if deadlines.has_ended_sessions() {
        // No agent waits once its session has ended. If this fails, the end of the next session tries again.
        let _ = session_file::prune_sessions(
            &app.directories.state,
            UNIX_EPOCH + Duration::from_millis(now.unsigned_abs()),
        );
    }
    app.engine.flush_pending().await;
    Ok(drained)
}

/// Makes the checkpoint of an event and the suggestions that its prompt asks for, where there are any. Both name the
/// event, so that one that waits is looked at again without harm. A failure is logged: the event itself is stored.
async fn note_patterns(app: &App, event: &HookEvent, prompts: &mut BTreeMap<String, String>) {
    let (Some(conversation), Some(project)) = (event.conversation_name(), find_event_project(event)) else { return };
    let told = event.session_event();
    let done = if let (EventKind::Prompt, Some(prompt)) = (told.kind, told.prompt) {
        prompts.insert(conversation.clone(), prompt.to_owned());
        app.engine.suggest_mentions(&project, &conversation, prompt, told.id).await.map(drop)
    } else {
        let prompt = prompts.get(&conversation).map(String::as_str);
        app.engine.note_event(&project, EventMoment { event: &told, prompt }).await
    };
    if let Err(error) = done {
        tracing::warn!(%error, conversation, "no checkpoint or suggestion was made of an event");
    }
}

/// Counts what an agent was shown in the place of an output.
fn note_brief(app: &App, event: &HookEvent, conversation: &str, brief: &OutputBrief) {
    let whole = event.output_text().map(|whole| event.shown_excerpt(whole));
    let project = find_event_project(event).unwrap_or_else(|| app.project.clone());
    let (agent, moment) = (event.envelope.agent.as_str(), event.envelope.event.as_str());
    let session = conversation.to_owned();
    let told = InjectedText { session, agent, event: moment, text: &brief.text, whole, elapsed: Duration::ZERO };
    app.engine.note_told(&project, told);
}

/// Stores all that an event says, with the whole of an output that the agent keeps in a file; how many messages that is.
async fn store_all(app: &App, mut event: HookEvent, conversation: &str) -> Result<u64, engine::Error> {
    // Not earlier: an event that waits is kept without secrets, and this file is scrubbed only when it is stored.
    event.take_output(OutputLimit::Later);
    let messages = engine::event_messages(&event.session_event());
    let count = messages.len() as u64;
    let project = find_event_project(&event);
    for message in messages {
        let (conversation, project) = (conversation.to_owned(), project.clone());
        let event = event.envelope.id.clone();
        app.engine.ingest_event(EventMessage { conversation, project, event, message }).await?;
    }
    Ok(count)
}
