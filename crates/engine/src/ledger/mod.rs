//! The ledger: accounting of what model calls may cost and did cost, and of what dispatches of operations spared.
//!
//! No model is called but through [`generate_text`] and [`call_embedder`], which reserve the worst a call can cost
//! before it is made and settle it afterwards, whatever becomes of it. Doors note every dispatch in [`LedgerNotes`],
//! which is booked (`calls`) and written a moment later; `modes` learns from it how files are best shown.

mod call_report;
mod calls;
mod closed_days;
pub(crate) mod embed;
mod injection_level;
mod ledger_report;
pub(crate) mod modes;
mod notes;
mod prices;
mod provider_fallback;
mod spend_contract;

pub use call_report::{SessionValue, ValueTotals};
pub(crate) use call_report::{build_session_value, build_value_totals};
pub use calls::{CallFacts, CallNote, CallSource, ReplacedText, ShownFile, ValueFormula};
pub(crate) use closed_days::ClosedDays;
use closed_days::total_calls;
pub use injection_level::InjectionLevel;
pub(crate) use injection_level::find_injection_level;
pub use ledger_report::{
    LedgerReport, ProviderSpend, ReturnsReport, SpendReport, SpendSwitch, ValueGrouping, ValueRequest, ValuedModel,
};
pub(crate) use ledger_report::{build_ledger_report, switch_spending};
pub use modes::{ModeArmReport, ModeReset, ModeSlotReport, ModesReport};
pub use notes::{InjectedText, OF_EVENT};
pub(crate) use notes::{LedgerNotes, flush_notes, note_again, note_call, note_told, wait_for_notes};
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
    /// The model whose price tokens are counted at, as `vendor/model`.
    pub(crate) priced_model: String,
    /// Whether view modes are chosen by what was learned.
    pub(crate) adaptive_modes: bool,
    /// Within so many turns a wider reading of the same file is one more.
    pub(crate) window_turns: u64,
    pub(crate) providers: ProviderSet,
    /// What texts for a model outside of the program are scrubbed by.
    pub(crate) scrubber: Arc<StoreScrubber>,
    pub(crate) notes: LedgerNotes,
    /// What days that are over came to.
    pub(crate) closed_days: ClosedDays,
}
