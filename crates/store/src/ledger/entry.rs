//! Data types of the ledger's entries (tokens and money of model calls, tokens that operations saved) and of the
//! totals over them, grouped by day, session, project, operation, model or formula.

use super::ReservationId;
use model::{Money, ProjectId, Timestamp, UtcDay};
use std::ops::{Add, Neg, Sub};

/// Whose an entry is.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LedgerAccount {
    /// The operation that made it.
    pub operation: String,
    /// The project it was made for.
    pub project: Option<ProjectId>,
    /// The conversation, or the run of an agent, that it belongs to; never empty.
    pub session: Option<String>,
    /// The vendor and model that were called, as `vendor/model`; never empty. None where no model was.
    pub model: Option<String>,
}

/// The counted figures. All are signed: a correction subtracts, and an operation may cost more than it avoids.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LedgerFigures {
    /// Tokens that went into a model, without those below.
    pub tokens_in: i64,
    /// Tokens that came out.
    pub tokens_out: i64,
    /// Tokens that the vendor took from its cache.
    pub cache_read: i64,
    /// Tokens that the vendor put into its cache.
    pub cache_write: i64,
    /// Tokens that a reader did not have to read; below zero where it read more for our sake.
    pub tokens_avoided: i64,
    /// What it cost.
    pub money: Money,
}

impl LedgerFigures {
    /// Tokens that count against ceilings: all that went through a model, whatever each cost.
    pub fn spent_tokens(&self) -> i64 {
        [self.tokens_in, self.tokens_out, self.cache_read, self.cache_write].into_iter().fold(0, i64::saturating_add)
    }

    /// The columns of both stores, in their order.
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(crate) fn encode_columns(&self) -> [i64; 6] {
        let Self { tokens_in, tokens_out, cache_read, cache_write, tokens_avoided, money } = *self;
        [tokens_in, tokens_out, cache_read, cache_write, tokens_avoided, money.0]
    }

    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(crate) fn from_columns(
        [tokens_in, tokens_out, cache_read, cache_write, tokens_avoided, money]: [i64; 6],
    ) -> Self {
        Self { tokens_in, tokens_out, cache_read, cache_write, tokens_avoided, money: Money(money) }
    }

    fn combine_with(self, other: Self, with: fn(i64, i64) -> i64) -> Self {
        Self {
            tokens_in: with(self.tokens_in, other.tokens_in),
            tokens_out: with(self.tokens_out, other.tokens_out),
            cache_read: with(self.cache_read, other.cache_read),
            cache_write: with(self.cache_write, other.cache_write),
            tokens_avoided: with(self.tokens_avoided, other.tokens_avoided),
            money: Money(with(self.money.0, other.money.0)),
        }
    }
}

impl Add for LedgerFigures {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        self.combine_with(other, i64::saturating_add)
    }
}

impl Sub for LedgerFigures {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self.combine_with(other, i64::saturating_sub)
    }
}

impl Neg for LedgerFigures {
    type Output = Self;
    fn neg(self) -> Self {
        Self::default() - self
    }
}

/// Where the figures of an entry come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryBasis {
    /// We counted them; the formula says how.
    Counted,
    /// The vendor reported them.
    Reported,
    /// The vendor did not say: what was reserved.
    Estimated,
    /// The caller never settled the reservation: what was reserved.
    Expired,
    /// The difference between what was booked for an expired reservation and what it turned out to be.
    Corrected,
}

model::enum_words! {
    pub EntryBasis {
        Counted = "counted",
        Reported = "reported",
        Estimated = "estimated",
        Expired = "expired",
        Corrected = "corrected",
    }
}

/// An entry to add.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewEntry {
    /// When.
    pub at: Timestamp,
    /// The day it counts for.
    pub day: UtcDay,
    /// Whose it is.
    pub account: LedgerAccount,
    /// The name of the formula that counted tokens avoided; never empty.
    pub formula: Option<String>,
    /// Where the figures come from.
    pub basis: EntryBasis,
    /// The figures.
    pub figures: LedgerFigures,
}

/// An entry of the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerEntry {
    /// What was added.
    pub entry: NewEntry,
    /// The reservation that it ended.
    pub reservation: Option<ReservationId>,
}

/// The key of totals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TotalsBy {
    /// The day, as `Day` writes itself.
    Day,
    /// The session.
    Session,
    /// The project.
    Project,
    /// The operation.
    Operation,
    /// The model.
    Model,
    /// The formula.
    Formula,
}

#[cfg(any(feature = "sqlite", feature = "postgres"))]
impl TotalsBy {
    /// The column that both stores have for it.
    pub(crate) fn column_name(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Session => "session",
            Self::Project => "project_id",
            Self::Operation => "operation",
            Self::Model => "model",
            Self::Formula => "formula",
        }
    }
}

/// Which entries a total is over.
#[derive(Clone, Debug, Default)]
pub struct TotalsFilter {
    /// From this day on.
    pub since: Option<UtcDay>,
    /// Only of this project.
    pub project: Option<ProjectId>,
    /// Only of this session.
    pub session: Option<String>,
}

/// What some entries add up to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerTotal {
    /// What they have in common.
    pub key: String,
    /// How many they are.
    pub entries: u64,
    /// Their sums.
    pub figures: LedgerFigures,
}
