//! SQL of the PostgreSQL store for ledger entries: books an entry, adds it to the sums kept by key, and reads entry
//! rows.

use crate::postgres::code::key_of;
use crate::postgres::database::TenantTransaction;
use crate::postgres::failure::PostgresFailure;
use crate::postgres::parameters::SqlParameter;
use crate::postgres::rows::{maybe_text, read_text};
use crate::postgres::text::encode_text;
use crate::rows::{basis_of, day_of, project_id_of};
use crate::{LedgerAccount, LedgerEntry, LedgerFigures, NewEntry, ReservationId, Result};
use model::{ProjectId, Timestamp};
use tokio_postgres::Row;

pub(super) const FIGURES: &str = "tokens_in, tokens_out, cache_read, cache_write, tokens_avoided, money_micros";
pub(super) const ACCOUNT: &str = "operation, project_id, session, model";
pub(super) const ENTRY: &str =
    "operation, project_id, session, model, at, day, formula, basis, reservation, tokens_in, tokens_out,
  cache_read, cache_write, tokens_avoided, money_micros";

/// Adds an entry, under a number where it has one, and what it comes to.
pub(super) async fn book_entry(
    transaction: &TenantTransaction<'_>,
    number: Option<i64>,
    entry: &NewEntry,
    reservation: Option<ReservationId>,
) -> Result<(), PostgresFailure> {
    let NewEntry { at, day, account, formula, basis, figures } = entry;
    let project = account.project.as_ref().map(ProjectId::as_str);
    let operation = encode_text(&account.operation);
    let session = account.session.as_deref().map(encode_text);
    let model = account.model.as_deref().map(encode_text);
    let formula = formula.as_deref().map(encode_text);
    let day = i64::from(day.0);
    let reservation = reservation.map(|id| id.0);
    let basis = basis.as_str();
    let figures = figures.encode_columns();
    // An entry that a caller adds has a number from before the transaction, so that a retry finds itself. A settlement
    // has none: its reservation's row tells whether it happened.
    let sql = format!(
        "INSERT INTO epitome.ledger_entries (number, {ENTRY})
         VALUES (coalesce($1, nextval('epitome.ledger_numbers')), $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13,
           $14, $15, $16)"
    );
    let mut parameters: Vec<&dyn SqlParameter> =
        vec![&number, &operation, &project, &session, &model, &at.0, &day, &formula, &basis, &reservation];
    parameters.extend(figures.iter().map(|figure| figure as &dyn SqlParameter));
    transaction.execute(&sql, &parameters).await?;
    // The total moves in the same transaction, because entries are pruned later and the total has to stand without
    // them.
    add_totals(transaction, entry).await
}

/// Adds an entry to the sums that are kept.
async fn add_totals(transaction: &TenantTransaction<'_>, entry: &NewEntry) -> Result<(), PostgresFailure> {
    let account = &entry.account;
    let figures = entry.figures.encode_columns();
    let day = i64::from(entry.day.0);
    // A key has no NULL, so what an entry lacks is the empty text in the totals.
    let text = |text: &Option<String>| encode_text(text.as_deref().unwrap_or_default()).into_owned();
    let operation = encode_text(&account.operation);
    let project = account.project.as_ref().map_or("", ProjectId::as_str);
    let session = text(&account.session);
    let model = text(&account.model);
    let formula = text(&entry.formula);
    let total_key = total_key(entry);
    let session_key = session_key(account.session.as_deref().unwrap_or_default());
    let sql = format!(
        "INSERT INTO epitome.ledger_totals AS t (total_key, day, operation, project_id, session, session_key, model,
           formula, entry_count, {FIGURES})
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 1, $9, $10, $11, $12, $13, $14)
         ON CONFLICT (total_key, tenant_id) DO UPDATE SET entry_count = t.entry_count + 1,
           tokens_in = t.tokens_in + excluded.tokens_in, tokens_out = t.tokens_out + excluded.tokens_out,
           cache_read = t.cache_read + excluded.cache_read, cache_write = t.cache_write + excluded.cache_write,
           tokens_avoided = t.tokens_avoided + excluded.tokens_avoided,
           money_micros = t.money_micros + excluded.money_micros"
    );
    let mut parameters: Vec<&dyn SqlParameter> =
        vec![&total_key, &day, &operation, &project, &session, &session_key, &model, &formula];
    parameters.extend(figures.iter().map(|figure| figure as &dyn SqlParameter));
    transaction.execute(&sql, &parameters).await?;
    Ok(())
}

/// The keys of sums.
pub(super) fn total_key(entry: &NewEntry) -> Vec<u8> {
    let LedgerAccount { operation, project, session, model } = &entry.account;
    let text = |text: &Option<String>| text.clone().unwrap_or_default().into_bytes();
    let project = project.as_ref().map_or("", ProjectId::as_str);
    let fields = [text(session), text(model), text(&entry.formula)];
    let [session, model, formula] = &fields;
    // All columns of the key go through one digest: a session or model name may be longer than an index entry.
    let day = entry.day.0.to_le_bytes();
    key_of("total", &[&day, operation.as_bytes(), project.as_bytes(), session, model, formula])
}

pub(super) fn session_key(session: &str) -> Vec<u8> {
    key_of("session", &[session.as_bytes()])
}

/// Columns in the order of [`ACCOUNT`], from the first on.
pub(super) fn account_row(row: &Row) -> Result<LedgerAccount, PostgresFailure> {
    let project: Option<String> = row.try_get(1)?;
    Ok(LedgerAccount {
        operation: read_text(row, 0)?,
        project: project.as_deref().map(project_id_of).transpose()?,
        session: maybe_text(row, 2)?,
        model: maybe_text(row, 3)?,
    })
}

pub(super) fn figures_row(row: &Row, first: usize) -> Result<LedgerFigures, PostgresFailure> {
    let column = |at: usize| row.try_get(first + at);
    Ok(LedgerFigures::from_columns([column(0)?, column(1)?, column(2)?, column(3)?, column(4)?, column(5)?]))
}

pub(super) fn entry_row(row: &Row) -> Result<LedgerEntry, PostgresFailure> {
    let basis: String = row.try_get(7)?;
    Ok(LedgerEntry {
        entry: NewEntry {
            account: account_row(row)?,
            at: Timestamp(row.try_get(4)?),
            day: day_of(row.try_get(5)?)?,
            formula: maybe_text(row, 6)?,
            basis: basis_of(&basis)?,
            figures: figures_row(row, 9)?,
        },
        reservation: row.try_get::<_, Option<i64>>(8)?.map(ReservationId),
    })
}
