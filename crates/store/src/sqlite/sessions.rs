//! Implements `SessionStore` (states of conversations and texts that sum them up) for `SqliteStore`, in the canonical
//! database.

use super::SqliteStore;
use super::failure::SqliteFailure;
use super::folds::conversation_number;
use crate::Result;
use crate::folds::method_of;
use crate::rows::conversation_id_of;
use crate::sessions::{LastActivity, SessionStore, StateChange, end_of_beginning, id_column, last_activity_sql};
use async_trait::async_trait;
use model::{ConversationId, ProjectId, SessionSummary, Timestamp};
use rusqlite::{Connection, params};

#[async_trait]
impl SessionStore for SqliteStore {
    async fn set_conversation_state(&self, change: StateChange) -> Result<bool> {
        self.canonical
            .write(move |db| {
                let number = conversation_number(db, &change.conversation)?;
                let sql = "UPDATE conversations SET state = ?2, state_at = ?3 WHERE number = ?1 AND message_count = ?4";
                let state = change.state.as_str();
                let messages = change.messages as i64;
                Ok(db.prepare_cached(sql)?.execute(params![number, state, change.now.0, messages])? > 0)
            })
            .await
    }

    async fn add_session_summary(&self, summary: SessionSummary) -> Result<()> {
        self.canonical
            .write(move |db| {
                let number = conversation_number(db, &summary.conversation)?;
                let (model, prompt) = summary.method.model_and_prompt();
                db.prepare_cached(
                    "INSERT INTO session_summaries (conversation, last_seq, content, method, model, prompt, stored_at)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                )?
                .execute(params![
                    number,
                    summary.last_seq as i64,
                    summary.content,
                    summary.method.as_str(),
                    model,
                    prompt,
                    summary.created.0,
                ])?;
                Ok(())
            })
            .await
    }

    async fn session_summary(&self, conversation: &ConversationId) -> Result<Option<SessionSummary>> {
        let id = conversation.clone();
        self.canonical.read(move |db| newest_summary(db, &id)).await
    }

    async fn ids_beginning(&self, beginning: &str, limit: u32) -> Result<Vec<String>> {
        let beginning = beginning.to_owned();
        self.canonical
            .read(move |db| {
                let Some((table, column)) = id_column(&beginning) else { return Ok(Vec::new()) };
                let end = end_of_beginning(&beginning);
                let sql = format!(
                    "SELECT {column} FROM {table} WHERE {column} >= ?1 AND {column} < ?2 ORDER BY {column} LIMIT ?3"
                );
                let mut statement = db.prepare_cached(&sql)?;
                let rows = statement.query_map(params![beginning, end, limit], |row| row.get(0))?;
                Ok(rows.collect::<rusqlite::Result<_>>()?)
            })
            .await
    }

    async fn last_activity(&self, project: Option<&ProjectId>) -> Result<LastActivity> {
        let project = project.map(|project| project.as_str().to_owned());
        self.canonical
            .read(move |db| {
                let mut statement = db.prepare_cached(&last_activity_sql(""))?;
                Ok(statement.query_row([project], |row| {
                    let time = |column| Ok::<_, rusqlite::Error>(row.get::<_, Option<i64>>(column)?.map(Timestamp));
                    Ok(LastActivity { stored: time(0)?, folded: time(1)? })
                })?)
            })
            .await
    }

    async fn count_summaries(&self, conversations: &[ConversationId]) -> Result<Vec<u64>> {
        let conversations = conversations.to_vec();
        self.canonical
            .read(move |db| {
                let mut statement = db.prepare_cached(
                    "SELECT count(*) FROM summaries s JOIN conversations c ON c.number = s.conversation
                     WHERE c.conversation_id = ?1",
                )?;
                let count =
                    |id: &ConversationId| Ok(statement.query_row([id.as_str()], |row| row.get::<_, i64>(0))? as u64);
                conversations.iter().map(count).collect()
            })
            .await
    }
}

fn newest_summary(db: &Connection, id: &ConversationId) -> Result<Option<SessionSummary>, SqliteFailure> {
    let mut statement = db.prepare_cached(
        "SELECT c.conversation_id, s.last_seq, s.content, s.method, s.model, s.prompt, s.stored_at
         FROM session_summaries s JOIN conversations c ON c.number = s.conversation
         WHERE c.conversation_id = ?1 ORDER BY s.number DESC LIMIT 1",
    )?;
    let mut rows = statement.query([id.as_str()])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    Ok(Some(SessionSummary {
        conversation: conversation_id_of(&row.get::<_, String>(0)?)?,
        last_seq: row.get::<_, i64>(1)? as u64,
        content: row.get(2)?,
        method: method_of(&row.get::<_, String>(3)?, row.get(4)?, row.get(5)?)?,
        created: Timestamp(row.get(6)?),
    }))
}
