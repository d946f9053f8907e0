//! SQL of the PostgreSQL store for the background job queue: request, take, keep and end a job. A worker that takes a
//! job skips jobs that other workers are taking at this moment.

use super::fold::conversation_number;
use super::lease::{SERVER_CLOCK, in_millis};
use crate::folds::JobRow;
use crate::postgres::database::TenantTransaction;
use crate::postgres::failure::PostgresFailure;
use crate::postgres::rows::maybe_text;
use crate::postgres::text::encode_text;
use crate::{Fence, Job, JobEnd, JobId, NewJob, Result};
use model::Timestamp;
use std::time::Duration;
use tokio_postgres::Row;

pub(super) const JOB: &str = "SELECT j.number, j.work, j.how, c.conversation_id, j.requested_at, j.not_before,
       j.attempts, j.fence, j.leased_until, j.failure, j.given_up
     FROM epitome.jobs j LEFT JOIN epitome.conversations c ON c.number = j.conversation";

pub(super) async fn request_job(
    transaction: &TenantTransaction<'_>,
    number: i64,
    job: &NewJob,
) -> Result<JobId, PostgresFailure> {
    let conversation = match &job.conversation {
        Some(id) => Some(conversation_number(transaction, id).await?),
        None => None,
    };
    let (work, how) = job.work.to_words();
    // A job that is leased does not count: its worker may have read the conversation before what this caller added.
    let sql = "SELECT number FROM epitome.jobs WHERE work = $1 AND conversation IS NOT DISTINCT FROM $2
                 AND leased_until IS NULL AND NOT given_up ORDER BY number LIMIT 1";
    if let Some(row) = transaction.query_optional(sql, &[&work, &conversation]).await? {
        // Any number of appends ask for the same fold; one job that waits serves them all.
        return Ok(JobId(row.try_get(0)?));
    }
    let sql = "INSERT INTO epitome.jobs (number, work, how, conversation, requested_at, not_before)
               VALUES ($1, $2, $3, $4, $5, $6)";
    transaction.execute(sql, &[&number, &work, &how, &conversation, &job.requested.0, &job.not_before.0]).await?;
    Ok(JobId(number))
}

pub(super) async fn take_job(
    transaction: &TenantTransaction<'_>,
    now: Timestamp,
    lasts: Duration,
) -> Result<Option<Job>, PostgresFailure> {
    // A lease that ran out belongs to a worker that died. `SKIP LOCKED` passes rows that another worker
    // takes right now.
    let sql = format!(
        "SELECT number FROM epitome.jobs WHERE NOT given_up AND not_before <= $1
           AND coalesce(leased_until, 0) <= {SERVER_CLOCK} ORDER BY number LIMIT 1 FOR UPDATE SKIP LOCKED"
    );
    let Some(row) = transaction.query_optional(&sql, &[&now.0]).await? else { return Ok(None) };
    let number: i64 = row.try_get(0)?;
    // The fence counts up with every taking, so that the worker before, if it still lives, can no longer end the job.
    let sql = format!(
        "UPDATE epitome.jobs SET fence = fence + 1, attempts = attempts + 1, leased_until = {SERVER_CLOCK} + $2
         WHERE number = $1"
    );
    transaction.execute(&sql, &[&number, &in_millis(lasts)]).await?;
    let row = transaction.query_one(&format!("{JOB} WHERE j.number = $1"), &[&number]).await?;
    Ok(Some(job_row(&row)?))
}

pub(super) async fn keep_job(
    transaction: &TenantTransaction<'_>,
    job: JobId,
    fence: Fence,
    lasts: Duration,
) -> Result<(), PostgresFailure> {
    let sql = format!(
        "UPDATE epitome.jobs SET leased_until = {SERVER_CLOCK} + $3
         WHERE number = $1 AND fence = $2 AND leased_until IS NOT NULL"
    );
    let kept = transaction.execute(&sql, &[&job.0, &(fence.0 as i64), &in_millis(lasts)]).await?;
    // The worker has to stop: its lease ran out and another one may be at work on the same conversation.
    if kept == 0 { Err(lost_lease(job)) } else { Ok(()) }
}

pub(super) async fn end_job(
    transaction: &TenantTransaction<'_>,
    job: JobId,
    fence: Fence,
    end: &JobEnd,
) -> Result<(), PostgresFailure> {
    let fence = fence.0 as i64;
    let ended = match end {
        JobEnd::Done => {
            let sql = "DELETE FROM epitome.jobs WHERE number = $1 AND fence = $2 AND leased_until IS NOT NULL";
            transaction.execute(sql, &[&job.0, &fence]).await?
        }
        JobEnd::Failed { why, again } => {
            // Without a time for another attempt the job is given up: it stays as a row, so that `status` can show why.
            let sql = "UPDATE epitome.jobs SET leased_until = NULL, failure = $3, given_up = $4::bigint IS NULL,
                         not_before = coalesce($4, not_before)
                       WHERE number = $1 AND fence = $2 AND leased_until IS NOT NULL";
            transaction.execute(sql, &[&job.0, &fence, &encode_text(why), &again.map(|at| at.0)]).await?
        }
    };
    if ended == 0 { Err(lost_lease(job)) } else { Ok(()) }
}

fn lost_lease(job: JobId) -> PostgresFailure {
    PostgresFailure::Moved { what: "job", id: job.0.to_string() }
}

pub(super) fn job_row(row: &Row) -> Result<Job, PostgresFailure> {
    let row = JobRow {
        number: row.try_get(0)?,
        work: row.try_get(1)?,
        how: row.try_get(2)?,
        conversation: row.try_get(3)?,
        requested_at: row.try_get(4)?,
        not_before: row.try_get(5)?,
        attempts: row.try_get(6)?,
        fence: row.try_get(7)?,
        leased_until: row.try_get(8)?,
        failure: maybe_text(row, 9)?,
        given_up: row.try_get(10)?,
    };
    Ok(row.into_job()?)
}
