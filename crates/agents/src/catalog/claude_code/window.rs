//! Reads from a transcript of Claude Code what is in the context of its model. Each line names the one that it follows, so
//! the way back from a call passes what the model was shown before it: what its user took back by going to an earlier
//! prompt is not on it, nor what another process of the same session did. Results of calls that were made at once hang
//! beside the way, each on its call.
//!
//! Results stand in the transcript as the model got them, those that were too long as a beginning and the name of a file.
//! Later on they may be replaced: by a compaction, or because the context is long, or because its user came back after a
//! pause. Each of that leaves a mark in the transcript ([`MARKS`]), but the mark may be written behind the next call; so a
//! pause ends the way back, too.

use crate::window::{ContextEnd, ContextResult, WindowTraits};
use memchr::memmem;
use model::{EventTime, Timestamp};
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;

pub(super) const WINDOW: WindowTraits = WindowTraits { call_key: "claudecode/toolUseId", results: find_results };

/// What stands in lines that say that something before them is not in the context as it is written.
const MARKS: [&[u8]; 8] = [
    b"\"compact_boundary\"",
    b"\"microcompact_boundary\"",
    b"\"isCompactSummary\":true",
    b"\"replacesSpan\":true",
    b"\"content-replacement\"",
    b"\"tool_results_cut\"",
    b"\"client_cut_tool_uses\"",
    b"\"clear_tool_uses_",
];

/// Old results are dropped once the vendor has forgotten the request before, which it does after five minutes at the
/// earliest.
const MAX_PAUSE_MS: i64 = 5 * 60 * 1_000;

/// A line of a transcript that follows another one.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ChainLine {
    uuid: String,
    parent_uuid: Option<String>,
    timestamp: Option<String>,
    #[serde(default)]
    is_sidechain: bool,
    #[serde(default)]
    message: Value,
}

impl ChainLine {
    fn blocks<'l>(&'l self, kind: &'l str) -> impl DoubleEndedIterator<Item = &'l Value> {
        let blocks = self.message["content"].as_array().map(Vec::as_slice).unwrap_or_default();
        blocks.iter().filter(move |block| block["type"] == kind)
    }

    fn makes_call(&self, call: &str) -> bool {
        self.blocks("tool_use").any(|block| block["id"] == call)
    }

    fn written_at(&self) -> Option<Timestamp> {
        EventTime::from_text(self.timestamp.clone()?).instant
    }
}

/// Whether there was no pause between two times that are known.
fn is_soon(earlier: Option<Timestamp>, later: Option<Timestamp>) -> bool {
    earlier.zip(later).is_some_and(|(earlier, later)| later.0 - earlier.0 <= MAX_PAUSE_MS)
}

fn find_results(transcript: &[u8], end: ContextEnd<'_>) -> Option<Vec<ContextResult>> {
    let rest = behind_marks(transcript);
    let lines = chain_lines(rest);
    let newest = lines.iter().rposition(|line| match end {
        ContextEnd::Call(call, _) => line.makes_call(call),
        ContextEnd::Newest => !line.is_sidechain,
    });
    let Some(newest) = newest else {
        // Nothing was written yet since the context was emptied.
        let is_emptied = end == ContextEnd::Newest && rest.len() < transcript.len();
        return is_emptied.then(Vec::new);
    };
    // What comes of a call is read with the next request, so a call that waited for its user counts as well.
    let mut later = match end {
        ContextEnd::Call(_, now) => Some(now),
        ContextEnd::Newest => None,
    };
    let places: HashMap<&str, usize> = lines.iter().enumerate().map(|(at, line)| (line.uuid.as_str(), at)).collect();
    let mut calls = Vec::new();
    let mut next = Some(newest);
    while let Some(at) = next {
        let line = &lines[at];
        if end != ContextEnd::Newest && !is_soon(line.written_at(), later) {
            break;
        }
        later = line.written_at();
        calls.extend(line.blocks("tool_use").rev());
        let parent = line.parent_uuid.as_deref().and_then(|parent| places.get(parent).copied());
        // A line follows an earlier one, so this comes to an end whatever is written.
        next = parent.filter(|parent| *parent < at);
    }
    let mut texts: HashMap<&str, Vec<String>> = HashMap::new();
    for block in lines.iter().flat_map(|line| line.blocks("tool_result")) {
        texts.entry(block["tool_use_id"].as_str().unwrap_or_default()).or_default().push(result_text(block));
    }
    let result = |block: &Value| {
        let call = block["id"].as_str()?.to_owned();
        let text = texts.get(call.as_str()).filter(|texts| texts.len() == 1).and_then(|texts| texts.first().cloned());
        Some(ContextResult { tool: block["name"].as_str()?.to_owned(), input: block["input"].clone(), text, call })
    };
    Some(calls.into_iter().rev().filter_map(result).collect())
}

