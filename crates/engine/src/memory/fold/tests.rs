//! Tests of the compaction planner: expected steps for small contexts written as letters, and property tests that
//! folding any context ends and never touches protected items.

use super::outline::{FoldMessage, MessageVoice, safe_cuts};
use super::tail::find_protected;
use super::*;
use model::{ContentHash, SeqRange, SummaryId, TokenCount};
use proptest::prelude::*;

const RULES: FoldRules = FoldRules {
    fresh_tail: 2,
    tail_tokens: TokenCount(5_000),
    leaf_chunk: TokenCount(1_000),
    leaf_fanout: 3,
    condensed_fanout: 2,
    leaf_target: TokenCount(100),
    condensed_target: TokenCount(150),
    deepest: None,
};

/// A context in letters, each of 300 tokens but summaries: `s`ystem, `u`ser, `a`ssistant, `c`all (answered by the next
/// `r`esult), `w`aiting call (answered by the next `R`), digits for summaries of that depth, `.` for a word of the user.
fn context(letters: &str) -> Vec<FoldItem> {
    let mut items: Vec<FoldItem> = Vec::new();
    let mut calls: Vec<usize> = Vec::new();
    let mut waiting: Vec<usize> = Vec::new();
    for (at, letter) in letters.chars().enumerate() {
        let seq = at as u64 + 1;
        let tokens = TokenCount(if letter == '.' { 5 } else { 300 });
        let voice = match letter {
            's' => MessageVoice::System,
            'u' | '.' => MessageVoice::User,
            'r' | 'R' => MessageVoice::Results,
            _ => MessageVoice::Assistant,
        };
        if let Some(depth) = letter.to_digit(10) {
            // No fold parts a pair, so none reaches over a summary.
            calls.clear();
            waiting.clear();
            let id = SummaryId::from_hash(ContentHash::hash_bytes(&seq.to_le_bytes()));
            items.push(FoldItem::Summary(FoldNode {
                id,
                range: SeqRange { first: seq, last: seq },
                tokens: TokenCount(110),
                depth,
            }));
            continue;
        }
        match letter {
            'c' => calls.push(at),
            'w' => waiting.push(at),
            'r' | 'R' => {
                let call = if letter == 'r' { calls.pop() } else { waiting.pop() };
                if let Some(FoldItem::Message(entry)) = call.and_then(|call| items.get_mut(call)) {
                    entry.reach = seq;
                }
            }
            _ => {}
        }
        items.push(FoldItem::Message(FoldMessage { seq, tokens, voice, reach: seq }));
    }
    items
}

fn check(letters: &str, mode: FoldMode, progress: &FoldProgress, expected: Option<(&str, u32)>) {
    let items = context(letters);
    let step = next_step(&items, &RULES, mode, progress);
    let shown = step.as_ref().map(|step| {
        let window: String = letters.chars().skip(step.window.start).take(step.window.len()).collect();
        (window, step.depth)
    });
    assert_eq!(shown.as_ref().map(|(window, depth)| (window.as_str(), *depth)), expected, "{letters}");
}

#[test]
fn the_oldest_chunk_outside_of_the_tail_is_folded() {
    let none = FoldProgress::default();
    check("uauauaua", FoldMode::Sweep, &none, Some(("uau", 0)));
    check("suauaua", FoldMode::Sweep, &none, Some(("uau", 0)));
    check("ua", FoldMode::Sweep, &none, None);
    check("0uaua", FoldMode::Sweep, &none, Some(("ua", 0)));
}

#[test]
fn an_incremental_fold_waits_for_a_full_chunk() {
    let none = FoldProgress::default();
    check("uauaua", FoldMode::Incremental, &none, Some(("uau", 0)));
    check("uaua", FoldMode::Incremental, &none, None);
    check("uaua", FoldMode::Sweep, &none, Some(("ua", 0)));
    check("uauaua", FoldMode::Incremental, &FoldProgress { leaves: 1, ..FoldProgress::default() }, None);
}

#[test]
fn a_call_is_never_parted_from_its_result() {
    let none = FoldProgress::default();
    // Three would fit, but the third is a call.
    check("uacruaua", FoldMode::Sweep, &none, Some(("ua", 0)));
    // A group that is too large is folded as it is.
    check("crwuauRuauaua", FoldMode::Sweep, &none, Some(("cr", 0)));
    check("wuauRuauaua", FoldMode::Sweep, &none, Some(("wuauR", 0)));
    // A call whose result is in the tail takes the tail with it.
    check("uawauR", FoldMode::Sweep, &none, Some(("ua", 0)));
}

