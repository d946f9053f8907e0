//! The log from which the window of an agent's session is known (`engine::SessionWindow`): JSON lines in the state
//! directory, a file for each conversation, written by hooks and by the MCP server that the session calls. Lines are
//! appended whole, so processes need no lock; the window is emptied by removing the file. What cannot be read, or is too
//! long, is an empty window: nothing is withheld then. Beside the logs there is a note for each call that a session has
//! announced, by which the server knows whose call it answers.

use engine::{AnnouncedCall, SeenRegion, SessionWindow};
use model::ContentHash;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// A longer log is not read: a session that long begins anew.
const MAX_LOG_BYTES: u64 = 2 << 20;

/// A window that nobody wrote to for so long is forgotten.
const RETENTION: Duration = Duration::from_hours(48);

/// What happened. Agents are named by their ids, the session itself by nothing.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub(crate) enum WindowEvent {
    /// A call to us is about to be made, behind these.
    Call { agent: String, call: String, transcript_bytes: u64, in_context: BTreeSet<String> },
    /// Our reply has these texts.
    Shown { call: String, regions: Vec<LoggedRegion> },
    /// The session got our reply.
    Received { agent: String, call: String },
    /// The session got a text of a file from its own tool.
    Read { agent: String, call: String, transcript_bytes: u64, region: LoggedRegion },
    /// The session got the result of another call.
    Result { agent: String },
    /// We sent a reference in the place of these texts.
    Withheld { agent: String, regions: Vec<LoggedRegion> },
    /// The user said something.
    Prompt { transcript_bytes: u64 },
}

/// A region of a file, by its whole path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LoggedRegion {
    path: PathBuf,
    mode: String,
    start: u32,
    end: u32,
    lines: Vec<String>,
}

impl LoggedRegion {
    /// A region of a project.
    pub(crate) fn in_project(root: &Path, region: &SeenRegion) -> Self {
        let SeenRegion { path, mode, start, end, lines } = region.clone();
        Self { path: root.join(path), mode, start, end, lines }
    }

    /// What an agent's own tool showed, by the path that it gave.
    pub(crate) fn of_file(path: PathBuf, region: SeenRegion) -> Self {
        let SeenRegion { path: _, mode, start, end, lines } = region;
        Self { path, mode, start, end, lines }
    }

    fn into_region(self) -> SeenRegion {
        let Self { path, mode, start, end, lines } = self;
        SeenRegion { path: path.to_string_lossy().into_owned(), mode, start, end, lines }
    }
}

/// Whose call one is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CallNotice {
    pub(crate) conversation: String,
    pub(crate) agent: String,
}

/// The logs in a state directory.
pub(crate) struct WindowLogs<'d> {
    state: &'d Path,
}

impl<'d> WindowLogs<'d> {
    pub(crate) fn in_directory(state: &'d Path) -> Self {
        Self { state }
    }

    fn folder(&self) -> PathBuf {
        self.state.join("windows")
    }

    fn log_path(&self, conversation: &str) -> PathBuf {
        self.folder().join(format!("{}.jsonl", file_name(conversation)))
    }

    fn notice_path(&self, call: &str) -> PathBuf {
        self.folder().join("calls").join(format!("{}.json", file_name(call)))
    }

    /// Adds what happened. Where the log has no beginning there is nothing to follow, except for what begins one.
    pub(crate) fn append(&self, conversation: &str, event: &WindowEvent) -> io::Result<()> {
        let begins = matches!(event, WindowEvent::Call { .. } | WindowEvent::Read { .. });
        let path = self.log_path(conversation);
        // What is too long is not read any more; the session begins anew.
        if begins && fs_err::metadata(&path).is_ok_and(|log| log.len() > MAX_LOG_BYTES) {
            remove_file(&path)?;
        }
        let line = format!("{}\n", serde_json::to_string(event).map_err(io::Error::other)?);
        let opened = if begins {
            crate::atomic::create_private_folder(&self.folder())?;
            fs_err::OpenOptions::new().create(true).append(true).open(path)
        } else {
            fs_err::OpenOptions::new().append(true).open(path)
        };
        match opened {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            // In one write, so that lines of several processes never mix.
            opened => opened?.write_all(line.as_bytes()),
        }
    }

