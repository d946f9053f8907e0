//! Implements `RewriteStore` (purge of secrets, removal of a project's data) for `SqliteStore`, in the canonical
//! database. The triggers that keep rows from being changed are lifted inside of the transaction and put back in it, so
//! that no other connection ever sees a database without them.

use super::SqliteStore;
use super::archive::{rewrite_frames, rewrite_tail};
use super::artifact::insert_artifact;
use super::durable::add_memory;
use super::entities::{rewrite_entity, rewrite_link};
use super::failure::SqliteFailure;
use super::records::{add_record, record_number};
use super::rows::pack_content;
use super::side_texts::{load_side_texts, rewrite_side_text};
use crate::message_shape::encode_shape;
use crate::rewrite::{
    ArtifactRewrite, DERIVED_DELETIONS, FORGET_DELETIONS, MessageRewrite, RewriteReason, RewriteRecord, RewriteStore,
    StoreRewrite,
};
use crate::rows::{DamagedRow, hash_of, message_seal};
use crate::{Error, Result, SideText};
use async_trait::async_trait;
use model::{
    ChainHash, ContentHash, ConversationId, MemoryId, NewMemory, NewRecord, ProjectId, RecordId, Timestamp, TokenCount,
};
use rusqlite::{Connection, OptionalExtension, Row, ToSql, params};
use std::collections::BTreeMap;

#[async_trait]
impl RewriteStore for SqliteStore {
    async fn rewrite_texts(&self, rewrite: StoreRewrite, now: Timestamp) -> Result<Vec<RewriteRecord>> {
        // The files come first: a row that is committed must find its file, and a file without a row does no harm.
        let artifacts: Vec<_> = rewrite.artifacts.iter().map(|rewrite| rewrite.artifact.clone()).collect();
        self.put_files(&artifacts).await?;
        let change = move |db: &Connection| without_triggers(db, || apply_rewrite(db, &rewrite, now));
        let (records, freed) = self.canonical.write(change).await?;
        self.remove_files(freed).await?;
        Ok(records)
    }

    async fn forget_project(&self, project: &ProjectId, now: Timestamp) -> Result<Vec<RewriteRecord>> {
        let id = project.to_string();
        let keeper = self.canonical.sums();
        let change = move |db: &Connection| {
            // A project without a conversation leaves no record, and what it had is removed on purpose all the same.
            keeper.inspect(|keeper| keeper.note_purpose(RewriteReason::Forgotten.as_str(), now));
            without_triggers(db, || forget_rows(db, &id, now))
        };
        let (records, freed) = self.canonical.write(change).await?;
        self.remove_files(freed).await?;
        self.indexes.discard_database(project.as_str())?;
        self.models.discard_database(project.as_str())?;
        Ok(records)
    }

    async fn side_texts(&self) -> Result<Vec<SideText>> {
        self.canonical.read(load_side_texts).await
    }

    async fn list_rewrites(&self) -> Result<Vec<RewriteRecord>> {
        let sql = "SELECT at, reason, subject, item_count, hash_before, hash_after FROM rewrites ORDER BY number";
        self.canonical
            .read(move |db| {
                let mut statement = db.prepare_cached(sql)?;
                let rows = statement.query_map([], |row| Ok(record_of(row)))?;
                rows.map(|row| row?).collect()
            })
            .await
    }

    async fn erase_freed_pages(&self) -> Result<()> {
        let path = self.canonical.path().to_owned();
        let name = path.display().to_string();
        let erase = move || {
            let fail = |error: rusqlite::Error| super::failure::error_of(&name, &error);
            let connection = Connection::open(&path).map_err(fail)?;
            connection.busy_timeout(super::database::BUSY_TIMEOUT).map_err(fail)?;
            // The log holds pages from before the change until it is truncated, and free pages hold old rows.
            connection.execute_batch("PRAGMA secure_delete = ON; VACUUM").map_err(fail)?;
            let is_busy: i64 =
                connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0)).map_err(fail)?;
            if is_busy == 0 {
                return Ok(());
            }
            Err(Error::Unavailable { database: name.clone(), reason: "another process is reading it".to_owned() })
        };
        let stopped = |error: tokio::task::JoinError| Error::Unavailable {
            database: self.canonical.path().display().to_string(),
            reason: error.to_string(),
        };
        tokio::task::spawn_blocking(erase).await.map_err(stopped)?
    }
}

