//! What operations saved or cost their readers, noted in passing and written together.
//!
//! A durable write waits for the disk, and an answer should not wait for its own statistics. So notes are kept until
//! there are some, or until the front end flushes them while no caller waits for an answer. What is lost with a process
//! that is killed is the last few notes, never money: calls are settled at once.

use crate::Engine;
use crate::base::Project;
use crate::code::read::ReadReply;
use crate::memory::{ExpandedKind, Expansion};
use model::{MessageRole, ProjectId, Timestamp, UtcDay, count_tokens};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use store::{EntryBasis, LedgerAccount, LedgerFigures, NewEntry};
use syntax::ViewMode;

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

/// What the ids of messages begin with that an event brought: outputs among them may have been shown in brief.
pub const OF_EVENT: &str = "hook:";

/// Notes that an output which had been shown in brief was read after all: what was spared then is paid now.
pub(crate) async fn note_again(engine: &Engine, expansion: &Expansion) {
    for item in &expansion.items {
        let ExpandedKind::Message(message) = &item.of else { continue };
        let is_of_event = message.body.external_id.as_ref().is_some_and(|id| id.starts_with(OF_EVENT));
        if message.body.role != MessageRole::Tool || !is_of_event {
            continue;
        }
        // What cannot be told whose it is still costs.
        let of = engine.store.load_conversation(&message.conversation).await.ok().flatten();
        let (project, session) = of.map(|of| (of.project, of.name)).unzip();
        let shown = i64::from(item.tokens.0);
        let figures = LedgerFigures { tokens_out: shown, tokens_avoided: -shown, ..LedgerFigures::default() };
        note_entry(engine, project.flatten().as_ref(), "expand", session, TOLD, figures).await;
    }
}

/// Notes what a read spared its reader, or cost it more.
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

/// Writes what waits, and once a day drops what is older than entries are kept.
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
    if lock_mutex(&engine.notes.pruned).replace(UtcDay::from_timestamp(now)) == Some(UtcDay::from_timestamp(now)) {
        return;
    }
    let kept = i64::try_from(engine.settings.ledger_retention.as_millis()).unwrap_or(i64::MAX);
    if let Err(error) = engine.store.prune_ledger(Timestamp(now.0.saturating_sub(kept))).await {
        tracing::warn!(%error, "old entries of the ledger could not be dropped");
    }
}

fn lock_mutex<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // Each holds one whole value between any two of its changes.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
