//! Implements `ToolCallStore` (dispatches of operations, their totals, what was learned of modes) for `PostgresStore`,
//! in tables of its own.

mod booking;
mod call_watch;

use super::PostgresStore;
use super::database::AccessMode;
use super::rows::read_text;
use super::text::encode_text;
use crate::Result;
use crate::rows::day_of;
use crate::tool_calls::{
    CallFilter, CallGrouping, CallOrigin, CallTotal, CallWatch, ModeArm, ModeOutcome, ModeSlot, NewToolCall, ToolCall,
    ToolCallStore,
};
use async_trait::async_trait;
pub(super) use booking::session_key;
use booking::{CALL, call_row, figures_row, record_call, total_key};
use call_watch::PostgresCallWatch;
use model::{ProjectId, Timestamp, UtcDay};
use tokio_postgres::Row;

/// The rows that a filter lets through.
const FILTER: &str = "day >= $1 AND day <= $2 AND ($3::text IS NULL OR project_id = $3)
  AND ($4::bytea IS NULL OR session_key = $4)
  AND ($5::boolean IS NULL OR $5 = (door <> 'cli' OR coalesce(session, '') <> ''))";

#[async_trait]
impl ToolCallStore for PostgresStore {
    async fn record_tool_calls(&self, calls: Vec<NewToolCall>) -> Result<()> {
        let numbers = self.next_numbers("tool_call_numbers", calls.len()).await?;
        let Some(first) = numbers.first() else { return Ok(()) };
        let mut numbered: Vec<(i64, &NewToolCall)> = numbers.iter().copied().zip(&calls).collect();
        // Every transaction writes the totals in the same order, so that two of them never wait for each other's rows.
        numbered.sort_by_cached_key(|(_, call)| total_key(call));
        let channel = self.call_channel();
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Canonical).await?;
                let stored = "SELECT 1 FROM epitome.tool_calls WHERE number = $1";
                // The numbers are drawn only once, so a first number that is stored means that the attempt before did
                // commit.
                if transaction.query_optional(stored, &[first]).await?.is_some() {
                    return Ok(());
                }
                for (number, call) in &numbered {
                    record_call(&transaction, *number, call).await?;
                }
                transaction.execute("SELECT pg_notify($1, '')", &[&channel]).await?;
                transaction.commit().await
            })
            .await
    }

    async fn list_tool_calls(&self, filter: CallFilter, limit: u32) -> Result<Vec<ToolCall>> {
        let questions = if filter.questions_only { "AND query IS NOT NULL" } else { "" };
        let sql = format!(
            "SELECT {CALL} FROM epitome.tool_calls WHERE {FILTER} {questions} ORDER BY at DESC, number DESC LIMIT $6"
        );
        let columns = PostgresFilter::from(&filter);
        let PostgresFilter { since, until, project, session, agents } = &columns;
        self.query_rows(&sql, &[since, until, project, session, agents, &i64::from(limit)], call_row).await
    }

    async fn tool_calls_after(&self, number: i64, limit: u32) -> Result<Vec<ToolCall>> {
        let sql = format!("SELECT {CALL} FROM epitome.tool_calls WHERE number > $1 ORDER BY number DESC LIMIT $2");
        let mut calls = self.query_rows(&sql, &[&number, &i64::from(limit)], call_row).await?;
        calls.reverse();
        Ok(calls)
    }

    async fn tool_call_totals(&self, by: CallGrouping, filter: CallFilter) -> Result<Vec<CallTotal>> {
        let column = by.column_name();
        let sql = format!(
            "SELECT {column}, sum(call_count)::bigint, min(first_at), max(last_at), {} FROM epitome.tool_call_totals
             WHERE {FILTER} GROUP BY {column}",
            sum_columns()
        );
        let columns = PostgresFilter::from(&filter);
        let PostgresFilter { since, until, project, session, agents } = &columns;
        let row = |row: &Row| {
            let key = match by {
                CallGrouping::Day => day_of(row.try_get(0)?)?.to_string(),
                CallGrouping::Session
                | CallGrouping::Project
                | CallGrouping::Operation
                | CallGrouping::Agent
                | CallGrouping::Door
                | CallGrouping::Formula => read_text(row, 0)?,
            };
            Ok(CallTotal {
                key,
                calls: row.try_get::<_, i64>(1)? as u64,
                first: Timestamp(row.try_get(2)?),
                last: Timestamp(row.try_get(3)?),
                measured: figures_row(row, 4)?,
                estimated: figures_row(row, 11)?,
            })
        };
        let mut totals = self.query_rows(&sql, &[since, until, project, session, agents], row).await?;
        totals.sort_unstable_by(|a, b| a.key.cmp(&b.key));
        Ok(totals)
    }

    async fn count_tool_calls(&self, until: UtcDay) -> Result<u64> {
        let sql = "SELECT coalesce(sum(call_count), 0)::bigint FROM epitome.tool_call_totals WHERE day <= $1";
        let row = |row: &Row| Ok(row.try_get::<_, i64>(0)? as u64);
        Ok(self.query_rows(sql, &[&i64::from(until.0)], row).await?.into_iter().sum())
    }

    async fn prune_tool_calls(&self, before: Timestamp) -> Result<u64> {
        self.change_rows("DELETE FROM epitome.tool_calls WHERE at < $1", &[&before.0]).await
    }

    async fn watch_tool_calls(&self) -> Result<Box<dyn CallWatch>> {
        let watch = PostgresCallWatch::open(&self.database, &self.call_channel()).await;
        Ok(Box::new(watch.map_err(|failure| failure.into_error(self.database.name()))?))
    }

    async fn record_mode_outcomes(&self, outcomes: Vec<ModeOutcome>) -> Result<()> {
        let mut outcomes: Vec<&ModeOutcome> = outcomes.iter().collect();
        // One order for all writers, so that two of them never wait for each other's rows.
        outcomes.sort_by(|a, b| (&a.slot, &a.mode).cmp(&(&b.slot, &b.mode)));
        let sql = "INSERT INTO epitome.mode_arms AS a VALUES (DEFAULT, $1, $2, $3, $4, 1, $5, $6, $7)
                   ON CONFLICT (language, size_bucket, pattern, mode, tenant_id) DO UPDATE SET
                     sample_count = a.sample_count + 1, reread_count = a.reread_count + excluded.reread_count,
                     reward_micros = a.reward_micros + excluded.reward_micros,
                     square_micros = a.square_micros + excluded.square_micros";
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Canonical).await?;
                for outcome in &outcomes {
                    let ModeSlot { language, size_bucket, pattern } = &outcome.slot;
                    let texts = [language, size_bucket, pattern, &outcome.mode].map(|text| encode_text(text));
                    let [language, size_bucket, pattern, mode] = &texts;
                    let rereads = i64::from(outcome.is_reread);
                    let (reward, square) = (outcome.reward_micros, outcome.square_micros());
                    let values: [&dyn super::parameters::SqlParameter; 7] =
                        [language, size_bucket, pattern, mode, &rereads, &reward, &square];
                    transaction.execute(sql, &values).await?;
                }
                transaction.commit().await
            })
            .await
    }

    async fn load_mode_arms(&self) -> Result<Vec<ModeArm>> {
        let sql =
            "SELECT language, size_bucket, pattern, mode, sample_count, reread_count, reward_micros, square_micros
                   FROM epitome.mode_arms ORDER BY language, size_bucket, pattern, mode";
        let row = |row: &Row| {
            Ok(ModeArm {
                slot: ModeSlot {
                    language: read_text(row, 0)?,
                    size_bucket: read_text(row, 1)?,
                    pattern: read_text(row, 2)?,
                },
                mode: read_text(row, 3)?,
                samples: row.try_get::<_, i64>(4)? as u64,
                rereads: row.try_get::<_, i64>(5)? as u64,
                reward_micros: row.try_get(6)?,
                square_micros: row.try_get(7)?,
            })
        };
        self.query_rows(sql, &[], row).await
    }

    async fn reset_mode_arms(&self, slot: Option<ModeSlot>) -> Result<u64> {
        let Some(ModeSlot { language, size_bucket, pattern }) = slot else {
            return self.change_rows("DELETE FROM epitome.mode_arms", &[]).await;
        };
        let sql = "DELETE FROM epitome.mode_arms WHERE language = $1 AND size_bucket = $2 AND pattern = $3";
        let texts = [&language, &size_bucket, &pattern].map(|text| encode_text(text));
        let [language, size_bucket, pattern] = &texts;
        self.change_rows(sql, &[language, size_bucket, pattern]).await
    }
}

