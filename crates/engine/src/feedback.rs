//! Logs implicit relevance feedback: which of the places (`path:lines` or ids) that an answer listed were read
//! afterwards in the same session, to learn later which places a question was really about.
//!
//! Answers stay in memory until a place of them is read; those of a named session are written at once, because its next
//! step may be another process. Writes wait, as notes of the ledger do, until no caller waits for an answer.

use crate::Engine;
use crate::base::Project;
use crate::code::read::ReadReply;
use model::{ContentHash, DigestBuilder, LineRange, ProjectId};
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use store::{AnswerPlace, AnswerRecord};

/// Answers of this process that may still be used.
#[derive(Default)]
pub(crate) struct FeedbackLog {
    recent: Mutex<RecentAnswers>,
}

#[derive(Default)]
struct RecentAnswers {
    /// Newest last.
    answers: VecDeque<AnswerRecord>,
    /// Keys of those that are to be written.
    waiting: Vec<ContentHash>,
    /// Whether earlier answers of the session were loaded.
    is_loaded: bool,
    /// The number of answers so far, so that equal questions of one moment get different keys.
    count: u64,
}

/// Answers that may still be used: a caller no longer reads places of older ones.
const MAX_RECENT_ANSWERS: usize = 32;

/// Places of an answer that are kept.
const PLACES: usize = 32;

/// Answers that are kept of each project.
const MAX_STORED_ANSWERS: u32 = 2_000;

/// Longer questions are cut.
const MAX_QUESTION_BYTES: usize = 2_000;

/// Notes an answer with the places it listed.
pub(crate) async fn note_answer(
    engine: &Engine,
    project: &Project,
    operation: &str,
    question: &str,
    sources: impl Iterator<Item = String>,
) {
    if !engine.settings.feedback {
        return;
    }
    let places: Vec<AnswerPlace> = sources.take(PLACES).map(|source| AnswerPlace { source, used_by: None }).collect();
    if places.is_empty() {
        return;
    }
    // Feedback must never fail an answer.
    let scrubber = match engine.scrubber.load().await {
        Ok(scrubber) => scrubber,
        Err(error) => return tracing::warn!(%error, "an answer could not be noted"),
    };
    let question = &question[..question.floor_char_boundary(MAX_QUESTION_BYTES)];
    // A question may quote a log with a token in it, and feedback is stored.
    let question = scrubber.scrub_text(question).0.into_owned();
    let at = engine.clock.now();
    let session = session_name(engine);
    let is_enough = {
        let mut recent = lock_mutex(&engine.feedback.recent);
        recent.count += 1;
        let key = DigestBuilder::new("answer").add_field(project.id.as_str().as_bytes()).add_field(session.as_bytes());
        let key = key
            .add_field(&at.0.to_le_bytes())
            .add_field(&recent.count.to_le_bytes())
            .add_field(question.as_bytes())
            .finish();
        let project = project.id.clone();
        let operation = operation.to_owned();
        recent.answers.push_back(AnswerRecord { key, project, session, at, operation, question, places });
        // A named session goes on in another process, which can only find what is stored.
        if engine.settings.session.is_some() {
            recent.waiting.push(key);
        }
        recent.waiting.len() >= MAX_RECENT_ANSWERS
    };
    if is_enough {
        flush_answers(engine).await;
    }
    let mut recent = lock_mutex(&engine.feedback.recent);
    // Twice as many as are of use: those that wait to be written must not fall out before the flush.
    while recent.answers.len() > 2 * MAX_RECENT_ANSWERS {
        recent.answers.pop_front();
    }
}

/// Notes what was read: what names no lines is all of its file.
pub(crate) async fn note_read(engine: &Engine, project: &Project, reply: &ReadReply) {
    // Items with a relation were added by the engine; the caller did not ask for them, so they are no use of an answer.
    for item in reply.items.iter().filter(|item| item.relation.is_none()) {
        let is_it = |source: &str| {
            place_of(source).is_some_and(|(path, lines)| {
                path == item.path && item.lines.is_none_or(|read| ranges_overlap(read, lines))
            })
        };
        note_use(engine, Some(&project.id), "read", is_it).await;
    }
}

/// Notes that an item was read by its id.
pub(crate) async fn note_id(engine: &Engine, operation: &'static str, id: &str) {
    note_use(engine, None, operation, |source| source.split(' ').next() == Some(id)).await;
}

/// Marks the first place that is it, in the newest answer that has one.
async fn note_use(engine: &Engine, project: Option<&ProjectId>, operation: &str, is_it: impl Fn(&str) -> bool) {
    if !engine.settings.feedback {
        return;
    }
    load_session_answers(engine, project).await;
    let mut recent = lock_mutex(&engine.feedback.recent);
    let RecentAnswers { answers, waiting, .. } = &mut *recent;
    let of_project = |answer: &&mut AnswerRecord| project.is_none_or(|project| answer.project == *project);
    let listed = |answer: &'_ mut AnswerRecord| {
        let at = answer.places.iter().position(|place| is_it(&place.source))?;
        let is_news = answer.places[at].used_by.is_none();
        answer.places[at].used_by.get_or_insert_with(|| operation.to_owned());
        Some((answer.key, is_news))
    };
    // The newest answer gets the credit; a place that is read again says nothing new.
    if let Some((key, true)) = answers.iter_mut().rev().filter(of_project).find_map(listed)
        && !waiting.contains(&key)
    {
        waiting.push(key);
    }
}

/// Loads answers that other processes gave in the session, once.
async fn load_session_answers(engine: &Engine, project: Option<&ProjectId>) {
    let (Some(session), Some(project)) = (&engine.settings.session, project) else { return };
    if std::mem::replace(&mut lock_mutex(&engine.feedback.recent).is_loaded, true) {
        return;
    }
    match engine.store.load_answers(project, Some(session), MAX_RECENT_ANSWERS as u32).await {
        Ok(before) => {
            let mut recent = lock_mutex(&engine.feedback.recent);
            // Newest first from the store, each to the front: they end up before the answers of this process, oldest
            // first.
            for answer in before {
                recent.answers.push_front(answer);
            }
        }
        Err(error) => tracing::warn!(%error, "could not read earlier answers of the session"),
    }
}

/// Writes the answers that wait.
pub(crate) async fn flush_answers(engine: &Engine) {
    let answers: Vec<AnswerRecord> = {
        let mut recent = lock_mutex(&engine.feedback.recent);
        let waiting = std::mem::take(&mut recent.waiting);
        recent.answers.iter().filter(|answer| waiting.contains(&answer.key)).cloned().collect()
    };
    if answers.is_empty() {
        return;
    }
    if let Err(error) = engine.store.write_answers(answers, MAX_STORED_ANSWERS).await {
        tracing::warn!(%error, "could not store which places of answers were used");
    }
}

/// The session that is named, or this run.
fn session_name(engine: &Engine) -> String {
    engine.settings.session.clone().unwrap_or_else(|| "one run".to_owned())
}

/// Path and lines of `path:start-end`.
fn place_of(source: &str) -> Option<(&str, LineRange)> {
    let (path, lines) = source.rsplit_once(':')?;
    let (start, end) = lines.split_once('-')?;
    Some((path, LineRange { start: start.parse().ok()?, end: end.parse().ok()? }))
}

fn ranges_overlap(one: LineRange, other: LineRange) -> bool {
    one.start <= other.end && other.start <= one.end
}

fn lock_mutex<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // Every change leaves a whole value, so a lock that a panic poisoned is safe to use.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
