//! `ExpansionGrant`, a permission for a delegated agent to expand summaries (which ones, how many tokens, until when),
//! and `decide_charge`, the rule by which both stores count tokens against it.

use model::{ConversationId, GrantId, SummaryId, Timestamp, TokenCount};

/// Leave to expand summaries, handed to a delegate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpansionGrant {
    /// Its id.
    pub id: GrantId,
    /// Who gave it.
    pub issuer: String,
    /// The conversations it is for.
    pub conversations: Vec<ConversationId>,
    /// The summaries it is for, with all they cover; none for every one of its conversations.
    pub summaries: Vec<SummaryId>,
    /// How many levels an expansion may go down.
    pub max_depth: u32,
    /// Tokens it is good for.
    pub cap: TokenCount,
    /// Tokens used of them.
    pub used: TokenCount,
    /// When it was given.
    pub issued: Timestamp,
    /// When it ends.
    pub expires: Timestamp,
    /// When it was taken back.
    pub revoked: Option<Timestamp>,
}

/// What became of a wish to use a grant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChargeOutcome {
    /// Counted.
    Counted {
        /// Tokens left of the grant.
        left: TokenCount,
    },
    /// Nothing was counted.
    Refused(GrantRefusal),
}

/// Why a grant cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GrantRefusal {
    /// No grant has this id.
    Unknown,
    /// It was taken back.
    Revoked,
    /// Its time is over.
    Expired,
    /// Too little is left of it.
    Spent {
        /// Tokens left.
        left: TokenCount,
    },
}

/// Whether tokens may be counted against a grant.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) fn decide_charge(grant: Option<&ExpansionGrant>, tokens: TokenCount, now: Timestamp) -> ChargeOutcome {
    let Some(grant) = grant else { return ChargeOutcome::Refused(GrantRefusal::Unknown) };
    let left = grant.cap.saturating_sub(grant.used);
    // Revocation comes first: the refusal of a revoked grant should not say that it merely expired.
    if grant.revoked.is_some() {
        ChargeOutcome::Refused(GrantRefusal::Revoked)
    } else if now >= grant.expires {
        ChargeOutcome::Refused(GrantRefusal::Expired)
    } else if tokens > left {
        ChargeOutcome::Refused(GrantRefusal::Spent { left })
    } else {
        ChargeOutcome::Counted { left: left.saturating_sub(tokens) }
    }
}

/// A list of ids as one text; ids have no blanks.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) fn join_ids<'a>(ids: impl IntoIterator<Item = &'a str>) -> String {
    ids.into_iter().collect::<Vec<_>>().join(" ")
}

/// The ids of a list.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) fn split_ids(list: &str) -> impl Iterator<Item = &str> {
    list.split(' ').filter(|id| !id.is_empty())
}
