//! `epitome hook`: what agents call when something happens. It never fails and never says anything but an answer.

use crate::config::Environment;
use crate::hook::{self, Called, Envelope};
use clap::{Arg, ArgMatches, Command};
use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::process::ExitCode;
use std::sync::mpsc;
use std::time::{SystemTime, UNIX_EPOCH};

const ABOUT: &str = "Take in what an agent says has happened; agents call this";

const LONG_ABOUT: &str = "\
Take in what an agent says has happened; agents call this

The event arrives as JSON on standard input. It is kept, without its secrets, before anything else is done; where \
there is something to tell the agent, that appears on standard output in the agent's own form. The exit status is 0 \
whatever happens: `epitome doctor` tells what went wrong.";

pub(super) fn command() -> Command {
    Command::new("hook")
        .about(ABOUT)
        .long_about(LONG_ABOUT)
        .arg(Arg::new("event").value_name("EVENT").required(true).help("What happened, in the agent's words"))
        .arg(Arg::new("agent").long("agent").value_name("NAME").default_value("claude-code").help("Whose event it is"))
}

/// Runs the command straight from the arguments when they are plain, as agents write them.
pub(crate) fn early() -> Option<ExitCode> {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).take(5).collect();
    let words: Vec<&str> = arguments.iter().map(|word| word.to_str()).collect::<Option<_>>()?;
    let (event, agent) = match words[..] {
        ["hook", event] => (event, "claude-code"),
        ["hook", event, "--agent", agent] => (event, agent),
        _ => return None,
    };
    if event.starts_with('-') {
        return None;
    }
    answer(event, agent);
    Some(ExitCode::SUCCESS)
}

pub(super) fn run(arguments: &ArgMatches) -> u8 {
    let word = |name: &str| arguments.get_one::<String>(name).map_or("", String::as_str);
    answer(word("event"), word("agent"));
    0
}

/// Events are seldom longer; reading them should not take many calls.
const EXPECTED: usize = 64 << 10;

/// Answers, while a thread watches the time: the agent goes on when that is up, whatever hangs.
fn answer(event: &str, agent: &str) {
    Pages::Small.choose();
    let mut body = Vec::with_capacity(EXPECTED);
    // What could be read of it is kept; it is found to be no JSON later.
    let _ = std::io::stdin().lock().read_to_end(&mut body);
    let called =
        Called { agent: agent.to_owned(), event: event.to_owned(), body, now: now(), process: std::process::id() };
    let (kept, is_kept) = mpsc::channel();
    let envelope = called.envelope();
    std::thread::spawn(move || watch(&is_kept, &envelope));
    let answer = hook::run(&called, &Environment::from_process(), || {
        // It listens until we end.
        let _ = kept.send(());
    });
    if let Some(answer) = answer {
        // An agent that went away needs no answer.
        let _ = writeln!(std::io::stdout(), "{answer}");
    }
}

/// Ends the process when its time is up. It hears nothing more when the work ended before.
fn watch(is_kept: &mpsc::Receiver<()>, envelope: &Envelope) {
    let is_late = |patience| is_kept.recv_timeout(patience) == Err(mpsc::RecvTimeoutError::Timeout);
    let reason = if is_late(hook::KEEPING) {
        "it could not be kept in time, and is lost"
    } else if is_late(hook::patience(&envelope.event)) {
        hook::LATE
    } else {
        return;
    };
    hook::give_up(envelope, &Environment::from_process(), reason);
    #[expect(clippy::exit, reason = "the thread that works may hang for ever, and the agent must not")]
    std::process::exit(0);
}

/// The pages that the allocator gets, in this process and those it starts.
#[derive(Clone, Copy)]
pub(super) enum Pages {
    /// As small as they come: a hook touches a few bytes of each, and clearing huge ones would be most of what it does.
    Small,
    /// Huge where it asks for them, which pays off in long work.
    Huge,
}

impl Pages {
    pub(super) fn choose(self) {
        // Where there is no such choice, it is only slower.
        #[cfg(target_os = "linux")]
        let _ = rustix::thread::disable_transparent_huge_pages(matches!(self, Self::Small));
    }
}

#[expect(clippy::disallowed_methods, reason = "an event has no other time than that of the process it arrives in")]
fn now() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos())
}