impl SqliteStore {
    async fn remove_files(&self, hashes: Vec<ContentHash>) -> Result<()> {
        if hashes.is_empty() {
            return Ok(());
        }
        let files = self.artifacts.clone();
        let remove = move || hashes.into_iter().try_for_each(|hash| files.remove_file(hash));
        let removed = tokio::task::spawn_blocking(remove).await.map_err(std::io::Error::other).flatten();
        removed.map_err(|error| self.io_error(&error))
    }
}

/// What became of a change: its records, and the hashes of artifacts whose files go when it is committed.
type RewriteOutcome = (Vec<RewriteRecord>, Vec<ContentHash>);

/// Runs a change without the triggers that refuse it. All of it is one transaction.
fn without_triggers<T>(db: &Connection, change: impl FnOnce() -> Result<T, SqliteFailure>) -> Result<T, SqliteFailure> {
    let sql = "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name <> 'rewrites'";
    let triggers: Vec<(String, String)> =
        db.prepare(sql)?.query_map([], |row| row.try_into())?.collect::<rusqlite::Result<_>>()?;
    for (name, _) in &triggers {
        db.execute_batch(&format!("DROP TRIGGER \"{name}\""))?;
    }
    // Pages that rows leave are overwritten with zeros, so that the old words are not in the file any more.
    db.execute_batch("PRAGMA secure_delete = ON")?;
    let done = change()?;
    triggers.iter().try_for_each(|(_, sql)| db.execute_batch(sql))?;
    Ok(done)
}

fn apply_rewrite(db: &Connection, rewrite: &StoreRewrite, now: Timestamp) -> Result<RewriteOutcome, SqliteFailure> {
    let mut records = Vec::new();
    let mut freed = Vec::new();
    let mut note = |subject: String, items: u64, before: ContentHash, after: ContentHash| {
        records.push(RewriteRecord {
            at: now,
            reason: RewriteReason::Purged,
            subject,
            items,
            before,
            after: Some(after),
        });
    };
    // First: the row of an artifact goes where its bytes are replaced, too.
    for text in &rewrite.side_texts {
        rewrite_side_text(db, text)?;
        // A digest of so short a text would let its words be guessed.
        let place = text.place.to_string();
        let hash = ContentHash::hash_bytes(place.as_bytes());
        note(place, 1, hash, hash);
    }
    for artifact in &rewrite.artifacts {
        let (before, after) = replace_artifact(db, artifact, now)?;
        note(artifact.before.to_string(), 1, before, after);
        freed.push(before);
    }
    let mut by_conversation: BTreeMap<&ConversationId, BTreeMap<u64, &MessageRewrite>> = BTreeMap::new();
    for message in &rewrite.messages {
        by_conversation.entry(&message.conversation).or_default().insert(message.seq, message);
    }
    for (conversation, messages) in by_conversation {
        let (before, after) = relink_messages(db, conversation, &messages)?;
        note(conversation.to_string(), messages.len() as u64, before, after);
    }
    for change in rewrite_frames(db, &rewrite.frames)? {
        note(change.subject, change.frames, change.before, change.after);
    }
    for tail in &rewrite.tails {
        let (subject, hash) = rewrite_tail(db, tail)?;
        note(subject, 1, hash, hash);
    }
    for (before, memory) in &rewrite.memories {
        replace_memory(db, before, memory)?;
        let hash = |id: &MemoryId| ContentHash::hash_bytes(id.as_str().as_bytes());
        note(before.to_string(), 1, hash(before), hash(&memory.id()));
    }
    for (before, record) in &rewrite.records {
        replace_record(db, before, record)?;
        let hash = |id: &RecordId| ContentHash::hash_bytes(id.as_str().as_bytes());
        note(before.to_string(), 1, hash(before), hash(&record.id()));
    }
    let hash = |id: &str| ContentHash::hash_bytes(id.as_bytes());
    for entity in &rewrite.entities {
        rewrite_entity(db, entity)?;
        let before = entity.before.as_str();
        note(before.to_owned(), 1, hash(before), hash(entity.statement.id().as_str()));
    }
    for link in &rewrite.entity_links {
        rewrite_link(db, link)?;
        let before = link.before.as_str();
        note(before.to_owned(), 1, hash(before), hash(link.statement.id().as_str()));
    }
    for conversation in &rewrite.derived {
        for sql in DERIVED_DELETIONS {
            db.prepare(&sql.replace('@', ""))?.execute([conversation.as_str()])?;
        }
    }
    put_records(db, &records)?;
    Ok((records, freed))
}

