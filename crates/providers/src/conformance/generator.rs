//! Conformance tests that every `Generator` (client of a vendor's language model) must pass.
//!
//! Each vendor supplies a `VendorStub`, which builds a generator whose other side shows a given `VendorBehaviour` (an
//! answer, silence, half an answer, and so on). The cases say what callers rely on, whichever vendor is tested.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::future::BoxFuture;
use model::TokenCount;
use serde_json::json;

use super::run_cases;
use crate::{
    FailureCost, GenerateRequest, GeneratedText, Generator, ProviderError, ProviderFailure, RequestMessage,
    RequestSpeaker, Result, StopReason, Usage,
};

/// The other side of a vendor, as the suite drives it.
#[async_trait]
pub trait VendorStub: Send + Sync {
    /// A generator that will meet `scene`; `None` when this vendor has no way to say such a thing.
    async fn build_generator(&self, scene: VendorBehaviour) -> Option<Arc<dyn Generator>>;
}

/// What the other side does.
#[derive(Debug, Clone, Copy)]
pub enum VendorBehaviour {
    /// Answers in its form.
    Says(StubAnswer),
    /// Answers in no form at all.
    Garbage,
    /// Answers in the right form, without what makes it an answer.
    Hollow,
    /// Keeps silent.
    Silence,
    /// Stops in the middle of an answer.
    Breaks,
    /// Answers with more text than any request allows.
    Endless,
}

/// An answer in a vendor's form.
#[derive(Debug, Clone, Copy)]
pub struct StubAnswer {
    /// The text.
    pub text: &'static str,
    /// Reasoning beside it.
    pub reasoning: Option<&'static str>,
    /// How it ends.
    pub end: StubEnding,
    /// Input at the full price, output, cache reads, cache writes.
    pub usage: [u64; 4],
}

/// How an answer ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StubEnding {
    /// The model was done.
    Whole,
    /// It had no room left.
    Cut,
    /// It declined.
    Refused,
}

macro_rules! cases {
    ($($name:ident),* $(,)?) => {
        &[$(GeneratorCase { name: stringify!($name), run: |stage| Box::pin($name(stage)) }),*]
    };
}

/// One promise of the port.
pub struct GeneratorCase {
    /// The promise.
    pub name: &'static str,
    /// Panics when the promise is broken.
    pub run: for<'a> fn(&'a dyn VendorStub) -> BoxFuture<'a, ()>,
}

/// Every promise.
pub const CASES: &[GeneratorCase] = cases![
    an_answer_is_its_text_and_its_usage,
    reasoning_is_no_part_of_an_answer,
    what_ends_for_lack_of_room_says_so,
    an_answer_without_a_word_is_an_error_that_cost,
    a_refusal_is_an_error_that_cost,
    a_form_that_was_asked_for_is_kept_or_missed,
    what_has_no_form_is_no_answer,
    numbers_nobody_can_reach_are_no_report,
    silence_ends_at_the_deadline,
    half_an_answer_is_none,
    an_endless_answer_is_cut_short,
];

/// Runs every case, and panics with the names of those that failed.
pub async fn run(stage: &dyn VendorStub) {
    run_cases(CASES.iter().map(|case| (case.name, (case.run)(stage)))).await;
}

/// A request with everything in it but a schema.
pub fn sample_request() -> GenerateRequest {
    let turn = |speaker, text: &str| RequestMessage { speaker, text: text.to_owned() };
    GenerateRequest {
        system: "You answer.".to_owned(),
        messages: vec![
            turn(RequestSpeaker::User, "One?"),
            turn(RequestSpeaker::Model, "One."),
            turn(RequestSpeaker::User, "Two?"),
        ],
        max_output: TokenCount(100),
        temperature: None,
        schema: None,
        deadline: Duration::from_mins(1),
    }
}

/// A request for an object with one member.
pub fn request_with_schema() -> GenerateRequest {
    let schema = json!({
        "type": "object",
        "properties": { "yes": { "type": "boolean" } },
        "required": ["yes"],
        "additionalProperties": false,
    });
    GenerateRequest { schema: Some(schema), ..sample_request() }
}

const SAMPLE_ANSWER: StubAnswer =
    StubAnswer { text: "Two.", reasoning: None, end: StubEnding::Whole, usage: [11, 7, 3, 2] };

