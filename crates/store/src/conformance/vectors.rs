//! Conformance tests that every store backend must pass, for `VectorStore`: embedding vectors by text and model.

use super::sample::{ODD_TEXTS, project_id};
use super::{StoreCase, StorePair, cases};
use crate::{Error, SpaceTotals, VectorSpace};
use model::{ContentHash, Timestamp};

cases![
    vectors_come_back_to_the_last_bit,
    spaces_never_mix,
    a_vector_of_other_dimensions_is_refused_with_all_beside_it,
    of_several_vectors_of_a_text_the_last_counts,
    keeping_some_vectors_drops_all_others,
    vectors_outlive_the_index,
    many_may_write_vectors_at_once,
    a_model_is_known_by_what_it_is_and_since_when,
];

/// When vectors are written.
const WRITE_TIME: Timestamp = Timestamp(1_700_000_000_000);

fn build_space(model: &str, version: &str, dimensions: u32) -> VectorSpace {
    VectorSpace { model: model.to_owned(), version: version.to_owned(), dimensions }
}

fn text_key(text: &str) -> ContentHash {
    ContentHash::hash_bytes(text.as_bytes())
}

async fn vectors_come_back_to_the_last_bit(stores: &StorePair) {
    let p = project_id("p");
    let two = build_space("m", "1", 2);
    // Signed zero and numbers below the normal range: a way through text or `double` could change them.
    let odd = [[0.1_f32, -0.0], [f32::MIN_POSITIVE, f32::MAX], [f32::EPSILON, -f32::MIN_POSITIVE / 2.0]];
    let written = (0..).zip(odd).map(|(number, numbers)| (text_key(&format!("{number}")), numbers.to_vec()));
    let written: Vec<_> = written.chain([(text_key("nothing to say"), Vec::new())]).collect();
    stores.first.write_vectors(&p, &two, written.clone(), WRITE_TIME).await.expect("writes");
    stores.first.write_vectors(&p, &two, Vec::new(), WRITE_TIME).await.expect("writes nothing");

    let mut asked: Vec<ContentHash> = written.iter().map(|(text, _)| *text).collect();
    asked.extend([text_key("never"), asked[0]]);
    let found = stores.second.load_vectors(&p, &two, &asked).await.expect("reads");
    let bits = |numbers: &Vec<f32>| numbers.iter().map(|number| number.to_bits()).collect::<Vec<_>>();
    let mut wanted: Vec<_> = written.iter().map(|(_, numbers)| Some(bits(numbers))).collect();
    wanted.extend([None, wanted[0].clone()]);
    assert_eq!(found.iter().map(|numbers| numbers.as_ref().map(bits)).collect::<Vec<_>>(), wanted);
    assert_eq!(stores.second.load_vectors(&project_id("q"), &two, &asked[..1]).await.expect("reads"), [None]);
    assert_eq!(stores.second.load_vectors(&p, &two, &[]).await.expect("reads"), [] as [Option<Vec<f32>>; 0]);
}

async fn spaces_never_mix(stores: &StorePair) {
    let p = project_id("p");
    let text = text_key("text");
    let mut spaces =
        vec![build_space("m", "1", 2), build_space("m", "2", 2), build_space("n", "1", 2), build_space("m", "1", 3)];
    // What one says in its model's name, another might say in its version.
    spaces.extend([build_space("m1", "", 2), build_space("", "m1", 2)]);
    spaces.extend(ODD_TEXTS.iter().map(|odd| build_space(odd, odd, 1)));
    for (number, space) in spaces.iter().enumerate() {
        assert_eq!(stores.second.load_vectors(&p, space, &[text]).await.expect("reads"), [None], "{space}");
        let numbers = vec![number as f32; space.dimensions as usize];
        stores.first.write_vectors(&p, space, vec![(text, numbers)], WRITE_TIME).await.expect("writes");
    }
    for (number, space) in spaces.iter().enumerate() {
        let numbers = vec![number as f32; space.dimensions as usize];
        assert_eq!(stores.second.load_vectors(&p, space, &[text]).await.expect("reads"), [Some(numbers)], "{space}");
    }
    spaces.sort();
    let totals: Vec<_> =
        spaces.into_iter().map(|space| SpaceTotals { space, vectors: 1, created: WRITE_TIME }).collect();
    assert_eq!(stores.second.vector_spaces(&p).await.expect("reads"), totals);
    assert_eq!(stores.second.vector_spaces(&project_id("q")).await.expect("reads"), []);
}

async fn a_vector_of_other_dimensions_is_refused_with_all_beside_it(stores: &StorePair) {
    let p = project_id("p");
    let two = build_space("m", "1", 2);
    for wrong in [vec![1.0], vec![1.0, 2.0, 3.0]] {
        let found = wrong.len();
        let batch = vec![(text_key("good"), vec![1.0, 0.0]), (text_key("wrong"), wrong)];
        let refused = stores.first.write_vectors(&p, &two, batch, WRITE_TIME).await.expect_err("it does not fit");
        // All or nothing: a text whose vector is missing is embedded again, while a wrong one stays unnoticed.
        assert!(matches!(refused, Error::WrongDimensions { found: n, .. } if n == found), "{refused}");
    }
    assert_eq!(stores.first.load_vectors(&p, &two, &[text_key("good")]).await.expect("reads"), [None]);
    assert_eq!(stores.first.vector_spaces(&p).await.expect("reads"), []);
}