    /// The window of a conversation, as far as it is known for certain.
    pub(crate) fn read_window(&self, conversation: &str) -> SessionWindow {
        let path = self.log_path(conversation);
        let is_readable = fs_err::metadata(&path).is_ok_and(|log| log.len() <= MAX_LOG_BYTES);
        let text = if is_readable { fs_err::read_to_string(&path).unwrap_or_default() } else { String::new() };
        let mut window = SessionWindow::default();
        for line in text.lines() {
            // A line that cannot be read may be one that takes something away.
            let Ok(event) = serde_json::from_str(line) else { return SessionWindow::default() };
            follow_event(&mut window, event);
        }
        window
    }

    /// Empties the window of a conversation.
    pub(crate) fn clear(&self, conversation: &str) -> io::Result<()> {
        remove_file(&self.log_path(conversation))
    }

    /// Notes whose call one is.
    pub(crate) fn announce_call(&self, call: &str, notice: &CallNotice) -> io::Result<()> {
        let path = self.notice_path(call);
        crate::atomic::create_private_folder(path.parent().expect("it is in the folder of calls"))?;
        crate::atomic::replace_unsynced(&path, &serde_json::to_string(notice).map_err(io::Error::other)?)
    }

    /// Whose call one is, where its session announced it.
    pub(crate) fn find_call(&self, call: &str) -> Option<CallNotice> {
        serde_json::from_slice(&fs_err::read(self.notice_path(call)).ok()?).ok()
    }

    /// Forgets whose call one was.
    pub(crate) fn end_call(&self, call: &str) -> io::Result<()> {
        remove_file(&self.notice_path(call))
    }

    /// Forgets windows and calls that nobody wrote to for long, and windows whose logs are too long.
    pub(crate) fn prune(&self, now: SystemTime) -> io::Result<()> {
        for folder in [self.folder(), self.folder().join("calls")] {
            let entries = match fs_err::read_dir(folder) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                entries => entries?,
            };
            for entry in entries {
                let entry = entry?;
                let file = entry.metadata()?;
                // A clock that was set back gives no age, and nothing is removed for it.
                let age = now.duration_since(file.modified()?).unwrap_or_default();
                if file.is_file() && (age > RETENTION || file.len() > MAX_LOG_BYTES) {
                    remove_file(&entry.path())?;
                }
            }
        }
        Ok(())
    }
}

fn follow_event(window: &mut SessionWindow, event: WindowEvent) {
    let all = |regions: Vec<LoggedRegion>| regions.into_iter().map(LoggedRegion::into_region);
    match event {
        WindowEvent::Call { agent, call, transcript_bytes, in_context } => {
            window.announce_call(&call, AnnouncedCall { agent, transcript_bytes, in_context });
        }
        WindowEvent::Shown { call, regions } => window.note_shown(&call, all(regions).collect()),
        WindowEvent::Received { agent, call } => window.note_received(&agent, &call),
        WindowEvent::Read { agent, call, transcript_bytes, region } => {
            window.note_read(&agent, &call, transcript_bytes, region.into_region());
        }
        WindowEvent::Result { agent } => window.note_result(&agent),
        WindowEvent::Withheld { agent, regions } => {
            all(regions).for_each(|region| window.note_withheld(&agent, &region));
        }
        WindowEvent::Prompt { transcript_bytes } => window.note_prompt(transcript_bytes),
    }
}

/// A name that any file system takes.
fn file_name(name: &str) -> String {
    ContentHash::hash_bytes(name.as_bytes()).to_string()[..32].to_owned()
}

