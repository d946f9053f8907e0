//! Remembers the message parts that the Gemini CLI reader already emitted, by hash, so that a rewritten message list
//! does not give them again as new messages under another id.

use std::collections::HashMap;

use model::MessagePart;

use crate::transcript::external_ids::HashKey;

/// Parts by their text or their call, with the message that had them first.
#[derive(Default)]
pub(super) struct SeenParts(HashMap<HashKey, String>);

impl SeenParts {
    pub(super) fn add_parts(&mut self, message: &str, parts: &[MessagePart]) {
        let outcomes = parts.iter().filter_map(outcome_text).map(|outcome| HashKey::from_text(&outcome));
        for key in parts.iter().flat_map(part_keys).chain(outcomes) {
            // The first message that said it counts: later ones are its copies.
            self.0.entry(key).or_insert_with(|| message.to_owned());
        }
    }

    /// Whether all of it was said before, as in a list of messages that is written again. What a call gave may be shown
    /// shorter there, and is still what it gave.
    pub(super) fn has_all(&self, parts: &[MessagePart]) -> bool {
        let keys: Vec<HashKey> = parts.iter().flat_map(part_keys).collect();
        !keys.is_empty() && keys.iter().all(|key| self.0.contains_key(key))
    }

    /// The message that had these results first, if they are the same there.
    pub(super) fn result_of(&self, parts: &[MessagePart]) -> Option<String> {
        let told = |part: &MessagePart| self.0.get(&HashKey::from_text(&outcome_text(part)?)).cloned();
        let first = told(parts.first()?)?;
        // Parts without an outcome, such as a file that came with the result, do not decide.
        parts.iter().all(|part| outcome_text(part).is_none() || told(part).is_some()).then_some(first)
    }
}

/// The key of a part in comparisons. Thoughts come and go when messages are written again.
fn part_keys(part: &MessagePart) -> Vec<HashKey> {
    if let MessagePart::Text { text } = part {
        // Blanks at its ends do not make a second writing of a text a new one.
        return vec![HashKey::from_text(&format!("text {}", text.trim()))];
    }
    let MessagePart::Tool { call_id: Some(id), input, .. } = part else { return Vec::new() };
    let call = input.is_some().then(|| HashKey::from_text(&format!("call {id}")));
    let result = outcome_text(part).map(|_| HashKey::from_text(&format!("result {id}")));
    call.into_iter().chain(result).collect()
}

/// A call with what came of it.
fn outcome_text(part: &MessagePart) -> Option<String> {
    let MessagePart::Tool { call_id: Some(id), output, error, .. } = part else { return None };
    let text = output.as_ref().or(error.as_ref())?;
    Some(format!("outcome {id} {text}"))
}
