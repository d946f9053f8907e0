//! SQL of the SQLite store for dispatches of operations: records a call, adds it to the sums kept by key, and reads
//! rows of calls.

use crate::Result;
use crate::rows::{DamagedRow, day_of, project_id_of};
use crate::sqlite::failure::SqliteFailure;
use crate::tool_calls::{CallDoor, CallFigures, CallQuestion, Certainty, NewToolCall, ToolCall};
use model::{ProjectId, Timestamp};
use rusqlite::{Connection, Row, params};

pub(super) const FIGURES: &str =
    "bytes_raw, bytes_shown, bytes_avoided, tokens_raw, tokens_shown, tokens_avoided, money_avoided_micros";
pub(super) const CALL: &str = "number, at, day, door, session, project_id, agent, tool, operation, mode, place, language,
  size_bucket, formula, certainty, elapsed_us, turn, query, intent, strategy, gate, result_count, bytes_raw, bytes_shown,
  bytes_avoided, tokens_raw, tokens_shown, tokens_avoided, money_avoided_micros";

/// Adds a call and what it comes to.
pub(super) fn record_call(db: &Connection, call: &NewToolCall) -> Result<(), SqliteFailure> {
    let project = call.project.as_ref().map(ProjectId::as_str);
    let (door, certainty) = (call.door.as_str(), call.certainty.as_str());
    let [raw, shown, avoided, tokens_raw, tokens_shown, tokens_avoided, money] = call.figures.encode_columns();
    let question = call.question.as_ref();
    let part = |part: fn(&CallQuestion) -> Option<&str>| question.and_then(part);
    let results = question.map(|question| question.results as i64);
    let sql = format!(
        "INSERT INTO tool_calls ({CALL})
         VALUES (NULL, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21,
           ?22, ?23, ?24, ?25, ?26, ?27, ?28)"
    );
    db.prepare_cached(&sql)?.execute(params![
        call.at.0,
        call.day.0,
        door,
        call.session,
        project,
        call.agent,
        call.tool,
        call.operation,
        call.mode,
        call.place,
        call.language,
        call.size_bucket,
        call.formula,
        certainty,
        call.elapsed_us as i64,
        call.turn as i64,
        part(|question| Some(&question.query)),
        part(|question| question.intent.as_deref()),
        part(|question| question.strategy.as_deref()),
        part(|question| question.gate.as_deref()),
        results,
        raw,
        shown,
        avoided,
        tokens_raw,
        tokens_shown,
        tokens_avoided,
        money,
    ])?;
    // The total moves in the same transaction, because calls are dropped later and the total has to stand without them.
    // A key has no NULL, so what a call lacks is the empty text in the totals.
    let sql = format!(
        "INSERT INTO tool_call_totals (day, session, operation, project_id, agent, door, formula, certainty, call_count,
           first_at, last_at, {FIGURES})
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 1, ?9, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)
         ON CONFLICT DO UPDATE SET call_count = call_count + 1, first_at = min(first_at, ?9),
           last_at = max(last_at, ?9), bytes_raw = bytes_raw + ?10, bytes_shown = bytes_shown + ?11,
           bytes_avoided = bytes_avoided + ?12, tokens_raw = tokens_raw + ?13, tokens_shown = tokens_shown + ?14,
           tokens_avoided = tokens_avoided + ?15, money_avoided_micros = money_avoided_micros + ?16"
    );
    db.prepare_cached(&sql)?.execute(params![
        call.day.0,
        call.session.as_deref().unwrap_or_default(),
        call.operation,
        project.unwrap_or_default(),
        call.agent.as_deref().unwrap_or_default(),
        door,
        call.formula,
        certainty,
        call.at.0,
        raw,
        shown,
        avoided,
        tokens_raw,
        tokens_shown,
        tokens_avoided,
        money,
    ])?;
    Ok(())
}

/// A row with the columns of [`CALL`].
pub(super) fn call_row(row: &Row<'_>) -> Result<ToolCall, SqliteFailure> {
    let (door, certainty): (String, String) = (row.get(3)?, row.get(14)?);
    let query: Option<String> = row.get(17)?;
    let question = query
        .map(|query| {
            Ok::<_, rusqlite::Error>(CallQuestion {
                query,
                intent: row.get(18)?,
                strategy: row.get(19)?,
                gate: row.get(20)?,
                results: row.get::<_, Option<i64>>(21)?.unwrap_or_default() as u64,
            })
        })
        .transpose()?;
    let mut figures = [0; 7];
    for (at, figure) in figures.iter_mut().enumerate() {
        *figure = row.get(22 + at)?;
    }
    Ok(ToolCall {
        number: row.get(0)?,
        call: NewToolCall {
            at: Timestamp(row.get(1)?),
            day: day_of(row.get(2)?)?,
            door: CallDoor::parse(&door).ok_or_else(|| DamagedRow(format!("door `{door}` of a call")))?,
            session: row.get(4)?,
            project: row.get::<_, Option<String>>(5)?.map(|id| project_id_of(&id)).transpose()?,
            agent: row.get(6)?,
            tool: row.get(7)?,
            operation: row.get(8)?,
            mode: row.get(9)?,
            place: row.get(10)?,
            language: row.get(11)?,
            size_bucket: row.get(12)?,
            formula: row.get(13)?,
            certainty: Certainty::parse(&certainty)
                .ok_or_else(|| DamagedRow(format!("certainty `{certainty}` of a call")))?,
            elapsed_us: row.get::<_, i64>(15)? as u64,
            turn: row.get::<_, i64>(16)? as u64,
            question,
            figures: CallFigures::from_columns(figures),
        },
    })
}
