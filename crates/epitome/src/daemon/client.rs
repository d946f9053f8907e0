//! The hook's end: plain blocking calls with short patience, because an agent waits behind them.

use super::VERSION;
use super::wire::{self, Ask, Outcome, Question, Reply, socket};
use crate::behind::leave_behind;
use crate::config::{Directories, Environment};
use crate::hook::{self, Event};
use std::ffi::OsStr;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

/// How long the daemon may take to say who it is.
const PATIENCE: Duration = Duration::from_secs(1);

/// What became of a question.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// What the agent is to be told, or why that could not be worked out.
    Answered(Result<Option<String>, String>),
    /// There is nobody who answers.
    Nobody,
}

/// A daemon that runs.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Running {
    pub(crate) version: String,
    pub(crate) process: u32,
}

/// Asks for the answer to an event. Where nobody is there to give it, one is left behind for the next time.
pub(crate) fn ask(event: &Event, environment: &Environment, directories: &Directories) -> Asked {
    let Ok(body) = String::from_utf8(event.bytes.clone()) else { return Asked::Nobody };
    let question = wire::Asked { envelope: event.envelope.clone(), body, environment: environment.settings() };
    // Where it takes too long, there must be time left to work it out here.
    let patience = hook::patience(&event.envelope.event) * 3 / 5;
    match talk(&directories.state, Ask::Answer(Box::new(question)), patience).map(|reply| reply.outcome) {
        Ok(Outcome::Told { text }) => Asked::Answered(Ok(text)),
        Ok(Outcome::Failed { reason }) => Asked::Answered(Err(reason)),
        Ok(Outcome::Declined | Outcome::Done) => Asked::Nobody,
        Err(_) => {
            leave_daemon(directories);
            Asked::Nobody
        }
    }
}

/// Has what waits in the spool taken in, by the daemon that runs or by one that is left behind.
pub(crate) fn poke(directories: &Directories) {
    let told = connect(&directories.state, PATIENCE).and_then(|mut stream| say(&mut stream, Ask::Drain));
    if told.is_err() {
        leave_daemon(directories);
    }
}

/// The daemon that runs, if one does.
pub(crate) fn look(state: &Path) -> Option<Running> {
    let Reply { version, process, .. } = talk(state, Ask::State, PATIENCE).ok()?;
    Some(Running { version, process })
}

/// Has the daemon leave; whether there was one.
pub(crate) fn stop(state: &Path) -> bool {
    talk(state, Ask::Stop, PATIENCE).is_ok()
}

fn leave_daemon(directories: &Directories) {
    // Not where the agent works: that directory may go before the daemon does.
    let _ = leave_behind(&["daemon", "--quiet"].map(OsStr::new), Some(&directories.data));
}

fn connect(state: &Path, patience: Duration) -> io::Result<UnixStream> {
    let stream = UnixStream::connect(socket(state))?;
    stream.set_read_timeout(Some(patience))?;
    stream.set_write_timeout(Some(patience))?;
    Ok(stream)
}

fn say(stream: &mut UnixStream, ask: Ask) -> io::Result<()> {
    let mut line = serde_json::to_vec(&Question { version: VERSION.to_owned(), ask })?;
    line.push(b'\n');
    stream.write_all(&line)
}

fn talk(state: &Path, ask: Ask, patience: Duration) -> io::Result<Reply> {
    let mut stream = connect(state, patience)?;
    say(&mut stream, ask)?;
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line)?;
    Ok(serde_json::from_str(&line)?)
}
