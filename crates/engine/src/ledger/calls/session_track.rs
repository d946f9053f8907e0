//! What is remembered of each session while its calls are booked: which turn it is at, how files were shown lately, and
//! how its agent works. A file that is read again in a wider mode within a few turns takes back what showing it smaller
//! had spared.

use super::ShownFile;
use crate::ledger::modes::{AgentPattern, reread_outcome, slot_of, spared_outcome};
use std::collections::HashMap;
use store::{ModeOutcome, ModeSlot, ToolCall};
use syntax::ViewMode;

/// Sessions that are remembered at once.
const MAX_SESSIONS: usize = 256;

/// Operations of a session that say how its agent works.
const RECENT_OPERATIONS: usize = 8;

/// The sessions of this process.
#[derive(Default)]
pub(in crate::ledger) struct SessionTracks {
    by_session: HashMap<String, SessionTrack>,
    /// Counts uses, so that the session that was not heard of longest is forgotten first.
    clock: u64,
}

/// One session.
#[derive(Default)]
pub(in crate::ledger) struct SessionTrack {
    turn: u64,
    used: u64,
    has_schemas: bool,
    reads: HashMap<String, LastView>,
    operations: Vec<String>,
}

/// How a file was shown last.
struct LastView {
    turn: u64,
    mode: ViewMode,
    bytes_avoided: i64,
    tokens_avoided: i64,
    /// The slot of the learner; none where the outcome is known already.
    slot: Option<ModeSlot>,
}

/// What reading a file again takes back.
pub(super) struct TakenBack {
    pub(super) path: String,
    pub(super) bytes: i64,
    pub(super) tokens: i64,
}

impl SessionTracks {
    pub(in crate::ledger) fn contains(&self, session: &str) -> bool {
        self.by_session.contains_key(session)
    }

    /// The track of a session, which begins where its calls in the store end.
    pub(in crate::ledger) fn open(&mut self, session: &str, before: Option<&[ToolCall]>) -> &mut SessionTrack {
        self.clock += 1;
        if self.by_session.len() >= MAX_SESSIONS
            && !self.by_session.contains_key(session)
            && let Some(oldest) =
                self.by_session.iter().min_by_key(|(_, track)| track.used).map(|(name, _)| name.clone())
        {
            self.by_session.remove(&oldest);
        }
        let track = self.by_session.entry(session.to_owned()).or_default();
        track.used = self.clock;
        if let Some(before) = before {
            track.resume(before);
        }
        track
    }
}

impl SessionTrack {
    /// Takes over what other processes recorded of the session, newest first.
    fn resume(&mut self, before: &[ToolCall]) {
        for call in before.iter().rev().map(|call| &call.call) {
            self.turn = self.turn.max(call.turn);
            self.has_schemas |= call.formula == super::ValueFormula::Schemas.as_str();
            let mode = call.mode.as_deref().and_then(ViewMode::parse);
            if let (Some(path), Some(mode)) = (&call.place, mode) {
                let (bytes_avoided, tokens_avoided) = (call.figures.bytes_avoided, call.figures.tokens_avoided);
                let view = LastView { turn: call.turn, mode, bytes_avoided, tokens_avoided, slot: None };
                self.reads.insert(path.clone(), view);
            }
        }
    }

    /// Goes to the next turn.
    pub(super) fn begin_turn(&mut self, operation: &str) -> u64 {
        self.turn += 1;
        self.operations.push(operation.to_owned());
        if self.operations.len() > RECENT_OPERATIONS {
            self.operations.remove(0);
        }
        self.turn
    }

    /// Whether the schemas are booked now for the first time.
    pub(super) fn take_schemas(&mut self) -> bool {
        !std::mem::replace(&mut self.has_schemas, true)
    }

    /// How the agent of the session works.
    pub(in crate::ledger) fn pattern(&self) -> AgentPattern {
        AgentPattern::from_operations(self.operations.iter().map(String::as_str))
    }

    /// Notes that a file was shown, and what that takes back. `avoided` is what showing it spared, in bytes and tokens.
    pub(super) fn note_view(
        &mut self,
        file: &ShownFile,
        avoided: (i64, i64),
        window: u64,
        learned: &mut Vec<ModeOutcome>,
    ) -> Option<TakenBack> {
        let turn = self.turn;
        let slot = Some(slot_of(&file.path, file.bytes_raw, self.pattern()));
        let (bytes_avoided, tokens_avoided) = avoided;
        let view = LastView { turn, mode: file.mode, bytes_avoided, tokens_avoided, slot };
        let earlier = self.reads.insert(file.path.clone(), view)?;
        let is_wider = file.mode < earlier.mode && turn <= earlier.turn + window;
        if !is_wider {
            learned.extend(earlier.slot.map(|slot| spared_outcome(slot, earlier.mode, earlier.bytes_avoided)));
            return None;
        }
        learned.extend(earlier.slot.map(|slot| reread_outcome(slot, earlier.mode)));
        // No more is taken back than was read now: a few lines behind a map leave most of its worth.
        let bytes = earlier.bytes_avoided.min(file.bytes_shown as i64);
        // What cost more than it spared is a loss already, and takes nothing back.
        if bytes <= 0 {
            return None;
        }
        let share = bytes as f64 / earlier.bytes_avoided as f64;
        let tokens = (earlier.tokens_avoided as f64 * share).round() as i64;
        Some(TakenBack { path: file.path.clone(), bytes, tokens })
    }

    /// Ends the wait for readings whose window is over: they were not read again.
    pub(super) fn settle_views(&mut self, window: u64, learned: &mut Vec<ModeOutcome>) {
        let turn = self.turn;
        for view in self.reads.values_mut().filter(|view| view.turn + window < turn) {
            let slot = view.slot.take();
            learned.extend(slot.map(|slot| spared_outcome(slot, view.mode, view.bytes_avoided)));
        }
        self.reads.retain(|_, view| view.turn + window >= turn);
    }
}
