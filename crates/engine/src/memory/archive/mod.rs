//! From bytes of a source to frames of the archive.
//!
//! Frames end where lines end, at places that the lines themselves choose, so that a file that is written anew cuts
//! into the same frames wherever it says the same. What comes between the last newline and the end is a tail.

mod chunk_reader;
mod completeness;
mod frame;

pub(super) use chunk_reader::{LONGEST_LINE, SourceChunk, SourceChunkReader};
pub(super) use completeness::{damaged_archive, whole_headers};
pub(super) use frame::{FrameBuilder, FrameSizes, ScrubbedBytes};
