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
mod last_look;
mod logged;
mod marks;
mod persisted;
mod said;
mod sitting;
mod spool;
mod take;
mod twins;
mod witness;
mod worth;

pub(crate) use answer::{answer_from, answers_prompts};
pub(crate) use compactions::{Compaction, known};
pub(crate) use drain::{Drained, PATIENCE, drain, drain_while_serving};
pub(crate) use event::{Envelope, Event, Moment};
pub(crate) use heard::Heard;
pub(crate) use marks::{Failure, clear, left};
pub(crate) use spool::Spool;

use crate::config::{Directories, Environment};
use model::{Digest, ProjectId};
use std::path::Path;
use std::time::Duration;

/// What an agent called us with.
#[derive(Clone, Debug)]
pub(crate) struct Called {
    pub(crate) agent: String,
    /// Empty where the command line names none: the body may.
    pub(crate) event: String,
    /// Standard input.
    pub(crate) body: Vec<u8>,
    /// Why the body is not all that was to come, where it is not.
    pub(crate) cut: Option<Failure>,
    /// Whether the agent called as we know it; one that calls otherwise may not understand an answer.
    pub(crate) wants_answer: bool,
    /// Nanoseconds since 1970.
    pub(crate) now: u128,
    /// The process, so that two at the same moment are two.
    pub(crate) process: u32,
}

/// Keeps an event, says so, and answers it: what goes to standard output, if anything.
pub(crate) fn run(called: &Called, environment: &Environment, kept: impl FnOnce(Option<ProjectId>)) -> Option<String> {
    let directories = Directories::resolve(environment, &mut Vec::new()).ok()?;
    let mut raw = Event::new(called.envelope(), called.body.clone());
    raw.take_name();
    logged::name_transcript(&mut raw, environment);
    persisted::take_whole_at_once(&mut raw);
    let project = raw.project();
    let id = project.as_ref().map(|project| project.id.clone());
    let envelope = raw.envelope.clone();
    let mark = |failure: Failure| marks::leave(&directories.state, &envelope, id.as_ref(), failure);
    if let Some(failure) = called.cut {
        mark(failure);
    }
    if envelope.event.is_empty() {
        mark(Failure::NoEvent);
    }
    let taken = take::take(raw, project, environment, &directories, &mark);
    kept(id.clone());
    let outcome = taken.and_then(|taken| match taken {
        Some(taken) if called.wants_answer => answer::answer(taken),
        Some(_) | None => Ok(None),
    });
    let answer = outcome.unwrap_or_else(|failure| {
        mark(failure);
        None
    });
    // Antigravity reads an answer in any case.
    answer.or_else(|| (called.agent == "antigravity").then(|| "{}".to_owned()))
}

/// Leaves the mark of an event whose time was up, or that met a defect.
pub(crate) fn give_up(envelope: &Envelope, project: Option<&ProjectId>, environment: &Environment, failure: Failure) {
    if let Ok(directories) = Directories::resolve(environment, &mut Vec::new()) {
        marks::leave(&directories.state, envelope, project, failure);
    }
}

/// Leaves a mark that the daemon could not take something in.
pub(crate) fn leave_mark(state: &Path) {
    let [agent, event] = ["epitome", "drain"].map(str::to_owned);
    let at = crate::compose::now().0;
    let envelope = Envelope { id: String::new(), at, agent, event, transcript_bytes: 0 };
    marks::leave(state, &envelope, None, Failure::Drain);
}

/// How long reading and keeping an event may take: shorter than agents wait, and longer than a disk that is busy.
pub(crate) const KEEPING: Duration = Duration::from_secs(5);

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
