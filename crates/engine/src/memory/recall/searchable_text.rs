//! Extracts the searchable text of a message: blanks out what this program itself put into the conversation.
//!
//! Text that hooks injected quotes what was said elsewhere, and so do the calls of our own tools and their results: a
//! question asked through one would be its own best answer. All of it stays in the message, and `grep` finds it.

use crate::memory::fact::runs_own_program;
use model::{MessagePart, NewMessage, injected_ranges, is_own_tool};
use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

/// The calls of our own tools in a conversation, by id: a result names only its call.
#[derive(Default)]
pub(super) struct OwnCalls(HashSet<String>);

impl OwnCalls {
    /// The content of the next message of the conversation, with blanks in place of what is not searched.
    pub(super) fn blank_unsearched<'c>(&mut self, body: &NewMessage, content: &'c str) -> Cow<'c, str> {
        let mut ranges = injected_ranges(content);
        let mut start = 0;
        for part in &body.parts {
            // `content` joins texts with one separator each, so the places of parts are counted with it.
            let end = part.searchable_texts().iter().fold(start, |end, words| end + words.len() + 1);
            if self.is_own(part) && end > start {
                ranges.push(start..end - 1);
            }
            start = end;
        }
        if ranges.is_empty() {
            return Cow::Borrowed(content);
        }
        let mut bytes = content.as_bytes().to_vec();
        for range in ranges {
            // Blanks and not a cut: offsets of passages stay those of the content, and results quote by offset.
            bytes[range].fill(b' ');
        }
        Cow::Owned(String::from_utf8(bytes).expect("only whole parts and texts are blanked"))
    }

    fn is_own(&mut self, part: &MessagePart) -> bool {
        let MessagePart::Tool { call_id, name, input, .. } = part else { return false };
        let is_call = name.as_deref().is_some_and(|name| {
            is_own_tool(name) || input.as_deref().is_some_and(|input| runs_own_program(name, input) || passes_on(input))
        });
        // The result of a call comes in a later message and names only the id.
        if is_call {
            self.0.extend(call_id.clone());
        }
        is_call || call_id.as_ref().is_some_and(|id| self.0.contains(id))
    }
}

/// Whether a call names one of our tools in its arguments: Qwen Code has one tool that calls those of servers.
fn passes_on(input: &str) -> bool {
    let called = || Some(serde_json::from_str::<serde_json::Value>(input).ok()?["name"].as_str()?.to_owned());
    is_own_tool(input) && called().is_some_and(|name| is_own_tool(&name))
}

/// The longest stretch of a range without injected text: what is shown of a message is what was said.
pub(super) fn own_stretch(content: &str, range: Range<usize>) -> Range<usize> {
    let mut stretches = Vec::new();
    let mut start = range.start;
    for injected in injected_ranges(content) {
        if injected.start >= range.end || injected.end <= start {
            continue;
        }
        stretches.push(start..injected.start.max(start));
        start = injected.end.min(range.end);
    }
    stretches.push(start..range.end);
    // `max_by_key` keeps the last of equals: injected text stands before what was said.
    stretches.into_iter().max_by_key(Range::len).unwrap_or(range)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::MessageRole;

    fn call(id: &str, name: &str, input: &str) -> MessagePart {
        let call_id = Some(id.to_owned());
        let name = Some(name.to_owned());
        let input = Some(input.to_owned());
        MessagePart::Tool { call_id, name, status: None, input, output: None, error: None, title: None }
    }

    fn result(id: &str, output: &str) -> MessagePart {
        let call_id = Some(id.to_owned());
        let output = Some(output.to_owned());
        MessagePart::Tool { call_id, name: None, status: None, input: None, output, error: None, title: None }
    }

    fn blanked(calls: &mut OwnCalls, parts: Vec<MessagePart>) -> String {
        let body = NewMessage {
            external_id: None,
            role: MessageRole::User,
            speaker: None,
            session: None,
            at: None,
            metadata: None,
            parts,
            part_marks: model::PartMarks::default(),
        };
        let content = body.content();
        let blanked = calls.blank_unsearched(&body, &content).into_owned();
        assert_eq!(blanked.len(), content.len());
        blanked.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn calls_of_our_tools_and_their_results_are_not_searched() {
        let text = |text: &str| MessagePart::Text { text: text.to_owned() };
        let mut calls = OwnCalls::default();
        let asked = call("c1", "mcp__epitome__context", r#"{"query":"how are discounts rounded"}"#);
        assert_eq!(blanked(&mut calls, vec![text("I ask."), asked, text("So.")]), "I ask. So.");
        assert_eq!(blanked(&mut calls, vec![result("c1", "rounded down"), result("c2", "other")]), "other");
        let shell = call("c3", "Bash", r#"{"command":"epitome recall 'discounts'"}"#);
        assert_eq!(blanked(&mut calls, vec![shell]), "");
        let passed = call("c5", "tool_call", r#"{"name":"mcp__epitome__epitome","arguments":{"operation":"recall"}}"#);
        assert_eq!(blanked(&mut calls, vec![passed, result("c5", "rounded down")]), "");
        let named = call("c6", "make_folder", r#"{"name":"src","about":"epitome"}"#);
        assert_ne!(blanked(&mut calls, vec![named]), "");
        let other = call("c4", "Bash", r#"{"command":"ls epitome"}"#);
        assert_ne!(blanked(&mut calls, vec![other]), "");
    }

    #[test]
    fn injected_text_is_neither_searched_nor_shown() {
        let said = "<epitome>\nalways whole cents\n</epitome>\nRound them down.";
        let part = MessagePart::Text { text: said.to_owned() };
        assert_eq!(blanked(&mut OwnCalls::default(), vec![part]), "Round them down.");
        assert_eq!(&said[own_stretch(said, 0..said.len())], "\nRound them down.");
        assert_eq!(own_stretch("plain", 1..3), 1..3);
    }
}
