//! Implements `ToolCallStore` (dispatches of operations, their totals, what was learned of modes) for `SqliteStore`, in
//! the canonical database.

mod booking;
mod call_watch;

use super::SqliteStore;
use crate::rows::day_of;
use crate::tool_calls::{
    CallFigures, CallFilter, CallGrouping, CallOrigin, CallTotal, CallWatch, ModeArm, ModeOutcome, ModeSlot,
    NewToolCall, ToolCall, ToolCallStore,
};
use crate::{Error, Result};
use async_trait::async_trait;
use booking::{CALL, call_row, record_call};
use call_watch::SqliteCallWatch;
use model::{ProjectId, Timestamp, UtcDay};
use rusqlite::{named_params, params};

/// The rows that a filter lets through. What is not asked for is no condition on a column, so that SQLite goes by the
/// index of what is.
fn filter_sql(filter: &CallFilter) -> String {
    let condition = |is_asked: bool, asked: &'static str, any: &'static str| if is_asked { asked } else { any };
    let project = condition(filter.project.is_some(), "project_id = :project", ":project IS NULL");
    let session = condition(filter.session.is_some(), "session = :session", ":session IS NULL");
    let is_of_agents = ":agents = (door <> 'cli' OR coalesce(session, '') <> '')";
    let agents = condition(filter.origin != CallOrigin::Everyone, is_of_agents, ":agents IS NULL");
    format!("day >= :since AND day <= :until AND {project} AND {session} AND {agents}")
}

#[async_trait]
impl ToolCallStore for SqliteStore {
    async fn record_tool_calls(&self, calls: Vec<NewToolCall>) -> Result<()> {
        self.canonical.write(move |db| calls.iter().try_for_each(|call| record_call(db, call))).await
    }

    async fn list_tool_calls(&self, filter: CallFilter, limit: u32) -> Result<Vec<ToolCall>> {
        self.canonical
            .read(move |db| {
                let SqliteFilter { since, until, agents } = SqliteFilter::from(&filter);
                let questions = if filter.questions_only { "AND query IS NOT NULL" } else { "" };
                let sql = format!(
                    "SELECT {CALL} FROM tool_calls WHERE {} {questions} ORDER BY at DESC, number DESC LIMIT :limit",
                    filter_sql(&filter)
                );
                let mut statement = db.prepare_cached(&sql)?;
                let project = filter.project.as_ref().map(ProjectId::as_str);
                let parameters = named_params! {
                    ":since": since, ":until": until, ":project": project, ":session": filter.session,
                    ":agents": agents, ":limit": limit,
                };
                let rows = statement.query_map(parameters, |row| Ok(call_row(row)))?;
                rows.map(|row| row?).collect()
            })
            .await
    }

    async fn tool_calls_after(&self, number: i64, limit: u32) -> Result<Vec<ToolCall>> {
        self.canonical
            .read(move |db| {
                let sql = format!("SELECT {CALL} FROM tool_calls WHERE number > ?1 ORDER BY number DESC LIMIT ?2");
                let mut statement = db.prepare_cached(&sql)?;
                let rows = statement.query_map(params![number, limit], |row| Ok(call_row(row)))?;
                let mut calls = rows.map(|row| row?).collect::<Result<Vec<ToolCall>, _>>()?;
                calls.reverse();
                Ok(calls)
            })
            .await
    }

    async fn tool_call_totals(&self, by: CallGrouping, filter: CallFilter) -> Result<Vec<CallTotal>> {
        self.canonical
            .read(move |db| {
                let SqliteFilter { since, until, agents } = SqliteFilter::from(&filter);
                let column = by.column_name();
                let sql = format!(
                    "SELECT {column}, sum(call_count), min(first_at), max(last_at), {} FROM tool_call_totals
                     WHERE {} GROUP BY {column} ORDER BY {column}",
                    sum_columns(),
                    filter_sql(&filter)
                );
                let mut statement = db.prepare_cached(&sql)?;
                let project = filter.project.as_ref().map(ProjectId::as_str);
                let mut rows = statement.query(named_params! {
                    ":since": since, ":until": until, ":project": project, ":session": filter.session,
                    ":agents": agents,
                })?;
                let mut totals = Vec::new();
                while let Some(row) = rows.next()? {
                    let key = match by {
                        CallGrouping::Day => day_of(row.get(0)?)?.to_string(),
                        CallGrouping::Session
                        | CallGrouping::Project
                        | CallGrouping::Operation
                        | CallGrouping::Agent
                        | CallGrouping::Door
                        | CallGrouping::Formula => row.get(0)?,
                    };
                    let figures = |first: usize| {
                        let mut columns = [0; 7];
                        for (at, column) in columns.iter_mut().enumerate() {
                            *column = row.get(first + at)?;
                        }
                        Ok::<_, rusqlite::Error>(CallFigures::from_columns(columns))
                    };
                    totals.push(CallTotal {
                        key,
                        calls: row.get::<_, i64>(1)? as u64,
                        first: Timestamp(row.get(2)?),
                        last: Timestamp(row.get(3)?),
                        measured: figures(4)?,
                        estimated: figures(11)?,
                    });
                }
                Ok(totals)
            })
            .await
    }

