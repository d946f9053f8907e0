//! Decides who wrote a record of a Qwen Code transcript (the person, the model, a tool or the program), by its type and
//! subtype, and lists the kinds of record that are known.

use model::MessageRole;

use crate::transcript::author::Author;
use crate::transcript::json::JsonObject;

/// Subtypes of records with the role `user` that a person wrote; without a subtype the record is a prompt.
const BY_PERSON: [&str; 2] = ["mid_turn_user_message", "realtime_message"];

/// Subtypes of records with the role `user` that the program wrote.
const BY_HOST: [&str; 3] = ["notification", "cron", "goal_runtime"];

/// Whether a record is of a kind that is known.
pub(super) fn is_known(kind: &str, subtype: Option<&str>) -> bool {
    let is_among = |known: &[&str]| subtype.is_none_or(|subtype| known.contains(&subtype));
    match kind {
        "user" => is_among(&BY_PERSON) || is_among(&BY_HOST),
        "assistant" => is_among(&BY_PERSON),
        "tool_result" => subtype.is_none(),
        "system" => subtype == Some(COMPRESSION) || is_among(&EVENTS),
        _ => false,
    }
}

/// The record of a compaction.
pub(super) const COMPRESSION: &str = "chat_compression";

/// Who wrote a record that has a message.
pub(super) fn find_author(record: &JsonObject<'_>) -> Author {
    match record.text("type").unwrap_or_default().as_ref() {
        "assistant" => Author::Model,
        "tool_result" => Author::Tool,
        "user" if is_of_person(record) => Author::Person,
        "user" => Author::Host(MessageRole::User),
        _ => Author::Host(MessageRole::System),
    }
}

fn is_of_person(record: &JsonObject<'_>) -> bool {
    let is_prompt = record.text("subtype").is_none_or(|subtype| BY_PERSON.contains(&&*subtype));
    let is_said_so = record.text("provenance").is_none_or(|provenance| provenance == "real_user");
    is_prompt && is_said_so && !record.flag("isSidechain")
}

/// Records of the program that say nothing of the conversation.
const EVENTS: [&str; 20] = [
    "slash_command",
    "ui_telemetry",
    "at_command",
    "attribution_snapshot",
    "custom_title",
    "parent_session",
    "session_source",
    "session_model",
    "session_sources_snapshot",
    "rewind",
    "agent_bootstrap",
    "agent_launch_prompt",
    "agent_retry",
    "file_history_snapshot",
    "user_text_elements",
    "session_artifact_event",
    "session_artifact_snapshot",
    "branch_checkpoint",
    "goal_state",
    "turn_result",
];
