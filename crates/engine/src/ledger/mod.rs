//! The ledger: accounting of what model calls may cost and did cost, and of the tokens that operations saved.
//!
//! No model is called but through [`generate_text`] and [`call_embedder`], which reserve the worst a call can cost
//! before it is made and settle it afterwards, whatever becomes of it. What operations save is noted in [`LedgerNotes`]
//! and written when there is time.

pub(crate) mod embed;
mod ledger_report;
mod notes;
mod prices;
mod provider_fallback;
mod spend_contract;

pub use ledger_report::{LedgerReport, ProviderSpend, SpendReport, SpendSwitch, ValueRequest};
pub(crate) use ledger_report::{build_ledger_report, switch_spending};
pub use notes::{InjectedText, OF_EVENT};
pub(crate) use notes::{LedgerNotes, flush_notes, note_again, note_told, note_view};
pub use prices::{PriceRow, PriceTable, TokenPrice};
pub use provider_fallback::{Degradation, ProviderSet};
pub(crate) use provider_fallback::{GenerationOutcome, generate_text, select_providers};
pub use spend_contract::{CallInitiative, SpendPolicy};
pub(crate) use spend_contract::{CallPurpose, CallRefusal, call_embedder, model_name};

use crate::base::{Clock, StoreScrubber};
use std::sync::Arc;
use std::time::Duration;
use store::Store;

/// What model calls and their accounts need.
pub(crate) struct LedgerContext {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    /// What model calls may cost.
    pub(crate) spend: SpendPolicy,
    /// The conversation, or the run of an agent, that calls and entries belong to.
    pub(crate) session: Option<String>,
    /// How long entries are kept.
    pub(crate) retention: Duration,
    pub(crate) providers: ProviderSet,
    /// What texts for a model outside of the program are scrubbed by.
    pub(crate) scrubber: Arc<StoreScrubber>,
    pub(crate) notes: LedgerNotes,
}