#[test]
fn the_newest_words_of_the_user_stay_however_old_they_are() {
    check("auacraaaaaa", FoldMode::Sweep, &FoldProgress::default(), Some(("a", 0)));
    let items = context("auacraaaaaa");
    let kept = find_protected(&items, &safe_cuts(&items), 2, TokenCount(5_000));
    assert_eq!((kept.asked, kept.tail), (Some(1), 9));
}

#[test]
fn the_tail_is_whole_turns_and_no_more_than_its_cap() {
    let tail = |letters: &str, turns, cap| {
        let items = context(letters);
        find_protected(&items, &safe_cuts(&items), turns, TokenCount(cap)).tail
    };
    assert_eq!(tail("uacrcrr", 1, 9_000), 4);
    assert_eq!(tail("uacrcr", 2, 9_000), 2);
    assert_eq!(tail("uacrcr", 3, 9_000), 1);
    assert_eq!(tail("uacrcr", 3, 700), 4);
    assert_eq!(tail("uacrcr", 3, 100), 4);
    assert_eq!(tail("00ua", 8, 9_000), 2);
}

#[test]
fn what_could_not_be_shortened_keeps_nothing_waiting() {
    let skipped = [SeqRange { first: 1, last: 3 }].into_iter().collect();
    check("uauauauau", FoldMode::Sweep, &FoldProgress { leaves: 0, skipped }, Some(("aua", 0)));
}

#[test]
fn summaries_are_gathered_by_depth_and_take_in_what_stands_between() {
    let none = FoldProgress::default();
    check("000ua", FoldMode::Sweep, &none, Some(("000", 1)));
    check("00.0ua", FoldMode::Sweep, &none, Some(("00.0", 1)));
    check("11000ua", FoldMode::Sweep, &none, Some(("11", 2)));
    check("1000ua", FoldMode::Sweep, &none, Some(("000", 1)));
    check("00ua", FoldMode::Sweep, &none, None);
    check("00ua", FoldMode::Under(TokenCount(1)), &none, Some(("00", 1)));
    check("10ua", FoldMode::Under(TokenCount(1)), &none, Some(("10", 2)));
    check("00ua", FoldMode::Under(TokenCount(100_000)), &none, None);
}

proptest! {
    /// Folding step by step ends, never touches what is protected, parts no pair, and keeps every message in its place.
    #[test]
    fn any_context_is_folded_to_the_end(letters in "[suacwrR.0-2]{0,80}", limit in 0_u32..3_000, tail in 1_u32..6) {
        let rules = FoldRules { fresh_tail: tail, ..RULES };
        for mode in [FoldMode::Incremental, FoldMode::Sweep, FoldMode::Under(TokenCount(limit))] {
            let mut items = context(&letters);
            let mut progress = FoldProgress::default();
            let mut passes = 0;
            while let Some(step) = next_step(&items, &rules, mode, &progress) {
                passes += 1;
                prop_assert!(passes <= 200, "{letters} does not end");
                let safe = safe_cuts(&items);
                let kept = find_protected(&items, &safe, rules.fresh_tail, rules.tail_tokens);
                prop_assert!(step.window.clone().all(|at| !kept.is_protected(at)));
                prop_assert!(step.window.start == 0 || safe[step.window.start - 1]);
                prop_assert!(safe[step.window.end - 1]);
                let before = total_cost(&items);
                // Every third window turns out to be one that cannot be shortened.
                if passes % 3 == 0 {
                    progress.skipped.insert(step.range);
                    continue;
                }
                progress.leaves += u32::from(step.depth == 0);
                let id = SummaryId::from_hash(ContentHash::hash_bytes(&[passes as u8]));
                let node = FoldNode { id, range: step.range, tokens: step.target, depth: step.depth };
                items.splice(step.window, [FoldItem::Summary(node)]);
                prop_assert!(total_cost(&items) < before);
                let mut next_seq = 1;
                for item in &items {
                    prop_assert_eq!(item.seq_range().first, next_seq);
                    next_seq = item.seq_range().last + 1;
                }
                prop_assert_eq!(next_seq, letters.chars().count() as u64 + 1);
            }
        }
    }
}
