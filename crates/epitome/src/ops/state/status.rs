//! The `status` operation (command, MCP tool, HTTP route): its parameters and its reply; the engine makes the answer.
//! It reports what is indexed and stored: the project, its index, conversations, settings.

use crate::ops::memory::import::describe_silence;
use crate::ops::{CommandGroup, DataSource, Operation, OperationCall, OperationKind, OperationReply, render_count};
use crate::transcripts::LocalTranscripts;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) struct StatusOperation;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct StatusParams {}

#[derive(Serialize, JsonSchema)]
pub(crate) struct StatusReply {
    project_id: String,
    root: String,
    /// Whether the index is whole; a question builds it when it is not
    index_ready: bool,
    files: u64,
    symbols: u64,
    edges: u64,
    conversations: u64,
    messages: u64,
    message_tokens: u64,
    /// Imported transcripts
    sources: u64,
    /// Lines of them in the archive, of all generations
    lines: u64,
    /// Bytes those lines had
    archived_bytes: u64,
    /// Bytes that keep them
    stored_bytes: u64,
    /// Large contents kept beside their messages
    artifacts: u64,
    artifact_bytes: u64,
    /// Bytes that hooks left behind and that wait to be taken in
    #[serde(skip_serializing_if = "Option::is_none")]
    spool_bytes: Option<u64>,
    /// Transcripts on this machine with more than was taken in of them
    #[serde(skip_serializing_if = "Option::is_none")]
    transcripts_behind: Option<u64>,
    /// Bytes of them that were not taken in, about
    #[serde(skip_serializing_if = "Option::is_none")]
    behind_bytes: Option<u64>,
    /// Transcripts whose lines are kept and gave no message, each with what its lines are
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    without_messages: Vec<String>,
    /// What is noted of how answers were used, where anything is
    #[serde(skip_serializing_if = "Option::is_none")]
    feedback: Option<StatusFeedback>,
    /// Models that embedded texts of the project
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    embedding_models: Vec<StatusEmbeddingModel>,
    /// Which store runs
    store: String,
}

/// A model that embedded texts of the project
#[derive(Serialize, JsonSchema)]
struct StatusEmbeddingModel {
    id: String,
    name: String,
    provider: String,
    /// How many numbers a vector has
    dimensions: u32,
    /// When it embedded the first text
    created_at: String,
    /// Texts that it embedded
    vectors: u64,
}

impl From<store::SpaceTotals> for StatusEmbeddingModel {
    fn from(totals: store::SpaceTotals) -> Self {
        let (provider, name) = totals.space.provider_and_name();
        Self {
            id: totals.space.space_id(),
            name: name.to_owned(),
            provider: provider.to_owned(),
            dimensions: totals.space.dimensions,
            created_at: totals.created.to_string(),
            vectors: totals.vectors,
        }
    }
}

impl StatusEmbeddingModel {
    fn to_line(&self) -> String {
        let Self { name, provider, dimensions, created_at, vectors, .. } = self;
        let vectors = render_count(*vectors, "vector");
        format!("embedding      {provider}/{name}: {vectors} of {dimensions} numbers, since {created_at}\n")
    }
}

/// How answers about the project were used
#[derive(Serialize, JsonSchema)]
struct StatusFeedback {
    /// Answers that are kept
    answers: u64,
    /// Those of which something was read afterwards
    used: u64,
    /// Places that were read
    places: u64,
}

impl StatusFeedback {
    fn to_line(&self) -> String {
        let answers = render_count(self.answers, "answer");
        format!("feedback       {answers}, {} used: {} read\n", self.used, render_count(self.places, "place"))
    }
}

impl Operation for StatusOperation {
    const NAME: &'static str = "status";
    const SUMMARY: &'static str = "Show what is indexed and stored";
    const KIND: OperationKind = OperationKind::Read;
    const READS: DataSource = DataSource::Both;
    const GROUP: CommandGroup = CommandGroup::State;
    const HELP: &'static str = "\
Shows the project, what its index holds and how old it is, what is stored of conversations, and which settings and \
providers are in force.

Examples:
  epitome status
  epitome status --json";
    type Params = StatusParams;
    type Reply = StatusReply;

