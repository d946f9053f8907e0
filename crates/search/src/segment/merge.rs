//! Merges the postings of several index segments into one segment, renumbers documents to where those are now
//! (`DocumentMoves`), and drops those that are gone.

use super::EncodedTerm;
use crate::postings::{FieldCounts, PostingsWriter, each_posting};

/// The postings of one term in one of the segments that are put together.
#[derive(Clone, Copy, Debug)]
pub struct PartPostings<'a> {
    /// The term.
    pub term: &'a str,
    /// Which segment, by its place among those that are put together.
    pub part: usize,
    /// Its postings there.
    pub bytes: &'a [u8],
}

/// Where the documents of one segment go: stretches that stay together.
#[derive(Clone, Debug, Default)]
pub struct DocumentMoves {
    /// First document before, how many, first document now; in the order of the documents before.
    stretches: Vec<(u32, u32, u32)>,
}

impl DocumentMoves {
    /// Notes that so many documents from `from` on are found from `to` on. Those of no stretch are left behind.
    pub fn add_stretch(&mut self, from: u32, documents: u32, to: u32) {
        // An empty stretch would hide the one that starts at the same document.
        if documents > 0 {
            let at = self.stretches.partition_point(|(first, ..)| *first < from);
            self.stretches.insert(at, (from, documents, to));
        }
    }

    /// Where a document is now.
    fn find_document(&self, document: u32) -> Option<u32> {
        let after = self.stretches.partition_point(|(first, ..)| *first <= document);
        let (first, documents, to) = *self.stretches[..after].last()?;
        (document - first < documents).then(|| to + (document - first))
    }
}

/// The postings of all segments in one, ordered by term; a term that no document holds any more is gone. `moves` has one
/// entry for each segment.
pub fn merge_postings<const FIELDS: usize>(
    mut postings: Vec<PartPostings<'_>>,
    moves: &[DocumentMoves],
) -> Vec<EncodedTerm> {
    // They are in order already where the store gave them so, and what is in order is only looked at.
    postings.sort_by(|a, b| a.term.cmp(b.term));
    let mut merged = Vec::new();
    let mut found: Vec<(u32, FieldCounts<FIELDS>)> = Vec::new();
    for same in postings.chunk_by(|a, b| a.term == b.term) {
        found.clear();
        for posting in same {
            let Some(moves) = moves.get(posting.part) else { continue };
            each_posting(posting.bytes, |document, counts| {
                found.extend(moves.find_document(document).map(|document| (document, *counts)));
            });
        }
        if found.is_empty() {
            continue;
        }
        // Documents were renumbered, so those of one term are in order no longer.
        found.sort_unstable_by_key(|(document, _)| *document);
        // Damaged bytes may give two segments the same document.
        found.dedup_by_key(|(document, _)| *document);
        let mut writer = PostingsWriter::with_capacity(found.len());
        for (document, counts) in &found {
            writer.push(*document, counts);
        }
        merged.push(EncodedTerm { term: same[0].term.to_owned(), bytes: writer.into_bytes() });
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::{btree_map, vec};
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// A document: how often it holds each term, and whether it is left behind.
    type Draft = (BTreeMap<u8, u32>, bool);

    fn encode(documents: &[Draft]) -> Vec<EncodedTerm> {
        let mut writers: BTreeMap<u8, PostingsWriter<2>> = BTreeMap::new();
        for (number, (terms, _)) in (0..).zip(documents) {
            for (term, count) in terms {
                writers.entry(*term).or_default().push(number, &[*count, 7]);
            }
        }
        let encoded = |(term, writer): (u8, PostingsWriter<2>)| EncodedTerm {
            term: term.to_string(),
            bytes: writer.into_bytes(),
        };
        writers.into_iter().map(encoded).collect()
    }

    proptest! {
        /// A merged segment holds what a naive one over the same documents does.
        #[test]
        fn a_merged_segment_holds_what_its_parts_held(parts in vec(vec((btree_map(0..6_u8, 1..300_u32, 0..4), proptest::bool::weighted(0.3)), 0..9), 1..5)) {
            let encoded: Vec<Vec<EncodedTerm>> = parts.iter().map(|documents| encode(documents)).collect();
            let mut moves = vec![DocumentMoves::default(); parts.len()];
            let mut wanted: Vec<&BTreeMap<u8, u32>> = Vec::new();
            // Later parts come first, so that no document stays at its number.
            for (part, documents) in parts.iter().enumerate().rev() {
                for (number, (terms, _)) in (0..).zip(documents).filter(|(_, (_, is_gone))| !is_gone) {
                    moves[part].add_stretch(number, 1, wanted.len() as u32);
                    wanted.push(terms);
                }
            }
            let rows = encoded.iter().enumerate().flat_map(|(part, terms)| {
                terms.iter().map(move |EncodedTerm { term, bytes }| PartPostings { term, part, bytes })
            });
            let merged = merge_postings::<2>(rows.collect(), &moves);
            prop_assert!(merged.is_sorted_by(|a, b| a.term < b.term));
            let mut held: Vec<BTreeMap<u8, u32>> = vec![BTreeMap::new(); wanted.len()];
            for EncodedTerm { term, bytes } in &merged {
                prop_assert!(!bytes.is_empty());
                each_posting::<2>(bytes, |document, counts| {
                    assert_eq!(counts[1], 7);
                    held[document as usize].insert(term.parse().expect("a term is a number here"), counts[0]);
                });
            }
            prop_assert_eq!(held, wanted.into_iter().cloned().collect::<Vec<_>>());
        }

        #[test]
        fn damaged_postings_are_merged_without_a_panic(bytes in vec(any::<u8>(), 0..60)) {
            let mut moves = DocumentMoves::default();
            moves.add_stretch(0, u32::MAX, 0);
            let rows = [0, 0, 1].map(|part| PartPostings { term: "a", part, bytes: &bytes });
            merge_postings::<5>(rows.to_vec(), &[moves]);
        }
    }
}