async fn an_answer_is_its_text_and_its_usage(stage: &dyn VendorStub) {
    let answer = ask_generator(stage, VendorBehaviour::Says(SAMPLE_ANSWER), &sample_request())
        .await
        .expect("it can answer")
        .expect("it answers");
    assert_eq!(answer.text, "Two.");
    assert_eq!(answer.stop, StopReason::End);
    let Usage { input, output, cache_read, cache_write } = answer.usage;
    assert_eq!((input, output), (Some(11), Some(7)));
    // Not every vendor has a cache or counts it.
    assert!(cache_read.is_none_or(|tokens| tokens == 3), "{cache_read:?}");
    assert!(cache_write.is_none_or(|tokens| tokens == 2), "{cache_write:?}");
}

async fn reasoning_is_no_part_of_an_answer(stage: &dyn VendorStub) {
    let said = StubAnswer { reasoning: Some("One and one…"), ..SAMPLE_ANSWER };
    // A vendor without such a form returns `None`, and the case is empty for it; so in all cases below.
    let Some(answer) = ask_generator(stage, VendorBehaviour::Says(said), &sample_request()).await else { return };
    assert_eq!(answer.expect("it answers").text, "Two.");
}

async fn what_ends_for_lack_of_room_says_so(stage: &dyn VendorStub) {
    let Some(answer) = ask_generator(
        stage,
        VendorBehaviour::Says(StubAnswer { end: StubEnding::Cut, ..SAMPLE_ANSWER }),
        &sample_request(),
    )
    .await
    else {
        return;
    };
    assert_eq!(answer.map(|answer| (answer.text, answer.stop)), Ok(("Two.".to_owned(), StopReason::Length)));
    // A model that reasons may use all of its room before the first word: there is no text, but it was paid for.
    for reasoning in [None, Some("One and one…")] {
        let said = StubAnswer { text: "", reasoning, end: StubEnding::Cut, ..SAMPLE_ANSWER };
        check_failure(
            stage,
            VendorBehaviour::Says(said),
            &sample_request(),
            &[ProviderFailure::Truncated],
            ExpectedCost::Told,
        )
        .await;
    }
}

async fn an_answer_without_a_word_is_an_error_that_cost(stage: &dyn VendorStub) {
    // White space alone is as useless as no text, and some models answer so.
    for text in ["", " \n"] {
        for reasoning in [None, Some("One and one…")] {
            let said = StubAnswer { text, reasoning, ..SAMPLE_ANSWER };
            check_failure(
                stage,
                VendorBehaviour::Says(said),
                &sample_request(),
                &[ProviderFailure::Empty],
                ExpectedCost::Told,
            )
            .await;
        }
    }
}

async fn a_refusal_is_an_error_that_cost(stage: &dyn VendorStub) {
    // Some vendors send a sentence with a refusal and some do not; neither may pass for an answer.
    for text in ["", "I would rather not."] {
        let said = StubAnswer { text, end: StubEnding::Refused, ..SAMPLE_ANSWER };
        check_failure(
            stage,
            VendorBehaviour::Says(said),
            &sample_request(),
            &[ProviderFailure::Refused],
            ExpectedCost::Told,
        )
        .await;
    }
}

