//! Tests of `repair` on stores whose summaries or facts were damaged: what is repaired on demand, and what needs a
//! backup.

use super::{House, house, reopened, rewrite};
use crate::base::NullObserver;
use crate::memory::tests::generated_conversation::generate_conversation;
use crate::memory::{
    ConversationSelection, FoldRemedy, MemorySettings, RepairEffect, RepairReport, RepairRequest, conversation_id,
};
use model::{Fact, SeqRange, Summary, TokenCount, count_tokens, message_id};
use std::time::Duration;
use store::{NewFacts, NewFold};

fn settings() -> MemorySettings {
    MemorySettings { leaf_chunk_tokens: TokenCount(2_000), fresh_tail: 2, ..MemorySettings::default() }
}

async fn repaired(house: &House, effect: RepairEffect) -> RepairReport {
    let request = RepairRequest { which: ConversationSelection::All, effect };
    house.engine.repair(request, &NullObserver).await.expect("repairs")
}

/// A folded conversation, and what a look at it finds when some words in the database were changed.
async fn changed(from: &str, to: &str) -> House {
    let house = house(settings());
    house.told("c", &generate_conversation(1, 12_000)).await;
    house.sweep("c").await;
    house.sound("c").await;
    reopened(house, settings(), |home| rewrite(home, from, to))
}

#[tokio::test]
async fn what_fits_together_is_left_as_it_is() {
    let house = changed("Expand for details", "Expand for details").await;
    let before = house.engine.store.active_context(&conversation_id("c")).await.expect("reads");
    assert_eq!(repaired(&house, RepairEffect::Mend).await.problems, []);
    let after = house.engine.store.active_context(&conversation_id("c")).await.expect("reads");
    assert_eq!(before, after);
}

#[tokio::test]
async fn facts_that_cannot_be_are_taken_again() {
    let house = house(settings());
    house.told("c", &generate_conversation(1, 12_000)).await;
    house.sweep("c").await;
    let store = &house.engine.store;
    let id = conversation_id("c");
    let facts = store.facts_of(&id).await.expect("reads");
    let read = store.active_context(&id).await.expect("reads").facts;
    let nobody = message_id(&id, 99_999, None);
    let wrong = vec![Fact { sources: vec![nobody], ..facts[0].clone() }];
    store.write_facts(NewFacts { conversation: id.clone(), expected: read, read, facts: wrong }).await.expect("writes");
    let planned = repaired(&house, RepairEffect::Plan).await.problems;
    let [wrong] = &planned[..] else { panic!("{planned:?}") };
    assert_eq!((wrong.problem.remedy, wrong.mended), (FoldRemedy::TakeFactsAgain, false));
    assert_eq!(repaired(&house, RepairEffect::Plan).await.problems, planned, "a plan changes nothing");
    let mended = repaired(&house, RepairEffect::Mend).await.problems;
    assert!(mended.len() == 1 && mended[0].mended, "{mended:?}");
    assert_eq!(store.facts_of(&id).await.expect("reads"), facts);
    house.sound("c").await;
}

#[tokio::test]
async fn a_summary_that_stands_for_something_else_leaves_the_context_and_its_messages_are_folded_anew() {
    let house = house(settings());
    house.told("c", &generate_conversation(1, 12_000)).await;
    house.sweep("c").await;
    let store = &house.engine.store;
    let id = conversation_id("c");
    let context = store.active_context(&id).await.expect("reads");
    let last = context.summaries.last().expect("it was folded").range.last;
    let range = SeqRange { first: last + 1, last: last + 2 };
    let words = "Nothing happened.".to_owned();
    let known = store.load_summary(&context.summaries[0].id).await.expect("reads").expect("it exists");
    let wrong = Summary {
        id: Summary::id_of(&id, range, &[], &words),
        tokens: count_tokens(&words),
        source_tokens: TokenCount(1_000_000),
        covers: Vec::new(),
        depth: 0,
        range,
        content: words,
        ..known
    };
    let lease = store.lease_context(&id, Duration::from_mins(1)).await.expect("asks").taken().expect("nobody has it");
    let fence = lease.fence;
    let fold = NewFold { summary: wrong.clone(), expected: context.version, fence };
    store.apply_fold(fold).await.expect("a store does not count");
    store.release_context(&id, fence, 0).await.expect("gives it back");
    drop(lease);
    let mended = repaired(&house, RepairEffect::Mend).await.problems;
    let [wrong_one] = &mended[..] else { panic!("{mended:?}") };
    assert_eq!((wrong_one.problem.subject.as_str(), wrong_one.mended), (wrong.id.as_str(), true));
    let after = store.active_context(&id).await.expect("reads");
    assert_eq!(after.summaries, context.summaries, "the others stay");
    assert!(store.load_summary(&wrong.id).await.expect("reads").is_some(), "nothing is deleted");
    house.sweep("c").await;
    house.sound("c").await;
}

#[tokio::test]
async fn a_summary_that_is_not_what_it_was_needs_a_backup_and_is_not_hidden() {
    let house = changed("Expand for details", "Expand for dEtails").await;
    let found = repaired(&house, RepairEffect::Mend).await.problems;
    assert!(found.iter().all(|it| it.problem.remedy == FoldRemedy::Restore && !it.mended), "{found:?}");
}
