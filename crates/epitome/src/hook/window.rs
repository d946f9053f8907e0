//! Follows the window of a session by its hook events: which calls to us it announces and gets the replies of, which
//! files its own tools show, and when its context is emptied. A call is announced with those earlier ones that the
//! transcript shows on the way to it: users go back to earlier prompts, and nobody tells.

use super::intake::SpooledEvent;
use crate::window_log::{CallNotice, LoggedRegion, WindowEvent, WindowLogs};
use agents::HookEvent;
use engine::SeenRegion;
use model::EventKind;
use std::collections::BTreeSet;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

/// A transcript is not looked through further than this while an agent waits.
const MAX_TRANSCRIPT_BYTES: u64 = 8 << 20;

/// A call may be written down so many bytes before the place where the transcript ended when it was announced.
const CALL_LINE_BYTES: u64 = 256 << 10;

/// Takes in what an event says. Where it cannot be kept, the window is emptied, and nothing is withheld.
pub(super) fn follow_event(taken: &SpooledEvent) {
    let Some(conversation) = taken.event.conversation_name().filter(|_| taken.event.has_window()) else { return };
    let logs = WindowLogs::in_directory(&taken.loaded.directories.state);
    if note_event(taken, &logs, &conversation).is_err() {
        // What cannot be removed either is found out at the next call, from the transcript.
        let _ = logs.clear(&conversation);
    }
}

fn note_event(taken: &SpooledEvent, logs: &WindowLogs<'_>, conversation: &str) -> io::Result<()> {
    let event = &taken.event;
    let transcript_bytes = event.envelope.transcript_bytes;
    let agent = || event.sub_agent().to_owned();
    match event.event_kind() {
        // A session that goes on may have been compacted, forked or taken back while nobody told us.
        EventKind::Start(_) | EventKind::BeforeCompact | EventKind::AfterCompact | EventKind::End => {
            logs.clear(conversation)
        }
        EventKind::SubagentStop if event.ends_compaction() => logs.clear(conversation),
        EventKind::Prompt => logs.append(conversation, &WindowEvent::Prompt { transcript_bytes }),
        EventKind::Call => {
            let Some(call) = event.call_id().filter(|_| event.is_own_tool() && taken.loaded.config.hooks.withhold_seen)
            else {
                return Ok(());
            };
            let in_context = find_earlier_calls(event, logs, conversation)?;
            let (agent, call) = (agent(), call.to_owned());
            let notice = CallNotice { conversation: conversation.to_owned(), agent: agent.clone() };
            let announced = WindowEvent::Call { agent, call: call.clone(), transcript_bytes, in_context };
            logs.append(conversation, &announced)?;
            logs.announce_call(&call, &notice)
        }
        EventKind::Result => {
            let call = event.call_id().unwrap_or_default().to_owned();
            if event.is_own_tool() {
                logs.end_call(&call)?;
            }
            let noted = if event.is_failure() || !taken.loaded.config.hooks.withhold_seen {
                WindowEvent::Result { agent: agent() }
            } else if event.is_own_tool() {
                WindowEvent::Received { agent: agent(), call }
            } else if let Some(region) = shown_region(event) {
                WindowEvent::Read { agent: agent(), call, transcript_bytes, region }
            } else {
                WindowEvent::Result { agent: agent() }
            };
            logs.append(conversation, &noted)
        }
        EventKind::Stop | EventKind::SubagentStop | EventKind::Other => Ok(()),
    }
}

/// The lines of a file that the agent's own tool showed.
fn shown_region(event: &HookEvent) -> Option<LoggedRegion> {
    let shown = event.shown_file()?;
    let path = PathBuf::from(shown.path);
    let region = SeenRegion::of_exact_text(&path.to_string_lossy(), shown.start, &shown.text)?;
    path.is_absolute().then(|| LoggedRegion::of_file(path, region))
}

/// The calls in the window that the transcript shows on the way to the one that is about to be made. The window is emptied
/// where the transcript says that texts were taken out of the context, or cannot be read.
fn find_earlier_calls(event: &HookEvent, logs: &WindowLogs<'_>, conversation: &str) -> io::Result<BTreeSet<String>> {
    let window = logs.read_window(conversation);
    let Some(oldest) = window.oldest_bytes() else { return Ok(BTreeSet::new()) };
    let prompted_at = window.prompted_at();
    let from = oldest.min(prompted_at.unwrap_or(oldest)).saturating_sub(CALL_LINE_BYTES);
    let read = event.transcript_path().and_then(|path| read_end(Path::new(path), from, oldest));
    // Only from where the oldest text was asked for: what was emptied before that took nothing of the window.
    let since =
        |transcript: &[u8]| transcript.get(offset(oldest - from)..).is_some_and(|end| !event.is_emptied_in(end));
    let Some(transcript) = read.filter(|transcript| since(transcript)) else {
        logs.clear(conversation)?;
        return Ok(BTreeSet::new());
    };
    // Where the newest prompt is not written yet, nobody knows what it follows.
    let prompted_at = prompted_at.map(|prompted_at| offset(prompted_at - from));
    let shown = event.calls_in_context(&transcript, prompted_at).unwrap_or_default();
    Ok(window.entry_calls().into_iter().filter(|call| shown.contains(*call)).map(str::to_owned).collect())
}

fn offset(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

/// The end of a transcript, from a place on; none where it is shorter than it was, or too long.
fn read_end(path: &Path, from: u64, least: u64) -> Option<Vec<u8>> {
    let mut file = fs_err::File::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    if length < least || length - from > MAX_TRANSCRIPT_BYTES {
        return None;
    }
    file.seek(SeekFrom::Start(from)).ok()?;
    let mut bytes = Vec::new();
    file.take(MAX_TRANSCRIPT_BYTES).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}
