//! How one knows what is before the eyes of Claude Code's model. It names a call to us in `_meta` as it names it to hooks.
//! Results of its own tools it may replace by a mark when the context is long (`microcompact`); those of MCP servers it
//! leaves alone. A user can go back to an earlier prompt: nothing tells, but the transcript branches there, and what was
//! taken back is not on the way from the newest line to the first.

use crate::hook_traits::{ShownFileText, WindowTraits};
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};

pub(super) const WINDOW: WindowTraits = WindowTraits {
    call_key: "claudecode/toolUseId",
    is_own_tool: |tool| tool.starts_with("mcp__") && tool.contains("epitome"),
    shown_file: find_shown_file,
    is_emptied: |transcript| BOUNDARIES.iter().any(|mark| memchr::memmem::find(transcript, mark.as_bytes()).is_some()),
    calls_in_context: find_calls,
};

/// Which calls the matcher of our hook for calls names: those whose replies may be withheld.
pub(super) const CALL_MATCHER: &str = "^mcp__.*epitome.*__(read|context)$";

/// What a transcript says where texts were taken out of the context.
const BOUNDARIES: [&str; 2] = ["\"compact_boundary\"", "\"microcompact_boundary\""];

/// The oldest version of which is known that it names the sub-agent that makes a call. Without that, a call of a sub-agent
/// looks like one of the session, which has seen more.
const FIRST_VERSION: [u32; 3] = [2, 1, 259];

/// A longer line is cut where it is shown to the model, at 2,000 characters.
const MAX_LINE_BYTES: usize = 1_900;

/// A longer text may not reach the model whole.
const MAX_TEXT_BYTES: usize = 32 << 10;

/// What `Read` showed of a file.
fn find_shown_file(tool: &str, output: &Value) -> Option<ShownFileText> {
    let file = output.get("file").filter(|_| tool == "Read" && output["type"] == "text")?;
    let text = file["content"].as_str()?.to_owned();
    let start = u32::try_from(file["startLine"].as_u64()?).ok()?;
    let is_shown_whole = text.len() <= MAX_TEXT_BYTES && text.lines().all(|line| line.len() <= MAX_LINE_BYTES);
    let path = file["filePath"].as_str()?.to_owned();
    (is_shown_whole && start > 0).then_some(ShownFileText { path, start, text })
}

/// A line of a transcript, as far as it says what it follows.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ChainLine {
    uuid: Option<String>,
    parent_uuid: Option<String>,
    version: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    subtype: Option<String>,
    #[serde(default)]
    is_sidechain: bool,
    #[serde(default)]
    is_meta: bool,
    #[serde(default)]
    message: Value,
}

impl ChainLine {
    fn blocks(&self) -> impl Iterator<Item = &Value> {
        self.message["content"].as_array().into_iter().flatten()
    }

    fn is_prompt(&self) -> bool {
        let is_result = self.blocks().any(|block| block["type"] == "tool_result");
        self.kind.as_deref() == Some("user") && !self.is_meta && !is_result
    }

    /// The version that wrote it.
    fn version_numbers(&self) -> Option<Vec<u32>> {
        self.version.as_deref()?.split('.').map(|number| number.parse().ok()).collect()
    }

    /// Whether what came before it is not in the context, or not as it was.
    fn is_boundary(&self) -> bool {
        self.subtype.as_deref().is_some_and(|subtype| BOUNDARIES.iter().any(|mark| mark.trim_matches('"') == subtype))
    }
}

