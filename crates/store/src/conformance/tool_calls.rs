//! Conformance tests that every store backend must pass, for dispatches of operations: calls, their totals, the watch
//! over them, and what was learned of modes.

use super::sample::{ODD_TEXTS, long_text, project_id};
use super::{StoreCase, StorePair, cases};
use crate::{
    CallDoor, CallFigures, CallFilter, CallGrouping, CallOrigin, CallQuestion, CallTotal, Certainty, ModeArm,
    ModeOutcome, ModeSlot, NewToolCall, Store, ToolCall,
};
use model::{Money, Timestamp, UtcDay};
use std::time::Duration;

cases! {
    calls_come_back_as_they_were_newest_first,
    calls_are_followed_by_their_numbers,
    totals_of_calls_are_kept_by_each_of_their_keys,
    totals_tell_what_is_measured_from_what_is_estimated,
    commands_of_people_are_told_from_calls_of_agents,
    totals_of_calls_outlive_them,
    a_watch_notices_calls_of_another_process,
    what_was_learned_of_modes_adds_up_and_is_forgotten_by_slot,
}

const TODAY: UtcDay = UtcDay(20_000);

fn at_second(seconds: i64) -> Timestamp {
    Timestamp((i64::from(TODAY.0) * 86_400 + seconds) * 1_000)
}

fn figures(avoided: i64) -> CallFigures {
    CallFigures {
        bytes_raw: 4 * avoided + 40,
        bytes_shown: 40,
        bytes_avoided: 4 * avoided,
        tokens_raw: avoided + 10,
        tokens_shown: 10,
        tokens_avoided: avoided,
        money_avoided: Money(3 * avoided),
    }
}

pub(super) fn call(seconds: i64, session: &str, avoided: i64) -> NewToolCall {
    NewToolCall {
        at: at_second(seconds),
        day: TODAY,
        door: CallDoor::Mcp,
        session: Some(session.to_owned()).filter(|session| !session.is_empty()),
        project: Some(project_id("p")),
        agent: Some("an agent".to_owned()),
        tool: "get_source_window".to_owned(),
        operation: "read".to_owned(),
        mode: Some("map".to_owned()),
        place: Some("src/lib.rs".to_owned()),
        language: Some("some language".to_owned()),
        size_bucket: Some("M".to_owned()),
        formula: "view".to_owned(),
        certainty: Certainty::Measured,
        figures: figures(avoided),
        elapsed_us: 1_500,
        turn: 3,
        question: None,
    }
}

async fn record(store: &dyn Store, calls: &[NewToolCall]) {
    store.record_tool_calls(calls.to_vec()).await.expect("records");
}

async fn list(store: &dyn Store, filter: CallFilter) -> Vec<NewToolCall> {
    let listed = store.list_tool_calls(filter, 100).await.expect("lists");
    listed.into_iter().map(|ToolCall { call, .. }| call).collect()
}

async fn totals(store: &dyn Store, by: CallGrouping, filter: CallFilter) -> Vec<(String, u64, i64, i64)> {
    let totals = store.tool_call_totals(by, filter).await.expect("adds up");
    let row =
        |total: CallTotal| (total.key, total.calls, total.measured.tokens_avoided, total.estimated.tokens_avoided);
    totals.into_iter().map(row).collect()
}

async fn calls_come_back_as_they_were_newest_first(stores: &StorePair) {
    let bare = NewToolCall {
        door: CallDoor::Cli,
        session: None,
        project: None,
        agent: None,
        mode: None,
        place: None,
        language: None,
        size_bucket: None,
        ..call(5, "", -7)
    };
    let question = CallQuestion {
        query: long_text("question"),
        intent: Some("usage".to_owned()),
        strategy: None,
        gate: Some("answer".to_owned()),
        results: 12,
    };
    let mut calls = vec![bare, NewToolCall { question: Some(question), ..call(2, "s", 100) }];
    calls.extend(ODD_TEXTS.iter().filter(|text| !text.is_empty()).map(|text| NewToolCall {
        agent: Some((*text).to_owned()),
        place: Some((*text).to_owned()),
        ..call(1, text, 1)
    }));
    record(&*stores.first, &calls).await;
    // On PostgreSQL calls of one batch get their numbers in the order of their totals, so those of one moment have none.
    let sorted = |mut calls: Vec<NewToolCall>| {
        calls.sort_by_key(|call| (std::cmp::Reverse(call.at), call.session.clone()));
        calls
    };
    let found = list(&*stores.second, CallFilter::default()).await;
    assert!(found.is_sorted_by_key(|call| std::cmp::Reverse(call.at)));
    assert_eq!(sorted(found), sorted(calls.clone()));
    let of_session = CallFilter { session: Some("s".to_owned()), ..CallFilter::default() };
    assert_eq!(list(&*stores.first, of_session).await, calls[1..2]);
    let asked = CallFilter { questions_only: true, ..CallFilter::default() };
    assert_eq!(list(&*stores.first, asked).await, calls[1..2]);
}

