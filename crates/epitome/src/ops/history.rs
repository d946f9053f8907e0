//! `history`: the newest messages of a conversation.

use super::{Call, Exit, Kind, Operation, Reply};
use clap::Args;
use model::Message;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

pub(crate) struct History;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// The conversation's name or id
    #[arg(long)]
    conversation: String,
    /// How many of the newest messages
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
    messages: Vec<Shown>,
}

#[derive(Serialize, JsonSchema)]
struct Shown {
    message_id: String,
    seq: u64,
    role: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    speaker: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    content: String,
    /// When it happened, in its source's words
    at: Option<String>,
    tokens: u32,
}

impl Operation for History {
    const NAME: &'static str = "history";
    const SUMMARY: &'static str = "Show the newest messages of a conversation, verbatim";
    const KIND: Kind = Kind::Read;
    type Params = Params;
    type Reply = HistoryReply;

    async fn run(call: &Call<'_>, params: Params) -> Result<HistoryReply, engine::Error> {
        let request = engine::HistoryRequest { conversation: params.conversation, limit: params.limit };
        let messages = call.engine.history(request).await?;
        Ok(HistoryReply { messages: messages.into_iter().map(Shown::from).collect() })
    }
}

impl From<Message> for Shown {
    fn from(message: Message) -> Self {
        Self {
            message_id: message.id.to_string(),
            seq: message.seq,
            role: message.body.role.as_str(),
            content: message.body.content(),
            speaker: message.body.speaker,
            session: message.body.session,
            at: message.body.at.map(|at| at.text),
            tokens: message.tokens.0,
        }
    }
}

impl Reply for HistoryReply {
    fn text(&self) -> String {
        let mut text = String::new();
        for message in &self.messages {
            let at = message.at.as_ref().map(|at| format!(" at {at}")).unwrap_or_default();
            let who = message.speaker.as_deref().unwrap_or(message.role);
            let _ = writeln!(text, "[{}] {who}{at}\n{}\n", message.seq, message.content);
        }
        text
    }

    fn exit(&self) -> Exit {
        if self.messages.is_empty() { Exit::NothingFound } else { Exit::Ok }
    }
}
