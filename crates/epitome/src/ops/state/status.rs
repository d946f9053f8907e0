//! The `status` operation (command, MCP tool, HTTP route): its parameters and its reply; the engine makes the answer.
//! It reports what is indexed and stored: the project, its index, conversations, settings.

use super::project_wire::{describe_age, describe_commit};
use crate::compose::current_time;
use crate::config::schema::ProvidersConfig;
use crate::daemon_link::DaemonProcess;
use crate::ops::memory::import::describe_silence;
use crate::ops::{
    CommandGroup, DataSource, Operation, OperationCall, OperationKind, OperationReply, group_digits, render_count,
    render_duration,
};
use crate::transcripts::LocalTranscripts;
use clap::Args;
use engine::ProjectMemory;
use model::{Timestamp, show_name};
use providers::Vendor;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

pub(crate) struct StatusOperation;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct StatusParams {}

#[derive(Serialize, JsonSchema)]
pub(crate) struct StatusReply {
    project_id: String,
    /// What the project is called
    name: String,
    root: String,
    /// When its index was last brought up to date
    #[serde(skip_serializing_if = "Option::is_none")]
    last_indexed_at: Option<String>,
    /// The commit that it was compared at
    #[serde(skip_serializing_if = "Option::is_none")]
    last_sync_commit: Option<String>,
    /// Commits of the checkout that it has not seen
    #[serde(skip_serializing_if = "Option::is_none")]
    commits_behind: Option<u64>,
    /// How long ago it was indexed, for people.
    #[serde(skip)]
    indexed_ago: Option<String>,
    /// Whether the index is whole; a question builds it when it is not
    index_ready: bool,
    files: u64,
    symbols: u64,
    edges: u64,
    /// Directories beyond the system's limit of watches: a server looks for changes there from time to time
    // Seldom there, and not declared: a tool's declaration has a limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    unwatched_directories: Option<u64>,
    /// That limit, where it is too low
    // Seldom there, and not declared: a tool's declaration has a limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    watch_limit: Option<u64>,
    /// Conversations of the project
    conversations: u64,
    /// Their messages
    messages: u64,
    message_tokens: u64,
    /// Summaries that stand for stretches of them
    summaries: u64,
    summary_tokens: u64,
    /// What sessions of the project are told
    memories: u64,
    /// When a message of the project was last stored
    #[serde(skip_serializing_if = "Option::is_none")]
    last_ingest: Option<String>,
    /// When messages of it were last folded
    #[serde(skip_serializing_if = "Option::is_none")]
    last_compact: Option<String>,
    /// When a fact of it last became a memory
    #[serde(skip_serializing_if = "Option::is_none")]
    last_promote: Option<String>,
    /// What is stored of all projects
    everything: StatusTotals,
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
    // Seldom there, and not declared: a tool's declaration has a limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
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
    /// The process that answers hooks; not told to callers of elsewhere
    #[serde(skip_serializing_if = "Option::is_none")]
    daemon: Option<StatusDaemon>,
    /// Agents that are connected on this machine; not told to callers of elsewhere
    #[serde(skip_serializing_if = "Option::is_none")]
    agents: Option<Vec<&'static str>>,
    /// Who writes summaries: `built in`, or `vendor/model` in the order in which they are asked
    summarizer: String,
    /// Which store runs
    store: String,
}

/// What is stored of all projects
#[derive(Serialize, JsonSchema)]
struct StatusTotals {
    conversations: u64,
    messages: u64,
    message_tokens: u64,
}

/// The process that answers hooks
#[derive(Serialize, JsonSchema)]
struct StatusDaemon {
    running: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    uptime_s: Option<u64>,
}

impl From<Option<DaemonProcess>> for StatusDaemon {
    fn from(process: Option<DaemonProcess>) -> Self {
        let running = process.is_some();
        let (version, uptime_s) = process.map(|process| (process.version, process.uptime_s)).unzip();
        Self { running, version, uptime_s: uptime_s.flatten() }
    }
}

impl StatusDaemon {
    fn to_text(&self) -> String {
        let Some(version) = &self.version else { return "down; hooks start it where it helps".to_owned() };
        let time = self.uptime_s.map(|seconds| format!(", for {}", render_duration(seconds))).unwrap_or_default();
        format!("up, version {version}{time}")
    }
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
    const SUMMARY: &'static str = "Show what is indexed, stored and running";
    const KIND: OperationKind = OperationKind::Read;
    const READS: DataSource = DataSource::Both;
    const GROUP: CommandGroup = CommandGroup::LookAfter;
    const HELP: &'static str = "\
Shows what the index of the project holds, what is stored, folded and remembered of its conversations and when that last \
happened, what waits to be taken in, who writes summaries, which agents are connected, and whether the daemon runs. What \
is wrong with any of it is `epitome doctor`.

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
        let ProjectMemory { totals, summaries, summary_tokens, memories, .. } = status.own;
        let time = |at: Option<Timestamp>| at.map(|at| at.to_string());
        Ok(StatusReply {
            project_id: status.project.id.to_string(),
            name: status.name.clone(),
            root: status.project.root.display().to_string(),
            last_indexed_at: time(status.age.indexed),
            indexed_ago: status.age.indexed.map(|at| describe_age(current_time().0 - at.0)),
            last_sync_commit: status.age.commit.clone(),
            commits_behind: status.age.behind,
            index_ready: status.index_ready(),
            files: status.code.files,
            symbols: status.code.symbols,
            edges: status.code.edges,
            unwatched_directories: status.unwatched.map(|(directories, _)| directories),
            watch_limit: status.unwatched.map(|(_, limit)| limit),
            conversations: totals.conversations,
            messages: totals.messages,
            message_tokens: totals.tokens,
            summaries,
            summary_tokens,
            memories,
            last_ingest: time(status.own.last_ingest),
            last_compact: time(status.own.last_compact),
            last_promote: time(status.own.last_promote),
            everything: StatusTotals {
                conversations: status.memory.conversations,
                messages: status.memory.messages,
                message_tokens: status.memory.tokens,
            },
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
            daemon: call.transcripts.map(|known| known.running_daemon().into()),
            agents: call.transcripts.map(LocalTranscripts::connected_agents),
            summarizer: describe_summarizer(&call.config.providers),
            store: status.store,
        })
    }
}