/// The calls on the way from the newest line back, where that way passes a prompt that begins at `prompted_at` or later, if
/// that is a place.
fn find_calls(transcript: &[u8], prompted_at: Option<usize>) -> Option<BTreeSet<String>> {
    let mut lines = HashMap::new();
    let mut newest = None;
    let mut version = None;
    let mut at = 0;
    for bytes in transcript.split_inclusive(|byte| *byte == b'\n') {
        let begins_at = at;
        at += bytes.len();
        // The first one may be a piece of a line, the last one may not be written to its end.
        let Ok(line) = serde_json::from_slice::<ChainLine>(bytes) else { continue };
        version = line.version_numbers().or(version);
        if let Some(uuid) = line.uuid.clone().filter(|_| !line.is_sidechain) {
            newest = Some(uuid.clone());
            lines.insert(uuid, (begins_at, line));
        }
    }
    if version.is_none_or(|version| version.as_slice() < FIRST_VERSION.as_slice()) {
        return None;
    }
    let mut calls = BTreeSet::new();
    let mut has_prompt = prompted_at.is_none();
    // Each line is taken once, so that lines which name each other do not hold this up for ever.
    while let Some((begins_at, line)) = newest.and_then(|uuid| lines.remove(&uuid)) {
        has_prompt |= line.is_prompt() && prompted_at.is_some_and(|prompted_at| begins_at >= prompted_at);
        if line.is_boundary() {
            break;
        }
        let used = line.blocks().filter(|block| block["type"] == "tool_use").filter_map(|block| block["id"].as_str());
        calls.extend(used.map(str::to_owned));
        newest = line.parent_uuid;
    }
    has_prompt.then_some(calls)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn line(uuid: &str, parent: Option<&str>, kind: &str, content: &Value) -> String {
        format!(
            "{}\n",
            json!({
                "uuid": uuid, "parentUuid": parent, "type": kind, "isSidechain": false, "version": "2.1.325",
                "message": { "content": content },
            })
        )
    }

    fn used(uuid: &str, parent: &str, call: &str) -> String {
        line(uuid, Some(parent), "assistant", &json!([{ "type": "tool_use", "id": call, "name": "Read", "input": {} }]))
    }

    fn result(uuid: &str, parent: &str, call: &str) -> String {
        line(uuid, Some(parent), "user", &json!([{ "type": "tool_result", "tool_use_id": call, "content": "text" }]))
    }

    #[test]
    fn calls_before_a_prompt_to_which_the_user_went_back_are_in_the_context_and_those_behind_are_not() {
        let before = [
            line("u1", None, "user", &json!("one")),
            used("a1", "u1", "c1"),
            result("r1", "a1", "c1"),
            line("u2", Some("r1"), "user", &json!("two")),
            used("a2", "u2", "c2"),
            result("r2", "a2", "c2"),
        ]
        .concat();
        let check = |parent: &str, expected: &[&str]| {
            let text =
                format!("{before}{}", line("u3", Some(parent), "user", &json!([{ "type": "text", "text": "three" }])));
            let calls = find_calls(text.as_bytes(), Some(before.len())).expect("it shows the prompt");
            assert_eq!(calls.iter().map(String::as_str).collect::<Vec<_>>(), expected, "behind {parent}");
        };
        check("r2", &["c1", "c2"]);
        // The user went back to the second prompt and wrote another one.
        check("r1", &["c1"]);
        assert_eq!(find_calls(before.as_bytes(), Some(before.len())), None, "the prompt is not written yet");
    }

    #[test]
    fn calls_that_were_made_at_once_are_all_in_the_context() {
        let text = [
            line("u1", None, "user", &json!("one")),
            used("a1", "u1", "c1"),
            used("a2", "a1", "c2"),
            result("r1", "a1", "c1"),
            result("r2", "a2", "c2"),
            line("s1", Some("r2"), "assistant", &json!([{ "type": "text", "text": "done" }])),
        ]
        .concat();
        let calls = find_calls(text.as_bytes(), Some(0)).expect("it shows the prompt");
        assert_eq!(calls, BTreeSet::from(["c1", "c2"].map(str::to_owned)));
        let torn = &text.as_bytes()[30..text.len() - 5];
        assert_eq!(find_calls(torn, Some(0)), None, "the line of the prompt is torn");
    }

    #[test]
    fn what_is_before_a_boundary_is_not_in_the_context() {
        let boundary =
            json!({ "uuid": "b1", "parentUuid": "r1", "type": "system", "subtype": "microcompact_boundary" });
        let text = [
            line("u1", None, "user", &json!("one")),
            used("a1", "u1", "c1"),
            result("r1", "a1", "c1"),
            format!("{boundary}\n"),
            line("u2", Some("b1"), "user", &json!("two")),
            used("a2", "u2", "c2"),
        ]
        .concat();
        assert!((WINDOW.is_emptied)(text.as_bytes()));
        assert_eq!(find_calls(text.as_bytes(), Some(0)), Some(BTreeSet::from(["c2".to_owned()])));
    }

    #[test]
    fn a_version_that_does_not_name_sub_agents_tells_nothing() {
        let text = [line("u1", None, "user", &json!("one")), used("a1", "u1", "c1")].concat();
        let check = |version: &str, expected: bool| {
            let text = text.replace("2.1.325", version);
            assert_eq!(find_calls(text.as_bytes(), None).is_some(), expected, "{version}");
        };
        check("2.1.325", true);
        check("2.2.0", true);
        check("2.1.60", false);
        check("1.9.900", false);
        check("of tomorrow", false);
    }

    #[test]
    fn a_file_counts_as_shown_where_its_text_reached_the_model_whole() {
        let output = |text: &str, start: u32| json!({ "type": "text", "file": { "filePath": "/p/a.rs", "content": text, "numLines": 2, "startLine": start } });
        let shown = find_shown_file("Read", &output("one\ntwo\n", 7)).expect("a text");
        assert_eq!((shown.path.as_str(), shown.start, shown.text.as_str()), ("/p/a.rs", 7, "one\ntwo\n"));
        assert_eq!(find_shown_file("Read", &output(&"x".repeat(2_500), 1)), None, "its line is cut");
        assert_eq!(find_shown_file("Edit", &output("one", 1)), None);
        assert_eq!(
            find_shown_file("Read", &json!({ "type": "file_unchanged", "file": { "filePath": "/p/a.rs" } })),
            None
        );
    }

    #[test]
    fn tools_of_ours_are_known_by_their_server() {
        let names = ["mcp__epitome__read", "mcp__plugin_epitome_epitome__context", "Read", "mcp__other__read"];
        assert_eq!(names.map(WINDOW.is_own_tool), [true, true, false, false]);
    }
}
