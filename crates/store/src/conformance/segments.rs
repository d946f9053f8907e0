//! Conformance tests that every store backend must pass, for merging segments of the code search's inverted index.

use super::code::{open_worktree, write_files};
use super::sample::{build_batch, build_version};
use super::{StoreCase, StorePair, cases};
use crate::{Error, FileBatch, SegmentFile, SegmentMerge, SegmentPostings, Store, TermPostings, WorktreeId};
use model::Timestamp;

cases! {
    postings_of_a_segment_come_ordered_by_term,
    one_segment_takes_the_place_of_some,
    a_merge_of_what_moved_is_refused,
    units_of_a_merged_segment_never_come_back,
}

async fn segment_numbers(store: &dyn Store, worktree: &WorktreeId) -> Vec<i64> {
    store.load_segments(worktree).await.expect("reads").iter().map(|segment| segment.number).collect()
}

async fn segment_files(store: &dyn Store, worktree: &WorktreeId, segments: &[i64]) -> Vec<SegmentFile> {
    store.segment_files(worktree, segments).await.expect("reads")
}

/// Three segments of one file each, with one, two and three units.
async fn fill_segments(store: &dyn Store, worktree: &WorktreeId) {
    for (units, path) in [(1, "a.rs"), (2, "b.rs"), (3, "c.rs")] {
        write_files(store, worktree, build_batch(vec![build_version(path, path, units)], &["t", path])).await;
    }
}

async fn postings_of_a_segment_come_ordered_by_term(stores: &StorePair) {
    let store = &*stores.first;
    let worktree = open_worktree(store, "p", "/one").await;
    let other = open_worktree(store, "q", "/one").await;
    fill_segments(store, &worktree).await;
    let segments = segment_numbers(store, &worktree).await;
    let found = store.segment_postings(&worktree, &[segments[2], segments[0]]).await.expect("reads");
    let wanted = |segment: i64, term: &str| SegmentPostings {
        segment,
        term: term.to_owned(),
        bytes: term.bytes().rev().collect(),
    };
    let first = segments[0];
    let last = segments[2];
    assert_eq!(found, [wanted(first, "a.rs"), wanted(last, "c.rs"), wanted(first, "t"), wanted(last, "t")]);
    assert_eq!(store.segment_postings(&worktree, &[]).await.expect("reads"), []);
    assert_eq!(store.segment_postings(&other, &segments).await.expect("reads"), [], "projects never meet");
    assert_eq!(segment_files(store, &other, &segments).await, []);
    let found = segment_files(store, &worktree, &segments).await;
    assert_eq!(found.iter().map(|f| (f.first_unit.0, f.units)).collect::<Vec<_>>(), [(0, 1), (1, 2), (3, 3)]);
    assert_eq!(found.iter().map(|file| file.segment).collect::<Vec<_>>(), segments);
}

fn build_merge(segments: &[i64], files: &[SegmentFile]) -> SegmentMerge {
    SegmentMerge {
        segments: segments.to_vec(),
        files: files.iter().map(|file| file.file).collect(),
        lengths: vec![7, 7],
        postings: vec![TermPostings { term: "merged".to_owned(), bytes: vec![1, 2] }],
    }
}

async fn one_segment_takes_the_place_of_some(stores: &StorePair) {
    let store = &*stores.first;
    let worktree = open_worktree(store, "p", "/one").await;
    let other = open_worktree(store, "q", "/one").await;
    fill_segments(store, &worktree).await;
    fill_segments(store, &other).await;
    let before = store.worktree_files(&worktree).await.expect("reads");
    let version = store.open_worktree(&worktree.project, "/one").await.expect("opens").version;
    let segments = segment_numbers(store, &worktree).await;
    let mut held = segment_files(store, &worktree, &segments[..2]).await;
    // In the reverse order: the caller decides in which order files follow in the merged segment.
    held.reverse();
    store.merge_segments(&worktree, build_merge(&segments[..2], &held)).await.expect("merges");
    let now = stores.second.load_segments(&worktree).await.expect("reads");
    let found: Vec<_> = now.iter().map(|s| (s.first_unit.0, s.units, s.lengths.as_slice())).collect();
    assert_eq!(found, [(3, 3, &[1, 2, 3][..]), (6, 3, &[7, 7])]);
    assert!(!segments.contains(&now[1].number));
    let after = store.worktree_files(&worktree).await.expect("reads");
    let units: Vec<_> = after.iter().map(|file| (file.path.as_str(), file.first_unit.0, file.units)).collect();
    assert_eq!(units, [("a.rs", 8, 1), ("b.rs", 6, 2), ("c.rs", 3, 3)]);
    for (before, after) in before.iter().zip(&after) {
        assert_eq!((&before.path, before.file, before.stamp), (&after.path, after.file, after.stamp));
    }
    let asked = ["t", "a.rs", "c.rs", "merged"].map(str::to_owned);
    let terms: Vec<_> =
        store.load_postings(&worktree, &asked).await.expect("reads").into_iter().map(|p| p.term).collect();
    assert_eq!(terms, ["c.rs", "merged", "t"]);
    // No file changed, so readers that keep results by version need not ask anew.
    assert_eq!(store.open_worktree(&worktree.project, "/one").await.expect("opens").version, version);
    assert_eq!(store.load_segments(&other).await.expect("reads").len(), 3);
    store.finish_index(&worktree, Timestamp(1)).await.expect("finishes");
    assert_eq!(store.load_segments(&worktree).await.expect("reads"), now);
}

async fn a_merge_of_what_moved_is_refused(stores: &StorePair) {
    let store = &*stores.first;
    let worktree = open_worktree(store, "p", "/one").await;
    fill_segments(store, &worktree).await;
    let segments = segment_numbers(store, &worktree).await;
    let held = segment_files(store, &worktree, &segments).await;
    for wrong in [
        build_merge(&segments, &held[1..]),
        build_merge(&segments[1..], &held),
        build_merge(&segments, &[held[0], held[1], held[1]]),
        build_merge(&[segments[0], i64::MAX], &held[..1]),
    ] {
        let refused = store.merge_segments(&worktree, wrong).await;
        assert!(matches!(refused, Err(Error::Conflict { what: "segment", .. })), "{refused:?}");
    }
    // A file vanished while the merge was worked out: merged as planned, it would come back.
    write_files(&*stores.second, &worktree, FileBatch { removed: vec!["a.rs".to_owned()], ..FileBatch::default() })
        .await;
    stores.second.finish_index(&worktree, Timestamp(1)).await.expect("finishes");
    let refused = store.merge_segments(&worktree, build_merge(&segments, &held)).await;
    assert!(matches!(refused, Err(Error::Conflict { .. })), "{refused:?}");
    assert_eq!(segment_numbers(store, &worktree).await, segments[1..]);
    assert_eq!(segment_files(store, &worktree, &segments).await, held[1..]);
}

/// A reader that asked before the merge must find its units missing, not something else.
async fn units_of_a_merged_segment_never_come_back(stores: &StorePair) {
    let store = &*stores.first;
    let worktree = open_worktree(store, "p", "/one").await;
    fill_segments(store, &worktree).await;
    let segments = segment_numbers(store, &worktree).await;
    let held = segment_files(store, &worktree, &segments).await;
    store.merge_segments(&worktree, build_merge(&segments, &held)).await.expect("merges");
    write_files(store, &worktree, build_batch(vec![build_version("d.rs", "d", 2)], &[])).await;
    let firsts: Vec<_> =
        store.worktree_files(&worktree).await.expect("reads").iter().map(|file| file.first_unit.0).collect();
    assert_eq!(firsts, [6, 7, 9, 12]);
}
