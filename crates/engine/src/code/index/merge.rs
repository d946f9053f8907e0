//! Merging small segments.
//!
//! Every save writes a segment, and a question reads all of them. So when there are too many of about the same size
//! they are merged, as in a log-structured merge tree: each unit is written again only a few times, and units of
//! versions that no worktree uses any more are left out.

use super::postings::{UnitPostingsWriter, each_posting, put_lengths, read_lengths};
use crate::base::segment_sizes::crowded_segments;
use crate::base::{Error, Result, run_blocking};
use crate::code::CodeContext;
use std::collections::HashMap;
use store::{Segment, SegmentFile, SegmentMerge, SegmentPostings, TermPostings, UnitId, WorktreeId};

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
    let merge = run_blocking("putting segments together", move || put_together(&chosen, &files, postings)).await?;
    match store.merge_segments(worktree, merge).await {
        // Another run has merged the same segments, and its result is as good.
        Err(store::Error::Conflict { .. }) => Ok(()),
        done => done.map_err(Error::from),
    }
}

fn put_together(segments: &[Segment], files: &[SegmentFile], postings: Vec<SegmentPostings>) -> SegmentMerge {
    let firsts: HashMap<i64, UnitId> = segments.iter().map(|segment| (segment.number, segment.first_unit)).collect();
    let lengths: HashMap<i64, _> =
        segments.iter().map(|segment| (segment.number, read_lengths(&segment.lengths))).collect();
    // By old unit: where the units of each file start now.
    let mut moved: Vec<(UnitId, u32, u32)> = Vec::new();
    let mut merge = SegmentMerge {
        segments: segments.iter().map(|segment| segment.number).collect(),
        files: Vec::new(),
        lengths: Vec::new(),
        postings: Vec::new(),
    };
    let mut next = 0;
    // Files whose versions no worktree uses are not listed, and their units are left out with them.
    for file in files {
        let start = file.first_unit.0 - firsts[&file.segment].0;
        for unit in start..start + file.units {
            put_lengths(&mut merge.lengths, lengths[&file.segment].get(unit as usize).unwrap_or(&[0; _]));
        }
        // A file without units has the same first unit as the file after it and would hide that file from the search
        // below.
        if file.units > 0 {
            moved.push((file.first_unit, file.units, next));
        }
        merge.files.push(file.file);
        next += file.units;
    }
    // `moved` is sorted by old unit, because files are listed in that order.
    let new_unit = |unit: UnitId| {
        let after = moved.partition_point(|(first, ..)| *first <= unit);
        let (first, units, start) = *moved[..after].last()?;
        (unit.0 - first.0 < units).then(|| start + unit.0 - first.0)
    };
    let mut postings = postings.into_iter().peekable();
    while let Some(posting) = postings.next() {
        let term = posting.term.clone();
        let mut units = Vec::new();
        let mut take = |posting: &SegmentPostings| {
            let Some(first) = firsts.get(&posting.segment) else { return };
            each_posting(&posting.bytes, |unit, counts| {
                units.extend(new_unit(UnitId(first.0.saturating_add(unit))).map(|unit| (unit, *counts)));
            });
        };
        // Postings are ordered by term, with one row for each segment.
        take(&posting);
        while let Some(same) = postings.next_if(|next| next.term == term) {
            take(&same);
        }
        // Files were renumbered, so units of one term are in order no longer.
        units.sort_unstable_by_key(|(unit, _)| *unit);
        let mut writer = UnitPostingsWriter::default();
        for (unit, counts) in &units {
            writer.push(*unit, counts);
        }
        if !units.is_empty() {
            merge.postings.push(TermPostings { term, bytes: writer.bytes });
        }
    }
    merge
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::index::postings::FieldCounts;
    use proptest::collection::{btree_map, vec};
    use proptest::prelude::*;
    use std::collections::BTreeMap;
    use store::FileId;

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
            let mut writers: BTreeMap<u8, UnitPostingsWriter> = BTreeMap::new();
            for (units, is_used) in drafts {
                file_number += 1;
                let first_unit = UnitId(first + segment.units);
                let count = units.len() as u32;
                if *is_used {
                    files.push(SegmentFile { file: FileId(file_number), segment: number, first_unit, units: count });
                }
                for (length, counts) in units {
                    put_lengths(&mut segment.lengths, &[*length, 0, 0, 0, 1]);
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
                bytes: writer.bytes,
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
            let merge = put_together(&segments, &files, postings);
            prop_assert_eq!(&merge.segments, &segments.iter().map(|segment| segment.number).collect::<Vec<_>>());
            let all: Vec<&Draft> = drafts.iter().flatten().collect();
            let wanted: Vec<&Held> = merge.files.iter().flat_map(|file| &all[file.0 as usize - 1].0).collect();
            prop_assert_eq!(merge.files.len(), all.iter().filter(|(_, is_used)| *is_used).count());
            let lengths: Vec<u32> = read_lengths(&merge.lengths).iter().map(|lengths| lengths[0]).collect();
            prop_assert_eq!(lengths, wanted.iter().map(|(length, _)| *length).collect::<Vec<_>>());
            let mut held: Vec<BTreeMap<u8, u32>> = vec![BTreeMap::new(); wanted.len()];
            for posting in &merge.postings {
                let term = posting.term.parse().expect("a term is a number here");
                let mut found: Vec<(u32, FieldCounts)> = Vec::new();
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
