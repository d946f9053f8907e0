//! Conformance tests that every store backend must pass, for `FeedbackStore`: which results of answers were used
//! afterwards.

use super::sample::{ODD_TEXTS, project_id};
use super::{StoreCase, StorePair, cases};
use crate::{AnswerPlace, AnswerRecord, FeedbackTotals};
use model::{ContentHash, Timestamp};

cases![
    answers_come_back_newest_first_with_their_places,
    what_was_used_once_stays_used,
    only_the_newest_answers_of_a_project_are_kept,
];

pub(super) fn build_answer(of: &str, session: &str, at: i64, sources: &[&str]) -> AnswerRecord {
    let place = |source: &&str| AnswerPlace { source: (*source).to_owned(), used_by: None };
    AnswerRecord {
        key: ContentHash::hash_bytes(format!("{of} {session} {at}").as_bytes()),
        project: project_id(of),
        session: session.to_owned(),
        at: Timestamp(at),
        operation: "search".to_owned(),
        question: format!("question {at}"),
        places: sources.iter().map(place).collect(),
    }
}

async fn answers_come_back_newest_first_with_their_places(stores: &StorePair) {
    let odd = ODD_TEXTS
        .iter()
        .zip(10..)
        .map(|(odd, at)| AnswerRecord { question: (*odd).to_owned(), ..build_answer("p", odd, at, ODD_TEXTS) });
    let mut written: Vec<AnswerRecord> = odd.collect();
    written.push(build_answer("p", "s", 1, &[]));
    stores.first.write_answers(written.clone(), 100).await.expect("writes");
    stores.first.write_answers(Vec::new(), 100).await.expect("writes nothing");
    stores.first.write_answers(vec![build_answer("q", "s", 99, &["b"])], 100).await.expect("writes");
    written.sort_by_key(|answer| std::cmp::Reverse(answer.at.0));
    assert_eq!(stores.second.load_answers(&project_id("p"), None, 100).await.expect("reads"), written);
    assert_eq!(stores.second.load_answers(&project_id("p"), None, 1).await.expect("reads"), written[..1]);
    let of_one = stores.second.load_answers(&project_id("p"), Some(ODD_TEXTS[0]), 100).await.expect("reads");
    assert_eq!(of_one, written.iter().filter(|answer| answer.session == ODD_TEXTS[0]).cloned().collect::<Vec<_>>());
    assert_eq!(stores.second.load_answers(&project_id("p"), Some("nobody"), 100).await.expect("reads"), []);
}

async fn what_was_used_once_stays_used(stores: &StorePair) {
    let plain = build_answer("p", "s", 1, &["a", "b", "c"]);
    let used = |at: usize, by: &str| {
        let mut used = plain.clone();
        used.places[at].used_by = Some(by.to_owned());
        used
    };
    for one in [plain.clone(), used(1, "read"), plain.clone(), used(1, "expand"), used(2, "expand")] {
        stores.first.write_answers(vec![one], 100).await.expect("writes");
    }
    stores.first.write_answers(vec![build_answer("p", "s", 2, &["a"])], 100).await.expect("writes");
    let kept = stores
        .second
        .load_answers(&project_id("p"), Some("s"), 100)
        .await
        .expect("reads")
        .pop()
        .expect("the older one");
    let by: Vec<Option<&str>> = kept.places.iter().map(|place| place.used_by.as_deref()).collect();
    assert_eq!(by, [None, Some("read"), Some("expand")]);
    let totals = FeedbackTotals { answers: 2, used: 1, places: 2 };
    assert_eq!(stores.second.feedback_totals(&project_id("p")).await.expect("reads"), totals);
    assert_eq!(stores.second.feedback_totals(&project_id("q")).await.expect("reads"), FeedbackTotals::default());
}

async fn only_the_newest_answers_of_a_project_are_kept(stores: &StorePair) {
    for at in 1..=5 {
        stores
            .first
            .write_answers(vec![build_answer("p", "s", at, &["a"]), build_answer("q", "s", at, &["a"])], 3)
            .await
            .expect("writes");
    }
    for of in ["p", "q"] {
        let kept = stores.second.load_answers(&project_id(of), None, 100).await.expect("reads");
        assert_eq!(kept.iter().map(|answer| answer.at.0).collect::<Vec<_>>(), [5, 4, 3], "{of}");
        assert_eq!(stores.second.feedback_totals(&project_id(of)).await.expect("reads").answers, 3);
    }
}
