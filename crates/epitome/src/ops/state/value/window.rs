//! What tools left in the context of a session's model since it was last emptied (`ContextWindow`), by the transcript of its
//! agent, in the reply of the `value` operation.

use crate::ops::render_count;
use crate::transcripts::LocalTranscripts;
use agents::ContextResult;
use model::{TokenCount, count_tokens, show_name};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::path::Path;

#[derive(Serialize, JsonSchema)]
pub(super) struct ContextWindow {
    /// How many results
    results: u64,
    tokens: u32,
    /// Oldest first
    entries: Vec<WindowEntry>,
}

#[derive(Serialize, JsonSchema)]
struct WindowEntry {
    /// As the agent names it
    tool: String,
    /// What it was asked for, where that is a place: a file, a symbol, ids of messages and summaries
    #[serde(skip_serializing_if = "Option::is_none")]
    about: Option<String>,
    tokens: u32,
}

/// Under which names tools are told at which place to look, the most telling first. Commands and questions are not shown: a
/// transcript has secrets as they are.
const PLACES: [&str; 8] = ["targets", "ids", "id", "symbol", "file_path", "notebook_path", "path", "conversation"];

/// Longer places are cut.
const MAX_PLACE_CHARS: usize = 120;

impl ContextWindow {
    /// That of a conversation of an agent; none where nothing shows it.
    pub(super) fn find(known: &LocalTranscripts, conversation: &str, root: &Path) -> Option<Self> {
        let results = known.conversation_results(conversation)?;
        let entries: Vec<WindowEntry> =
            results.iter().filter_map(|result| WindowEntry::of_result(result, root)).collect();
        let tokens = entries.iter().map(|entry| TokenCount(entry.tokens)).sum::<TokenCount>().0;
        (!entries.is_empty()).then_some(Self { results: entries.len() as u64, tokens, entries })
    }

    pub(super) fn to_text(&self) -> String {
        let (results, tokens) = (render_count(self.results, "result"), render_count(u64::from(self.tokens), "token"));
        format!("in the context of the session's model: {results} of tools, {tokens}\n")
    }
}

impl WindowEntry {
    fn of_result(result: &ContextResult, root: &Path) -> Option<Self> {
        let tokens = count_tokens(result.text.as_deref()?).0;
        Some(Self { tool: result.tool.clone(), about: find_place(&result.input, root), tokens })
    }
}

fn find_place(input: &Value, root: &Path) -> Option<String> {
    let within = |text: &str| {
        let below = Path::new(text).strip_prefix(root).ok().and_then(Path::to_str).filter(|below| !below.is_empty());
        below.unwrap_or(text).to_owned()
    };
    let written = |value: &Value| match value {
        Value::String(text) => Some(within(text)),
        Value::Array(several) => {
            let texts: Vec<String> = several.iter().filter_map(Value::as_str).map(within).collect();
            (!texts.is_empty()).then(|| texts.join(", "))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    };
    let mut place = PLACES.iter().find_map(|name| written(&input[*name]))?;
    // As the tools of agents write it that read files by lines.
    if let Some(first) = input["offset"].as_u64() {
        let last =
            input["limit"].as_u64().map(|lines| (first + lines).saturating_sub(1).to_string()).unwrap_or_default();
        place = format!("{place}:{first}-{last}");
    }
    let cut = place.char_indices().nth(MAX_PLACE_CHARS).map(|(at, _)| format!("{}…", &place[..at]));
    Some(show_name(&cut.unwrap_or(place)).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_call_is_named_by_what_it_was_asked_for() {
        let check = |input: Value, expected: Option<&str>| {
            assert_eq!(find_place(&input, Path::new("/p")).as_deref(), expected, "{input}");
        };
        check(json!({ "file_path": "/p/src/a.rs" }), Some("src/a.rs"));
        check(json!({ "file_path": "/elsewhere/a.rs", "offset": 10, "limit": 5 }), Some("/elsewhere/a.rs:10-14"));
        check(json!({ "targets": ["src/a.rs:1-9", "src/b.rs#B"], "mode": "raw" }), Some("src/a.rs:1-9, src/b.rs#B"));
        check(json!({ "query": "where is it", "path": "src" }), Some("src"));
        check(json!({ "command": "export TOKEN=secret" }), None);
        let long = find_place(&json!({ "path": "é".repeat(500) }), Path::new("/p")).expect("a path");
        assert_eq!(long.chars().count(), MAX_PLACE_CHARS + 1);
    }
}