fn remove_file(path: &Path) -> io::Result<()> {
    match fs_err::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region() -> SeenRegion {
        SeenRegion::of_exact_text("src/a.rs", 1, "one\ntwo\n").expect("a text")
    }

    fn call(agent: &str, call: &str) -> WindowEvent {
        let in_context = BTreeSet::from(["c1".to_owned()]);
        WindowEvent::Call { agent: agent.to_owned(), call: call.to_owned(), transcript_bytes: 7, in_context }
    }

    fn shown(call: &str) -> WindowEvent {
        let regions = vec![LoggedRegion::in_project(Path::new("/p"), &region())];
        WindowEvent::Shown { call: call.to_owned(), regions }
    }

    fn received(call: &str) -> WindowEvent {
        WindowEvent::Received { agent: String::new(), call: call.to_owned() }
    }

    fn seen(logs: &WindowLogs<'_>) -> Vec<String> {
        logs.read_window("s").own_texts().regions.into_iter().map(|region| region.path).collect()
    }

    #[test]
    fn what_processes_append_is_one_window_until_it_is_emptied() {
        let state = tempfile::tempdir().expect("a temporary directory");
        let logs = WindowLogs::in_directory(state.path());
        logs.append("s", &received("c0")).expect("there is nothing to follow");
        assert!(!logs.log_path("s").exists());
        for event in [call("", "c1"), shown("c1"), received("c1"), call("", "c2"), shown("c2")] {
            logs.append("s", &event).expect("it is written");
        }
        let for_call = logs.read_window("s").seen_for("c2").expect("it is announced");
        assert_eq!((seen(&logs), for_call.regions.len()), (vec!["/p/src/a.rs".to_owned()], 1));
        logs.clear("s").expect("it is removed");
        // The reply to a call from before comes after the context was emptied.
        logs.append("s", &received("c2")).expect("there is nothing to follow");
        logs.append("s", &call("", "c3")).expect("it is written");
        logs.append("s", &received("c2")).expect("it is written");
        assert!(seen(&logs).is_empty() && logs.read_window("s").seen_for("c3").is_some());
    }

    #[test]
    fn a_log_that_cannot_be_read_is_an_empty_window() {
        let state = tempfile::tempdir().expect("a temporary directory");
        let logs = WindowLogs::in_directory(state.path());
        for event in [call("", "c1"), shown("c1"), received("c1")] {
            logs.append("s", &event).expect("it is written");
        }
        assert_eq!(seen(&logs).len(), 1);
        let mut text = fs_err::read_to_string(logs.log_path("s")).expect("the log");
        text.push_str("{\"event\":\"of tomorrow\"}\n");
        fs_err::write(logs.log_path("s"), text).expect("it is written");
        assert!(seen(&logs).is_empty());
    }

    #[test]
    fn calls_are_found_until_they_end_and_old_files_are_forgotten() {
        let state = tempfile::tempdir().expect("a temporary directory");
        let logs = WindowLogs::in_directory(state.path());
        logs.prune(SystemTime::UNIX_EPOCH).expect("there is nothing to forget");
        let notice = CallNotice { conversation: "s".to_owned(), agent: "sub".to_owned() };
        logs.announce_call("c1", &notice).expect("it is written");
        logs.append("s", &call("sub", "c1")).expect("it is written");
        assert_eq!(logs.find_call("c1"), Some(notice.clone()));
        logs.end_call("c1").expect("it is removed");
        assert_eq!(logs.find_call("c1"), None);
        logs.announce_call("c2", &notice).expect("it is written");
        let written = fs_err::metadata(logs.log_path("s")).and_then(|log| log.modified()).expect("a time");
        logs.prune(written + RETENTION / 2).expect("it is looked at");
        assert!(logs.log_path("s").exists() && logs.find_call("c2").is_some());
        logs.prune(written + RETENTION * 2).expect("it is looked at");
        assert!(!logs.log_path("s").exists() && logs.find_call("c2").is_none());
    }
}
