//! Removes secrets from a message before it is written: the store, the hash chain and every reply see only the scrubbed
//! message.

use model::NewMessage;
use model::scrub::{RuleName, Scrubber};

/// Takes the secrets out of a message, and says by which rules. The ids of its source stay: they are what it is known
/// by, and a source that sends the same message again sends the same id.
pub(crate) fn scrub_message(scrubber: &Scrubber, message: &mut NewMessage) -> Vec<RuleName> {
    // Every text of every part: one that is left out here would reach the store, the hash chain and all replies.
    let parts = message.parts.iter_mut().flat_map(model::MessagePart::texts_mut);
    // A time that can be read is no secret.
    let at = message.at.as_mut().filter(|at| at.instant.is_none()).map(|at| &mut at.text);
    let mut rules = Vec::new();
    let marks = message.part_marks.texts_mut();
    for text in parts.chain(marks).chain(&mut message.speaker).chain(&mut message.metadata).chain(at) {
        let clean = scrubber.scrub(text.as_bytes());
        if clean.is_left_out {
            warn_of_left_out_rules();
        }
        if !clean.found.is_empty() {
            rules.extend(clean.found.into_iter().map(|found| found.rule));
            *text = String::from_utf8(clean.bytes.into_owned()).expect("cuts are made between characters");
        }
    }
    rules
}

/// Says that rules of the project were not followed somewhere: what they would have hidden is stored.
pub(crate) fn warn_of_left_out_rules() {
    tracing::warn!(
        "rules for secrets in .epitome.toml were not followed where they would replace more than half of a text"
    );
}
