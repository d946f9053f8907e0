//! Property test of `LedgerStore` under concurrency, run against both stores: whatever many callers do at once,
//! whatever becomes of their calls and however clocks jump, no spending ceiling is passed, no call is booked twice,
//! and none is forgotten.

use model::{Money, Timestamp, UtcDay};
use proptest::collection::vec;
use proptest::prelude::*;
use std::sync::Arc;
use store::conformance::StorePair;
use store::{
    LedgerAccount, LedgerFigures, NewReservation, ReservationOutcome, Settlement, SpendAmount, SpendLimits,
    SpendRefusal, SpendingState, Store, TotalsBy, TotalsFilter,
};

/// Callers at once.
const WORKERS: usize = 16;

/// What becomes of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fate {
    /// It reports this share of what was reserved, in percent.
    Reports(i64),
    /// It never says what it used.
    Unknown,
    /// It is not made after all.
    Released,
    /// Whoever made it is never heard of again.
    Lost,
    /// It is settled twice.
    SettledTwice,
}

#[derive(Clone, Debug)]
pub(crate) struct Call {
    session: u8,
    tokens: i64,
    fate: Fate,
    /// Days that the clock of this caller is off.
    off: i32,
}

#[derive(Clone, Debug)]
pub(crate) struct Plan {
    call: i64,
    session: i64,
    day: i64,
    concurrent: u32,
    /// The calls of each worker, one after the other.
    calls: Vec<Vec<Call>>,
}

pub(crate) fn plans() -> impl Strategy<Value = Plan> {
    let fate = prop_oneof![
        4 => (0..=100_i64).prop_map(Fate::Reports),
        1 => Just(Fate::Unknown),
        1 => Just(Fate::Released),
        1 => Just(Fate::Lost),
        1 => Just(Fate::SettledTwice),
    ];
    let call = (0..3_u8, 1..40_i64, fate, prop_oneof![3 => Just(0), 1 => -2..=2_i32])
        .prop_map(|(session, tokens, fate, off)| Call { session, tokens, fate, off });
    let calls = vec(vec(call, 0..5), WORKERS);
    (20..40_i64, 20..200_i64, 20..400_i64, 1..20_u32, calls).prop_map(|(call, session, day, concurrent, calls)| Plan {
        call,
        session,
        day,
        concurrent,
        calls,
    })
}

const TODAY: UtcDay = UtcDay(20_000);

/// Carries a plan out and panics when a promise is broken.
pub(crate) async fn carry_out(stores: &StorePair, plan: &Plan) {
    let limits = SpendLimits {
        call: amount(plan.call),
        session: amount(plan.session),
        day: amount(plan.day),
        concurrent: plan.concurrent,
    };
    let workers = plan.calls.iter().enumerate().map(|(worker, calls)| {
        let store = Arc::clone(if worker.is_multiple_of(2) { &stores.first } else { &stores.second });
        let calls = calls.clone();
        tokio::spawn(async move {
            let mut booked = 0;
            for call in &calls {
                booked += make(&*store, call, limits).await;
            }
            booked
        })
    });
    let mut booked = 0;
    for worker in workers.collect::<Vec<_>>() {
        booked += worker.await.expect("no promise is broken");
    }
    // Long after, whatever was lost is spent.
    let none = SpendLimits { call: amount(0), ..limits };
    let late = Timestamp(i64::MAX);
    let after = NewReservation {
        now: late,
        expires: late,
        ..wish(&Call { session: 0, tokens: 1, fate: Fate::Lost, off: 0 }, none)
    };
    let answer = stores.first.reserve_call(after).await.expect("answers");
    assert!(matches!(answer, ReservationOutcome::Refused(SpendRefusal::Over { .. })), "{answer:?}");
    let totals = stores.second.ledger_totals(TotalsBy::Day, TotalsFilter::default()).await.expect("reads");
    for total in &totals {
        assert!(total.figures.spent_tokens() <= plan.day && total.figures.money <= limits.day.money, "{total:?}");
    }
    let total = totals.iter().map(|total| total.figures.spent_tokens()).sum::<i64>();
    assert_eq!(total, booked, "each call is booked once, at what it cost");
    let money = totals.iter().map(|total| total.figures.money).sum::<Money>();
    assert_eq!(money, amount(booked).money);
}

/// Makes a call if it may be made, and says what is to be booked for it.
async fn make(store: &dyn Store, call: &Call, limits: SpendLimits) -> i64 {
    let wanted = wish(call, limits);
    let day = wanted.day;
    let session = wanted.account.session.clone();
    let id = match store.reserve_call(wanted).await.expect("answers") {
        ReservationOutcome::Reserved(id) => id,
        ReservationOutcome::Refused(SpendRefusal::Over { limit, used, wanted, .. }) => {
            assert!(
                !(used + wanted).fits_within(limit),
                "refused without need: {used:?} and {wanted:?} under {limit:?}"
            );
            return 0;
        }
        ReservationOutcome::Refused(SpendRefusal::Busy { limit }) => {
            assert_eq!(limit, limits.concurrent);
            return 0;
        }
        ReservationOutcome::Refused(SpendRefusal::Stopped { .. }) => panic!("nobody stopped it"),
    };
    let seen = store.ledger_status(day, session.as_deref(), Timestamp(0)).await.expect("reads");
    assert!((seen.spent_day + seen.reserved_day).fits_within(limits.day), "{seen:?}");
    assert!((seen.spent_session + seen.reserved_session).fits_within(limits.session), "{seen:?}");
    assert!(seen.in_flight <= limits.concurrent, "{seen:?}");
    assert_eq!(seen.spending, SpendingState::Allowed);
    let (settlement, booked, times) = match call.fate {
        Fate::Reports(percent) => {
            let used = call.tokens * percent / 100;
            (Settlement::Used(figures(used)), used, 1)
        }
        Fate::Unknown => (Settlement::Unknown, call.tokens, 1),
        Fate::Released => (Settlement::Released, 0, 1),
        Fate::Lost => (Settlement::Unknown, call.tokens, 0),
        Fate::SettledTwice => (Settlement::Used(figures(1)), 1, 2),
    };
    for _ in 0..times {
        store.settle_reservation(id, settlement, Timestamp(1)).await.expect("settles");
    }
    booked
}

fn wish(call: &Call, limits: SpendLimits) -> NewReservation {
    let session = Some(call.session.to_string());
    NewReservation {
        account: LedgerAccount { operation: "index".to_owned(), project: None, session, model: Some("a/b".to_owned()) },
        worst: figures(call.tokens),
        limits,
        day: UtcDay(TODAY.0 + call.off),
        now: Timestamp(0),
        expires: Timestamp(1_000),
    }
}

fn figures(tokens: i64) -> LedgerFigures {
    LedgerFigures {
        tokens_in: tokens / 2,
        tokens_out: tokens - tokens / 2,
        money: amount(tokens).money,
        ..LedgerFigures::default()
    }
}

fn amount(tokens: i64) -> SpendAmount {
    SpendAmount { tokens, money: Money(tokens * 3) }
}
