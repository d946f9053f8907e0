//! Torture scenario: something else stands where hooks look for their daemon: a file, a dead socket, a process that never
//! answers, never ends or lies, a process of another user. Hooks keep every event, stay quick, tell agents nothing that
//! an impostor said, and tell another user nothing at all.

use std::io::{Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::os::unix::net::{UnixListener, UnixStream};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::json;

use super::home::TortureHome;
use super::{ScenarioRound, TortureScenario};

pub(super) const IMPOSTOR_SCENARIO: TortureScenario = TortureScenario {
    name: "impostor",
    what: "hook calls with an impostor in the place of the daemon",
    rounds: 110,
    least: IMPOSTORS.len(),
    prepare: None,
    run,
    beside: 1,
};

/// What stands in the place of the daemon.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ImpostorKind {
    File,
    Folder,
    /// A socket whose process is gone.
    DeadSocket,
    /// Accepts connections and says nothing.
    Silent,
    /// Accepts nothing, and its queue is full.
    Full,
    Garbage,
    /// A line that does not end.
    Endless,
    /// A line that comes byte by byte.
    Trickle,
    /// Closes every connection at once.
    Closing,
    /// A process of another user that answers as a daemon would.
    OtherUser,
    /// The same behind a link.
    LinkToOtherUser,
}

const IMPOSTORS: [ImpostorKind; 11] = [
    ImpostorKind::File,
    ImpostorKind::Folder,
    ImpostorKind::DeadSocket,
    ImpostorKind::Silent,
    ImpostorKind::Full,
    ImpostorKind::Garbage,
    ImpostorKind::Endless,
    ImpostorKind::Trickle,
    ImpostorKind::Closing,
    ImpostorKind::OtherUser,
    ImpostorKind::LinkToOtherUser,
];

/// The longest that a hook may take: keeping an event has 5 s, an answer 4 s, and the machine may be busy.
const MAX_HOOK_TIME: Duration = Duration::from_secs(12);
/// What an impostor says, and what only the user may know.
const LIE: &str = "liesofanimpostor";
const SECRET: &str = "tenantsecretofthehook";
/// The queue of a socket is no longer than this on any system.
const LONGEST_QUEUE: usize = 5_000;
/// The user that stands for another one.
const NOBODY_ID: u32 = 65_534;
/// How a process of this program is told to be an impostor.
pub(super) const IMPOSTOR_ARGUMENT: &str = "--impostor";

fn run(round: &mut ScenarioRound<'_>) -> Result<u64> {
    let kind = IMPOSTORS[round.number % IMPOSTORS.len()];
    let home = round.new_home("home");
    // Hooks that find no daemon start one, which would take the place: it leaves at once.
    let home = home.with_variable("EPITOME_HOOKS_DAEMON_SECONDS", "1");
    fs_err::create_dir_all(&home.folder)?;
    let said = "The quixotic header parser counts bytes instead of characters.";
    feed_hook(&home.with_variable("EPITOME_HOOKS_DAEMON_SECONDS", "0"), "UserPromptSubmit", "before", said)?;
    home.read_output(&["drain"])?;
    let socket = home.folder.join("state/daemon.sock");
    fs_err::create_dir_all(home.folder.join("state"))?;
    let impostor = Impostor::place(kind, &socket)?;
    // Variables of this kind go to the daemon with every question.
    let secretive = home.with_variable("XDG_TORTURE_SECRET", SECRET);
    let calls = 1 + round.chance.number_below(3);
    for call in 0..calls {
        let session = format!("s{call}");
        let started = Instant::now();
        let question = format!("Question {call}: what about the quixotic header parser and its bytes?");
        let told = feed_hook(&secretive, "UserPromptSubmit", &session, &question)?;
        feed_hook(&secretive, "Stop", &session, "")?;
        let elapsed = started.elapsed();
        ensure!(elapsed < 2 * MAX_HOOK_TIME, "{kind:?}: two hooks took {elapsed:?}");
        ensure!(!told.contains(LIE), "{kind:?}: an agent was told {told}");
    }
    let heard = impostor.heard()?;
    ensure!(heard.is_empty(), "{kind:?} was told: {heard:.500}");
    drop(impostor);
    home.read_output(&["drain"])?;
    for call in 0..calls {
        let messages = home.read_messages(&format!("claude-code:s{call}"))?;
        let stored = messages
            .iter()
            .filter(|message| message["content"].as_str().is_some_and(|text| text.starts_with("Question")))
            .count();
        ensure!(stored == 1, "{kind:?}: session {call} has its question {stored} times");
    }
    home.run_verify()?;
    Ok(2 * calls)
}