/// Who writes summaries, in the order in which they are asked. What no model writes is built in.
fn describe_summarizer(providers: &ProvidersConfig) -> String {
    let vendors = providers.chain.iter().filter_map(|name| Vendor::from_name(name));
    let writers: Vec<String> = vendors
        .map(|vendor| match providers.model_name(vendor) {
            // The program of the vendor has a model of its own.
            "" => vendor.name().to_owned(),
            model => format!("{}/{model}", vendor.name()),
        })
        .collect();
    if writers.is_empty() { "built in".to_owned() } else { writers.join(", ") }
}

/// A transcript that gave no message, and what its lines are.
fn describe_silent(silent: &engine::SilentTranscript) -> Option<String> {
    Some(format!("{}: {}", silent.path, describe_silence(silent.lines, &silent.kinds)?))
}

impl StatusReply {
    /// What is not watched, and what to do about it.
    fn watch_text(&self) -> String {
        let told = self.unwatched_directories.zip(self.watch_limit).map(|(directories, limit)| {
            format!(
                "watching       {directories} more directories than the system's limit of {limit} watches: changes there \
                 are found by scans from time to time; raise fs.inotify.max_user_watches\n"
            )
        });
        told.unwrap_or_default()
    }

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
    fn is_report(&self) -> bool {
        true
    }

    fn to_text(&self) -> String {
        let mut text = String::new();
        let mut row = |name: &str, value: String| {
            let _ = writeln!(text, "{name:<14} {value}");
        };
        row("project", format!("{}: {} ({})", show_name(&self.name), show_name(&self.root), self.project_id));
        let state = if self.index_ready { "ready" } else { "not ready; a question builds it" };
        let code = [(self.files, "file"), (self.symbols, "symbol"), (self.edges, "relation")];
        row("index", format!("{state}: {}", code.map(|(number, thing)| render_count(number, thing)).join(", ")));
        if let Some(ago) = &self.indexed_ago {
            let commit = describe_commit(self.last_sync_commit.as_deref(), self.commits_behind);
            row(
                "last index",
                format!("{ago}{}", commit.map(|commit| format!(", at commit {commit}")).unwrap_or_default()),
            );
        }
        text.push_str(&self.watch_text());
        let mut row = |name: &str, value: String| {
            let _ = writeln!(text, "{name:<14} {value}");
        };
        row("conversations", self.describe_conversations());
        let tokens = render_count(self.summary_tokens, "token");
        row("summaries", format!("{}, {tokens}", group_digits(self.summaries)));
        row("memories", group_digits(self.memories));
        let last = [("ingest", &self.last_ingest), ("compact", &self.last_compact), ("promote", &self.last_promote)];
        for (what, at) in last {
            row(&format!("last {what}"), at.clone().unwrap_or_else(|| "never".to_owned()));
        }
        row("archive", self.describe_archive());
        text.push_str(&self.lag_text());
        text.push_str(&self.feedback.as_ref().map(StatusFeedback::to_line).unwrap_or_default());
        text.extend(self.embedding_models.iter().map(StatusEmbeddingModel::to_line));
        let mut row = |name: &str, value: &str| {
            let _ = writeln!(text, "{name:<14} {value}");
        };
        row("summarizer", &self.summarizer);
        if let Some(agents) = &self.agents {
            let none = "none connected (epitome init)".to_owned();
            row("agents", &if agents.is_empty() { none } else { agents.join(", ") });
        }
        if let Some(daemon) = &self.daemon {
            row("daemon", &daemon.to_text());
        }
        row("store", &self.store);
        text
    }
}

impl StatusReply {
    /// Those of the project, and of all projects where that is more.
    fn describe_conversations(&self) -> String {
        let of = |conversations: u64, messages: u64, tokens: u64| {
            let (messages, tokens) = (render_count(messages, "message"), render_count(tokens, "token"));
            format!("{} with {messages}, {tokens}", group_digits(conversations))
        };
        let own = of(self.conversations, self.messages, self.message_tokens);
        let StatusTotals { conversations, messages, message_tokens } = self.everything;
        if conversations == self.conversations {
            return own;
        }
        format!("{own}; of all projects {}", of(conversations, messages, message_tokens))
    }

    fn describe_archive(&self) -> String {
        let kept = [(self.sources, "transcript"), (self.lines, "line"), (self.archived_bytes, "byte")];
        let kept = kept.map(|(number, thing)| render_count(number, thing)).join(", ");
        let artifacts = match self.artifacts {
            0 => String::new(),
            artifacts => {
                format!("; {}, {}", render_count(artifacts, "artifact"), render_count(self.artifact_bytes, "byte"))
            }
        };
        format!("{kept} kept in {}{artifacts}", group_digits(self.stored_bytes))
    }
}
