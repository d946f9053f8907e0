//! Promises about reservations, entries and totals.

use super::sample::{ODD, long_text, project};
use super::{Case, Stores, cases};
use crate::{
    Account, Amount, Basis, Ceiling, Error, Figures, Limits, NewEntry, NewReservation, Refusal, ReservationId,
    Reserved, Settlement, Spending, Standing, Store, Total, TotalsBy, TotalsFilter,
};
use futures::future::try_join_all;
use model::{Day, Money, Timestamp};

cases! {
    a_call_is_counted_while_it_runs_and_after,
    each_ceiling_refuses_what_would_pass_it,
    a_call_without_a_session_meets_no_ceiling_of_one,
    a_released_call_costs_nothing,
    an_unknown_outcome_costs_what_was_reserved,
    settling_again_changes_nothing,
    what_was_never_reserved_cannot_be_settled,
    a_reservation_that_expires_is_spent,
    a_late_settlement_books_the_difference_back_once,
    a_clock_put_back_frees_nothing,
    stopped_spending_refuses_and_still_settles,
    only_so_many_calls_run_at_once,
    many_at_once_never_pass_a_ceiling,
    entries_come_back_as_they_were_newest_first,
    totals_are_kept_by_each_of_their_keys,
    totals_outlive_their_entries,
    only_calls_count_against_ceilings,
}

const TODAY: Day = Day(20_000);

fn at(seconds: i64) -> Timestamp {
    Timestamp((i64::from(TODAY.0) * 86_400 + seconds) * 1_000)
}

fn amount(tokens: i64, money: i64) -> Amount {
    Amount { tokens, money: Money(money) }
}

/// High enough for everything here.
fn limits() -> Limits {
    let high = amount(1_000_000, 1_000_000);
    Limits { call: high, session: high, day: high, concurrent: 100 }
}

/// A call that takes a token in and the rest out, for a cent a token.
fn call(session: &str, tokens: i64, limits: Limits) -> NewReservation {
    let session = Some(session.to_owned()).filter(|session| !session.is_empty());
    NewReservation {
        account: Account { operation: "index".to_owned(), project: None, session, model: Some("a/b".to_owned()) },
        worst: figures(tokens),
        limits,
        day: TODAY,
        now: at(0),
        expires: at(60),
    }
}

fn figures(tokens: i64) -> Figures {
    Figures { tokens_in: 1, tokens_out: tokens - 1, money: Money(10 * tokens), ..Figures::default() }
}

async fn granted(store: &dyn Store, wanted: NewReservation) -> ReservationId {
    match store.reserve(wanted).await.expect("reserves") {
        Reserved::Granted(id) => id,
        Reserved::Refused(refusal) => panic!("refused: {refusal:?}"),
    }
}

async fn refused(store: &dyn Store, wanted: NewReservation) -> Refusal {
    match store.reserve(wanted).await.expect("reserves") {
        Reserved::Granted(id) => panic!("granted {id:?}"),
        Reserved::Refused(refusal) => refusal,
    }
}

async fn standing(store: &dyn Store, session: &str) -> Standing {
    store.standing(TODAY, Some(session), at(0)).await.expect("reads")
}

/// Spent on the day in force, and how many entries there are.
async fn booked(store: &dyn Store) -> (Amount, usize) {
    let spent = standing(store, "s").await.spent_day;
    (spent, store.ledger_entries(1_000).await.expect("reads").len())
}

async fn a_call_is_counted_while_it_runs_and_after(stores: &Stores) {
    let id = granted(&*stores.first, call("s", 10, limits())).await;
    let running = Standing {
        day: TODAY,
        spent_day: amount(0, 0),
        reserved_day: amount(10, 100),
        spent_session: amount(0, 0),
        reserved_session: amount(10, 100),
        in_flight: 1,
        spending: Spending::Allowed,
    };
    assert_eq!(standing(&*stores.second, "s").await, running);
    let other = Standing { reserved_session: amount(0, 0), ..running };
    assert_eq!(standing(&*stores.second, "t").await, other);

    let used = Figures { tokens_in: 2, tokens_out: 3, cache_read: 4, cache_write: 5, money: Money(60), ..figures(0) };
    stores.second.settle(id, Settlement::Used(used), at(1)).await.expect("settles");
    let none = amount(0, 0);
    let done = Standing {
        spent_day: amount(14, 60),
        spent_session: amount(14, 60),
        reserved_day: none,
        reserved_session: none,
        in_flight: 0,
        ..running
    };
    assert_eq!(standing(&*stores.first, "s").await, done);
    let [entry] = &stores.first.ledger_entries(9).await.expect("reads")[..] else { panic!("one call is one entry") };
    assert_eq!((entry.entry.basis, entry.reservation, entry.entry.figures), (Basis::Reported, Some(id), used));
    assert_eq!((entry.entry.day, entry.entry.at), (TODAY, at(1)));
}

