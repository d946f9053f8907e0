//! SQL of the SQLite store for ledger entries: books an entry, adds it to the sums kept by key, and reads entry rows.

use crate::rows::{basis_of, day_of, project_id_of};
use crate::sqlite::failure::SqliteFailure;
use crate::{LedgerAccount, LedgerEntry, LedgerFigures, NewEntry, ReservationId, Result};
use model::{ProjectId, Timestamp};
use rusqlite::{Connection, Row, ToSql};

pub(super) const FIGURES: &str = "tokens_in, tokens_out, cache_read, cache_write, tokens_avoided, money_micros";
pub(super) const ACCOUNT: &str = "operation, project_id, session, model";
pub(super) const ENTRY: &str =
    "operation, project_id, session, model, at, day, formula, basis, reservation, tokens_in, tokens_out,
  cache_read, cache_write, tokens_avoided, money_micros";

/// Adds an entry and what it comes to.
pub(super) fn book_entry(
    db: &Connection,
    entry: &NewEntry,
    reservation: Option<ReservationId>,
) -> Result<(), SqliteFailure> {
    let NewEntry { at, day, account, formula, basis, figures } = entry;
    let project = account.project.as_ref().map(ProjectId::as_str);
    let basis = basis.as_str();
    let reservation = reservation.map(|id| id.0);
    let figures = figures.encode_columns();
    let LedgerAccount { operation, session, model, .. } = account;
    let mut parameters: Vec<&dyn ToSql> =
        vec![operation, &project, session, model, &at.0, &day.0, formula, &basis, &reservation];
    parameters.extend(figures.iter().map(|figure| figure as &dyn ToSql));
    let sql = format!(
        "INSERT INTO ledger_entries ({ENTRY})
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)"
    );
    db.prepare_cached(&sql)?.execute(parameters.as_slice())?;

    // A key has no NULL, so what an entry lacks is the empty text in the totals.
    let project = project.unwrap_or_default();
    let [session, model, formula] = [session, model, formula].map(|text| text.as_deref().unwrap_or_default());
    let mut parameters: Vec<&dyn ToSql> = vec![&day.0, operation, &project, &session, &model, &formula];
    parameters.extend(figures.iter().map(|figure| figure as &dyn ToSql));
    // The total moves in the same transaction, because entries are pruned later and the total has to stand without
    // them.
    let sql = format!(
        "INSERT INTO ledger_totals (day, operation, project_id, session, model, formula, entry_count, {FIGURES})
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1, ?7, ?8, ?9, ?10, ?11, ?12)
         ON CONFLICT DO UPDATE SET entry_count = entry_count + 1, tokens_in = tokens_in + ?7,
           tokens_out = tokens_out + ?8, cache_read = cache_read + ?9, cache_write = cache_write + ?10,
           tokens_avoided = tokens_avoided + ?11, money_micros = money_micros + ?12"
    );
    db.prepare_cached(&sql)?.execute(parameters.as_slice())?;
    Ok(())
}

/// Columns in the order of [`ACCOUNT`], from the first on.
pub(super) fn account_row(row: &Row<'_>) -> Result<LedgerAccount, SqliteFailure> {
    Ok(LedgerAccount {
        operation: row.get(0)?,
        project: row.get::<_, Option<String>>(1)?.map(|id| project_id_of(&id)).transpose()?,
        session: row.get(2)?,
        model: row.get(3)?,
    })
}

pub(super) fn figures_row(row: &Row<'_>, first: usize) -> rusqlite::Result<LedgerFigures> {
    let column = |at: usize| row.get(first + at);
    Ok(LedgerFigures::from_columns([column(0)?, column(1)?, column(2)?, column(3)?, column(4)?, column(5)?]))
}

pub(super) fn entry_row(row: &Row<'_>) -> Result<LedgerEntry, SqliteFailure> {
    let basis: String = row.get(7)?;
    Ok(LedgerEntry {
        entry: NewEntry {
            account: account_row(row)?,
            at: Timestamp(row.get(4)?),
            day: day_of(row.get(5)?)?,
            formula: row.get(6)?,
            basis: basis_of(&basis)?,
            figures: figures_row(row, 9)?,
        },
        reservation: row.get::<_, Option<i64>>(8)?.map(ReservationId),
    })
}
