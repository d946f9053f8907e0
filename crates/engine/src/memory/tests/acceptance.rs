//! Acceptance tests of conversation memory, one for each numbered criterion: tokens saved, lossless expansion, search,
//! integrity in steady state, concurrent writers.

use super::house;
use crate::memory::tests::generated_conversation::generate_conversation;
use crate::memory::{
    ExpandRequest, ExpandedItem, ExpandedKind, FoldMode, GrepMode, GrepRequest, GrepScope, MemorySettings,
};
use model::TokenCount;
use std::sync::Arc;
use tokio::task::JoinSet;

#[tokio::test]
async fn criterion_1_folding_saves_at_least_thirty_percent() {
    let house = house(MemorySettings::default());
    for (name, seed, tokens) in [("short", 1, 20_000), ("day", 2, 80_000), ("week", 3, 200_000)] {
        house.told(name, &generate_conversation(seed, tokens)).await;
        let run = house.sweep(name).await.runs.remove(0);
        assert!(
            run.tokens_after * 10 <= run.tokens_before * 7,
            "{name}: {} of {}",
            run.tokens_after,
            run.tokens_before
        );
    }
}

#[tokio::test]
async fn criterion_2_every_summary_expands_to_the_messages_it_stands_for() {
    let house = house(MemorySettings { leaf_chunk_tokens: TokenCount(4_000), ..MemorySettings::default() });
    let story = generate_conversation(4, 60_000);
    house.told("c", &story).await;
    house.sweep("c").await;
    house.compact("c", FoldMode::Under(TokenCount(1)), crate::memory::CompactEffect::Fold).await;
    let summaries = house.engine.store.scan_summaries(None, None, 1_000).await.expect("reads");
    assert!(summaries.iter().any(|(_, summary)| summary.depth >= 2), "deep enough to mean something");
    for (_, summary) in summaries {
        let mut request = ExpandRequest {
            id: summary.id.to_string(),
            depth: 64,
            messages: true,
            budget: Some(TokenCount(u32::MAX)),
            grant: None,
        };
        let mut seen = Vec::new();
        loop {
            let expansion = house.engine.expand_summary(request.clone()).await.expect("expands");
            for item in expansion.items {
                if let ExpandedItem { of: ExpandedKind::Message(message), text, .. } = item {
                    assert_eq!(text, story.talk.messages[message.seq as usize - 1].body.content());
                    seen.push(message.seq);
                }
            }
            let Some(next) = expansion.continue_with else { break };
            request.id = next;
        }
        assert_eq!(seen, (summary.range.first..=summary.range.last).collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn criterion_3_search_finds_what_is_folded_and_what_is_not() {
    let house = house(MemorySettings::default());
    let story = generate_conversation(5, 80_000);
    house.told("c", &story).await;
    house.sweep("c").await;
    for (_, rule) in &story.rules {
        let request = GrepRequest {
            pattern: regex::escape(rule),
            mode: GrepMode::Regex,
            scope: GrepScope::Messages,
            conversation: Some("c".to_owned()),
            project: None,
            since: None,
            until: None,
            cursor: None,
            limit: 5,
        };
        assert!(house.engine.grep_messages(request).await.expect("searches").total > 0, "{rule}");
    }
}

#[tokio::test]
async fn criterion_4_nothing_is_broken_in_steady_state() {
    let house = house(MemorySettings { leaf_chunk_tokens: TokenCount(5_000), ..MemorySettings::default() });
    let story = generate_conversation(6, 90_000);
    for (number, messages) in story.talk.messages.chunks(40).enumerate() {
        house.hear("c", messages).await;
        let mode = if number % 2 == 0 { FoldMode::Incremental } else { FoldMode::Sweep };
        house.compact("c", mode, crate::memory::CompactEffect::Fold).await;
        house.sound("c").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn criterion_5_writers_and_folders_at_once_leave_no_half_graph() {
    let house = Arc::new(house(MemorySettings { leaf_chunk_tokens: TokenCount(2_000), ..MemorySettings::default() }));
    let story = generate_conversation(7, 50_000);
    house.hear("c", &story.talk.messages[..20]).await;
    let mut tasks = JoinSet::new();
    let writer = Arc::clone(&house);
    let messages = story.talk.messages[20..].to_vec();
    tasks.spawn(async move {
        for chunk in messages.chunks(7) {
            writer.hear("c", chunk).await;
        }
    });
    for _ in 0..4 {
        let house = Arc::clone(&house);
        tasks.spawn(async move {
            for _ in 0..15 {
                let which = crate::memory::ConversationSelection::One("c".to_owned());
                let trigger = model::FoldTrigger::Manual;
                let effect = crate::memory::CompactEffect::Fold;
                let request =
                    crate::memory::CompactRequest { which, mode: FoldMode::Sweep, trigger, effect, provider: None };
                match house.engine.compact_conversations(request, &crate::base::NullObserver).await {
                    Ok(_) => {}
                    Err(error) => assert_eq!(error.kind(), crate::base::ErrorKind::Busy, "{error}"),
                }
                house.sound("c").await;
            }
        });
    }
    while let Some(done) = tasks.join_next().await {
        done.expect("writes and folds");
    }
    house.sweep("c").await;
    house.sound("c").await;
    let told = house.engine.store.list_conversations().await.expect("reads").remove(0);
    assert_eq!(told.messages, story.talk.messages.len() as u64);
}
