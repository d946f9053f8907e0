//! Converts operation answers and errors into MCP tool results, each sent once: compact text for agents, JSON for
//! programs.

use crate::errors::AppError;
use crate::ops::{OperationAnswer, render_json};
use rmcp::model::{CallToolResult, ContentBlock};

/// The form in which a tool gives its answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReplyForm {
    /// The compact text alone. Some clients show their model the structured form in its place, others both, so a
    /// second form would be paid for beside the budget.
    Text,
    /// The JSON of another system, as the text of the result: programs read it by its names.
    Json,
    /// Text, and the structured form that the protocol asks for where the tool declares the shape of its replies.
    Both,
}

pub(super) fn render_answer(answer: OperationAnswer, form: ReplyForm) -> CallToolResult {
    let text = if form == ReplyForm::Json { render_json(&answer.json) } else { answer.text };
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    // Sent once: with a declared schema the JSON goes beside the text, and without one it would double the tokens.
    result.structured_content = (form == ReplyForm::Both).then_some(answer.json);
    result
}

/// A problem, written into the result so that the model reads it and can correct its call. It is text in every form: a
/// tool that declares the shape of its replies gives none of another shape, because clients that check it would show
/// their own error in place of ours.
pub(super) fn render_error(problem: &AppError) -> CallToolResult {
    let hint = problem.hint.as_ref().map(|hint| format!("\nhint: {hint}")).unwrap_or_default();
    let text = format!("{}{hint}", problem.message);
    CallToolResult::error(vec![ContentBlock::text(model::show_quoted(&text))])
}

/// The text that a model reads of a result.
pub(super) fn shown_text(result: &CallToolResult) -> String {
    result.content.iter().filter_map(|block| block.as_text()).map(|block| block.text.as_str()).collect()
}

/// The bytes that shorter views saved; `None` if everything is shown as it is.
pub(super) fn avoided_bytes(answer: &OperationAnswer) -> Option<u64> {
    let shorter = answer.json["items"].as_array()?.iter().filter(|item| item["mode"] != "raw");
    let avoided = shorter.map(|item| {
        let bytes = |name: &str| item[name].as_u64().unwrap_or_default();
        bytes("original_bytes").saturating_sub(bytes("compressed_bytes"))
    });
    avoided.reduce(|one, other| one + other)
}
