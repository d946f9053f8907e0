//! The `remember` operation (command, MCP tool, HTTP route): its parameters and its reply; the engine does the work. It
//! keeps a text that later sessions are told.

use super::memory_line::MemoryLine;
use crate::ops::{CommandGroup, DataSource, Operation, OperationCall, OperationKind, OperationReply, render_count};
use clap::Args;
use engine::{MemoryAudience, RememberOutcome, RememberRequest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub(crate) struct RememberOperation;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct RememberParams {
    /// What later sessions shall know, in a sentence or two
    text: String,
    /// Words to find it by
    #[arg(long = "tag", value_name = "TAG")]
    #[serde(default)]
    tags: Vec<String>,
    /// For sessions about this project (the default)
    #[arg(long, conflicts_with = "for_me")]
    #[serde(skip)]
    for_project: bool,
    /// For all sessions, in every project
    #[arg(long)]
    #[serde(default)]
    for_me: bool,
    /// What else is to be kept with it
    #[arg(skip)]
    metadata: Option<Map<String, Value>>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct RememberReply {
    /// It is durable
    stored: bool,
    memory_id: String,
    /// `new`, or `restated` where the same was known
    outcome: &'static str,
    memory: MemoryLine,
    /// Memories in whose place it counts; they are put aside
    #[serde(skip_serializing_if = "Vec::is_empty")]
    replaced: Vec<String>,
    /// The rules by which secrets were replaced before it was stored, one for each secret
    #[serde(skip_serializing_if = "Vec::is_empty")]
    secrets: Vec<String>,
}

impl Operation for RememberOperation {
    const NAME: &'static str = "remember";
    const SUMMARY: &'static str = "Keep a text that later sessions are told";
    const KIND: OperationKind = OperationKind::Write;
    const READS: DataSource = DataSource::Conversations;
    const GROUP: CommandGroup = CommandGroup::Remember;
    const HELP: &'static str = "\
Sessions about this project are told it when they begin, and prompts that are about it. Secrets are replaced before it \
is stored. `epitome memories` lists what is remembered, `epitome memories forget ID` puts one aside.

Examples:
  epitome remember \"Deploys run from the release branch only\" --tag deploy
  epitome remember \"I prefer short answers\" --for-me";
    type Params = RememberParams;
    type Reply = RememberReply;

    async fn run(call: &OperationCall<'_>, params: RememberParams) -> Result<RememberReply, engine::Error> {
        let request = RememberRequest {
            text: params.text,
            tags: params.tags,
            metadata: params.metadata.map(|metadata| Value::Object(metadata).to_string()),
            audience: if params.for_me { MemoryAudience::User } else { MemoryAudience::Project },
        };
        let kept = call.engine.remember_text(call.project, request).await?;
        Ok(RememberReply {
            stored: true,
            memory_id: kept.memory.id.to_string(),
            outcome: match kept.outcome {
                RememberOutcome::New => "new",
                RememberOutcome::Restated => "restated",
            },
            memory: MemoryLine::new(&kept.memory, None),
            replaced: kept.replaced.iter().map(ToString::to_string).collect(),
            secrets: kept.secrets.iter().map(ToString::to_string).collect(),
        })
    }
}

impl OperationReply for RememberReply {
    fn to_text(&self) -> String {
        let how = if self.outcome == "new" { "remembered" } else { "known already, and noted as said again" };
        let mut text = format!("{how}:\n{}", self.memory.to_text());
        if !self.replaced.is_empty() {
            text += &format!("in place of {}\n", self.replaced.join(", "));
        }
        if !self.secrets.is_empty() {
            let count = render_count(self.secrets.len() as u64, "secret");
            text += &format!("without {count}: {}\n", self.secrets.join(", "));
        }
        text
    }
}
