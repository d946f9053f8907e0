//! Accepts files of knowledge: their words become memories of the reader, which say whose they are and which file, by its
//! hash, they were accepted from.

use super::knowledge_file::KnowledgeItem;
use super::{
    AcceptedFiles, FoundFile, KnowledgeFile, KnowledgeReport, KnowledgeStanding, accepted_of, own_memories, read_files,
};
use crate::base::{Error, Project, Result};
use crate::memory::MemoryContext;
use crate::memory::durable::ACCEPTED_FIELD;
use model::{DurableMemory, MemoryEvent, MemoryId, MemoryKind, MemoryNote, MemoryStatement, NewMemory, Timestamp};
use serde_json::{Value, json};
use store::MemoryBatch;

/// Digits of a hash that name it.
const MIN_HASH_DIGITS: usize = 6;

pub(super) async fn accept_files(
    memory: &MemoryContext,
    project: &Project,
    which: AcceptedFiles,
) -> Result<KnowledgeReport> {
    memory.check_enabled("accept knowledge of files")?;
    let (mut found, omitted, secrets) = read_files(memory, project).await?;
    match which {
        AcceptedFiles::Named(ids) => {
            let chosen = ids.iter().map(|id| choose(&found, id)).collect::<Result<Vec<usize>>>()?;
            let mut at = 0;
            found.retain(|_| {
                at += 1;
                chosen.contains(&(at - 1))
            });
        }
        AcceptedFiles::All => found.retain(|found| asks(&found.file)),
    }
    let own = own_memories(memory, project).await?;
    let now = memory.clock.now();
    let mut report = KnowledgeReport { omitted, secrets, ..KnowledgeReport::default() };
    let mut batch = MemoryBatch::default();
    for FoundFile { mut file, item } in found {
        if let Some(item) = item.filter(|_| asks(&file)) {
            let accepted = accept_item(memory, project, &own, &file, item, now, &mut batch);
            file.memory = Some(accepted.clone());
            file.standing = KnowledgeStanding::Accepted;
            report.accepted.push(accepted);
        }
        report.files.push(file);
    }
    // All or none: what was shown together is accepted together.
    memory.store.write_memories(batch).await?;
    Ok(report)
}

/// Whether a file waits to be accepted.
fn asks(file: &KnowledgeFile) -> bool {
    matches!(file.standing, KnowledgeStanding::New | KnowledgeStanding::Changed)
}

/// The place of the file that `ID` or `ID@HASH` names. With a hash only the file that was shown is accepted.
fn choose(found: &[FoundFile], named: &str) -> Result<usize> {
    let (id, hash) = named.trim().split_once('@').map_or((named.trim(), ""), |(id, hash)| (id, hash));
    let parameter = |reason: String| Err(Error::Parameter { field: "accept", reason });
    if !hash.is_empty() && hash.len() < MIN_HASH_DIGITS {
        return parameter(format!("is `{named}`: a hash has at least {MIN_HASH_DIGITS} digits"));
    }
    let of_id = |it: &FoundFile| it.file.id.as_ref().is_some_and(|known| known.as_str() == id);
    let places: Vec<usize> = (0..found.len()).filter(|at| of_id(&found[*at])).collect();
    let of_hash: Vec<usize> =
        places.iter().copied().filter(|at| found[*at].file.hash.to_string().starts_with(hash)).collect();
    match (of_hash.as_slice(), places.as_slice()) {
        ([one], _) => Ok(*one),
        ([], []) => {
            let hint = Some("epitome knowledge import shows the files, with their ids".to_owned());
            Err(Error::NotFound { what: "file of knowledge", id: id.to_owned(), hint })
        }
        ([], _) => parameter(format!("is `{named}`, and the file says something else by now: look at it again")),
        _ => parameter(format!("is `{named}`, which several files say they are: name one as ID@HASH")),
    }
}

/// Adds what makes an item a memory of the reader, and puts aside what was accepted from an earlier form of it.
fn accept_item(
    memory: &MemoryContext,
    project: &Project,
    own: &[DurableMemory],
    file: &KnowledgeFile,
    item: KnowledgeItem,
    now: Timestamp,
    batch: &mut MemoryBatch,
) -> MemoryId {
    let new = NewMemory {
        content: item.content,
        kind: item.kind,
        project: Some(project.id.clone()),
        author: memory.author.owner(),
        conversation: None,
        depth: 0,
        created: now,
    };
    let id = new.id();
    let mut metadata = json!({});
    if item.kind == MemoryKind::Reflection {
        metadata = json!({ "outcome": item.outcome.unwrap_or_default(), "context": item.context.unwrap_or_default() });
    }
    metadata[ACCEPTED_FIELD] = json!({
        "item": item.id.as_str(),
        "author": item.author,
        "date": item.day.to_string(),
        "file": file.path,
        "hash": file.hash.to_string(),
    });
    let statement = MemoryStatement {
        certainty: MemoryStatement::ASKED_FOR,
        tags: item.tags,
        sources: Vec::new(),
        metadata: Some(metadata.to_string()),
        // A day that is yet to come would be newer than all that is said until then.
        said: item.day.start_time().min(now),
    };
    batch.memories.push(new);
    batch.notes.push((id.clone(), MemoryNote { at: now, event: MemoryEvent::Stated(statement) }));
    let before = own.iter().filter(|known| known.id != id && is_accepted_alone(known, item.id.as_str()));
    let by = MemoryEvent::Superseded { by: id.clone() };
    batch.notes.extend(before.map(|known| (known.id.clone(), MemoryNote { at: now, event: by.clone() })));
    id
}

/// Whether a memory says what an earlier form of an item said, and nobody else stated it.
fn is_accepted_alone(known: &DurableMemory, item: &str) -> bool {
    let is_of_item = accepted_of(known).is_some_and(|accepted| accepted["item"].as_str() == Some(item));
    let is_accepted =
        |text: &&String| serde_json::from_str::<Value>(text).is_ok_and(|said| said[ACCEPTED_FIELD].is_object());
    is_of_item && known.metadata.iter().filter(is_accepted).count() >= known.stated as usize
}