async fn calls_are_followed_by_their_numbers(stores: &StorePair) {
    for second in 0..3 {
        record(&*stores.first, &[call(second, "s", second)]).await;
    }
    let all = stores.second.tool_calls_after(0, 10).await.expect("follows");
    assert!(all.is_sorted_by_key(|call| call.number));
    assert_eq!(all.iter().map(|call| call.call.at).collect::<Vec<_>>(), [0, 1, 2].map(at_second));
    let rest = stores.second.tool_calls_after(all[0].number, 10).await.expect("follows");
    assert_eq!(rest, all[1..]);
    // The newest ones, where there are more than may be given.
    assert_eq!(stores.second.tool_calls_after(0, 1).await.expect("follows"), all[2..]);
    assert_eq!(stores.second.tool_calls_after(all[2].number, 10).await.expect("follows"), []);
}

async fn totals_of_calls_are_kept_by_each_of_their_keys(stores: &StorePair) {
    let other = NewToolCall {
        day: UtcDay(TODAY.0 + 1),
        door: CallDoor::Hook,
        project: None,
        agent: None,
        operation: "hook".to_owned(),
        formula: "injection".to_owned(),
        ..call(90_000, "t", -5)
    };
    record(&*stores.first, &[call(1, "s", 10), call(2, "s", 20), other]).await;
    record(&*stores.second, &[call(3, "s", 1)]).await;
    let every = CallFilter::default;
    for (until, count) in [(TODAY.0 - 1, 0), (TODAY.0, 3), (TODAY.0 + 1, 4)] {
        assert_eq!(stores.second.count_tool_calls(UtcDay(until)).await.expect("counts"), count);
    }
    let found = stores.second.tool_call_totals(CallGrouping::Session, every()).await.expect("adds up");
    let expected = CallTotal {
        key: "s".to_owned(),
        calls: 3,
        first: at_second(1),
        last: at_second(3),
        measured: figures(10) + figures(20) + figures(1),
        estimated: CallFigures::default(),
    };
    assert_eq!(found[0], expected);
    let key = |key: &str, calls, tokens| (key.to_owned(), calls, tokens, 0);
    let [day, next] = [TODAY, UtcDay(TODAY.0 + 1)].map(|day| day.to_string());
    let project = project_id("p").to_string();
    let rows = [
        (CallGrouping::Day, [key(&day, 3, 31), key(&next, 1, -5)]),
        (CallGrouping::Session, [key("s", 3, 31), key("t", 1, -5)]),
        (CallGrouping::Project, [key("", 1, -5), key(&project, 3, 31)]),
        (CallGrouping::Operation, [key("hook", 1, -5), key("read", 3, 31)]),
        (CallGrouping::Agent, [key("", 1, -5), key("an agent", 3, 31)]),
        (CallGrouping::Door, [key("hook", 1, -5), key("mcp", 3, 31)]),
        (CallGrouping::Formula, [key("injection", 1, -5), key("view", 3, 31)]),
    ];
    for (by, expected) in rows {
        assert_eq!(totals(&*stores.second, by, every()).await, expected, "{by:?}");
    }
    let filters = [
        CallFilter { since: Some(UtcDay(TODAY.0 + 1)), ..every() },
        CallFilter { session: Some("t".to_owned()), ..every() },
    ];
    for filter in filters {
        assert_eq!(totals(&*stores.first, CallGrouping::Operation, filter).await, [key("hook", 1, -5)]);
    }
    let filters =
        [CallFilter { until: Some(TODAY), ..every() }, CallFilter { project: Some(project_id("p")), ..every() }];
    for filter in filters {
        assert_eq!(totals(&*stores.first, CallGrouping::Operation, filter).await, [key("read", 3, 31)]);
    }
}

async fn totals_tell_what_is_measured_from_what_is_estimated(stores: &StorePair) {
    let guessed = NewToolCall { certainty: Certainty::Estimated, ..call(1, "s", 500) };
    record(&*stores.first, &[guessed, call(2, "s", 20)]).await;
    let found = totals(&*stores.second, CallGrouping::Session, CallFilter::default()).await;
    assert_eq!(found, [("s".to_owned(), 2, 20, 500)]);
}