/// Writes messages anew, and every link of the chain from the first of them on; gives the head before and after.
fn relink_messages(
    db: &Connection,
    conversation: &ConversationId,
    messages: &BTreeMap<u64, &MessageRewrite>,
) -> Result<(ContentHash, ContentHash), SqliteFailure> {
    let sql = "SELECT number, head_hash FROM conversations WHERE conversation_id = ?1";
    let found: Option<(i64, Vec<u8>)> =
        db.prepare_cached(sql)?.query_row([conversation.as_str()], |row| row.try_into()).optional()?;
    let missing = || SqliteFailure::Missing { what: "conversation", id: conversation.to_string() };
    let (number, head) = found.ok_or_else(missing)?;
    let first = messages.keys().next().copied().unwrap_or(1);
    let mut link = if first == 1 {
        ChainHash::for_conversation(conversation)
    } else {
        let sql = "SELECT chain_hash FROM messages WHERE conversation = ?1 AND seq = ?2";
        let hash: Option<Vec<u8>> =
            db.prepare_cached(sql)?.query_row(params![number, first as i64 - 1], |row| row.get(0)).optional()?;
        let missing = || SqliteFailure::Missing { what: "message", id: format!("{conversation}#{}", first - 1) };
        ChainHash(hash_of(&hash.ok_or_else(missing)?)?)
    };
    let sql = "SELECT seq, content_hash FROM messages WHERE conversation = ?1 AND seq >= ?2 ORDER BY seq";
    let rows: Vec<(i64, Vec<u8>)> = db
        .prepare_cached(sql)?
        .query_map(params![number, first as i64], |row| row.try_into())?
        .collect::<rusqlite::Result<_>>()?;
    let mut relink = db.prepare_cached("UPDATE messages SET chain_hash = ?3 WHERE conversation = ?1 AND seq = ?2")?;
    let mut changed = 0;
    for (seq, hash) in rows {
        let mut hash = hash_of(&hash)?;
        if let Some(message) = messages.get(&(seq as u64)) {
            if message.before != hash {
                return Err(SqliteFailure::Moved { what: "message", id: format!("{conversation}#{seq}") });
            }
            hash = write_words(db, number, message)?;
            changed += 1;
        }
        link = link.next_link(seq as u64, hash);
        relink.execute(params![number, seq, link.0.as_bytes()])?;
    }
    if changed < messages.len() {
        return Err(SqliteFailure::Missing { what: "message", id: format!("a message of {conversation}") });
    }
    seal_again(db, number, first)?;
    db.prepare_cached(
        "UPDATE conversations SET head_hash = ?2, token_count =
           (SELECT coalesce(sum(token_count), 0) FROM messages WHERE conversation = ?1) WHERE number = ?1",
    )?
    .execute(params![number, link.0.as_bytes()])?;
    Ok((hash_of(&head)?, link.0))
}

