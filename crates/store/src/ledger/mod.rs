//! `LedgerStore`, the store trait for the ledger: what model calls may cost and did cost, and what operations saved.
//!
//! Two things with one rule, that nothing gets lost. A **reservation** is the worst a call can cost, taken before the
//! call is made and refused, in the same transaction that looks, when a ceiling would be passed. An **entry** is what
//! happened; entries are only ever added, and what turns out to have been booked too high is booked back. Totals are
//! kept with the entries and outlive them.

mod entry;
mod reservation;

pub use entry::{EntryBasis, LedgerAccount, LedgerEntry, LedgerFigures, LedgerTotal, NewEntry, TotalsBy, TotalsFilter};
pub use reservation::{
    CeilingKind, LedgerStatus, NewReservation, ReservationId, ReservationOutcome, Settlement, SpendAmount, SpendLimits,
    SpendRefusal, SpendingState,
};
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) use reservation::{OpenReservation, ReservationEntry, closing_figures, find_correction, find_refusal};

use crate::Result;
use async_trait::async_trait;
use model::{Timestamp, UtcDay};

/// Model calls under their ceilings, and the ledger.
#[async_trait]
pub trait LedgerStore: Send + Sync {
    /// Reserves the worst a call can cost, or says which ceiling stands against it. However many ask at once, and from
    /// however many processes, what is reserved and spent never passes a ceiling.
    ///
    /// Reservations that have expired by now are first booked as spent: the callers that made them never settled
    /// them.
    async fn reserve_call(&self, wanted: NewReservation) -> Result<ReservationOutcome>;

    /// Ends a reservation with what became of its call. Saying the same again changes nothing.
    ///
    /// A reservation that expired meanwhile was booked at its worst; the difference is booked back. `NotFound` when
    /// there is neither reservation nor entry, unless it is released.
    async fn settle_reservation(
        &self,
        reservation: ReservationId,
        settlement: Settlement,
        now: Timestamp,
    ) -> Result<()>;

    /// Where spending stands. The day in force is `day`, or a later one that was already spent on: a clock that is put
    /// back frees nothing.
    async fn ledger_status(&self, day: UtcDay, session: Option<&str>, now: Timestamp) -> Result<LedgerStatus>;

    /// Lets reservations be made, or refuses all of them until it is allowed again. What is on its way is settled as
    /// always.
    async fn set_spending(&self, spending: SpendingState) -> Result<()>;

    /// Adds entries, all or none.
    async fn record_entries(&self, entries: Vec<NewEntry>) -> Result<()>;

    /// The newest entries, newest first.
    async fn ledger_entries(&self, limit: u32) -> Result<Vec<LedgerEntry>>;

    /// Totals of everything ever booked, ordered by key. What has no session, project, model or formula is under the
    /// empty key.
    async fn ledger_totals(&self, by: TotalsBy, filter: TotalsFilter) -> Result<Vec<LedgerTotal>>;

    /// Drops entries older than a moment and says how many; totals stay.
    async fn prune_ledger(&self, before: Timestamp) -> Result<u64>;
}