async fn of_several_vectors_of_a_text_the_last_counts(stores: &StorePair) {
    let p = project_id("p");
    let one = build_space("m", "1", 1);
    let twice = vec![(text_key("a"), vec![1.0]), (text_key("a"), vec![2.0])];
    stores.first.write_vectors(&p, &one, twice, WRITE_TIME).await.expect("writes");
    assert_eq!(stores.second.load_vectors(&p, &one, &[text_key("a")]).await.expect("reads"), [Some(vec![2.0])]);
    stores.second.write_vectors(&p, &one, vec![(text_key("a"), vec![3.0])], WRITE_TIME).await.expect("writes");
    assert_eq!(stores.first.load_vectors(&p, &one, &[text_key("a")]).await.expect("reads"), [Some(vec![3.0])]);
    assert_eq!(
        stores.first.vector_spaces(&p).await.expect("reads"),
        [SpaceTotals { space: one, vectors: 1, created: WRITE_TIME }]
    );
}

async fn keeping_some_vectors_drops_all_others(stores: &StorePair) {
    let p = project_id("p");
    let q = project_id("q");
    let old = build_space("old", "1", 1);
    let new = build_space("new", "1", 1);
    for (project, space, texts) in [(&p, &old, "ab"), (&p, &new, "abc"), (&q, &old, "a")] {
        let vectors = texts.chars().map(|text| (text_key(&text.to_string()), vec![1.0])).collect();
        stores.first.write_vectors(project, space, vectors, WRITE_TIME).await.expect("writes");
    }
    // Unknown and repeated keys are allowed: callers pass the keys of all texts as they find them.
    let kept = [text_key("a"), text_key("c"), text_key("never"), text_key("a")];
    assert_eq!(stores.second.keep_vectors(&p, &new, &kept).await.expect("drops"), 3);
    assert_eq!(stores.second.keep_vectors(&p, &new, &kept).await.expect("drops"), 0);
    let asked = [text_key("a"), text_key("b"), text_key("c")];
    let found = stores.first.load_vectors(&p, &new, &asked).await.expect("reads");
    assert_eq!(found, [Some(vec![1.0]), None, Some(vec![1.0])]);
    assert_eq!(
        stores.first.vector_spaces(&p).await.expect("reads"),
        [SpaceTotals { space: new, vectors: 2, created: WRITE_TIME }]
    );
    assert_eq!(stores.first.load_vectors(&q, &old, &asked[..1]).await.expect("reads"), [Some(vec![1.0])]);
    assert_eq!(stores.first.keep_vectors(&p, &old, &kept).await.expect("drops"), 2, "a space nobody wrote to");
    assert_eq!(stores.first.vector_spaces(&p).await.expect("reads"), []);
}

async fn vectors_outlive_the_index(stores: &StorePair) {
    let p = project_id("p");
    let one = build_space("m", "1", 1);
    stores.first.write_vectors(&p, &one, vec![(text_key("a"), vec![1.0])], WRITE_TIME).await.expect("writes");
    // Vectors were paid for, and the same text after a new index has the same key.
    stores.second.drop_index(&p).await.expect("drops");
    assert_eq!(stores.second.load_vectors(&p, &one, &[text_key("a")]).await.expect("reads"), [Some(vec![1.0])]);
}

async fn many_may_write_vectors_at_once(stores: &StorePair) {
    let p = project_id("p");
    let one = build_space("m", "1", 1);
    let write = async |number: u32| {
        let store = if number.is_multiple_of(2) { &stores.first } else { &stores.second };
        // Every two of them meet in some texts, in opposite orders.
        let mut vectors: Vec<_> = (0..20).map(|text| (text_key(&text.to_string()), vec![text as f32])).collect();
        vectors.push((text_key(&format!("own {number}")), vec![1.0]));
        if number.is_multiple_of(2) {
            vectors.reverse();
        }
        store.write_vectors(&p, &one, vectors, WRITE_TIME).await.expect("writes");
    };
    futures::future::join_all((0..8).map(write)).await;
    assert_eq!(
        stores.first.vector_spaces(&p).await.expect("reads"),
        [SpaceTotals { space: one, vectors: 28, created: WRITE_TIME }]
    );
}

async fn a_model_is_known_by_what_it_is_and_since_when(stores: &StorePair) {
    let p = project_id("p");
    let one = build_space("vendor/a/b", "1", 1);
    stores.first.write_vectors(&p, &one, vec![(text_key("a"), vec![1.0])], WRITE_TIME).await.expect("writes");
    // The time of the first write stays, as it tells since when a model is in use.
    let later = Timestamp(WRITE_TIME.0 + 1);
    stores.second.write_vectors(&p, &one, vec![(text_key("b"), vec![1.0])], later).await.expect("writes");
    let totals = stores.first.vector_spaces(&p).await.expect("reads");
    assert_eq!(totals, [SpaceTotals { space: one.clone(), vectors: 2, created: WRITE_TIME }]);
    assert_eq!(one.provider_and_name(), ("vendor", "a/b"));
    let others =
        [build_space("vendor/a/b", "2", 1), build_space("vendor/a/b", "1", 2), build_space("vendor/a", "1", 1)];
    assert!(others.iter().all(|other| other.space_id() != one.space_id()) && one.space_id().starts_with("emb_"));
}
