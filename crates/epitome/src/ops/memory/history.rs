//! The `history` operation (command, MCP tool, HTTP route): its parameters and its reply; the engine makes the answer.
//! It lists the newest messages of a conversation, verbatim, or the conversations there are.

use crate::ops::{
    CommandExit, CommandGroup, DataSource, Operation, OperationCall, OperationKind, OperationReply, render_count,
};
use clap::Args;
use engine::ConversationListing;
use model::Message;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

pub(crate) struct HistoryOperation;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct HistoryParams {
    /// The conversation's name or id, or `latest`; none: the conversations there are, newest first
    #[arg(long)]
    conversation: Option<String>,
    /// How many of the newest messages, or conversations
    #[arg(long, default_value_t = 50)]
    #[serde(default = "default_limit")]
    limit: u32,
}

fn default_limit() -> u32 {
    50
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct HistoryReply {
    /// Oldest first
    #[serde(skip_serializing_if = "Option::is_none")]
    messages: Option<Vec<HistoryMessage>>,
    /// Newest first, where no conversation was named
    #[serde(skip_serializing_if = "Option::is_none")]
    conversations: Option<Vec<HistoryConversation>>,
}

#[derive(Serialize, JsonSchema)]
struct HistoryConversation {
    conversation_id: String,
    name: String,
    messages: u64,
    tokens: u64,
    /// When its newest message happened, in its source's words
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<String>,
    /// The first words of a person in it
    #[serde(skip_serializing_if = "Option::is_none")]
    opening: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct HistoryMessage {
    message_id: String,
    seq: u64,
    role: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    speaker: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    content: String,
    /// When it happened, in its source's words; when it was received, where the source said nothing
    at: String,
    /// Whether `at` is when it was received
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    received: bool,
    tokens: u32,
}

impl Operation for HistoryOperation {
    const NAME: &'static str = "history";
    const SUMMARY: &'static str =
        "Show the newest messages of a conversation, verbatim, or which conversations there are";
    const KIND: OperationKind = OperationKind::Read;
    const READS: DataSource = DataSource::Conversations;
    const GROUP: CommandGroup = CommandGroup::Memory;
    const HELP: &'static str = "\
Without `--conversation` the conversations are listed, newest first; with it, the newest messages of one.

Examples:
  epitome history
  epitome history --conversation latest --limit 20";
    type Params = HistoryParams;
    type Reply = HistoryReply;

    async fn run(call: &OperationCall<'_>, params: HistoryParams) -> Result<HistoryReply, engine::Error> {
        let Some(conversation) = params.conversation else {
            let listed = call.engine.list_conversations(params.limit).await?;
            return Ok(HistoryReply {
                messages: None,
                conversations: Some(listed.into_iter().map(HistoryConversation::from).collect()),
            });
        };
        let request = engine::HistoryRequest { conversation, limit: params.limit };
        let messages = call.engine.load_history(request).await?;
        Ok(HistoryReply {
            messages: Some(messages.into_iter().map(HistoryMessage::from).collect()),
            conversations: None,
        })
    }
}

impl From<ConversationListing> for HistoryConversation {
    fn from(listed: ConversationListing) -> Self {
        Self {
            conversation_id: listed.conversation.id.to_string(),
            name: listed.conversation.name,
            messages: listed.conversation.messages,
            tokens: u64::from(listed.conversation.tokens.0),
            at: listed.newest.map(|at| at.display_text()),
            opening: listed.opening,
        }
    }
}

impl From<Message> for HistoryMessage {
    fn from(message: Message) -> Self {
        Self {
            message_id: message.id.to_string(),
            seq: message.seq,
            role: message.body.role.as_str(),
            content: message.body.content(),
            speaker: message.body.speaker,
            session: message.body.session,
            received: message.body.at.is_none(),
            // A source that gives no time leaves only the moment of storing, which the text names as such.
            at: message.body.at.map_or_else(|| message.stored.to_string(), |at| at.display_text()),
            tokens: message.tokens.0,
        }
    }
}

impl OperationReply for HistoryReply {
    fn to_text(&self) -> String {
        let mut text = String::new();
        for message in self.messages.iter().flatten() {
            let HistoryMessage { at, seq, content, .. } = message;
            let how = if message.received { "received" } else { "at" };
            let who = message.speaker.as_deref().unwrap_or(message.role);
            let _ = writeln!(text, "[{seq}] {who} {how} {at}\n{content}\n");
        }
        for line in self.conversations.iter().flatten() {
            let at = line.at.as_ref().map(|at| format!(", {at}")).unwrap_or_default();
            let opening = line.opening.as_deref().unwrap_or("(no prompt)");
            let _ = writeln!(text, "{}: {}{at}\n  {opening}", line.name, render_count(line.messages, "message"));
        }
        match &self.conversations {
            Some(listed) if listed.is_empty() => {
                "no conversations yet: `import` takes in those of the agents that are installed here\n".to_owned()
            }
            _ => text,
        }
    }

    fn command_exit(&self) -> CommandExit {
        let is_empty =
            self.messages.iter().flatten().next().is_none() && self.conversations.iter().flatten().next().is_none();
        if is_empty { CommandExit::NothingFound } else { CommandExit::Ok }
    }
}
