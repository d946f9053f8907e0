//! Knowledge as files of a repository, for a team without a server: what is shared is written to `.epitome/knowledge`, one
//! file an item, and what colleagues wrote there is shown and accepted.
//!
//! A file that was not accepted is text of somebody else, like any other document of the project: nothing of it is a
//! memory, a rule or a decision, and no session is told it. What is accepted is bound to the hash of the file, so a file
//! that changed asks again, and the words that were accepted stay until then.

mod accept;
mod knowledge_file;

use super::durable::{ACCEPTED_FIELD, load_own, set_origin};
use super::team::author_of;
use crate::base::{Error, Project, Result, confined_file};
use crate::memory::MemoryContext;
use accept::accept_files;
use knowledge_file::{KnowledgeItem, ParsedKnowledge};
use model::scrub::{RuleName, Scrubber};
use model::{ContentHash, DurableMemory, MemoryId, MemoryKind, UtcDay};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::path::Path;
use store::MemoryScope;

/// Where the files lie, in the project.
const FOLDER: &str = ".epitome/knowledge";
/// Bytes of a file; none of ours has more.
const MAX_FILE_BYTES: u64 = 64 * 1024;
/// Files that are looked at.
const MAX_FILES: usize = 2_000;

/// What to do with files of knowledge.
#[derive(Clone, Debug)]
pub enum KnowledgeAction {
    /// Write what is shared.
    Export,
    /// Show what the files say, and which were accepted.
    Show,
    /// Accept files, which makes them memories.
    Accept(AcceptedFiles),
}

/// Which files are accepted.
#[derive(Clone, Debug)]
pub enum AcceptedFiles {
    /// Those of these items, each `ID` or `ID@HASH`.
    Named(Vec<String>),
    /// All that are new or changed.
    All,
}

/// What became of the file of an item that is shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrittenStanding {
    /// It was written.
    Written,
    /// It was there.
    Unchanged,
    /// It is there and its item is shared no longer; nothing deletes it.
    Stale,
}

model::enum_words! { pub WrittenStanding { Written = "written", Unchanged = "unchanged", Stale = "stale" } }

/// A file of an item that is shared.
#[derive(Clone, Debug)]
pub struct WrittenFile {
    /// Its path in the project.
    pub path: String,
    /// The item.
    pub id: MemoryId,
    /// What became of it.
    pub standing: WrittenStanding,
}

/// How a file stands with the reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnowledgeStanding {
    /// It was never accepted.
    New,
    /// It was accepted, and says something else since.
    Changed,
    /// It was accepted as it is.
    Accepted,
    /// The reader wrote it, or said the same.
    Own,
    /// It cannot be read as what it should be.
    Unreadable,
}

model::enum_words! {
    pub KnowledgeStanding {
        New = "new",
        Changed = "changed",
        Accepted = "accepted",
        Own = "own",
        Unreadable = "unreadable",
    }
}

/// A file of knowledge, as it says of itself: all but its standing and its hash is somebody else's text.
#[derive(Clone, Debug)]
pub struct KnowledgeFile {
    /// Its path in the project.
    pub path: String,
    /// How it stands.
    pub standing: KnowledgeStanding,
    /// The hash of its bytes, with line ends of either kind taken for the same.
    pub hash: ContentHash,
    /// The item; none where it cannot be read.
    pub id: Option<MemoryId>,
    /// What it is.
    pub kind: Option<MemoryKind>,
    /// Who wrote it.
    pub author: String,
    /// When it was said.
    pub day: Option<UtcDay>,
    /// Its words, without secrets.
    pub content: String,
    /// Whether somebody changed it by hand since it was written.
    pub is_edited: bool,
    /// The memory that was accepted from it, as it was or as it is.
    pub memory: Option<MemoryId>,
    /// Why it cannot be read.
    pub reason: Option<String>,
}

/// What became of a request.
#[derive(Clone, Debug, Default)]
pub struct KnowledgeReport {
    /// Files of what is shared.
    pub written: Vec<WrittenFile>,
    /// Files that there are.
    pub files: Vec<KnowledgeFile>,
    /// Memories that were made of files just now.
    pub accepted: Vec<MemoryId>,
    /// Files that were not looked at, because there are too many.
    pub omitted: u64,
    /// The rules by which secrets were replaced, one for each secret.
    pub secrets: Vec<RuleName>,
}

