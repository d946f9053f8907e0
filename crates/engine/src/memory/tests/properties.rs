//! A property test of compaction: random conversations, folded in random ways while messages are added, lose and
//! duplicate no message.

use super::house;
use crate::memory::active_context::load_context;
use crate::memory::fold::{FoldItem, MessageVoice, total_cost};
use crate::memory::tests::conversation_builder::ConversationBuilder;
use crate::memory::{CompactEffect, ExpandRequest, ExpandedItem, ExpandedKind, FoldMode, MemorySettings};
use model::TokenCount;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

#[derive(Clone, Debug)]
enum Step {
    /// The user says something of so many words.
    User(usize),
    Assistant(usize),
    /// A tool is called and answers.
    Tool(usize),
    /// A tool is called and answers only after the next words of the user.
    Late(usize),
    Incremental,
    Sweep,
    Under(u32),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (1_usize..120).prop_map(Step::User),
        4 => (1_usize..400).prop_map(Step::Assistant),
        4 => (1_usize..400).prop_map(Step::Tool),
        1 => (1_usize..200).prop_map(Step::Late),
        1 => Just(Step::Incremental),
        1 => Just(Step::Sweep),
        1 => (0_u32..3_000).prop_map(Step::Under),
    ];
    prop::collection::vec(step, 1..60)
}

fn words(number: usize, seed: usize) -> String {
    let pool =
        ["cache", "must", "src/a.rs", "never", "the", "loader", "fails", "with", "E0308", "ok.", "queue", "数据"];
    (0..number).map(|at| pool[(at * 7 + seed * 13 + at / 5) % pool.len()]).collect::<Vec<_>>().join(" ")
}

#[test]
fn whatever_is_said_and_folded_nothing_is_lost_or_doubled() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let config = Config { cases: 40, max_shrink_iters: 300, failure_persistence: None, ..Config::default() };
    let outcome = TestRunner::new(config).run(&steps(), |steps| {
        runtime.block_on(carry_out(&steps));
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}

async fn carry_out(steps: &[Step]) {
    let settings = MemorySettings {
        fresh_tail: 3,
        context_tokens: TokenCount(8_000),
        leaf_chunk_tokens: TokenCount(700),
        leaf_target_tokens: TokenCount(120),
        condensed_target_tokens: TokenCount(150),
        leaf_fanout: 3,
        condensed_fanout: 2,
        ..MemorySettings::default()
    };
    let house = house(settings);
    let mut talk = ConversationBuilder::new();
    let mut stored = 0;
    for (seed, step) in steps.iter().enumerate() {
        let mode = match step {
            Step::User(number) => {
                talk = talk.user(&words(*number, seed));
                continue;
            }
            Step::Assistant(number) => {
                talk = talk.assistant(&words(*number, seed));
                continue;
            }
            Step::Tool(number) => {
                talk = talk.bash("cargo test", &words(*number, seed));
                continue;
            }
            Step::Late(number) => {
                let (called, id) = talk.tool_call("Bash", r#"{"command":"make"}"#);
                talk = called.user("Hurry.").tool_result(&id, &words(*number, seed), None);
                continue;
            }
            Step::Incremental => FoldMode::Incremental,
            Step::Sweep => FoldMode::Sweep,
            Step::Under(tokens) => FoldMode::Under(TokenCount(*tokens)),
        };
        house.hear("c", &talk.messages[stored..]).await;
        stored = talk.messages.len();
        let id = crate::memory::conversation_id("c");
        let before = load_context(&house.engine.memory, &id).await.expect("reads");
        let run = house.compact("c", mode, CompactEffect::Fold).await.runs.remove(0);
        let after = load_context(&house.engine.memory, &id).await.expect("reads");
        assert!(
            run.folded.is_empty() || total_cost(&after.items) < total_cost(&before.items),
            "each fold makes it shorter"
        );
        assert_eq!(total_cost(&after.items), run.tokens_after);
        for folded in &run.folded {
            assert!(u64::from(folded.tokens.0) < folded.instead_of);
        }
        spared(&before.items, &after.items);
        house.sound("c").await;
    }
    house.hear("c", &talk.messages[stored..]).await;
    everything_comes_back(&house, &talk).await;
}

/// The newest turn and the newest words of the user were not folded.
fn spared(before: &[FoldItem], after: &[FoldItem]) {
    let said = |item: &&FoldItem| matches!(item, FoldItem::Message(entry) if entry.voice == MessageVoice::User);
    for kept in [before.last(), before.iter().rev().find(said)].into_iter().flatten() {
        assert!(matches!(kept, FoldItem::Summary(_)) || after.contains(kept), "{kept:?}");
    }
}

/// Expanding the whole context gives every message once, in order, word for word.
async fn everything_comes_back(house: &super::House, talk: &ConversationBuilder) {
    let id = crate::memory::conversation_id("c");
    let mut next = 1_usize;
    for item in load_context(&house.engine.memory, &id).await.expect("reads").items {
        let FoldItem::Summary(node) = item else {
            next += 1;
            continue;
        };
        assert_eq!(node.range.first, next as u64);
        let mut request = ExpandRequest {
            id: node.id.to_string(),
            depth: 64,
            messages: true,
            budget: Some(TokenCount(333)),
            grant: None,
        };
        let mut text = String::new();
        loop {
            let page = house.engine.expand_summary(request.clone()).await.expect("expands");
            for item in page.items {
                let ExpandedItem { of: ExpandedKind::Message(message), text: piece, total, .. } = item else {
                    continue;
                };
                assert_eq!(message.seq, next as u64);
                text += &piece;
                if text.len() == total {
                    assert_eq!(text, talk.messages[next - 1].body.content());
                    (next, text) = (next + 1, String::new());
                }
            }
            let Some(handle) = page.continue_with else { break };
            request.id = handle;
        }
        assert_eq!(next as u64, node.range.last + 1);
    }
    assert_eq!(next - 1, talk.messages.len());
}