/// Number, instant, tokens, time of receipt and link of a message.
type SealedColumns = (i64, Option<i64>, u32, i64, Vec<u8>);

/// Makes the seals of messages anew from a place on: they cover the links of the chain.
fn seal_again(db: &Connection, conversation: i64, first: u64) -> Result<(), SqliteFailure> {
    let sql = "SELECT number, at_instant, token_count, stored_at, chain_hash FROM messages
               WHERE conversation = ?1 AND seq >= ?2";
    let rows: Vec<SealedColumns> = db
        .prepare_cached(sql)?
        .query_map(params![conversation, first as i64], |row| row.try_into())?
        .collect::<rusqlite::Result<_>>()?;
    let mut seal = db.prepare_cached("UPDATE messages SET seal = ?2 WHERE number = ?1")?;
    for (number, at, tokens, stored, hash) in rows {
        let hash = ChainHash(hash_of(&hash)?);
        let sealed = message_seal(number, at.map(Timestamp), TokenCount(tokens), Timestamp(stored), hash);
        seal.execute(params![number, sealed])?;
    }
    Ok(())
}

fn write_words(db: &Connection, conversation: i64, message: &MessageRewrite) -> Result<ContentHash, SqliteFailure> {
    let body = &message.body;
    let hash = body.content_hash();
    let content = body.content();
    let packed = pack_content(&content);
    let content: &dyn ToSql = match &packed {
        Some(packed) => packed,
        None => &content,
    };
    db.prepare_cached(
        "UPDATE messages SET speaker = ?3, at_text = ?4, content = ?5, shape = ?6, token_count = ?7, content_hash = ?8,
           metadata = ?9
         WHERE conversation = ?1 AND seq = ?2",
    )?
    .execute(params![
        conversation,
        message.seq as i64,
        body.speaker,
        body.at.as_ref().map(|at| at.text.as_str()),
        content,
        encode_shape(body),
        message.tokens.0,
        hash.as_bytes(),
        body.metadata,
    ])?;
    Ok(hash)
}

/// Puts an artifact in the place of another one; gives the hashes of both.
fn replace_artifact(
    db: &Connection,
    rewrite: &ArtifactRewrite,
    now: Timestamp,
) -> Result<(ContentHash, ContentHash), SqliteFailure> {
    let sql = "SELECT number, content_hash FROM artifacts WHERE artifact_id = ?1";
    let find = |id: &str| -> Result<Option<(i64, Vec<u8>)>, SqliteFailure> {
        Ok(db.prepare_cached(sql)?.query_row([id], |row| row.try_into()).optional()?)
    };
    let missing = |id: &str| SqliteFailure::Missing { what: "artifact", id: id.to_owned() };
    let (old, before) = find(rewrite.before.as_str())?.ok_or_else(|| missing(rewrite.before.as_str()))?;
    insert_artifact(db, &rewrite.artifact, now)?;
    let id = rewrite.artifact.artifact_id();
    let (new, after) = find(id.as_str())?.ok_or_else(|| missing(id.as_str()))?;
    // A message may have mentioned both already.
    db.execute("UPDATE OR IGNORE message_artifacts SET artifact = ?2 WHERE artifact = ?1", [old, new])?;
    db.execute("DELETE FROM message_artifacts WHERE artifact = ?1", [old])?;
    db.execute("DELETE FROM artifacts WHERE number = ?1", [old])?;
    Ok((hash_of(&before)?, hash_of(&after)?))
}

