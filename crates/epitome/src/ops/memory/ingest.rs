//! The `ingest` operation (command, MCP tool, HTTP route): its parameters and its reply. It stores messages, and
//! acknowledges each when it is durable. On the command line messages arrive as JSON lines on standard input and are
//! acknowledged line by line (`cli/ingest.rs`); in the other interfaces they are a list in the request.

mod marked_part;
mod wire;

pub(crate) use wire::WireMessage;

use crate::ops::{CommandExit, CommandGroup, DataSource, Operation, OperationCall, OperationKind, OperationReply};
use clap::Args;
use engine::{IngestOutcome, IngestRequest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

pub(crate) struct IngestOperation;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct IngestParams {
    /// The conversation's name or id; a new name starts one. `current` is the session of the project
    #[arg(long)]
    pub(crate) conversation: String,
    /// The messages, in order
    #[arg(skip)]
    pub(crate) messages: Vec<WireMessage>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct IngestReply {
    /// One entry per message, in order
    pub(crate) acknowledged: Vec<IngestAcknowledgement>,
}

/// What became of one message: stored, or refused with a reason.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum IngestAcknowledgement {
    Stored {
        message_id: String,
        seq: u64,
        /// Link of the conversation's hash chain
        hash: String,
        /// The rules by which secrets were replaced before it was stored, one for each secret
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        secrets: Vec<String>,
    },
    Refused {
        error: String,
    },
}

impl Operation for IngestOperation {
    const NAME: &'static str = "ingest";
    const SUMMARY: &'static str = "Store messages of a conversation, acknowledged only when durable";
    const KIND: OperationKind = OperationKind::Write;
    const READS: DataSource = DataSource::Conversations;
    const GROUP: CommandGroup = CommandGroup::Plumbing;
    const HELP: &'static str = "\
Messages are JSON lines on standard input, each with `role` and `content`. A message is acknowledged when it is durable; \
a message with the `external_id` of a stored one is not stored again.

Example:
  echo '{\"role\":\"user\",\"content\":\"hello\"}' | epitome ingest --conversation notes";
    type Params = IngestParams;
    type Reply = IngestReply;

    async fn run(call: &OperationCall<'_>, params: IngestParams) -> Result<IngestReply, engine::Error> {
        let request = IngestRequest {
            conversation: call.conversation_name(&params.conversation),
            project: Some(call.project.clone()),
            messages: params.messages.into_iter().map(WireMessage::into_message).collect(),
        };
        let outcomes = call.engine.ingest_messages(request).await?;
        Ok(IngestReply { acknowledged: outcomes.into_iter().map(IngestAcknowledgement::from).collect() })
    }
}

impl From<IngestOutcome> for IngestAcknowledgement {
    fn from(outcome: IngestOutcome) -> Self {
        match outcome {
            IngestOutcome::Stored { ack, secrets } => Self::Stored {
                message_id: ack.message.to_string(),
                seq: ack.seq,
                hash: ack.hash.0.to_string(),
                secrets: secrets.iter().map(ToString::to_string).collect(),
            },
            IngestOutcome::Conflict { id } => {
                Self::Refused { error: format!("id `{id}` is taken by a message with other content") }
            }
        }
    }
}

impl OperationReply for IngestReply {
    fn to_text(&self) -> String {
        let mut text = String::new();
        for entry in &self.acknowledged {
            let _ = match entry {
                IngestAcknowledgement::Stored { message_id, seq, .. } => writeln!(text, "{seq} {message_id}"),
                IngestAcknowledgement::Refused { error } => writeln!(text, "refused: {error}"),
            };
        }
        text
    }

    fn command_exit(&self) -> CommandExit {
        let refused = |entry: &IngestAcknowledgement| matches!(entry, IngestAcknowledgement::Refused { .. });
        if self.acknowledged.iter().any(refused) { CommandExit::Refused } else { CommandExit::Ok }
    }
}
