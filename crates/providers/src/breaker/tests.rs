//! Unit tests of the circuit breaker: scripted sequences of successes and failures, and a property test over any
//! sequence and any jumps of the clock.

use proptest::prelude::*;

use super::*;

const OVERLOADED_FAILURE: ProviderFailure = ProviderFailure::Overloaded { retry_after: None };
const CREDIT_FAILURE: ProviderFailure = ProviderFailure::OutOfCredit;

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// How long a call at `now` would have to wait.
fn left(breaker: &mut CircuitBreaker, now: Duration) -> Option<Duration> {
    match breaker.admit_call(now) {
        Err(ProviderFailure::Suspended { left, .. }) => Some(left),
        Err(other) => panic!("admit says {other:?}"),
        Ok(()) => None,
    }
}

#[test]
fn it_opens_after_failures_in_a_row_and_only_then() {
    let mut breaker = CircuitBreaker::default();
    for round in 0..3 {
        for _ in 1..CircuitBreaker::FAILURES {
            assert_eq!(left(&mut breaker, seconds(round)), None);
            breaker.record_failure(seconds(round), &OVERLOADED_FAILURE);
        }
        breaker.record_success();
    }
    for _ in 0..CircuitBreaker::FAILURES {
        assert_eq!(left(&mut breaker, seconds(9)), None);
        breaker.record_failure(seconds(9), &OVERLOADED_FAILURE);
    }
    assert_eq!(
        breaker.admit_call(seconds(14)),
        Err(ProviderFailure::Suspended { left: seconds(10), cause: Box::new(OVERLOADED_FAILURE) })
    );
}

#[test]
fn what_a_person_must_fix_opens_it_at_once() {
    let mut breaker = CircuitBreaker::default();
    breaker.record_failure(seconds(0), &CREDIT_FAILURE);
    assert_eq!(left(&mut breaker, seconds(1)), Some(seconds(14)));
}

#[test]
fn a_refusal_is_a_sign_of_life() {
    let mut breaker = CircuitBreaker::default();
    for _ in 0..100 {
        breaker.record_failure(seconds(0), &OVERLOADED_FAILURE);
        breaker.record_failure(seconds(0), &ProviderFailure::Refused);
    }
    assert_eq!(left(&mut breaker, seconds(0)), None);
}

#[test]
fn one_trial_at_a_time_decides_and_pauses_double() {
    let mut breaker = CircuitBreaker::default();
    let mut now = seconds(0);
    breaker.record_failure(now, &CREDIT_FAILURE);
    for pause in [15, 30, 60, 120, 240, 480, 600, 600] {
        assert_eq!(left(&mut breaker, now), Some(seconds(pause)), "at {now:?}");
        now += seconds(pause);
        assert_eq!(left(&mut breaker, now), None, "the trial");
        assert_eq!(left(&mut breaker, now), Some(CircuitBreaker::MAX_PAUSE), "a second call waits for the trial");
        breaker.record_failure(now, &OVERLOADED_FAILURE);
    }
    now += CircuitBreaker::MAX_PAUSE;
    assert_eq!(left(&mut breaker, now), None);
    breaker.record_success();
    assert_eq!(left(&mut breaker, now), None);
    breaker.record_failure(now, &CREDIT_FAILURE);
    assert_eq!(left(&mut breaker, now), Some(CircuitBreaker::INITIAL_PAUSE), "an answer forgets the pauses before");
}

#[test]
fn a_vendor_that_names_its_time_gets_it_within_reason() {
    for (asked, given) in [(100, 100), (1, 15), (86_400, 600)] {
        let mut breaker = CircuitBreaker::default();
        for _ in 0..CircuitBreaker::FAILURES {
            breaker.record_failure(seconds(0), &ProviderFailure::RateLimited { retry_after: Some(seconds(asked)) });
        }
        assert_eq!(left(&mut breaker, seconds(0)), Some(seconds(given)));
    }
}

#[test]
fn a_clock_set_back_does_not_close_a_provider_for_longer_than_a_pause() {
    let mut breaker = CircuitBreaker::default();
    breaker.record_failure(seconds(1_000_000), &CREDIT_FAILURE);
    assert_eq!(left(&mut breaker, seconds(5)), None);
}

#[test]
fn a_trial_that_never_reports_does_not_close_a_provider_for_good() {
    let mut breaker = CircuitBreaker::default();
    breaker.record_failure(seconds(0), &CREDIT_FAILURE);
    assert_eq!(left(&mut breaker, seconds(15)), None);
    assert_eq!(left(&mut breaker, seconds(614)), Some(seconds(1)));
    assert_eq!(left(&mut breaker, seconds(615)), None);
}

proptest! {
    /// Whatever happens in whatever order, and wherever the clock jumps: the wait it names is one, and ends.
    #[test]
    fn any_history_ends_in_a_bounded_wait(events in prop::collection::vec((0_u8..5, any::<u64>()), 0..60)) {
        let mut breaker = CircuitBreaker::default();
        let mut now = Duration::ZERO;
        for (event, number) in events {
            match event {
                0 => now = Duration::from_millis(number),
                1 => breaker.record_success(),
                2 => breaker.record_failure(now, &CREDIT_FAILURE),
                3 => breaker.record_failure(now, &ProviderFailure::RateLimited { retry_after: Some(Duration::from_millis(number)) }),
                _ => drop(breaker.admit_call(now)),
            }
        }
        if let Some(left) = left(&mut breaker, now) {
            prop_assert!(!left.is_zero() && left <= CircuitBreaker::MAX_PAUSE);
            prop_assert!(breaker.admit_call(now.saturating_add(left)).is_ok() || now.checked_add(left).is_none());
        }
    }
}
