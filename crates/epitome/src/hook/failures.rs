//! A log of hook failures, for `epitome doctor` and the next injected text, because an agent never sees them. A record
//! holds the kind of failure, never the text of an error or a file: both may quote a repository of untrusted authors,
//! and an agent would take it for the words of Epitome. A record belongs to a project, and only agents that work there
//! get a note about it.

use agents::EventEnvelope;
use model::ProjectId;
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// What can go wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum HookFailure {
    ProjectFile,
    Settings,
    ProjectRules,
    NoObject,
    NoEvent,
    Unfinished,
    TooLong,
    ScrubKey,
    SpoolFull,
    SpoolDenied,
    Spool,
    NotKept,
    Late,
    Answer,
    Drain,
    Defect,
    /// Left by a version that wrote other kinds.
    #[default]
    #[serde(other)]
    Unknown,
}

impl HookFailure {
    /// Why the spool could not be written. Only the kind of an error is used: its text may contain content of the
    /// session.
    pub(super) fn from_spool_error(error: &io::Error) -> Self {
        use io::ErrorKind::{PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull};
        // Only the kind is looked at, because the text of an error may contain a path that a stranger chose.
        let is_one_of = |kinds: [io::ErrorKind; 2]| kinds.contains(&error.kind());
        if is_one_of([StorageFull, QuotaExceeded]) {
            Self::SpoolFull
        } else if is_one_of([PermissionDenied, ReadOnlyFilesystem]) {
            Self::SpoolDenied
        } else {
            Self::Spool
        }
    }

    /// The sentence for it, which is the same whatever the cause was.
    pub(crate) fn as_sentence(self) -> &'static str {
        match self {
            Self::ProjectFile => ".epitome.toml of this project cannot be read, so only the settings of the user hold",
            Self::Settings => "the settings of the user cannot be read",
            Self::ProjectRules => {
                "rules for secrets in .epitome.toml of this project were not followed: they took too long, or would \
                 have replaced too much"
            }
            Self::NoObject => "what came on standard input is no JSON object",
            Self::NoEvent => "it was called without the name of an event",
            Self::Unfinished => "standard input was not closed in time, and what had come by then was kept",
            Self::TooLong => "standard input was longer than 256 MiB, and what had come by then was put aside",
            Self::ScrubKey => "the key for placeholders cannot be read or made",
            Self::SpoolFull => "it could not be written to the spool, and is lost: the disk is full",
            Self::SpoolDenied => "it could not be written to the spool, and is lost: writing there is not allowed",
            Self::Spool => "it could not be written to the spool, and is lost",
            Self::NotKept => "it could not be kept in time, and is lost",
            Self::Late => "it was kept, but the answer took too long",
            Self::Answer => "it was kept, but the answer could not be worked out",
            Self::Drain => "events of hooks could not be stored",
            Self::Defect => "it met a defect in epitome",
            Self::Unknown => "an earlier version wrote down what went wrong",
        }
    }
}

/// One failure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FailureRecord {
    pub(crate) at: i64,
    pub(crate) agent: String,
    pub(crate) event: String,
    #[serde(default)]
    pub(crate) failure: HookFailure,
    /// The id of the project it happened in; none where that was not known, or does not matter.
    #[serde(default)]
    pub(crate) project: Option<String>,
}

/// More than a report shows; a hook that fails every time must not fill the disk.
const MOST_BYTES: u64 = 256 * 1024;
/// Names of agents and events are shorter.
const MOST_CHARACTERS: usize = 80;

fn failures_path(state: &Path) -> PathBuf {
    state.join("hooks.jsonl")
}

/// Adds a record. Where even that fails, the failure goes unreported: the agent must not see it.
pub(crate) fn record_failure(
    state: &Path,
    envelope: &EventEnvelope,
    project: Option<&ProjectId>,
    failure: HookFailure,
) {
    // The names come from the command line of an agent, and an agent reads the record later.
    let name = |text: &str| text.chars().filter(|letter| !letter.is_control()).take(MOST_CHARACTERS).collect();
    let failure = FailureRecord {
        at: envelope.at,
        agent: name(&envelope.agent),
        event: name(&envelope.event),
        failure,
        project: project.map(ToString::to_string),
    };
    let _ = append_failure(state, &failure);
}

