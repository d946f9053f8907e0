//! Hooks: agents run `epitome hook` at events of a session, and now and then get an answer. `intake` writes the event
//! without its secrets durably to the spool; `answer` replies from ready data (an orientation, earlier messages, what a
//! compaction lost, a shortened output); `drain`, later, in the daemon or a command, stores what the agent's transcript
//! lacks. An agent is never held up and never sees an error: what goes wrong is recorded in `failures`.

mod answer;
mod dedupe_file;
mod drain;
mod failures;
mod final_check;
mod intake;
mod last_seen;
mod output_brief;
mod scrub_key;
mod session_file;
mod session_log;
mod transcript_check;

pub(crate) use answer::answer_from;
pub(crate) use drain::{DRAIN_WAIT_TIMEOUT, DrainReport, drain_spool, drain_while_serving};
pub(crate) use failures::{HookFailure, clear_failures, read_failures};
pub(crate) use last_seen::LastSeen;

use crate::config::{AppDirectories, Environment};
use agents::{EventEnvelope, HookEvent};
use engine::Project;
use model::{DigestBuilder, EventKind, ProjectId};
use std::path::Path;
use std::time::Duration;

/// What an agent called us with.
#[derive(Clone, Debug)]
pub(crate) struct HookInvocation {
    pub(crate) agent: String,
    /// Empty where the command line names none: the body may.
    pub(crate) event: String,
    /// Standard input.
    pub(crate) body: Vec<u8>,
    /// Why the body is not all that was to come, where it is not.
    pub(crate) cut: Option<HookFailure>,
    /// Whether the agent called as we know it; one that calls otherwise may not understand an answer.
    pub(crate) wants_answer: bool,
    /// Nanoseconds since 1970.
    pub(crate) now: u128,
    /// The process, so that two at the same moment are two.
    pub(crate) process: u32,
}

/// Keeps an event, says so, and answers it: what goes to standard output, if anything.
pub(crate) fn run(
    called: &HookInvocation,
    environment: &Environment,
    kept: impl FnOnce(Option<ProjectId>),
) -> Option<String> {
    let directories = AppDirectories::from_environment(environment, &mut Vec::new()).ok()?;
    let mut raw = HookEvent::new(called.build_envelope(), called.body.clone());
    raw.take_name();
    // Before the event is scrubbed and kept, since the path is part of what is kept.
    session_log::name_transcript(&mut raw, environment);
    // Some agents delete the file with the whole output as soon as the hook has ended.
    raw.take_output_at_once();
    // A call that no checkpoint is made at says nothing that its result will not say, and whoever makes it waits.
    if raw.event_kind() == EventKind::Call && !engine::marks_checkpoint(&raw.session_event()) {
        return agents::empty_answer(&called.agent).map(str::to_owned);
    }
    let project = find_event_project(&raw);
    let id = project.as_ref().map(|project| project.id.clone());
    let envelope = raw.envelope.clone();
    let record = |failure: HookFailure| failures::record_failure(&directories.state, &envelope, id.as_ref(), failure);
    if let Some(failure) = called.cut {
        record(failure);
    }
    if envelope.event.is_empty() {
        record(HookFailure::NoEvent);
    }
    let taken = intake::spool_event(raw, project, environment, &directories, &record);
    // The watchdog switches from the limit for keeping to the limit for answering.
    kept(id.clone());
    let outcome = taken.and_then(|taken| match taken {
        Some(taken) if called.wants_answer => answer::answer_event(taken),
        Some(_) | None => Ok(None),
    });
    let answer = outcome.unwrap_or_else(|failure| {
        record(failure);
        None
    });
    answer.or_else(|| agents::empty_answer(&called.agent).map(str::to_owned))
}

/// The project that an event is about.
pub(crate) fn find_event_project(event: &HookEvent) -> Option<Project> {
    event.working_directory().and_then(|directory| Project::discover_from(Path::new(directory)).ok())
}

/// Leaves the failure record of an event whose time was up, or that met a defect.
pub(crate) fn record_event_failure(
    envelope: &EventEnvelope,
    project: Option<&ProjectId>,
    environment: &Environment,
    failure: HookFailure,
) {
    if let Ok(directories) = AppDirectories::from_environment(environment, &mut Vec::new()) {
        failures::record_failure(&directories.state, envelope, project, failure);
    }
}

/// Leaves a failure record that the daemon could not take something in.
pub(crate) fn record_drain_failure(state: &Path) {
    let [agent, event] = ["epitome", "drain"].map(str::to_owned);
    let at = crate::compose::current_time().0;
    let envelope = EventEnvelope { id: String::new(), at, agent, event, transcript_bytes: 0 };
    failures::record_failure(state, &envelope, None, HookFailure::Drain);
}

/// How long reading and keeping an event may take: shorter than agents wait, and longer than a disk that is busy.
pub(crate) const HOOK_EVENT_TIMEOUT: Duration = Duration::from_secs(5);

/// How long answering an event may take.
pub(crate) fn answer_timeout(event: &str) -> Duration {
    match agents::event_kind_named(event) {
        // The end of a turn is answered only where the user switched critique on.
        EventKind::AfterCompact | EventKind::SubagentStop | EventKind::Stop | EventKind::Start(_) => {
            Duration::from_secs(4)
        }
        EventKind::Prompt
        | EventKind::Call
        | EventKind::Result
        | EventKind::BeforeCompact
        | EventKind::End
        | EventKind::Other => Duration::from_secs(2),
    }
}

impl HookInvocation {
    /// The header of an event in the spool.
    pub(crate) fn build_envelope(&self) -> EventEnvelope {
        let digest =
            // The moment and the process together name an event on this machine.
            DigestBuilder::new("hook event").add_field(&self.now.to_le_bytes()).add_field(&self.process.to_le_bytes());
        EventEnvelope {
            id: digest.finish().to_string()[..24].to_owned(),
            at: i64::try_from(self.now / 1_000_000).unwrap_or(i64::MAX),
            agent: self.agent.clone(),
            event: self.event.clone(),
            transcript_bytes: 0,
        }
    }
}
