//! Buffers what doors note about dispatches, books them in the background, writes them to the store in batches, and
//! deletes old entries once a day. A durable write waits for the disk, and an answer should not wait for its own
//! statistics: a note costs its caller a push. Processes that live on write a moment later (`wait_for_notes`), others
//! before they end; one that is killed loses its last moment, never money: model calls are settled at once.

use super::calls::{
    BookedCalls, BookingContext, CallFacts, CallNote, CallSource, ReplacedText, SessionTracks, ValueFormula, book_note,
};
use super::modes::AgentPattern;
use crate::base::Project;
use crate::ledger::LedgerContext;
use model::{ProjectId, Timestamp, TokenCount, UtcDay};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use store::{CallDoor, CallFilter, NewToolCall};
use tokio::sync::Notify;

/// Notes that wait to be booked, and what booking remembers.
pub(crate) struct LedgerNotes {
    waiting: Mutex<Vec<(Timestamp, CallNote)>>,
    /// Wakes whoever writes notes.
    noticed: Notify,
    /// One caller books at a time, so that turns are counted in order.
    booking: tokio::sync::Mutex<BookingState>,
    /// How the agent that called last works.
    pattern: Mutex<AgentPattern>,
    pruned: Mutex<Option<UtcDay>>,
}

#[derive(Default)]
struct BookingState {
    tracks: SessionTracks,
    /// What the store did not take: tried again with the next notes.
    unwritten: Vec<NewToolCall>,
}

impl Default for LedgerNotes {
    fn default() -> Self {
        Self {
            waiting: Mutex::default(),
            noticed: Notify::new(),
            booking: tokio::sync::Mutex::default(),
            pattern: Mutex::new(AgentPattern::Unknown),
            pruned: Mutex::default(),
        }
    }
}

impl LedgerNotes {
    /// How the agent that called last works.
    pub(crate) fn latest_pattern(&self) -> AgentPattern {
        *lock_mutex(&self.pattern)
    }
}

/// Calls that a store which refuses them may leave waiting.
const MAX_UNWRITTEN: usize = 4_096;

/// Calls of a session that are looked at where it goes on in another process.
const RESUMED_CALLS: u32 = 32;

/// The name that hooks call.
const HOOK: &str = "hook";

/// A text that a session got without a request.
#[derive(Clone, Debug)]
pub struct InjectedText<'t> {
    /// The conversation that got it.
    pub session: String,
    /// The agent that called the hook.
    pub agent: &'t str,
    /// The event that the hook answered.
    pub event: &'t str,
    /// The text.
    pub text: &'t str,
    /// The text that it replaces; `None` where it was added.
    pub whole: Option<&'t str>,
    /// How long the hook took.
    pub elapsed: Duration,
}

/// Notes a dispatch; it is booked and written later.
pub(crate) fn note_call(ledger: &LedgerContext, note: CallNote) {
    lock_mutex(&ledger.notes.waiting).push((ledger.clock.now(), note));
    ledger.notes.noticed.notify_one();
}

/// Waits until something was noted.
pub(crate) async fn wait_for_notes(ledger: &LedgerContext) {
    ledger.notes.noticed.notified().await;
}

/// Notes a text that a session got without a request.
pub(crate) fn note_told(ledger: &LedgerContext, project: &Project, told: InjectedText<'_>) {
    let formula = if told.whole.is_some() { ValueFormula::Brief } else { ValueFormula::Injection };
    let facts = CallFacts {
        replaced: ReplacedText::Text { formula, whole: told.whole.map(str::to_owned) },
        ..CallFacts::default()
    };
    let agent = Some(told.agent.to_owned());
    let source = CallSource { door: CallDoor::Hook, session: Some(told.session), agent, tool: told.event.to_owned() };
    let (operation, project) = (HOOK.to_owned(), Some(project.id.clone()));
    let (elapsed, shown) = (told.elapsed, told.text.to_owned());
    note_call(ledger, CallNote { source, operation, project, elapsed, shown, facts });
}

/// The prefix of ids of messages that an event brought: outputs among them may have been shown in brief.
pub const OF_EVENT: &str = "hook:";

/// Notes that an output of so many tokens which was shown in brief was read after all: what was saved then is paid now.
pub(crate) fn note_again(
    ledger: &LedgerContext,
    project: Option<&ProjectId>,
    session: Option<String>,
    shown: TokenCount,
) {
    let replaced = ReplacedText::PaidAgain { formula: ValueFormula::Expansion, tokens: u64::from(shown.0) };
    let facts = CallFacts { replaced, ..CallFacts::default() };
    // The saving was one of the hook's, in the session that it answered.
    let source = CallSource { door: CallDoor::Hook, session, agent: None, tool: HOOK.to_owned() };
    let (operation, project) = ("expand".to_owned(), project.cloned());
    note_call(ledger, CallNote { source, operation, project, elapsed: Duration::ZERO, shown: String::new(), facts });
}