async fn commands_of_people_are_told_from_calls_of_agents(stores: &StorePair) {
    let own = NewToolCall { door: CallDoor::Cli, ..call(1, "", 7) };
    let named = NewToolCall { door: CallDoor::Cli, ..call(2, "run", 11) };
    record(&*stores.first, &[own, named, call(3, "", 13)]).await;
    let sum = async |origin| {
        let filter = CallFilter { origin, ..CallFilter::default() };
        let listed: i64 =
            list(&*stores.second, filter.clone()).await.iter().map(|call| call.figures.tokens_avoided).sum();
        let totals: i64 = totals(&*stores.second, CallGrouping::Day, filter).await.iter().map(|total| total.2).sum();
        assert_eq!(listed, totals);
        totals
    };
    assert_eq!(sum(CallOrigin::Everyone).await, 31);
    assert_eq!(sum(CallOrigin::Agents).await, 24);
    assert_eq!(sum(CallOrigin::People).await, 7);
}

async fn totals_of_calls_outlive_them(stores: &StorePair) {
    record(&*stores.first, &[call(1, "s", 10), call(2, "s", 20)]).await;
    assert_eq!(stores.second.prune_tool_calls(at_second(2)).await.expect("prunes"), 1);
    assert_eq!(list(&*stores.first, CallFilter::default()).await, [call(2, "s", 20)]);
    assert_eq!(
        totals(&*stores.first, CallGrouping::Session, CallFilter::default()).await,
        [("s".to_owned(), 2, 30, 0)]
    );
    // A number is not given again after its call went, or a follower would not see the new one.
    let last = stores.first.tool_calls_after(0, 10).await.expect("follows")[0].number;
    stores.first.prune_tool_calls(at_second(100)).await.expect("prunes");
    record(&*stores.first, &[call(3, "s", 1)]).await;
    assert_eq!(stores.second.tool_calls_after(last, 10).await.expect("follows").len(), 1);
}

async fn a_watch_notices_calls_of_another_process(stores: &StorePair) {
    let long = Duration::from_mins(1);
    let mut watch = stores.first.watch_tool_calls().await.expect("watches");
    for second in 0..2 {
        let waits = tokio::spawn(async move {
            watch.wait_for_calls(long).await.expect("waits");
            watch
        });
        record(&*stores.second, &[call(second, "s", 1)]).await;
        // Far below the patience of the watch, and far above what any machine needs.
        watch = tokio::time::timeout(long / 2, waits).await.expect("it is noticed").expect("no panic");
    }
    watch.wait_for_calls(Duration::ZERO).await.expect("it gives up without a call");
}

async fn what_was_learned_of_modes_adds_up_and_is_forgotten_by_slot(stores: &StorePair) {
    let slot = |language: &str| ModeSlot {
        language: language.to_owned(),
        size_bucket: "M".to_owned(),
        pattern: "edit".to_owned(),
    };
    let outcome = |language: &str, mode: &str, reward_micros, is_reread| ModeOutcome {
        slot: slot(language),
        mode: mode.to_owned(),
        reward_micros,
        is_reread,
    };
    let learned = vec![
        outcome("some language", "map", 500_000, false),
        outcome("some language", "map", -1_000_000, true),
        outcome("another language", "raw", 0, false),
    ];
    stores.first.record_mode_outcomes(learned).await.expect("records");
    stores.second.record_mode_outcomes(vec![outcome("some language", "raw", 0, false)]).await.expect("records");
    let arm = |language: &str, mode: &str, samples, rereads, reward_micros, square_micros| ModeArm {
        slot: slot(language),
        mode: mode.to_owned(),
        samples,
        rereads,
        reward_micros,
        square_micros,
    };
    let go = arm("another language", "raw", 1, 0, 0, 0);
    let expected =
        [go.clone(), arm("some language", "map", 2, 1, -500_000, 1_250_000), arm("some language", "raw", 1, 0, 0, 0)];
    assert_eq!(stores.second.load_mode_arms().await.expect("loads"), expected);
    assert_eq!(stores.first.reset_mode_arms(Some(slot("some language"))).await.expect("resets"), 2);
    assert_eq!(stores.second.load_mode_arms().await.expect("loads"), [go]);
    assert_eq!(stores.first.reset_mode_arms(None).await.expect("resets"), 1);
    assert_eq!(stores.second.load_mode_arms().await.expect("loads"), []);
}
