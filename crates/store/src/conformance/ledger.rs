//! Conformance tests that every store backend must pass, for the ledger: reservations of model calls under spending
//! ceilings, stopped spending, entries of calls and of savings, and totals.

use super::sample::{ODD_TEXTS, long_text, project_id};
use super::{StoreCase, StorePair, cases};
use crate::{
    CeilingKind, EntryBasis, Error, LedgerAccount, LedgerFigures, LedgerStatus, LedgerTotal, NewEntry, NewReservation,
    ReservationId, ReservationOutcome, Settlement, SpendAmount, SpendLimits, SpendRefusal, SpendingState, Store,
    TotalsBy, TotalsFilter,
};
use futures::future::try_join_all;
use model::{Money, Timestamp, UtcDay};

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

const TODAY: UtcDay = UtcDay(20_000);

fn at_second(seconds: i64) -> Timestamp {
    Timestamp((i64::from(TODAY.0) * 86_400 + seconds) * 1_000)
}

fn build_amount(tokens: i64, money: i64) -> SpendAmount {
    SpendAmount { tokens, money: Money(money) }
}

/// High enough for everything here.
fn high_limits() -> SpendLimits {
    let high = build_amount(1_000_000, 1_000_000);
    SpendLimits { call: high, session: high, day: high, concurrent: 100 }
}

/// A call that takes a token in and the rest out, for a cent a token.
fn build_reservation(session: &str, tokens: i64, limits: SpendLimits) -> NewReservation {
    let session = Some(session.to_owned()).filter(|session| !session.is_empty());
    NewReservation {
        account: LedgerAccount { operation: "index".to_owned(), project: None, session, model: Some("a/b".to_owned()) },
        worst: build_figures(tokens),
        limits,
        day: TODAY,
        now: at_second(0),
        expires: at_second(60),
    }
}

fn build_figures(tokens: i64) -> LedgerFigures {
    LedgerFigures { tokens_in: 1, tokens_out: tokens - 1, money: Money(10 * tokens), ..LedgerFigures::default() }
}

async fn expect_reserved(store: &dyn Store, wanted: NewReservation) -> ReservationId {
    match store.reserve_call(wanted).await.expect("reserves") {
        ReservationOutcome::Reserved(id) => id,
        ReservationOutcome::Refused(refusal) => panic!("refused: {refusal:?}"),
    }
}

async fn expect_refused(store: &dyn Store, wanted: NewReservation) -> SpendRefusal {
    match store.reserve_call(wanted).await.expect("reserves") {
        ReservationOutcome::Reserved(id) => panic!("granted {id:?}"),
        ReservationOutcome::Refused(refusal) => refusal,
    }
}

async fn load_status(store: &dyn Store, session: &str) -> LedgerStatus {
    store.ledger_status(TODAY, Some(session), at_second(0)).await.expect("reads")
}

/// Spent on the day in force, and how many entries there are.
async fn booked_totals(store: &dyn Store) -> (SpendAmount, usize) {
    let spent = load_status(store, "s").await.spent_day;
    (spent, store.ledger_entries(1_000).await.expect("reads").len())
}

