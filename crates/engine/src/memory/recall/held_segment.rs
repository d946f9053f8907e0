//! An index segment of recall that is held in memory, because it is small or the store takes none. Its terms and
//! postings are one byte image that is read in place, as a memory-mapped stored segment will be.

use super::segment_builder::BuiltSegment;
use super::segment_metadata::SegmentMetadata;
use search::{DamagedImage, SegmentImage, write_image};
use std::sync::Arc;

/// A segment in memory.
pub(super) struct HeldSegment {
    pub(super) heads: Arc<SegmentMetadata>,
    terms: SegmentImage<Vec<u8>>,
}

impl HeldSegment {
    /// Of what was built; nothing where that is larger than an image can be.
    pub(super) fn new(built: BuiltSegment) -> Option<Self> {
        let terms = SegmentImage::open(write_image(&built.postings)?).ok()?;
        Some(Self { heads: built.heads, terms })
    }

    /// The postings of a term; nothing where no passage holds it.
    pub(super) fn find_term(&self, term: &str) -> Result<Option<&[u8]>, DamagedImage> {
        self.terms.find_term(term)
    }

    /// All terms with their postings, in order.
    pub(super) fn all_terms(&self) -> impl Iterator<Item = Result<(&str, &[u8]), DamagedImage>> {
        self.terms.all_terms()
    }
}
