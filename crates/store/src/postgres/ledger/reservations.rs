//! SQL of the PostgreSQL store for reservations of model calls: reserves under spending ceilings, settles, books
//! expired reservations, and reads the spending status.
//!
//! A transaction that reserves or settles holds the tenant's lock, so that what a ceiling is compared with cannot
//! change under the comparison.

use super::booking::{ACCOUNT, ENTRY, FIGURES, account_row, book_entry, entry_row, figures_row, session_key};
use crate::ledger::{OpenReservation, ReservationEntry, closing_figures, find_correction, find_refusal};
use crate::postgres::database::TenantTransaction;
use crate::postgres::failure::PostgresFailure;
use crate::postgres::parameters::SqlParameter;
use crate::postgres::text::encode_text;
use crate::rows::day_of;
use crate::{
    EntryBasis, LedgerFigures, LedgerStatus, NewEntry, NewReservation, ReservationId, ReservationOutcome, Result,
    Settlement, SpendAmount, SpendingState,
};
use model::{Money, ProjectId, Timestamp, UtcDay};
use tokio_postgres::Row;

pub(super) async fn reserve_call(
    transaction: &TenantTransaction<'_>,
    id: ReservationId,
    wanted: &NewReservation,
) -> Result<ReservationOutcome, PostgresFailure> {
    // The number is drawn before the transaction and given to no other caller, so a reservation or an entry under it
    // means that an attempt before this one was committed.
    let known = "SELECT 1 FROM epitome.reservations WHERE number = $1
                 UNION ALL SELECT 1 FROM epitome.ledger_entries WHERE reservation = $1";
    if !transaction.query_all(known, &[&id.0]).await?.is_empty() {
        return Ok(ReservationOutcome::Reserved(id));
    }
    // Expired reservations are booked before the ceilings are compared: their calls may have been made, and count.
    book_expired(transaction, wanted.now).await?;
    let session = wanted.account.session.as_deref();
    let standing = ledger_status(transaction, wanted.day, session, wanted.now).await?;
    if let Some(refusal) = find_refusal(wanted, &standing) {
        return Ok(ReservationOutcome::Refused(refusal));
    }
    let account = &wanted.account;
    let worst = wanted.worst.encode_columns();
    let sql = format!(
        "INSERT INTO epitome.reservations (number, {ACCOUNT}, day, {FIGURES}, reserved_at, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)"
    );
    let operation = encode_text(&account.operation);
    let session = session.map(encode_text);
    let project = account.project.as_ref().map(ProjectId::as_str);
    let model = account.model.as_deref().map(encode_text);
    // The day in force, not the caller's: a clock that was put back must not open a day that is spent already.
    let day = i64::from(standing.day.0);
    let mut parameters: Vec<&dyn SqlParameter> = vec![&id.0, &operation, &project, &session, &model, &day];
    parameters.extend(worst.iter().map(|figure| figure as &dyn SqlParameter));
    parameters.extend([&wanted.now.0 as &dyn SqlParameter, &wanted.expires.0]);
    transaction.execute(&sql, &parameters).await?;
    Ok(ReservationOutcome::Reserved(id))
}

/// Books expired reservations, which their callers never settled, as spent.
async fn book_expired(transaction: &TenantTransaction<'_>, now: Timestamp) -> Result<(), PostgresFailure> {
    let sql = format!(
        "SELECT {ACCOUNT}, number, day, {FIGURES} FROM epitome.reservations WHERE expires_at <= $1 ORDER BY number"
    );
    for row in transaction.query_all(&sql, &[&now.0]).await? {
        let open = open_row(&row)?;
        close_reservation(transaction, &open, Some((EntryBasis::Expired, open.worst)), now).await?;
    }
    Ok(())
}

