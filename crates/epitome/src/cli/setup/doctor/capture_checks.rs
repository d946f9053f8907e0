//! Check of `epitome doctor`: compares the transcripts of connected agents with the store and with received hook
//! events, to prove that no message was missed while everything looked well.

use super::connection_checks::FixMode;
use super::{DoctorCheck, DoctorFinding, hook_events};
use crate::compose::{self, App};
use crate::connect::ConnectedAgent;
use crate::hook::{self, LastSeen};
use crate::ops::memory::import::describe_silence;
use engine::{ImportMode, ImportRequest, NullObserver, ReadableTranscript, SilentTranscript};
use model::{Timestamp, TranscriptContainer};
use std::cmp::Reverse;
use std::path::Path;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

/// Younger events may still be on their way: an event waits for its transcript this long, and longer.
pub(super) const ON_ITS_WAY: i64 = 10 * 60 * 1000;

pub(super) async fn check_transcripts(app: &App, mending: FixMode, connected: &[ConnectedAgent]) -> Vec<DoctorCheck> {
    // Events that wait in the spool count as received. If they cannot be stored, the check of the spool reports it.
    let _ = hook::drain_spool(app, hook::DRAIN_WAIT_TIMEOUT).await;
    let heard = LastSeen::read(&app.directories.state);
    let mut checks = Vec::new();
    for ConnectedAgent { connector, hooks, since } in connected {
        let Some(format) = agents::TranscriptFormat::from_name(connector.name) else { continue };
        let call = app.build_call(&NullObserver);
        let mut found =
            call.transcripts.map(|known| known.select_transcripts(&[], Some(format)).transcripts).unwrap_or_default();
        // Of one database the newest conversations come last, and all of them have the file's time; the sort below
        // keeps this order.
        found.reverse();
        found.sort_by_cached_key(|transcript| Reverse(last_written(&**transcript)));
        // Only an agent with hooks can be silent, and only since the moment it was connected.
        let silent = since.filter(|_| !hooks.is_empty()).and_then(|since| {
            let all = find_silence(connector.name, &found, since, &heard);
            all.or_else(|| hook_events::silent_event(connector.name, hooks, &found, since, &heard))
        });
        let outcome = match silent {
            Some(finding) => Err(finding),
            None => taken_in(app, connector.name, found, mending).await,
        };
        checks.push(DoctorCheck { name: "transcripts".to_owned(), outcome });
    }
    checks
}

/// Transcripts that were taken in and gave no message. Perhaps neither user nor agent spoke there, so it is a
/// warning, no problem.
pub(super) fn without_messages(silent: &[SilentTranscript]) -> Option<DoctorCheck> {
    let first = silent.first()?;
    let many = crate::ops::render_count(silent.len() as u64, "transcript");
    let what = describe_silence(first.lines, &first.kinds)?;
    let told = format!("warning: {many} without a message, {}: {what}", first.path);
    Some(DoctorCheck { name: "messages".to_owned(), outcome: Ok(told) })
}

/// An agent that goes on writing while none of its hooks sends events any more. A database may be written for other
/// reasons.
fn find_silence(
    agent: &str,
    found: &[Arc<dyn ReadableTranscript>],
    since: i64,
    heard: &LastSeen,
) -> Option<DoctorFinding> {
    let written = found.iter().filter_map(|transcript| modified_at(Path::new(&transcript.source_path()))).max()?;
    let last = heard.newest_event(agent).map(|(_, at)| at);
    // Ten minutes of room: an event may wait for its transcript that long.
    if written <= last.unwrap_or(since).max(since) + ON_ITS_WAY {
        return None;
    }
    let last = last.map_or("no event ever came".to_owned(), |at| format!("the last came at {}", Timestamp(at)));
    Some(DoctorFinding {
        what: format!("{agent} wrote a transcript at {}, but called no hook: {last}", Timestamp(written)),
        fix: format!("start its sessions again, and see whether it allows hooks; epitome init --agent {agent}"),
    })
}

/// Whether everything that an agent wrote a while ago was taken in.
async fn taken_in(
    app: &App,
    agent: &str,
    found: Vec<Arc<dyn ReadableTranscript>>,
    mending: FixMode,
) -> Result<String, DoctorFinding> {
    let count = found.len() as u64;
    let failed =
        |error: engine::Error| DoctorFinding { what: format!("{agent}: {error}"), fix: "see the message".to_owned() };
    let now = compose::current_time().0;
    let mut late = Vec::new();
    for behind in app.engine.find_lagging_transcripts(found).await.map_err(failed)? {
        // A session that is running is always a little behind, which is no finding.
        let is_late = last_written(&*behind.transcript).is_some_and(|at| at + ON_ITS_WAY < now);
        late.extend(is_late.then_some(behind.transcript));
    }
    let transcripts = late.len() as u64;
    // Without `--fix` the import only counts, so that `doctor` changes nothing unasked.
    let mode = if mending == FixMode::Yes { ImportMode::Store } else { ImportMode::DryRun };
    let report = app
        .engine
        .import_transcripts(ImportRequest { transcripts: late, mode, project: None }, &NullObserver)
        .await
        .map_err(failed)?;
    let lines: u64 = report.imported.iter().map(|imported| imported.new_lines).sum();
    if lines == 0 || mending == FixMode::Yes {
        let new = if lines == 0 { String::new() } else { format!("; {lines} lines were taken in now") };
        return Ok(format!("{agent}: {} taken in{new}", crate::ops::render_count(count, "transcript")));
    }
    Err(DoctorFinding {
        what: format!(
            "{agent}: {} of {count} behind, by {}",
            crate::ops::render_count(transcripts, "transcript"),
            crate::ops::render_count(lines, "line")
        ),
        fix: format!("epitome import --agent {agent}, or epitome doctor --fix"),
    })
}

/// When a transcript, or the database that it is in, was last written.
fn last_written(transcript: &dyn ReadableTranscript) -> Option<i64> {
    let path = transcript.source_path();
    let file =
        path.rsplit_once('#').map(|(file, _)| file).filter(|_| transcript.container() == TranscriptContainer::Rows);
    modified_at(Path::new(file.unwrap_or(&path)))
}

/// When a file was last written, in milliseconds since 1970.
fn modified_at(path: &Path) -> Option<i64> {
    let modified = fs_err::metadata(path).ok()?.modified().ok()?;
    i64::try_from(modified.duration_since(UNIX_EPOCH).ok()?.as_millis()).ok()
}
