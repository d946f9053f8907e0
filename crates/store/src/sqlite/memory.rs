//! Conversations and messages in the canonical database.

use super::SqliteStore;
use super::database::Failure;
use super::rows::{CONVERSATION, MESSAGE, MessageRow, conversation_row, hash_of, insert_part, message_id_of};
use crate::columns::part_rows;
use crate::{
    Ack, Append, Appended, Conversation, Cursor, Fault, MemoryStore, MemoryTotals, MessageScan, NewRow, Result, Window,
};
use async_trait::async_trait;
use model::{ChainHash, ContentHash, ConversationId, Message, ProjectId, message_id, terms};
use rusqlite::{Connection, OptionalExtension, params};

#[async_trait]
impl MemoryStore for SqliteStore {
    async fn append_messages(&self, append: Append) -> Result<Vec<Appended>> {
        self.canonical.write(move |db| append_all(db, &append)).await
    }

    async fn conversation(&self, id: &ConversationId) -> Result<Option<Conversation>> {
        let id = id.clone();
        self.canonical
            .read(move |db| {
                let sql = format!("{CONVERSATION} WHERE conversation_id = ?1");
                db.prepare_cached(&sql)?.query_row([id.as_str()], conversation_row).optional()?.transpose()
            })
            .await
    }

    async fn conversations(&self) -> Result<Vec<Conversation>> {
        self.canonical
            .read(|db| {
                let mut statement = db.prepare_cached(&format!("{CONVERSATION} ORDER BY conversation_id"))?;
                let rows = statement.query_map([], conversation_row)?;
                rows.map(|row| row?).collect()
            })
            .await
    }

    async fn messages(&self, conversation: &ConversationId, window: Window) -> Result<Vec<Message>> {
        let id = conversation.clone();
        self.canonical
            .read(move |db| {
                let (filter, seq, limit, newest) = match window {
                    Window::Last(limit) => ("m.seq > ?2 ORDER BY m.seq DESC", 0, limit, true),
                    Window::After { seq, limit } => ("m.seq > ?2 ORDER BY m.seq", seq, limit, false),
                };
                let sql = format!("{MESSAGE} WHERE c.conversation_id = ?1 AND {filter} LIMIT ?3");
                let mut statement = db.prepare_cached(&sql)?;
                let rows = statement.query_map(params![id.as_str(), seq as i64, limit], MessageRow::read)?;
                let mut messages = rows.map(|row| Ok(row?.finish(db)?.1)).collect::<Result<Vec<_>, Failure>>()?;
                if newest {
                    messages.reverse();
                }
                Ok(messages)
            })
            .await
    }

