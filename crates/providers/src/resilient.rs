//! `ResilientProvider`, a wrapper around a `Generator` or an `Embedder` that retries with exponential backoff behind a
//! circuit breaker, with one deadline for all attempts together.
//!
//! Only a failure that surely cost nothing and may pass is tried again: a vendor that said "not now", a connection that
//! was never made, a command that could not be started. Silence, a connection that broke later or an unreadable answer
//! may have been charged for, so they are reported, not repeated.

use std::fmt;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use model::{ContentHash, DigestBuilder};

use crate::{
    CircuitBreaker, Embedder, EmbeddingBatch, EmbeddingModel, FailureCost, FailureRemedy, GenerateRequest,
    GeneratedText, GenerationModel, Generator, ProviderError, ProviderFailure, Result, Vendor,
};

/// Time since any fixed moment, never going back.
pub type MonotonicClock = Arc<dyn Fn() -> Duration + Send + Sync>;

/// A provider with patience: tries again within a budget, behind a circuit breaker.
pub struct ResilientProvider<P: ?Sized> {
    vendor: Vendor,
    provider: Arc<P>,
    breaker: Mutex<CircuitBreaker>,
    ticks: MonotonicClock,
}

/// Calls for one request.
const MAX_ATTEMPTS: u32 = 4;
/// The first pause; each is twice the one before.
const INITIAL_RETRY_DELAY: Duration = Duration::from_millis(500);
/// Embeddings have no deadline of their own.
const EMBEDDING_TIMEOUT: Duration = Duration::from_mins(2);

impl ResilientProvider<dyn Generator> {
    /// `generator`, with patience.
    pub fn from_generator(generator: Arc<dyn Generator>, ticks: MonotonicClock) -> Self {
        Self { vendor: generator.model().vendor, provider: generator, breaker: Mutex::default(), ticks }
    }
}

impl ResilientProvider<dyn Embedder> {
    /// `embedder`, with patience.
    pub fn from_embedder(embedder: Arc<dyn Embedder>, ticks: MonotonicClock) -> Self {
        Self { vendor: embedder.vendor(), provider: embedder, breaker: Mutex::default(), ticks }
    }
}

#[async_trait]
impl Generator for ResilientProvider<dyn Generator> {
    fn model(&self) -> &GenerationModel {
        self.provider.model()
    }

    async fn generate(&self, request: &GenerateRequest) -> Result<GeneratedText> {
        let last = request.messages.last().map_or("", |turn| &turn.text);
        // The seed comes from the request: it spreads the pauses of callers that ask different things.
        let seed = DigestBuilder::new("pause").add_field(request.system.as_bytes()).add_field(last.as_bytes()).finish();
        self.ask_provider(request.deadline, seed, || self.provider.generate(request)).await
    }

    async fn probe(&self) -> Result<()> {
        self.provider.probe().await
    }
}

#[async_trait]
impl Embedder for ResilientProvider<dyn Embedder> {
    fn model(&self) -> &EmbeddingModel {
        self.provider.model()
    }

    fn vendor(&self) -> Vendor {
        self.vendor
    }

    async fn embed(&self, texts: &[&str]) -> Result<EmbeddingBatch> {
        let seed = ContentHash::hash_bytes(texts.first().map_or("", |text| text).as_bytes());
        self.ask_provider(EMBEDDING_TIMEOUT, seed, || self.provider.embed(texts)).await
    }

    async fn probe(&self) -> Result<()> {
        self.provider.probe().await
    }
}

impl<P: ?Sized> ResilientProvider<P> {
    async fn ask_provider<T, F: Future<Output = Result<T>>>(
        &self,
        deadline: Duration,
        seed: ContentHash,
        call: impl Fn() -> F,
    ) -> Result<T> {
        // The lock is not held during the call, or one slow call would stop all others.
        self.lock_breaker()
            .admit_call((self.ticks)())
            .map_err(|failure| ProviderError::without_cost(self.vendor, failure))?;
        let outcome = self.retry_call(deadline, seed, call).await;
        match &outcome {
            Ok(_) => self.lock_breaker().record_success(),
            Err(error) => self.lock_breaker().record_failure((self.ticks)(), &error.failure),
        }
        outcome
    }

    async fn retry_call<T, F: Future<Output = Result<T>>>(
        &self,
        deadline: Duration,
        seed: ContentHash,
        call: impl Fn() -> F,
    ) -> Result<T> {
        let mut end = pin!(tokio::time::sleep(deadline));
        let mut attempt = 0;
        loop {
            let outcome = tokio::select! {
                outcome = call() => outcome,
                // The deadline covers all attempts: a caller waits once, however often the vendor is asked.
                () = &mut end => Err(ProviderError {
                    vendor: self.vendor,
                    failure: ProviderFailure::TimedOut { after: deadline },
                    spent: FailureCost::Unknown,
                }),
            };
            let error = match outcome {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            // A pause that is longer than the whole deadline cannot end in an answer.
            let Some(pause) = retry_delay(attempt, &error, seed).filter(|pause| *pause < deadline) else {
                return Err(error);
            };
            tokio::select! {
                () = tokio::time::sleep(pause) => attempt += 1,
                () = &mut end => return Err(error),
            }
        }
    }

    fn lock_breaker(&self) -> std::sync::MutexGuard<'_, CircuitBreaker> {
        // The breaker is consistent between any two of its steps.
        self.breaker.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How long to wait before the call after number `attempt`; `None` when there must be none.
fn retry_delay(attempt: u32, error: &ProviderError, seed: ContentHash) -> Option<Duration> {
    // Only a failure that surely cost nothing is tried again: anything else may have been charged.
    let helps = error.spent == FailureCost::Nothing && error.failure.remedy() == FailureRemedy::Wait;
    if !helps || attempt + 1 >= MAX_ATTEMPTS {
        return None;
    }
    // Callers that were turned away together should not come back together. Their requests differ, so half of the pause
    // is fixed and half depends on the request.
    let spread = f64::from(seed.as_bytes()[attempt as usize % 32]) / 255.0;
    Some(match error.failure.retry_after() {
        Some(asked) => asked + INITIAL_RETRY_DELAY.mul_f64(spread),
        None => (INITIAL_RETRY_DELAY * 2_u32.pow(attempt)).mul_f64(0.5 + spread / 2.0),
    })
}

impl<P: ?Sized> fmt::Debug for ResilientProvider<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResilientProvider")
            .field("vendor", &self.vendor)
            .field("breaker", &self.breaker)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