pub(super) async fn settle_reservation(
    transaction: &TenantTransaction<'_>,
    id: ReservationId,
    settlement: Settlement,
    now: Timestamp,
) -> Result<(), PostgresFailure> {
    let sql = format!("SELECT {ACCOUNT}, number, day, {FIGURES} FROM epitome.reservations WHERE number = $1");
    if let Some(row) = transaction.query_optional(&sql, &[&id.0]).await? {
        let open = open_row(&row)?;
        return close_reservation(transaction, &open, closing_figures(open.worst, settlement), now).await;
    }
    let sql = format!("SELECT {ENTRY} FROM epitome.ledger_entries WHERE reservation = $1");
    let closed = |row: &Row| {
        let NewEntry { basis, account, day, figures, .. } = entry_row(row)?.entry;
        Ok(ReservationEntry { basis, account, day, figures })
    };
    let left = transaction.query_all(&sql, &[&id.0]).await?;
    let left = left.iter().map(closed).collect::<Result<Vec<_>, PostgresFailure>>()?;
    // Releasing what is not there is no error: the reservation was never stored, or was released before.
    if left.is_empty() && settlement != Settlement::Released {
        return Err(PostgresFailure::Missing { what: "reservation", id: id.0.to_string() });
    }
    let Some((booked, difference)) = find_correction(&left, settlement) else { return Ok(()) };
    let account = booked.account.clone();
    let day = booked.day;
    // The correction counts for the day of the entry that it corrects, so that the sum of that day becomes right.
    let entry = NewEntry { at: now, day, account, formula: None, basis: EntryBasis::Corrected, figures: difference };
    book_entry(transaction, None, &entry, Some(id)).await
}

/// Takes a reservation away and books what is to be booked for it.
async fn close_reservation(
    transaction: &TenantTransaction<'_>,
    open: &OpenReservation,
    booked: Option<(EntryBasis, LedgerFigures)>,
    now: Timestamp,
) -> Result<(), PostgresFailure> {
    // The row goes and the entry comes in one transaction: at no moment is the amount counted twice or not at all.
    transaction.execute("DELETE FROM epitome.reservations WHERE number = $1", &[&open.id.0]).await?;
    let Some((basis, figures)) = booked else { return Ok(()) };
    let entry = NewEntry { at: now, day: open.day, account: open.account.clone(), formula: None, basis, figures };
    book_entry(transaction, None, &entry, Some(open.id)).await
}

pub(super) async fn ledger_status(
    transaction: &TenantTransaction<'_>,
    day: UtcDay,
    session: Option<&str>,
    now: Timestamp,
) -> Result<LedgerStatus, PostgresFailure> {
    // Entries without a model are savings, which no ceiling limits.
    let latest = "SELECT greatest($1, (SELECT max(day) FROM epitome.ledger_totals WHERE model <> ''),
                    (SELECT max(day) FROM epitome.reservations))";
    let day = day_of(transaction.query_one(latest, &[&i64::from(day.0)]).await?.try_get(0)?)?;
    // Without a session the parameter is NULL, which no row equals, so the sums of the session are zero.
    let key = session.map(session_key);
    let name = session.map(encode_text);
    let number = i64::from(day.0);
    let stopped = transaction.query_optional("SELECT stopped_at FROM epitome.spending_stopped", &[]).await?;
    let in_flight = "SELECT count(*) FROM epitome.reservations WHERE expires_at > $1";
    let in_flight: i64 = transaction.query_one(in_flight, &[&now.0]).await?.try_get(0)?;
    Ok(LedgerStatus {
        day,
        spent_day: sum_amount(transaction, "ledger_totals WHERE model <> '' AND day = $1", &number).await?,
        reserved_day: sum_amount(transaction, "reservations WHERE day = $1", &number).await?,
        spent_session: sum_amount(transaction, "ledger_totals WHERE model <> '' AND session_key = $1", &key).await?,
        reserved_session: sum_amount(transaction, "reservations WHERE session = $1", &name).await?,
        in_flight: u32::try_from(in_flight).unwrap_or(u32::MAX),
        spending: match stopped {
            Some(row) => SpendingState::Stopped(Timestamp(row.try_get(0)?)),
            None => SpendingState::Allowed,
        },
    })
}

async fn sum_amount(
    transaction: &TenantTransaction<'_>,
    from: &str,
    value: &dyn SqlParameter,
) -> Result<SpendAmount, PostgresFailure> {
    let sql = format!(
        "SELECT coalesce(sum(tokens_in + tokens_out + cache_read + cache_write), 0)::bigint,
           coalesce(sum(money_micros), 0)::bigint FROM epitome.{from}"
    );
    let row = transaction.query_one(&sql, &[value]).await?;
    Ok(SpendAmount { tokens: row.try_get(0)?, money: Money(row.try_get(1)?) })
}

fn open_row(row: &Row) -> Result<OpenReservation, PostgresFailure> {
    let id = ReservationId(row.try_get(4)?);
    let day = day_of(row.try_get(5)?)?;
    Ok(OpenReservation { account: account_row(row)?, id, day, worst: figures_row(row, 6)? })
}
