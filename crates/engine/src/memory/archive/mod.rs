//! From bytes of a source to frames of the archive.
//!
//! Frames end where lines end, at places that the lines themselves choose, so that a file that is written anew cuts
//! into the same frames wherever it says the same. What comes between the last newline and the end is a tail.

mod frame;
mod piece;
mod whole;

pub(super) use frame::{Framer, Kept, Sizes};
pub(super) use piece::{LONGEST_LINE, Piece, Pieces};
pub(super) use whole::{damaged_archive, whole_marks};
