//! What operations saved or cost their readers, noted in passing and written together.
//!
//! A durable write waits for the disk, and an answer should not wait for its own statistics. So notes are kept until
//! there are some, or until the front end flushes them while no caller waits for an answer. What is lost with a process
//! that is killed is the last few notes, never money: calls are settled at once.

use crate::base::Project;
use crate::ledger::LedgerContext;
use model::{ProjectId, Timestamp, TokenCount, UtcDay, count_tokens};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use store::{EntryBasis, LedgerAccount, LedgerFigures, NewEntry};

/// Entries that wait to be written, the first of them since when, and the day on which old ones were last dropped.
#[derive(Default)]
pub(crate) struct LedgerNotes {
    waiting: Mutex<(Vec<NewEntry>, Duration)>,
    pruned: Mutex<Option<UtcDay>>,
}

/// So many are written at once, or those that waited so long when another one comes.
const ENOUGH: usize = 32;
const LONG: Duration = Duration::from_secs(5);

/// What a view spares its reader: the tokens of the text that was asked for, less those of what was shown. What is shown
/// with it without being asked for spares its reader nothing.
const VIEW: &str = "raw - shown";

/// What a session is told without asking costs it that; in the place of something longer, it spares the difference.
const TOLD: &str = "- told";
const IN_BRIEF: &str = "whole - told";

/// What a session was told without asking for it.
#[derive(Clone, Debug)]
pub struct InjectedText<'t> {
    /// The conversation it was told to.
    pub session: String,
    /// What it was told.
    pub text: &'t str,
    /// What that stands for; none where it was added to the rest.
    pub whole: Option<&'t str>,
}

/// Notes what a session was told without asking.
pub(crate) async fn note_told(ledger: &LedgerContext, project: &Project, told: InjectedText<'_>) {
    let count = |text: &str| i64::from(count_tokens(text).0);
    let shown = count(told.text);
    let figures = LedgerFigures {
        tokens_out: shown,
        tokens_avoided: told.whole.map_or(0, count) - shown,
        ..LedgerFigures::default()
    };
    let formula = if told.whole.is_some() { IN_BRIEF } else { TOLD };
    note_entry(ledger, Some(&project.id), "hook", Some(told.session), formula, figures).await;
}

/// What the ids of messages begin with that an event brought: outputs among them may have been shown in brief.
pub const OF_EVENT: &str = "hook:";

/// Notes that an output of so many tokens which had been shown in brief was read after all: what was spared then is paid
/// now.
pub(crate) async fn note_again(
    ledger: &LedgerContext,
    project: Option<&ProjectId>,
    session: Option<String>,
    shown: TokenCount,
) {
    let shown = i64::from(shown.0);
    let figures = LedgerFigures { tokens_out: shown, tokens_avoided: -shown, ..LedgerFigures::default() };
    note_entry(ledger, project, "expand", session, TOLD, figures).await;
}

/// Notes what views of so many tokens spared their reader, or cost it more, in place of the text that was asked for.
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
    let is_enough = {
        let (waiting, since) = &mut *lock_mutex(&ledger.notes.waiting);
        if waiting.is_empty() {
            *since = ledger.clock.monotonic_time();
        }
        waiting.push(entry);
        waiting.len() >= ENOUGH || ledger.clock.monotonic_time().saturating_sub(*since) >= LONG
    };
    if is_enough {
        flush_notes(ledger).await;
    }
}

/// Writes what waits, and once a day drops what is older than entries are kept.
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
    if lock_mutex(&ledger.notes.pruned).replace(UtcDay::from_timestamp(now)) == Some(UtcDay::from_timestamp(now)) {
        return;
    }
    let kept = i64::try_from(ledger.retention.as_millis()).unwrap_or(i64::MAX);
    if let Err(error) = ledger.store.prune_ledger(Timestamp(now.0.saturating_sub(kept))).await {
        tracing::warn!(%error, "old entries of the ledger could not be dropped");
    }
}

fn lock_mutex<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // Each holds one whole value between any two of its changes.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