async fn a_call_is_counted_while_it_runs_and_after(stores: &StorePair) {
    let id = expect_reserved(&*stores.first, build_reservation("s", 10, high_limits())).await;
    let running = LedgerStatus {
        day: TODAY,
        spent_day: build_amount(0, 0),
        reserved_day: build_amount(10, 100),
        spent_session: build_amount(0, 0),
        reserved_session: build_amount(10, 100),
        in_flight: 1,
        spending: SpendingState::Allowed,
    };
    // Read through the other handle: a reservation held in the memory of one process would let two pass a ceiling.
    assert_eq!(load_status(&*stores.second, "s").await, running);
    let other = LedgerStatus { reserved_session: build_amount(0, 0), ..running };
    assert_eq!(load_status(&*stores.second, "t").await, other);

    let used = LedgerFigures {
        tokens_in: 2,
        tokens_out: 3,
        cache_read: 4,
        cache_write: 5,
        money: Money(60),
        ..build_figures(0)
    };
    // Settled by the other handle too, as a daemon may end a call that a command began.
    stores.second.settle_reservation(id, Settlement::Used(used), at_second(1)).await.expect("settles");
    let none = build_amount(0, 0);
    let done = LedgerStatus {
        spent_day: build_amount(14, 60),
        spent_session: build_amount(14, 60),
        reserved_day: none,
        reserved_session: none,
        in_flight: 0,
        ..running
    };
    assert_eq!(load_status(&*stores.first, "s").await, done);
    let [entry] = &stores.first.ledger_entries(9).await.expect("reads")[..] else { panic!("one call is one entry") };
    // Of the day on which it was reserved, at the time at which it was settled.
    assert_eq!((entry.entry.basis, entry.reservation, entry.entry.figures), (EntryBasis::Reported, Some(id), used));
    assert_eq!((entry.entry.day, entry.entry.at), (TODAY, at_second(1)));
}

async fn each_ceiling_refuses_what_would_pass_it(stores: &StorePair) {
    let store = &*stores.first;
    let id = expect_reserved(store, build_reservation("s", 40, high_limits())).await;
    store.settle_reservation(id, Settlement::Used(build_figures(40)), at_second(1)).await.expect("settles");
    expect_reserved(store, build_reservation("s", 10, high_limits())).await;
    // One below the need in tokens, or one below in money: either ceiling alone has to refuse.
    let exact = build_amount(60, 600);
    let tokens = build_amount(59, 600);
    let money = build_amount(60, 599);
    for limit in [tokens, money] {
        for (ceiling, limits) in [
            (CeilingKind::Session, SpendLimits { session: limit, ..high_limits() }),
            (CeilingKind::Day, SpendLimits { day: limit, ..high_limits() }),
        ] {
            let wanted =
                SpendRefusal::Over { ceiling, limit, used: build_amount(50, 500), wanted: build_amount(10, 100) };
            assert_eq!(expect_refused(store, build_reservation("s", 10, limits)).await, wanted);
        }
    }
    for limit in [build_amount(9, 100), build_amount(10, 99)] {
        let refusal = SpendRefusal::Over {
            ceiling: CeilingKind::Call,
            limit,
            used: build_amount(0, 0),
            wanted: build_amount(10, 100),
        };
        assert_eq!(
            expect_refused(store, build_reservation("s", 10, SpendLimits { call: limit, ..high_limits() })).await,
            refusal
        );
    }
    // If a refusal kept its reservation, a few refusals would use up the day without a call.
    let before = load_status(store, "s").await;
    assert_eq!(
        (before.reserved_day, before.spent_day),
        (build_amount(10, 100), build_amount(40, 400)),
        "a refusal takes nothing"
    );
    // Another session is not charged for what `s` used.
    let other = build_reservation("t", 10, SpendLimits { session: tokens, ..high_limits() });
    let other = expect_reserved(store, other).await;
    store.settle_reservation(other, Settlement::Released, at_second(1)).await.expect("settles");
    // Exactly at the ceiling is within it.
    expect_reserved(
        store,
        build_reservation(
            "s",
            10,
            SpendLimits { call: build_amount(10, 100), session: exact, day: exact, ..high_limits() },
        ),
    )
    .await;
}

async fn a_call_without_a_session_meets_no_ceiling_of_one(stores: &StorePair) {
    let none = SpendLimits { session: build_amount(0, 0), ..high_limits() };
    expect_reserved(&*stores.first, build_reservation("", 10, none)).await;
    assert!(matches!(
        expect_refused(&*stores.first, build_reservation("s", 10, none)).await,
        SpendRefusal::Over { .. }
    ));
}

