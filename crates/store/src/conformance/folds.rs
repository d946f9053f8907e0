//! Conformance tests that every store backend must pass, for summaries and the active context they stand in: folding
//! and unfolding with optimistic versions and leases.

use super::sample::{ODD_TEXTS, build_append, build_summary, conversation_id, text_row};
use super::{StoreCase, StorePair, cases};
use crate::{
    ActiveContext, ContextLimits, ContextVersion, Error, Fence, FoldTotals, LeaseOutcome, MessageWindow, NewFold,
    Store, StoreCursor, UnfoldRequest,
};
use futures::future::join_all;
use model::{FoldTrigger, KeptFacts, SeqRange, Summary, SummaryId, SummaryMethod, TokenCount};
use std::time::Duration;

cases! {
    a_summary_comes_back_as_it_was,
    a_fold_takes_the_place_of_what_it_covers,
    a_fold_for_another_version_leaves_nothing,
    a_fold_without_the_lease_leaves_nothing,
    a_fold_that_fits_nothing_leaves_nothing,
    the_same_fold_again_gives_the_same_answer,
    appending_never_meets_a_fold,
    of_many_folds_for_one_version_one_is_kept,
    a_summary_is_redone_in_its_place_or_beside_it,
    what_is_unfolded_stands_for_itself_and_may_be_folded_again,
    an_unfold_for_another_version_or_lease_leaves_all_as_it_is,
    summaries_are_found_by_place_and_newest_first,
    a_lease_has_one_holder_until_its_time_is_over,
    items_that_lead_nowhere_are_dropped_under_the_lease,
    what_holds_too_much_is_told_until_somebody_looked,
    each_conversation_says_what_it_was_folded_into,
    a_message_is_found_by_its_id,
    nothing_is_folded_in_a_conversation_that_is_not_there,
}

/// Longer than a case takes.
pub(super) const LONG_LEASE: Duration = Duration::from_mins(1);
/// So short that a case can wait for its end.
pub(super) const SHORT_LEASE: Duration = Duration::from_millis(200);

pub(super) async fn fill_conversation(store: &dyn Store, name: &str, messages: usize) {
    let rows = (0..messages).map(|number| text_row(&format!("message {number}"))).collect();
    store.append_messages(build_append(name, rows)).await.expect("appends");
}

pub(super) async fn take_lease(store: &dyn Store, name: &str) -> Fence {
    let outcome = store.lease_context(&conversation_id(name), LONG_LEASE).await.expect("asks");
    // What is written is let in by its fence; that others are kept away is a case of its own.
    outcome.taken().expect("nobody has it").fence
}

async fn load_context(store: &dyn Store, name: &str) -> ActiveContext {
    store.active_context(&conversation_id(name)).await.expect("reads")
}

fn summary_ids(context: &ActiveContext) -> Vec<SummaryId> {
    context.summaries.iter().map(|summary| summary.id.clone()).collect()
}

pub(super) async fn apply_fold(store: &dyn Store, summary: &Summary, fence: Fence) -> Result<ContextVersion, Error> {
    let expected = store.active_context(&summary.conversation).await.expect("reads").version;
    store.apply_fold(NewFold { summary: summary.clone(), expected, fence }).await
}

async fn a_summary_comes_back_as_it_was(stores: &StorePair) {
    let store = &*stores.first;
    fill_conversation(store, "c", ODD_TEXTS.len() + 1).await;
    let fence = take_lease(store, "c").await;
    for (number, text) in ODD_TEXTS.iter().enumerate() {
        let method = match number % 3 {
            0 => SummaryMethod::Extractive,
            1 => SummaryMethod::Fallback,
            _ => SummaryMethod::Model { model: format!("a/{text}"), prompt: format!("leaf@{text}") },
        };
        let said = Summary {
            from: Some((*text).to_owned()),
            until: (number % 2 == 0).then(|| (*text).to_owned()),
            method,
            trigger: FoldTrigger::ALL[number % 3].0,
            kept: KeptFacts { kept: number as u32, of: u32::MAX },
            source_tokens: TokenCount(u32::MAX),
            ..build_summary("c", number as u64 + 1, number as u64 + 1, &[], text)
        };
        apply_fold(store, &said, fence).await.expect("folds");
        assert_eq!(stores.second.load_summary(&said.id).await.expect("reads"), Some(said));
    }
    assert_eq!(store.load_summary(&build_summary("c", 1, 1, &[], "never").id).await.expect("reads"), None);
    let totals = FoldTotals { summaries: ODD_TEXTS.len() as u64, facts: 0, jobs: 0 };
    assert_eq!(store.fold_totals().await.expect("reads"), totals);
}

