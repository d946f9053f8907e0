//! Decides who wrote an item of a Codex transcript: the person, the model, a tool, or the program in the user's place.
//! The role or kind of the item and the words that a text opens with say it.

use model::{MessagePart, MessageRole};

use crate::transcript::author::Author;

/// What the program writes in the user's place opens with one of these.
const PROGRAM_OPENINGS: [&str; 7] = [
    "<environment_context>",
    "<user_instructions>",
    "# AGENTS.md instructions",
    "<turn_aborted>",
    "<skill>",
    "<subagent_notification>",
    "<recommended_plugins>",
];

/// What it writes in the user's place after a compaction opens with this, and the model's own summary follows.
const SUMMARY_OPENINGS: [&str; 1] = ["Another language model started to solve this problem"];

/// Who wrote a message, by its role and by how it opens.
pub(super) fn author_of_message(role: &str, parts: &[MessagePart]) -> Author {
    // The first words decide, whichever part has them: a prompt may begin with an image.
    let opening = parts.iter().find_map(|part| part.searchable_texts().into_iter().next()).unwrap_or_default();
    let opens_with = |openings: &[&str]| openings.iter().any(|tag| opening.trim_start().starts_with(tag));
    match role {
        "user" if opens_with(&SUMMARY_OPENINGS) => Author::Summary(MessageRole::User),
        "user" if opens_with(&PROGRAM_OPENINGS) => Author::Host(MessageRole::User),
        "user" => Author::Person,
        "assistant" => Author::Model,
        "tool" => Author::Tool,
        // The roles `system` and `developer`, and any role that a later version adds.
        _ => Author::Host(MessageRole::System),
    }
}

/// Who wrote an item of any other kind.
pub(super) fn author_of_item(kind: &str) -> Author {
    match kind {
        "reasoning"
        | "function_call"
        | "custom_tool_call"
        | "local_shell_call"
        | "tool_search_call"
        | "web_search_call"
        | "image_generation_call" => Author::Model,
        "function_call_output" | "custom_tool_call_output" | "tool_search_output" => Author::Tool,
        "compaction" | "compaction_summary" | "context_compaction" | "ghost_snapshot" => {
            Author::Host(MessageRole::System)
        }
        // An agent that writes to another agent uses the role `user`, but is not the user.
        "agent_message" => Author::Host(MessageRole::User),
        // A kind that is not known is the host's, in the role of the answer it came with: never a person's.
        _ => Author::Host(MessageRole::Assistant),
    }
}
