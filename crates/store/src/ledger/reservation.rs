//! Reservations: what is asked, what is answered, and the rules that both stores apply inside their transactions.

#[cfg(any(feature = "sqlite", feature = "postgres"))]
use super::Basis;
use super::{Account, Figures};
use model::{Day, Money, Timestamp};
use std::ops::Add;

/// Tokens and money together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    /// Tokens, in and out.
    pub tokens: i64,
    /// Money.
    pub money: Money,
}

impl Amount {
    /// What of `self` goes through a model and what it costs.
    pub fn of(figures: &Figures) -> Self {
        Self { tokens: figures.spent_tokens(), money: figures.money }
    }

    /// Whether neither part is more than that of `limit`.
    pub fn fits(self, limit: Self) -> bool {
        self.tokens <= limit.tokens && self.money <= limit.money
    }
}

impl Add for Amount {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { tokens: self.tokens.saturating_add(other.tokens), money: self.money + other.money }
    }
}

/// What may be spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// By one call.
    pub call: Amount,
    /// By all calls of one session, ever.
    pub session: Amount,
    /// By all calls of one day.
    pub day: Amount,
    /// How many calls may be on their way at once.
    pub concurrent: u32,
}

/// A call that somebody wants to make.
#[derive(Clone, Debug)]
pub struct NewReservation {
    /// Whose it is.
    pub account: Account,
    /// The worst it can cost.
    pub worst: Figures,
    /// The ceilings it must stay under.
    pub limits: Limits,
    /// Today.
    pub day: Day,
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
pub enum Reserved {
    /// Make it, and come back to settle.
    Granted(ReservationId),
    /// Do not make it.
    Refused(Refusal),
}

/// Why a call may not be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Somebody stopped all spending.
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
        ceiling: Ceiling,
        /// How high it is.
        limit: Amount,
        /// What is spent and reserved under it.
        used: Amount,
        /// What the call may cost.
        wanted: Amount,
    },
}

/// Something that may not be passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ceiling {
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
    Used(Figures),
    /// It was made, or may have been, and nobody knows what it used: all that was reserved.
    Unknown,
    /// It was never made.
    Released,
}

/// Whether calls may be made at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spending {
    /// Under the ceilings.
    Allowed,
    /// Not at all, since a moment.
    Stopped(Timestamp),
}

/// Where spending stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The day in force: today, or a later one that was spent on while a clock was ahead.
    pub day: Day,
    /// Spent on that day.
    pub spent_day: Amount,
    /// Reserved on that day.
    pub reserved_day: Amount,
    /// Spent by the session asked about.
    pub spent_session: Amount,
    /// Reserved by it.
    pub reserved_session: Amount,
    /// Calls on their way.
    pub in_flight: u32,
    /// Whether calls may be made at all.
    pub spending: Spending,
}

/// What stands against a call, if anything does.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) fn find_refusal(wanted: &NewReservation, standing: &Standing) -> Option<Refusal> {
    let limits = &wanted.limits;
    if let Spending::Stopped(since) = standing.spending {
        return Some(Refusal::Stopped { since });
    }
    let amount = Amount::of(&wanted.worst);
    let ceilings = [
        (Ceiling::Call, limits.call, Amount::default()),
        (Ceiling::Session, limits.session, standing.spent_session + standing.reserved_session),
        (Ceiling::Day, limits.day, standing.spent_day + standing.reserved_day),
    ];
    let known = |ceiling| ceiling != Ceiling::Session || wanted.account.session.is_some();
    for (ceiling, limit, used) in ceilings.into_iter().filter(|(ceiling, ..)| known(*ceiling)) {
        if !(used + amount).fits(limit) {
            return Some(Refusal::Over { ceiling, limit, used, wanted: amount });
        }
    }
    (standing.in_flight >= limits.concurrent).then_some(Refusal::Busy { limit: limits.concurrent })
}

/// A reservation that is not settled.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) struct OpenReservation {
    pub(crate) id: ReservationId,
    pub(crate) account: Account,
    pub(crate) day: Day,
    pub(crate) worst: Figures,
}

/// What to book when a reservation ends: nothing when its call was never made.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) fn closing_figures(worst: Figures, settlement: Settlement) -> Option<(Basis, Figures)> {
    match settlement {
        Settlement::Used(figures) => Some((Basis::Reported, figures)),
        Settlement::Unknown => Some((Basis::Estimated, worst)),
        Settlement::Released => None,
    }
}

/// An entry that a reservation left behind.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) struct ReservationEntry {
    pub(crate) basis: Basis,
    pub(crate) account: Account,
    pub(crate) day: Day,
    pub(crate) figures: Figures,
}

/// What to book back when a reservation that is booked as expired is settled after all.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) fn find_correction(
    left: &[ReservationEntry],
    settlement: Settlement,
) -> Option<(&ReservationEntry, Figures)> {
    let [only] = left else { return None };
    if only.basis != Basis::Expired {
        return None;
    }
    let difference = match settlement {
        Settlement::Used(figures) => figures - only.figures,
        Settlement::Unknown => return None,
        Settlement::Released => -only.figures,
    };
    Some((only, difference))
}
