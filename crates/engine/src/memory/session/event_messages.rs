//! Converts a hook event of an agent session (prompt, tool result, end of turn) into messages of its conversation, with
//! ids that make storing them twice harmless.

use crate::ledger::OF_EVENT;
use model::{EventKind, EventTime, MessagePart, MessageRole, NewMessage, SessionEvent, Timestamp};

/// The messages that an event holds; their ids make storing them twice harmless.
pub fn event_messages(event: &SessionEvent<'_>) -> Vec<NewMessage> {
    let id = event_message_id(event);
    let said = match event.kind {
        EventKind::Prompt => vec![(id, MessageRole::User, event.prompt.map(|said| vec![text_part(said)]))],
        // The summary comes again with the event after the compaction.
        EventKind::SubagentStop if event.ends_compaction => Vec::new(),
        EventKind::Stop | EventKind::SubagentStop => vec![
            (format!("{id}-prompt"), MessageRole::User, event.answered_prompt.map(|said| vec![text_part(said)])),
            (id, MessageRole::Assistant, event.last_words.map(|said| vec![text_part(said)])),
        ],
        EventKind::AfterCompact => {
            let summary =
                event.compact_summary.map(|said| vec![MessagePart::Compaction { auto: true }, text_part(said)]);
            vec![(id, MessageRole::System, summary)]
        }
        EventKind::Result => vec![(id, MessageRole::Tool, tool_part(event).map(|tool| vec![tool]))],
        // A call has no result yet, and the result repeats its input; the others say nothing that was said.
        EventKind::Start(_) | EventKind::Call | EventKind::BeforeCompact | EventKind::End | EventKind::Other => {
            Vec::new()
        }
    };
    let at = Timestamp(event.at);
    let message = |(id, role, parts): (String, MessageRole, Option<Vec<MessagePart>>)| {
        Some(NewMessage {
            external_id: Some(id),
            role,
            speaker: None,
            session: None,
            at: Some(EventTime { text: at.to_string(), instant: Some(at) }),
            metadata: None,
            parts: parts?,
            part_marks: model::PartMarks::default(),
        })
    };
    said.into_iter().filter_map(message).collect()
}

/// The id of an event's message. If its agent has an id for the message, that id: an output has a name before it is
/// stored, and a hook that is registered twice tells nothing twice.
pub fn event_message_id(event: &SessionEvent<'_>) -> String {
    format!("{OF_EVENT}{}", own_id(event).as_deref().unwrap_or(event.id))
}

/// The agent's own id for what an event says.
pub(super) fn own_id(event: &SessionEvent<'_>) -> Option<String> {
    match event.kind {
        EventKind::Result => {
            // Agents without ids of calls number the steps of a session, which tells two calls apart as well.
            event.tool.call_id.map(str::to_owned).or_else(|| event.tool.step.map(|step| format!("step-{step}")))
        }
        EventKind::Prompt => event.prompt_id.map(str::to_owned),
        EventKind::Start(_)
        | EventKind::Call
        | EventKind::BeforeCompact
        | EventKind::AfterCompact
        | EventKind::Stop
        | EventKind::SubagentStop
        | EventKind::End
        | EventKind::Other => None,
    }
}

fn text_part(text: &str) -> MessagePart {
    MessagePart::Text { text: text.to_owned() }
}

fn tool_part(event: &SessionEvent<'_>) -> Option<MessagePart> {
    let tool = &event.tool;
    Some(MessagePart::Tool {
        call_id: tool.call_id.map(str::to_owned),
        // A result without the name of its tool cannot be understood later, so no message is made of it.
        name: Some(tool.name?.to_owned()),
        status: tool.status.clone(),
        input: tool.input.clone(),
        output: tool.output.as_deref().map(str::to_owned),
        error: tool.error.map(str::to_owned),
        title: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::ToolEvent;

    #[test]
    fn what_was_said_becomes_a_message() {
        let prompt = SessionEvent {
            prompt: Some("Fix it."),
            ..SessionEvent::new("e1", "UserPromptSubmit", 1_000, EventKind::Prompt)
        };
        let message = event_messages(&prompt).pop().expect("a message");
        assert_eq!((message.role, message.content()), (MessageRole::User, "Fix it.".into()));
        assert_eq!(message.external_id.as_deref(), Some("hook:e1"));
        assert_eq!(event_messages(&SessionEvent::new("e2", "SessionEnd", 1_000, EventKind::End)), []);
        assert_eq!(event_messages(&SessionEvent::new("e3", "Stop", 1_000, EventKind::Stop)), []);
    }

    #[test]
    fn the_end_of_a_turn_may_tell_the_prompt_as_well() {
        let stop = SessionEvent {
            answered_prompt: Some("Fix it."),
            last_words: Some("Fixed."),
            ..SessionEvent::new("e1", "Stop", 1_000, EventKind::Stop)
        };
        let said: Vec<(MessageRole, String, Option<String>)> =
            event_messages(&stop).into_iter().map(|said| (said.role, said.content(), said.external_id)).collect();
        let expected = [
            (MessageRole::User, "Fix it.".to_owned(), Some("hook:e1-prompt".to_owned())),
            (MessageRole::Assistant, "Fixed.".to_owned(), Some("hook:e1".to_owned())),
        ];
        assert_eq!(said, expected);
    }

    #[test]
    fn a_result_is_known_by_its_call_or_its_step() {
        let result = |tool: ToolEvent<'static>| {
            event_message_id(&SessionEvent { tool, ..SessionEvent::new("e1", "PostToolUse", 1_000, EventKind::Result) })
        };
        assert_eq!(result(ToolEvent { call_id: Some("toolu_1"), ..ToolEvent::default() }), "hook:toolu_1");
        assert_eq!(result(ToolEvent { step: Some(7), ..ToolEvent::default() }), "hook:step-7");
        assert_eq!(result(ToolEvent::default()), "hook:e1");
    }
}
