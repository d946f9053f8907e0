//! Implements `SessionStore` (states of conversations and texts that sum them up) for `PostgresStore`, in the canonical
//! tables.

use super::PostgresStore;
use super::database::AccessMode;
use super::failure::PostgresFailure;
use super::folds::conversation_number;
use super::rows::{maybe_text, read_text};
use super::text::encode_text;
use crate::Result;
use crate::folds::method_of;
use crate::rows::conversation_id_of;
use crate::sessions::{LastActivity, SessionStore, StateChange, end_of_beginning, id_column, last_activity_sql};
use async_trait::async_trait;
use model::{ConversationId, ProjectId, SessionSummary, Timestamp};
use std::collections::HashMap;
use tokio_postgres::Row;

#[async_trait]
impl SessionStore for PostgresStore {
    async fn set_conversation_state(&self, change: StateChange) -> Result<bool> {
        let sql = "UPDATE epitome.conversations SET state = $2, state_at = $3 WHERE number = $1 AND message_count = $4";
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Canonical).await?;
                let number = conversation_number(&transaction, &change.conversation).await?;
                let messages = change.messages as i64;
                let state = change.state.as_str();
                let changed = transaction.execute(sql, &[&number, &state, &change.now.0, &messages]).await?;
                transaction.commit().await?;
                Ok(changed > 0)
            })
            .await
    }

    async fn add_session_summary(&self, summary: SessionSummary) -> Result<()> {
        let sql =
            "INSERT INTO epitome.session_summaries (conversation, last_seq, content, method, model, prompt, stored_at)
                   VALUES ($1, $2, $3, $4, $5, $6, $7)";
        let (model, prompt) = summary.method.model_and_prompt();
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Canonical).await?;
                let number = conversation_number(&transaction, &summary.conversation).await?;
                transaction
                    .execute(
                        sql,
                        &[
                            &number,
                            &(summary.last_seq as i64),
                            &encode_text(&summary.content),
                            &summary.method.as_str(),
                            &model.map(encode_text),
                            &prompt.map(encode_text),
                            &summary.created.0,
                        ],
                    )
                    .await?;
                transaction.commit().await
            })
            .await
    }

    async fn session_summary(&self, conversation: &ConversationId) -> Result<Option<SessionSummary>> {
        let sql = "SELECT c.conversation_id, s.last_seq, s.content, s.method, s.model, s.prompt, s.stored_at
                   FROM epitome.session_summaries s JOIN epitome.conversations c ON c.number = s.conversation
                   WHERE c.conversation_id = $1 ORDER BY s.number DESC LIMIT 1";
        let read = |row: &Row| {
            Ok(SessionSummary {
                conversation: conversation_id_of(row.try_get(0)?)?,
                last_seq: row.try_get::<_, i64>(1)? as u64,
                content: read_text(row, 2)?,
                method: method_of(row.try_get(3)?, maybe_text(row, 4)?, maybe_text(row, 5)?)?,
                created: Timestamp(row.try_get(6)?),
            })
        };
        Ok(self.query_rows(sql, &[&conversation.as_str()], read).await?.pop())
    }

    async fn ids_beginning(&self, beginning: &str, limit: u32) -> Result<Vec<String>> {
        let Some((table, column)) = id_column(beginning) else { return Ok(Vec::new()) };
        let end = end_of_beginning(beginning);
        let sql = format!(
            "SELECT {column} FROM epitome.{table} WHERE {column} >= $1 AND {column} < $2 ORDER BY {column} LIMIT $3"
        );
        let read = |row: &Row| Ok(row.try_get(0)?);
        self.query_rows(&sql, &[&beginning, &end, &i64::from(limit)], read).await
    }

    async fn last_activity(&self, project: Option<&ProjectId>) -> Result<LastActivity> {
        let project = project.map(ProjectId::as_str);
        let time = |row: &Row, column| Ok::<_, PostgresFailure>(row.try_get::<_, Option<i64>>(column)?.map(Timestamp));
        let read = |row: &Row| Ok(LastActivity { stored: time(row, 0)?, folded: time(row, 1)? });
        Ok(self.query_rows(&last_activity_sql("epitome."), &[&project], read).await?.pop().unwrap_or_default())
    }

    async fn count_summaries(&self, conversations: &[ConversationId]) -> Result<Vec<u64>> {
        let sql = "SELECT c.conversation_id, count(*) FROM epitome.summaries s
                   JOIN epitome.conversations c ON c.number = s.conversation
                   WHERE c.conversation_id = ANY($1) GROUP BY c.conversation_id";
        let ids: Vec<&str> = conversations.iter().map(ConversationId::as_str).collect();
        let read = |row: &Row| Ok((row.try_get::<_, String>(0)?, row.try_get::<_, i64>(1)? as u64));
        let counts: HashMap<String, u64> = self.query_rows(sql, &[&ids], read).await?.into_iter().collect();
        Ok(ids.into_iter().map(|id| counts.get(id).copied().unwrap_or_default()).collect())
    }
}
