//! Client of the daemon, for hooks and commands: blocking socket calls with short timeouts, because an agent waits
//! behind them. Where no daemon runs, it starts one.

use super::VERSION;
use super::wire::{self, DaemonCommand, DaemonOutcome, DaemonReply, DaemonRequest, socket_path};
use crate::config::{AppDirectories, Environment};
use crate::detach::spawn_detached;
use agents::HookEvent;
use std::ffi::OsStr;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

/// How long the daemon may take to say who it is.
const DAEMON_REPLY_TIMEOUT: Duration = Duration::from_secs(1);

/// What became of a question.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum DaemonAnswer {
    /// The text for the agent, or why it could not be worked out.
    Answered(Result<Option<String>, String>),
    /// No daemon answers, or it declined.
    Nobody,
}

/// A daemon that runs.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct DaemonProcess {
    pub(crate) version: String,
    pub(crate) process: u32,
}

/// Asks the daemon for the answer to an event, for as long as there is patience. Where no daemon runs, one is started for the next time.
pub(crate) fn request_answer(
    event: &HookEvent,
    environment: &Environment,
    directories: &AppDirectories,
    patience: Duration,
) -> DaemonAnswer {
    // The wire is JSON, which holds text only; such a body is answered in this process.
    let Ok(body) = String::from_utf8(event.bytes.clone()) else { return DaemonAnswer::Nobody };
    let question =
        wire::AnswerRequest { envelope: event.envelope.clone(), body, environment: environment.setting_variables() };
    match exchange_request(&directories.state, DaemonCommand::Answer(Box::new(question)), patience)
        .map(|reply| reply.outcome)
    {
        Ok(DaemonOutcome::Told { text }) => DaemonAnswer::Answered(Ok(text)),
        Ok(DaemonOutcome::Failed { reason }) => DaemonAnswer::Answered(Err(reason)),
        // The daemon is of another version or has another store open: the hook does the work itself.
        Ok(DaemonOutcome::Declined | DaemonOutcome::Done) => DaemonAnswer::Nobody,
        Err(_) => {
            spawn_daemon(directories);
            DaemonAnswer::Nobody
        }
    }
}

/// Has what waits in the spool taken in, by the daemon that runs or by one that is left behind.
pub(crate) fn request_drain(directories: &AppDirectories) {
    let told = connect_socket(&directories.state, DAEMON_REPLY_TIMEOUT)
        .and_then(|mut stream| send_request(&mut stream, DaemonCommand::Drain));
    if told.is_err() {
        spawn_daemon(directories);
    }
}

/// The daemon that runs, if one does.
pub(crate) fn ping_daemon(state: &Path) -> Option<DaemonProcess> {
    let DaemonReply { version, process, .. } =
        exchange_request(state, DaemonCommand::State, DAEMON_REPLY_TIMEOUT).ok()?;
    Some(DaemonProcess { version, process })
}

/// Has the daemon leave; whether there was one.
pub(crate) fn stop_daemon(state: &Path) -> bool {
    exchange_request(state, DaemonCommand::Stop, DAEMON_REPLY_TIMEOUT).is_ok()
}

fn spawn_daemon(directories: &AppDirectories) {
    // Not in the directory where the agent works: that one may be deleted before the daemon ends.
    let _ = spawn_detached(&["daemon", "--quiet"].map(OsStr::new), Some(&directories.data));
}

fn connect_socket(state: &Path, patience: Duration) -> io::Result<UnixStream> {
    let stream = UnixStream::connect(socket_path(state))?;
    // A daemon that hangs must not make the agent wait longer than the hook's own limit.
    stream.set_read_timeout(Some(patience))?;
    stream.set_write_timeout(Some(patience))?;
    Ok(stream)
}

fn send_request(stream: &mut UnixStream, ask: DaemonCommand) -> io::Result<()> {
    let mut line = serde_json::to_vec(&DaemonRequest { version: VERSION.to_owned(), ask })?;
    line.push(b'\n');
    stream.write_all(&line)
}

fn exchange_request(state: &Path, ask: DaemonCommand, patience: Duration) -> io::Result<DaemonReply> {
    let mut stream = connect_socket(state, patience)?;
    send_request(&mut stream, ask)?;
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line)?;
    Ok(serde_json::from_str(&line)?)
}
