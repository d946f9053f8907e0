//! Implements `FeedbackStore` (which results of answers were used) for `SqliteStore`, in the canonical database.

use super::SqliteStore;
use super::failure::SqliteFailure;
use crate::Result;
use crate::feedback::{AnswerPlace, AnswerRecord, FeedbackStore, FeedbackTotals};
use crate::rows::hash_of;
use async_trait::async_trait;
use model::{ProjectId, Timestamp};
use rusqlite::{Connection, params};
use std::collections::BTreeSet;

#[async_trait]
impl FeedbackStore for SqliteStore {
    async fn write_answers(&self, answers: Vec<AnswerRecord>, most: u32) -> Result<()> {
        self.canonical
            .write(move |db| {
                answers.iter().try_for_each(|answer| write_answer(db, answer))?;
                let projects: BTreeSet<&str> = answers.iter().map(|answer| answer.project.as_str()).collect();
                projects.into_iter().try_for_each(|project| keep_newest(db, project, most))
            })
            .await
    }

    async fn load_answers(&self, project: &ProjectId, session: Option<&str>, limit: u32) -> Result<Vec<AnswerRecord>> {
        let project = project.clone();
        let session = session.map(str::to_owned);
        self.canonical.read(move |db| load_answers(db, &project, session.as_deref(), limit)).await
    }

    async fn feedback_totals(&self, project: &ProjectId) -> Result<FeedbackTotals> {
        let project = project.clone();
        self.canonical
            .read(move |db| {
                let sql = "SELECT count(DISTINCT a.answer_key),
                             count(DISTINCT CASE WHEN p.used_by IS NOT NULL THEN a.answer_key END), count(p.used_by)
                           FROM answers a LEFT JOIN answer_places p ON p.answer_key = a.answer_key
                           WHERE a.project_id = ?1";
                let totals = db.prepare_cached(sql)?.query_row([project.as_str()], |row| {
                    let count = |at| row.get::<_, i64>(at).map(|count| count as u64);
                    Ok(FeedbackTotals { answers: count(0)?, used: count(1)?, places: count(2)? })
                })?;
                Ok(totals)
            })
            .await
    }
}

fn write_answer(db: &Connection, answer: &AnswerRecord) -> Result<(), SqliteFailure> {
    let key = answer.key.as_bytes().as_slice();
    db.prepare_cached("INSERT INTO answers VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO NOTHING")?.execute(
        params![key, answer.project.as_str(), answer.session, answer.at.0, answer.operation, answer.question],
    )?;
    // The first use of a place stays, so that writing an answer again changes nothing.
    let mut insert = db.prepare_cached(
        "INSERT INTO answer_places VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT DO UPDATE SET used_by = coalesce(used_by, excluded.used_by)",
    )?;
    for (number, place) in (0_i64..).zip(&answer.places) {
        insert.execute(params![key, number, place.source, place.used_by])?;
    }
    Ok(())
}

fn keep_newest(db: &Connection, project: &str, most: u32) -> Result<(), SqliteFailure> {
    // SQLite takes an OFFSET only behind a LIMIT; -1 means none. The key breaks ties of one moment.
    let old = "SELECT answer_key FROM answers WHERE project_id = ?1 ORDER BY at DESC, answer_key LIMIT -1 OFFSET ?2";
    // The places go first, because they are found by the answers that are about to go.
    db.prepare_cached(&format!("DELETE FROM answer_places WHERE answer_key IN ({old})"))?
        .execute(params![project, most])?;
    db.prepare_cached(&format!("DELETE FROM answers WHERE answer_key IN ({old})"))?.execute(params![project, most])?;
    Ok(())
}

fn load_answers(
    db: &Connection,
    project: &ProjectId,
    session: Option<&str>,
    limit: u32,
) -> Result<Vec<AnswerRecord>, SqliteFailure> {
    let mut statement = db.prepare_cached(
        "SELECT answer_key, session, at, operation, question FROM answers
         WHERE project_id = ?1 AND (?2 IS NULL OR session = ?2) ORDER BY at DESC, answer_key LIMIT ?3",
    )?;
    let mut places =
        db.prepare_cached("SELECT source, used_by FROM answer_places WHERE answer_key = ?1 ORDER BY place")?;
    let mut rows = statement.query(params![project.as_str(), session, limit])?;
    let mut answers = Vec::new();
    while let Some(row) = rows.next()? {
        let key = hash_of(row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?)?;
        let listed = places.query_map([key.as_bytes().as_slice()], |row| {
            Ok(AnswerPlace { source: row.get(0)?, used_by: row.get(1)? })
        })?;
        answers.push(AnswerRecord {
            key,
            project: project.clone(),
            session: row.get(1)?,
            at: Timestamp(row.get(2)?),
            operation: row.get(3)?,
            question: row.get(4)?,
            places: listed.collect::<rusqlite::Result<_>>()?,
        });
    }
    Ok(answers)
}
