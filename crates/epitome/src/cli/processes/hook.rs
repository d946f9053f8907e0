//! The command `epitome hook`, which agents run at a hook event: reads the event from standard input, keeps it, prints
//! an answer. The command never fails and prints nothing but an answer.

mod arguments;
mod stdin;

use crate::config::Environment;
use crate::detach::spawn_detached_with;
use crate::hook::{self, HookFailure, HookInvocation};
use agents::EventEnvelope;
use arguments::HookArguments;
use clap::{Arg, Command};
use model::ProjectId;
use std::ffi::OsString;
use std::io::Write as _;
use std::panic::AssertUnwindSafe;
use std::process::ExitCode;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{SystemTime, UNIX_EPOCH};
use stdin::HookInput;

const ABOUT_TEXT: &str = "Take in what an agent says has happened; agents call this";

const LONG_ABOUT: &str = "\
Take in what an agent says has happened; agents call this

The event arrives as JSON on standard input. It is kept, without its secrets, before anything else is done; where \
there is something to tell the agent, that appears on standard output in the agent's own form. The exit status is 0 \
whatever happens, and an argument that is not known is passed over: `epitome doctor` tells what went wrong.";

pub(in crate::cli) fn build_command() -> Command {
    Command::new("hook")
        .about(ABOUT_TEXT)
        .long_about(LONG_ABOUT)
        .arg(
            Arg::new("event")
                .value_name("EVENT")
                .help("What happened, in the agent's words (default: what the body says)"),
        )
        .arg(
            Arg::new("agent")
                .long("agent")
                .value_name("NAME")
                .default_value(agents::USUAL_AGENT)
                .help("Whose event it is"),
        )
}

/// Runs the command straight from the arguments, without the rest of the command line: that would refuse what it does not
/// know, and an agent takes a refusal for a reason to stop. None where another command is meant, or help.
pub(crate) fn run_early() -> Option<ExitCode> {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    answer_event(&HookArguments::parse_words(&words)?);
    Some(ExitCode::SUCCESS)
}

/// A longer event takes seconds to scrub and to write: it is left to a process that the agent does not wait for, and is
/// not answered.
const DETACH_THRESHOLD_BYTES: usize = 4 << 20;

/// Answers, while a thread watches the time: the agent goes on when that is up, whatever hangs.
fn answer_event(line: &HookArguments) {
    // A panic is recorded as a failure; printed, the agent would show it to its user, or stop.
    std::panic::set_hook(Box::new(|_| {}));
    let agent = line.agent.clone();
    let event = line.event.clone();
    let process = std::process::id();
    let mut called = HookInvocation {
        agent,
        event,
        body: Vec::new(),
        cut: None,
        wants_answer: line.is_plain,
        now: unix_nanos(),
        process,
    };
    // The envelope is made before the body is read, so that the watchdog can record whose event was lost.
    let envelope = called.build_envelope();
    let (kept, is_kept) = mpsc::channel();
    // The process that was left behind reads from us and has no agent that waits.
    if line.is_left_behind {
        called.body = HookInput::read_to_end().body;
    } else {
        let watched = envelope.clone();
        // Started before standard input is read, since an agent may keep its end open for ever.
        std::thread::spawn(move || watch_deadline(&is_kept, &watched));
        let HookInput { body, cut } = HookInput::read_stdin();
        // A body of megabytes takes seconds to scrub, longer than an agent waits.
        if body.len() > DETACH_THRESHOLD_BYTES && spawn_detached_with(&line.left_behind(), &body) {
            if let Some(failure) = cut {
                hook::record_event_failure(&envelope, None, &Environment::from_process(), failure);
            }
            return;
        }
        (called.body, called.cut) = (body, cut);
    }
    let environment = Environment::from_process();
    let work = || {
        hook::run(&called, &environment, |project| {
            // The watchdog listens until this process ends, if there is one.
            let _ = kept.send(project);
        })
    };
    // A defect of ours must not become an exit status that the agent understands as "stop".
    let answer = std::panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        hook::record_event_failure(&envelope, None, &environment, HookFailure::Defect);
        None
    });
    if let Some(answer) = answer {
        // An agent that went away needs no answer.
        let _ = writeln!(std::io::stdout(), "{answer}");
    }
}

/// Ends the process when its time is up, unless the work ended before.
fn watch_deadline(is_kept: &mpsc::Receiver<Option<ProjectId>>, envelope: &EventEnvelope) {
    // The first limit covers keeping the event, which matters more than any answer.
    let (project, failure) = match is_kept.recv_timeout(hook::HOOK_EVENT_TIMEOUT) {
        Err(RecvTimeoutError::Timeout) => (None, HookFailure::NotKept),
        Err(RecvTimeoutError::Disconnected) => return,
        // The event is kept from here on; only the answer can still be late.
        Ok(project) => match is_kept.recv_timeout(hook::answer_timeout(&envelope.event)) {
            Err(RecvTimeoutError::Timeout) => (project, HookFailure::Late),
            Ok(_) | Err(RecvTimeoutError::Disconnected) => return,
        },
    };
    hook::record_event_failure(envelope, project.as_ref(), &Environment::from_process(), failure);
    #[expect(clippy::exit, reason = "the thread that works may hang for ever, and the agent must not")]
    // The main thread may hang in a read or a lock, so the whole process ends here; 0 lets the agent go on.
    std::process::exit(0);
}

#[expect(clippy::disallowed_methods, reason = "an event has no other time than that of the process it arrives in")]
fn unix_nanos() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos())
}
