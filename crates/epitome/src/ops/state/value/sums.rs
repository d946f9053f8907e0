//! Sums of the ledger on the wire: what dispatches spared and cost their readers, and what models cost.

use schemars::JsonSchema;
use serde::Serialize;
use store::LedgerFigures;

/// Signed: a reply may cost its reader more than it spares. What is measured and what is estimated are never added.
#[derive(Clone, Default, Serialize, JsonSchema)]
pub(crate) struct ValueSums {
    /// Dispatches of operations
    pub(crate) calls: u64,
    /// Of our texts, to readers
    pub(crate) bytes_shown: i64,
    pub(crate) tokens_shown: i64,
    /// Net, measured
    pub(crate) bytes_avoided: i64,
    /// Tokens a reader did not have to read, net, measured; below 0 where it read more
    pub(crate) tokens_avoided: i64,
    /// The price of the tokens avoided
    pub(crate) dollars_avoided: f64,
    /// By formulas, besides what is measured
    pub(crate) estimated_bytes_avoided: i64,
    pub(crate) estimated_tokens_avoided: i64,
    /// Into models that Epitome asked
    pub(crate) tokens_in: i64,
    /// Out of them
    pub(crate) tokens_out: i64,
    pub(crate) cache_read: i64,
    pub(crate) cache_write: i64,
    /// What they cost
    pub(crate) dollars: f64,
}

impl ValueSums {
    pub(crate) fn from_calls(total: &engine::CallTotal) -> Self {
        let (measured, estimated) = (&total.measured, &total.estimated);
        Self {
            calls: total.calls,
            bytes_shown: measured.bytes_shown + estimated.bytes_shown,
            tokens_shown: measured.tokens_shown + estimated.tokens_shown,
            bytes_avoided: measured.bytes_avoided,
            tokens_avoided: measured.tokens_avoided,
            dollars_avoided: measured.money_avoided.to_dollars(),
            estimated_bytes_avoided: estimated.bytes_avoided,
            estimated_tokens_avoided: estimated.tokens_avoided,
            ..Self::default()
        }
    }

    /// Adds what models cost, and what was spared before dispatches were recorded.
    pub(crate) fn with_models(mut self, figures: &LedgerFigures) -> Self {
        self.tokens_in += figures.tokens_in;
        self.tokens_out += figures.tokens_out;
        self.cache_read += figures.cache_read;
        self.cache_write += figures.cache_write;
        self.tokens_avoided += figures.tokens_avoided;
        self.dollars += figures.money.to_dollars();
        self
    }
}
