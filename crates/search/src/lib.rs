//! The search engine library that code search and recall (search of conversations) share: inverted index and ranking.
//!
//! Pure: bytes and numbers in, bytes and numbers out. The crate knows neither stores nor what its documents are;
//! parameters that were fitted for one kind of text are arguments, not copies of the code.
//!
//! ```text
//! words      stem, stop_words           what a word stands for, and which say nothing
//! index      segment, postings          from counted words to segments, and from several segments to one
//! ranking    bm25, vectors, sketch, fusion  what a word, a meaning and a place in a ranking are worth
//! memory     view                       one version of a store in memory, read again while others write
//! bytes      byte_codec, simd           how numbers are written, and how loops run wide
//! ```

mod bm25;
mod byte_codec;
mod fusion;
mod postings;
mod segment;
mod simd;
mod sketch;
mod stem;
mod stop_words;
mod vectors;
mod view;

pub use bm25::{Bm25, idf};
pub use byte_codec::{ByteReader, ByteWriter, DamagedBytes};
pub use fusion::{ValueSpread, reciprocal_rank};
pub use postings::{FieldCounts, PostingsWriter, each_posting};
pub use segment::{
    CountedText, DamagedImage, DocumentMoves, EncodedTerm, PartPostings, SegmentImage, SegmentTerms, TermCounter,
    crowded_segments, merge_postings, write_image,
};
pub use simd::{SimdKernel, run_simd};
pub use sketch::{SignSketch, nearest_sketches, sketch_signs};
pub use stem::StemRules;
pub use stop_words::is_stop_word;
pub use vectors::{ByteScale, QueryVector, quantize, vector_length};
pub use view::{Attempts, ViewLoader, ViewReading, load_view};