pub(crate) async fn manage_knowledge(
    memory: &MemoryContext,
    project: &Project,
    action: KnowledgeAction,
) -> Result<KnowledgeReport> {
    match action {
        KnowledgeAction::Export => export(memory, project).await,
        KnowledgeAction::Show => {
            let (files, omitted, secrets) = read_files(memory, project).await?;
            let files = files.into_iter().map(|found| found.file).collect();
            Ok(KnowledgeReport { files, omitted, secrets, ..KnowledgeReport::default() })
        }
        KnowledgeAction::Accept(which) => accept_files(memory, project, which).await,
    }
}

/// Writes a file for each memory of the project that its reader shares.
async fn export(memory: &MemoryContext, project: &Project) -> Result<KnowledgeReport> {
    let mut shared = own_memories(memory, project).await?;
    shared.retain(|found| found.is_shared() && found.colleague.is_none() && found.body.kind != MemoryKind::Item);
    let scrubber = memory.scrubber.load().await?;
    let mut report = KnowledgeReport::default();
    let mut items = BTreeMap::new();
    for found in &shared {
        let Some(author) = author_of(memory, found) else {
            let reason = "is needed to write files that say whose they are: `epitome config set memory.author NAME`";
            return Err(Error::Parameter { field: "memory.author", reason: reason.to_owned() });
        };
        // Rules may be known now that were not when it was stored.
        let item = scrub_item(scrubber, item_of(found, author), &mut report.secrets);
        items.insert(item.file_name(), item);
    }
    let known: BTreeSet<String> = file_names(project)?.into_iter().collect();
    for (name, item) in &items {
        let path = format!("{FOLDER}/{name}");
        let text = item.to_text();
        let is_there = known.contains(name) && read_text(project, name).is_ok_and(|known| known == text);
        if !is_there {
            write_text(project, name, &text)?;
        }
        let standing = if is_there { WrittenStanding::Unchanged } else { WrittenStanding::Written };
        report.written.push(WrittenFile { path, id: item.id.clone(), standing });
    }
    // What was shared once and is not any more: it is in the history of the repository in any case.
    let own = own_memories(memory, project).await?.into_iter().filter(|found| found.colleague.is_none());
    let own: BTreeSet<MemoryId> = own.map(|found| found.id).collect();
    for name in known.iter().filter(|name| !items.contains_key(*name)) {
        let read = read_text(project, name).ok().and_then(|text| KnowledgeItem::parse(&text).ok());
        if let Some(id) = read.map(|read| read.item.id).filter(|id| own.contains(id)) {
            let (path, standing) = (format!("{FOLDER}/{name}"), WrittenStanding::Stale);
            report.written.push(WrittenFile { path, id, standing });
        }
    }
    Ok(report)
}

/// The reader's memories of a project that count.
async fn own_memories(memory: &MemoryContext, project: &Project) -> Result<Vec<DurableMemory>> {
    let mut found = load_own(memory, MemoryScope::Project(project.id.clone())).await?;
    found.retain(|found| found.body.project.as_ref() == Some(&project.id));
    for found in &mut found {
        set_origin(memory, found);
    }
    Ok(found)
}

fn item_of(found: &DurableMemory, author: String) -> KnowledgeItem {
    // The newest statement counts that says anything of it.
    let said = |field: &str| {
        let read = |text: &String| serde_json::from_str::<Value>(text).ok()?[field].as_str().map(str::to_owned);
        found.metadata.iter().rev().find_map(read)
    };
    let is_lesson = found.body.kind == MemoryKind::Reflection;
    KnowledgeItem {
        id: found.id.clone(),
        kind: found.body.kind,
        author,
        day: UtcDay::from_timestamp(found.said),
        tags: found.tags.clone(),
        outcome: said("outcome").filter(|_| is_lesson),
        context: said("context").filter(|_| is_lesson),
        content: found.body.content.trim().to_owned(),
    }
}

/// An item without its secrets.
fn scrub_item(scrubber: &Scrubber, item: KnowledgeItem, secrets: &mut Vec<RuleName>) -> KnowledgeItem {
    let mut scrub = |text: String| {
        let (clean, found) = scrubber.scrub_text(&text);
        secrets.extend(found.into_iter().map(|found| found.rule));
        clean.into_owned()
    };
    KnowledgeItem {
        author: scrub(item.author),
        tags: item.tags.into_iter().map(&mut scrub).collect(),
        outcome: item.outcome.map(&mut scrub),
        context: item.context.map(&mut scrub),
        content: scrub(item.content),
        ..item
    }
}

/// A file with what it says.
struct FoundFile {
    file: KnowledgeFile,
    item: Option<KnowledgeItem>,
}

