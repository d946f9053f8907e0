//! Cuts the bytes of a transcript file into frames, the blocks in which the archive stores it.
//!
//! Frames end at line ends that are chosen by a hash of the lines (content-defined chunking), so that a rewritten file
//! has the same frames wherever its lines are the same. The bytes behind the last newline are the tail.

mod chunk_reader;
mod completeness;
mod frame;

pub(super) use chunk_reader::{LONGEST_LINE, SourceChunk, SourceChunkReader};
pub(super) use completeness::{damaged_archive, whole_headers};
pub(super) use frame::{FrameBuilder, FrameSizes, ScrubbedBytes};
