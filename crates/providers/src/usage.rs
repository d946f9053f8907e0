//! `Usage`, the token counts that a vendor reports for an answer, in the same four numbers for every vendor.
//!
//! The numbers are disjoint: `input` is what was neither read from nor written to the vendor's prompt cache, because
//! the three have different prices. Numbers no model can reach are no report: a ledger that believed them would close
//! the account, or open it.

/// Tokens of one answer, as reported; `None` where the vendor says nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Read for the full price.
    pub input: Option<u64>,
    /// Written, reasoning included.
    pub output: Option<u64>,
    /// Read from the prompt cache.
    pub cache_read: Option<u64>,
    /// Written to the prompt cache.
    pub cache_write: Option<u64>,
}

impl Usage {
    /// Beyond what any model reads or writes in one call.
    const MAX_PLAUSIBLE_TOKENS: u64 = 20_000_000;

    /// The same, or the name of the number that cannot be true.
    pub fn check_limits(self) -> Result<Self, &'static str> {
        let Self { input, output, cache_read, cache_write } = self;
        let named = [("input", input), ("output", output), ("cache reads", cache_read), ("cache writes", cache_write)];
        match named.into_iter().find(|(_, number)| number.is_some_and(|number| number > Self::MAX_PLAUSIBLE_TOKENS)) {
            Some((name, _)) => Err(name),
            None => Ok(self),
        }
    }

    /// The sum of both; a missing number counts as zero.
    pub fn combine_with(self, other: Self) -> Self {
        let sum = |a: Option<u64>, b: Option<u64>| match (a, b) {
            // Unknown stays unknown: zero would be a statement that the vendor never made.
            (None, None) => None,
            (a, b) => Some(a.unwrap_or(0).saturating_add(b.unwrap_or(0))),
        };
        Self {
            input: sum(self.input, other.input),
            output: sum(self.output, other.output),
            cache_read: sum(self.cache_read, other.cache_read),
            cache_write: sum(self.cache_write, other.cache_write),
        }
    }
}
