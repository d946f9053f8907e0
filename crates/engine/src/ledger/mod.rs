//! The ledger: what model calls may cost and did cost, and what operations saved.
//!
//! No model is called but through [`write`] and [`embed`], which reserve the worst a call can cost before it is made and
//! settle it afterwards, whatever becomes of it. What operations save is noted in [`Notes`] and written when there is time.

mod chain;
mod contract;
mod notes;
mod prices;
mod value;

pub use chain::{Degraded, Providers};
pub(crate) use chain::{Written, chosen, write};
pub use contract::{Initiative, Spend};
pub(crate) use contract::{Purpose, Refused, embed, model_name};
pub(crate) use notes::{Notes, flush, note_again, note_told, note_view};
pub use notes::{OF_EVENT, Told};
pub use prices::{Price, PriceRow, Prices};
pub use value::{ProviderSpend, SpendReport, Switch, Value, ValueRequest};
pub(crate) use value::{switch_spending, value};