async fn a_fold_takes_the_place_of_what_it_covers(stores: &StorePair) {
    let store = &*stores.first;
    fill_conversation(store, "c", 20).await;
    assert_eq!(load_context(store, "c").await, ActiveContext::default());
    let fence = take_lease(store, "c").await;
    let one = build_summary("c", 1, 4, &[], "one");
    let two = build_summary("c", 6, 9, &[], "two");
    let far = build_summary("c", 15, 16, &[], "far");
    for (number, leaf) in [&one, &two, &far].into_iter().enumerate() {
        assert_eq!(apply_fold(store, leaf, fence).await.expect("folds"), ContextVersion(number as u64 + 1));
    }
    assert_eq!(
        summary_ids(&load_context(&*stores.second, "c").await),
        [one.id.clone(), two.id.clone(), far.id.clone()]
    );
    // The message between them goes with them.
    let both = build_summary("c", 1, 10, &[&one, &two], "both");
    apply_fold(store, &both, fence).await.expect("folds");
    let after = load_context(&*stores.second, "c").await;
    assert_eq!((after.version, summary_ids(&after)), (ContextVersion(4), vec![both.id.clone(), far.id.clone()]));
    assert_eq!((after.summaries[0].range, after.summaries[0].depth), (SeqRange { first: 1, last: 10 }, 1));
    let kept = store.load_summary(&both.id).await.expect("reads").expect("it was folded");
    assert_eq!((kept.covers, kept.depth), (vec![one.id.clone(), two.id], 1));
    assert_eq!(store.load_summary(&one.id).await.expect("reads"), Some(one), "what is covered stays");
    let messages = store.load_messages(&conversation_id("c"), MessageWindow::Last(100)).await.expect("reads");
    assert_eq!(messages.len(), 20, "messages stay");
}

/// Tries a fold that must be refused, and sees that nothing is there afterwards.
async fn expect_refusal(store: &dyn Store, fold: NewFold) {
    let id = fold.summary.id.clone();
    let conversation = fold.summary.conversation.clone();
    let before = store.active_context(&conversation).await.expect("reads");
    let outcome = store.apply_fold(fold).await;
    assert!(matches!(outcome, Err(Error::Conflict { .. })), "{outcome:?}");
    assert_eq!(store.active_context(&conversation).await.expect("reads"), before);
    assert_eq!(store.load_summary(&id).await.expect("reads"), None);
}

async fn a_fold_for_another_version_leaves_nothing(stores: &StorePair) {
    let store = &*stores.first;
    fill_conversation(store, "c", 9).await;
    let fence = take_lease(store, "c").await;
    apply_fold(store, &build_summary("c", 1, 2, &[], "one"), fence).await.expect("folds");
    for version in [0, 2, 7] {
        let late = build_summary("c", 3, 4, &[], "late");
        expect_refusal(store, NewFold { summary: late, expected: ContextVersion(version), fence }).await;
    }
}

async fn a_fold_without_the_lease_leaves_nothing(stores: &StorePair) {
    let store = &*stores.first;
    fill_conversation(store, "c", 9).await;
    let first = take_lease(store, "c").await;
    store.release_context(&conversation_id("c"), first, 0).await.expect("gives it back");
    let second = take_lease(store, "c").await;
    assert!(second > first);
    let fold = |fence| NewFold { summary: build_summary("c", 1, 2, &[], "one"), expected: ContextVersion(0), fence };
    expect_refusal(store, fold(first)).await;
    expect_refusal(store, fold(Fence(second.0 + 1))).await;
    store.apply_fold(fold(second)).await.expect("folds");
}

