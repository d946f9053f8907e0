//! Tests of compacting conversations into summaries (folding): dry runs, idempotence, token targets, leases, facts, and
//! that messages keep their numbers.

use super::house;
use crate::base::{ErrorKind, NullObserver};
use crate::memory::tests::conversation_builder::ConversationBuilder;
use crate::memory::tests::generated_conversation::generate_conversation;
use crate::memory::{CompactEffect, CompactRequest, ConversationSelection, FoldMode, MemorySettings, TierSettings};
use expect_test::expect;
use model::{FoldTrigger, SummaryMethod, TokenCount};
use std::time::Duration;

const SMALL_LIMIT_SETTINGS: MemorySettings = MemorySettings {
    enabled: true,
    autocompact: true,
    context_tokens: TokenCount(200_000),
    context_threshold: 0.75,
    max_active_messages: None,
    fresh_tail: 8,
    leaf_target_tokens: TokenCount(600),
    condensed_target_tokens: TokenCount(900),
    leaf_chunk_tokens: TokenCount(3_000),
    leaf_fanout: 8,
    condensed_fanout: 4,
    incremental_depth: None,
    expand_tokens: TokenCount(4_000),
    artifact_tokens: TokenCount(25_000),
    archive_days: None,
    auto_summarize: true,
    tiers: TierSettings::USUAL,
    checkpoints: 10,
};

#[tokio::test]
async fn a_dry_run_shows_what_a_run_does_and_writes_nothing() {
    let house = house(SMALL_LIMIT_SETTINGS);
    house.told("c", &generate_conversation(1, 40_000)).await;
    let shown = house.compact("c", FoldMode::Sweep, CompactEffect::Show).await.runs.remove(0);
    assert_eq!(house.engine.store.fold_totals().await.expect("reads").summaries, 0);
    let done = house.sweep("c").await.runs.remove(0);
    assert_eq!((shown.folded, shown.tokens_after), (done.folded, done.tokens_after));
    assert_eq!(shown.price, None, "nobody would be paid");
}

#[tokio::test]
async fn folding_again_with_nothing_new_does_nothing() {
    let house = house(SMALL_LIMIT_SETTINGS);
    house.told("c", &generate_conversation(2, 40_000)).await;
    let first = house.sweep("c").await.runs.remove(0);
    let second = house.sweep("c").await.runs.remove(0);
    assert!(!first.folded.is_empty() && second.folded.is_empty());
    assert_eq!((second.tokens_before, second.tokens_after), (first.tokens_after, first.tokens_after));
}

#[tokio::test]
async fn folding_stops_as_soon_as_it_is_under_what_was_asked() {
    let house = house(SMALL_LIMIT_SETTINGS);
    house.told("c", &generate_conversation(3, 60_000)).await;
    let run = house.compact("c", FoldMode::Under(TokenCount(40_000)), CompactEffect::Fold).await.runs.remove(0);
    let last = run.folded.last().expect("something was folded");
    assert!(run.tokens_after <= 40_000);
    assert!(run.tokens_after + last.instead_of > 40_000, "one fold less would not have been enough");
}

#[tokio::test]
async fn messages_stay_and_keep_their_numbers() {
    let house = house(SMALL_LIMIT_SETTINGS);
    let story = generate_conversation(4, 30_000);
    house.told("c", &story).await;
    house.sweep("c").await;
    house.hear("c", &ConversationBuilder::new().user("one more").messages).await;
    let id = crate::memory::conversation_id("c");
    let messages = house.engine.store.load_messages(&id, store::MessageWindow::Last(100_000)).await.expect("reads");
    assert_eq!(messages.len(), story.talk.messages.len() + 1, "a fold is no message");
    for (message, told) in messages.iter().zip(&story.talk.messages) {
        assert_eq!((message.seq, &message.body), (told.seq, &told.body));
    }
    let verified = house.engine.verify(&ConversationSelection::All, &NullObserver).await.expect("verifies");
    assert_eq!((verified.problems, verified.gaps), (vec![], 0));
}