/// Calls a hook, which is silent and succeeds; gives its answer.
fn feed_hook(home: &TortureHome, event: &str, session: &str, prompt: &str) -> Result<String> {
    let body = json!({ "session_id": session, "cwd": home.folder, "prompt": prompt });
    let mut command = home.build_command(&["hook", event]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().context("cannot start epitome")?;
    child.stdin.take().context("standard input")?.write_all(body.to_string().as_bytes())?;
    let output = child.wait_with_output()?;
    ensure!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// What stands there, until it is dropped.
struct Impostor {
    /// A process of another user, and where it writes what it hears.
    child: Option<(Child, PathBuf)>,
}

impl Impostor {
    fn place(kind: ImpostorKind, socket: &Path) -> Result<Self> {
        let mut impostor = Self { child: None };
        match kind {
            ImpostorKind::File => fs_err::write(socket, "no socket")?,
            ImpostorKind::Folder => fs_err::create_dir(socket)?,
            ImpostorKind::DeadSocket => drop(UnixListener::bind(socket)?),
            ImpostorKind::Full => {
                let listener = UnixListener::bind(socket)?;
                let path = socket.to_owned();
                // Connections wait until the queue is full; then the next one would wait for ever.
                std::thread::spawn(move || {
                    let waiting: Vec<_> = (0..LONGEST_QUEUE).map_while(|_| UnixStream::connect(&path).ok()).collect();
                    drop(waiting);
                });
                std::thread::spawn(move || {
                    std::thread::sleep(Duration::from_mins(2));
                    drop(listener);
                });
                std::thread::sleep(Duration::from_millis(200));
            }
            ImpostorKind::Silent
            | ImpostorKind::Garbage
            | ImpostorKind::Endless
            | ImpostorKind::Trickle
            | ImpostorKind::Closing => {
                let listener = UnixListener::bind(socket)?;
                std::thread::spawn(move || {
                    for stream in listener.incoming().flatten() {
                        std::thread::spawn(move || serve_badly(kind, stream));
                    }
                });
            }
            ImpostorKind::OtherUser | ImpostorKind::LinkToOtherUser => {
                // Only root can be another user as well; elsewhere there is nothing to try.
                if fs_err::metadata("/proc/self")?.uid() == 0 {
                    let own = std::env::temp_dir().join(format!("epitome-impostor-{}", std::process::id()));
                    impostor.child = Some(start_other_user(&own)?);
                    if kind == ImpostorKind::OtherUser {
                        // Another name of the socket itself, where both lie on one disk: what counts is who listens.
                        fs_err::hard_link(own.join("sock"), socket).or_else(|_| symlink(own.join("sock"), socket))?;
                    } else {
                        symlink(own.join("sock"), socket)?;
                    }
                }
            }
        }
        Ok(impostor)
    }

    /// What a process of another user heard.
    fn heard(&self) -> Result<String> {
        match &self.child {
            Some((_, folder)) => Ok(fs_err::read_to_string(folder.join("heard"))?),
            None => Ok(String::new()),
        }
    }
}

impl Drop for Impostor {
    fn drop(&mut self) {
        if let Some((child, folder)) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
            let _ = fs_err::remove_dir_all(folder);
        }
    }
}

fn serve_badly(kind: ImpostorKind, mut stream: UnixStream) {
    match kind {
        ImpostorKind::Garbage => {
            let _ = stream.write_all(b"\x00\xff{\"version\":[]}}}\n");
        }
        ImpostorKind::Endless => while stream.write_all(&[b'x'; 8_192]).is_ok() {},
        ImpostorKind::Trickle => {
            while stream.write_all(b" ").is_ok() {
                std::thread::sleep(Duration::from_millis(20));
            }
        }
        ImpostorKind::Silent => drop(stream.read_to_end(&mut Vec::new())),
        ImpostorKind::File
        | ImpostorKind::Folder
        | ImpostorKind::DeadSocket
        | ImpostorKind::Full
        | ImpostorKind::Closing
        | ImpostorKind::OtherUser
        | ImpostorKind::LinkToOtherUser => {}
    }
}

/// Starts this program as another user who listens in a folder.
fn start_other_user(folder: &Path) -> Result<(Child, PathBuf)> {
    let _ = fs_err::remove_dir_all(folder);
    fs_err::create_dir_all(folder)?;
    fs_err::set_permissions(folder, std::fs::Permissions::from_mode(0o777))?;
    // A copy, because the other user may not reach the directory of the build.
    let program = folder.join("impostor");
    fs_err::copy(crate::process::own_program()?, &program)?;
    fs_err::set_permissions(&program, std::fs::Permissions::from_mode(0o755))?;
    let mut command = Command::new(&program);
    command.args(["torture", IMPOSTOR_ARGUMENT]).arg(folder).uid(NOBODY_ID).gid(NOBODY_ID).current_dir("/");
    let child = command.stdin(Stdio::null()).spawn().context("cannot start the impostor")?;
    let until = Instant::now() + Duration::from_secs(20);
    while !folder.join("sock").exists() {
        if Instant::now() > until {
            bail!("the impostor does not listen");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok((child, folder.to_owned()))
}

/// What the other user does: hears everything, and answers as a daemon would.
pub(super) fn be_impostor(folder: &Path) -> Result<()> {
    let mut heard = fs_err::OpenOptions::new().create(true).append(true).open(folder.join("heard"))?;
    let listener = UnixListener::bind(folder.join("sock"))?;
    fs_err::set_permissions(folder.join("sock"), std::fs::Permissions::from_mode(0o777))?;
    for mut stream in listener.incoming().flatten() {
        stream.set_read_timeout(Some(Duration::from_secs(2)))?;
        let reply = json!({ "version": "0.0.0", "process": 1, "outcome": "told", "text": LIE });
        let _ = stream.write_all(format!("{reply}\n").as_bytes());
        let mut bytes = vec![0; 65_536];
        while let Ok(count @ 1..) = stream.read(&mut bytes) {
            heard.write_all(&bytes[..count])?;
        }
    }
    Ok(())
}
