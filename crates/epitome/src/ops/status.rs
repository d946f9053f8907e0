//! `status`: what is indexed and stored.

use super::import::describe_silence;
use super::{Call, CommandGroup, DataSource, Kind, Operation, Reply, count};
use crate::transcripts::Transcripts;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) struct Status;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {}

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
    feedback: Option<Feedback>,
    /// Models that embedded texts of the project
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    embedding_models: Vec<EmbeddingModel>,
    /// Which store runs
    store: String,
}

/// A model that embedded texts of the project
#[derive(Serialize, JsonSchema)]
struct EmbeddingModel {
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

impl From<store::SpaceTotals> for EmbeddingModel {
    fn from(totals: store::SpaceTotals) -> Self {
        let (provider, name) = totals.space.provider_and_name();
        Self {
            id: totals.space.id(),
            name: name.to_owned(),
            provider: provider.to_owned(),
            dimensions: totals.space.dimensions,
            created_at: totals.created.to_string(),
            vectors: totals.vectors,
        }
    }
}

impl EmbeddingModel {
    fn line(&self) -> String {
        let Self { name, provider, dimensions, created_at, vectors, .. } = self;
        let vectors = count(*vectors, "vector");
        format!("embedding      {provider}/{name}: {vectors} of {dimensions} numbers, since {created_at}\n")
    }
}

/// How answers about the project were used
#[derive(Serialize, JsonSchema)]
struct Feedback {
    /// Answers that are kept
    answers: u64,
    /// Those of which something was read afterwards
    used: u64,
    /// Places that were read
    places: u64,
}

impl Feedback {
    fn line(&self) -> String {
        let answers = count(self.answers, "answer");
        format!("feedback       {answers}, {} used: {} read\n", self.used, count(self.places, "place"))
    }
}

impl Operation for Status {
    const NAME: &'static str = "status";
    const SUMMARY: &'static str = "Show what is indexed and stored";
    const KIND: Kind = Kind::Read;
    const READS: DataSource = DataSource::Both;
    const GROUP: CommandGroup = CommandGroup::State;
    const HELP: &'static str = "\
Shows the project, what its index holds and how old it is, what is stored of conversations, and which settings and
providers are in force.

Examples:
  epitome status
  epitome status --json";
    type Params = Params;
    type Reply = StatusReply;

    async fn run(call: &Call<'_>, _params: Params) -> Result<StatusReply, engine::Error> {
        let on_disk = call.transcripts.map(|known| known.choose(&[], None).transcripts).unwrap_or_default();
        let status = call.engine.status(call.project, on_disk).await?;
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
            spool_bytes: call.transcripts.map(Transcripts::waiting).filter(|bytes| *bytes > 0),
            transcripts_behind: is_behind.then_some(status.lag.transcripts),
            behind_bytes: is_behind.then_some(status.lag.bytes),
            without_messages: status.silent.iter().filter_map(described).collect(),
            feedback: Some(status.feedback).filter(|kept| kept.answers > 0).map(|kept| Feedback {
                answers: kept.answers,
                used: kept.used,
                places: kept.places,
            }),
            embedding_models: status.models.into_iter().map(EmbeddingModel::from).collect(),
            store: status.store,
        })
    }
}

/// A transcript that gave no message, and what its lines are.
fn described(silent: &engine::SilentTranscript) -> Option<String> {
    Some(format!("{}: {}", silent.path, describe_silence(silent.lines, &silent.kinds)?))
}

impl StatusReply {
    /// What was told or written down and is not stored yet.
    fn lag(&self) -> String {
        let spool = self.spool_bytes.map(|bytes| format!("spool          {} wait\n", count(bytes, "byte")));
        let behind = self.transcripts_behind.zip(self.behind_bytes).map(|(transcripts, bytes)| {
            format!("behind         {} in {}; epitome import\n", count(bytes, "byte"), count(transcripts, "transcript"))
        });
        let silent = self.without_messages.first().map(|first| {
            let many = count(self.without_messages.len() as u64, "transcript");
            format!("warning        {many} without a message, {first}\n")
        });
        [spool, behind, silent].into_iter().flatten().collect()
    }
}

impl Reply for StatusReply {
    fn text(&self) -> String {
        format!(
            "project        {} ({})\nindex          {}: {}, {}, {}\n\
             conversations  {} with {}, {}\narchive        {}: {}, {} kept in {}; {}, {}\n{}{}{}store          {}\n",
            self.root,
            self.project_id,
            if self.index_ready { "ready" } else { "not ready" },
            count(self.files, "file"),
            count(self.symbols, "symbol"),
            count(self.edges, "relation"),
            self.conversations,
            count(self.messages, "message"),
            count(self.message_tokens, "token"),
            count(self.sources, "transcript"),
            count(self.lines, "line"),
            count(self.archived_bytes, "byte"),
            self.stored_bytes,
            count(self.artifacts, "artifact"),
            count(self.artifact_bytes, "byte"),
            self.lag(),
            self.feedback.as_ref().map(Feedback::line).unwrap_or_default(),
            self.embedding_models.iter().map(EmbeddingModel::line).collect::<String>(),
            self.store
        )
    }
}
