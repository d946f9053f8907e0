//! Implements `LedgerStore` (cost of model calls under spending ceilings) for `SqliteStore`, in the canonical
//! database.

mod booking;
mod reservations;

use super::SqliteStore;
use crate::rows::day_of;
use crate::{
    LedgerEntry, LedgerStatus, LedgerStore, LedgerTotal, NewEntry, NewReservation, ReservationId, ReservationOutcome,
    Result, Settlement, SpendingState, TotalsBy, TotalsFilter,
};
use async_trait::async_trait;
use booking::{ENTRY, book_entry, entry_row, figures_row};
use model::{ProjectId, Timestamp, UtcDay};
use reservations::{ledger_status, reserve_call, settle_reservation};
use rusqlite::params;

#[async_trait]
impl LedgerStore for SqliteStore {
    async fn reserve_call(&self, wanted: NewReservation) -> Result<ReservationOutcome> {
        self.canonical.write(move |db| reserve_call(db, &wanted)).await
    }

    async fn settle_reservation(
        &self,
        reservation: ReservationId,
        settlement: Settlement,
        now: Timestamp,
    ) -> Result<()> {
        self.canonical.write(move |db| settle_reservation(db, reservation, settlement, now)).await
    }

    async fn ledger_status(&self, day: UtcDay, session: Option<&str>, now: Timestamp) -> Result<LedgerStatus> {
        let session = session.map(str::to_owned);
        self.canonical.read(move |db| ledger_status(db, day, session.as_deref(), now)).await
    }

    async fn set_spending(&self, spending: SpendingState) -> Result<()> {
        self.canonical
            .write(move |db| {
                match spending {
                    SpendingState::Allowed => db.execute("DELETE FROM spending_stopped", [])?,
                    SpendingState::Stopped(at) => {
                        let sql = "INSERT INTO spending_stopped VALUES (1, ?1) ON CONFLICT DO NOTHING";
                        db.execute(sql, [at.0])?
                    }
                };
                Ok(())
            })
            .await
    }

    async fn record_entries(&self, entries: Vec<NewEntry>) -> Result<()> {
        self.canonical.write(move |db| entries.iter().try_for_each(|entry| book_entry(db, entry, None))).await
    }

    async fn ledger_entries(&self, limit: u32) -> Result<Vec<LedgerEntry>> {
        self.canonical
            .read(move |db| {
                let sql = format!("SELECT {ENTRY} FROM ledger_entries ORDER BY number DESC LIMIT ?1");
                let mut statement = db.prepare_cached(&sql)?;
                let rows = statement.query_map([limit], |row| Ok(entry_row(row)))?;
                rows.map(|row| row?).collect()
            })
            .await
    }

    async fn ledger_totals(&self, by: TotalsBy, filter: TotalsFilter) -> Result<Vec<LedgerTotal>> {
        self.canonical
            .read(move |db| {
                let column = by.column_name();
                let sql = format!(
                    "SELECT {column}, sum(entry_count), {SUM_COLUMNS} FROM ledger_totals
                     WHERE day >= ?1 AND (?2 IS NULL OR project_id = ?2) AND (?3 IS NULL OR session = ?3)
                     GROUP BY {column} ORDER BY {column}"
                );
                let mut statement = db.prepare_cached(&sql)?;
                let since = filter.since.map_or(i64::MIN, |day| i64::from(day.0));
                let project = filter.project.as_ref().map(ProjectId::as_str);
                let mut rows = statement.query(params![since, project, filter.session])?;
                let mut totals = Vec::new();
                while let Some(row) = rows.next()? {
                    let key = match by {
                        TotalsBy::Day => day_of(row.get(0)?)?.to_string(),
                        TotalsBy::Session
                        | TotalsBy::Project
                        | TotalsBy::Operation
                        | TotalsBy::Model
                        | TotalsBy::Formula => row.get(0)?,
                    };
                    totals.push(LedgerTotal {
                        key,
                        entries: row.get::<_, i64>(1)? as u64,
                        figures: figures_row(row, 2)?,
                    });
                }
                Ok(totals)
            })
            .await
    }

    async fn prune_ledger(&self, before: Timestamp) -> Result<u64> {
        self.canonical
            .write(move |db| Ok(db.execute("DELETE FROM ledger_entries WHERE at < ?1", [before.0])? as u64))
            .await
    }
}

const SUM_COLUMNS: &str = "coalesce(sum(tokens_in), 0), coalesce(sum(tokens_out), 0), coalesce(sum(cache_read), 0),
  coalesce(sum(cache_write), 0), coalesce(sum(tokens_avoided), 0), coalesce(sum(money_micros), 0)";