    async fn count_tool_calls(&self, until: UtcDay) -> Result<u64> {
        self.canonical
            .read(move |db| {
                let sql = "SELECT coalesce(sum(call_count), 0) FROM tool_call_totals WHERE day <= ?1";
                Ok(db.prepare_cached(sql)?.query_row([until.0], |row| row.get::<_, i64>(0))? as u64)
            })
            .await
    }

    async fn prune_tool_calls(&self, before: Timestamp) -> Result<u64> {
        self.canonical.write(move |db| Ok(db.execute("DELETE FROM tool_calls WHERE at < ?1", [before.0])? as u64)).await
    }

    async fn watch_tool_calls(&self) -> Result<Box<dyn CallWatch>> {
        let path = self.canonical.path().to_owned();
        let name = path.display().to_string();
        let opened = tokio::task::spawn_blocking(move || SqliteCallWatch::open(&path)).await;
        let stopped = |reason: String| Error::Unavailable { database: name.clone(), reason };
        let watch = opened.map_err(|error| stopped(error.to_string()))?;
        Ok(Box::new(watch.map_err(|error| super::failure::error_of(&name, &error))?))
    }

    async fn record_mode_outcomes(&self, outcomes: Vec<ModeOutcome>) -> Result<()> {
        self.canonical
            .write(move |db| {
                let mut add = db.prepare_cached(
                    "INSERT INTO mode_arms VALUES (?1, ?2, ?3, ?4, 1, ?5, ?6, ?7)
                     ON CONFLICT DO UPDATE SET sample_count = sample_count + 1, reread_count = reread_count + ?5,
                       reward_micros = reward_micros + ?6, square_micros = square_micros + ?7",
                )?;
                for outcome in &outcomes {
                    let ModeSlot { language, size_bucket, pattern } = &outcome.slot;
                    let rereads = i64::from(outcome.is_reread);
                    let (reward, square) = (outcome.reward_micros, outcome.square_micros());
                    add.execute(params![language, size_bucket, pattern, outcome.mode, rereads, reward, square])?;
                }
                Ok(())
            })
            .await
    }

    async fn load_mode_arms(&self) -> Result<Vec<ModeArm>> {
        self.canonical
            .read(|db| {
                let mut statement = db.prepare_cached(
                    "SELECT language, size_bucket, pattern, mode, sample_count, reread_count, reward_micros,
                       square_micros
                     FROM mode_arms ORDER BY language, size_bucket, pattern, mode",
                )?;
                let rows = statement.query_map([], |row| {
                    Ok(ModeArm {
                        slot: ModeSlot { language: row.get(0)?, size_bucket: row.get(1)?, pattern: row.get(2)? },
                        mode: row.get(3)?,
                        samples: row.get::<_, i64>(4)? as u64,
                        rereads: row.get::<_, i64>(5)? as u64,
                        reward_micros: row.get(6)?,
                        square_micros: row.get(7)?,
                    })
                })?;
                Ok(rows.collect::<rusqlite::Result<_>>()?)
            })
            .await
    }

    async fn reset_mode_arms(&self, slot: Option<ModeSlot>) -> Result<u64> {
        self.canonical
            .write(move |db| {
                let forgotten = match &slot {
                    None => db.execute("DELETE FROM mode_arms", [])?,
                    Some(ModeSlot { language, size_bucket, pattern }) => db.execute(
                        "DELETE FROM mode_arms WHERE language = ?1 AND size_bucket = ?2 AND pattern = ?3",
                        params![language, size_bucket, pattern],
                    )?,
                };
                Ok(forgotten as u64)
            })
            .await
    }
}

/// A filter as values of its columns.
struct SqliteFilter {
    since: i64,
    until: i64,
    agents: Option<bool>,
}

impl From<&CallFilter> for SqliteFilter {
    fn from(filter: &CallFilter) -> Self {
        Self {
            since: filter.since.map_or(i64::MIN, |day| i64::from(day.0)),
            until: filter.until.map_or(i64::MAX, |day| i64::from(day.0)),
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
            format!("coalesce(sum(CASE WHEN certainty = '{certainty}' THEN {name} END), 0)")
        };
        booking::FIGURES.split(',').map(column).collect::<Vec<_>>().join(", ")
    });
    sums.join(", ")
}
