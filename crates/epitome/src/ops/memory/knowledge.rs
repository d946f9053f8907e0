//! The `knowledge` operation (command, MCP tool, HTTP route): its parameters and its reply; the engine does the work. It
//! writes what is shared as files of the repository, and shows those of colleagues. Only a person accepts them, so that is
//! on the command line alone.

use crate::ops::{
    CommandExit, CommandGroup, DataSource, Operation, OperationCall, OperationKind, OperationReply, render_count,
};
use clap::{Args, ValueEnum};
use engine::{AcceptedFiles, KnowledgeAction, KnowledgeFile, KnowledgeReport, KnowledgeStanding, WrittenFile};
use model::{show_name, show_quoted};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) struct KnowledgeOperation;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct KnowledgeParams {
    /// What to do
    #[arg(value_enum)]
    action: KnowledgeActionParam,
    /// With `import`: make this item a memory; `ID@HASH` only as it was shown
    #[arg(long, value_name = "ID", conflicts_with = "all")]
    #[serde(skip)]
    accept: Vec<String>,
    /// With `import`: make all that are new or changed memories
    #[arg(long)]
    #[serde(skip)]
    all: bool,
}

#[derive(Clone, Copy, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
enum KnowledgeActionParam {
    /// Write what is shared to `.epitome/knowledge`
    Export,
    /// Show the files there, and which were accepted
    Import,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct KnowledgeReply {
    /// Of `export`: a file for each item that is shared
    #[serde(skip_serializing_if = "Vec::is_empty")]
    written: Vec<WrittenEntry>,
    /// Of `import`: text of other people, no memory unless it is accepted
    #[serde(skip_serializing_if = "Vec::is_empty")]
    files: Vec<FileEntry>,
    /// Memories that were made of files just now
    #[serde(skip_serializing_if = "Vec::is_empty")]
    accepted: Vec<String>,
    /// Files that were not looked at, because there are too many
    omitted: u64,
    /// The rules by which secrets were replaced
    #[serde(skip_serializing_if = "Vec::is_empty")]
    secrets: Vec<String>,
    #[serde(skip)]
    is_export: bool,
}

#[derive(Serialize, JsonSchema)]
struct WrittenEntry {
    path: String,
    id: String,
    /// `written`, `unchanged`, or `stale`: shared no longer, and not deleted
    standing: &'static str,
}

#[derive(Serialize, JsonSchema)]
struct FileEntry {
    path: String,
    /// `new`, `changed`, `accepted`, `own` or `unreadable`
    standing: &'static str,
    hash: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    author: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<String>,
    content: String,
    /// Whether somebody changed it by hand since it was written
    edited: bool,
    /// The memory that was accepted from it
    #[serde(skip_serializing_if = "Option::is_none")]
    memory_id: Option<String>,
    /// Why it cannot be read
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

impl From<WrittenFile> for WrittenEntry {
    fn from(written: WrittenFile) -> Self {
        Self { path: written.path, id: written.id.to_string(), standing: written.standing.as_str() }
    }
}

impl From<KnowledgeFile> for FileEntry {
    fn from(file: KnowledgeFile) -> Self {
        Self {
            path: file.path,
            standing: file.standing.as_str(),
            hash: file.hash.to_string(),
            id: file.id.as_ref().map(ToString::to_string),
            kind: file.kind.map(model::MemoryKind::as_str),
            author: file.author,
            date: file.day.map(|day| day.to_string()),
            content: file.content,
            edited: file.is_edited,
            memory_id: file.memory.as_ref().map(ToString::to_string),
            reason: file.reason,
        }
    }
}

/// Digits of a hash that are shown.
const HASH_DIGITS: usize = 12;

impl Operation for KnowledgeOperation {
    const NAME: &'static str = "knowledge";
    const SUMMARY: &'static str = "Carry shared memories in the repository, and show those of colleagues";
    const KIND: OperationKind = OperationKind::Write;
    const READS: DataSource = DataSource::Conversations;
    const GROUP: CommandGroup = CommandGroup::Remember;
    const HELP: &'static str = "\
For a team without a server. `export` writes what `team share` shared, a file an item; commit them. `import` shows the \
files of others, which are text of theirs and told to no session until you accept them. A file that changes asks again. \
Exit status 3: there is none.

Examples:
  epitome knowledge export
  epitome knowledge import
  epitome knowledge import --accept mem_51432ca8c094e7e8@b1946ac92492";
    type Params = KnowledgeParams;
    type Reply = KnowledgeReply;

