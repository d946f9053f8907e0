//! The one suite every generator must pass.
//!
//! A vendor brings a stage: the means to make its other side play a scene. The cases say what callers rely on,
//! whoever plays.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::future::BoxFuture;
use model::Tokens;
use serde_json::json;

use super::run_cases;
use crate::{Error, Failure, GenerateRequest, Generated, Generator, Result, Speaker, Spent, Stop, Turn, Usage};

/// The other side of a vendor, as the suite drives it.
#[async_trait]
pub trait Stage: Send + Sync {
    /// A generator that will meet `scene`; `None` when this vendor has no way to say such a thing.
    async fn set(&self, scene: Scene) -> Option<Arc<dyn Generator>>;
}

/// What the other side does.
#[derive(Debug, Clone, Copy)]
pub enum Scene {
    /// Answers in its form.
    Says(Said),
    /// Answers in no form at all.
    Garbage,
    /// Answers in the right form, without what makes it an answer.
    Hollow,
    /// Keeps silent.
    Silence,
    /// Stops in the middle of an answer.
    Breaks,
    /// Answers with more than anybody asked for.
    Endless,
}

/// An answer in a vendor's form.
#[derive(Debug, Clone, Copy)]
pub struct Said {
    /// The text.
    pub text: &'static str,
    /// Reasoning beside it.
    pub reasoning: Option<&'static str>,
    /// How it ends.
    pub end: End,
    /// Input at the full price, output, cache reads, cache writes.
    pub usage: [u64; 4],
}

/// How an answer ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The model was done.
    Whole,
    /// It had no room left.
    Cut,
    /// It declined.
    Refused,
}

macro_rules! cases {
    ($($name:ident),* $(,)?) => {
        &[$(Case { name: stringify!($name), run: |stage| Box::pin($name(stage)) }),*]
    };
}

/// One promise of the port.
pub struct Case {
    /// What is promised.
    pub name: &'static str,
    /// Panics when the promise is broken.
    pub run: for<'a> fn(&'a dyn Stage) -> BoxFuture<'a, ()>,
}