#[tokio::test]
async fn a_stretch_that_cannot_be_made_shorter_blocks_nothing_behind_it() {
    // A rule in every word: the summary would have to say all of it.
    let mut talk = ConversationBuilder::new();
    for number in 0..60 {
        talk = talk.user(&format!("Never {number}."));
    }
    talk = talk.assistant(&"A long answer about nothing in particular. ".repeat(400));
    for _ in 0..10 {
        talk = talk.user("Go on.").assistant("Gone on.");
    }
    let house = house(MemorySettings { leaf_chunk_tokens: TokenCount(300), fresh_tail: 2, ..SMALL_LIMIT_SETTINGS });
    house.hear("c", &talk.messages).await;
    let run = house.sweep("c").await.runs.remove(0);
    let long = run.folded.iter().find(|folded| folded.range.contains(61)).expect("the long answer is folded");
    assert!(long.instead_of > 2_000 && long.tokens < TokenCount(600));
    house.sound("c").await;
}

#[tokio::test]
async fn somebody_elses_lease_is_waited_for_and_ends() {
    let house = house(SMALL_LIMIT_SETTINGS);
    house.told("c", &generate_conversation(5, 20_000)).await;
    let id = crate::memory::conversation_id("c");
    let lease = house.engine.store.lease_context(&id, Duration::from_mins(1)).await.expect("asks");
    let lease = lease.taken().expect("nobody has it");
    let request = || CompactRequest {
        which: ConversationSelection::One("c".to_owned()),
        mode: FoldMode::Sweep,
        trigger: FoldTrigger::Manual,
        effect: CompactEffect::Fold,
        provider: None,
    };
    let error = house.engine.compact_conversations(request(), &NullObserver).await.expect_err("somebody else has it");
    assert_eq!((error.kind(), error.code()), (ErrorKind::Busy, "busy"));
    expect![
        "conversation `conv_1ae49354b85ab9bc` is being worked on by another process until that one is done or ends"
    ]
    .assert_eq(&error.to_string());
    assert_eq!(error.retry_after(), Some(5));
    // Not given back: the holder is gone, and its lock with it.
    drop(lease);
    let report = house.engine.compact_conversations(request(), &NullObserver).await.expect("its holder is gone");
    assert!(!report.runs[0].folded.is_empty());
}

#[tokio::test]
async fn all_of_them_are_folded_whatever_one_does() {
    let house = house(SMALL_LIMIT_SETTINGS);
    for (name, seed) in [("a", 1), ("b", 2), ("held", 3)] {
        house.told(name, &generate_conversation(seed, 15_000)).await;
    }
    house.hear("short", &ConversationBuilder::new().user("hi").messages).await;
    let held = crate::memory::conversation_id("held");
    let lease = house.engine.store.lease_context(&held, Duration::from_mins(1)).await.expect("asks");
    let _lease = lease.taken().expect("nobody has it");
    let request = CompactRequest {
        which: ConversationSelection::All,
        mode: FoldMode::Sweep,
        trigger: FoldTrigger::Manual,
        effect: CompactEffect::Fold,
        provider: None,
    };
    let report = house.engine.compact_conversations(request, &NullObserver).await.expect("folds");
    let folded = report.runs.iter().filter(|run| !run.folded.is_empty()).count();
    let stopped: Vec<_> = report.runs.iter().filter(|run| run.stopped.is_some()).map(|run| &run.conversation).collect();
    assert_eq!((folded, report.unchanged, stopped), (2, 1, vec![&held]));
}

#[tokio::test]
async fn facts_move_on_with_every_fold() {
    let house = house(SMALL_LIMIT_SETTINGS);
    let story = generate_conversation(6, 30_000);
    house.told("c", &story).await;
    let id = crate::memory::conversation_id("c");
    assert_eq!(house.engine.store.facts_of(&id).await.expect("reads"), []);
    house.sweep("c").await;
    let facts = house.engine.store.facts_of(&id).await.expect("reads");
    for (_, rule) in &story.rules {
        assert!(facts.iter().any(|fact| fact.subject == *rule), "{rule}");
    }
    let all = crate::memory::fact::current_facts(&house.engine.memory, &id).await.expect("takes");
    assert_eq!(all, facts, "taken at once or in two goes, they are the same");
    let methods = house.engine.store.scan_summaries(Some(&id), None, 100).await.expect("reads");
    assert!(methods.iter().all(|(_, summary)| summary.method == SummaryMethod::Extractive));
}
