//! Decides who wrote a record of a Gemini CLI transcript: the person, the model, or the program in the user's place.
//! The record's type, and the fences and words that a text opens with, say it.

use model::{MessagePart, MessageRole};

use crate::transcript::author::Author;
use crate::transcript::blocks;
use crate::transcript::json::JsonObject;

/// What the program puts around the words of a person, or sends in their place.
pub(super) const FENCES: [&str; 2] = ["session_context", "hook_context"];

/// What the program writes in the user's place opens with one of these.
const OPENINGS: [&str; 3] = [
    "<session_context>",
    "Here is the user's editor context as a JSON object",
    "Here is a summary of changes in the user's editor context",
];

/// Who wrote a record that says this.
pub(super) fn find_author(record: &JsonObject<'_>, parts: &[MessagePart]) -> Author {
    match record.text("type").unwrap_or_default().as_ref() {
        "gemini" => Author::Model,
        "user" if blocks::are_results(parts) => Author::Tool,
        "user" if opens_as_program(parts) => Author::Host(MessageRole::User),
        "user" => Author::Person,
        // Notes, warnings and errors on the screen, and any kind that a later version adds.
        _ => Author::Host(MessageRole::System),
    }
}

fn opens_as_program(parts: &[MessagePart]) -> bool {
    matches!(parts.first(), Some(MessagePart::Text { text }) if OPENINGS.iter().any(|opening| text.starts_with(opening)))
}