    async fn run(call: &OperationCall<'_>, _params: StatusParams) -> Result<StatusReply, engine::Error> {
        // A remote caller learns nothing of the transcripts on this machine.
        let on_disk = call.transcripts.map(|known| known.select_transcripts(&[], None).transcripts).unwrap_or_default();
        let status = call.engine.project_status(call.project, on_disk).await?;
        let is_behind = status.lag.transcripts > 0;
        Ok(StatusReply {
            project_id: status.project.id.to_string(),
            root: status.project.root.display().to_string(),
            index_ready: status.index_ready(),
            files: status.code.files,
            symbols: status.code.symbols,
            edges: status.code.edges,
            conversations: status.memory.conversations,
            messages: status.memory.messages,
            message_tokens: status.memory.tokens,
            sources: status.archive.sources,
            lines: status.archive.lines,
            archived_bytes: status.archive.bytes,
            stored_bytes: status.archive.stored_bytes,
            artifacts: status.archive.artifacts,
            artifact_bytes: status.archive.artifact_bytes,
            // Zero bytes and nothing to drain look the same to a person, so the line is left out.
            spool_bytes: call.transcripts.map(LocalTranscripts::spool_bytes).filter(|bytes| *bytes > 0),
            transcripts_behind: is_behind.then_some(status.lag.transcripts),
            behind_bytes: is_behind.then_some(status.lag.bytes),
            without_messages: status.silent.iter().filter_map(describe_silent).collect(),
            feedback: Some(status.feedback).filter(|kept| kept.answers > 0).map(|kept| StatusFeedback {
                answers: kept.answers,
                used: kept.used,
                places: kept.places,
            }),
            embedding_models: status.models.into_iter().map(StatusEmbeddingModel::from).collect(),
            store: status.store,
        })
    }
}

/// A transcript that gave no message, and what its lines are.
fn describe_silent(silent: &engine::SilentTranscript) -> Option<String> {
    Some(format!("{}: {}", silent.path, describe_silence(silent.lines, &silent.kinds)?))
}

impl StatusReply {
    /// Events in the spool and lines of transcripts that are not stored yet.
    fn lag_text(&self) -> String {
        let spool = self.spool_bytes.map(|bytes| format!("spool          {} wait\n", render_count(bytes, "byte")));
        let behind = self.transcripts_behind.zip(self.behind_bytes).map(|(transcripts, bytes)| {
            format!(
                "behind         {} in {}; epitome import\n",
                render_count(bytes, "byte"),
                render_count(transcripts, "transcript")
            )
        });
        let silent = self.without_messages.first().map(|first| {
            let many = render_count(self.without_messages.len() as u64, "transcript");
            format!("warning        {many} without a message, {first}\n")
        });
        [spool, behind, silent].into_iter().flatten().collect()
    }
}

impl OperationReply for StatusReply {
    fn to_text(&self) -> String {
        format!(
            "project        {} ({})\nindex          {}: {}, {}, {}\n\
             conversations  {} with {}, {}\narchive        {}: {}, {} kept in {}; {}, {}\n{}{}{}store          {}\n",
            self.root,
            self.project_id,
            if self.index_ready { "ready" } else { "not ready" },
            render_count(self.files, "file"),
            render_count(self.symbols, "symbol"),
            render_count(self.edges, "relation"),
            self.conversations,
            render_count(self.messages, "message"),
            render_count(self.message_tokens, "token"),
            render_count(self.sources, "transcript"),
            render_count(self.lines, "line"),
            render_count(self.archived_bytes, "byte"),
            self.stored_bytes,
            render_count(self.artifacts, "artifact"),
            render_count(self.artifact_bytes, "byte"),
            self.lag_text(),
            self.feedback.as_ref().map(StatusFeedback::to_line).unwrap_or_default(),
            self.embedding_models.iter().map(StatusEmbeddingModel::to_line).collect::<String>(),
            self.store
        )
    }
}