/// Puts a memory in the place of another one, with what was noted about that.
fn replace_memory(db: &Connection, before: &MemoryId, memory: &NewMemory) -> Result<(), SqliteFailure> {
    let number = |id: &str| -> Result<Option<i64>, SqliteFailure> {
        let sql = "SELECT number FROM memories WHERE memory_id = ?1";
        Ok(db.prepare_cached(sql)?.query_row([id], |row| row.get(0)).optional()?)
    };
    let missing = |id: &MemoryId| SqliteFailure::Missing { what: "memory", id: id.to_string() };
    let old = number(before.as_str())?.ok_or_else(|| missing(before))?;
    add_memory(db, memory)?;
    let new = number(memory.id().as_str())?.ok_or_else(|| missing(&memory.id()))?;
    db.execute("UPDATE memory_notes SET memory = ?2 WHERE memory = ?1", [old, new])?;
    db.execute(
        "UPDATE memory_notes SET superseded_by = ?2 WHERE superseded_by = ?1",
        [before.as_str(), memory.id().as_str()],
    )?;
    db.execute("DELETE FROM memories WHERE number = ?1", [old])?;
    Ok(())
}

/// Puts a record in the place of another one, with what was noted about that.
fn replace_record(db: &Connection, before: &RecordId, record: &NewRecord) -> Result<(), SqliteFailure> {
    let old = record_number(db, before)?;
    add_record(db, record)?;
    let new = record_number(db, &record.id())?;
    db.execute("UPDATE session_record_notes SET record = ?2 WHERE record = ?1", [old, new])?;
    // The ids of those that follow from it have to be the caller's too, because they are made of all that a record says.
    db.execute("DELETE FROM session_records WHERE number = ?1", [old])?;
    Ok(())
}

fn forget_rows(db: &Connection, project: &str, now: Timestamp) -> Result<RewriteOutcome, SqliteFailure> {
    let sql = "SELECT conversation_id, message_count, head_hash FROM conversations WHERE project_id = ?1
               ORDER BY conversation_id";
    let conversations: Vec<(String, i64, Vec<u8>)> =
        db.prepare(sql)?.query_map([project], |row| row.try_into())?.collect::<rusqlite::Result<_>>()?;
    let hashes = |db: &Connection| -> Result<Vec<Vec<u8>>, SqliteFailure> {
        let mut statement = db.prepare("SELECT content_hash FROM artifacts")?;
        Ok(statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?)
    };
    let before = hashes(db)?;
    for sql in FORGET_DELETIONS {
        let mut statement = db.prepare(&sql.replace('@', ""))?;
        if statement.parameter_count() == 0 {
            statement.execute([])?
        } else {
            statement.execute([project])?
        };
    }
    let left = hashes(db)?;
    let freed = before.iter().filter(|hash| !left.contains(hash)).map(|hash| hash_of(hash));
    let freed = freed.collect::<std::result::Result<_, DamagedRow>>()?;
    let mut records = Vec::new();
    for (subject, items, head) in conversations {
        let (items, before) = (items as u64, hash_of(&head)?);
        records.push(RewriteRecord { at: now, reason: RewriteReason::Forgotten, subject, items, before, after: None });
    }
    put_records(db, &records)?;
    Ok((records, freed))
}

fn put_records(db: &Connection, records: &[RewriteRecord]) -> Result<(), SqliteFailure> {
    let mut put = db.prepare_cached(
        "INSERT INTO rewrites (at, reason, subject, item_count, hash_before, hash_after) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    for record in records {
        put.execute(params![
            record.at.0,
            record.reason.as_str(),
            record.subject,
            record.items as i64,
            record.before.as_bytes(),
            record.after.as_ref().map(ContentHash::as_bytes),
        ])?;
    }
    Ok(())
}

fn record_of(row: &Row<'_>) -> Result<RewriteRecord, SqliteFailure> {
    let reason: String = row.get(1)?;
    let unknown = || DamagedRow(format!("a rewrite has the reason `{reason}`"));
    Ok(RewriteRecord {
        at: Timestamp(row.get(0)?),
        reason: RewriteReason::parse(&reason).ok_or_else(unknown)?,
        subject: row.get(2)?,
        items: row.get::<_, i64>(3)? as u64,
        before: hash_of(&row.get::<_, Vec<u8>>(4)?)?,
        after: row.get::<_, Option<Vec<u8>>>(5)?.map(|hash| hash_of(&hash)).transpose()?,
    })
}
