//! A long output of a tool in brief: how it begins, how it ends, what went wrong in between, and where all of it is.
//!
//! Pure, and the same for the same event: what was shown can be worked out again when the event is taken in. Never for
//! failures, differences or data, where every line counts.

use super::event::{EventKind, HookEvent};
use super::event_messages::external_id;
use super::output_files;
use crate::config::schema::HooksConfig;
use serde_json::Value;
use std::fmt::Write as _;

/// The text shown to the agent in place of an output.
#[derive(Debug, PartialEq)]
pub(super) struct OutputBrief {
    /// The id of the message that has all of it.
    pub(super) handle: String,
    /// In the shape that the tool's output has.
    pub(super) output: Value,
}

impl OutputBrief {
    /// The text the agent sees.
    pub(super) fn shown_text(&self) -> &str {
        text_of(&self.output).unwrap_or_default()
    }
}

/// The text of a tool's output.
pub(super) fn text_of(output: &Value) -> Option<&str> {
    output.as_str().or_else(|| output[text_member(output)?].as_str())
}

/// Puts another text in the place of an output's; false where it has none.
pub(super) fn replace_text(output: &mut Value, text: &str) -> bool {
    match text_member(output) {
        Some(name) => output[name] = text.into(),
        None if output.is_string() => *output = text.into(),
        None => return false,
    }
    true
}

/// Where the text of an output lies that is an object: what a command printed, the lines that a search found, or what the
/// model gets.
fn text_member(output: &Value) -> Option<&'static str> {
    ["stdout", "content", "llmContent", "textResultForLlm"].into_iter().find(|name| output[*name].is_string())
}

/// What Claude Code would have shown of an output by itself, in characters: only that can have been spared.
const SHOWN: [(&str, usize); 2] = [("Bash", 30_000), ("Grep", 20_000)];
/// The same for an output that it keeps in a file.
const SHOWN_OF_FILE: usize = 2_000;

/// As much of an output as the agent would have seen without us.
pub(super) fn default_excerpt<'o>(event: &HookEvent, output: &'o str) -> &'o str {
    let by_tool =
        || SHOWN.iter().find(|(tool, _)| event.tool_name() == Some(tool)).map_or(usize::MAX, |(_, most)| *most);
    // Claude Code itself cuts long outputs, so only what it would have shown can be counted as spared.
    let most = if output_files::is_persisted(event) { SHOWN_OF_FILE } else { by_tool() };
    output.char_indices().nth(most).map_or(output, |(end, _)| &output[..end])
}

/// Lines at each end, and the bytes they may have. Twice as many would cost a third of what is spared.
const LINES: usize = 40;
const BYTES: usize = 1_500;
/// Lines in between that tell of failures, and the bytes of each.
const ALARMS: usize = 20;
const ALARM_BYTES: usize = 240;
/// Lines that are values, after which all are taken for values.
const VALUES: usize = 3;
const ALARMING: [&str; 6] = ["error", "failed", "panicked", "exception", "fatal", "warning:"];

