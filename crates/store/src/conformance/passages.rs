//! Conformance tests that every store backend must pass, for `PassageStore`: index segments and postings of the
//! full-text search of conversations.

use super::sample::ODD_TEXTS;
use super::{StoreCase, StorePair, cases};
use crate::{
    Error, NewPassages, PassagePostings, PassageSegment, PassageSegments, SegmentPostings, Store, TermPostings,
};

cases! {
    a_segment_comes_back_as_it_was_written,
    one_segment_may_take_the_place_of_some_passages,
    a_writer_that_did_not_look_is_refused,
    of_several_writers_that_saw_the_same_one_is_taken,
    a_number_of_a_dropped_segment_never_comes_back,
    terms_of_any_script_are_found_exactly,
}

fn build_passages(seen: i64, replaces: &[i64], heads: &str, terms: &[&str]) -> NewPassages {
    let mut terms = terms.to_vec();
    terms.sort_unstable();
    let posting = |term: &&str| TermPostings { term: (*term).to_owned(), bytes: term.bytes().rev().collect() };
    NewPassages {
        seen,
        replaces: replaces.to_vec(),
        passages: heads.len() as u32,
        heads: heads.as_bytes().to_vec(),
        postings: terms.iter().map(posting).collect(),
    }
}

async fn write_passages(store: &dyn Store, new: NewPassages) -> i64 {
    store.write_passages(new).await.expect("writes")
}

fn build_segment(number: i64, heads: &str) -> PassageSegment {
    PassageSegment { number, passages: heads.len() as u32, heads: heads.as_bytes().to_vec() }
}

fn build_posting(segment: i64, term: &str) -> SegmentPostings {
    SegmentPostings { segment, term: term.to_owned(), bytes: term.bytes().rev().collect() }
}

fn to_strings(terms: &[&str]) -> Vec<String> {
    terms.iter().map(|term| (*term).to_owned()).collect()
}

async fn a_segment_comes_back_as_it_was_written(stores: &StorePair) {
    let store = &*stores.first;
    let other = &*stores.second;
    assert_eq!(store.passage_segments(&[]).await.expect("reads"), PassageSegments::default());
    assert_eq!(store.passage_postings(&to_strings(&["cat"])).await.expect("reads"), PassagePostings::default());
    let first = write_passages(store, build_passages(0, &[], "one", &["cat", "dog"])).await;
    let second = write_passages(other, build_passages(first, &[], "", &["cat"])).await;
    let all = vec![first, second];
    let found = other.passage_segments(&[]).await.expect("reads");
    assert_eq!(
        found,
        PassageSegments { all: all.clone(), new: vec![build_segment(first, "one"), build_segment(second, "")] }
    );
    let found = store.passage_segments(&[first, 99]).await.expect("reads");
    assert_eq!(found, PassageSegments { all: all.clone(), new: vec![build_segment(second, "")] });
    let found = store.passage_postings(&to_strings(&["dog", "cat", "cat", "cow"])).await.expect("reads");
    let postings = vec![build_posting(first, "cat"), build_posting(second, "cat"), build_posting(first, "dog")];
    assert_eq!(found, PassagePostings { all, postings });
    let found = store.passages_of(&[first, 99]).await.expect("reads");
    assert_eq!(found, [build_posting(first, "cat"), build_posting(first, "dog")]);
}

async fn one_segment_may_take_the_place_of_some_passages(stores: &StorePair) {
    let store = &*stores.first;
    let a = write_passages(store, build_passages(0, &[], "a", &["x"])).await;
    let b = write_passages(store, build_passages(a, &[], "b", &["y"])).await;
    let c = write_passages(store, build_passages(b, &[], "c", &["x"])).await;
    let merged = write_passages(store, build_passages(c, &[a, c], "ac", &["x"])).await;
    let found = stores.second.passage_segments(&[b]).await.expect("reads");
    assert_eq!(found, PassageSegments { all: vec![b, merged], new: vec![build_segment(merged, "ac")] });
    let found = store.passage_postings(&to_strings(&["x", "y"])).await.expect("reads");
    assert_eq!(found.postings, [build_posting(merged, "x"), build_posting(b, "y")]);
    assert_eq!(store.passages_of(&[a, c]).await.expect("reads"), []);
}

async fn a_writer_that_did_not_look_is_refused(stores: &StorePair) {
    let store = &*stores.first;
    let a = write_passages(store, build_passages(0, &[], "a", &["x"])).await;
    let b = write_passages(store, build_passages(a, &[], "b", &["y"])).await;
    for wrong in
        [build_passages(a, &[], "c", &[]), build_passages(b, &[a, b + 1], "c", &[]), build_passages(0, &[a], "c", &[])]
    {
        let refused = stores.second.write_passages(wrong).await;
        assert!(matches!(refused, Err(Error::Conflict { what: "segment", .. })), "{refused:?}");
    }
    assert_eq!(store.passage_segments(&[]).await.expect("reads").all, [a, b]);
}

async fn of_several_writers_that_saw_the_same_one_is_taken(stores: &StorePair) {
    let attempts = (0..8).map(|number| {
        let store = if number % 2 == 0 { &stores.first } else { &stores.second };
        store.write_passages(build_passages(0, &[], "a", &["x"]))
    });
    let outcomes = futures::future::join_all(attempts).await;
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1, "{outcomes:?}");
}

async fn a_number_of_a_dropped_segment_never_comes_back(stores: &StorePair) {
    let store = &*stores.first;
    let a = write_passages(store, build_passages(0, &[], "a", &["x"])).await;
    store.drop_passages().await.expect("drops");
    assert_eq!(stores.second.passage_segments(&[]).await.expect("reads"), PassageSegments::default());
    assert_eq!(store.passage_postings(&to_strings(&["x"])).await.expect("reads"), PassagePostings::default());
    assert!(write_passages(store, build_passages(0, &[], "b", &["x"])).await > a);
}

async fn terms_of_any_script_are_found_exactly(stores: &StorePair) {
    let store = &*stores.first;
    let mut terms: Vec<&str> = ODD_TEXTS.to_vec();
    terms.dedup();
    let number = write_passages(store, build_passages(0, &[], "a", &terms)).await;
    let found = store.passage_postings(&to_strings(&terms)).await.expect("reads");
    terms.sort_unstable();
    assert_eq!(found.postings, terms.iter().map(|term| build_posting(number, term)).collect::<Vec<_>>());
}
