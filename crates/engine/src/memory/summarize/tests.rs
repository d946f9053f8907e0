//! Tests of the built-in summarizer: the share of rules and paths that survive the compaction of long generated
//! conversations, compared with plain truncation, and that output is deterministic.

use super::notes::names_path;
use super::*;
use crate::memory::fold::{FoldItem, FoldMode, FoldNode, FoldOutliner, FoldProgress, FoldRules, next_step, total_cost};
use crate::memory::tests::conversation_builder::ConversationBuilder;
use crate::memory::tests::generated_conversation::{GeneratedConversation, generate_conversation};
use expect_test::expect;
use model::{ContentHash, SummaryId};
use std::collections::HashMap;

const RULES: FoldRules = FoldRules {
    fresh_tail: 8,
    tail_tokens: TokenCount(50_000),
    leaf_chunk: TokenCount(20_000),
    leaf_fanout: 8,
    condensed_fanout: 4,
    leaf_target: TokenCount(600),
    condensed_target: TokenCount(900),
    deepest: None,
};

/// Folds a story to the end with a summarizer, and gives the texts that stand in the context then.
fn folded(
    story: &GeneratedConversation,
    summarize: impl Fn(&[OutlineInput<'_>], TokenCount) -> String,
) -> (Vec<String>, u64, u64) {
    let messages = &story.talk.messages;
    let mut outliner = FoldOutliner::default();
    for message in messages {
        outliner.add_message(message);
    }
    let mut items = outliner.finish();
    let before = total_cost(&items);
    let mut texts: HashMap<SummaryId, String> = HashMap::new();
    let mut progress = FoldProgress::default();
    while let Some(step) = next_step(&items, &RULES, FoldMode::Sweep, &progress) {
        let pieces: Vec<OutlineInput<'_>> = items[step.window.clone()]
            .iter()
            .fold(Vec::<(Option<&FoldNode>, u64, u64)>::new(), |mut runs, item| {
                let range = item.seq_range();
                match (item, runs.last_mut()) {
                    (FoldItem::Message(_), Some((None, _, last))) => *last = range.last,
                    (FoldItem::Message(_), _) => runs.push((None, range.first, range.last)),
                    (FoldItem::Summary(node), _) => runs.push((Some(node), range.first, range.last)),
                }
                runs
            })
            .into_iter()
            .map(|(node, first, last)| match node {
                Some(node) => OutlineInput::Summary(&texts[&node.id]),
                None => OutlineInput::Messages(&messages[first as usize - 1..last as usize]),
            })
            .collect();
        let text = summarize(&pieces, step.target);
        assert!(count_tokens(&text) <= step.target, "{} of {}", count_tokens(&text), step.target);
        progress.leaves += u32::from(step.depth == 0);
        let id = SummaryId::from_hash(ContentHash::hash_bytes(text.as_bytes()));
        let node = FoldNode { id: id.clone(), range: step.range, tokens: count_tokens(&text), depth: step.depth };
        texts.insert(id, text);
        items.splice(step.window, [FoldItem::Summary(node)]);
    }
    let after = total_cost(&items);
    let shown = items.iter().map(|item| match item {
        FoldItem::Summary(node) => texts[&node.id].clone(),
        FoldItem::Message(entry) => messages[entry.seq as usize - 1].body.content(),
    });
    (shown.collect(), before, after)
}

/// Percent of rules, percent of paths that are named again behind the fold, percent of tokens saved.
fn score(story: &GeneratedConversation, (shown, before, after): &(Vec<String>, u64, u64)) -> (u64, u64, u64) {
    let percent = |kept: usize, of: usize| (kept * 100 / of.max(1)) as u64;
    let kept = story.rules.iter().filter(|(_, rule)| shown.iter().any(|text| text.contains(rule.as_str()))).count();
    // A path counts where it comes up both in the first half and in the second.
    let half = story.talk.messages.len() as u64 / 2;
    let mut again: Vec<&String> = story.paths.iter().filter(|(seq, _)| *seq <= half).map(|(_, path)| path).collect();
    again.retain(|path| story.paths.iter().any(|(seq, later)| *seq > half && later == *path));
    again.sort_unstable();
    again.dedup();
    let summaries: Vec<&String> = shown.iter().filter(|text| text.contains("Expand for details about")).collect();
    let named = again.iter().filter(|path| summaries.iter().any(|text| names_path(text, path))).count();
    (percent(kept, story.rules.len()), percent(named, again.len()), 100 - after * 100 / before)
}

#[test]
fn rules_and_paths_survive_long_conversations() {
    for (seed, tokens) in [(1, 60_000), (2, 150_000), (3, 250_000)] {
        let story = generate_conversation(seed, tokens);
        let folded = folded(&story, |pieces, target| SummaryOutline::from_inputs(pieces).write_draft(target).content);
        let (rules, paths, saved) = score(&story, &folded);
        let summary =
            format!("seed {seed}: {rules} % of {} rules, {paths} % of paths, {saved} % saved", story.rules.len());
        assert!(rules >= 90 && paths >= 80 && saved >= 80, "{summary}");
    }
}

/// The beginning of what it is given: what a tool does that calls a cut a summary.
fn cut(pieces: &[OutlineInput<'_>], target: TokenCount) -> String {
    let mut text = String::new();
    for piece in pieces {
        match piece {
            OutlineInput::Summary(words) => text.push_str(words),
            OutlineInput::Messages(messages) => {
                messages.iter().for_each(|message| text.push_str(&message.body.content()));
            }
        }
    }
    let room = TokenCount(target.0 - 10);
    let mut end = text.len().min(target.0 as usize * 8);
    while !text.is_char_boundary(end) || count_tokens(&text[..end]) > room {
        end -= 1 + end / 50;
    }
    format!("{}\nExpand for details about: all", &text[..end])
}

#[test]
fn a_summarizer_that_only_cuts_fails_the_same_measure() {
    let story = generate_conversation(2, 80_000);
    let (rules, paths, saved) = score(&story, &folded(&story, cut));
    assert!(rules < 50 && paths < 80 && saved >= 80, "{rules} % of rules, {paths} % of paths, {saved} % saved");
}

#[test]
fn a_summary_says_what_was_wanted_done_and_left() {
    let talk = ConversationBuilder::new()
        .user("Please make the loader cache its files. It must never hold more than 64 MB.")
        .assistant("I'll read the loader first.")
        .tool_round("Read", r#"{"file_path":"src/loader.rs"}"#, "fn load() {}")
        .edit_file("src/loader.rs")
        .failed_bash("cargo test", "Exit code 101\nerror[E0599]: no method named `evict`")
        .edit_file("src/cache.rs")
        .bash("cargo test", "test result: ok. 3 passed")
        .tool_round("TodoWrite", r#"{"todos":[{"content":"document the limit","status":"pending"}]}"#, "ok")
        .assistant("The loader keeps files in an LRU cache of 64 MB now; the limit is LIMIT_BYTES in src/cache.rs.");
    let draft = SummaryOutline::from_inputs(&[OutlineInput::Messages(&talk.messages)]).write_draft(TokenCount(300));
    expect![[r#"
        Asked: Please make the loader cache its files. It must never hold more than 64 MB.
        Did: edited loader.rs, cache.rs; `cargo test`: failed, then 3 passed
        Result: The loader keeps files in an LRU cache of 64 MB now; the limit is LIMIT_BYTES in src/cache.rs.
        Changed files:
        src/loader.rs
        src/cache.rs
        Fixed:
        - error[E0599]: no method named `evict` — after src/cache.rs
        To do:
        - document the limit
        Expand for details about: the exact words."#]]
    .assert_eq(&draft.content);
    assert_eq!(draft.kept, KeptFacts { kept: 4, of: 4 });
}

#[test]
fn the_same_material_gives_the_same_text_in_any_size() {
    let story = generate_conversation(7, 20_000);
    for target in [64, 100, 300, 600, 5_000] {
        let draft = || {
            SummaryOutline::from_inputs(&[OutlineInput::Messages(&story.talk.messages)]).write_draft(TokenCount(target))
        };
        assert_eq!(draft(), draft());
        assert!(draft().tokens <= TokenCount(target), "{target}");
        assert!(target < 300 || draft().content.contains("Expand for details about: "), "{target}");
    }
}