/// The output of an event in brief, where it is long enough and of a kind that can be shortened.
pub(super) fn shorten_output(event: &HookEvent, settings: &HooksConfig) -> Option<OutputBrief> {
    // Only Claude Code lets a hook replace the output of a tool.
    if event.event_kind() != EventKind::Result || event.envelope.agent != "claude-code" {
        return None;
    }
    let tool = event.tool_name().filter(|tool| settings.output_tools.iter().any(|known| known == tool))?;
    let output = event.tool_output()?;
    let text = text_of(output)?;
    let is_long = settings.output_bytes > 0 && text.len() as u64 > settings.output_bytes;
    // The agent kept the whole of a cut output in a file and says where; the event has only a part of it.
    if !is_long || has_failed(output) || is_exact(text) || output_files::is_cut(event) {
        return None;
    }
    // Without the id of the call the whole could not be found again under the handle that the brief names.
    event.call_id()?;
    let handle = engine::message_id(&event.conversation_name()?, &external_id(event)).to_string();
    let short = shorten_text(text, tool, &handle)?;
    let output = match output {
        Value::Object(members) => {
            let mut members = members.clone();
            members.insert(text_member(output)?.to_owned(), short.into());
            // With these fields the agent would show the beginning of our text and the place of its own file.
            members.retain(|name, _| !output_files::FIELDS.contains(&name.as_str()));
            members.into()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => short.into(),
    };
    Some(OutputBrief { handle, output })
}

fn has_failed(output: &Value) -> bool {
    let is_set = |name: &str| output[name].as_bool().unwrap_or_default();
    is_set("is_error") || is_set("interrupted") || !output["stderr"].as_str().unwrap_or_default().is_empty()
}

/// Whether the text is of a kind of which nothing may be missing.
fn is_exact(text: &str) -> bool {
    let start = text.trim_start();
    // A diff or data with lines missing is worse than none: the model would edit files by it.
    let is_diff = start.starts_with("diff --git") || start.starts_with("--- ") || text.contains("\n@@ -");
    is_diff || is_json(start)
}

/// One value, or one a line, as far as a look at the first lines tells.
fn is_json(text: &str) -> bool {
    let is_value = |text: &str| serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
    text.starts_with(['{', '[']) && (is_value(text) || text.lines().take(VALUES).all(is_value))
}

/// `None` if no line is short enough to be shown: the rest would say nothing.
fn shorten_text(text: &str, tool: &str, handle: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let fits = |lines: &mut dyn Iterator<Item = &&str>| {
        let mut bytes = 0;
        lines
            .take(LINES)
            .take_while(|line| {
                bytes += line.len() + 1;
                bytes <= BYTES
            })
            .count()
    };
    let head = fits(&mut lines.iter());
    // The tail may not overlap the head, or lines would be shown twice.
    let tail = fits(&mut lines[head..].iter().rev());
    if head + tail == 0 {
        return None;
    }
    let between = &lines[head..lines.len() - tail];
    let mut short: String = lines[..head].iter().map(|line| format!("{line}\n")).collect();
    let (first, last) = (head + 1, lines.len() - tail);
    let bytes: usize = between.iter().map(|line| line.len() + 1).sum();
    let _ = writeln!(
        short,
        "[… {bytes} bytes of {tool} output, lines {first}-{last} of {}, are not shown; epitome keeps all of it: expand {handle}]",
        lines.len()
    );
    // A failure in the middle must not be hidden by the brief.
    let alarms = (first..).zip(between).filter(|(_, line)| is_alarming(line));
    for (number, line) in alarms.take(ALARMS) {
        let _ = writeln!(short, "{number}: {}", truncate_line(line));
    }
    short.extend(lines[lines.len() - tail..].iter().map(|line| format!("{line}\n")));
    Some(short)
}

fn is_alarming(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    ALARMING.iter().any(|word| line.contains(word))
}

fn truncate_line(line: &str) -> &str {
    let end = (0..=ALARM_BYTES.min(line.len())).rev().find(|at| line.is_char_boundary(*at)).unwrap_or(0);
    &line[..end]
}

#[cfg(test)]
mod tests {
    use super::super::event::sample;
    use super::*;
    use serde_json::json;

    fn settings() -> HooksConfig {
        HooksConfig {
            orientation_tokens: 1500,
            recall_tokens: 400,
            output_bytes: 8000,
            output_tools: ["Bash", "Grep"].map(str::to_owned).to_vec(),
            daemon_seconds: 0,
        }
    }

    fn event(tool: &str, response: &Value) -> HookEvent {
        let body = json!({ "session_id": "s", "tool_name": tool, "tool_use_id": "toolu_1", "tool_response": response });
        sample("claude-code", "PostToolUse", &body)
    }

    fn long(lines: usize) -> String {
        (1..=lines).map(|number| format!("line {number} of a build that says much\n")).collect()
    }

    #[test]
    fn a_long_output_is_shown_by_its_ends_and_its_alarms() {
        let text = long(500).replace("line 250 of", "error: line 250 of");
        let brief =
            shorten_output(&event("Bash", &json!({ "stdout": text, "stderr": "", "interrupted": false })), &settings());
        let brief = brief.expect("it is long");
        assert_eq!(brief.output["interrupted"], false);
        let shown = brief.output["stdout"].as_str().expect("a text");
        assert!(shown.starts_with("line 1 of"), "{shown}");
        assert!(shown.ends_with("line 500 of a build that says much\n"), "{shown}");
        assert!(shown.contains("\n250: error: line 250"), "{shown}");
        assert!(shown.contains(&format!(
            "lines 41-460 of 500, are not shown; epitome keeps all of it: expand {}]",
            brief.handle
        )));
    }

    #[test]
    fn what_a_search_found_keeps_its_shape() {
        let found = json!({ "mode": "content", "numFiles": 0, "filenames": [], "content": long(500), "numLines": 500 });
        let brief = shorten_output(&event("Grep", &found), &settings()).expect("it is long");
        assert_eq!((&brief.output["mode"], &brief.output["numLines"]), (&json!("content"), &json!(500)));
        assert!(brief.shown_text().contains("of Grep output, lines 41-460 of 500"), "{}", brief.shown_text());
        let names = json!({ "mode": "files_with_matches", "filenames": [long(500)] });
        assert_eq!(shorten_output(&event("Grep", &names), &settings()), None);
    }

    #[test]
    fn nothing_is_spared_that_would_not_have_been_shown() {
        let check = |tool: &str, characters: usize, expected: usize| {
            let text = "ä".repeat(characters);
            let event = event(tool, &json!(text));
            assert_eq!(default_excerpt(&event, &text).chars().count(), expected, "{tool} {characters}");
        };
        check("Grep", 500, 500);
        check("Grep", 50_000, 20_000);
        check("Bash", 50_000, 30_000);
        check("Other", 50_000, 50_000);
        let kept = json!({ "stdout": long(2_000), "persistedOutputPath": "/x/s/tool-results/a.txt" });
        assert_eq!(default_excerpt(&event("Bash", &kept), &long(2_000)).len(), SHOWN_OF_FILE);
    }

    #[test]
    fn an_output_that_the_agent_keeps_is_shown_in_brief_once_we_have_all_of_it() {
        let kept = |size: usize| {
            let output = json!({
                "stdout": long(500), "stderr": "", "persistedOutputPath": "/x/s/tool-results/a.txt",
                "persistedOutputSize": size,
            });
            shorten_output(&event("Bash", &output), &settings())
        };
        assert_eq!(kept(long(500).len() + 1), None);
        let brief = kept(long(500).len()).expect("all of it is there");
        assert_eq!(brief.output["persistedOutputPath"], Value::Null);
        assert_eq!(brief.output["stderr"], "");
    }

    #[test]
    fn what_must_be_exact_or_is_short_stays_as_it_is() {
        let check =
            |tool: &str, response: Value| assert_eq!(shorten_output(&event(tool, &response), &settings()), None);
        check("Bash", json!({ "stdout": long(10), "stderr": "" }));
        check("Bash", json!({ "stdout": long(500), "stderr": "it failed" }));
        check("Bash", json!({ "stdout": format!("diff --git a b\n{}", long(500)), "stderr": "" }));
        check("Bash", json!({ "stdout": json!([long(500)]).to_string(), "stderr": "" }));
        check("Bash", json!({ "stdout": "{\"a\": 1}\n".repeat(2_000), "stderr": "" }));
        check("Bash", json!({ "stdout": long(500), "stderr": "", "interrupted": true }));
        check("Read", json!(long(500)));
        check("Bash", json!({ "stdout": "a line without an end ".repeat(500), "stderr": "" }));
        let off = HooksConfig { output_bytes: 0, ..settings() };
        assert_eq!(shorten_output(&event("Bash", &json!(long(500))), &off), None);
    }
}