async fn each_ceiling_refuses_what_would_pass_it(stores: &Stores) {
    let store = &*stores.first;
    let id = granted(store, call("s", 40, limits())).await;
    store.settle(id, Settlement::Used(figures(40)), at(1)).await.expect("settles");
    granted(store, call("s", 10, limits())).await;
    let (exact, tokens, money) = (amount(60, 600), amount(59, 600), amount(60, 599));
    for limit in [tokens, money] {
        for (ceiling, limits) in [
            (Ceiling::Session, Limits { session: limit, ..limits() }),
            (Ceiling::Day, Limits { day: limit, ..limits() }),
        ] {
            let wanted = Refusal::Over { ceiling, limit, used: amount(50, 500), wanted: amount(10, 100) };
            assert_eq!(refused(store, call("s", 10, limits)).await, wanted);
        }
    }
    for limit in [amount(9, 100), amount(10, 99)] {
        let refusal = Refusal::Over { ceiling: Ceiling::Call, limit, used: amount(0, 0), wanted: amount(10, 100) };
        assert_eq!(refused(store, call("s", 10, Limits { call: limit, ..limits() })).await, refusal);
    }
    let before = standing(store, "s").await;
    assert_eq!((before.reserved_day, before.spent_day), (amount(10, 100), amount(40, 400)), "a refusal takes nothing");
    let other = call("t", 10, Limits { session: tokens, ..limits() });
    let other = granted(store, other).await;
    store.settle(other, Settlement::Released, at(1)).await.expect("settles");
    granted(store, call("s", 10, Limits { call: amount(10, 100), session: exact, day: exact, ..limits() })).await;
}

async fn a_call_without_a_session_meets_no_ceiling_of_one(stores: &Stores) {
    let none = Limits { session: amount(0, 0), ..limits() };
    granted(&*stores.first, call("", 10, none)).await;
    assert!(matches!(refused(&*stores.first, call("s", 10, none)).await, Refusal::Over { .. }));
}

async fn a_released_call_costs_nothing(stores: &Stores) {
    let id = granted(&*stores.first, call("s", 10, limits())).await;
    stores.first.settle(id, Settlement::Released, at(1)).await.expect("settles");
    assert_eq!(booked(&*stores.first).await, (amount(0, 0), 0));
    assert_eq!(standing(&*stores.first, "s").await.reserved_day, amount(0, 0));
    stores.first.settle(id, Settlement::Released, at(1)).await.expect("nothing is left to release");
}

async fn an_unknown_outcome_costs_what_was_reserved(stores: &Stores) {
    let id = granted(&*stores.first, call("s", 10, limits())).await;
    stores.first.settle(id, Settlement::Unknown, at(1)).await.expect("settles");
    assert_eq!(booked(&*stores.first).await, (amount(10, 100), 1));
    assert_eq!(stores.first.ledger_entries(1).await.expect("reads")[0].entry.basis, Basis::Estimated);
}

async fn settling_again_changes_nothing(stores: &Stores) {
    for first in [Settlement::Used(figures(4)), Settlement::Unknown] {
        let id = granted(&*stores.first, call("s", 10, limits())).await;
        stores.first.settle(id, first, at(1)).await.expect("settles");
        let before = booked(&*stores.first).await;
        for again in [first, Settlement::Used(figures(7)), Settlement::Unknown, Settlement::Released] {
            stores.second.settle(id, again, at(2)).await.expect("settles again");
            assert_eq!(booked(&*stores.first).await, before, "{first:?}, then {again:?}");
        }
    }
}

