//! Check of `epitome doctor`: whether each registered hook really fires. An agent's transcripts show what happened; an
//! event that never came although it must have fired several times since is reported. Several times, because an aborted
//! turn ends without an event, and agents write lines that look like a prompt. Only sessions begun after registration
//! count: earlier ones do not run hooks.

use super::DoctorFinding;
use crate::hook::LastSeen;
use engine::ReadableTranscript;
use model::{EventKind, MessagePart, MessageRole, NewMessage, Timestamp, TranscriptDescent};
use std::io::{BufRead as _, BufReader};
use std::sync::Arc;

/// So often something must have happened before silence is no accident.
const MIN_EVENT_COUNT: usize = 3;
/// Transcripts that are looked into, the newest first.
const MAX_CHECKED_TRANSCRIPTS: usize = 32;

/// The events that an agent's transcripts prove, each at its time.
struct TranscriptEvent {
    what: TranscriptEventKind,
    at: i64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum TranscriptEventKind {
    Session,
    Prompt,
    Result,
    Turn,
    Compaction,
    Subagent,
}

/// The first event that should have arrived and did not. `registered` are events in the agent's words.
pub(super) fn silent_event(
    agent: &str,
    registered: &[String],
    newest_first: &[Arc<dyn ReadableTranscript>],
    since: i64,
    heard: &LastSeen,
) -> Option<DoctorFinding> {
    let shown: Vec<TranscriptEvent> =
        // Reading all transcripts of an agent can take minutes; the newest ones show what happens now.
        newest_first.iter().take(MAX_CHECKED_TRANSCRIPTS).flat_map(|transcript| read_events(&**transcript, since)).collect();
    registered.iter().find_map(|event| {
        let what = TranscriptEventKind::from_hook(event)?;
        let last = heard.event_time(agent, event);
        let missed: Vec<i64> = shown
            .iter()
            // Events within ten minutes of the last one received may still be on their way.
            .filter(|shown| shown.what == what && shown.at > last.unwrap_or(since) + super::capture_checks::ON_ITS_WAY)
            .map(|shown| shown.at)
            .collect();
        // Once may be an accident: a turn that was broken off ends without an event.
        let newest = missed.iter().max().filter(|_| missed.len() >= what.missed_threshold())?;
        let last = last.map_or("it never came".to_owned(), |at| format!("it last came at {}", Timestamp(at)));
        let count = crate::ops::render_count(missed.len() as u64, what.as_str());
        let at = Timestamp(*newest);
        Some(DoctorFinding {
            what: format!(
                "{agent} does not call {event}: {last}, and its transcripts show {count} since, the last at {at}"
            ),
            fix: format!("see whether its settings switch {event} off; epitome doctor --fix writes the hook again"),
        })
    })
}

impl TranscriptEventKind {
    /// The proof that a hook of that name should have fired. The end of a session leaves no trace, and a tool that the
    /// user did not allow looks like one that failed.
    fn from_hook(event: &str) -> Option<Self> {
        match agents::event_kind_named(event) {
            EventKind::Result if event.ends_with("Failure") => None,
            EventKind::Start(_) => Some(Self::Session),
            EventKind::Prompt => Some(Self::Prompt),
            EventKind::Result => Some(Self::Result),
            EventKind::Stop => Some(Self::Turn),
            EventKind::BeforeCompact | EventKind::AfterCompact => Some(Self::Compaction),
            EventKind::SubagentStop => Some(Self::Subagent),
            EventKind::Call | EventKind::End | EventKind::Other => None,
        }
    }

    fn missed_threshold(self) -> usize {
        if self == Self::Compaction { 1 } else { MIN_EVENT_COUNT }
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Prompt => "prompt",
            Self::Result => "tool result",
            Self::Turn => "turn",
            Self::Compaction => "compaction",
            Self::Subagent => "sub-agent",
        }
    }
}

/// The events that one transcript proves, if its session began after `since`. A transcript that cannot be read is
/// reported by another check.
fn read_events(transcript: &dyn ReadableTranscript, since: i64) -> Vec<TranscriptEvent> {
    let mut shown = Vec::new();
    let Ok(bytes) = transcript.open_at(0) else { return shown };
    let mut projection = transcript.new_projection();
    let mut messages = Vec::new();
    for line in BufReader::new(bytes).split(b'\n') {
        let Ok(line) = line else { break };
        messages.extend(projection.feed_line(&line).messages);
    }
    messages.extend(projection.pause());
    let at = |message: &NewMessage| message.at.as_ref().and_then(|at| at.instant).map(|at| at.0);
    // A session that began before the hooks were registered does not run them.
    let Some(began) = messages.iter().find_map(|projected| at(&projected.message)).filter(|began| *began >= since)
    else {
        return shown;
    };
    let is_subagent = matches!(projection.head().descent, Some(TranscriptDescent::Subagent { .. }));
    shown.push(TranscriptEvent {
        what: if is_subagent { TranscriptEventKind::Subagent } else { TranscriptEventKind::Session },
        at: began,
    });
    let mut has_spoken = false;
    for (message, at) in messages.iter().filter_map(|projected| Some((&projected.message, at(&projected.message)?))) {
        let has = |is: fn(&MessagePart) -> bool| message.parts.iter().any(is);
        if has(|part| matches!(part, MessagePart::Compaction { .. })) {
            shown.push(TranscriptEvent { what: TranscriptEventKind::Compaction, at });
        }
        if has(|part| matches!(part, MessagePart::Tool { output: Some(_), error: None, .. })) {
            shown.push(TranscriptEvent { what: TranscriptEventKind::Result, at });
        }
        // The prompt of a subagent came from the agent that started it, and its end is an event of its own.
        if is_subagent {
            continue;
        }
        let is_text = has(|part| matches!(part, MessagePart::Text { .. }));
        match (message.role, &message.speaker) {
            (MessageRole::User, None) if is_text => {
                shown.push(TranscriptEvent { what: TranscriptEventKind::Prompt, at });
                shown.extend(
                    // A turn counts as ended when the next prompt follows an answer; the last turn may still be
                    // running.
                    std::mem::take(&mut has_spoken).then_some(TranscriptEvent { what: TranscriptEventKind::Turn, at }),
                );
            }
            (MessageRole::Assistant, _) if is_text => has_spoken = true,
            _ => {}
        }
    }
    shown
}
