//! Implements `MemoryStore` (conversations and messages) for `SqliteStore`, in the canonical database.

mod message_search;
mod passages;
mod term_filter;

use super::SqliteStore;
use super::artifact::{put_artifacts, put_mentions};
use super::failure::SqliteFailure;
use super::key;
use super::rows::{CONVERSATION, MESSAGE, conversation_row, packed_form, read_message};
use crate::append::{
    ConversationHead, KnownMessage, PlannedMessage, PreparedRow, plan_append, prepare_rows, revision_ids,
};
use crate::failpoints::{self, FailPoint};
use crate::message_shape::encode_shape;
use crate::references::TABLE_REFERENCES;
use crate::rows::{ConversationRow, hash_of, message_id_of, message_seal};
use crate::{
    AppendBatch, AppendOutcome, ContentMatcher, Conversation, DatabaseFault, Error, FaultKind, MemoryStore,
    MemoryTotals, MemoryVersion, MessageAck, MessageMatches, MessageQuery, MessageWindow, Result, StoreCursor,
};
use async_trait::async_trait;
use model::scrub::ScrubKey;
use model::{ChainHash, ConversationId, Message, ProjectId};
use rusqlite::{Connection, OptionalExtension, ToSql, params};
use std::collections::HashMap;

#[async_trait]
impl MemoryStore for SqliteStore {
    async fn append_messages(&self, append: AppendBatch) -> Result<Vec<AppendOutcome>> {
        // The files come first: a row that is committed must find its file, and a file without a row does no harm.
        self.put_files(&append.artifacts).await?;
        let prepared = prepare_rows(&append, packed_form);
        self.canonical.write(move |db| append_all(db, &append, &prepared)).await
    }

    async fn load_conversation(&self, id: &ConversationId) -> Result<Option<Conversation>> {
        let id = id.clone();
        self.canonical
            .read(move |db| {
                let sql = format!("{CONVERSATION} WHERE conversation_id = ?1");
                let row = db.prepare_cached(&sql)?.query_row([id.as_str()], conversation_row).optional()?;
                Ok(row.map(ConversationRow::into_conversation).transpose()?)
            })
            .await
    }

    async fn list_conversations(&self) -> Result<Vec<Conversation>> {
        self.canonical
            .read(|db| {
                let mut statement = db.prepare_cached(&format!("{CONVERSATION} ORDER BY conversation_id"))?;
                let rows = statement.query_map([], conversation_row)?;
                rows.map(|row| Ok(row?.into_conversation()?)).collect()
            })
            .await
    }

    async fn load_messages(&self, conversation: &ConversationId, window: MessageWindow) -> Result<Vec<Message>> {
        let id = conversation.clone();
        self.canonical
            .read(move |db| {
                let (filter, seq, limit, newest) = match window {
                    // The newest ones are read backwards, so that the index gives them without reading the whole
                    // conversation.
                    MessageWindow::Last(limit) => ("m.seq > ?2 ORDER BY m.seq DESC", 0, limit, true),
                    MessageWindow::After { seq, limit } => ("m.seq > ?2 ORDER BY m.seq", seq, limit, false),
                };
                let sql = format!("{MESSAGE} WHERE c.conversation_id = ?1 AND {filter} LIMIT ?3");
                let mut statement = db.prepare_cached(&sql)?;
                let seq = i64::try_from(seq).unwrap_or(i64::MAX);
                let rows = statement.query_map(params![id.as_str(), seq, limit], read_message)?;
                let mut messages = rows.map(|row| Ok(row??)).collect::<Result<Vec<_>, SqliteFailure>>()?;
                if newest {
                    messages.reverse();
                }
                Ok(messages)
            })
            .await
    }

    async fn messages_at(&self, places: &[(ConversationId, u64)]) -> Result<Vec<Option<Message>>> {
        let places = places.to_vec();
        self.canonical
            .read(move |db| {
                let sql = format!("{MESSAGE} WHERE c.conversation_id = ?1 AND m.seq = ?2");
                let mut statement = db.prepare_cached(&sql)?;
                let read = |(conversation, seq): &(ConversationId, u64)| {
                    let seq = i64::try_from(*seq).unwrap_or(i64::MAX);
                    let row = statement.query_row(params![conversation.as_str(), seq], read_message).optional()?;
                    Ok(row.transpose()?)
                };
                places.iter().map(read).collect()
            })
            .await
    }

    async fn memory_version(&self) -> Result<MemoryVersion> {
        self.canonical
            .read(|db| {
                // One writer numbers the messages as it commits them, so here the largest number tells of every append.
                // (PostgreSQL draws numbers before the commit and has to count instead.)
                let mut statement = db.prepare_cached("SELECT coalesce(max(number), 0) FROM messages")?;
                Ok(MemoryVersion(statement.query_row([], |row| row.get(0))?))
            })
            .await
    }