/// What is behind the newest line with a mark.
fn behind_marks(transcript: &[u8]) -> &[u8] {
    let newest = MARKS.iter().filter_map(|mark| memmem::rfind(transcript, mark)).max();
    let behind = |at: usize| memchr::memchr(b'\n', &transcript[at..]).map_or(transcript.len(), |end| at + end + 1);
    &transcript[newest.map_or(0, behind)..]
}

/// The lines that follow others. A line that is torn, or of another kind, is none.
fn chain_lines(transcript: &[u8]) -> Vec<ChainLine> {
    transcript.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

/// The text of a result: a string, or blocks of which some are text.
fn result_text(block: &Value) -> String {
    let content = &block["content"];
    let blocks = || content.as_array().into_iter().flatten().filter_map(|part| part["text"].as_str()).collect();
    content.as_str().map_or_else(blocks, str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn line(minute: u32, uuid: &str, parent: Option<&str>, kind: &str, content: &Value) -> String {
        let at = format!("2026-11-19T10:{minute:02}:00.000Z");
        let line = json!({
            "uuid": uuid, "parentUuid": parent, "type": kind, "isSidechain": false, "timestamp": at,
            "message": { "content": content },
        });
        format!("{line}\n")
    }

    fn used(uuid: &str, parent: &str, call: &str) -> String {
        let content = json!([{ "type": "tool_use", "id": call, "name": "Read", "input": { "file_path": "a" } }]);
        line(0, uuid, Some(parent), "assistant", &content)
    }

    fn result(uuid: &str, parent: &str, call: &str) -> String {
        let content = json!([{ "type": "text", "text": format!("text of {call}") }]);
        let content = json!([{ "type": "tool_result", "tool_use_id": call, "content": content }]);
        line(0, uuid, Some(parent), "user", &content)
    }

    fn prompt(uuid: &str, parent: Option<&str>) -> String {
        line(0, uuid, parent, "user", &json!("Go on."))
    }

    /// Which calls are before one, each with whether its result is there.
    fn before(transcript: &str, call: &str) -> Option<Vec<(String, bool)>> {
        before_at(transcript, call, "2026-11-19T10:05:00.000Z")
    }

    fn before_at(transcript: &str, call: &str, now: &str) -> Option<Vec<(String, bool)>> {
        let now = EventTime::from_text(now.to_owned()).instant.expect("a time");
        let found = find_results(transcript.as_bytes(), ContextEnd::Call(call, now))?;
        let Some((this, before)) = found.split_last() else { return Some(Vec::new()) };
        assert_eq!((this.call.as_str(), this.text.as_deref()), (call, None));
        Some(before.iter().map(|result| (result.call.clone(), result.text.is_some())).collect())
    }

    fn calls(expected: &[(&str, bool)]) -> Vec<(String, bool)> {
        expected.iter().map(|(call, has)| ((*call).to_owned(), *has)).collect()
    }

    #[test]
    fn what_the_user_took_back_is_not_on_the_way_to_a_call() {
        let morning = [
            prompt("u1", None),
            used("a1", "u1", "c1"),
            result("r1", "a1", "c1"),
            prompt("u2", Some("r1")),
            used("a2", "u2", "c2"),
            result("r2", "a2", "c2"),
        ]
        .concat();
        let check = |parent: &str, expected: &[(&str, bool)]| {
            let text = [morning.clone(), prompt("u3", Some(parent)), used("a3", "u3", "c3")].concat();
            assert_eq!(before(&text, "c3"), Some(calls(expected)), "behind {parent}");
        };
        check("r2", &[("c1", true), ("c2", true)]);
        // The user went back to the second prompt and wrote another one.
        check("r1", &[("c1", true)]);
        check("of another file", &[]);
        assert_eq!(before(&morning, "c3"), None, "it is not written yet");
        let newest = find_results(morning.as_bytes(), ContextEnd::Newest).expect("a newest line");
        assert_eq!(newest[1].text.as_deref(), Some("text of c2"));
        assert_eq!(newest[1].input["file_path"], "a");
    }

    #[test]
    fn results_of_calls_that_were_made_at_once_are_beside_the_way() {
        let made =
            [prompt("u1", None), used("a1", "u1", "c1"), used("a2", "a1", "c2"), used("a3", "a2", "c3")].concat();
        let text = [made.clone(), result("r1", "a1", "c1")].concat();
        assert_eq!(before(&text, "c2"), Some(calls(&[("c1", true)])));
        let text = [text, result("r2", "a2", "c2"), result("r3", "a3", "c3"), used("a4", "r3", "c4")].concat();
        assert_eq!(before(&text, "c4"), Some(calls(&[("c1", true), ("c2", true), ("c3", true)])));
        let twice = [text, result("r4", "a4", "c1"), used("a5", "r4", "c5")].concat();
        assert_eq!(before(&twice, "c5"), Some(calls(&[("c1", false), ("c2", true), ("c3", true), ("c4", false)])));
        // The first line is torn.
        assert_eq!(before(&made[30..], "c3"), Some(calls(&[("c1", false), ("c2", false)])));
    }

    #[test]
    fn what_is_before_a_mark_is_not_known_to_be_there() {
        let morning = [prompt("u1", None), used("a1", "u1", "c1"), result("r1", "a1", "c1")].concat();
        let marks = [
            json!({ "type": "system", "subtype": "compact_boundary", "uuid": "b", "parentUuid": null }),
            json!({ "type": "system", "subtype": "microcompact_boundary", "uuid": "b", "parentUuid": "r1" }),
            json!({ "type": "user", "isCompactSummary": true, "uuid": "b", "parentUuid": "r1" }),
            json!({ "type": "user", "replacesSpan": true, "uuid": "b", "parentUuid": "r1" }),
            json!({ "type": "content-replacement", "replacements": [] }),
            json!({ "type": "attachment", "attachment": { "type": "tool_results_cut" }, "uuid": "b", "parentUuid": "r1" }),
            json!({ "type": "assistant", "message": { "context_management": { "client_cut_tool_uses": 1 } } }),
            json!({ "type": "api-request", "params": { "edits": [{ "type": "clear_tool_uses_20250919" }] } }),
        ];
        for mark in marks {
            let text = format!("{morning}{mark}\n{}{}", used("a2", "r1", "c2"), result("r2", "a2", "c2"));
            let text = [text, used("a3", "r2", "c3")].concat();
            assert_eq!(before(&text, "c3"), Some(calls(&[("c2", true)])), "{mark}");
            let emptied = format!("{morning}{mark}\n");
            assert_eq!(find_results(emptied.as_bytes(), ContextEnd::Newest), Some(Vec::new()), "{mark}");
            assert_eq!(before(&emptied, "c3"), None, "{mark}");
        }
    }

    #[test]
    fn what_is_before_a_pause_is_not_known_to_be_there() {
        let check = |minute: u32, expected: &[(&str, bool)]| {
            let back = line(minute, "u2", Some("r1"), "user", &json!("I am back."));
            let at = |text: String| text.replace("10:00:", &format!("10:{minute:02}:"));
            let text = [
                prompt("u1", None),
                used("a1", "u1", "c1"),
                result("r1", "a1", "c1"),
                back,
                at(used("a2", "u2", "c2")),
            ];
            assert_eq!(before(&text.concat(), "c2"), Some(calls(expected)), "{minute} minutes");
        };
        check(5, &[("c1", true)]);
        check(6, &[]);
        // The call itself waited for its user.
        let text =
            [prompt("u1", None), used("a1", "u1", "c1"), result("r1", "a1", "c1"), used("a2", "r1", "c2")].concat();
        assert_eq!(before(&text, "c2"), Some(calls(&[("c1", true)])));
        assert_eq!(before_at(&text, "c2", "2026-11-19T10:07:00.000Z"), Some(calls(&[])));
        let without_time = [prompt("u1", None), used("a1", "u1", "c1"), used("a2", "a1", "c2")].concat();
        assert_eq!(before(&without_time.replace("timestamp", "at"), "c2"), Some(calls(&[])));
    }
}
