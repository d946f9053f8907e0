//! Implements `LedgerStore` (cost of model calls under spending ceilings) for `PostgresStore`, in the canonical
//! tables.
//!
//! Numbers are taken before the transaction: one that lost its connection while it committed is tried again and finds
//! its own number.

mod booking;
mod reservations;

use super::PostgresStore;
use super::database::AccessMode;
use super::failure::PostgresFailure;
use super::rows::read_text;
use crate::rows::day_of;
use crate::{
    LedgerEntry, LedgerStatus, LedgerStore, LedgerTotal, NewEntry, NewReservation, ReservationId, ReservationOutcome,
    Result, Settlement, SpendingState, TotalsBy, TotalsFilter,
};
use async_trait::async_trait;
use booking::{ENTRY, book_entry, entry_row, figures_row, session_key, total_key};
use model::{ProjectId, Timestamp, UtcDay};
use reservations::{ledger_status, reserve_call, settle_reservation};
use tokio_postgres::Row;

#[async_trait]
impl LedgerStore for PostgresStore {
    async fn reserve_call(&self, wanted: NewReservation) -> Result<ReservationOutcome> {
        // Drawn before the transaction: an attempt that lost its connection while committing finds its own number
        // again.
        let number = self.next_numbers("reservation_numbers", 1).await?.into_iter().next().unwrap_or_default();
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Canonical).await?;
                // One lock for all spending of the tenant. Ceilings of day and session are sums, which no lock of a row
                // protects.
                self.acquire_lock(&transaction, "spending", "").await?;
                let reserved = reserve_call(&transaction, ReservationId(number), &wanted).await?;
                transaction.commit().await?;
                Ok(reserved)
            })
            .await
    }

    async fn settle_reservation(
        &self,
        reservation: ReservationId,
        settlement: Settlement,
        now: Timestamp,
    ) -> Result<()> {
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Canonical).await?;
                self.acquire_lock(&transaction, "spending", "").await?;
                settle_reservation(&transaction, reservation, settlement, now).await?;
                transaction.commit().await
            })
            .await
    }

    async fn ledger_status(&self, day: UtcDay, session: Option<&str>, now: Timestamp) -> Result<LedgerStatus> {
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                ledger_status(&self.begin_transaction(&mut client, AccessMode::Read).await?, day, session, now).await
            })
            .await
    }

    async fn set_spending(&self, spending: SpendingState) -> Result<()> {
        let stop = "INSERT INTO epitome.spending_stopped (stopped_at) VALUES ($1) ON CONFLICT (tenant_id) DO NOTHING";
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Canonical).await?;
                // Taken here too, so that no reservation is granted after `stop` has returned.
                self.acquire_lock(&transaction, "spending", "").await?;
                match spending {
                    SpendingState::Allowed => transaction.execute("DELETE FROM epitome.spending_stopped", &[]).await?,
                    SpendingState::Stopped(at) => transaction.execute(stop, &[&at.0]).await?,
                };
                transaction.commit().await
            })
            .await
    }

    async fn record_entries(&self, entries: Vec<NewEntry>) -> Result<()> {
        let numbers = self.next_numbers("ledger_numbers", entries.len()).await?;
        let Some(first) = numbers.first() else { return Ok(()) };
        let mut numbered: Vec<(i64, &NewEntry)> = numbers.iter().copied().zip(&entries).collect();
        // Every transaction writes the totals in the same order, so that two of them never wait for each other's rows.
        numbered.sort_by_cached_key(|(_, entry)| total_key(entry));
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Canonical).await?;
                let stored = "SELECT 1 FROM epitome.ledger_entries WHERE number = $1";
                // The numbers are drawn only once, so a first number that is stored means that the attempt before did
                // commit.
                if transaction.query_optional(stored, &[first]).await?.is_some() {
                    return Ok(());
                }
                for (number, entry) in &numbered {
                    book_entry(&transaction, Some(*number), entry, None).await?;
                }
                transaction.commit().await
            })
            .await
    }

    async fn ledger_entries(&self, limit: u32) -> Result<Vec<LedgerEntry>> {
        let sql = format!("SELECT {ENTRY} FROM epitome.ledger_entries ORDER BY number DESC LIMIT $1");
        self.query_rows(&sql, &[&i64::from(limit)], entry_row).await
    }

    async fn ledger_totals(&self, by: TotalsBy, filter: TotalsFilter) -> Result<Vec<LedgerTotal>> {
        let column = by.column_name();
        let sql = format!(
            "SELECT sum(entry_count)::bigint, {SUM_COLUMNS}, {column} FROM epitome.ledger_totals
             WHERE day >= $1 AND ($2::text IS NULL OR project_id = $2) AND ($3::bytea IS NULL OR session_key = $3)
             GROUP BY {column}"
        );
        let since = filter.since.map_or(i64::MIN, |day| i64::from(day.0));
        let project = filter.project.as_ref().map(ProjectId::as_str);
        let session = filter.session.as_deref().map(session_key);
        let row = |row: &Row| {
            let key = match by {
                TotalsBy::Day => day_of(row.try_get(7)?)?.to_string(),
                TotalsBy::Session | TotalsBy::Project | TotalsBy::Operation | TotalsBy::Model | TotalsBy::Formula => {
                    read_text(row, 7)?
                }
            };
            Ok(LedgerTotal { key, entries: row.try_get::<_, i64>(0)? as u64, figures: figures_row(row, 1)? })
        };
        let mut totals = self.query_rows(&sql, &[&since, &project, &session], row).await?;
        totals.sort_unstable_by(|a, b| a.key.cmp(&b.key));
        Ok(totals)
    }

    async fn prune_ledger(&self, before: Timestamp) -> Result<u64> {
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Canonical).await?;
                let dropped =
                    transaction.execute("DELETE FROM epitome.ledger_entries WHERE at < $1", &[&before.0]).await?;
                transaction.commit().await?;
                Ok(dropped)
            })
            .await
    }
}

impl PostgresStore {
    /// Numbers of a sequence that no other caller gets, in rising order.
    pub(super) async fn next_numbers(&self, sequence: &str, count: usize) -> Result<Vec<i64>> {
        let sql = format!("SELECT nextval('epitome.{sequence}') FROM generate_series(1, $1::bigint)");
        let mut numbers = self
            .database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                // Derived, so that drawing a number does not wait for the disk: a gap in the sequence after a crash
                // does no harm.
                let transaction = self.begin_transaction(&mut client, AccessMode::Derived).await?;
                let rows = transaction.query_all(&sql, &[&(count as i64)]).await?;
                transaction.commit().await?;
                rows.iter().map(|row| Ok(row.try_get(0)?)).collect::<Result<Vec<i64>, PostgresFailure>>()
            })
            .await?;
        numbers.sort_unstable();
        Ok(numbers)
    }
}

const SUM_COLUMNS: &str =
    "sum(tokens_in)::bigint, sum(tokens_out)::bigint, sum(cache_read)::bigint, sum(cache_write)::bigint,
  sum(tokens_avoided)::bigint, sum(money_micros)::bigint";