async fn what_was_never_reserved_cannot_be_settled(stores: &Stores) {
    for settlement in [Settlement::Used(figures(1)), Settlement::Unknown] {
        let outcome = stores.first.settle(ReservationId(999_999), settlement, at(1)).await;
        assert!(matches!(outcome, Err(Error::NotFound { what: "reservation", .. })), "{outcome:?}");
    }
    assert_eq!(booked(&*stores.first).await, (amount(0, 0), 0));
}

async fn a_reservation_that_expires_is_spent(stores: &Stores) {
    granted(&*stores.first, call("s", 10, limits())).await;
    let lost = stores.first.standing(TODAY, Some("s"), at(60)).await.expect("reads");
    assert_eq!((lost.reserved_day, lost.in_flight), (amount(10, 100), 0), "it counts, but nobody is waiting for it");

    let later = NewReservation { now: at(60), expires: at(120), ..call("t", 5, limits()) };
    granted(&*stores.second, later).await;
    let after = standing(&*stores.first, "s").await;
    assert_eq!((after.spent_day, after.reserved_day), (amount(10, 100), amount(5, 50)));
    assert_eq!(after.spent_session, amount(10, 100));
    assert_eq!(stores.first.ledger_entries(1).await.expect("reads")[0].entry.basis, Basis::Expired);
}

async fn a_late_settlement_books_the_difference_back_once(stores: &Stores) {
    let rows = [
        (Settlement::Used(figures(4)), amount(4, 40), 2),
        (Settlement::Used(figures(12)), amount(12, 120), 2),
        (Settlement::Released, amount(0, 0), 2),
        (Settlement::Unknown, amount(10, 100), 1),
    ];
    let (mut spent, mut entries) = (amount(0, 0), 0);
    for (late, wanted, booked_entries) in rows {
        let id = granted(&*stores.first, call("s", 10, limits())).await;
        // Another call finds it expired and books it.
        let other = NewReservation { now: at(60), expires: at(120), ..call("t", 1, limits()) };
        let other = granted(&*stores.first, other).await;
        stores.first.settle(other, Settlement::Released, at(61)).await.expect("settles");
        assert_eq!(booked(&*stores.first).await, (spent + amount(10, 100), entries + 1), "{late:?}");
        (spent, entries) = (spent + wanted, entries + booked_entries);
        for _ in 0..2 {
            stores.second.settle(id, late, at(70)).await.expect("settles");
            assert_eq!(booked(&*stores.first).await, (spent, entries), "{late:?}");
        }
    }
    assert_eq!(standing(&*stores.first, "s").await.spent_session, spent);
}

async fn a_clock_put_back_frees_nothing(stores: &Stores) {
    let store = &*stores.first;
    let limits = Limits { day: amount(20, 1_000), ..limits() };
    let id = granted(store, call("s", 10, limits)).await;
    store.settle(id, Settlement::Used(figures(10)), at(1)).await.expect("settles");
    let yesterday = |tokens| NewReservation { day: Day(TODAY.0 - 1), now: at(-86_400), ..call("s", tokens, limits) };
    assert!(matches!(refused(store, yesterday(11)).await, Refusal::Over { ceiling: Ceiling::Day, .. }));
    let id = granted(store, yesterday(10)).await;
    store.settle(id, Settlement::Used(figures(10)), at(-86_400)).await.expect("settles");
    let seen = store.standing(Day(TODAY.0 - 7), Some("s"), at(0)).await.expect("reads");
    assert_eq!((seen.day, seen.spent_day), (TODAY, amount(20, 200)));
    assert!(matches!(refused(store, call("s", 1, limits)).await, Refusal::Over { ceiling: Ceiling::Day, .. }));
    let tomorrow = NewReservation { day: Day(TODAY.0 + 1), ..call("s", 10, limits) };
    granted(store, tomorrow).await;
    let seen = store.standing(TODAY, Some("s"), at(0)).await.expect("reads");
    assert_eq!((seen.day, seen.reserved_day), (Day(TODAY.0 + 1), amount(10, 100)), "a reservation holds the day too");
}