async fn a_fold_that_fits_nothing_leaves_nothing(stores: &StorePair) {
    let store = &*stores.first;
    fill_conversation(store, "c", 9).await;
    let fence = take_lease(store, "c").await;
    let one = build_summary("c", 1, 3, &[], "one");
    let two = build_summary("c", 4, 6, &[], "two");
    apply_fold(store, &one, fence).await.expect("folds");
    apply_fold(store, &two, fence).await.expect("folds");
    let never = build_summary("c", 7, 7, &[], "never");
    for wrong in [
        build_summary("c", 2, 8, &[&two], "cuts one in half"),
        build_summary("c", 1, 8, &[&one], "hides one"),
        build_summary("c", 1, 8, &[&two, &one], "turns them round"),
        build_summary("c", 1, 7, &[&one, &two, &never], "names one that is not active"),
        build_summary("c", 7, 10, &[], "goes beyond the end"),
        build_summary("c", 1, 3, &[], "stands where one stands"),
    ] {
        expect_refusal(store, NewFold { summary: wrong, expected: ContextVersion(2), fence }).await;
    }
}

async fn the_same_fold_again_gives_the_same_answer(stores: &StorePair) {
    fill_conversation(&*stores.first, "c", 9).await;
    let fence = take_lease(&*stores.first, "c").await;
    let fold = NewFold { summary: build_summary("c", 1, 2, &[], "one"), expected: ContextVersion(0), fence };
    for store in [&stores.first, &stores.second, &stores.first] {
        assert_eq!(store.apply_fold(fold.clone()).await.expect("folds"), ContextVersion(1));
    }
    assert_eq!(load_context(&*stores.first, "c").await.summaries.len(), 1);
}

async fn appending_never_meets_a_fold(stores: &StorePair) {
    fill_conversation(&*stores.first, "c", 40).await;
    let fence = take_lease(&*stores.first, "c").await;
    let write = async {
        for _ in 0..20 {
            fill_conversation(&*stores.second, "c", 3).await;
        }
    };
    let fold = async {
        for number in 0..20 {
            let leaf = build_summary("c", number * 2 + 1, number * 2 + 2, &[], "leaf");
            apply_fold(&*stores.first, &leaf, fence).await.expect("folds");
        }
    };
    futures::join!(write, fold);
    assert_eq!(load_context(&*stores.second, "c").await.version, ContextVersion(20));
    let found = stores.first.load_conversation(&conversation_id("c")).await.expect("reads").expect("it is there");
    assert_eq!(found.messages, 100);
}

async fn of_many_folds_for_one_version_one_is_kept(stores: &StorePair) {
    fill_conversation(&*stores.first, "c", 40).await;
    let fence = take_lease(&*stores.first, "c").await;
    let folds = (0..16).map(|number| {
        let store = if number % 2 == 0 { &stores.first } else { &stores.second };
        let leaf = build_summary("c", 1 + number % 4, 8, &[], &format!("leaf {number}"));
        store.apply_fold(NewFold { summary: leaf, expected: ContextVersion(0), fence })
    });
    let outcomes = join_all(folds).await;
    let refused = outcomes.iter().filter(|outcome| matches!(outcome, Err(Error::Conflict { .. }))).count();
    assert_eq!((refused, outcomes.iter().filter(|outcome| outcome.is_ok()).count()), (15, 1));
    assert_eq!(load_context(&*stores.second, "c").await.summaries.len(), 1);
    assert_eq!(stores.first.fold_totals().await.expect("reads").summaries, 1);
}

async fn a_summary_is_redone_in_its_place_or_beside_it(stores: &StorePair) {
    let store = &*stores.first;
    fill_conversation(store, "c", 9).await;
    let fence = take_lease(store, "c").await;
    let one = build_summary("c", 1, 3, &[], "one");
    let two = build_summary("c", 4, 6, &[], "two");
    apply_fold(store, &one, fence).await.expect("folds");
    apply_fold(store, &two, fence).await.expect("folds");
    let redo = |of: &Summary, text: &str| Summary {
        redoes: Some(of.id.clone()),
        ..build_summary("c", of.range.first, of.range.last, &[], text)
    };
    let better = redo(&one, "better");
    assert_eq!(apply_fold(store, &better, fence).await.expect("folds"), ContextVersion(3));
    assert_eq!(summary_ids(&load_context(store, "c").await), [better.id.clone(), two.id.clone()]);
    assert_eq!(store.newest_redo(&one.id).await.expect("reads"), Some(better.id.clone()));

    let both = build_summary("c", 1, 6, &[&better, &two], "both");
    apply_fold(store, &both, fence).await.expect("folds");
    let late = redo(&two, "late");
    assert_eq!(apply_fold(store, &late, fence).await.expect("adds"), ContextVersion(4));
    assert_eq!(summary_ids(&load_context(store, "c").await), [both.id]);
    assert_eq!(store.newest_redo(&two.id).await.expect("reads"), Some(late.id));
    assert_eq!(store.newest_redo(&better.id).await.expect("reads"), None);
}

