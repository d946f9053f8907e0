//! SQL of the PostgreSQL store for dispatches of operations: records a call, adds it to the sums kept by key, and reads
//! rows of calls.

use crate::Result;
use crate::postgres::code::key_of;
use crate::postgres::database::TenantTransaction;
use crate::postgres::failure::PostgresFailure;
use crate::postgres::parameters::SqlParameter;
use crate::postgres::rows::{maybe_text, read_text};
use crate::postgres::text::encode_text;
use crate::rows::{DamagedRow, day_of, project_id_of};
use crate::tool_calls::{CallDoor, CallFigures, CallQuestion, Certainty, NewToolCall, ToolCall};
use model::{ProjectId, Timestamp};
use tokio_postgres::Row;

pub(super) const FIGURES: &str =
    "bytes_raw, bytes_shown, bytes_avoided, tokens_raw, tokens_shown, tokens_avoided, money_avoided_micros";
pub(super) const CALL: &str = "number, at, day, door, session, project_id, agent, tool, operation, mode, place, language,
  size_bucket, formula, certainty, elapsed_us, turn, query, intent, strategy, gate, result_count, bytes_raw, bytes_shown,
  bytes_avoided, tokens_raw, tokens_shown, tokens_avoided, money_avoided_micros";

/// Adds a call under a number, and what it comes to.
pub(super) async fn record_call(
    transaction: &TenantTransaction<'_>,
    number: i64,
    call: &NewToolCall,
) -> Result<(), PostgresFailure> {
    let text = |text: &Option<String>| text.as_deref().map(|text| encode_text(text).into_owned());
    let (door, certainty) = (call.door.as_str(), call.certainty.as_str());
    let (day, elapsed, turn) = (i64::from(call.day.0), call.elapsed_us as i64, call.turn as i64);
    let session = text(&call.session);
    let session_key = call.session.as_deref().map(session_key);
    let project = call.project.as_ref().map(ProjectId::as_str);
    let [agent, mode, place] = [&call.agent, &call.mode, &call.place].map(text);
    let [language, size_bucket] = [&call.language, &call.size_bucket].map(text);
    let [tool, operation, formula] = [&call.tool, &call.operation, &call.formula].map(|text| encode_text(text));
    let question = call.question.as_ref();
    let query = question.map(|question| encode_text(&question.query));
    let [intent, strategy, gate] =
        question.map_or([None, None, None], |it| [&it.intent, &it.strategy, &it.gate].map(text));
    let results = question.map(|question| question.results as i64);
    let figures = call.figures.encode_columns();
    let sql = format!(
        "INSERT INTO epitome.tool_calls ({CALL}, session_key)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22,
           $23, $24, $25, $26, $27, $28, $29, $30)"
    );
    let mut parameters: Vec<&dyn SqlParameter> = vec![
        &number,
        &call.at.0,
        &day,
        &door,
        &session,
        &project,
        &agent,
        &tool,
        &operation,
        &mode,
        &place,
        &language,
        &size_bucket,
        &formula,
        &certainty,
        &elapsed,
        &turn,
        &query,
        &intent,
        &strategy,
        &gate,
        &results,
    ];
    parameters.extend(figures.iter().map(|figure| figure as &dyn SqlParameter));
    parameters.push(&session_key);
    transaction.execute(&sql, &parameters).await?;
    // The total moves in the same transaction, because calls are dropped later and the total has to stand without them.
    add_totals(transaction, call).await
}