/// Every promise.
pub const CASES: &[Case] = cases![
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
pub async fn run(stage: &dyn Stage) {
    run_cases(CASES.iter().map(|case| (case.name, (case.run)(stage)))).await;
}

/// A request with everything in it but a schema.
pub fn request() -> GenerateRequest {
    let turn = |speaker, text: &str| Turn { speaker, text: text.to_owned() };
    GenerateRequest {
        system: "You answer.".to_owned(),
        messages: vec![turn(Speaker::User, "One?"), turn(Speaker::Model, "One."), turn(Speaker::User, "Two?")],
        max_output: Tokens(100),
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
    GenerateRequest { schema: Some(schema), ..request() }
}

const SAID: Said = Said { text: "Two.", reasoning: None, end: End::Whole, usage: [11, 7, 3, 2] };

async fn an_answer_is_its_text_and_its_usage(stage: &dyn Stage) {
    let answer = ask_generator(stage, Scene::Says(SAID), &request()).await.expect("it can answer").expect("it answers");
    assert_eq!(answer.text, "Two.");
    assert_eq!(answer.stop, Stop::End);
    let Usage { input, output, cache_read, cache_write } = answer.usage;
    assert_eq!((input, output), (Some(11), Some(7)));
    // Not every vendor has a cache or counts it.
    assert!(cache_read.is_none_or(|tokens| tokens == 3), "{cache_read:?}");
    assert!(cache_write.is_none_or(|tokens| tokens == 2), "{cache_write:?}");
}

async fn reasoning_is_no_part_of_an_answer(stage: &dyn Stage) {
    let said = Said { reasoning: Some("One and one…"), ..SAID };
    let Some(answer) = ask_generator(stage, Scene::Says(said), &request()).await else { return };
    assert_eq!(answer.expect("it answers").text, "Two.");
}

async fn what_ends_for_lack_of_room_says_so(stage: &dyn Stage) {
    let Some(answer) = ask_generator(stage, Scene::Says(Said { end: End::Cut, ..SAID }), &request()).await else {
        return;
    };
    assert_eq!(answer.map(|answer| (answer.text, answer.stop)), Ok(("Two.".to_owned(), Stop::Length)));
    for reasoning in [None, Some("One and one…")] {
        let said = Said { text: "", reasoning, end: End::Cut, ..SAID };
        check_failure(stage, Scene::Says(said), &request(), &[Failure::Truncated], ExpectedCost::Told).await;
    }
}

async fn an_answer_without_a_word_is_an_error_that_cost(stage: &dyn Stage) {
    for text in ["", " \n"] {
        for reasoning in [None, Some("One and one…")] {
            let said = Said { text, reasoning, ..SAID };
            check_failure(stage, Scene::Says(said), &request(), &[Failure::Empty], ExpectedCost::Told).await;
        }
    }
}

async fn a_refusal_is_an_error_that_cost(stage: &dyn Stage) {
    for text in ["", "I would rather not."] {
        let said = Said { text, end: End::Refused, ..SAID };
        check_failure(stage, Scene::Says(said), &request(), &[Failure::Refused], ExpectedCost::Told).await;
    }
}

async fn a_form_that_was_asked_for_is_kept_or_missed(stage: &dyn Stage) {
    let request = request_with_schema();
    for text in [r#"{"yes":true}"#, "```json\n{\"yes\":true}\n```"] {
        let answer = ask_generator(stage, Scene::Says(Said { text, ..SAID }), &request).await.expect("it can answer");
        assert_eq!(answer.expect("it answers").text, r#"{"yes":true}"#);
    }
    let missed = malformed_failure("it is not the JSON that was asked for");
    check_failure(stage, Scene::Says(Said { text: "Yes!", ..SAID }), &request, &[missed], ExpectedCost::Told).await;
    let cut = Said { text: "{\"yes\":tr", end: End::Cut, ..SAID };
    check_failure(stage, Scene::Says(cut), &request, &[Failure::Truncated], ExpectedCost::Told).await;
}

async fn what_has_no_form_is_no_answer(stage: &dyn Stage) {
    for scene in [Scene::Garbage, Scene::Hollow] {
        let Some(outcome) = ask_generator(stage, scene, &request()).await else { continue };
        let error = outcome.expect_err("it is no answer");
        assert!(matches!(error.failure, Failure::Malformed { .. } | Failure::Empty), "{error:?}");
        assert_eq!(error.spent, Spent::Unknown);
        assert!(!format!("{error:?} {error}").contains(CANARY), "{error:?}");
    }
}

async fn numbers_nobody_can_reach_are_no_report(stage: &dyn Stage) {
    for (usage, name) in [([u64::MAX, 1, 0, 0], "input"), ([1, 1 << 40, 0, 0], "output")] {
        let absurd = malformed_failure(&format!("the {name} it reports cannot be a number of tokens"));
        check_failure(stage, Scene::Says(Said { usage, ..SAID }), &request(), &[absurd], ExpectedCost::Unknown).await;
    }
}

async fn silence_ends_at_the_deadline(stage: &dyn Stage) {
    let deadline = Duration::from_millis(300);
    let request = GenerateRequest { deadline, ..request() };
    check_failure(stage, Scene::Silence, &request, &[Failure::TimedOut { after: deadline }], ExpectedCost::Unknown)
        .await;
}

async fn half_an_answer_is_none(stage: &dyn Stage) {
    let Some(outcome) = ask_generator(stage, Scene::Breaks, &request()).await else { return };
    let error = outcome.expect_err("it is no answer");
    assert!(matches!(error.failure, Failure::Unreachable { .. } | Failure::Malformed { .. }), "{error:?}");
    assert_eq!(error.spent, Spent::Unknown);
}

async fn an_endless_answer_is_cut_short(stage: &dyn Stage) {
    let Some(outcome) = ask_generator(stage, Scene::Endless, &request()).await else { return };
    let error = outcome.expect_err("it is no answer");
    assert!(matches!(&error.failure, Failure::Malformed { reason } if reason.contains("longer than")), "{error:?}");
    assert_eq!(error.spent, Spent::Unknown);
}

/// Stands in everything that must not be repeated.
pub const CANARY: &str = "canary";

#[derive(Clone, Copy)]
enum ExpectedCost {
    /// As the vendor said, where it says anything.
    Told,
    Unknown,
}

fn malformed_failure(reason: &str) -> Failure {
    Failure::Malformed { reason: reason.to_owned() }
}

async fn ask_generator(stage: &dyn Stage, scene: Scene, request: &GenerateRequest) -> Option<Result<Generated>> {
    Some(stage.set(scene).await?.generate(request).await)
}

async fn check_failure(
    stage: &dyn Stage,
    scene: Scene,
    request: &GenerateRequest,
    expected: &[Failure],
    cost: ExpectedCost,
) {
    let Some(outcome) = ask_generator(stage, scene, request).await else { return };
    let Error { failure, spent, .. } = outcome.expect_err("it is an error");
    assert!(expected.contains(&failure), "{scene:?}: {failure:?}");
    match (cost, spent) {
        (ExpectedCost::Told, Spent::Reported(usage)) => {
            assert_eq!((usage.input, usage.output), (Some(11), Some(7)), "{scene:?}");
        }
        (ExpectedCost::Unknown, Spent::Unknown) => {}
        (_, spent) => panic!("{scene:?} cost {spent:?}"),
    }
}