/// A context of two summaries, with its lease.
async fn folded_twice(store: &dyn Store) -> (Summary, Summary, Fence) {
    fill_conversation(store, "c", 9).await;
    let fence = take_lease(store, "c").await;
    let one = build_summary("c", 1, 3, &[], "one");
    let two = build_summary("c", 5, 8, &[], "two");
    for summary in [&one, &two] {
        apply_fold(store, summary, fence).await.expect("folds");
    }
    (one, two, fence)
}

fn build_unfold(summary: &Summary, expected: u64, fence: Fence) -> UnfoldRequest {
    let conversation = conversation_id("c");
    let summaries = vec![summary.id.clone()];
    UnfoldRequest { conversation, summaries, expected: ContextVersion(expected), fence }
}

async fn what_is_unfolded_stands_for_itself_and_may_be_folded_again(stores: &StorePair) {
    let store = &*stores.first;
    let (one, two, fence) = folded_twice(store).await;
    assert_eq!(store.apply_unfold(build_unfold(&one, 2, fence)).await.expect("unfolds"), ContextVersion(3));
    assert_eq!(store.apply_unfold(build_unfold(&one, 2, fence)).await.expect("the same again"), ContextVersion(3));
    assert_eq!(summary_ids(&load_context(&*stores.second, "c").await), std::slice::from_ref(&two.id));
    assert_eq!(store.load_summary(&one.id).await.expect("reads"), Some(one.clone()), "it is kept");
    assert_eq!(apply_fold(store, &one, fence).await.expect("folds"), ContextVersion(4));
    assert_eq!(summary_ids(&load_context(&*stores.second, "c").await), [one.id.clone(), two.id.clone()]);
    assert_eq!(store.fold_totals().await.expect("reads").summaries, 2, "the same words are one summary");
    // A summary below another summary is not active, and nothing happens.
    let both = build_summary("c", 1, 8, &[&one, &two], "both");
    apply_fold(store, &both, fence).await.expect("folds");
    assert_eq!(store.apply_unfold(build_unfold(&one, 5, fence)).await.expect("nothing to do"), ContextVersion(5));
    assert_eq!(summary_ids(&load_context(store, "c").await), [both.id]);
}

async fn an_unfold_for_another_version_or_lease_leaves_all_as_it_is(stores: &StorePair) {
    let store = &*stores.first;
    let (one, two, fence) = folded_twice(store).await;
    for asked in [build_unfold(&one, 1, fence), build_unfold(&one, 3, fence), build_unfold(&one, 2, Fence(fence.0 + 1))]
    {
        let outcome = store.apply_unfold(asked).await;
        assert!(matches!(outcome, Err(Error::Conflict { .. })), "{outcome:?}");
        assert_eq!(summary_ids(&load_context(&*stores.second, "c").await), [one.id.clone(), two.id.clone()]);
    }
}