async fn add_totals(transaction: &TenantTransaction<'_>, call: &NewToolCall) -> Result<(), PostgresFailure> {
    // A key has no NULL, so what a call lacks is the empty text in the totals.
    let text = |text: &Option<String>| encode_text(text.as_deref().unwrap_or_default()).into_owned();
    let (door, certainty) = (call.door.as_str(), call.certainty.as_str());
    let day = i64::from(call.day.0);
    let [session, agent] = [&call.session, &call.agent].map(text);
    let session_key = session_key(call.session.as_deref().unwrap_or_default());
    let project = call.project.as_ref().map_or("", ProjectId::as_str);
    let [operation, formula] = [&call.operation, &call.formula].map(|text| encode_text(text));
    let total_key = total_key(call);
    let figures = call.figures.encode_columns();
    let sql = format!(
        "INSERT INTO epitome.tool_call_totals AS t (total_key, day, session, session_key, operation, project_id, agent,
           door, formula, certainty, first_at, last_at, call_count, {FIGURES})
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11, 1, $12, $13, $14, $15, $16, $17, $18)
         ON CONFLICT (total_key, tenant_id) DO UPDATE SET call_count = t.call_count + 1,
           first_at = least(t.first_at, excluded.first_at), last_at = greatest(t.last_at, excluded.last_at),
           bytes_raw = t.bytes_raw + excluded.bytes_raw, bytes_shown = t.bytes_shown + excluded.bytes_shown,
           bytes_avoided = t.bytes_avoided + excluded.bytes_avoided,
           tokens_raw = t.tokens_raw + excluded.tokens_raw, tokens_shown = t.tokens_shown + excluded.tokens_shown,
           tokens_avoided = t.tokens_avoided + excluded.tokens_avoided,
           money_avoided_micros = t.money_avoided_micros + excluded.money_avoided_micros"
    );
    let mut parameters: Vec<&dyn SqlParameter> = vec![
        &total_key,
        &day,
        &session,
        &session_key,
        &operation,
        &project,
        &agent,
        &door,
        &formula,
        &certainty,
        &call.at.0,
    ];
    parameters.extend(figures.iter().map(|figure| figure as &dyn SqlParameter));
    transaction.execute(&sql, &parameters).await?;
    Ok(())
}

/// The key of sums.
pub(super) fn total_key(call: &NewToolCall) -> Vec<u8> {
    let text = |text: &Option<String>| text.clone().unwrap_or_default().into_bytes();
    let fields = [text(&call.session), text(&call.agent)];
    let [session, agent] = &fields;
    let project = call.project.as_ref().map_or("", ProjectId::as_str);
    // All columns of the key go through one digest: a session or agent may have a name longer than an index entry.
    let day = call.day.0.to_le_bytes();
    let (door, certainty) = (call.door.as_str(), call.certainty.as_str());
    let rest = [project, &call.operation, door, &call.formula, certainty].map(str::as_bytes);
    let [project, operation, door, formula, certainty] = rest;
    key_of("tool call total", &[&day, session, agent, project, operation, door, formula, certainty])
}

pub(in crate::postgres) fn session_key(session: &str) -> Vec<u8> {
    key_of("session", &[session.as_bytes()])
}

/// A row with the columns of [`CALL`].
pub(super) fn call_row(row: &Row) -> Result<ToolCall, PostgresFailure> {
    let (door, certainty): (String, String) = (row.try_get(3)?, row.try_get(14)?);
    let question = match maybe_text(row, 17)? {
        None => None,
        Some(query) => Some(CallQuestion {
            query,
            intent: maybe_text(row, 18)?,
            strategy: maybe_text(row, 19)?,
            gate: maybe_text(row, 20)?,
            results: row.try_get::<_, Option<i64>>(21)?.unwrap_or_default() as u64,
        }),
    };
    Ok(ToolCall {
        number: row.try_get(0)?,
        call: NewToolCall {
            at: Timestamp(row.try_get(1)?),
            day: day_of(row.try_get(2)?)?,
            door: CallDoor::parse(&door).ok_or_else(|| DamagedRow(format!("door `{door}` of a call")))?,
            session: maybe_text(row, 4)?,
            project: row.try_get::<_, Option<String>>(5)?.map(|id| project_id_of(&id)).transpose()?,
            agent: maybe_text(row, 6)?,
            tool: read_text(row, 7)?,
            operation: read_text(row, 8)?,
            mode: maybe_text(row, 9)?,
            place: maybe_text(row, 10)?,
            language: maybe_text(row, 11)?,
            size_bucket: maybe_text(row, 12)?,
            formula: read_text(row, 13)?,
            certainty: Certainty::parse(&certainty)
                .ok_or_else(|| DamagedRow(format!("certainty `{certainty}` of a call")))?,
            elapsed_us: row.try_get::<_, i64>(15)? as u64,
            turn: row.try_get::<_, i64>(16)? as u64,
            question,
            figures: figures_row(row, 22)?,
        },
    })
}

pub(super) fn figures_row(row: &Row, first: usize) -> Result<CallFigures, PostgresFailure> {
    let mut columns = [0; 7];
    for (at, column) in columns.iter_mut().enumerate() {
        *column = row.try_get(first + at)?;
    }
    Ok(CallFigures::from_columns(columns))
}