async fn stopped_spending_refuses_and_still_settles(stores: &Stores) {
    let id = granted(&*stores.first, call("s", 10, limits())).await;
    stores.first.set_spending(Spending::Stopped(at(5))).await.expect("stops");
    stores.first.set_spending(Spending::Stopped(at(9))).await.expect("is stopped already");
    assert_eq!(refused(&*stores.second, call("s", 1, limits())).await, Refusal::Stopped { since: at(5) });
    assert_eq!(standing(&*stores.second, "s").await.spending, Spending::Stopped(at(5)));
    stores.second.settle(id, Settlement::Used(figures(3)), at(6)).await.expect("settles");
    assert_eq!(booked(&*stores.first).await, (amount(3, 30), 1));
    for _ in 0..2 {
        stores.second.set_spending(Spending::Allowed).await.expect("allows");
    }
    granted(&*stores.first, call("s", 1, limits())).await;
}

async fn only_so_many_calls_run_at_once(stores: &Stores) {
    let two = Limits { concurrent: 2, ..limits() };
    let id = granted(&*stores.first, call("s", 1, two)).await;
    granted(&*stores.second, call("t", 1, two)).await;
    assert_eq!(refused(&*stores.first, call("u", 1, two)).await, Refusal::Busy { limit: 2 });
    stores.first.settle(id, Settlement::Unknown, at(1)).await.expect("settles");
    granted(&*stores.first, call("u", 1, two)).await;
    let after_all_expired = NewReservation { now: at(60), expires: at(90), ..call("u", 1, two) };
    granted(&*stores.first, after_all_expired).await;
}

async fn many_at_once_never_pass_a_ceiling(stores: &Stores) {
    let limits = Limits { day: amount(100, 10_000), ..limits() };
    let answers = try_join_all((0..32).map(|caller: usize| {
        let store = if caller.is_multiple_of(2) { &stores.first } else { &stores.second };
        store.reserve(call(&format!("s{}", caller % 5), 7, limits))
    }));
    let answers = answers.await.expect("reserves");
    let granted = answers.iter().filter(|answer| matches!(answer, Reserved::Granted(_))).count();
    assert_eq!(granted, 100 / 7);
    assert_eq!(standing(&*stores.first, "s").await.reserved_day, amount(98, 980));
}

fn entry(operation: &str, day: i32, account: Account, figures: Figures) -> NewEntry {
    let account = Account { operation: operation.to_owned(), ..account };
    let (at, basis) = (Timestamp(i64::from(day) * 1_000), Basis::Counted);
    NewEntry { at, day: Day(day), account, formula: Some("raw - shown".to_owned()), basis, figures }
}

async fn entries_come_back_as_they_were_newest_first(stores: &Stores) {
    let long = long_text("session");
    let texts = ODD.iter().copied().filter(|text| !text.is_empty()).chain([long.as_str()]);
    let entries: Vec<NewEntry> = texts
        .zip(1..)
        .map(|(text, number)| NewEntry {
            formula: (number % 2 == 0).then(|| text.to_owned()),
            ..entry(
                text,
                number,
                Account {
                    session: Some(text.to_owned()),
                    model: (number % 3 == 0).then(|| text.to_owned()),
                    project: (number % 4 == 0).then(|| project(text)),
                    operation: String::new(),
                },
                Figures {
                    tokens_in: 1,
                    tokens_out: -2,
                    cache_read: 3,
                    cache_write: -4,
                    tokens_avoided: i64::from(number),
                    money: Money(-5),
                },
            )
        })
        .collect();
    stores.first.record(entries.clone()).await.expect("records");
    stores.first.record(Vec::new()).await.expect("records nothing");
    let found = stores.second.ledger_entries(1_000).await.expect("reads");
    assert!(found.iter().all(|found| found.reservation.is_none()));
    let found: Vec<NewEntry> = found.into_iter().map(|found| found.entry).collect();
    let wanted: Vec<NewEntry> = entries.iter().rev().cloned().collect();
    assert_eq!(found, wanted);
    let newest = stores.first.ledger_entries(2).await.expect("reads");
    assert_eq!(newest.iter().map(|found| &found.entry).collect::<Vec<_>>(), [&wanted[0], &wanted[1]]);
    let by_session = stores.first.ledger_totals(TotalsBy::Session, TotalsFilter::default()).await.expect("reads");
    assert_eq!(by_session.len(), entries.len());
    let only = TotalsFilter { session: Some(long.clone()), ..TotalsFilter::default() };
    let only = stores.first.ledger_totals(TotalsBy::Session, only).await.expect("reads");
    assert_eq!(only.iter().map(|total| (&total.key, total.entries)).collect::<Vec<_>>(), [(&long, 1)]);
}