    async fn find_messages(&self, find: MessageQuery, judge: Option<ContentMatcher>) -> Result<MessageMatches> {
        message_search::find_messages(self, find, judge).await
    }

    async fn messages_numbered(&self, places: &[StoreCursor]) -> Result<Vec<Option<Message>>> {
        let places = places.to_vec();
        self.canonical
            .read(move |db| {
                let mut statement = db.prepare_cached(&format!("{MESSAGE} WHERE m.number = ?1"))?;
                let read = |place: &StoreCursor| {
                    let row = statement.query_row([place.0], read_message).optional()?;
                    Ok(row.transpose()?)
                };
                places.iter().map(read).collect()
            })
            .await
    }

    async fn memory_totals(&self) -> Result<MemoryTotals> {
        self.canonical
            .read(|db| {
                let sql = "SELECT count(*), coalesce(sum(message_count), 0), coalesce(sum(token_count), 0)
                           FROM conversations";
                Ok(db.query_row(sql, [], |row| {
                    Ok(MemoryTotals {
                        conversations: row.get::<_, i64>(0)? as u64,
                        messages: row.get::<_, i64>(1)? as u64,
                        tokens: row.get::<_, i64>(2)? as u64,
                    })
                })?)
            })
            .await
    }

    async fn scrub_key(&self) -> Result<ScrubKey> {
        let key = key::in_directory(self.directory())?;
        self.anchor_key(crate::key::fingerprint(&key)).await?;
        Ok(key)
    }

    async fn check_canonical(&self) -> Result<Vec<DatabaseFault>> {
        let mut faults = self
            .canonical
            .read(|db| {
                // By default `integrity_check` stops at a hundred faults and does not say so.
                let mut faults = read_faults(db, "PRAGMA integrity_check(1000000)", FaultKind::Structure)?;
                faults.retain(|fault| fault.what != "ok");
                for reference in TABLE_REFERENCES {
                    faults.extend(read_faults(db, &reference.to_sql(""), reference.fault_kind())?);
                }
                Ok(faults)
            })
            .await?;
        match self.check_state().await {
            // What cannot be read cannot be compared, and is told like the rest.
            Err(Error::Corrupt { what, .. }) => faults.push(DatabaseFault { what, kind: FaultKind::Structure }),
            found => faults.extend(found?),
        }
        Ok(faults)
    }
}

/// What a query for faults finds, in the same order in every store.
fn read_faults(db: &Connection, sql: &str, kind: FaultKind) -> Result<Vec<DatabaseFault>, SqliteFailure> {
    let mut statement = db.prepare(sql)?;
    let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
    let mut found = rows.collect::<rusqlite::Result<Vec<_>>>()?;
    found.sort_unstable();
    Ok(found.into_iter().map(|what| DatabaseFault { what, kind }).collect())
}

/// Appends what was prepared, in the transaction that is open.
pub(super) fn append_all(
    db: &Connection,
    append: &AppendBatch,
    prepared: &[PreparedRow],
) -> Result<Vec<AppendOutcome>, SqliteFailure> {
    let (number, head) = open_conversation(db, append)?;
    let mut known = HashMap::new();
    find_known(db, number, append.rows.iter().filter_map(|row| row.body.external_id.as_deref()), &mut known)?;
    // Two rounds, because the ids of revisions depend on what the first one found.
    let revisions = revision_ids(append, prepared, &known);
    find_known(db, number, revisions.iter().map(String::as_str), &mut known)?;
    let plan = plan_append(append, prepared, head, known);
    // The artifacts come first: the rows that say which message mentions them look them up.
    put_artifacts(db, append)?;
    if !plan.new.is_empty() {
        // The seal covers the number, so it is drawn before the row is written; there is one writer.
        let sql = "SELECT coalesce(max(number), 0) + 1 FROM messages";
        let first: i64 = db.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
        for (row, planned) in (first..).zip(&plan.new) {
            insert_message(db, row, number, append, planned)?;
        }
        db.prepare_cached(NOTE_MESSAGES)?.query_row([first], |_| Ok(()))?;
    }
    // The totals lie in the conversation's row, so that an append costs the same however long the conversation is.
    // A new message makes a conversation active again; an append of nothing new leaves its state and times alone.
    db.prepare_cached(
        "UPDATE conversations SET message_count = ?2, token_count = ?3, head_hash = ?4, title = coalesce(?5, title),
           created_at = CASE WHEN ?6 IS NULL THEN created_at WHEN ?8 THEN ?6 ELSE min(created_at, ?6) END,
           updated_at = CASE WHEN ?7 IS NULL THEN updated_at WHEN ?8 THEN ?7 ELSE max(updated_at, ?7) END,
           state = CASE WHEN ?7 IS NULL THEN state ELSE 'active' END,
           state_at = CASE WHEN ?7 IS NULL OR state = 'active' THEN state_at ELSE ?9 END,
           project_id = coalesce(project_id, ?10)
         WHERE number = ?1",
    )?
    .execute(params![
        number,
        plan.head.messages as i64,
        plan.head.tokens as i64,
        plan.head.hash.0.as_bytes(),
        append.title,
        plan.span.as_ref().map(|span| span.first.0),
        plan.span.as_ref().map(|span| span.last.0),
        plan.span.as_ref().is_some_and(|span| span.is_beginning),
        append.now.0,
        append.project.as_ref().map(ProjectId::as_str),
    ])?;
    failpoints::pass(FailPoint::AppendWritten);
    Ok(plan.outcomes)
}

