//! Data types of reservations (the worst-case cost of a model call, held before the call is made), and the rules for
//! ceilings, settlement and corrections that both stores apply inside their transactions.

#[cfg(any(feature = "sqlite", feature = "postgres"))]
use super::EntryBasis;
use super::{LedgerAccount, LedgerFigures};
use model::{Money, Timestamp, UtcDay};
use std::ops::Add;

/// Tokens and money together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpendAmount {
    /// Tokens, in and out.
    pub tokens: i64,
    /// Money.
    pub money: Money,
}

impl SpendAmount {
    /// What of `self` goes through a model and what it costs.
    pub fn from_figures(figures: &LedgerFigures) -> Self {
        Self { tokens: figures.spent_tokens(), money: figures.money }
    }

    /// Whether neither part is more than that of `limit`.
    pub fn fits_within(self, limit: Self) -> bool {
        self.tokens <= limit.tokens && self.money <= limit.money
    }
}

impl Add for SpendAmount {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { tokens: self.tokens.saturating_add(other.tokens), money: self.money + other.money }
    }
}

/// What may be spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpendLimits {
    /// By one call.
    pub call: SpendAmount,
    /// By all calls of one session, ever.
    pub session: SpendAmount,
    /// By all calls of one day.
    pub day: SpendAmount,
    /// How many calls may be on their way at once.
    pub concurrent: u32,
}

/// A call to a model that the caller wants to make.
#[derive(Clone, Debug)]
pub struct NewReservation {
    /// Whose it is.
    pub account: LedgerAccount,
    /// The worst it can cost.
    pub worst: LedgerFigures,
    /// The ceilings it must stay under.
    pub limits: SpendLimits,
    /// Today.
    pub day: UtcDay,
    /// Now.
    pub now: Timestamp,
    /// When to take it for lost, and for spent.
    pub expires: Timestamp,
}

/// A reservation, by the number that its store gave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReservationId(pub i64);

/// The answer to a wish to make a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReservationOutcome {
    /// Make it, and come back to settle.
    Reserved(ReservationId),
    /// Do not make it.
    Refused(SpendRefusal),
}

/// Why a call may not be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpendRefusal {
    /// The user stopped all spending.
    Stopped {
        /// When.
        since: Timestamp,
    },
    /// As many calls as may be are on their way.
    Busy {
        /// How many may be.
        limit: u32,
    },
    /// A ceiling would be passed.
    Over {
        /// Which.
        ceiling: CeilingKind,
        /// How high it is.
        limit: SpendAmount,
        /// What is spent and reserved under it.
        used: SpendAmount,
        /// What the call may cost.
        wanted: SpendAmount,
    },
}

/// Something that may not be passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CeilingKind {
    /// That of one call.
    Call,
    /// That of a session.
    Session,
    /// That of a day.
    Day,
}

/// What became of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settlement {
    /// The vendor reported what it used.
    Used(LedgerFigures),
    /// It was made, or may have been, and the vendor did not report what it used: all that was reserved.
    Unknown,
    /// It was never made.
    Released,
}

/// Whether calls may be made at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpendingState {
    /// Under the ceilings.
    Allowed,
    /// Not at all, since a moment.
    Stopped(Timestamp),
}

/// Where spending stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LedgerStatus {
    /// The day in force: today, or a later one that was spent on while a clock was ahead.
    pub day: UtcDay,
    /// Spent on that day.
    pub spent_day: SpendAmount,
    /// Reserved on that day.
    pub reserved_day: SpendAmount,
    /// Spent by the session asked about.
    pub spent_session: SpendAmount,
    /// Reserved by it.
    pub reserved_session: SpendAmount,
    /// Calls on their way.
    pub in_flight: u32,
    /// Whether calls may be made at all.
    pub spending: SpendingState,
}

/// The ceiling or limit that forbids a call, if there is one.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) fn find_refusal(wanted: &NewReservation, standing: &LedgerStatus) -> Option<SpendRefusal> {
    let limits = &wanted.limits;
    // The user's stop comes before all ceilings, so that the answer names the reason that the user can undo.
    if let SpendingState::Stopped(since) = standing.spending {
        return Some(SpendRefusal::Stopped { since });
    }
    let amount = SpendAmount::from_figures(&wanted.worst);
    // Reserved amounts count like spent ones. Otherwise two calls at once would each see room that only one of them
    // has.
    let ceilings = [
        (CeilingKind::Call, limits.call, SpendAmount::default()),
        (CeilingKind::Session, limits.session, standing.spent_session + standing.reserved_session),
        (CeilingKind::Day, limits.day, standing.spent_day + standing.reserved_day),
    ];
    // A call without a session has no session ceiling; adding up all such calls would make unrelated callers share one.
    let known = |ceiling| ceiling != CeilingKind::Session || wanted.account.session.is_some();
    for (ceiling, limit, used) in ceilings.into_iter().filter(|(ceiling, ..)| known(*ceiling)) {
        if !(used + amount).fits_within(limit) {
            return Some(SpendRefusal::Over { ceiling, limit, used, wanted: amount });
        }
    }
    // Busy is the last check because it is the only refusal that passes by itself: a caller may wait and ask again.
    (standing.in_flight >= limits.concurrent).then_some(SpendRefusal::Busy { limit: limits.concurrent })
}

/// A reservation that is not settled.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) struct OpenReservation {
    pub(crate) id: ReservationId,
    pub(crate) account: LedgerAccount,
    pub(crate) day: UtcDay,
    pub(crate) worst: LedgerFigures,
}

/// The entry to book when a reservation ends; `None` when its call was never made.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) fn closing_figures(worst: LedgerFigures, settlement: Settlement) -> Option<(EntryBasis, LedgerFigures)> {
    match settlement {
        // The vendor's figures may exceed what was reserved. They are booked as they are: the money is spent.
        Settlement::Used(figures) => Some((EntryBasis::Reported, figures)),
        // The request may have reached the vendor, so the worst case is booked; a ceiling must never be passed by a
        // guess.
        Settlement::Unknown => Some((EntryBasis::Estimated, worst)),
        Settlement::Released => None,
    }
}

/// An entry that a reservation left behind.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) struct ReservationEntry {
    pub(crate) basis: EntryBasis,
    pub(crate) account: LedgerAccount,
    pub(crate) day: UtcDay,
    pub(crate) figures: LedgerFigures,
}

/// The correction to book when a reservation that is booked as expired is settled after all.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) fn find_correction(
    left: &[ReservationEntry],
    settlement: Settlement,
) -> Option<(&ReservationEntry, LedgerFigures)> {
    // Two entries mean that the correction was booked before. Booking it again would give money back twice.
    let [only] = left else { return None };
    if only.basis != EntryBasis::Expired {
        return None;
    }
    let difference = match settlement {
        Settlement::Used(figures) => figures - only.figures,
        // The expired entry already holds the full reservation, which is also the figure for an unknown outcome.
        Settlement::Unknown => return None,
        Settlement::Released => -only.figures,
    };
    Some((only, difference))
}
