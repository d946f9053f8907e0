//! Hooks: agents tell us what happens, and now and then get an answer.
//!
//! ```text
//! take      the body without its secrets, durable in the spool; only then is anything else thought of
//! answer    from what is ready: an orientation, what was said before, what compaction lost, an output in brief
//! drain     later, by whoever has time: events become messages where the agent's own transcript does not have them
//! ```
//! An agent is never held up and never sees an error: what goes wrong leaves a mark (`marks`).

mod answer;
mod brief;
mod compactions;
mod drain;
mod event;
mod guard;
mod heard;
mod inject;
mod key;
mod marks;
mod said;
mod sitting;
mod spool;
mod twins;
mod witness;

pub(crate) use answer::{answer_from, answers_prompts};
pub(crate) use compactions::{Compaction, known};
pub(crate) use drain::{Drained, PATIENCE, drain, drain_while_serving};
pub(crate) use event::{Envelope, Event, Moment};
pub(crate) use heard::Heard;
pub(crate) use marks::{clear, left};
pub(crate) use spool::Spool;

use crate::config::{self, Directories, Environment, Loaded, Sources};
use engine::Project;
use model::Digest;
use std::path::Path;
use std::time::Duration;

/// What an agent called us with.
#[derive(Clone, Debug)]
pub(crate) struct Called {
    pub(crate) agent: String,
    pub(crate) event: String,
    /// Standard input.
    pub(crate) body: Vec<u8>,
    /// Nanoseconds since 1970.
    pub(crate) now: u128,
    /// The process, so that two at the same moment are two.
    pub(crate) process: u32,
}

/// Where an event belongs, once it is known that it can be kept.
struct Taken {
    event: Event,
    loaded: Loaded,
    project: Option<Project>,
}

/// Keeps an event, says so, and answers it: what goes to standard output, if anything.
pub(crate) fn run(called: &Called, environment: &Environment, kept: impl FnOnce()) -> Option<String> {
    let directories = Directories::resolve(environment, &mut Vec::new()).ok()?;
    let envelope = called.envelope();
    let taken = take(called, &envelope, environment, &directories);
    kept();
    let outcome = taken.and_then(|taken| match taken {
        Some(taken) => answer::answer(taken),
        None => Ok(None),
    });
    let answer = outcome.unwrap_or_else(|reason| {
        marks::leave(&directories.state, &envelope, &reason);
        None
    });
    // Antigravity reads an answer in any case.
    answer.or_else(|| (called.agent == "antigravity").then(|| "{}".to_owned()))
}

/// Leaves the mark of an event whose time was up.
pub(crate) fn give_up(envelope: &Envelope, environment: &Environment, reason: &str) {
    if let Ok(directories) = Directories::resolve(environment, &mut Vec::new()) {
        marks::leave(&directories.state, envelope, reason);
    }
}

/// Leaves a mark about what the daemon could not take in.
pub(crate) fn leave_mark(state: &Path, reason: &str) {
    let [agent, event] = ["epitome", "drain"].map(str::to_owned);
    let at = crate::compose::now().0;
    marks::leave(state, &Envelope { id: String::new(), at, agent, event, transcript_bytes: 0 }, reason);
}

/// How long keeping an event may take: shorter than agents wait, and longer than a disk that is busy.
pub(crate) const KEEPING: Duration = Duration::from_secs(5);

/// What the mark of an event says that was kept, while its answer was not ready in time.
pub(crate) const LATE: &str = "it was kept, but the answer took too long";

/// How long answering an event may take.
pub(crate) fn patience(event: &str) -> Duration {
    match Moment::named(event) {
        Moment::AfterCompact | Moment::SubagentStop | Moment::Start(_) => Duration::from_secs(4),
        Moment::Prompt
        | Moment::Call
        | Moment::Result
        | Moment::BeforeCompact
        | Moment::Stop
        | Moment::End
        | Moment::Other => Duration::from_secs(2),
    }
}

impl Called {
    /// What stands before the event in the spool.
    pub(crate) fn envelope(&self) -> Envelope {
        let digest = Digest::new("hook event").field(&self.now.to_le_bytes()).field(&self.process.to_le_bytes());
        Envelope {
            id: digest.finish().to_string()[..24].to_owned(),
            at: i64::try_from(self.now / 1_000_000).unwrap_or(i64::MAX),
            agent: self.agent.clone(),
            event: self.event.clone(),
            transcript_bytes: 0,
        }
    }
}

/// Scrubs an event and puts it into the spool; none when nothing is to be recorded.
fn take(
    called: &Called,
    envelope: &Envelope,
    environment: &Environment,
    directories: &Directories,
) -> Result<Option<Taken>, String> {
    let mut raw = Event::new(envelope.clone(), called.body.clone());
    let transcript = raw.transcript().and_then(|path| fs_err::metadata(path).ok());
    raw.envelope.transcript_bytes = transcript.map_or(0, |transcript| transcript.len());
    let project = raw.project();
    let load = |root| config::load(Sources { environment, project_root: root, flags: &[] });
    let loaded = load(project.as_ref().map(|project| project.root.as_path())).or_else(|error| {
        // A broken project file must not cost the event; the rules of the user still hold.
        marks::leave(&directories.state, envelope, &error.to_string());
        load(None)
    });
    let loaded = match loaded {
        Ok(loaded) => loaded,
        Err(error) => {
            keep(&raw, &[], directories)?;
            return Err(error.to_string());
        }
    };
    if !loaded.config.memory.enabled {
        return Ok(None);
    }
    let event = keep(&raw, &loaded.config.sensitive.patterns, directories)?;
    if !event.is_readable() {
        marks::leave(&directories.state, envelope, "what came on standard input is no JSON object");
    }
    Ok(Some(Taken { event, loaded, project }))
}

/// The event without its secrets, once it is durable.
fn keep(raw: &Event, rules: &[model::scrub::UserRule], directories: &Directories) -> Result<Event, String> {
    let scrubber = key::scrubber(&directories.data, rules).map_err(|error| error.to_string())?;
    let bytes = scrubber.scrub(&raw.bytes).bytes.into_owned();
    let event = Event::new(raw.envelope.clone(), bytes);
    Spool::of(&directories.data).append(&event).map_err(|error| format!("cannot write to the spool: {error}"))?;
    Ok(event)
}
