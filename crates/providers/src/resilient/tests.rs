//! Unit tests of retries and circuit breaking in `ResilientProvider`: a generator with scripted outcomes, on a paused
//! clock.

use std::collections::VecDeque;

use expect_test::{Expect, expect};
use model::TokenCount;

use super::*;
use crate::{RequestMessage, RequestSpeaker, StopReason, Usage};

/// Answers with what is next in the script; silent where there is nothing.
struct Scripted {
    model: GenerationModel,
    script: Mutex<VecDeque<Result<GeneratedText>>>,
    calls: Mutex<u32>,
}

#[async_trait]
impl Generator for Scripted {
    fn model(&self) -> &GenerationModel {
        &self.model
    }

    async fn generate(&self, _: &GenerateRequest) -> Result<GeneratedText> {
        *self.calls.lock().expect("not poisoned") += 1;
        let next = self.script.lock().expect("not poisoned").pop_front();
        match next {
            Some(outcome) => outcome,
            None => std::future::pending().await,
        }
    }
}

const VENDOR: Vendor = Vendor::Compatible;

fn answer() -> GeneratedText {
    GeneratedText { text: "yes".to_owned(), stop: StopReason::End, usage: Usage::default() }
}

fn free(failure: ProviderFailure) -> Result<GeneratedText> {
    Err(ProviderError::without_cost(VENDOR, failure))
}

fn limited(seconds: Option<u64>) -> Result<GeneratedText> {
    free(ProviderFailure::RateLimited { retry_after: seconds.map(Duration::from_secs) })
}

/// Asks once per entry of `expected`, and tells what came of it, in how many calls, after how long.
async fn check(script: Vec<Result<GeneratedText>>, questions: u32, expected: Expect) {
    let model = GenerationModel { vendor: VENDOR, name: "m".to_owned() };
    let scripted = Arc::new(Scripted { model, script: Mutex::new(script.into()), calls: Mutex::default() });
    let start = tokio::time::Instant::now();
    let steady = ResilientProvider::from_generator(
        Arc::clone(&scripted) as Arc<dyn Generator>,
        Arc::new(move || start.elapsed()),
    );
    let request = GenerateRequest {
        system: String::new(),
        messages: vec![RequestMessage { speaker: RequestSpeaker::User, text: "?".to_owned() }],
        max_output: TokenCount(10),
        temperature: None,
        schema: None,
        deadline: Duration::from_secs(30),
    };
    let mut told = String::new();
    for _ in 0..questions {
        let asked_at = tokio::time::Instant::now();
        let before = *scripted.calls.lock().expect("not poisoned");
        let outcome = match steady.generate(&request).await {
            Ok(answer) => answer.text,
            Err(error) => format!("{} ({:?})", error.failure, error.spent),
        };
        let calls = *scripted.calls.lock().expect("not poisoned") - before;
        told += &format!("{outcome}; {calls} calls, {} s\n", asked_at.elapsed().as_secs());
    }
    expected.assert_eq(&told);
}

#[tokio::test(start_paused = true)]
async fn a_vendor_that_asks_for_time_gets_it_and_is_asked_again() {
    check(
        vec![limited(Some(7)), free(ProviderFailure::Overloaded { retry_after: None }), Ok(answer())],
        1,
        expect![[r#"
        yes; 3 calls, 7 s
    "#]],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn attempts_have_a_budget_and_then_the_breaker_opens() {
    let script = (0..20).map(|_| limited(None)).collect();
    check(
        script,
        6,
        expect![[r#"
        it asks for fewer requests (Nothing); 4 calls, 2 s
        it asks for fewer requests (Nothing); 4 calls, 2 s
        it asks for fewer requests (Nothing); 4 calls, 2 s
        it asks for fewer requests (Nothing); 4 calls, 2 s
        it is left alone for 15 s more, because it asks for fewer requests (Nothing); 0 calls, 0 s
        it is left alone for 15 s more, because it asks for fewer requests (Nothing); 0 calls, 0 s
    "#]],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_time_beyond_the_deadline_is_not_waited_for() {
    check(
        vec![limited(Some(31)), Ok(answer())],
        2,
        expect![[r#"
        it asks for fewer requests (Nothing); 1 calls, 0 s
        yes; 1 calls, 0 s
    "#]],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn what_may_have_been_charged_is_never_repeated() {
    let spent = |spent| {
        Err(ProviderError {
            vendor: VENDOR,
            failure: ProviderFailure::Unreachable { reason: "the connection broke" },
            spent,
        })
    };
    check(
        vec![spent(FailureCost::Unknown), spent(FailureCost::Reported(Usage { input: Some(3), ..Usage::default() })), Ok(answer())],
        3,
        expect![[r#"
            it cannot be reached: the connection broke (Unknown); 1 calls, 0 s
            it cannot be reached: the connection broke (Reported(Usage { input: Some(3), output: None, cache_read: None, cache_write: None })); 1 calls, 0 s
            yes; 1 calls, 0 s
        "#]],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn what_waiting_does_not_help_is_not_waited_for() {
    check(
        vec![free(ProviderFailure::Refused), free(ProviderFailure::OutOfCredit), Ok(answer())],
        3,
        expect![[r#"
        the model declined to answer (Nothing); 1 calls, 0 s
        the account has no credit left (Nothing); 1 calls, 0 s
        it is left alone for 15 s more, because the account has no credit left (Nothing); 0 calls, 0 s
    "#]],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn silence_ends_at_the_deadline() {
    check(
        vec![limited(Some(10))],
        1,
        expect![[r#"
        no answer within 30.0 s (Unknown); 2 calls, 30 s
    "#]],
    )
    .await;
}