async fn summaries_are_found_by_place_and_newest_first(stores: &StorePair) {
    let store = &*stores.first;
    for name in ["c", "d"] {
        fill_conversation(store, name, 9).await;
        let fence = take_lease(store, name).await;
        let one = build_summary(name, 1, 3, &[], "one");
        let two = build_summary(name, 4, 6, &[], "two");
        apply_fold(store, &one, fence).await.expect("folds");
        apply_fold(store, &two, fence).await.expect("folds");
        apply_fold(store, &build_summary(name, 1, 6, &[&one, &two], "both"), fence).await.expect("folds");
    }
    let contents = |found: Vec<Summary>| found.into_iter().map(|summary| summary.content).collect::<Vec<_>>();
    for (seq, wanted) in [(2, vec!["one", "both"]), (4, vec!["two", "both"]), (7, vec![]), (u64::MAX, vec![])] {
        assert_eq!(contents(store.summaries_at(&conversation_id("c"), seq).await.expect("reads")), wanted, "{seq}");
    }
    let mut seen = Vec::new();
    let mut before: Option<StoreCursor> = None;
    loop {
        let page = store.scan_summaries(None, before, 4).await.expect("reads");
        let Some((last, _)) = page.last() else { break };
        before = Some(*last);
        seen.extend(page.into_iter().map(|(_, summary)| (summary.conversation, summary.content)));
    }
    let wanted = ["d", "c"].map(|name| ["both", "two", "one"].map(|text| (conversation_id(name), text.to_owned())));
    assert_eq!(seen, wanted.concat());
    assert_eq!(store.scan_summaries(Some(&conversation_id("d")), None, 9).await.expect("reads").len(), 3);
}

async fn a_lease_has_one_holder_until_its_time_is_over(stores: &StorePair) {
    fill_conversation(&*stores.first, "c", 1).await;
    let id = conversation_id("c");
    let ask = |store: usize, lasts| {
        let store = if store == 1 { &stores.first } else { &stores.second };
        let id = &id;
        async move { store.lease_context(id, lasts).await.expect("asks") }
    };
    let is_lost = |outcome: Result<(), Error>| assert!(matches!(outcome, Err(Error::Conflict { .. })), "{outcome:?}");
    let held = ask(1, LONG_LEASE).await.taken().expect("nobody has it");
    let first = held.fence;
    let LeaseOutcome::Busy(end) = ask(2, LONG_LEASE).await else { panic!("two have it") };
    assert!(end.ask_again > Duration::ZERO && end.ask_again <= LONG_LEASE, "{end:?}");
    // Shorter from now on, so that the case need not wait.
    stores.first.renew_context(&id, first, SHORT_LEASE).await.expect("prolongs");
    // Dropped and not renewed: this is what a holder that died looks like.
    drop(held);
    tokio::time::sleep(SHORT_LEASE * 2).await;
    let held = ask(2, LONG_LEASE).await.taken().expect("its holder is dead");
    let second = held.fence;
    assert!(second > first);
    is_lost(stores.first.renew_context(&id, first, LONG_LEASE).await);
    stores.first.release_context(&id, first, 1).await.expect("does nothing");
    assert!(ask(1, LONG_LEASE).await.taken().is_none());
    stores.second.release_context(&id, second, 1).await.expect("gives it back");
    drop(held);
    is_lost(stores.second.renew_context(&id, second, LONG_LEASE).await);
    let held = ask(1, LONG_LEASE).await.taken().expect("given back is given back");
    assert!(held.fence > second);
    stores.first.release_context(&id, held.fence, 1).await.expect("gives it back");
    drop(held);
    let takers = join_all((0..12).map(|store| ask(store % 2, LONG_LEASE))).await;
    assert_eq!(takers.into_iter().filter_map(LeaseOutcome::taken).count(), 1);
}

async fn items_that_lead_nowhere_are_dropped_under_the_lease(stores: &StorePair) {
    let store = &*stores.first;
    fill_conversation(store, "c", 9).await;
    let fence = take_lease(store, "c").await;
    let [one, two] = [build_summary("c", 1, 2, &[], "one"), build_summary("c", 4, 5, &[], "two")];
    for summary in [&one, &two] {
        apply_fold(store, summary, fence).await.expect("folds");
    }
    let id = conversation_id("c");
    assert_eq!(store.dangling_items(&id).await.expect("reads"), []);
    let refused = store.drop_items(&id, Fence(fence.0 + 1), &[1]).await;
    assert!(matches!(refused, Err(Error::Conflict { .. })), "{refused:?}");
    assert_eq!(store.drop_items(&id, fence, &[1, 7]).await.expect("drops"), ContextVersion(3));
    assert_eq!(summary_ids(&load_context(&*stores.second, "c").await), [two.id]);
    assert!(store.load_summary(&one.id).await.expect("reads").is_some(), "summaries stay");
}

