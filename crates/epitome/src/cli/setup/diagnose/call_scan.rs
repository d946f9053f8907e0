//! Finds in the messages of a session which calls of our tools went wrong: refused, without a server, too late, or made
//! again and again. Messages are read by the projection of their agent, so this knows no format.

use super::problem::{SessionProblem, SessionProblemKind, one_line};
use model::{MessagePart, ProjectedMessage};
use std::collections::HashMap;

/// So many equal calls in a row are told: once may be asked twice, for what was asked about may have changed.
const TOLD_REPETITIONS: u64 = 3;

#[derive(Default)]
pub(super) struct CallScan {
    /// Calls of our tools that have no result yet, with the tool.
    open: HashMap<String, String>,
    /// The newest call and how often it came in a row.
    last: Option<RepeatedCall>,
}

#[derive(Default)]
struct RepeatedCall {
    name: String,
    input: String,
    times: u64,
    at: Option<String>,
    line: u64,
}

impl CallScan {
    /// Whether a line names a call that waits for its result.
    pub(super) fn answers_call(&self, line: &[u8]) -> bool {
        self.open.keys().any(|id| memchr::memmem::find(line, id.as_bytes()).is_some())
    }

    /// The problems that a message tells of, each with the line of the message.
    pub(super) fn read_message(&mut self, message: &ProjectedMessage) -> Vec<(u64, SessionProblem)> {
        let line = message.lines.first().copied().unwrap_or_default();
        let at = message.message.at.as_ref().map(model::EventTime::display_text);
        let mut found = Vec::new();
        for part in &message.message.parts {
            let MessagePart::Tool { call_id, name, input, output, error, .. } = part else { continue };
            let ours = name.as_deref().filter(|name| is_our_tool(name)).map(str::to_owned);
            if let (Some(name), Some(input)) = (&ours, input) {
                found.extend(self.count_call(name, input, line, at.as_ref()));
            }
            let is_result = output.is_some() || error.is_some();
            let tool = match (call_id, ours) {
                (Some(id), ours) if is_result => ours.or_else(|| self.open.remove(id)),
                (Some(id), Some(name)) => {
                    self.open.insert(id.clone(), name);
                    None
                }
                (_, ours) => ours,
            };
            if let (Some(tool), Some(error)) = (tool, error) {
                let kind = kind_of_failure(error);
                let what = one_line(error);
                found.push((line, SessionProblem { kind, at: at.clone(), what, event: None, command: Some(tool) }));
            }
        }
        found
    }

    /// Counts equal calls in a row; a run is told when it ends.
    fn count_call(&mut self, name: &str, input: &str, line: u64, at: Option<&String>) -> Option<(u64, SessionProblem)> {
        if let Some(last) = self.last.as_mut().filter(|last| last.name == name && last.input == input) {
            *last = RepeatedCall { times: last.times + 1, at: at.cloned(), line, ..std::mem::take(last) };
            return None;
        }
        let ended = self.finish();
        self.last =
            Some(RepeatedCall { name: name.to_owned(), input: input.to_owned(), times: 1, at: at.cloned(), line });
        ended
    }

    /// The run of equal calls that is under way, if it is long enough to tell.
    pub(super) fn finish(&mut self) -> Option<(u64, SessionProblem)> {
        let RepeatedCall { name, input, times, at, line } = self.last.take()?;
        (times >= TOLD_REPETITIONS).then(|| {
            let what = one_line(&format!("{name} {times} times in a row with {input}"));
            let command = Some(name);
            (line, SessionProblem { kind: SessionProblemKind::Repeated, at, what, event: None, command })
        })
    }
}

/// Hosts write the name of our server into that of the tool, each in its way.
fn is_our_tool(name: &str) -> bool {
    name.contains("epitome")
}

fn kind_of_failure(text: &str) -> SessionProblemKind {
    let holds = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if holds(&["not connected", "Connection closed", "-32000", "disconnected"]) {
        SessionProblemKind::Server
    } else if holds(&["timed out", "-32001", "timeout"]) {
        SessionProblemKind::Late
    } else {
        SessionProblemKind::Call
    }
}
