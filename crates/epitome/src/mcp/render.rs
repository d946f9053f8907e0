//! Answers and problems as MCP results: structured for programs, compact text for agents.

use crate::errors::Problem;
use crate::ops::Answer;
use rmcp::model::{CallToolResult, ContentBlock};

/// An answer. The text is what agents pay tokens for, so it is the compact form and not the JSON once more.
pub(super) fn answer(answer: Answer) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(answer.text)]);
    result.structured_content = Some(answer.json);
    result
}

/// A problem, told in the result so that the model reads it and can ask better.
///
/// A tool that declares the shape of its replies gives none of another shape: clients that check it would show their
/// own error in place of ours.
pub(super) fn problem(problem: &Problem, declares_output: bool) -> CallToolResult {
    let hint = problem.hint.as_ref().map(|hint| format!("\nhint: {hint}")).unwrap_or_default();
    let mut result = CallToolResult::error(vec![ContentBlock::text(format!("{}{hint}", problem.message))]);
    result.structured_content = (!declares_output).then(|| problem.json());
    result
}

/// What shorter views spared their reader; none where all is shown as it is.
pub(super) fn avoided_bytes(answer: &Answer) -> Option<u64> {
    let shorter = answer.json["items"].as_array()?.iter().filter(|item| item["mode"] != "raw");
    let avoided = shorter.map(|item| {
        let bytes = |name: &str| item[name].as_u64().unwrap_or_default();
        bytes("original_bytes").saturating_sub(bytes("compressed_bytes"))
    });
    avoided.reduce(|one, other| one + other)
}
