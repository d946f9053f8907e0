//! SQL queries on Cursor's SQLite database: lists its conversations, and writes one as JSON lines, the composer
//! (conversation) first, then its bubbles (Cursor's word for messages) in order. A composer's row also holds keys that
//! encrypt things elsewhere, counters and the state of the screen, so only what says something about the conversation
//! is taken from it. A bubble is taken whole.

use std::io::Result;

use crate::database::{AgentDatabase, StoredConversation, quote_json};
use crate::format::RowReader;
use crate::transcript::{JsonObject, RawJson};

pub(super) const ROWS: RowReader = RowReader { list: list_composers, read: read_composer };

/// The value of a key. Cursor declares the column as a blob; the cast reads it as the JSON text it holds.
const VALUE: &str = "SELECT CAST(value AS TEXT) FROM cursorDiskKV WHERE key = ?";

/// The conversations of Cursor that have a record; or the one of an id.
fn list_composers(database: &AgentDatabase, only: Option<&str>) -> Result<Vec<StoredConversation>> {
    if !database.has_table("cursorDiskKV")? {
        return Ok(Vec::new());
    }
    // The prefix `composerData:` has thirteen characters; the range ends with the character after the colon.
    database.list_conversations(
        "SELECT substr(key, 14), NULL, octet_length(value) FROM cursorDiskKV
          WHERE key >= 'composerData:' AND key < 'composerData;' AND value IS NOT NULL
            AND (?1 IS NULL OR key = 'composerData:' || ?1) ORDER BY key",
        only,
    )
}

fn read_composer(database: &AgentDatabase, composer: &str) -> Result<Vec<u8>> {
    let mut lines = Vec::new();
    let Some(text) = database.text_value(VALUE, &format!("composerData:{composer}"))? else { return Ok(lines) };
    let Ok(fields) = JsonObject::parse(&text) else {
        // The whole value becomes one line that cannot be read, so that the reader of lines quarantines it and reports
        // it.
        lines.extend(format!("{}\n", text.replace(['\n', '\r'], " ")).bytes());
        return Ok(lines);
    };
    let mut head = format!("{{\"table\":\"composer\",\"id\":{}", quote_json(composer));
    let parent = fields.object("subagentInfo").and_then(|subagent| subagent.string("parentComposerId"));
    // Only these fields: the row also holds encryption keys and the state of the screen, which change all the time.
    let attributes = [("name", fields.string("name")), ("workspace", workspace_path(&fields)), ("parent", parent)];
    for (name, value) in attributes {
        head.push_str(&value.map(|value| format!(",\"{name}\":{}", quote_json(&value))).unwrap_or_default());
    }
    let created = fields.field("createdAt").map(|at| format!(",\"createdAt\":{}", at.as_written())).unwrap_or_default();
    lines.extend(format!("{head}{created}}}\n").bytes());
    // Older versions of Cursor kept the bubbles inside of the composer's row.
    for bubble in fields.array("conversation").into_iter().flatten() {
        let id = bubble.object().and_then(|bubble| bubble.string("bubbleId"));
        write_bubble(id.as_deref().unwrap_or_default(), bubble.as_written(), &mut lines);
    }
    for header in fields.array("fullConversationHeadersOnly").into_iter().flatten().filter_map(RawJson::object) {
        let Some(id) = header.string("bubbleId") else { continue };
        let bubble = database.text_value(VALUE, &format!("bubbleId:{composer}:{id}"))?;
        // A header without a bubble keeps its line, so that the number of every later line stays the same.
        write_bubble(&id, bubble.as_deref().unwrap_or("null"), &mut lines);
    }
    Ok(lines)
}

fn write_bubble(id: &str, bubble: &str, lines: &mut Vec<u8>) {
    // A raw newline can stand only between JSON tokens, where it means no more than a space.
    let bubble = bubble.replace(['\n', '\r'], " ");
    lines.extend(format!("{{\"table\":\"bubble\",\"id\":{},\"data\":{bubble}}}\n", quote_json(id)).bytes());
}

/// The folder that the conversation was about.
fn workspace_path(fields: &JsonObject<'_>) -> Option<String> {
    let identifier = fields.object("workspaceIdentifier");
    let uri = identifier.as_ref().and_then(|identifier| identifier.object("uri"));
    let path = uri.and_then(|uri| uri.string("fsPath").or_else(|| uri.string("path")));
    path.or_else(|| fields.string("workspaceProjectDir"))
}