/// All files of knowledge, by name, each with how it stands with the reader.
async fn read_files(memory: &MemoryContext, project: &Project) -> Result<(Vec<FoundFile>, u64, Vec<RuleName>)> {
    let own = own_memories(memory, project).await?;
    let scrubber = memory.scrubber.load().await?;
    let names = file_names(project)?;
    let omitted = names.len().saturating_sub(MAX_FILES) as u64;
    let (mut files, mut secrets) = (Vec::new(), Vec::new());
    for name in names.iter().take(MAX_FILES) {
        let path = format!("{FOLDER}/{name}");
        let text = match read_text(project, name) {
            Ok(text) => text,
            Err(reason) => {
                files.push(unreadable(path, ContentHash::hash_bytes(b""), reason));
                continue;
            }
        };
        let hash = ContentHash::hash_bytes(text.replace("\r\n", "\n").as_bytes());
        match KnowledgeItem::parse(&text) {
            Err(reason) => files.push(unreadable(path, hash, reason)),
            Ok(ParsedKnowledge { item, is_as_written }) => {
                let item = scrub_item(scrubber, item, &mut secrets);
                let (standing, known) = standing_of(&own, &item, hash);
                let file = KnowledgeFile {
                    path,
                    standing,
                    hash,
                    id: Some(item.id.clone()),
                    kind: Some(item.kind),
                    author: item.author.clone(),
                    day: Some(item.day),
                    content: item.content.clone(),
                    is_edited: !is_as_written,
                    memory: known,
                    reason: None,
                };
                files.push(FoundFile { file, item: Some(item) });
            }
        }
    }
    Ok((files, omitted, secrets))
}

fn unreadable(path: String, hash: ContentHash, reason: String) -> FoundFile {
    let file = KnowledgeFile {
        path,
        standing: KnowledgeStanding::Unreadable,
        hash,
        id: None,
        kind: None,
        author: String::new(),
        day: None,
        content: String::new(),
        is_edited: false,
        memory: None,
        reason: Some(reason),
    };
    FoundFile { file, item: None }
}

/// How a file stands, and the memory that was accepted from it or says the same.
fn standing_of(
    own: &[DurableMemory],
    item: &KnowledgeItem,
    hash: ContentHash,
) -> (KnowledgeStanding, Option<MemoryId>) {
    let accepted = |field: &str, value: &str| {
        own.iter().find(|found| accepted_of(found).is_some_and(|it| it[field].as_str() == Some(value)))
    };
    if let Some(found) = accepted("hash", &hash.to_string()) {
        return (KnowledgeStanding::Accepted, Some(found.id.clone()));
    }
    if let Some(found) = accepted("item", item.id.as_str()) {
        return (KnowledgeStanding::Changed, Some(found.id.clone()));
    }
    let is_same = |found: &&DurableMemory| found.id == item.id && found.body.content.trim() == item.content;
    match own.iter().find(is_same) {
        Some(found) => (KnowledgeStanding::Own, Some(found.id.clone())),
        None => (KnowledgeStanding::New, None),
    }
}

/// What is kept of the file that a memory was accepted from last.
fn accepted_of(found: &DurableMemory) -> Option<Value> {
    let read = |text: &String| Some(serde_json::from_str::<Value>(text).ok()?[ACCEPTED_FIELD].clone());
    found.metadata.iter().rev().filter_map(read).find(Value::is_object)
}

/// The names of the files, ordered; none where there is no folder.
fn file_names(project: &Project) -> Result<Vec<String>> {
    let folder = match confined_file::open_entry(&project.root, Path::new(FOLDER)) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        folder => folder.map_err(|error| unusable(&error))?,
    };
    let mut names = confined_file::list_names(&folder);
    names.retain(|name| Path::new(name).extension().is_some_and(|ending| ending == "md") && !name.starts_with('.'));
    names.sort();
    Ok(names)
}

fn unusable(error: &std::io::Error) -> Error {
    Error::Parameter { field: "project", reason: format!("has a folder {FOLDER} that cannot be used: {error}") }
}

/// The text of a file, or why there is none.
fn read_text(project: &Project, name: &str) -> std::result::Result<String, String> {
    let path = Path::new(FOLDER).join(name);
    let file = confined_file::open_file(&project.root, &path).map_err(|_| "it is no regular file".to_owned())?;
    let mut bytes = Vec::new();
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(|error| format!("it cannot be read: {error}"))?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(format!("it has more than {MAX_FILE_BYTES} bytes"));
    }
    String::from_utf8(bytes).map_err(|_| "it is no text".to_owned())
}

fn write_text(project: &Project, name: &str, text: &str) -> Result<()> {
    let written = confined_file::write_file(&project.root, Path::new(FOLDER), name, text.as_bytes());
    written.map_err(|error| unusable(&error))
}
