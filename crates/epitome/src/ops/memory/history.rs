//! The `history` operation (command, MCP tool, HTTP route): its parameters and its reply; the engine makes the answer.
//! It lists the newest messages of a conversation, verbatim, or the conversations there are.

use super::conversation_line::ConversationLine;
use crate::ops::search_scope::{StateParam, WithinParam, elsewhere_note};
use crate::ops::{
    CommandExit, CommandGroup, DataSource, Operation, OperationCall, OperationKind, OperationReply, render_count,
};
use clap::Args;
use engine::{HistoryReport, ListRequest};
use model::{ConversationState, Message, show_name, show_quoted};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt::Write;

pub(crate) struct HistoryOperation;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct HistoryParams {
    /// The conversation's name or id, or `latest`; none: the conversations there are, newest first
    #[arg(long)]
    conversation: Option<String>,
    /// Which conversations to list
    #[arg(long, value_enum, default_value = "project")]
    #[serde(default)]
    within: WithinParam,
    /// Only conversations that stand so
    #[arg(long, value_enum, conflicts_with = "conversation")]
    state: Option<StateParam>,
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
    conversations: Option<Vec<ConversationLine>>,
    /// How many more conversations there are
    #[serde(skip_serializing_if = "Option::is_none")]
    omitted: Option<u64>,
    /// Conversations of other projects or of none, not listed
    #[serde(skip_serializing_if = "Option::is_none")]
    elsewhere: Option<u64>,
    /// The state that listed conversations stand in, where one was asked for.
    #[serde(skip)]
    state: Option<ConversationState>,
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
    /// The message that it repeats, of the conversation which this one goes on from
    #[serde(skip_serializing_if = "Option::is_none")]
    repeated: Option<String>,
    /// What its source says about it besides
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<Value>,
}

impl Operation for HistoryOperation {
    const NAME: &'static str = "history";
    const SUMMARY: &'static str =
        "Show the newest messages of a conversation, verbatim, or which conversations there are";
    const KIND: OperationKind = OperationKind::Read;
    const READS: DataSource = DataSource::Conversations;
    const GROUP: CommandGroup = CommandGroup::Ask;
    const HELP: &'static str = "\
Without `--conversation` the conversations of the project are listed, newest first; with it, the newest messages of one.

Examples:
  epitome history
  epitome history --within all --state archived
  epitome history --conversation latest --limit 20";
    type Params = HistoryParams;
    type Reply = HistoryReply;

    async fn run(call: &OperationCall<'_>, params: HistoryParams) -> Result<HistoryReply, engine::Error> {
        let Some(conversation) = params.conversation else {
            let state = params.state.map(ConversationState::from);
            let request = ListRequest { project: params.within.project(call), state, limit: params.limit };
            let list = call.engine.list_conversations(request).await?;
            return Ok(HistoryReply {
                messages: None,
                conversations: Some(list.listed.into_iter().map(ConversationLine::from).collect()),
                omitted: (list.omitted > 0).then_some(list.omitted),
                elsewhere: (list.elsewhere > 0).then_some(list.elsewhere),
                state,
            });
        };
        let conversation = params.within.conversation_name(call, conversation);
        let request = engine::HistoryRequest { conversation, limit: params.limit };
        let HistoryReport { messages, mut copies } = call.engine.load_history(request).await?;
        let messages = messages.into_iter().map(|message| {
            let repeated = copies.remove(&message.id).map(|original| original.to_string());
            HistoryMessage { repeated, ..HistoryMessage::from(message) }
        });
        let messages = Some(messages.collect());
        Ok(HistoryReply { messages, conversations: None, omitted: None, elsewhere: None, state: None })
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
            repeated: None,
            metadata: message.body.metadata.map(|text| serde_json::from_str(&text).unwrap_or(Value::String(text))),
        }
    }
}

impl OperationReply for HistoryReply {
    fn is_report(&self) -> bool {
        // Messages are shown as they were written, line by line.
        self.messages.is_none()
    }

    fn to_text(&self) -> String {
        let mut text = String::new();
        for message in self.messages.iter().flatten() {
            let HistoryMessage { at, seq, content, .. } = message;
            let how = if message.received { "received" } else { "at" };
            let who = message.speaker.as_deref().unwrap_or(message.role);
            let repeated = message.repeated.as_ref().map(|of| format!(", repeats {of}")).unwrap_or_default();
            let who = show_name(who);
            let _ = writeln!(text, "[{seq}] {who} {how} {}{repeated}\n{}\n", show_name(at), show_quoted(content));
        }
        for line in self.conversations.iter().flatten() {
            text.push_str(&line.to_text());
        }
        if let Some(omitted) = self.omitted {
            let _ = writeln!(text, "… and {} more", render_count(omitted, "conversation"));
        }
        if let Some([]) = self.conversations.as_deref() {
            text = match (self.state, self.elsewhere) {
                (Some(state), _) => format!("no conversation is {}\n", state.as_str()),
                (None, None) => {
                    "no conversations yet: `import` takes in those of the agents that are installed here\n".to_owned()
                }
                (None, Some(_)) => "no conversations of this project\n".to_owned(),
            };
        }
        text.extend(
            self.elsewhere.filter(|_| self.conversations.as_ref().is_some_and(Vec::is_empty)).and_then(elsewhere_note),
        );
        text
    }

    fn command_exit(&self) -> CommandExit {
        let is_empty =
            self.messages.iter().flatten().next().is_none() && self.conversations.iter().flatten().next().is_none();
        if is_empty { CommandExit::NothingFound } else { CommandExit::Ok }
    }
}
