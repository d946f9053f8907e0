//! Buffers ledger entries about tokens that views, injected texts and expansions saved or cost the reader, writes them
//! to the store in batches, and deletes old entries once a day. A durable write waits for the disk, and an answer
//! should not wait for its own statistics: entries are written when there are some, or when the front end flushes them
//! while no caller waits. A process that is killed loses its last few entries, never money: calls are settled at once.

use crate::base::Project;
use crate::ledger::LedgerContext;
use model::{ProjectId, Timestamp, TokenCount, UtcDay, count_tokens};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use store::{EntryBasis, LedgerAccount, LedgerFigures, NewEntry};

/// Entries that wait to be written, with the time of the first one, and the day on which old entries were last dropped.
#[derive(Default)]
pub(crate) struct LedgerNotes {
    waiting: Mutex<(Vec<NewEntry>, Duration)>,
    pruned: Mutex<Option<UtcDay>>,
}

/// This many entries are written at once, or those that waited this long when another one comes.
const FLUSH_ENTRY_COUNT: usize = 32;
const FLUSH_INTERVAL: Duration = Duration::from_secs(5);

/// What a view saves its reader: the tokens of the requested text without those of the shown one. Texts that are shown
/// without a request save nothing.
const VIEW: &str = "raw - shown";

/// A text that a session gets without a request costs its tokens; in place of a longer text it saves the difference.
const INJECTED_TEXT_FORMULA: &str = "- told";
const IN_BRIEF: &str = "whole - told";

/// A text that a session got without a request.
#[derive(Clone, Debug)]
pub struct InjectedText<'t> {
    /// The conversation that got it.
    pub session: String,
    /// The text.
    pub text: &'t str,
    /// The text that it replaces; `None` where it was added.
    pub whole: Option<&'t str>,
}

/// Records a text that a session got without a request.
pub(crate) async fn note_told(ledger: &LedgerContext, project: &Project, told: InjectedText<'_>) {
    let count = |text: &str| i64::from(count_tokens(text).0);
    let shown = count(told.text);
    let figures = LedgerFigures {
        tokens_out: shown,
        tokens_avoided: told.whole.map_or(0, count) - shown,
        ..LedgerFigures::default()
    };
    let formula = if told.whole.is_some() { IN_BRIEF } else { INJECTED_TEXT_FORMULA };
    note_entry(ledger, Some(&project.id), "hook", Some(told.session), formula, figures).await;
}

/// The prefix of ids of messages that an event brought: outputs among them may have been shown in brief.
pub const OF_EVENT: &str = "hook:";

/// Records that an output of so many tokens which was shown in brief was read after all: what was saved then is paid now.
pub(crate) async fn note_again(
    ledger: &LedgerContext,
    project: Option<&ProjectId>,
    session: Option<String>,
    shown: TokenCount,
) {
    let shown = i64::from(shown.0);
    let figures = LedgerFigures { tokens_out: shown, tokens_avoided: -shown, ..LedgerFigures::default() };
    note_entry(ledger, project, "expand", session, INJECTED_TEXT_FORMULA, figures).await;
}

/// Records what views of so many tokens saved their reader, or cost it more, in place of the text that was asked for.
pub(crate) async fn note_view(ledger: &LedgerContext, project: &Project, shown: i64, raw: i64) {
    if (shown, raw) == (0, 0) {
        return;
    }
    let figures = LedgerFigures { tokens_out: shown, tokens_avoided: raw - shown, ..LedgerFigures::default() };
    note_entry(ledger, Some(&project.id), "read", ledger.session.clone(), VIEW, figures).await;
}

async fn note_entry(
    ledger: &LedgerContext,
    project: Option<&ProjectId>,
    operation: &str,
    session: Option<String>,
    formula: &str,
    figures: LedgerFigures,
) {
    let at = ledger.clock.now();
    let account = LedgerAccount { operation: operation.to_owned(), project: project.cloned(), session, model: None };
    let formula = Some(formula.to_owned());
    let entry = NewEntry { at, day: UtcDay::from_timestamp(at), account, formula, basis: EntryBasis::Counted, figures };
    // A block, so that the lock is released before the store is awaited.
    let is_enough = {
        let (waiting, since) = &mut *lock_mutex(&ledger.notes.waiting);
        if waiting.is_empty() {
            *since = ledger.clock.monotonic_time();
        }
        waiting.push(entry);
        waiting.len() >= FLUSH_ENTRY_COUNT || ledger.clock.monotonic_time().saturating_sub(*since) >= FLUSH_INTERVAL
    };
    if is_enough {
        flush_notes(ledger).await;
    }
}

/// Writes the waiting entries, and once a day drops entries that are older than the retention.
pub(crate) async fn flush_notes(ledger: &LedgerContext) {
    let waiting = std::mem::take(&mut lock_mutex(&ledger.notes.waiting).0);
    if waiting.is_empty() {
        return;
    }
    let count = waiting.len();
    if let Err(error) = ledger.store.record_entries(waiting).await {
        tracing::warn!(%error, entries = count, "the ledger could not be written");
        return;
    }
    let now = ledger.clock.now();
    // The day is noted before the attempt, so that a failing store is asked once a day and not with every flush.
    if lock_mutex(&ledger.notes.pruned).replace(UtcDay::from_timestamp(now)) == Some(UtcDay::from_timestamp(now)) {
        return;
    }
    let kept = i64::try_from(ledger.retention.as_millis()).unwrap_or(i64::MAX);
    if let Err(error) = ledger.store.prune_ledger(Timestamp(now.0.saturating_sub(kept))).await {
        tracing::warn!(%error, "old entries of the ledger could not be dropped");
    }
}

fn lock_mutex<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // Each mutex holds a complete value between any two changes, so a panic leaves nothing half written.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
