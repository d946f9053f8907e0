//! Reservations and where spending stands.
//!
//! Whoever reserves or settles holds the tenant's lock, so that what a ceiling is compared with cannot change under the
//! comparison.

use super::booking::{ACCOUNT, ENTRY, FIGURES, account, book, entry_row, figures, session_key};
use super::database::Transaction;
use super::failure::Failure;
use super::text::encode;
use crate::ledger::{Closed, Open, close, correct, decide};
use crate::rows::day_of;
use crate::{
    Amount, Basis, Figures, NewEntry, NewReservation, ReservationId, Reserved, Result, Settlement, Spending, Standing,
};
use model::{Day, Money, ProjectId, Timestamp};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

pub(super) async fn reserve(
    transaction: &Transaction<'_>,
    id: ReservationId,
    wanted: &NewReservation,
) -> Result<Reserved, Failure> {
    // Settled already is reserved already: only we know the number.
    let known = "SELECT 1 FROM epitome.reservations WHERE number = $1
                 UNION ALL SELECT 1 FROM epitome.ledger_entries WHERE reservation = $1";
    if !transaction.all(known, &[&id.0]).await?.is_empty() {
        return Ok(Reserved::Granted(id));
    }
    book_expired(transaction, wanted.now).await?;
    let session = wanted.account.session.as_deref();
    let standing = standing(transaction, wanted.day, session, wanted.now).await?;
    if let Some(refusal) = decide(wanted, &standing) {
        return Ok(Reserved::Refused(refusal));
    }
    let (account, worst) = (&wanted.account, wanted.worst.columns());
    let sql = format!(
        "INSERT INTO epitome.reservations (number, {ACCOUNT}, day, {FIGURES}, reserved_at, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)"
    );
    let (operation, session) = (encode(&account.operation), session.map(encode));
    let (project, model) = (account.project.as_ref().map(ProjectId::as_str), account.model.as_deref().map(encode));
    let day = i64::from(standing.day.0);
    let mut parameters: Vec<&(dyn ToSql + Sync)> = vec![&id.0, &operation, &project, &session, &model, &day];
    parameters.extend(worst.iter().map(|figure| figure as &(dyn ToSql + Sync)));
    parameters.extend([&wanted.now.0 as &(dyn ToSql + Sync), &wanted.expires.0]);
    transaction.execute(&sql, &parameters).await?;
    Ok(Reserved::Granted(id))
}

/// Books what nobody came back for as spent.
async fn book_expired(transaction: &Transaction<'_>, now: Timestamp) -> Result<(), Failure> {
    let sql = format!(
        "SELECT {ACCOUNT}, number, day, {FIGURES} FROM epitome.reservations WHERE expires_at <= $1 ORDER BY number"
    );
    for row in transaction.all(&sql, &[&now.0]).await? {
        let open = open_row(&row)?;
        end(transaction, &open, Some((Basis::Expired, open.worst)), now).await?;
    }
    Ok(())
}

pub(super) async fn settle(
    transaction: &Transaction<'_>,
    id: ReservationId,
    settlement: Settlement,
    now: Timestamp,
) -> Result<(), Failure> {
    let sql = format!("SELECT {ACCOUNT}, number, day, {FIGURES} FROM epitome.reservations WHERE number = $1");
    if let Some(row) = transaction.maybe(&sql, &[&id.0]).await? {
        let open = open_row(&row)?;
        return end(transaction, &open, close(open.worst, settlement), now).await;
    }
    let sql = format!("SELECT {ENTRY} FROM epitome.ledger_entries WHERE reservation = $1");
    let closed = |row: &Row| {
        let NewEntry { basis, account, day, figures, .. } = entry_row(row)?.entry;
        Ok(Closed { basis, account, day, figures })
    };
    let left = transaction.all(&sql, &[&id.0]).await?;
    let left = left.iter().map(closed).collect::<Result<Vec<_>, Failure>>()?;
    if left.is_empty() && settlement != Settlement::Released {
        return Err(Failure::Missing { what: "reservation", id: id.0.to_string() });
    }
    let Some((booked, difference)) = correct(&left, settlement) else { return Ok(()) };
    let (account, day) = (booked.account.clone(), booked.day);
    let entry = NewEntry { at: now, day, account, formula: None, basis: Basis::Corrected, figures: difference };
    book(transaction, None, &entry, Some(id)).await
}

/// Takes a reservation away and books what is to be booked for it.
async fn end(
    transaction: &Transaction<'_>,
    open: &Open,
    booked: Option<(Basis, Figures)>,
    now: Timestamp,
) -> Result<(), Failure> {
    transaction.execute("DELETE FROM epitome.reservations WHERE number = $1", &[&open.id.0]).await?;
    let Some((basis, figures)) = booked else { return Ok(()) };
    let entry = NewEntry { at: now, day: open.day, account: open.account.clone(), formula: None, basis, figures };
    book(transaction, None, &entry, Some(open.id)).await
}

pub(super) async fn standing(
    transaction: &Transaction<'_>,
    day: Day,
    session: Option<&str>,
    now: Timestamp,
) -> Result<Standing, Failure> {
    let latest = "SELECT greatest($1, (SELECT max(day) FROM epitome.ledger_totals WHERE model <> ''),
                    (SELECT max(day) FROM epitome.reservations))";
    let day = day_of(transaction.one(latest, &[&i64::from(day.0)]).await?.try_get(0)?)?;
    // Without a session there is nothing to sum up; no row is of the session NULL.
    let (key, name, number) = (session.map(session_key), session.map(encode), i64::from(day.0));
    let stopped = transaction.maybe("SELECT stopped_at FROM epitome.spending_stopped", &[]).await?;
    let in_flight = "SELECT count(*) FROM epitome.reservations WHERE expires_at > $1";
    let in_flight: i64 = transaction.one(in_flight, &[&now.0]).await?.try_get(0)?;
    Ok(Standing {
        day,
        spent_day: sum(transaction, "ledger_totals WHERE model <> '' AND day = $1", &number).await?,
        reserved_day: sum(transaction, "reservations WHERE day = $1", &number).await?,
        spent_session: sum(transaction, "ledger_totals WHERE model <> '' AND session_key = $1", &key).await?,
        reserved_session: sum(transaction, "reservations WHERE session = $1", &name).await?,
        in_flight: u32::try_from(in_flight).unwrap_or(u32::MAX),
        spending: match stopped {
            Some(row) => Spending::Stopped(Timestamp(row.try_get(0)?)),
            None => Spending::Allowed,
        },
    })
}

async fn sum(transaction: &Transaction<'_>, from: &str, value: &(dyn ToSql + Sync)) -> Result<Amount, Failure> {
    let sql = format!(
        "SELECT coalesce(sum(tokens_in + tokens_out + cache_read + cache_write), 0)::bigint,
           coalesce(sum(money_micros), 0)::bigint FROM epitome.{from}"
    );
    let row = transaction.one(&sql, &[value]).await?;
    Ok(Amount { tokens: row.try_get(0)?, money: Money(row.try_get(1)?) })
}

fn open_row(row: &Row) -> Result<Open, Failure> {
    let (id, day) = (ReservationId(row.try_get(4)?), day_of(row.try_get(5)?)?);
    Ok(Open { account: account(row)?, id, day, worst: figures(row, 6)? })
}
