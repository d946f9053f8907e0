//! SQL of the SQLite store for the background job queue: request, take, keep and end a job. No row locks are needed,
//! because the database has one writer at a time.

use super::fold::conversation_number;
use super::lease::TAKEN_MARK;
use crate::folds::JobRow;
use crate::sqlite::failure::SqliteFailure;
use crate::{Fence, Job, JobEnd, JobId, NewJob, Result};
use model::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};

pub(super) const JOB: &str = "SELECT j.number, j.work, j.how, c.conversation_id, j.requested_at, j.not_before,
       j.attempts, j.fence, j.leased_until, j.failure, j.given_up
     FROM jobs j LEFT JOIN conversations c ON c.number = j.conversation";

pub(super) fn request_job(db: &Connection, job: &NewJob) -> Result<JobId, SqliteFailure> {
    let conversation = job.conversation.as_ref().map(|id| conversation_number(db, id)).transpose()?;
    let (work, how) = job.work.to_words();
    let sql =
        // `IS` and not `=`: a job without a conversation has NULL there. One that is leased does not count, because its
        // worker may have read the conversation before what this caller added.
        "SELECT number FROM jobs WHERE work = ?1 AND conversation IS ?2 AND leased_until IS NULL AND given_up = 0";
    let waiting = db.prepare_cached(sql)?.query_row(params![work, conversation], |row| row.get(0)).optional()?;
    if let Some(number) = waiting {
        return Ok(JobId(number));
    }
    let sql = "INSERT INTO jobs (work, how, conversation, requested_at, not_before) VALUES (?1, ?2, ?3, ?4, ?5)";
    db.prepare_cached(sql)?.execute(params![work, how, conversation, job.requested.0, job.not_before.0])?;
    Ok(JobId(db.last_insert_rowid()))
}

/// Jobs that are due, taken or not, oldest first. One that is taken may belong to a worker that died; its lock tells.
pub(super) fn due_jobs(db: &Connection, now: Timestamp) -> Result<Vec<i64>, SqliteFailure> {
    let sql = "SELECT number FROM jobs WHERE given_up = 0 AND not_before <= ?1 ORDER BY number";
    let mut statement = db.prepare_cached(sql)?;
    Ok(statement.query_map([now.0], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?)
}

/// Makes the caller, who has the lock of a job, its worker; none where it is no longer due.
pub(super) fn take_job(db: &Connection, number: i64, now: Timestamp) -> Result<Option<Job>, SqliteFailure> {
    let sql = "UPDATE jobs SET fence = fence + 1, attempts = attempts + 1, leased_until = ?3
               WHERE number = ?1 AND given_up = 0 AND not_before <= ?2";
    if db.prepare_cached(sql)?.execute(params![number, now.0, TAKEN_MARK])? == 0 {
        return Ok(None);
    }
    let row = db.prepare_cached(&format!("{JOB} WHERE j.number = ?1"))?.query_row([number], job_row)?;
    Ok(Some(row.into_job()?))
}

/// Fails where the worker has to stop: another one may be at work on the same conversation.
pub(super) fn keep_job(db: &Connection, job: JobId, fence: Fence) -> Result<(), SqliteFailure> {
    let sql = "SELECT 1 FROM jobs WHERE number = ?1 AND fence = ?2 AND leased_until IS NOT NULL";
    let found = db.prepare_cached(sql)?.query_row(params![job.0, fence.0 as i64], |_| Ok(())).optional()?;
    found.ok_or_else(|| lost_lease(job))
}

pub(super) fn end_job(db: &Connection, job: JobId, fence: Fence, end: &JobEnd) -> Result<(), SqliteFailure> {
    let fence = fence.0 as i64;
    let ended = match end {
        JobEnd::Done => {
            let sql = "DELETE FROM jobs WHERE number = ?1 AND fence = ?2 AND leased_until IS NOT NULL";
            db.prepare_cached(sql)?.execute(params![job.0, fence])?
        }
        JobEnd::Failed { why, again } => {
            // Without a time for another attempt the job is given up: it stays as a row, so that `status` can show why.
            let sql = "UPDATE jobs SET leased_until = NULL, failure = ?3, given_up = ?4 IS NULL,
                         not_before = coalesce(?4, not_before)
                       WHERE number = ?1 AND fence = ?2 AND leased_until IS NOT NULL";
            db.prepare_cached(sql)?.execute(params![job.0, fence, why, again.map(|at| at.0)])?
        }
    };
    if ended == 0 { Err(lost_lease(job)) } else { Ok(()) }
}

fn lost_lease(job: JobId) -> SqliteFailure {
    SqliteFailure::Moved { what: "job", id: job.0.to_string() }
}

pub(super) fn job_row(row: &Row<'_>) -> rusqlite::Result<JobRow> {
    Ok(JobRow {
        number: row.get(0)?,
        work: row.get(1)?,
        how: row.get(2)?,
        conversation: row.get(3)?,
        requested_at: row.get(4)?,
        not_before: row.get(5)?,
        attempts: row.get(6)?,
        fence: row.get(7)?,
        leased_until: row.get(8)?,
        failure: row.get(9)?,
        given_up: row.get(10)?,
    })
}
