//! Reads the tool output in a hook event (a string, or an object with the text in one of its fields), and replaces it
//! where the agent allows that.

use super::HookEvent;
use super::output_files;
use model::EventKind;
use serde_json::Value;
use std::borrow::Cow;

impl HookEvent {
    /// The text of the tool's output.
    pub fn output_text(&self) -> Option<&str> {
        self.tool_output().and_then(text_of)
    }

    /// The output of a tool in the place of which a hook may put another text: the agent lets it, nothing went wrong, and
    /// all of it is here. The name of the tool, and the text.
    pub fn replaceable_output(&self) -> Option<(&str, &str)> {
        let is_replaceable = self.event_kind() == EventKind::Result && self.hook_traits().replaceable.is_some();
        // The agent kept the whole of a cut output in a file and says where; the event has only a part of it.
        if !is_replaceable || has_failed(self.tool_output()?) || output_files::is_cut(self) {
            return None;
        }
        // Without the id of the call the whole could not be found again under the handle that the brief names.
        self.call_id()?;
        Some((self.tool_name()?, self.output_text()?))
    }

    /// The output with another text in its place, in the shape that it has.
    pub fn output_with(&self, text: &str) -> Option<Value> {
        let mut output = self.tool_output()?.clone();
        if !replace_text(&mut output, text) {
            return None;
        }
        if let Value::Object(members) = &mut output {
            // With these fields the agent would show the beginning of our text and the place of its own file.
            members.retain(|name, _| !output_files::FIELDS.contains(&name.as_str()));
        }
        Some(output)
    }

    /// As much of the output as the agent would have shown by itself.
    pub fn shown_excerpt<'o>(&self, output: &'o str) -> &'o str {
        let Some(shown) = &self.hook_traits().replaceable else { return output };
        let by_tool = || {
            shown.shown.iter().find(|(tool, _)| self.tool_name() == Some(tool)).map_or(usize::MAX, |(_, most)| *most)
        };
        // The agent itself cuts long outputs, so only what it would have shown can be counted as spared.
        let most = if self.has_output_file() { shown.shown_of_file } else { by_tool() };
        output.char_indices().nth(most).map_or(output, |(end, _)| &output[..end])
    }

    /// What the model got as the result of the call, as the agent's transcript has it.
    pub fn result_in(&self, transcript: &[u8]) -> Option<String> {
        (self.hook_traits().replaceable.as_ref()?.result_in)(transcript, self.call_id()?)
    }

    /// The output as it is kept: what the model got, or all of it where there is more than that.
    pub(super) fn kept_output(&self) -> Option<Cow<'_, str>> {
        let output = self.tool_output()?;
        let text = output.as_str().or_else(|| model_text(output));
        let printed = || output["stdout"].as_str().filter(|_| has_only_stdout(output));
        Some(text.or_else(printed).map_or_else(|| output.to_string().into(), Cow::Borrowed))
    }

    /// How the agent says that the tool ended.
    pub(super) fn result_status(&self) -> Option<String> {
        let output = self.tool_output().filter(|output| model_text(output).is_some())?;
        output["resultType"].as_str().map(str::to_owned)
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

fn has_failed(output: &Value) -> bool {
    let is_set = |name: &str| output[name].as_bool().unwrap_or_default();
    is_set("is_error") || is_set("interrupted") || !has_only_stdout(output)
}

/// The text that the model received by Copilot CLI's event, if the event has nothing else but the kind of the result.
fn model_text(output: &Value) -> Option<&str> {
    let [path, bytes] = output_files::FIELDS;
    let is_known = |name: &String| ["textResultForLlm", "resultType", path, bytes].contains(&name.as_str());
    output["textResultForLlm"].as_str().filter(|_| output.as_object().is_some_and(|output| output.keys().all(is_known)))
}

/// Whether nothing is lost when only the standard output of a command is kept.
fn has_only_stdout(output: &Value) -> bool {
    output["stderr"].as_str().unwrap_or_default().is_empty()
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;
    use serde_json::json;

    fn event(agent: &str, tool: &str, response: &Value) -> HookEvent {
        let body = json!({ "session_id": "s", "tool_name": tool, "tool_use_id": "toolu_1", "tool_response": response });
        sample(agent, "PostToolUse", &body)
    }

    #[test]
    fn only_whole_outputs_of_tools_that_did_not_fail_are_replaced() {
        let check = |agent: &str, response: Value, expected: Option<&str>| {
            let event = event(agent, "Bash", &response);
            assert_eq!(event.replaceable_output(), expected.map(|text| ("Bash", text)), "{agent} {response}");
        };
        check("claude-code", json!("text"), Some("text"));
        check("claude-code", json!({ "stdout": "text", "stderr": "", "interrupted": false }), Some("text"));
        check("claude-code", json!({ "stdout": "text", "stderr": "it failed" }), None);
        check("claude-code", json!({ "stdout": "text", "interrupted": true }), None);
        check("claude-code", json!({ "mode": "files_with_matches", "filenames": ["text"] }), None);
        check("codex", json!("text"), None);
        let kept =
            |size: usize| json!({ "stdout": "text", "persistedOutputPath": "/x/a.txt", "persistedOutputSize": size });
        check("claude-code", kept(5), None);
        check("claude-code", kept(4), Some("text"));
        let whole = event("claude-code", "Bash", &kept(4)).output_with("short");
        assert_eq!(whole, Some(json!({ "stdout": "short" })), "what leads to the file goes with the text");
    }

    #[test]
    fn an_output_keeps_its_shape() {
        let found = json!({ "mode": "content", "numFiles": 0, "content": "text", "numLines": 500 });
        let replaced = event("claude-code", "Grep", &found).output_with("short");
        assert_eq!(replaced, Some(json!({ "mode": "content", "numFiles": 0, "content": "short", "numLines": 500 })));
        assert_eq!(event("claude-code", "Grep", &json!({ "filenames": [] })).output_with("short"), None);
    }

    #[test]
    fn nothing_is_spared_that_would_not_have_been_shown() {
        let check = |agent: &str, tool: &str, characters: usize, expected: usize| {
            let text = "ä".repeat(characters);
            let shown = event(agent, tool, &json!(text)).shown_excerpt(&text).chars().count();
            assert_eq!(shown, expected, "{tool} {characters}");
        };
        check("claude-code", "Grep", 500, 500);
        check("claude-code", "Grep", 50_000, 20_000);
        check("claude-code", "Bash", 50_000, 30_000);
        check("claude-code", "Other", 50_000, 50_000);
        let text = "a".repeat(5_000);
        let kept = json!({ "stdout": text, "persistedOutputPath": "/x/s/tool-results/a.txt" });
        assert_eq!(event("claude-code", "Bash", &kept).shown_excerpt(&text).len(), 2_000);
    }

    #[test]
    fn a_result_is_the_text_that_the_model_got_and_how_it_ended() {
        let check = |output: Value, expected: (Option<&str>, &str)| {
            let body = json!({ "toolName": "bash", "toolResult": output });
            let event = sample("copilot-cli", "postToolUse", &body);
            let tool = event.session_event().tool;
            assert_eq!((tool.status.as_deref(), tool.output.as_deref().unwrap_or_default()), expected);
        };
        check(json!({ "resultType": "success", "textResultForLlm": "1\n2" }), (Some("success"), "1\n2"));
        let more = json!({ "textResultForLlm": "1", "error": "no" });
        check(more.clone(), (None, &more.to_string()));
        check(json!({ "stdout": "1", "stderr": "" }), (None, "1"));
    }
}