async fn a_released_call_costs_nothing(stores: &StorePair) {
    let id = expect_reserved(&*stores.first, build_reservation("s", 10, high_limits())).await;
    stores.first.settle_reservation(id, Settlement::Released, at_second(1)).await.expect("settles");
    assert_eq!(booked_totals(&*stores.first).await, (build_amount(0, 0), 0));
    assert_eq!(load_status(&*stores.first, "s").await.reserved_day, build_amount(0, 0));
    stores.first.settle_reservation(id, Settlement::Released, at_second(1)).await.expect("nothing is left to release");
}

async fn an_unknown_outcome_costs_what_was_reserved(stores: &StorePair) {
    let id = expect_reserved(&*stores.first, build_reservation("s", 10, high_limits())).await;
    stores.first.settle_reservation(id, Settlement::Unknown, at_second(1)).await.expect("settles");
    assert_eq!(booked_totals(&*stores.first).await, (build_amount(10, 100), 1));
    assert_eq!(stores.first.ledger_entries(1).await.expect("reads")[0].entry.basis, EntryBasis::Estimated);
}

async fn settling_again_changes_nothing(stores: &StorePair) {
    // A caller that crashed after settling settles again after its restart.
    for first in [Settlement::Used(build_figures(4)), Settlement::Unknown] {
        let id = expect_reserved(&*stores.first, build_reservation("s", 10, high_limits())).await;
        stores.first.settle_reservation(id, first, at_second(1)).await.expect("settles");
        let before = booked_totals(&*stores.first).await;
        for again in [first, Settlement::Used(build_figures(7)), Settlement::Unknown, Settlement::Released] {
            stores.second.settle_reservation(id, again, at_second(2)).await.expect("settles again");
            assert_eq!(booked_totals(&*stores.first).await, before, "{first:?}, then {again:?}");
        }
    }
}

async fn what_was_never_reserved_cannot_be_settled(stores: &StorePair) {
    for settlement in [Settlement::Used(build_figures(1)), Settlement::Unknown] {
        let outcome = stores.first.settle_reservation(ReservationId(999_999), settlement, at_second(1)).await;
        assert!(matches!(outcome, Err(Error::NotFound { what: "reservation", .. })), "{outcome:?}");
    }
    assert_eq!(booked_totals(&*stores.first).await, (build_amount(0, 0), 0));
}

async fn a_reservation_that_expires_is_spent(stores: &StorePair) {
    expect_reserved(&*stores.first, build_reservation("s", 10, high_limits())).await;
    // Its process may have died after the vendor charged, so the sum stays counted until it is booked.
    let lost = stores.first.ledger_status(TODAY, Some("s"), at_second(60)).await.expect("reads");
    assert_eq!(
        (lost.reserved_day, lost.in_flight),
        (build_amount(10, 100), 0),
        "it counts, but nobody is waiting for it"
    );

    // The next reservation books expired reservations.
    let later =
        NewReservation { now: at_second(60), expires: at_second(120), ..build_reservation("t", 5, high_limits()) };
    expect_reserved(&*stores.second, later).await;
    let after = load_status(&*stores.first, "s").await;
    assert_eq!((after.spent_day, after.reserved_day), (build_amount(10, 100), build_amount(5, 50)));
    assert_eq!(after.spent_session, build_amount(10, 100));
    assert_eq!(stores.first.ledger_entries(1).await.expect("reads")[0].entry.basis, EntryBasis::Expired);
}

