//! Test tools for the MCP conformance suite that send messages to the client while they run: progress, logs, sampling,
//! elicitation.

use super::super::server::is_modern;
use rmcp::model::{
    CallToolResult, ContentBlock, CreateMessageRequestParams, ElicitRequestParams, ElicitationSchema, JsonObject,
    LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam, SamplingMessage,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServiceError};
use serde_json::{Value, json};
use std::time::Duration;

/// The suite wants to see that messages arrive while a tool runs, so it runs for a while.
const MESSAGE_DELAY: Duration = Duration::from_millis(50);

pub(super) fn text_result(text: &str) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

pub(super) async fn report_progress(context: &RequestContext<RoleServer>) -> CallToolResult {
    let token = context.meta.get_progress_token();
    for done in [0.0, 50.0, 100.0] {
        // A client without a token did not ask for progress, and the protocol forbids to send it then.
        if let Some(token) = &token {
            let note = ProgressNotificationParam::new(token.clone(), done).with_total(100.0);
            // The client is gone; sleeping on would only delay the end of the connection.
            if context.peer.notify_progress(note).await.is_err() {
                break;
            }
        }
        tokio::time::sleep(MESSAGE_DELAY).await;
    }
    text_result("progress reported")
}

/// The newer protocol wants messages only where the request named a level.
pub(super) async fn send_log(context: &RequestContext<RoleServer>) -> CallToolResult {
    let is_wanted = !is_modern(context) || context.meta.log_level().is_some();
    for text in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
        if is_wanted {
            let note = LoggingMessageNotificationParam::new(LoggingLevel::Info, json!(text));
            if context.peer.notify_logging_message(note).await.is_err() {
                break;
            }
        }
        tokio::time::sleep(MESSAGE_DELAY).await;
    }
    text_result("messages sent")
}

pub(super) async fn request_sampling(
    context: &RequestContext<RoleServer>,
    arguments: Option<JsonObject>,
) -> Result<CallToolResult, ErrorData> {
    let prompt = text_of(arguments, "prompt");
    let request = CreateMessageRequestParams::new(vec![SamplingMessage::user_text(prompt)], 100);
    let answer = context.peer.create_message(request).await.map_err(client_error)?;
    let said_back = answer.message.content.first().and_then(|content| content.as_text());
    Ok(text_result(&format!("LLM response: {}", said_back.map_or("", |content| content.text.as_str()))))
}

pub(super) async fn request_elicitation(
    context: &RequestContext<RoleServer>,
    arguments: Option<JsonObject>,
    schema: &ElicitationSchema,
) -> Result<CallToolResult, ErrorData> {
    let request = ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: text_of(arguments, "message"),
        requested_schema: schema.clone(),
    };
    let answer = context.peer.create_elicitation(request).await.map_err(client_error)?;
    Ok(text_result(&format!("Elicitation completed: {}", json!(answer))))
}

fn text_of(arguments: Option<JsonObject>, name: &str) -> String {
    let value = arguments.and_then(|mut arguments| arguments.shift_remove(name));
    value.as_ref().and_then(Value::as_str).unwrap_or("Please answer").to_owned()
}

fn client_error(error: ServiceError) -> ErrorData {
    // An error of the client itself goes back unchanged, with its code; ours would hide it.
    if let ServiceError::McpError(error) = error {
        return error;
    }
    ErrorData::internal_error(format!("cannot ask the client: {error}"), None)
}
