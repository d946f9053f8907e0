//! Who wrote a line of Claude Code.

use model::{Part, Role};

use super::super::author::Author;
use super::super::json::JsonObject;

/// What the program writes in the user's place opens with one of these.
const PROGRAM_TAGS: [&str; 5] =
    ["<local-command-stdout>", "<local-command-stderr>", "<task-notification>", "<system-reminder>", "<bash-stdout>"];

/// Who wrote a line that has a message of a role.
pub(super) fn find_author(role: Role, record: &JsonObject<'_>, parts: &[Part]) -> Author {
    if record.flag("isCompactSummary") {
        return Author::Summary(role);
    }
    match role {
        Role::User if is_by_program(record, parts) => Author::Host(role),
        Role::User => Author::Person,
        Role::Assistant if record.flag("isApiErrorMessage") => Author::Host(role),
        Role::Assistant => Author::Model,
        Role::Tool => Author::Tool,
        Role::System => Author::Host(role),
    }
}

/// Who wrote a prompt that waited until it could be sent.
pub(super) fn author_of_queued(attachment: &JsonObject<'_>) -> Author {
    let is_persons = attachment.text("commandMode").is_none_or(|mode| mode == "prompt");
    if is_persons { Author::Person } else { Author::Host(Role::User) }
}

fn is_by_program(record: &JsonObject<'_>, parts: &[Part]) -> bool {
    let origin = record.object("origin").and_then(|origin| origin.string("kind"));
    record.flag("isMeta")
        || origin.is_some_and(|kind| kind != "human")
        || matches!(parts, [Part::Text { text }] if PROGRAM_TAGS.iter().any(|tag| text.starts_with(tag)))
}
