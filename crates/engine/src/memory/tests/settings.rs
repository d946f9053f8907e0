//! Tests of the settings of compaction: each of `MemorySettings` has the effect it names.

use super::{House, house};
use crate::base::ErrorKind;
use crate::memory::tests::generated_conversation::generate_conversation;
use crate::memory::{AssembleRequest, CompactEffect, ExpandRequest, FoldMode, MemorySettings, SummaryForm};
use model::TokenCount;

const BASE: fn() -> MemorySettings = || MemorySettings {
    leaf_chunk_tokens: TokenCount(4_000),
    context_tokens: TokenCount(20_000),
    ..MemorySettings::default()
};

async fn told(memory: MemorySettings) -> House {
    let house = house(memory);
    house.told("c", &generate_conversation(1, 50_000)).await;
    house
}

/// Folds the same conversation under two settings.
async fn both(one: MemorySettings, two: MemorySettings) -> [Vec<crate::memory::FoldRecord>; 2] {
    let mut runs = Vec::new();
    for memory in [one, two] {
        runs.push(told(memory).await.sweep("c").await.runs.remove(0).folded);
    }
    runs.try_into().expect("two")
}

#[tokio::test]
async fn enabled_says_whether_anything_is_stored_or_folded() {
    let house = super::reopened(told(BASE()).await, MemorySettings { enabled: false, ..BASE() }, |_| {});
    let messages = vec![generate_conversation(2, 100).talk.messages[0].body.clone()];
    let request = crate::memory::IngestRequest { conversation: "c".to_owned(), project: None, messages };
    let error = house.engine.ingest_messages(request).await.expect_err("it is switched off");
    assert_eq!(
        (error.code(), error.to_string().as_str()),
        ("disabled", "cannot store messages: memory.enabled is false")
    );
    let which = crate::memory::ConversationSelection::One("c".to_owned());
    let mode = FoldMode::Sweep;
    let trigger = model::FoldTrigger::Manual;
    let effect = CompactEffect::Fold;
    let request = crate::memory::CompactRequest { which, mode, trigger, effect, provider: None };
    let error =
        house.engine.compact_conversations(request, &crate::base::NullObserver).await.expect_err("it is switched off");
    assert_eq!(
        (error.kind(), error.to_string().as_str()),
        (ErrorKind::Unavailable, "cannot fold conversations: memory.enabled is false")
    );
    assert_eq!(house.engine.request_folding().await.expect("looks"), 0);
}

#[tokio::test]
async fn autocompact_says_whether_it_happens_by_itself() {
    for (autocompact, asked) in [(true, 1), (false, 0)] {
        let house = told(MemorySettings { autocompact, ..BASE() }).await;
        assert_eq!(house.engine.request_folding().await.expect("looks"), asked);
    }
}

#[tokio::test]
async fn context_threshold_and_context_tokens_say_when() {
    for (context_tokens, context_threshold, asked) in
        [(20_000, 0.75, 1), (200_000, 0.75, 0), (200_000, 0.2, 1), (50_000, 1.0, 1), (90_000, 1.0, 0)]
    {
        let settings = MemorySettings { context_tokens: TokenCount(context_tokens), context_threshold, ..BASE() };
        let house = told(settings).await;
        assert_eq!(house.engine.request_folding().await.expect("looks"), asked, "{context_tokens} {context_threshold}");
    }
}

#[tokio::test]
async fn max_active_messages_says_when_too() {
    for (most, asked) in [(Some(20), 1), (Some(100_000), 0), (None, 0)] {
        let settings = MemorySettings { max_active_messages: most, context_tokens: TokenCount(1_000_000), ..BASE() };
        assert_eq!(told(settings).await.engine.request_folding().await.expect("looks"), asked, "{most:?}");
    }
}

#[tokio::test]
async fn fresh_tail_says_how_many_turns_stay() {
    let [few, many] =
        both(MemorySettings { fresh_tail: 2, ..BASE() }, MemorySettings { fresh_tail: 40, ..BASE() }).await;
    let end = |folded: &[crate::memory::FoldRecord]| folded.iter().map(|folded| folded.range.last).max();
    assert!(end(&few) > end(&many));
}