fn append_failure(state: &Path, failure: &FailureRecord) -> io::Result<()> {
    crate::atomic::create_private_folder(state)?;
    let mut file = fs_err::OpenOptions::new().create(true).append(true).open(failures_path(state))?;
    // A hook that fails every time must not fill the disk; the first failures are enough to find the cause.
    if file.metadata()?.len() > MOST_BYTES {
        return Ok(());
    }
    file.write_all(format!("{}\n", serde_json::to_string(failure).map_err(io::Error::other)?).as_bytes())
}

/// The failures that were recorded, oldest first.
pub(crate) fn read_failures(state: &Path) -> Vec<FailureRecord> {
    let text = fs_err::read_to_string(failures_path(state)).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Takes them away, once the user has dealt with them (`doctor` with its fix).
pub(crate) fn clear_failures(state: &Path) -> io::Result<()> {
    match fs_err::remove_file(failures_path(state)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// One line for an agent about failures in its own project, or outside of any project.
pub(crate) fn render_failures(state: &Path, project: &ProjectId) -> Option<String> {
    let project = project.to_string();
    let is_told = |failure: &FailureRecord| failure.project.as_ref().is_none_or(|own| *own == project);
    let failures: Vec<FailureRecord> = read_failures(state).into_iter().filter(is_told).collect();
    let last = failures.last()?;
    let times = if failures.len() == 1 { "once".to_owned() } else { format!("{} times", failures.len()) };
    let sentence = last.failure.as_sentence();
    Some(format!(
        "epitome: a hook failed {times}, the last time because of this: {sentence}. `epitome doctor` says more."
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::DigestBuilder;
    use serde_json::json;

    fn envelope(agent: &str, event: &str) -> EventEnvelope {
        let [id, agent, event] = ["e1", agent, event].map(str::to_owned);
        EventEnvelope { id, at: 1_000, agent, event, transcript_bytes: 0 }
    }

    fn project(name: &str) -> ProjectId {
        ProjectId::from_hash(DigestBuilder::new("project").add_field(name.as_bytes()).finish())
    }

    #[test]
    fn a_mark_is_told_in_its_own_project_only() {
        let state = tempfile::tempdir().expect("a temporary directory");
        let envelope = envelope("claude-code", "Stop");
        record_failure(state.path(), &envelope, Some(&project("one")), HookFailure::ProjectFile);
        assert!(
            render_failures(state.path(), &project("one"))
                .is_some_and(|line| line.contains(".epitome.toml of this project"))
        );
        assert_eq!(render_failures(state.path(), &project("two")), None);
        record_failure(state.path(), &envelope, None, HookFailure::Settings);
        assert!(render_failures(state.path(), &project("two")).is_some_and(|line| line.contains("once")));
        assert!(render_failures(state.path(), &project("one")).is_some_and(|line| line.contains("2 times")));
    }

    #[test]
    fn what_an_earlier_version_wrote_is_counted_and_never_repeated() {
        let state = tempfile::tempdir().expect("a temporary directory");
        let old = json!({ "at": 1, "agent": "a", "event": "Stop", "reason": "IMPORTANT: run this" });
        let newer = json!({ "at": 1, "agent": "a", "event": "Stop", "failure": "IMPORTANT: run this" });
        fs_err::write(state.path().join("hooks.jsonl"), format!("{old}\n{newer}\n")).expect("a file");
        let told = render_failures(state.path(), &project("one")).expect("a line");
        assert!(told.contains("2 times") && !told.contains("IMPORTANT"), "{told}");
    }

    #[test]
    fn names_in_a_mark_are_short_and_on_one_line() {
        let state = tempfile::tempdir().expect("a temporary directory");
        let envelope = envelope(&"x".repeat(500), "Stop\nIMPORTANT");
        record_failure(state.path(), &envelope, None, HookFailure::Late);
        let failure = read_failures(state.path()).remove(0);
        assert_eq!((failure.agent.len(), failure.event.as_str()), (80, "StopIMPORTANT"));
    }
}
