//! Segments: the terms of some documents with their postings, written once and never changed.
//!
//! Every write makes a segment of its own, and a question looks into all of them. So when there are too many of about
//! the same size they become one, as in a log-structured tree: each document is written again only a few times in its
//! life, and documents that nobody uses any more are left behind.

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

/// So many segments of one size may stand side by side.
const MOST: usize = 8;

/// How many times larger the next size is.
const STEP: u32 = 8;

/// The first size: the documents of a write or two.
const SMALLEST: u32 = 32;

/// Segments from here on are large enough to stay as they are.
const LARGE: u32 = 16_384;

/// The segments of the smallest size of which there are too many, by how many documents each has.
pub fn crowded_segments<T>(segments: Vec<T>, documents: impl Fn(&T) -> u32) -> Vec<T> {
    let mut sizes: BTreeMap<u32, Vec<T>> = BTreeMap::new();
    for segment in segments.into_iter().filter(|segment| documents(segment) < LARGE) {
        let size =
            std::iter::successors(Some(SMALLEST), |size| Some(size * STEP)).position(|size| documents(&segment) < size);
        sizes.entry(size.unwrap_or_default() as u32).or_default().push(segment);
    }
    sizes.into_values().find(|alike| alike.len() > MOST).unwrap_or_default()
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
