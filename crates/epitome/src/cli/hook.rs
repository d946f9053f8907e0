//! `epitome hook`: what agents call when something happens. It never fails and never says anything but an answer.

use crate::config::Environment;
use crate::hook::{self, Called};
use clap::{Arg, ArgMatches, Command};
use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::process::ExitCode;
use std::sync::mpsc;
use std::time::{SystemTime, UNIX_EPOCH};

const ABOUT: &str = "Take in what an agent says has happened; agents call this";

const LONG_ABOUT: &str = "\
Take in what an agent says has happened; agents call this

The event arrives as JSON on standard input. It is kept, without its secrets, before anything else is done; where there
is something to tell the agent, that appears on standard output in the agent's own form. The exit status is 0 whatever
happens: `epitome doctor` tells what went wrong.";

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

/// Works on a thread of its own, so that the agent goes on when our time is up, whatever hangs.
fn answer(event: &str, agent: &str) {
    let mut body = Vec::new();
    // What could be read of it is kept; it is found to be no JSON later.
    let _ = std::io::stdin().lock().read_to_end(&mut body);
    let called =
        Called { agent: agent.to_owned(), event: event.to_owned(), body, now: now(), process: std::process::id() };
    let environment = Environment::from_process();
    let (kept, is_kept) = mpsc::channel();
    let (answered, answer) = mpsc::channel();
    let (for_thread, variables) = (called.clone(), environment.clone());
    std::thread::spawn(move || {
        // Whoever has given up does not listen any more.
        let answer = hook::run(&for_thread, &variables, || {
            let _ = kept.send(());
        });
        let _ = answered.send(answer);
    });
    // It is closed without a word where nothing could be kept; the answer then says why.
    if is_kept.recv_timeout(hook::KEEPING) == Err(mpsc::RecvTimeoutError::Timeout) {
        return hook::give_up(&called, &environment, "it could not be kept in time, and is lost");
    }
    match answer.recv_timeout(hook::patience(&called)) {
        Ok(Some(answer)) => {
            // An agent that went away needs no answer.
            let _ = writeln!(std::io::stdout(), "{answer}");
        }
        Ok(None) => {}
        Err(_) => hook::give_up(&called, &environment, "it was kept, but the answer took too long"),
    }
}

#[expect(clippy::disallowed_methods, reason = "an event has no other time than that of the process it arrives in")]
fn now() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos())
}