async fn totals_are_kept_by_each_of_their_keys(stores: &Stores) {
    let (p, q) = (project("p"), project("q"));
    let avoided = |tokens_avoided| Figures { tokens_avoided, tokens_out: 1, ..Figures::default() };
    let of = |project: &model::ProjectId, session: &str| Account {
        project: Some(project.clone()),
        session: Some(session.to_owned()),
        ..Account::default()
    };
    let entries = vec![
        entry("read", 1, of(&p, "s"), avoided(100)),
        entry("read", 1, of(&p, "s"), avoided(-30)),
        entry("read", 2, of(&q, "s"), avoided(5)),
        entry("context", 2, of(&p, "t"), avoided(7)),
        entry("context", -1, Account::default(), avoided(-1)),
    ];
    stores.first.record(entries).await.expect("records");
    let totals = async |by, filter| {
        let totals = stores.second.ledger_totals(by, filter).await.expect("reads");
        let row = |total: Total| (total.key, total.entries, total.figures.tokens_avoided, total.figures.tokens_out);
        totals.into_iter().map(row).collect::<Vec<_>>()
    };
    let all = TotalsFilter::default;
    let row = |key: &str, entries: u64, avoided: i64| (key.to_owned(), entries, avoided, entries as i64);
    let by_day = [row("1969-12-31", 1, -1), row("1970-01-02", 2, 70), row("1970-01-03", 2, 12)];
    assert_eq!(totals(TotalsBy::Day, all()).await, by_day);
    assert_eq!(totals(TotalsBy::Session, all()).await, [row("", 1, -1), row("s", 3, 75), row("t", 1, 7)]);
    assert_eq!(totals(TotalsBy::Operation, all()).await, [row("context", 2, 6), row("read", 3, 75)]);
    assert_eq!(totals(TotalsBy::Model, all()).await, [row("", 5, 81)]);
    assert_eq!(totals(TotalsBy::Formula, all()).await, [row("raw - shown", 5, 81)]);
    let mut by_project = [row("", 1, -1), row(p.as_str(), 3, 77), row(q.as_str(), 1, 5)];
    by_project.sort();
    assert_eq!(totals(TotalsBy::Project, all()).await, by_project);

    let since = TotalsFilter { since: Some(Day(2)), ..all() };
    assert_eq!(totals(TotalsBy::Operation, since).await, [row("context", 1, 7), row("read", 1, 5)]);
    let some = TotalsFilter { project: Some(p), session: Some("s".to_owned()), ..all() };
    assert_eq!(totals(TotalsBy::Operation, some).await, [row("read", 2, 70)]);
}

async fn totals_outlive_their_entries(stores: &Stores) {
    let money = Figures { money: Money(9), ..Figures::default() };
    let entries = (1..=4).map(|day| entry("read", day, Account::default(), money)).collect();
    stores.first.record(entries).await.expect("records");
    let before = stores.first.ledger_totals(TotalsBy::Day, TotalsFilter::default()).await.expect("reads");
    assert_eq!(stores.second.prune_ledger(Timestamp(3_000)).await.expect("prunes"), 2);
    assert_eq!(stores.second.prune_ledger(Timestamp(3_000)).await.expect("prunes"), 0);
    let left = stores.first.ledger_entries(9).await.expect("reads");
    assert_eq!(left.iter().map(|left| left.entry.day).collect::<Vec<_>>(), [Day(4), Day(3)]);
    let after = stores.first.ledger_totals(TotalsBy::Day, TotalsFilter::default()).await.expect("reads");
    assert_eq!((after.len(), &after), (4, &before));
}

/// What an operation shows to its reader went through no model of ours.
async fn only_calls_count_against_ceilings(stores: &Stores) {
    let account = Account { session: Some("s".to_owned()), ..Account::default() };
    stores.first.record(vec![entry("read", TODAY.0 + 3, account, figures(500))]).await.expect("records");
    let seen = standing(&*stores.first, "s").await;
    assert_eq!((seen.day, seen.spent_day, seen.spent_session), (TODAY, amount(0, 0), amount(0, 0)));
}
