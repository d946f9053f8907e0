//! Buffers answers of the model that a Claude Code transcript spreads over several lines, until the next answer or
//! prompt of the thread ends them: an answer is written block by block, and results of its first tools may stand before
//! its last block. Token usage is repeated on every line and final on the last: it is counted when the answer is
//! emitted; when that was too early, the rest counts only the difference.

use std::collections::HashMap;
use std::mem;
use std::sync::Arc;

use model::ProjectedMessage;

use super::LinePosition;
use super::usage::{ApiResponse, ResponseUsage};

/// Lines of other threads after which a thread's answer counts as ended; so many messages may wait behind one, too.
const MAX_INTERLEAVED_LINES: usize = 256;

#[derive(Default)]
pub(super) struct PendingAnswers {
    /// At most one answer per thread.
    open: Vec<OpenAnswer>,
    /// The parts given out of each answer, by the API's id.
    given: HashMap<String, EmittedAnswer>,
}

struct OpenAnswer {
    thread: Option<Arc<str>>,
    response: ApiResponse,
    message: ProjectedMessage,
    after: Vec<ProjectedMessage>,
    last_line: u64,
}

struct EmittedAnswer {
    root: String,
    usage: ResponseUsage,
}

impl PendingAnswers {
    /// Takes a line of an answer; returns the message it belongs to: the first, when an answer becomes several
    /// messages.
    pub(super) fn add_line(
        &mut self,
        place: &LinePosition<'_>,
        mut message: ProjectedMessage,
        response: ApiResponse,
        out: &mut Vec<ProjectedMessage>,
    ) -> String {
        self.close_stale(place, out);
        let mine = |answer: &&mut OpenAnswer| answer.thread == place.thread && answer.response.id == response.id;
        // The same id in the same thread: the next block of an answer that is already open.
        if let Some(answer) = self.open.iter_mut().find(mine) {
            answer.message.message.parts.append(&mut message.message.parts);
            answer.message.lines.push(place.number);
            answer.response.merge_later(response);
            answer.last_line = place.number;
            return answer.root_id();
        }
        self.close_answer(place.thread.as_ref(), out);
        // One API id in two threads is one answer that was written into both, so the first part is given out before the
        // second.
        if let Some(other) = self.open.iter().find(|answer| answer.response.id == response.id) {
            let thread = other.thread.clone();
            self.close_answer(thread.as_ref(), out);
        }
        match self.given.get(&response.id) {
            // The answer was given out before, at a pause: this is its rest, and it names the part that came first.
            Some(given) => message.continues = Some(given.root.clone()),
            // Only the first part has the id of the API, so that an import without a pause gives the same name.
            None => message.message.external_id = Some(response.id.clone()),
        }
        let answer =
            OpenAnswer { thread: place.thread.clone(), response, message, after: Vec::new(), last_line: place.number };
        let root = answer.root_id();
        self.open.push(answer);
        root
    }

    /// Takes something that does not end an answer: it comes after the one of its thread.
    pub(super) fn add_after(
        &mut self,
        place: &LinePosition<'_>,
        message: ProjectedMessage,
        out: &mut Vec<ProjectedMessage>,
    ) {
        self.close_stale(place, out);
        let Some(answer) = self.open.iter_mut().find(|answer| answer.thread == place.thread) else {
            return out.push(message);
        };
        answer.after.push(message);
        // A thread without end would hold its messages in memory for ever.
        if answer.after.len() > MAX_INTERLEAVED_LINES {
            self.close_answer(place.thread.as_ref(), out);
        }
    }

    /// The thread's answer has ended.
    pub(super) fn close_answer(&mut self, thread: Option<&Arc<str>>, out: &mut Vec<ProjectedMessage>) {
        if let Some(at) = self.open.iter().position(|answer| answer.thread.as_ref() == thread) {
            let answer = self.open.remove(at);
            self.emit_answer(answer, out);
        }
    }

    /// A parent comes before its children, whatever thread holds it.
    pub(super) fn close_before(&mut self, parent: &str, place: &LinePosition<'_>, out: &mut Vec<ProjectedMessage>) {
        let holds = |answer: &&OpenAnswer| {
            // Within one thread the order of lines is the order of messages already.
            answer.thread != place.thread
                && (answer.root_id() == parent
                    || answer.after.iter().any(|after| after.message.external_id.as_deref() == Some(parent)))
        };
        if let Some(thread) = self.open.iter().find(holds).map(|answer| answer.thread.clone()) {
            self.close_answer(thread.as_ref(), out);
        }
    }

    pub(super) fn close_all(&mut self, out: &mut Vec<ProjectedMessage>) {
        for answer in mem::take(&mut self.open) {
            self.emit_answer(answer, out);
        }
    }

    /// Threads that have gone silent would otherwise wait for the end of the file.
    fn close_stale(&mut self, place: &LinePosition<'_>, out: &mut Vec<ProjectedMessage>) {
        let is_stale = |answer: &OpenAnswer| {
            answer.thread != place.thread && place.number - answer.last_line > MAX_INTERLEAVED_LINES as u64
        };
        while let Some(at) = self.open.iter().position(is_stale) {
            let answer = self.open.remove(at);
            self.emit_answer(answer, out);
        }
    }

    fn emit_answer(&mut self, mut answer: OpenAnswer, out: &mut Vec<ProjectedMessage>) {
        let root = answer.root_id();
        let given = self.given.entry(answer.response.id.clone());
        let given = given.or_insert_with(|| EmittedAnswer { root, usage: ResponseUsage::default() });
        if let Some(end) = answer.response.finish_part(given.usage) {
            answer.message.message.parts.push(end);
        }
        // The usage of the largest report counts: every line of an answer repeats it, and only the last one is final.
        given.usage = given.usage.max(answer.response.usage);
        out.push(answer.message);
        out.append(&mut answer.after);
    }
}

impl OpenAnswer {
    /// Its id in the tree: the id of the first message made from it.
    fn root_id(&self) -> String {
        self.message.continues.clone().or_else(|| self.message.message.external_id.clone()).unwrap_or_default()
    }
}
