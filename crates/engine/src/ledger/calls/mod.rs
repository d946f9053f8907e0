//! Books dispatches of operations: turns what a door noted into entries of the ledger, with what each spared its reader
//! and cost it.

mod booking;
mod formula;
mod note;
mod session_track;

pub(super) use booking::{BookedCalls, BookingContext, book_note};
pub use formula::ValueFormula;
pub use note::{CallFacts, CallNote, CallSource, ReplacedText, ShownFile};
pub(super) use session_track::SessionTracks;