    async fn scan_messages(&self, scan: MessageScan) -> Result<Vec<(Cursor, Message)>> {
        self.canonical
            .read(move |db| {
                let holds = if scan.terms.is_empty() {
                    "?4 IS NULL"
                } else {
                    "m.number IN (SELECT rowid FROM message_terms WHERE message_terms MATCH ?4)"
                };
                let sql = format!(
                    "{MESSAGE} WHERE (?1 IS NULL OR c.conversation_id = ?1) AND m.number < ?2 AND {holds}
                     ORDER BY m.number DESC LIMIT ?3"
                );
                let mut statement = db.prepare_cached(&sql)?;
                let conversation = scan.conversation.as_ref().map(ConversationId::as_str);
                let before = scan.before.map_or(i64::MAX, |cursor| cursor.0);
                let query = (!scan.terms.is_empty()).then(|| match_all(&scan.terms));
                let rows = statement.query_map(params![conversation, before, scan.limit, query], MessageRow::read)?;
                rows.map(|row| row?.finish(db)).collect()
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

    async fn check_canonical(&self) -> Result<Vec<Fault>> {
        self.canonical
            .read(|db| {
                let mut faults = Vec::new();
                for pragma in ["PRAGMA integrity_check", "PRAGMA foreign_key_check"] {
                    let mut statement = db.prepare(pragma)?;
                    let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
                    for row in rows {
                        let what = row?;
                        if what != "ok" {
                            faults.push(Fault { what });
                        }
                    }
                }
                Ok(faults)
            })
            .await
    }
}

/// Where a conversation stands while messages are appended to it.
struct Head {
    number: i64,
    messages: u64,
    tokens: u64,
    hash: ChainHash,
}

fn append_all(db: &Connection, append: &Append) -> Result<Vec<Appended>, Failure> {
    let mut head = open_conversation(db, append)?;
    let outcomes = append.rows.iter().map(|row| append_one(db, append, &mut head, row)).collect::<Result<_, _>>()?;
    db.prepare_cached(
        "UPDATE conversations SET message_count = ?2, token_count = ?3, head_hash = ?4 WHERE number = ?1",
    )?
    .execute(params![head.number, head.messages as i64, head.tokens as i64, head.hash.0.as_bytes()])?;
    Ok(outcomes)
}

fn open_conversation(db: &Connection, append: &Append) -> Result<Head, Failure> {
    db.prepare_cached(
        "INSERT INTO conversations (conversation_id, name, project_id, message_count, token_count, head_hash, stored_at)
         VALUES (?1, ?2, ?3, 0, 0, ?4, ?5) ON CONFLICT (conversation_id) DO NOTHING",
    )?
    .execute(params![
        append.conversation.as_str(),
        append.name,
        append.project.as_ref().map(ProjectId::as_str),
        ChainHash::start(&append.conversation).0.as_bytes(),
        append.now.0,
    ])?;
    let sql = "SELECT number, message_count, token_count, head_hash FROM conversations WHERE conversation_id = ?1";
    db.prepare_cached(sql)?
        .query_row([append.conversation.as_str()], |row| {
            let hash: Vec<u8> = row.get(3)?;
            Ok(Head {
                number: row.get(0)?,
                messages: row.get::<_, i64>(1)? as u64,
                tokens: row.get::<_, i64>(2)? as u64,
                hash: ChainHash(ContentHash::from_bytes(&hash).unwrap_or_else(|| ContentHash::of(&hash))),
            })
        })
        .map_err(Failure::from)
}

fn append_one(db: &Connection, append: &Append, head: &mut Head, row: &NewRow) -> Result<Appended, Failure> {
    let body = &row.body;
    let content_hash = body.hash();
    if let Some(external_id) = &body.external_id
        && let Some((ack, known)) = by_external_id(db, head.number, external_id)?
    {
        return Ok(if known == content_hash {
            Appended::Known(ack)
        } else {
            Appended::Conflict { external_id: external_id.clone() }
        });
    }
    let seq = head.messages + 1;
    let ack = Ack {
        message: message_id(&append.conversation, seq, body.external_id.as_deref()),
        seq,
        hash: head.hash.next(seq, content_hash),
    };
    let content = body.content();
    db.prepare_cached(
        "INSERT INTO messages (message_id, conversation, seq, external_id, role, speaker, session, at_text, at_instant,
           content, token_count, content_hash, chain_hash, stored_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
    )?
    .execute(params![
        ack.message.as_str(),
        head.number,
        seq as i64,
        body.external_id,
        body.role.as_str(),
        body.speaker,
        body.session,
        body.at.as_ref().map(|at| at.text.as_str()),
        body.at.as_ref().and_then(|at| at.instant).map(|at| at.0),
        content,
        row.tokens.0,
        content_hash.as_bytes(),
        ack.hash.0.as_bytes(),
        append.now.0,
    ])?;
    let number = db.last_insert_rowid();
    for (ordinal, part) in part_rows(body).iter().enumerate() {
        insert_part(db, number, ordinal, part)?;
    }
    db.prepare_cached("INSERT INTO message_terms (rowid, terms) VALUES (?1, ?2)")?
        .execute(params![number, terms::distinct_terms(&content).join(" ")])?;
    head.messages = seq;
    head.tokens += u64::from(row.tokens.0);
    head.hash = ack.hash;
    Ok(Appended::New(ack))
}

fn by_external_id(db: &Connection, conversation: i64, id: &str) -> Result<Option<(Ack, ContentHash)>, Failure> {
    let sql = "SELECT message_id, seq, chain_hash, content_hash FROM messages
               WHERE conversation = ?1 AND external_id = ?2";
    let row = db
        .prepare_cached(sql)?
        .query_row(params![conversation, id], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?, row.get::<_, Vec<u8>>(2)?, row.get::<_, Vec<u8>>(3)?))
        })
        .optional()?;
    row.map(|(message, seq, chain, content)| {
        let ack = Ack { message: message_id_of(&message)?, seq: seq as u64, hash: ChainHash(hash_of(&chain)?) };
        Ok((ack, hash_of(&content)?))
    })
    .transpose()
}

/// A full-text query for rows that hold every term. Terms are quoted, so nothing in them is syntax.
fn match_all(terms: &[String]) -> String {
    terms.iter().map(|term| format!("\"{}\"", term.replace('"', "\"\""))).collect::<Vec<_>>().join(" AND ")
}