async fn a_late_settlement_books_the_difference_back_once(stores: &StorePair) {
    let rows = [
        (Settlement::Used(build_figures(4)), build_amount(4, 40), 2),
        (Settlement::Used(build_figures(12)), build_amount(12, 120), 2),
        (Settlement::Released, build_amount(0, 0), 2),
        (Settlement::Unknown, build_amount(10, 100), 1),
    ];
    let mut spent = build_amount(0, 0);
    let mut entries = 0;
    for (late, wanted, booked_entries) in rows {
        let id = expect_reserved(&*stores.first, build_reservation("s", 10, high_limits())).await;
        // Another call finds it expired and books it.
        let other =
            NewReservation { now: at_second(60), expires: at_second(120), ..build_reservation("t", 1, high_limits()) };
        let other = expect_reserved(&*stores.first, other).await;
        stores.first.settle_reservation(other, Settlement::Released, at_second(61)).await.expect("settles");
        assert_eq!(booked_totals(&*stores.first).await, (spent + build_amount(10, 100), entries + 1), "{late:?}");
        (spent, entries) = (spent + wanted, entries + booked_entries);
        // Twice, since a late caller may itself crash and settle again.
        for _ in 0..2 {
            stores.second.settle_reservation(id, late, at_second(70)).await.expect("settles");
            assert_eq!(booked_totals(&*stores.first).await, (spent, entries), "{late:?}");
        }
    }
    assert_eq!(load_status(&*stores.first, "s").await.spent_session, spent);
}

async fn a_clock_put_back_frees_nothing(stores: &StorePair) {
    let store = &*stores.first;
    let limits = SpendLimits { day: build_amount(20, 1_000), ..high_limits() };
    let id = expect_reserved(store, build_reservation("s", 10, limits)).await;
    store.settle_reservation(id, Settlement::Used(build_figures(10)), at_second(1)).await.expect("settles");
    // A clock set to yesterday would otherwise open a fresh ceiling, and again for each day it is set back.
    let yesterday = |tokens| NewReservation {
        day: UtcDay(TODAY.0 - 1),
        now: at_second(-86_400),
        ..build_reservation("s", tokens, limits)
    };
    assert!(matches!(expect_refused(store, yesterday(11)).await, SpendRefusal::Over { ceiling: CeilingKind::Day, .. }));
    let id = expect_reserved(store, yesterday(10)).await;
    store.settle_reservation(id, Settlement::Used(build_figures(10)), at_second(-86_400)).await.expect("settles");
    // Neither does asking about an older day show an older account: the newest day that was used is in force.
    let seen = store.ledger_status(UtcDay(TODAY.0 - 7), Some("s"), at_second(0)).await.expect("reads");
    assert_eq!((seen.day, seen.spent_day), (TODAY, build_amount(20, 200)));
    assert!(matches!(
        expect_refused(store, build_reservation("s", 1, limits)).await,
        SpendRefusal::Over { ceiling: CeilingKind::Day, .. }
    ));
    let tomorrow = NewReservation { day: UtcDay(TODAY.0 + 1), ..build_reservation("s", 10, limits) };
    expect_reserved(store, tomorrow).await;
    let seen = store.ledger_status(TODAY, Some("s"), at_second(0)).await.expect("reads");
    assert_eq!(
        (seen.day, seen.reserved_day),
        (UtcDay(TODAY.0 + 1), build_amount(10, 100)),
        "a reservation holds the day too"
    );
}

async fn stopped_spending_refuses_and_still_settles(stores: &StorePair) {
    let id = expect_reserved(&*stores.first, build_reservation("s", 10, high_limits())).await;
    stores.first.set_spending(SpendingState::Stopped(at_second(5))).await.expect("stops");
    // The first time of stopping is kept, since it tells the user since when calls are missing.
    stores.first.set_spending(SpendingState::Stopped(at_second(9))).await.expect("is stopped already");
    assert_eq!(
        expect_refused(&*stores.second, build_reservation("s", 1, high_limits())).await,
        SpendRefusal::Stopped { since: at_second(5) }
    );
    assert_eq!(load_status(&*stores.second, "s").await.spending, SpendingState::Stopped(at_second(5)));
    // Money for a running call is spent already, so its settlement must be booked even while stopped.
    stores.second.settle_reservation(id, Settlement::Used(build_figures(3)), at_second(6)).await.expect("settles");
    assert_eq!(booked_totals(&*stores.first).await, (build_amount(3, 30), 1));
    for _ in 0..2 {
        stores.second.set_spending(SpendingState::Allowed).await.expect("allows");
    }
    expect_reserved(&*stores.first, build_reservation("s", 1, high_limits())).await;
}