async fn a_form_that_was_asked_for_is_kept_or_missed(stage: &dyn VendorStub) {
    let request = request_with_schema();
    // Models put JSON in a Markdown fence even when told not to, and asking again would cost another call.
    for text in [r#"{"yes":true}"#, "```json\n{\"yes\":true}\n```"] {
        let answer = ask_generator(stage, VendorBehaviour::Says(StubAnswer { text, ..SAMPLE_ANSWER }), &request)
            .await
            .expect("it can answer");
        assert_eq!(answer.expect("it answers").text, r#"{"yes":true}"#);
    }
    let missed = malformed_failure("it is not the JSON that was asked for");
    check_failure(
        stage,
        VendorBehaviour::Says(StubAnswer { text: "Yes!", ..SAMPLE_ANSWER }),
        &request,
        &[missed],
        ExpectedCost::Told,
    )
    .await;
    // Half of the JSON is distinguished from wrong JSON, since only the first is helped by more room.
    let cut = StubAnswer { text: "{\"yes\":tr", end: StubEnding::Cut, ..SAMPLE_ANSWER };
    check_failure(stage, VendorBehaviour::Says(cut), &request, &[ProviderFailure::Truncated], ExpectedCost::Told).await;
}

async fn what_has_no_form_is_no_answer(stage: &dyn VendorStub) {
    for scene in [VendorBehaviour::Garbage, VendorBehaviour::Hollow] {
        let Some(outcome) = ask_generator(stage, scene, &sample_request()).await else { continue };
        let error = outcome.expect_err("it is no answer");
        assert!(matches!(error.failure, ProviderFailure::Malformed { .. } | ProviderFailure::Empty), "{error:?}");
        // Money may have been spent and nothing says how much, so the ledger books what was reserved.
        assert_eq!(error.spent, FailureCost::Unknown);
        // What a vendor sends may repeat the prompt, and errors go to logs.
        assert!(!format!("{error:?} {error}").contains(CANARY), "{error:?}");
    }
}

async fn numbers_nobody_can_reach_are_no_report(stage: &dyn VendorStub) {
    // A number like these would overflow sums of the ledger, or stop all spending for the day.
    for (usage, name) in [([u64::MAX, 1, 0, 0], "input"), ([1, 1 << 40, 0, 0], "output")] {
        let absurd = malformed_failure(&format!("the {name} it reports cannot be a number of tokens"));
        check_failure(
            stage,
            VendorBehaviour::Says(StubAnswer { usage, ..SAMPLE_ANSWER }),
            &sample_request(),
            &[absurd],
            ExpectedCost::Unknown,
        )
        .await;
    }
}

async fn silence_ends_at_the_deadline(stage: &dyn VendorStub) {
    let deadline = Duration::from_millis(300);
    let request = GenerateRequest { deadline, ..sample_request() };
    check_failure(
        stage,
        VendorBehaviour::Silence,
        &request,
        &[ProviderFailure::TimedOut { after: deadline }],
        ExpectedCost::Unknown,
    )
    .await;
}

async fn half_an_answer_is_none(stage: &dyn VendorStub) {
    let Some(outcome) = ask_generator(stage, VendorBehaviour::Breaks, &sample_request()).await else { return };
    let error = outcome.expect_err("it is no answer");
    assert!(
        // Over HTTP the connection closes before the promised length; a command ends within a line of its output.
        matches!(error.failure, ProviderFailure::Unreachable { .. } | ProviderFailure::Malformed { .. }),
        "{error:?}"
    );
    assert_eq!(error.spent, FailureCost::Unknown);
}

async fn an_endless_answer_is_cut_short(stage: &dyn VendorStub) {
    let Some(outcome) = ask_generator(stage, VendorBehaviour::Endless, &sample_request()).await else { return };
    let error = outcome.expect_err("it is no answer");
    assert!(
        matches!(&error.failure, ProviderFailure::Malformed { reason } if reason.contains("longer than")),
        "{error:?}"
    );
    assert_eq!(error.spent, FailureCost::Unknown);
}

/// Stands in everything that must not be repeated.
pub const CANARY: &str = "canary";

#[derive(Clone, Copy)]
enum ExpectedCost {
    /// As the vendor said, where it says anything.
    Told,
    Unknown,
}

fn malformed_failure(reason: &str) -> ProviderFailure {
    ProviderFailure::Malformed { reason: reason.to_owned() }
}

async fn ask_generator(
    stage: &dyn VendorStub,
    scene: VendorBehaviour,
    request: &GenerateRequest,
) -> Option<Result<GeneratedText>> {
    Some(stage.build_generator(scene).await?.generate(request).await)
}

async fn check_failure(
    stage: &dyn VendorStub,
    scene: VendorBehaviour,
    request: &GenerateRequest,
    expected: &[ProviderFailure],
    cost: ExpectedCost,
) {
    let Some(outcome) = ask_generator(stage, scene, request).await else { return };
    let ProviderError { failure, spent, .. } = outcome.expect_err("it is an error");
    assert!(expected.contains(&failure), "{scene:?}: {failure:?}");
    match (cost, spent) {
        (ExpectedCost::Told, FailureCost::Reported(usage)) => {
            assert_eq!((usage.input, usage.output), (Some(11), Some(7)), "{scene:?}");
        }
        (ExpectedCost::Unknown, FailureCost::Unknown) => {}
        (_, spent) => panic!("{scene:?} cost {spent:?}"),
    }
}
