//! What operations saved or cost their readers, noted in passing and written together.
//!
//! A durable write waits for the disk, and an answer should not wait for its own statistics. So notes are kept in
//! memory until there are some, or until the front end flushes them while no caller waits for an answer. A process that
//! is killed loses its last few notes, never money: calls are settled at once.

use crate::Engine;
use crate::base::Project;
use crate::code::read::ReadReply;
use crate::memory::{ExpandedKind, Expansion};
use model::{MessageRole, ProjectId, Timestamp, UtcDay, count_tokens};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use store::{EntryBasis, LedgerAccount, LedgerFigures, NewEntry};
use syntax::ViewMode;

/// Entries that wait to be written, with the time of the first one, and the day on which old entries were last dropped.
#[derive(Default)]
pub(crate) struct LedgerNotes {
    waiting: Mutex<(Vec<NewEntry>, Duration)>,
    pruned: Mutex<Option<UtcDay>>,
}

/// This many entries are written at once, or those that waited this long when another one comes.
const ENOUGH: usize = 32;
const LONG: Duration = Duration::from_secs(5);

/// What a view saves its reader: the tokens of the requested text without those of the shown one. Texts that are shown
/// without a request save nothing.
const VIEW: &str = "raw - shown";

/// A text that a session gets without a request costs its tokens; in place of a longer text it saves the difference.
const TOLD: &str = "- told";
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
pub(crate) async fn note_told(engine: &Engine, project: &Project, told: InjectedText<'_>) {
    let count = |text: &str| i64::from(count_tokens(text).0);
    let shown = count(told.text);
    let figures = LedgerFigures {
        tokens_out: shown,
        tokens_avoided: told.whole.map_or(0, count) - shown,
        ..LedgerFigures::default()
    };
    let formula = if told.whole.is_some() { IN_BRIEF } else { TOLD };
    note_entry(engine, Some(&project.id), "hook", Some(told.session), formula, figures).await;
}

/// The prefix of ids of messages that an event brought: outputs among them may have been shown in brief.
pub const OF_EVENT: &str = "hook:";

/// Records that an output which was shown in brief was read after all: what was saved then is paid now.
pub(crate) async fn note_again(engine: &Engine, expansion: &Expansion) {
    for item in &expansion.items {
        let ExpandedKind::Message(message) = &item.of else { continue };
        let is_of_event = message.body.external_id.as_ref().is_some_and(|id| id.starts_with(OF_EVENT));
        if message.body.role != MessageRole::Tool || !is_of_event {
            continue;
        }
        // The cost counts even if the conversation cannot be loaded.
        let of = engine.store.load_conversation(&message.conversation).await.ok().flatten();
        let (project, session) = of.map(|of| (of.project, of.name)).unzip();
        let shown = i64::from(item.tokens.0);
        let figures = LedgerFigures { tokens_out: shown, tokens_avoided: -shown, ..LedgerFigures::default() };
        note_entry(engine, project.flatten().as_ref(), "expand", session, TOLD, figures).await;
    }
}

/// Records what a read saved its reader, or cost it more.
pub(crate) async fn note_view(engine: &Engine, project: &Project, reply: &ReadReply) {
    let views = reply.items.iter().filter(|item| item.mode != ViewMode::Raw && item.relation.is_none());
    let (shown, raw) = views
        .fold((0, 0), |(shown, raw), item| (shown + i64::from(item.tokens.0), raw + i64::from(item.original_tokens.0)));
    if (shown, raw) == (0, 0) {
        return;
    }
    let figures = LedgerFigures { tokens_out: shown, tokens_avoided: raw - shown, ..LedgerFigures::default() };
    note_entry(engine, Some(&project.id), "read", engine.settings.session.clone(), VIEW, figures).await;
}

async fn note_entry(
    engine: &Engine,
    project: Option<&ProjectId>,
    operation: &str,
    session: Option<String>,
    formula: &str,
    figures: LedgerFigures,
) {
    let at = engine.clock.now();
    let account = LedgerAccount { operation: operation.to_owned(), project: project.cloned(), session, model: None };
    let formula = Some(formula.to_owned());
    let entry = NewEntry { at, day: UtcDay::from_timestamp(at), account, formula, basis: EntryBasis::Counted, figures };
    // A block, so that the lock is released before the store is awaited.
    let is_enough = {
        let (waiting, since) = &mut *lock_mutex(&engine.notes.waiting);
        if waiting.is_empty() {
            *since = engine.clock.monotonic_time();
        }
        waiting.push(entry);
        waiting.len() >= ENOUGH || engine.clock.monotonic_time().saturating_sub(*since) >= LONG
    };
    if is_enough {
        flush_notes(engine).await;
    }
}

/// Writes the waiting entries, and once a day drops entries that are older than the retention.
pub(crate) async fn flush_notes(engine: &Engine) {
    let waiting = std::mem::take(&mut lock_mutex(&engine.notes.waiting).0);
    if waiting.is_empty() {
        return;
    }
    let count = waiting.len();
    if let Err(error) = engine.store.record_entries(waiting).await {
        tracing::warn!(%error, entries = count, "the ledger could not be written");
        return;
    }
    let now = engine.clock.now();
    // The day is noted before the attempt, so that a failing store is asked once a day and not with every flush.
    if lock_mutex(&engine.notes.pruned).replace(UtcDay::from_timestamp(now)) == Some(UtcDay::from_timestamp(now)) {
        return;
    }
    let kept = i64::try_from(engine.settings.ledger_retention.as_millis()).unwrap_or(i64::MAX);
    if let Err(error) = engine.store.prune_ledger(Timestamp(now.0.saturating_sub(kept))).await {
        tracing::warn!(%error, "old entries of the ledger could not be dropped");
    }
}

fn lock_mutex<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // Each mutex holds a complete value between any two changes, so a panic leaves nothing half written.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