async fn only_so_many_calls_run_at_once(stores: &StorePair) {
    let two = SpendLimits { concurrent: 2, ..high_limits() };
    let id = expect_reserved(&*stores.first, build_reservation("s", 1, two)).await;
    expect_reserved(&*stores.second, build_reservation("t", 1, two)).await;
    assert_eq!(expect_refused(&*stores.first, build_reservation("u", 1, two)).await, SpendRefusal::Busy { limit: 2 });
    // `Unknown` frees the place of a running call, although its sum stays booked.
    stores.first.settle_reservation(id, Settlement::Unknown, at_second(1)).await.expect("settles");
    expect_reserved(&*stores.first, build_reservation("u", 1, two)).await;
    // Processes that died must not block the places for good.
    let after_all_expired =
        NewReservation { now: at_second(60), expires: at_second(90), ..build_reservation("u", 1, two) };
    expect_reserved(&*stores.first, after_all_expired).await;
}

async fn many_at_once_never_pass_a_ceiling(stores: &StorePair) {
    let limits = SpendLimits { day: build_amount(100, 10_000), ..high_limits() };
    // Checking and reserving in two steps would let several through between them; both handles have to meet in one
    // lock.
    let answers = try_join_all((0..32).map(|caller: usize| {
        let store = if caller.is_multiple_of(2) { &stores.first } else { &stores.second };
        store.reserve_call(build_reservation(&format!("s{}", caller % 5), 7, limits))
    }));
    let answers = answers.await.expect("reserves");
    let reserved = answers.iter().filter(|answer| matches!(answer, ReservationOutcome::Reserved(_))).count();
    assert_eq!(reserved, 100 / 7);
    assert_eq!(load_status(&*stores.first, "s").await.reserved_day, build_amount(98, 980));
}

fn build_entry(operation: &str, day: i32, account: LedgerAccount, figures: LedgerFigures) -> NewEntry {
    let account = LedgerAccount { operation: operation.to_owned(), ..account };
    let at = Timestamp(i64::from(day) * 1_000);
    let basis = EntryBasis::Counted;
    NewEntry { at, day: UtcDay(day), account, formula: Some("raw - shown".to_owned()), basis, figures }
}