/// Tells the sums of messages from a number on: all columns, in the order of the table.
const NOTE_MESSAGES: &str = "SELECT sum(note_added('messages', 1, number, message_id, conversation, seq, external_id, role,
    speaker, session, at_text, at_instant, content, shape, token_count, content_hash, chain_hash, stored_at, metadata, seal))
  FROM messages WHERE number >= ?1";

fn open_conversation(db: &Connection, append: &AppendBatch) -> Result<(i64, ConversationHead), SqliteFailure> {
    // The name is that of the first append: a later import must not rename the conversation.
    db.prepare_cached(
        "INSERT INTO conversations (conversation_id, name, project_id, message_count, token_count, head_hash, stored_at,
           created_at, updated_at, state_at, author)
         VALUES (?1, ?2, ?3, 0, 0, ?4, ?5, ?5, ?5, ?5, ?6) ON CONFLICT (conversation_id) DO NOTHING",
    )?
    .execute(params![
        append.conversation.as_str(),
        append.name,
        append.project.as_ref().map(ProjectId::as_str),
        ChainHash::for_conversation(&append.conversation).0.as_bytes(),
        append.now.0,
        append.author,
    ])?;
    let sql = "SELECT number, message_count, token_count, head_hash FROM conversations WHERE conversation_id = ?1";
    let (number, messages, tokens, hash): (i64, i64, i64, Vec<u8>) =
        db.prepare_cached(sql)?.query_row([append.conversation.as_str()], |row| row.try_into())?;
    Ok((
        number,
        ConversationHead { messages: messages as u64, tokens: tokens as u64, hash: ChainHash(hash_of(&hash)?) },
    ))
}

/// Adds the stored messages under some external ids.
fn find_known<'a>(
    db: &Connection,
    conversation: i64,
    ids: impl Iterator<Item = &'a str>,
    known: &mut HashMap<String, KnownMessage>,
) -> Result<(), SqliteFailure> {
    let mut statement = db.prepare_cached(
        "SELECT message_id, seq, chain_hash, content_hash FROM messages WHERE conversation = ?1 AND external_id = ?2",
    )?;
    for id in ids {
        let row = statement.query_row(params![conversation, id], |row| row.try_into()).optional()?;
        let Some((message, seq, chain, content)): Option<(String, i64, Vec<u8>, Vec<u8>)> = row else { continue };
        let ack = MessageAck { message: message_id_of(&message)?, seq: seq as u64, hash: ChainHash(hash_of(&chain)?) };
        known.insert(id.to_owned(), KnownMessage { ack, content_hash: hash_of(&content)? });
    }
    Ok(())
}

fn insert_message(
    db: &Connection,
    number: i64,
    conversation: i64,
    append: &AppendBatch,
    planned: &PlannedMessage<'_>,
) -> Result<(), SqliteFailure> {
    let body = &planned.row.body;
    let ack = &planned.ack;
    let prepared = planned.prepared;
    let content: &dyn ToSql = match &prepared.form.packed {
        Some(packed) => packed,
        None => &prepared.content,
    };
    db.prepare_cached(
        "INSERT INTO messages (message_id, conversation, seq, external_id, role, speaker, session, at_text, at_instant,
           content, shape, token_count, content_hash, chain_hash, stored_at, metadata, seal, number)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)",
    )?
    .execute(params![
        ack.message.as_str(),
        conversation,
        ack.seq as i64,
        body.external_id,
        body.role.as_str(),
        body.speaker,
        body.session,
        body.at.as_ref().map(|at| at.text.as_str()),
        body.at.as_ref().and_then(|at| at.instant).map(|at| at.0),
        content,
        encode_shape(body),
        planned.row.tokens.0,
        planned.content_hash.as_bytes(),
        ack.hash.0.as_bytes(),
        append.now.0,
        body.metadata,
        message_seal(number, body.at.as_ref().and_then(|at| at.instant), planned.row.tokens, append.now, ack.hash),
        number,
    ])?;
    put_mentions(db, number, planned)
}
