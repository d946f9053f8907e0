//! How Claude Code's hooks differ from the default (`HookTraits::LISTEN_ONLY`): it passes text that hooks return on to the
//! model, and is the only agent that lets a hook replace a tool's output. `find_result` reads from a transcript what
//! the model got as the result of a call.

use crate::HookTraits;
use crate::hook_traits::ReplaceableOutput;
use serde_json::Value;

pub(super) const HOOKS: HookTraits = HookTraits {
    replaceable: Some(ReplaceableOutput {
        shown: &[("Bash", 30_000), ("Grep", 20_000)],
        shown_of_file: 2_000,
        result_in: find_result,
    }),
    reads_failures: true,
    ..HookTraits::CONTEXT_READING
};

/// What the model got as the result of a call, as a transcript has it.
fn find_result(transcript: &[u8], call: &str) -> Option<String> {
    let name = Value::from(call).to_string();
    let lines = transcript.split(|byte| *byte == b'\n');
    lines.filter(|line| memchr::memmem::find(line, name.as_bytes()).is_some()).find_map(|line| {
        let line: Value = serde_json::from_slice(line).ok()?;
        let mut blocks = line["message"]["content"].as_array()?.iter();
        let block = blocks.find(|block| block["type"] == "tool_result" && block["tool_use_id"] == call)?;
        let parts = block["content"].as_array().into_iter().flatten().filter_map(|part| part["text"].as_str());
        Some(block["content"].as_str().map_or_else(|| parts.collect(), str::to_owned))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_the_model_got_is_told_from_what_else_is_written_of_a_call() {
        let line = |content: &Value| {
            let block = json!({ "type": "tool_result", "tool_use_id": "toolu_1", "content": content });
            let line = json!({ "toolUseResult": { "stdout": "ours" }, "message": { "content": [block] } });
            format!("{{\"id\":\"toolu_1\"}}\n{line}\n")
        };
        let check = |content: Value, expected: &str| {
            assert_eq!(find_result(line(&content).as_bytes(), "toolu_1").as_deref(), Some(expected));
        };
        check(json!("theirs"), "theirs");
        check(json!([{ "type": "text", "text": "one" }, { "type": "text", "text": " two" }]), "one two");
        assert_eq!(find_result(line(&json!("theirs")).as_bytes(), "toolu_2"), None);
    }
}