async fn what_holds_too_much_is_told_until_somebody_looked(stores: &StorePair) {
    let store = &*stores.first;
    fill_conversation(store, "small", 2).await;
    fill_conversation(store, "large", 10).await;
    let pressed = |tokens, messages| async move {
        let pressure = ContextLimits { tokens, messages, fence: TokenCount(3) };
        store.oversized_contexts(pressure).await.expect("reads")
    };
    // Two words each.
    assert_eq!(pressed(20, None).await, [conversation_id("large")]);
    assert_eq!(pressed(21, None).await, []);
    assert_eq!(pressed(u64::MAX, Some(9)).await, [conversation_id("large")]);
    assert_eq!(pressed(u64::MAX, Some(10)).await, []);
    assert_eq!(pressed(1, Some(1)).await.len(), 2);
    let fence = take_lease(store, "large").await;
    let leaf = Summary { source_tokens: TokenCount(12), ..build_summary("large", 1, 6, &[], "one two") };
    apply_fold(store, &leaf, fence).await.expect("folds");
    assert_eq!(pressed(8 + 2 + 3, None).await, [conversation_id("large")]);
    assert_eq!(pressed(8 + 2 + 3 + 1, None).await, []);
    assert_eq!(pressed(u64::MAX, Some(3)).await, [conversation_id("large")]);
    assert_eq!(pressed(u64::MAX, Some(4)).await, []);
    store.release_context(&conversation_id("large"), fence, 10).await.expect("gives it back");
    assert_eq!(pressed(1, None).await, [conversation_id("small")]);
    fill_conversation(store, "large", 1).await;
    assert_eq!(pressed(1, None).await.len(), 2);
}

async fn each_conversation_says_what_it_was_folded_into(stores: &StorePair) {
    let store = &*stores.first;
    fill_conversation(store, "plain", 2).await;
    fill_conversation(store, "folded", 9).await;
    let fence = take_lease(store, "folded").await;
    let one = build_summary("folded", 1, 2, &[], "one");
    let two = build_summary("folded", 3, 4, &[], "two words");
    let both = build_summary("folded", 1, 4, &[&one, &two], "both of them");
    let far = build_summary("folded", 6, 7, &[], "far");
    for summary in [&one, &two, &both, &far] {
        apply_fold(store, summary, fence).await.expect("folds");
    }
    let mut told = stores.second.conversation_folds().await.expect("reads");
    told.sort_by(|one, other| one.name.cmp(&other.name));
    let [folded, plain] = &told[..] else { panic!("{told:?}") };
    assert_eq!((folded.conversation.clone(), folded.messages, folded.tokens), (conversation_id("folded"), 9, 18));
    assert_eq!((folded.summaries, folded.deepest, folded.active_summaries), (4, Some(1), 2));
    assert_eq!((folded.active_tokens, folded.folded_tokens, folded.facts), (4, 200, 0));
    assert_eq!((plain.name.as_str(), plain.summaries, plain.deepest, plain.active_tokens), ("plain", 0, None, 0));
}

async fn a_message_is_found_by_its_id(stores: &StorePair) {
    let store = &*stores.first;
    fill_conversation(store, "c", 3).await;
    let messages = store.load_messages(&conversation_id("c"), MessageWindow::Last(9)).await.expect("reads");
    for message in messages {
        assert_eq!(stores.second.load_message(&message.id).await.expect("reads"), Some(message));
    }
    let none = model::MessageId::from_hash(model::ContentHash::hash_bytes(b"none"));
    assert_eq!(store.load_message(&none).await.expect("reads"), None);
}

async fn nothing_is_folded_in_a_conversation_that_is_not_there(stores: &StorePair) {
    let store = &*stores.first;
    let missing = |outcome: Result<(), Error>| assert!(matches!(outcome, Err(Error::NotFound { .. })), "{outcome:?}");
    let id = conversation_id("nobody");
    missing(store.active_context(&id).await.map(drop));
    missing(store.lease_context(&id, LONG_LEASE).await.map(drop));
    let fold =
        NewFold { summary: build_summary("nobody", 1, 1, &[], "x"), expected: ContextVersion(0), fence: Fence(1) };
    missing(store.apply_fold(fold).await.map(drop));
    assert_eq!(store.facts_of(&id).await.expect("reads"), []);
    assert_eq!(store.summaries_at(&id, 1).await.expect("reads"), []);
}
