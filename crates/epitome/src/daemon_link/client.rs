//! Client of the daemon, for hooks and commands: socket calls that end at a deadline whatever is at the other end, because
//! an agent waits behind them. Where no daemon runs, it starts one.
//!
//! What listens at the place of the daemon may be anything: it is asked only if it runs as this user, because the question
//! holds what was said and the settings, and its answer is told to an agent.

use super::VERSION;
use super::wire::{self, DaemonCommand, DaemonOutcome, DaemonReply, DaemonRequest, socket_path};
use crate::config::{AppDirectories, Environment};
use crate::detach::spawn_detached;
use agents::HookEvent;
use std::ffi::OsStr;
use std::io::{self, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long the daemon may take to say who it is.
const DAEMON_REPLY_TIMEOUT: Duration = Duration::from_secs(1);

/// The longest reply that is read: far more than an agent is ever told.
const MAX_REPLY_BYTES: usize = 4 << 20;

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
    /// For how long it runs, where it says so.
    pub(crate) uptime_s: Option<u64>,
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
    let DaemonReply { version, process, uptime_s, .. } =
        exchange_request(state, DaemonCommand::State, DAEMON_REPLY_TIMEOUT).ok()?;
    Some(DaemonProcess { version, process, uptime_s })
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
    let stream = open_socket(&socket_path(state))?;
    check_peer(&stream, &socket_path(state))?;
    // A daemon that hangs must not make the agent wait longer than the hook's own limit.
    stream.set_read_timeout(Some(patience))?;
    stream.set_write_timeout(Some(patience))?;
    Ok(stream)
}

/// Connects without waiting: a socket whose queue is full and that accepts no connection would hold the agent up.
fn open_socket(path: &Path) -> io::Result<UnixStream> {
    use rustix::net::{AddressFamily, SocketAddrUnix, SocketType, connect, socket};
    let socket = socket(AddressFamily::UNIX, SocketType::STREAM, None)?;
    // A daemon that is started from here must not inherit the connection.
    rustix::io::fcntl_setfd(&socket, rustix::io::FdFlags::CLOEXEC)?;
    let stream = UnixStream::from(socket);
    stream.set_nonblocking(true)?;
    connect(&stream, &SocketAddrUnix::new(path)?)?;
    stream.set_nonblocking(false)?;
    Ok(stream)
}

/// Refuses a daemon of another user. Root could read everything anyway.
fn check_peer(stream: &UnixStream, path: &Path) -> io::Result<()> {
    let own = rustix::process::geteuid().as_raw();
    let theirs = peer_user(stream, path)?;
    if theirs == own || theirs == 0 {
        return Ok(());
    }
    Err(io::Error::new(io::ErrorKind::PermissionDenied, format!("the daemon runs as user {theirs}")))
}

/// The user of the process that listens.
#[cfg(target_os = "linux")]
fn peer_user(stream: &UnixStream, _path: &Path) -> io::Result<u32> {
    Ok(rustix::net::sockopt::socket_peercred(stream)?.uid.as_raw())
}

/// The same where the system does not tell it of a connection: who made the socket.
#[cfg(not(target_os = "linux"))]
fn peer_user(_stream: &UnixStream, path: &Path) -> io::Result<u32> {
    Ok(std::os::unix::fs::MetadataExt::uid(&fs_err::symlink_metadata(path)?))
}

fn send_request(stream: &mut UnixStream, ask: DaemonCommand) -> io::Result<()> {
    let mut line = serde_json::to_vec(&DaemonRequest { version: VERSION.to_owned(), ask })?;
    line.push(b'\n');
    stream.write_all(&line)
}

fn exchange_request(state: &Path, ask: DaemonCommand, patience: Duration) -> io::Result<DaemonReply> {
    let deadline = Instant::now() + patience;
    let mut stream = connect_socket(state, patience)?;
    send_request(&mut stream, ask)?;
    Ok(serde_json::from_slice(&read_line_until(&mut stream, deadline)?)?)
}

/// One line, or what came before the end. The deadline holds for all of it: a timeout of the socket begins anew with
/// every byte.
fn read_line_until(stream: &mut UnixStream, deadline: Instant) -> io::Result<Vec<u8>> {
    let mut line = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        stream.set_read_timeout(Some(left))?;
        let count = stream.read(&mut piece)?;
        line.extend_from_slice(&piece[..count]);
        if let Some(end) = memchr::memchr(b'\n', &line) {
            line.truncate(end);
            return Ok(line);
        }
        if count == 0 {
            return Ok(line);
        }
        if line.len() > MAX_REPLY_BYTES {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the reply does not end"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;

    /// A state directory in which something listens that does this with the first connection.
    fn with_impostor(act: impl FnOnce(UnixStream) + Send + 'static) -> tempfile::TempDir {
        let state = tempfile::tempdir().expect("a temporary directory");
        let listener = UnixListener::bind(socket_path(state.path())).expect("it listens");
        std::thread::spawn(move || {
            if let Ok((stream, _)) = listener.accept() {
                act(stream);
            }
        });
        state
    }

    #[test]
    fn a_reply_that_never_ends_is_given_up() {
        let endless = with_impostor(|mut stream| while stream.write_all(&[b'x'; 4096]).is_ok() {});
        let trickle = with_impostor(|mut stream| {
            while stream.write_all(b" ").is_ok() {
                std::thread::sleep(Duration::from_millis(5));
            }
        });
        let silent = with_impostor(|stream| {
            let _ = stream.set_read_timeout(Some(Duration::from_mins(1)));
            let _ = std::io::copy(&mut &stream, &mut io::sink());
        });
        for state in [endless, trickle, silent] {
            let told = exchange_request(state.path(), DaemonCommand::State, Duration::from_millis(200));
            assert!(told.is_err(), "{told:?}");
        }
    }

    #[test]
    fn a_socket_that_accepts_nobody_is_given_up() {
        let state = tempfile::tempdir().expect("a temporary directory");
        let _listener = UnixListener::bind(socket_path(state.path())).expect("it listens");
        let mut waiting = Vec::new();
        // The queue is as long as the system lets it be.
        let refused = (0..100_000).find_map(|_| match open_socket(&socket_path(state.path())) {
            Ok(stream) => {
                waiting.push(stream);
                (waiting.len() > 900).then_some(None)
            }
            Err(error) => Some(Some(error)),
        });
        if let Some(Some(error)) = refused {
            assert_eq!(error.kind(), io::ErrorKind::WouldBlock, "{error}");
        }
    }

    #[test]
    fn files_and_folders_in_its_place_are_no_daemon() {
        for place in [|path: &Path| fs_err::write(path, "no socket"), |path: &Path| fs_err::create_dir(path)] {
            let state = tempfile::tempdir().expect("a temporary directory");
            place(&socket_path(state.path())).expect("it is made");
            assert_eq!(ping_daemon(state.path()), None);
        }
    }
}