async fn entries_come_back_as_they_were_newest_first(stores: &StorePair) {
    let long = long_text("session");
    let texts = ODD_TEXTS.iter().copied().filter(|text| !text.is_empty()).chain([long.as_str()]);
    let entries: Vec<NewEntry> = texts
        .zip(1..)
        .map(|(text, number)| NewEntry {
            formula: (number % 2 == 0).then(|| text.to_owned()),
            ..build_entry(
                text,
                number,
                LedgerAccount {
                    session: Some(text.to_owned()),
                    model: (number % 3 == 0).then(|| text.to_owned()),
                    project: (number % 4 == 0).then(|| project_id(text)),
                    operation: String::new(),
                },
                // Negative figures are bookings back.
                LedgerFigures {
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
    stores.first.record_entries(entries.clone()).await.expect("records");
    stores.first.record_entries(Vec::new()).await.expect("records nothing");
    let found = stores.second.ledger_entries(1_000).await.expect("reads");
    assert!(found.iter().all(|found| found.reservation.is_none()));
    let found: Vec<NewEntry> = found.into_iter().map(|found| found.entry).collect();
    let wanted: Vec<NewEntry> = entries.iter().rev().cloned().collect();
    assert_eq!(found, wanted);
    let newest = stores.first.ledger_entries(2).await.expect("reads");
    assert_eq!(newest.iter().map(|found| &found.entry).collect::<Vec<_>>(), [&wanted[0], &wanted[1]]);
    // Sessions are told apart byte by byte: a collation of the database must not join two of them.
    let by_session = stores.first.ledger_totals(TotalsBy::Session, TotalsFilter::default()).await.expect("reads");
    assert_eq!(by_session.len(), entries.len());
    let only = TotalsFilter { session: Some(long.clone()), ..TotalsFilter::default() };
    let only = stores.first.ledger_totals(TotalsBy::Session, only).await.expect("reads");
    assert_eq!(only.iter().map(|total| (&total.key, total.entries)).collect::<Vec<_>>(), [(&long, 1)]);
}

async fn totals_are_kept_by_each_of_their_keys(stores: &StorePair) {
    let p = project_id("p");
    let q = project_id("q");
    let avoided = |tokens_avoided| LedgerFigures { tokens_avoided, tokens_out: 1, ..LedgerFigures::default() };
    let of = |project: &model::ProjectId, session: &str| LedgerAccount {
        project: Some(project.clone()),
        session: Some(session.to_owned()),
        ..LedgerAccount::default()
    };
    let entries = vec![
        build_entry("read", 1, of(&p, "s"), avoided(100)),
        build_entry("read", 1, of(&p, "s"), avoided(-30)),
        build_entry("read", 2, of(&q, "s"), avoided(5)),
        build_entry("context", 2, of(&p, "t"), avoided(7)),
        // A day before 1970 has a negative number, and its date must still be right.
        build_entry("context", -1, LedgerAccount::default(), avoided(-1)),
    ];
    stores.first.record_entries(entries).await.expect("records");
    let totals = async |by, filter| {
        let totals = stores.second.ledger_totals(by, filter).await.expect("reads");
        let row =
            |total: LedgerTotal| (total.key, total.entries, total.figures.tokens_avoided, total.figures.tokens_out);
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

    let since = TotalsFilter { since: Some(UtcDay(2)), ..all() };
    assert_eq!(totals(TotalsBy::Operation, since).await, [row("context", 1, 7), row("read", 1, 5)]);
    let some = TotalsFilter { project: Some(p), session: Some("s".to_owned()), ..all() };
    assert_eq!(totals(TotalsBy::Operation, some).await, [row("read", 2, 70)]);
}

async fn totals_outlive_their_entries(stores: &StorePair) {
    let money = LedgerFigures { money: Money(9), ..LedgerFigures::default() };
    let entries = (1..=4).map(|day| build_entry("read", day, LedgerAccount::default(), money)).collect();
    stores.first.record_entries(entries).await.expect("records");
    let before = stores.first.ledger_totals(TotalsBy::Day, TotalsFilter::default()).await.expect("reads");
    // Totals are kept in rows of their own, so that years of them do not need years of entries.
    assert_eq!(stores.second.prune_ledger(Timestamp(3_000)).await.expect("prunes"), 2);
    assert_eq!(stores.second.prune_ledger(Timestamp(3_000)).await.expect("prunes"), 0);
    let left = stores.first.ledger_entries(9).await.expect("reads");
    assert_eq!(left.iter().map(|left| left.entry.day).collect::<Vec<_>>(), [UtcDay(4), UtcDay(3)]);
    let after = stores.first.ledger_totals(TotalsBy::Day, TotalsFilter::default()).await.expect("reads");
    assert_eq!((after.len(), &after), (4, &before));
}

/// What an operation shows to its reader went through no model of ours.
async fn only_calls_count_against_ceilings(stores: &StorePair) {
    let account = LedgerAccount { session: Some("s".to_owned()), ..LedgerAccount::default() };
    stores
        .first
        // Dated in the future: only calls may move the day in force, or one wrong entry would close the account.
        .record_entries(vec![build_entry("read", TODAY.0 + 3, account, build_figures(500))])
        .await
        .expect("records");
    let seen = load_status(&*stores.first, "s").await;
    assert_eq!((seen.day, seen.spent_day, seen.spent_session), (TODAY, build_amount(0, 0), build_amount(0, 0)));
}
