//! A test helper: `ConversationBuilder` builds conversations message by message (user, assistant, tool calls and
//! results), in as few words as a case needs.

use model::{
    ChainHash, ContentHash, ConversationId, Message, MessagePart, MessageRole, NewMessage, Timestamp, count_tokens,
    message_id,
};

/// A conversation that is written message by message.
#[derive(Clone)]
pub(crate) struct ConversationBuilder {
    pub(crate) id: ConversationId,
    pub(crate) messages: Vec<Message>,
    calls: u32,
}

impl ConversationBuilder {
    pub(crate) fn new() -> Self {
        Self { id: ConversationId::from_hash(ContentHash::hash_bytes(b"talk")), messages: Vec::new(), calls: 0 }
    }

    pub(crate) fn system(self, text: &str) -> Self {
        self.push_text(MessageRole::System, text)
    }

    pub(crate) fn user(self, text: &str) -> Self {
        self.push_text(MessageRole::User, text)
    }

    pub(crate) fn assistant(self, text: &str) -> Self {
        self.push_text(MessageRole::Assistant, text)
    }

    /// A call and its result, in two messages as most agents write them.
    pub(crate) fn tool_round(self, name: &str, input: &str, output: &str) -> Self {
        let (talk, id) = self.tool_call(name, input);
        talk.tool_result(&id, output, None)
    }

    pub(crate) fn bash(self, command: &str, output: &str) -> Self {
        let input = serde_json::json!({ "command": command }).to_string();
        self.tool_round("Bash", &input, output)
    }

    /// A command that the agent says went wrong.
    pub(crate) fn failed_bash(self, command: &str, output: &str) -> Self {
        let input = serde_json::json!({ "command": command }).to_string();
        let (talk, id) = self.tool_call("Bash", &input);
        talk.tool_result(&id, output, Some("error"))
    }

    pub(crate) fn edit_file(self, path: &str) -> Self {
        let input = serde_json::json!({ "file_path": path, "old_string": "a", "new_string": "b" }).to_string();
        self.tool_round("Edit", &input, "The file was updated.")
    }

    /// A call without its result, and the id it waits under.
    pub(crate) fn tool_call(mut self, name: &str, input: &str) -> (Self, String) {
        self.calls += 1;
        let id = format!("call_{}", self.calls);
        let part = MessagePart::Tool {
            call_id: Some(id.clone()),
            name: Some(name.to_owned()),
            status: None,
            input: Some(input.to_owned()),
            output: None,
            error: None,
            title: None,
        };
        (self.push_message(MessageRole::Assistant, vec![part]), id)
    }

    pub(crate) fn tool_result(self, id: &str, output: &str, status: Option<&str>) -> Self {
        let part = MessagePart::Tool {
            call_id: Some(id.to_owned()),
            name: None,
            status: status.map(str::to_owned),
            input: None,
            output: Some(output.to_owned()),
            error: None,
            title: None,
        };
        self.push_message(MessageRole::Tool, vec![part])
    }

    fn push_text(self, role: MessageRole, text: &str) -> Self {
        self.push_message(role, vec![MessagePart::Text { text: text.to_owned() }])
    }

    pub(crate) fn push_message(mut self, role: MessageRole, parts: Vec<MessagePart>) -> Self {
        let seq = self.messages.len() as u64 + 1;
        let body = NewMessage {
            external_id: None,
            role,
            speaker: None,
            session: None,
            at: None,
            metadata: None,
            parts,
            part_marks: model::PartMarks::default(),
        };
        self.messages.push(Message {
            id: message_id(&self.id, seq, None),
            conversation: self.id.clone(),
            seq,
            tokens: count_tokens(&body.content()),
            body,
            hash: ChainHash::for_conversation(&self.id),
            stored: Timestamp(0),
        });
        self
    }
}
