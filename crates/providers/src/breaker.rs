//! `CircuitBreaker`: a provider that keeps failing is left alone for a while, so that no operation waits for it anew.
//!
//! A plain state machine over a clock that is handed in, counted from any moment on. Failures that a person must fix
//! open it at once; others when several come in a row; answers we could not use close it, for a vendor that refuses is
//! alive. After the pause one call is let through: its outcome decides, and each failed trial doubles the pause.

use std::time::Duration;

use crate::{FailureRemedy, ProviderFailure};

/// Whether a provider is asked at all.
#[derive(Debug, Default)]
pub struct CircuitBreaker {
    state: BreakerState,
    /// Failures in a row.
    failures: u32,
    /// Pauses in a row.
    pauses: u32,
}

#[derive(Debug, Default)]
enum BreakerState {
    #[default]
    Closed,
    Open {
        until: Duration,
        cause: ProviderFailure,
    },
    /// One call is on its way. Should it never report, another is let through later.
    Trial {
        until: Duration,
        cause: ProviderFailure,
    },
}

impl CircuitBreaker {
    /// Failures in a row that open it.
    pub const FAILURES: u32 = 4;
    /// The first pause.
    pub const INITIAL_PAUSE: Duration = Duration::from_secs(15);
    /// The longest pause, whatever the vendor asks for: a program that runs for weeks should notice a fix.
    pub const MAX_PAUSE: Duration = Duration::from_mins(10);

    /// Lets a call through, or says why not.
    pub fn admit_call(&mut self, now: Duration) -> Result<(), ProviderFailure> {
        let (BreakerState::Open { until, cause } | BreakerState::Trial { until, cause }) = &self.state else {
            return Ok(());
        };
        let left = until.saturating_sub(now);
        // A pause that is longer than any we make means that the clock was set back.
        if !left.is_zero() && left <= Self::MAX_PAUSE {
            return Err(ProviderFailure::Suspended { left, cause: Box::new(cause.clone()) });
        }
        // Other calls wait until the trial is over: if it hangs, the longest pause frees the provider again.
        self.state = BreakerState::Trial { until: now.saturating_add(Self::MAX_PAUSE), cause: cause.clone() };
        Ok(())
    }

    /// The provider answered, whether or not the answer was of use.
    pub fn record_success(&mut self) {
        *self = Self::default();
    }

    /// The provider failed.
    pub fn record_failure(&mut self, now: Duration, failure: &ProviderFailure) {
        // The vendor answered, only not as we wanted: it is alive.
        if failure.remedy() == FailureRemedy::Rephrase {
            return self.record_success();
        }
        self.failures = self.failures.saturating_add(1);
        let is_trial = matches!(self.state, BreakerState::Trial { .. });
        // A wrong key does not become right by trying three times more.
        let is_lasting = failure.remedy() == FailureRemedy::Configure;
        if is_trial || is_lasting || self.failures >= Self::FAILURES {
            let doubled = Self::INITIAL_PAUSE.saturating_mul(1 << self.pauses.min(16));
            // The vendor's own wish counts, but never beyond the longest pause: a wrong header must not switch it off
            // for a day.
            let pause = doubled.max(failure.retry_after().unwrap_or_default()).min(Self::MAX_PAUSE);
            self.pauses = self.pauses.saturating_add(1);
            self.state = BreakerState::Open { until: now.saturating_add(pause), cause: failure.clone() };
        }
    }
}

#[cfg(test)]
mod tests;
