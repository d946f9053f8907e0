//! Decides who wrote a row of OpenCode's database: the person, the model, or the host in their place.

use model::MessageRole;

use crate::transcript::author::Author;
use crate::transcript::json::JsonObject;

/// Who wrote a message, whose words are in other rows.
pub(super) fn author_of_message(data: &JsonObject<'_>) -> Author {
    match data.text("role").unwrap_or_default().as_ref() {
        _ if data.flag("summary") => Author::Summary(MessageRole::Assistant),
        "user" => Author::Person,
        "assistant" => Author::Model,
        "tool" => Author::Tool,
        "system" => Author::Host(MessageRole::System),
        _ => Author::Host(MessageRole::Assistant),
    }
}

/// Whether a part of a message is the host's: files that it wrote out, words that it wrote in the name of the user or
/// the model.
pub(super) fn is_by_host(part: &JsonObject<'_>) -> bool {
    part.flag("synthetic")
}

/// Who wrote a row of the newer table, which is a whole message.
pub(super) fn author_of_whole(kind: &str) -> Author {
    match kind {
        // A command that the person ran with `!` is theirs as well.
        "user" | "shell" => Author::Person,
        "assistant" => Author::Model,
        "compaction" => Author::Summary(MessageRole::System),
        _ => Author::Host(MessageRole::System),
    }
}
