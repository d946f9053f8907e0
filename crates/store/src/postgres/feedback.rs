//! Implements `FeedbackStore` (which results of answers were used) for `PostgresStore`, in tables of its own.

use super::PostgresStore;
use super::database::{AccessMode, TenantTransaction};
use super::failure::PostgresFailure;
use super::rows::{maybe_text, read_text};
use super::text::encode_text;
use crate::Result;
use crate::feedback::{AnswerPlace, AnswerRecord, FeedbackStore, FeedbackTotals};
use crate::rows::hash_of;
use async_trait::async_trait;
use model::{ContentHash, ProjectId, Timestamp};
use std::collections::{BTreeSet, HashMap};
use tokio_postgres::Row;

#[async_trait]
impl FeedbackStore for PostgresStore {
    async fn write_answers(&self, answers: Vec<AnswerRecord>, most: u32) -> Result<()> {
        if answers.is_empty() {
            return Ok(());
        }
        // A set has one order for all writers, so two of them take the locks of several projects in the same sequence.
        let projects: BTreeSet<&str> = answers.iter().map(|answer| answer.project.as_str()).collect();
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Canonical).await?;
                for project in &projects {
                    // Without the lock two writers would each count the answers before the other's insert and keep too
                    // many.
                    self.acquire_lock(&transaction, "feedback", project).await?;
                }
                for answer in &answers {
                    write_answer(&transaction, answer).await?;
                }
                for project in &projects {
                    keep_newest(&transaction, project, most).await?;
                }
                transaction.commit().await
            })
            .await
    }

    async fn load_answers(&self, project: &ProjectId, session: Option<&str>, limit: u32) -> Result<Vec<AnswerRecord>> {
        let sql = "SELECT answer_key, session, at, operation, question FROM epitome.answers
                   WHERE project_id = $1 AND ($2::text IS NULL OR session = $2) ORDER BY at DESC, answer_key LIMIT $3";
        let row = |row: &Row| {
            Ok(AnswerRecord {
                key: hash_of(row.try_get(0)?)?,
                project: project.clone(),
                session: read_text(row, 1)?,
                at: Timestamp(row.try_get(2)?),
                operation: read_text(row, 3)?,
                question: read_text(row, 4)?,
                places: Vec::new(),
            })
        };
        let session = session.map(encode_text);
        let mut answers = self.query_rows(sql, &[&project.as_str(), &session, &i64::from(limit)], row).await?;
        let keys: Vec<&[u8]> = answers.iter().map(|answer| answer.key.as_bytes().as_slice()).collect();
        let sql = "SELECT answer_key, source, used_by FROM epitome.answer_places
                   WHERE answer_key = ANY($1) ORDER BY answer_key, place";
        let place = |row: &Row| {
            Ok((hash_of(row.try_get(0)?)?, AnswerPlace { source: read_text(row, 1)?, used_by: maybe_text(row, 2)? }))
        };
        let mut places: HashMap<ContentHash, Vec<AnswerPlace>> = HashMap::new();
        for (key, place) in self.query_rows(sql, &[&keys], place).await? {
            places.entry(key).or_default().push(place);
        }
        for answer in &mut answers {
            answer.places = places.remove(&answer.key).unwrap_or_default();
        }
        Ok(answers)
    }

    async fn feedback_totals(&self, project: &ProjectId) -> Result<FeedbackTotals> {
        let sql = "SELECT count(DISTINCT a.answer_key),
                     count(DISTINCT CASE WHEN p.used_by IS NOT NULL THEN a.answer_key END), count(p.used_by)
                   FROM epitome.answers a
                     LEFT JOIN epitome.answer_places p ON p.answer_key = a.answer_key AND p.tenant_id = a.tenant_id
                   WHERE a.project_id = $1";
        let row = |row: &Row| {
            let count = |at: usize| row.try_get::<_, i64>(at).map(|count| count as u64);
            Ok(FeedbackTotals { answers: count(0)?, used: count(1)?, places: count(2)? })
        };
        Ok(self.query_rows(sql, &[&project.as_str()], row).await?.pop().unwrap_or_default())
    }
}

async fn write_answer(transaction: &TenantTransaction<'_>, answer: &AnswerRecord) -> Result<(), PostgresFailure> {
    let add = "INSERT INTO epitome.answers (answer_key, project_id, session, at, operation, question)
               VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (answer_key, tenant_id) DO NOTHING";
    // The first use of a place stays, so that writing an answer again changes nothing.
    let list = "INSERT INTO epitome.answer_places AS kept (answer_key, place, source, used_by)
                SELECT $1, listed.* FROM unnest($2::bigint[], $3::text[], $4::text[]) AS listed
                ON CONFLICT (answer_key, place, tenant_id)
                DO UPDATE SET used_by = coalesce(kept.used_by, excluded.used_by)";
    let key = answer.key.as_bytes().as_slice();
    let session = encode_text(&answer.session);
    let operation = encode_text(&answer.operation);
    let question = encode_text(&answer.question);
    transaction.execute(add, &[&key, &answer.project.as_str(), &session, &answer.at.0, &operation, &question]).await?;
    let numbers: Vec<i64> = (0..answer.places.len() as i64).collect();
    let sources: Vec<_> = answer.places.iter().map(|place| encode_text(&place.source)).collect();
    let used: Vec<_> = answer.places.iter().map(|place| place.used_by.as_deref().map(encode_text)).collect();
    transaction.execute(list, &[&key, &numbers, &sources, &used]).await?;
    Ok(())
}

async fn keep_newest(transaction: &TenantTransaction<'_>, project: &str, most: u32) -> Result<(), PostgresFailure> {
    // The key breaks ties of one moment, so that both statements drop the same answers.
    let old = "SELECT answer_key FROM epitome.answers WHERE project_id = $1 ORDER BY at DESC, answer_key OFFSET $2";
    // The places go first, because they are found by the answers that are about to go.
    for table in ["answer_places", "answers"] {
        let sql = format!("DELETE FROM epitome.{table} WHERE answer_key IN ({old})");
        transaction.execute(&sql, &[&project, &i64::from(most)]).await?;
    }
    Ok(())
}
