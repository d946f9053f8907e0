//! Implements `MemoryStore` (conversations and messages) for `PostgresStore`, in the canonical tables.

pub(super) mod append;
pub(super) mod message_rows;
mod message_search;
mod passages;

use super::PostgresStore;
use super::database::{AccessMode, RetryBackoff};
use super::failure::PostgresFailure;
use super::rows::{CONVERSATION, MESSAGE, conversation_row, load_messages};
use super::schema::find_faults;
use crate::{
    AppendBatch, AppendOutcome, ContentMatcher, Conversation, DatabaseFault, Error, MemoryStore, MemoryTotals,
    MemoryVersion, MessageMatches, MessageQuery, MessageWindow, Result, StoreCursor,
};
use append::UncertainCommit;
use async_trait::async_trait;
use model::scrub::ScrubKey;
use model::{ConversationId, Message};
use std::collections::HashMap;
use std::sync::Arc;

#[async_trait]
impl MemoryStore for PostgresStore {
    // Not `with_retries`: an append that lost its connection may be stored, and the next attempt has to find out.
    async fn append_messages(&self, append: AppendBatch) -> Result<Vec<AppendOutcome>> {
        let append = Arc::new(append);
        let prepared = self.prepare_messages(&append, |append| append).await?;
        let mut attempts = RetryBackoff::default();
        let mut doubt = None;
        loop {
            match self.try_append(&append, &prepared, &mut doubt).await {
                Ok(outcomes) => {
                    let artifacts = append.rows.iter().flat_map(|row| &row.artifacts);
                    self.anchor_append(&append.conversation, &outcomes, artifacts);
                    return Ok(outcomes);
                }
                Err(failure) => {
                    attempts.pause_after(failure).await.map_err(|failure| self.give_up(failure, doubt.as_ref()))?;
                }
            }
        }
    }

    async fn load_conversation(&self, id: &ConversationId) -> Result<Option<Conversation>> {
        let sql = format!("{CONVERSATION} WHERE conversation_id = $1");
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Read).await?;
                let row = transaction.query_optional(&sql, &[&id.as_str()]).await?;
                row.map(|row| Ok(conversation_row(&row)?.into_conversation()?)).transpose()
            })
            .await
    }

    async fn list_conversations(&self) -> Result<Vec<Conversation>> {
        let sql = format!("{CONVERSATION} ORDER BY conversation_id");
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Read).await?;
                let rows = transaction.query_all(&sql, &[]).await?;
                rows.iter().map(|row| Ok(conversation_row(row)?.into_conversation()?)).collect()
            })
            .await
    }

    async fn load_messages(&self, conversation: &ConversationId, window: MessageWindow) -> Result<Vec<Message>> {
        let (order, seq, limit) = match window {
            // The newest ones are read backwards, so that the index gives them without reading the whole conversation.
            MessageWindow::Last(limit) => ("DESC", 0, limit),
            MessageWindow::After { seq, limit } => ("ASC", seq, limit),
        };
        let sql = format!("{MESSAGE} WHERE c.conversation_id = $1 AND m.seq > $2 ORDER BY m.seq {order} LIMIT $3");
        let seq = i64::try_from(seq).unwrap_or(i64::MAX);
        let limit = i64::from(limit);
        let mut found = self
            .database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Read).await?;
                load_messages(&transaction, &sql, &[&conversation.as_str(), &seq, &limit]).await
            })
            .await?;
        if matches!(window, MessageWindow::Last(_)) {
            found.reverse();
        }
        Ok(found.into_iter().map(|(_, message)| message).collect())
    }

    async fn messages_at(&self, places: &[(ConversationId, u64)]) -> Result<Vec<Option<Message>>> {
        let sql = format!(
            // A place may be asked for twice; without DISTINCT the join would give its message twice.
            "{MESSAGE} JOIN (SELECT DISTINCT id, seq FROM unnest($1::text[], $2::bigint[]) AS given (id, seq)) AS asked
             ON c.conversation_id = asked.id AND m.seq = asked.seq"
        );
        let ids: Vec<&str> = places.iter().map(|(conversation, _)| conversation.as_str()).collect();
        let seqs: Vec<i64> = places.iter().map(|(_, seq)| i64::try_from(*seq).unwrap_or(i64::MAX)).collect();
        let found = self
            .database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Read).await?;
                load_messages(&transaction, &sql, &[&ids, &seqs]).await
            })
            .await?;
        let found: HashMap<_, Message> =
            found.into_iter().map(|(_, message)| ((message.conversation.clone(), message.seq), message)).collect();
        Ok(places.iter().map(|place| found.get(place).cloned()).collect())
    }

    async fn memory_version(&self) -> Result<MemoryVersion> {
        // Numbers are drawn before their rows are committed, so the largest number says nothing of the messages still
        // to come.
        let sql = "SELECT coalesce(sum(message_count), 0)::bigint FROM epitome.conversations";
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let row = self.begin_transaction(&mut client, AccessMode::Read).await?.query_one(sql, &[]).await?;
                Ok(MemoryVersion(row.try_get(0)?))
            })
            .await
    }

    async fn find_messages(&self, find: MessageQuery, judge: Option<ContentMatcher>) -> Result<MessageMatches> {
        message_search::find_messages(self, &find, judge.as_ref()).await
    }

    async fn messages_numbered(&self, places: &[StoreCursor]) -> Result<Vec<Option<Message>>> {
        let sql = format!("{MESSAGE} WHERE m.number = ANY($1)");
        let numbers: Vec<i64> = places.iter().map(|place| place.0).collect();
        let found = self
            .database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Read).await?;
                load_messages(&transaction, &sql, &[&numbers]).await
            })
            .await?;
        let found: HashMap<StoreCursor, Message> = found.into_iter().collect();
        Ok(places.iter().map(|place| found.get(place).cloned()).collect())
    }

    async fn memory_totals(&self) -> Result<MemoryTotals> {
        let sql = "SELECT count(*), coalesce(sum(message_count), 0)::bigint, coalesce(sum(token_count), 0)::bigint
                   FROM epitome.conversations";
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let row = self.begin_transaction(&mut client, AccessMode::Read).await?.query_one(sql, &[]).await?;
                let count = |column| Ok::<_, PostgresFailure>(row.try_get::<_, i64>(column)? as u64);
                Ok(MemoryTotals { conversations: count(0)?, messages: count(1)?, tokens: count(2)? })
            })
            .await
    }

    async fn scrub_key(&self) -> Result<ScrubKey> {
        let key = self.own_key().await?;
        self.anchor_key(crate::key::fingerprint(&key));
        Ok(key)
    }

    async fn check_canonical(&self) -> Result<Vec<DatabaseFault>> {
        let mut faults = self
            .database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                find_faults(&self.begin_transaction(&mut client, AccessMode::Read).await?).await
            })
            .await?;
        faults.extend(self.check_anchor().await?);
        Ok(faults)
    }
}

impl PostgresStore {
    /// The error of an append that is given up; it says so when the server never answered whether the append was
    /// stored.
    fn give_up(&self, failure: PostgresFailure, doubt: Option<&UncertainCommit>) -> Error {
        let error = failure.into_error(self.database.name());
        // Without a doubt the messages are certainly not stored, and the plain error is the whole truth.
        if doubt.is_none() {
            return error;
        }
        let hint = "hint: messages with ids of their own may be appended again, none is stored twice; \
                    for others look at the end of the conversation first";
        Error::Unavailable {
            database: self.database.name().to_owned(),
            reason: format!("connection lost while committing, messages may or may not be stored: {error}\n{hint}"),
        }
    }
}