/// Books and writes what waits, and once a day drops entries that are older than the retention.
pub(crate) async fn flush_notes(ledger: &LedgerContext) {
    let mut state = ledger.notes.booking.lock().await;
    let waiting = std::mem::take(&mut *lock_mutex(&ledger.notes.waiting));
    if waiting.is_empty() && state.unwritten.is_empty() {
        return;
    }
    let booked = book_notes(ledger, &mut state.tracks, waiting).await;
    let mut calls = std::mem::take(&mut state.unwritten);
    calls.extend(booked.calls);
    let count = calls.len();
    if let Err(error) = ledger.store.record_tool_calls(calls.clone()).await {
        // What cannot be written at all, or is damaged, is told by the commands that look at it; here it would be told
        // with every call.
        if matches!(error, store::Error::ReadOnly { .. } | store::Error::Corrupt { .. }) {
            tracing::debug!(%error, calls = count, "the ledger is not written");
            return;
        }
        let dropped = count.saturating_sub(MAX_UNWRITTEN);
        tracing::warn!(%error, calls = count, dropped, "the ledger could not be written; it is tried again without the oldest");
        calls.drain(..dropped);
        state.unwritten = calls;
        return;
    }
    if !booked.learned.is_empty()
        && let Err(error) = ledger.store.record_mode_outcomes(booked.learned).await
    {
        tracing::warn!(%error, "what was learned of view modes could not be written");
    }
    drop(state);
    prune_entries(ledger).await;
}

async fn book_notes(
    ledger: &LedgerContext,
    tracks: &mut SessionTracks,
    waiting: Vec<(Timestamp, CallNote)>,
) -> BookedCalls {
    let price = ledger.spend.prices.find_price(&ledger.priced_model);
    let mut booked = BookedCalls::default();
    for (at, mut note) in waiting {
        scrub_note(ledger, &mut note).await;
        let context = BookingContext { at, price, window: ledger.window_turns };
        let Some(session) = note.source.session.clone().filter(|session| !session.is_empty()) else {
            book_note(&context, note, None, &mut booked);
            continue;
        };
        let before = if tracks.contains(&session) { None } else { load_before(ledger, &session).await };
        let track = tracks.open(&session, before.as_deref());
        *lock_mutex(&ledger.notes.pattern) = track.pattern();
        book_note(&context, note, Some(track), &mut booked);
    }
    booked
}

/// Takes secrets out of what a caller wrote, before it is stored.
async fn scrub_note(ledger: &LedgerContext, note: &mut CallNote) {
    let scrubber = ledger.scrubber.load().await;
    let query = note.facts.question.as_mut().map(|question| &mut question.query);
    let CallSource { session, agent, .. } = &mut note.source;
    for text in [session.as_mut(), agent.as_mut(), note.facts.place.as_mut(), query].into_iter().flatten() {
        // Without the key nothing can be taken out, so that nothing is kept.
        *text = scrubber.as_ref().map_or_else(|_| String::new(), |scrubber| scrubber.scrub_text(text).0.into_owned());
    }
}

/// What other processes recorded of a session, newest first.
async fn load_before(ledger: &LedgerContext, session: &str) -> Option<Vec<store::ToolCall>> {
    let filter = CallFilter { session: Some(session.to_owned()), ..CallFilter::default() };
    // Without it turns begin anew, and a reading that another process answered is not known.
    ledger.store.list_tool_calls(filter, RESUMED_CALLS).await.ok()
}

async fn prune_entries(ledger: &LedgerContext) {
    let now = ledger.clock.now();
    // The day is noted before the attempt, so that a failing store is asked once a day and not with every flush.
    if lock_mutex(&ledger.notes.pruned).replace(UtcDay::from_timestamp(now)) == Some(UtcDay::from_timestamp(now)) {
        return;
    }
    let kept = i64::try_from(ledger.retention.as_millis()).unwrap_or(i64::MAX);
    let before = Timestamp(now.0.saturating_sub(kept));
    for pruned in [ledger.store.prune_ledger(before).await, ledger.store.prune_tool_calls(before).await] {
        if let Err(error) = pruned {
            tracing::warn!(%error, "old entries of the ledger could not be dropped");
        }
    }
}

fn lock_mutex<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // Each mutex holds a complete value between any two changes, so a panic leaves nothing half written.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