impl PostgresStore {
    /// The channel that tells of calls of this tenant.
    fn call_channel(&self) -> String {
        // Without the sign, which has no place in a name.
        format!("epitome_calls_{:x}", self.lock_number("tool calls", "").cast_unsigned())
    }

    /// Runs one statement that changes rows, and says how many.
    async fn change_rows(&self, sql: &str, parameters: super::parameters::SqlParameters<'_>) -> Result<u64> {
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Canonical).await?;
                let changed = transaction.execute(sql, parameters).await?;
                transaction.commit().await?;
                Ok(changed)
            })
            .await
    }
}

/// A filter as values of its columns.
struct PostgresFilter<'a> {
    since: i64,
    until: i64,
    project: Option<&'a str>,
    session: Option<Vec<u8>>,
    agents: Option<bool>,
}

impl<'a> From<&'a CallFilter> for PostgresFilter<'a> {
    fn from(filter: &'a CallFilter) -> Self {
        Self {
            since: filter.since.map_or(i64::MIN, |day| i64::from(day.0)),
            until: filter.until.map_or(i64::MAX, |day| i64::from(day.0)),
            project: filter.project.as_ref().map(ProjectId::as_str),
            session: filter.session.as_deref().map(session_key),
            agents: match filter.origin {
                CallOrigin::Everyone => None,
                CallOrigin::Agents => Some(true),
                CallOrigin::People => Some(false),
            },
        }
    }
}

/// Sums of what is measured, then of what is estimated, in the order of the figures' columns.
fn sum_columns() -> String {
    let sums = ["measured", "estimated"].map(|certainty| {
        let column = |name: &str| {
            let name = name.trim();
            format!("coalesce(sum({name}) FILTER (WHERE certainty = '{certainty}'), 0)::bigint")
        };
        booking::FIGURES.split(',').map(column).collect::<Vec<_>>().join(", ")
    });
    sums.join(", ")
}