    async fn run(call: &OperationCall<'_>, params: KnowledgeParams) -> Result<KnowledgeReply, engine::Error> {
        let accepts = params.all || !params.accept.is_empty();
        let action = match params.action {
            KnowledgeActionParam::Export if accepts => {
                let reason = "is for `import`".to_owned();
                return Err(engine::Error::Parameter { field: "accept", reason });
            }
            // A caller on another machine has no files here to write to.
            KnowledgeActionParam::Export if call.transcripts.is_none() => {
                let reason = "is `export`, which writes files, and is not for callers from other machines".to_owned();
                return Err(engine::Error::Parameter { field: "action", reason });
            }
            KnowledgeActionParam::Export => KnowledgeAction::Export,
            KnowledgeActionParam::Import if params.all => KnowledgeAction::Accept(AcceptedFiles::All),
            KnowledgeActionParam::Import if accepts => KnowledgeAction::Accept(AcceptedFiles::Named(params.accept)),
            KnowledgeActionParam::Import => KnowledgeAction::Show,
        };
        let is_export = matches!(action, KnowledgeAction::Export);
        let KnowledgeReport { written, files, accepted, omitted, secrets } =
            call.engine.manage_knowledge(call.project, action).await?;
        Ok(KnowledgeReply {
            written: written.into_iter().map(WrittenEntry::from).collect(),
            files: files.into_iter().map(FileEntry::from).collect(),
            accepted: accepted.iter().map(ToString::to_string).collect(),
            omitted,
            secrets: secrets.iter().map(ToString::to_string).collect(),
            is_export,
        })
    }
}

impl OperationReply for KnowledgeReply {
    fn is_report(&self) -> bool {
        true
    }

    fn to_text(&self) -> String {
        let mut text = String::new();
        for file in &self.written {
            text += &format!("{}  {}\n", file.standing, show_name(&file.path));
        }
        let mut waiting = 0;
        for file in &self.files {
            let Some(id) = &file.id else {
                let reason = file.reason.as_deref().unwrap_or_default();
                text += &format!("{}  {}: {reason}\n", file.standing, show_name(&file.path));
                continue;
            };
            let asks =
                [KnowledgeStanding::New, KnowledgeStanding::Changed].iter().any(|it| it.as_str() == file.standing);
            waiting += u64::from(asks);
            let edited = if file.edited { ", changed by hand since it was written" } else { "" };
            text += &format!(
                "{}  {} from {}, {}{edited}\n",
                file.standing,
                file.kind.unwrap_or_default(),
                show_name(&file.author),
                file.date.as_deref().unwrap_or_default()
            );
            text += &format!("    > {}\n", show_quoted(file.content.trim()).replace('\n', "\n    > "));
            text += &format!("    {}, {id}@{}\n", show_name(&file.path), &file.hash[..HASH_DIGITS]);
            if let Some(memory) = &file.memory_id {
                let what = if asks { "accepted before as" } else { "kept as" };
                text += &format!("    {what} {memory}\n");
            }
        }
        if waiting > 0 && self.accepted.is_empty() {
            let files = render_count(waiting, "file");
            text += &format!("{files} to accept: epitome knowledge import --accept ID@HASH, or --all\n");
        }
        if self.omitted > 0 {
            text += &format!("{} more were not looked at\n", render_count(self.omitted, "file"));
        }
        if !self.secrets.is_empty() {
            text += &format!("secrets replaced: {}\n", self.secrets.join(", "));
        }
        if text.is_empty() {
            let what = if self.is_export {
                "nothing of this project is shared: `epitome team share ID` first"
            } else {
                "there are no files in .epitome/knowledge, or none that waits"
            };
            text = format!("{what}\n");
        }
        text
    }

    fn command_exit(&self) -> CommandExit {
        if self.written.is_empty() && self.files.is_empty() { CommandExit::NothingFound } else { CommandExit::Ok }
    }
}