#[tokio::test]
async fn targets_say_how_long_summaries_are() {
    let [short, long] = both(
        MemorySettings { leaf_target_tokens: TokenCount(150), condensed_target_tokens: TokenCount(200), ..BASE() },
        MemorySettings { leaf_target_tokens: TokenCount(700), condensed_target_tokens: TokenCount(900), ..BASE() },
    )
    .await;
    for (depth, least, most) in [(0, 150, 700), (1, 200, 900)] {
        let longest = |folded: &[crate::memory::FoldRecord]| {
            folded.iter().filter(|it| it.depth == depth).map(|it| it.tokens.0).max()
        };
        assert!(
            longest(&short) <= Some(least) && longest(&long) > Some(least) && longest(&long) <= Some(most),
            "{depth}"
        );
    }
}

#[tokio::test]
async fn leaf_chunk_tokens_says_how_much_a_leaf_covers() {
    let [small, large] = both(BASE(), MemorySettings { leaf_chunk_tokens: TokenCount(12_000), ..BASE() }).await;
    let leaves = |folded: &[crate::memory::FoldRecord]| folded.iter().filter(|it| it.depth == 0).count();
    assert!(leaves(&small) > 2 * leaves(&large));
}

#[tokio::test]
async fn incremental_depth_says_how_deep_folding_goes_by_itself() {
    let settings = |incremental_depth| MemorySettings {
        incremental_depth,
        leaf_fanout: 2,
        condensed_fanout: 2,
        leaf_chunk_tokens: TokenCount(2_000),
        ..BASE()
    };
    let mut depths = Vec::new();
    for depth in [Some(0), Some(1), None] {
        let house = told(settings(depth)).await;
        assert_eq!(house.engine.request_folding().await.expect("looks"), 1);
        let worked = house.engine.run_next_job(&crate::base::NullObserver).await.expect("works");
        let Some(crate::memory::JobOutcome::Compacted(run)) = worked else { panic!("{worked:?}") };
        depths.push(run.folded.iter().map(|it| it.depth).max());
        // Whoever asks by hand gets all of it.
        let by_hand = told(settings(depth)).await.sweep("c").await.runs.remove(0).folded;
        assert!(by_hand.iter().any(|it| it.depth > 1), "{depth:?}");
    }
    assert!(depths[..2] == [Some(0), Some(1)] && depths[2] > Some(1), "{depths:?}");
}

#[tokio::test]
async fn fanouts_say_how_many_are_gathered() {
    let settings = |leaf_fanout, condensed_fanout| MemorySettings {
        leaf_fanout,
        condensed_fanout,
        leaf_chunk_tokens: TokenCount(2_000),
        ..BASE()
    };
    let [narrow, wide] = both(settings(3, 2), settings(8, 4)).await;
    let deepest = |folded: &[crate::memory::FoldRecord]| folded.iter().map(|it| it.depth).max();
    assert!(deepest(&narrow) > deepest(&wide), "{:?} {:?}", deepest(&narrow), deepest(&wide));
}

#[tokio::test]
async fn expand_tokens_and_context_tokens_are_the_budgets_nobody_named() {
    let house = told(MemorySettings { expand_tokens: TokenCount(500), ..BASE() }).await;
    house.sweep("c").await;
    let id = house.engine.store.active_context(&crate::memory::conversation_id("c")).await.expect("reads");
    let id = id.summaries[0].id.to_string();
    let request = ExpandRequest { id, depth: 9, messages: true, budget: None, grant: None };
    let page = house.engine.expand_summary(request).await.expect("expands");
    assert!(page.tokens <= TokenCount(500) && page.continue_with.is_some());
    let request = AssembleRequest { conversation: "c".to_owned(), budget: None, query: None, form: SummaryForm::Fence };
    assert!(house.engine.assemble_context(request).await.expect("assembles").tokens <= TokenCount(20_000));
}

#[tokio::test]
async fn artifact_tokens_says_what_is_kept_beside_its_message() {
    for (artifact_tokens, kept) in [(100, true), (1_000_000, false)] {
        let house = told(MemorySettings { artifact_tokens: TokenCount(artifact_tokens), ..BASE() }).await;
        assert_eq!(house.engine.store.archive_totals().await.expect("reads").artifacts > 0, kept);
    }
}
