//! SQL of the SQLite store for reservations of model calls: reserves under spending ceilings, settles, books expired
//! reservations, and reads the spending status. One writer at a time is all that the ceilings need here.

use super::booking::{ACCOUNT, ENTRY, FIGURES, account_row, book_entry, entry_row, figures_row};
use crate::ledger::{OpenReservation, ReservationEntry, closing_figures, find_correction, find_refusal};
use crate::rows::day_of;
use crate::sqlite::failure::SqliteFailure;
use crate::{
    EntryBasis, LedgerAccount, LedgerEntry, LedgerFigures, LedgerStatus, NewEntry, NewReservation, ReservationId,
    ReservationOutcome, Result, Settlement, SpendAmount, SpendingState,
};
use model::{Money, ProjectId, Timestamp, UtcDay};
use rusqlite::{Connection, OptionalExtension, Row, ToSql};

pub(super) fn reserve_call(db: &Connection, wanted: &NewReservation) -> Result<ReservationOutcome, SqliteFailure> {
    // Expired reservations are booked before the ceilings are compared: their calls may have been made, and count.
    book_expired(db, wanted.now)?;
    let standing = ledger_status(db, wanted.day, wanted.account.session.as_deref(), wanted.now)?;
    if let Some(refusal) = find_refusal(wanted, &standing) {
        return Ok(ReservationOutcome::Refused(refusal));
    }
    let LedgerAccount { operation, project, session, model } = &wanted.account;
    let worst = wanted.worst.encode_columns();
    let project = project.as_ref().map(ProjectId::as_str);
    // The day in force, not the caller's: a clock that was put back must not open a day that is spent already.
    let mut parameters: Vec<&dyn ToSql> = vec![operation, &project, session, model, &standing.day.0];
    parameters.extend(worst.iter().map(|figure| figure as &dyn ToSql));
    parameters.extend([&wanted.now.0 as &dyn ToSql, &wanted.expires.0]);
    let sql = format!(
        "INSERT INTO reservations ({ACCOUNT}, day, {FIGURES}, reserved_at, expires_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)"
    );
    db.prepare_cached(&sql)?.execute(parameters.as_slice())?;
    Ok(ReservationOutcome::Reserved(ReservationId(db.last_insert_rowid())))
}

/// Books expired reservations, which their callers never settled, as spent.
fn book_expired(db: &Connection, now: Timestamp) -> Result<(), SqliteFailure> {
    let sql =
        format!("SELECT {ACCOUNT}, number, day, {FIGURES} FROM reservations WHERE expires_at <= ?1 ORDER BY number");
    let mut statement = db.prepare_cached(&sql)?;
    let expired = statement.query_map([now.0], |row| Ok(open_row(row)))?.map(|row| row?);
    // Collected first, because the loop changes the table that the statement reads.
    for open in expired.collect::<Result<Vec<OpenReservation>, SqliteFailure>>()? {
        close_reservation(db, &open, Some((EntryBasis::Expired, open.worst)), now)?;
    }
    Ok(())
}

pub(super) fn settle_reservation(
    db: &Connection,
    id: ReservationId,
    settlement: Settlement,
    now: Timestamp,
) -> Result<(), SqliteFailure> {
    let sql = format!("SELECT {ACCOUNT}, number, day, {FIGURES} FROM reservations WHERE number = ?1");
    let open = db.prepare_cached(&sql)?.query_row([id.0], |row| Ok(open_row(row))).optional()?.transpose()?;
    if let Some(open) = open {
        return close_reservation(db, &open, closing_figures(open.worst, settlement), now);
    }
    let sql = format!("SELECT {ENTRY} FROM ledger_entries WHERE reservation = ?1");
    let mut statement = db.prepare_cached(&sql)?;
    let rows = statement.query_map([id.0], |row| Ok(entry_row(row)))?;
    let closed = |entry: LedgerEntry| {
        let NewEntry { basis, account, day, figures, .. } = entry.entry;
        ReservationEntry { basis, account, day, figures }
    };
    let left = rows.map(|row| Ok(closed(row??))).collect::<Result<Vec<_>, SqliteFailure>>()?;
    // Releasing what is not there is no error: the reservation was never stored, or was released before.
    if left.is_empty() && settlement != Settlement::Released {
        return Err(SqliteFailure::Missing { what: "reservation", id: id.0.to_string() });
    }
    let Some((booked, difference)) = find_correction(&left, settlement) else { return Ok(()) };
    let account = booked.account.clone();
    let day = booked.day;
    // The correction counts for the day of the entry that it corrects, so that the sum of that day becomes right.
    let entry = NewEntry { at: now, day, account, formula: None, basis: EntryBasis::Corrected, figures: difference };
    book_entry(db, &entry, Some(id))
}

