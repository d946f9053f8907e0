//! Immutable segments of the inverted index (terms of some documents with their postings), and their merge policy.
//!
//! Every write makes a segment, and a question reads all of them. So when there are too many of about the same size
//! they are merged, as in a log-structured merge tree: each document is written again only a few times, and documents
//! that are not used any more are left out.

mod image;
mod merge;
mod term_counter;

pub use image::{DamagedImage, SegmentImage, write_image};
pub use merge::{DocumentMoves, PartPostings, merge_postings};
pub use term_counter::{CountedText, SegmentTerms, TermCounter};

use std::collections::BTreeMap;

/// One term of a segment with its postings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodedTerm {
    /// The term.
    pub term: String,
    /// Its postings, see [`crate::PostingsWriter`].
    pub bytes: Vec<u8>,
}

/// How many segments of one size class may exist side by side.
const MAX_SEGMENTS_PER_CLASS: usize = 8;

/// How many times larger the next size class is.
const SIZE_CLASS_FACTOR: u32 = 8;

/// The first size class: the documents of a write or two.
const SMALLEST_CLASS_SIZE: u32 = 32;

/// Segments with this many documents or more are not merged.
const MERGE_DOCUMENT_LIMIT: u32 = 16_384;

/// The segments of the smallest size class that has too many; `documents` says how many each has.
pub fn crowded_segments<T>(segments: Vec<T>, documents: impl Fn(&T) -> u32) -> Vec<T> {
    let mut sizes: BTreeMap<u32, Vec<T>> = BTreeMap::new();
    for segment in segments.into_iter().filter(|segment| documents(segment) < MERGE_DOCUMENT_LIMIT) {
        let size = std::iter::successors(Some(SMALLEST_CLASS_SIZE), |size| Some(size * SIZE_CLASS_FACTOR))
            .position(|size| documents(&segment) < size);
        sizes.entry(size.unwrap_or_default() as u32).or_default().push(segment);
    }
    // One class at a time: the merged segment may crowd the next class, which the next write handles.
    sizes.into_values().find(|alike| alike.len() > MAX_SEGMENTS_PER_CLASS).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_put_together_where_too_many_are_alike() {
        let check = |documents: &[u32], expected: &[usize]| {
            let chosen = crowded_segments(documents.iter().copied().enumerate().collect(), |(_, documents)| *documents);
            assert_eq!(chosen.iter().map(|(number, _)| *number).collect::<Vec<_>>(), expected, "{documents:?}");
        };
        check(&[1; 8], &[]);
        check(&[1; 9], &[0, 1, 2, 3, 4, 5, 6, 7, 8]);
        check(&[100_000, 9, 9, 9, 9, 9, 9, 9, 9, 400], &[]);
        check(&[100_000, 40, 9, 9, 9, 9, 9, 9, 9, 9, 31], &[2, 3, 4, 5, 6, 7, 8, 9, 10]);
        check(&[50_000; 20], &[]);
        check(&[3_000; 9], &[0, 1, 2, 3, 4, 5, 6, 7, 8]);
    }
}
