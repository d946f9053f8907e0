//! Decides who wrote a line of a Claude Code transcript: the person, the model, a tool, or the program in the user's
//! place. The role, flags of the record and the words that a text opens with say it.

use model::{MessagePart, MessageRole};

use crate::transcript::author::Author;
use crate::transcript::json::JsonObject;

/// What the program writes in the user's place opens with one of these.
const PROGRAM_OPENINGS: [&str; 8] = [
    "<local-command-stdout>",
    "<local-command-stderr>",
    "<task-notification>",
    "<system-reminder>",
    "<bash-stdout>",
    // What other agents of a team report, in the user's place.
    "<agent-message",
    "<teammate-message",
    "Another Claude session sent a message:",
];

/// Who wrote a line that has a message of a role.
pub(super) fn find_author(role: MessageRole, record: &JsonObject<'_>, parts: &[MessagePart]) -> Author {
    // Before all other checks: the summary after a compaction has the role `user`, and must never become a wish of the
    // user.
    if record.flag("isCompactSummary") {
        return Author::Summary(role);
    }
    match role {
        MessageRole::User if is_by_program(record, parts) => Author::Host(role),
        MessageRole::User => Author::Person,
        // Claude Code writes API errors as answers of the model.
        MessageRole::Assistant if record.flag("isApiErrorMessage") => Author::Host(role),
        MessageRole::Assistant => Author::Model,
        MessageRole::Tool => Author::Tool,
        MessageRole::System => Author::Host(role),
    }
}

/// Who wrote a prompt that waited until it could be sent.
pub(super) fn author_of_queued(attachment: &JsonObject<'_>, parts: &[MessagePart]) -> Author {
    let is_persons = attachment.text("commandMode").is_none_or(|mode| mode == "prompt") && !opens_like_program(parts);
    if is_persons { Author::Person } else { Author::Host(MessageRole::User) }
}

fn is_by_program(record: &JsonObject<'_>, parts: &[MessagePart]) -> bool {
    let origin = record.object("origin").and_then(|origin| origin.string("kind"));
    record.flag("isMeta")
        // Newer versions say who wrote a line; older ones only mark it as meta, or begin it with a tag of theirs.
        || origin.is_some_and(|kind| kind != "human")
        || opens_like_program(parts)
}

fn opens_like_program(parts: &[MessagePart]) -> bool {
    matches!(parts, [MessagePart::Text { text }] if PROGRAM_OPENINGS.iter().any(|opening| text.starts_with(opening)))
}