/// Takes a reservation away and books what is to be booked for it.
fn close_reservation(
    db: &Connection,
    open: &OpenReservation,
    booked: Option<(EntryBasis, LedgerFigures)>,
    now: Timestamp,
) -> Result<(), SqliteFailure> {
    // The row goes and the entry comes in one transaction: at no moment is the amount counted twice or not at all.
    db.prepare_cached("DELETE FROM reservations WHERE number = ?1")?.execute([open.id.0])?;
    let Some((basis, figures)) = booked else { return Ok(()) };
    let entry = NewEntry { at: now, day: open.day, account: open.account.clone(), formula: None, basis, figures };
    book_entry(db, &entry, Some(open.id))
}

pub(super) fn ledger_status(
    db: &Connection,
    day: UtcDay,
    session: Option<&str>,
    now: Timestamp,
) -> Result<LedgerStatus, SqliteFailure> {
    // Entries without a model are savings, which no ceiling limits.
    let latest = "SELECT max(coalesce((SELECT max(day) FROM ledger_totals WHERE model <> ''), ?1),
                    coalesce((SELECT max(day) FROM reservations), ?1), ?1)";
    let day = day_of(db.prepare_cached(latest)?.query_row([day.0], |row| row.get(0))?)?;
    let sum = |table: &str, filter: &str, value: &dyn ToSql| {
        let sql = format!(
            "SELECT coalesce(sum(tokens_in + tokens_out + cache_read + cache_write), 0), coalesce(sum(money_micros), 0)
             FROM {table} WHERE {filter}"
        );
        let amount = |row: &Row<'_>| Ok(SpendAmount { tokens: row.get(0)?, money: Money(row.get(1)?) });
        db.prepare_cached(&sql)?.query_row([value], amount)
    };
    // Without a session the parameter is NULL, which no row equals, so the sums of the session are zero.
    let session: &dyn ToSql = &session;
    let stopped = db.prepare_cached("SELECT stopped_at FROM spending_stopped")?.query_row([], |row| row.get(0));
    let in_flight = "SELECT count(*) FROM reservations WHERE expires_at > ?1";
    Ok(LedgerStatus {
        day,
        spent_day: sum("ledger_totals", "model <> '' AND day = ?1", &day.0)?,
        reserved_day: sum("reservations", "day = ?1", &day.0)?,
        spent_session: sum("ledger_totals", "model <> '' AND session = ?1", session)?,
        reserved_session: sum("reservations", "session = ?1", session)?,
        in_flight: db.prepare_cached(in_flight)?.query_row([now.0], |row| row.get(0))?,
        spending: stopped.optional()?.map_or(SpendingState::Allowed, |at| SpendingState::Stopped(Timestamp(at))),
    })
}

fn open_row(row: &Row<'_>) -> Result<OpenReservation, SqliteFailure> {
    Ok(OpenReservation {
        account: account_row(row)?,
        id: ReservationId(row.get(4)?),
        day: day_of(row.get(5)?)?,
        worst: figures_row(row, 6)?,
    })
}
