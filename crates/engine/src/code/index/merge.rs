//! Merges small segments of the inverted index (postings) into larger ones, and drops the units of file versions that
//! no worktree has any more.
//!
//! Every save writes a segment, and a question reads all of them. The search kernel says which of them are merged and
//! moves the postings; here it is decided which units are still used.

use super::postings::{FIELDS, UnitFieldLengths, encode_lengths, read_lengths};
use super::segment::stored_terms;
use crate::base::{Error, Result, run_blocking};
use crate::code::CodeContext;
use search::{DocumentMoves, PartPostings, crowded_segments, merge_postings};
use std::collections::HashMap;
use store::{Segment, SegmentFile, SegmentMerge, SegmentPostings, WorktreeId};

/// Merges segments where a size class has too many. Another run may do so at the same time.
pub(super) async fn merge_small(code: &CodeContext, worktree: &WorktreeId) -> Result<()> {
    let store = &code.store;
    let chosen = crowded_segments(store.load_segments(worktree).await?, |segment| segment.units);
    if chosen.is_empty() {
        return Ok(());
    }
    let numbers: Vec<i64> = chosen.iter().map(|segment| segment.number).collect();
    let files = store.segment_files(worktree, &numbers).await?;
    let postings = store.segment_postings(worktree, &numbers).await?;
    let merge = run_blocking("putting segments together", move || put_together(&chosen, &files, &postings)).await?;
    match store.merge_segments(worktree, merge).await {
        // Another run has merged the same segments, and its result is as good.
        Err(store::Error::Conflict { .. }) => Ok(()),
        done => done.map_err(Error::from),
    }
}

fn put_together(segments: &[Segment], files: &[SegmentFile], postings: &[SegmentPostings]) -> SegmentMerge {
    let parts: HashMap<i64, usize> = segments.iter().zip(0..).map(|(segment, part)| (segment.number, part)).collect();
    let lengths: Vec<Vec<UnitFieldLengths>> = segments.iter().map(|segment| read_lengths(&segment.lengths)).collect();
    let mut moves = vec![DocumentMoves::default(); segments.len()];
    let mut kept: Vec<&UnitFieldLengths> = Vec::new();
    // Files whose versions no worktree uses are not listed, and their units are left out with them.
    for file in files {
        let part = parts[&file.segment];
        let start = file.first_unit.0 - segments[part].first_unit.0;
        moves[part].add_stretch(start, file.units, kept.len() as u32);
        kept.extend((start..start + file.units).map(|unit| lengths[part].get(unit as usize).unwrap_or(&[0; _])));
    }
    let known = |posting: &SegmentPostings| parts.get(&posting.segment).copied();
    let rows = postings
        .iter()
        .filter_map(|posting| Some(PartPostings { term: &posting.term, part: known(posting)?, bytes: &posting.bytes }));
    SegmentMerge {
        segments: segments.iter().map(|segment| segment.number).collect(),
        files: files.iter().map(|file| file.file).collect(),
        lengths: encode_lengths(kept.into_iter()),
        postings: stored_terms(merge_postings::<FIELDS>(rows.collect(), &moves)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::index::postings::UnitCounts;
    use proptest::collection::{btree_map, vec};
    use proptest::prelude::*;
    use search::{PostingsWriter, each_posting};
    use std::collections::BTreeMap;
    use store::{FileId, UnitId};

    /// What a unit holds: its lengths' first field, and counts of terms.
    type Held = (u32, BTreeMap<u8, u32>);

    /// A file: its units, and whether a worktree uses it.
    type Draft = (Vec<Held>, bool);

    fn drafts() -> impl Strategy<Value = Vec<Vec<Draft>>> {
        let held = (0..900u32, btree_map(0..6u8, 1..300u32, 0..4));
        vec(vec((vec(held, 0..4), proptest::bool::weighted(0.7)), 0..4), 1..5)
    }

    /// The segments, live files and postings that the store would give; files are numbered in order.
    fn stored(drafts: &[Vec<Draft>]) -> (Vec<Segment>, Vec<SegmentFile>, Vec<SegmentPostings>) {
        let mut segments = Vec::new();
        let mut files = Vec::new();
        let mut postings = Vec::new();
        let mut first = 100;
        let mut file_number = 0;
        for (number, drafts) in (7..).zip(drafts) {
            let mut segment = Segment { number, first_unit: UnitId(first), units: 0, lengths: Vec::new() };
            let mut writers: BTreeMap<u8, PostingsWriter<FIELDS>> = BTreeMap::new();
            for (units, is_used) in drafts {
                file_number += 1;
                let first_unit = UnitId(first + segment.units);
                let count = units.len() as u32;
                if *is_used {
                    files.push(SegmentFile { file: FileId(file_number), segment: number, first_unit, units: count });
                }
                for (length, counts) in units {
                    segment.lengths.extend(encode_lengths(std::iter::once(&[*length, 0, 0, 0, 1])));
                    for (term, count) in counts {
                        writers.entry(*term).or_default().push(segment.units, &[0, *count, 0, 0, 7]);
                    }
                    segment.units += 1;
                }
            }
            first += segment.units;
            postings.extend(writers.into_iter().map(|(term, writer)| SegmentPostings {
                segment: number,
                term: term.to_string(),
                bytes: writer.into_bytes(),
            }));
            segments.push(segment);
        }
        postings.sort_by(|a, b| (&a.term, a.segment).cmp(&(&b.term, b.segment)));
        (segments, files, postings)
    }

    proptest! {
        /// Every unit that is used holds what it held, and no other is left.
        #[test]
        fn what_units_hold_stays_the_same(drafts in drafts()) {
            let (segments, files, postings) = stored(&drafts);
            let merge = put_together(&segments, &files, &postings);
            prop_assert_eq!(&merge.segments, &segments.iter().map(|segment| segment.number).collect::<Vec<_>>());
            let all: Vec<&Draft> = drafts.iter().flatten().collect();
            let wanted: Vec<&Held> = merge.files.iter().flat_map(|file| &all[file.0 as usize - 1].0).collect();
            prop_assert_eq!(merge.files.len(), all.iter().filter(|(_, is_used)| *is_used).count());
            let lengths: Vec<u32> = read_lengths(&merge.lengths).iter().map(|lengths| lengths[0]).collect();
            prop_assert_eq!(lengths, wanted.iter().map(|(length, _)| *length).collect::<Vec<_>>());
            let mut held: Vec<BTreeMap<u8, u32>> = vec![BTreeMap::new(); wanted.len()];
            for posting in &merge.postings {
                let term = posting.term.parse().expect("a term is a number here");
                let mut found: Vec<(u32, UnitCounts)> = Vec::new();
                each_posting(&posting.bytes, |unit, counts| found.push((unit, *counts)));
                prop_assert!(!found.is_empty());
                for (unit, counts) in found {
                    prop_assert_eq!(counts[4], 7);
                    held[unit as usize].insert(term, counts[1]);
                }
            }
            prop_assert_eq!(held, wanted.iter().map(|(_, counts)| counts.clone()).collect::<Vec<_>>());
            prop_assert!(merge.postings.is_sorted_by(|a, b| a.term < b.term));
        }
    }
}
