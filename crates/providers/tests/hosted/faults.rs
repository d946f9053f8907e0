//! Fault-injection test of the HTTP vendors with a thousand random failures: every call ends in an answer or in one
//! error, and what the server charged is what the client counted.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::StreamExt as _;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use providers::conformance::generator::{CANARY, StubAnswer, StubEnding, sample_request};
use providers::conformance::server::{ScriptedReply, ScriptedServer, ServerAction};
use providers::{FailureCost, GenerateRequest, ResilientProvider, Usage};
use serde_json::json;

use crate::dialects::{self, Dialect};
use crate::stage::connection;

/// What happens to one request.
#[derive(Debug, Clone)]
enum Fate {
    /// The vendor says no, and charges nothing.
    No {
        status: u16,
        wait: Option<String>,
    },
    /// It answers, and charges.
    Says(StubAnswer),
    /// It answers and charges, and the answer is lost on the way.
    Lost(StubAnswer, Loss),
    /// It charges nothing and says nothing of use.
    Odd(Vec<u8>),
    Gone,
    Silent,
}

#[derive(Debug, Clone, Copy)]
enum Loss {
    Half,
    Stalled,
    /// The usage cannot be true.
    Absurd,
}

fn fate() -> impl Strategy<Value = Fate> {
    let status = prop::sample::select(vec![400, 401, 403, 404, 408, 413, 422, 429, 500, 502, 503, 504, 529, 307]);
    let wait = prop::option::of(prop::sample::select(vec!["0", "0.01", "99999", "soon", "-1"]).prop_map(str::to_owned));
    let text = prop::sample::select(vec!["Two.", "", " ", "<think>canary", "```json\n{}\n```", "ü\u{0}\u{1f600}"]);
    let end = prop::sample::select(vec![StubEnding::Whole, StubEnding::Cut, StubEnding::Refused]);
    let said = (text, prop::option::of(Just("canary")), end, prop::array::uniform4(0_u64..100_000))
        .prop_map(|(text, reasoning, end, usage)| StubAnswer { text, reasoning, end, usage });
    let loss = prop::sample::select(vec![Loss::Half, Loss::Stalled, Loss::Absurd]);
    let odd = prop::sample::select(vec![
        &b"canary"[..],
        b"{\"error\":{\"message\":\"canary\"}}",
        b"{\"error\":\"canary\"}",
        b"[]",
        b"{}",
        b"null",
        b"\xff\xfe",
        b"",
        b"{\"choices\":[{\"message\":{\"content\":7}}],\"content\":\"canary\",\"output\":{},\"message\":[]}",
    ]);
    prop_oneof![
        4 => (status, wait).prop_map(|(status, wait)| Fate::No { status, wait }),
        3 => said.clone().prop_map(Fate::Says),
        2 => (said, loss).prop_map(|(said, loss)| Fate::Lost(said, loss)),
        1 => odd.prop_map(|bytes| Fate::Odd(bytes.to_vec())),
        1 => Just(Fate::Gone),
        1 => Just(Fate::Silent),
    ]
}

/// What the other side does, and what it charges for it.
fn play(dialect: Dialect, fate: &Fate) -> (ServerAction, Option<Usage>) {
    let told = |said: &StubAnswer| {
        let body = (dialect.says)(said).or_else(|| (dialect.says)(&StubAnswer { end: StubEnding::Whole, ..*said }));
        body.expect("every dialect can answer")
    };
    let charged = |said: &StubAnswer| {
        let [input, output, cache_read, cache_write] = said.usage.map(Some);
        match dialect.name {
            "ollama" => Usage { input, output, ..Usage::default() },
            _ => Usage { input, output, cache_read, cache_write },
        }
    };
    match fate {
        Fate::No { status, wait } => {
            let reply = ScriptedReply::from_json(*status, &json!({ "error": { "message": CANARY, "type": CANARY } }));
            let reply = match wait {
                Some(wait) => reply.with_header(format!("retry-after: {wait}")),
                None => reply,
            };
            (ServerAction::Answer(reply), None)
        }
        Fate::Says(said) => (ServerAction::Answer(ScriptedReply::from_json(200, &told(said))), Some(charged(said))),
        Fate::Lost(said, Loss::Half) => {
            (ServerAction::Break(ScriptedReply::from_json(200, &told(said))), Some(charged(said)))
        }
        Fate::Lost(said, Loss::Stalled) => {
            (ServerAction::Stall(ScriptedReply::from_json(200, &told(said))), Some(charged(said)))
        }
        Fate::Lost(said, Loss::Absurd) => {
            let lie = StubAnswer { usage: [said.usage[0], 1 << 50, 0, 0], ..*said };
            (ServerAction::Answer(ScriptedReply::from_json(200, &told(&lie))), Some(charged(said)))
        }
        Fate::Odd(bytes) => {
            let headers = vec!["content-type: application/json".to_owned()];
            (ServerAction::Answer(ScriptedReply { status: 200, headers, body: bytes.clone() }), None)
        }
        Fate::Gone => (ServerAction::Close, None),
        Fate::Silent => (ServerAction::Silence, None),
    }
}

/// One question to a vendor with these fates in store, and the kind of its outcome.
async fn case(dialect: Dialect, fates: Vec<Fate>) -> String {
    let charges: Arc<Mutex<Vec<Usage>>> = Arc::default();
    let waits = fates.iter().any(|fate| matches!(fate, Fate::Silent | Fate::Lost(_, Loss::Stalled)));
    let ledger = Arc::clone(&charges);
    let script = Mutex::new(fates.clone().into_iter());
    let server = ScriptedServer::start(move |_| {
        let fate = script.lock().expect("not poisoned").next().unwrap_or(Fate::Gone);
        let (act, charge) = play(dialect, &fate);
        ledger.lock().expect("not poisoned").extend(charge);
        act
    });
    let server = server.await;
    let steady =
        ResilientProvider::from_generator((dialect.generator)(connection(&server)), Arc::new(|| Duration::ZERO));
    let deadline = if waits { Duration::from_secs(1) } else { Duration::from_mins(1) };
    let outcome = providers::Generator::generate(&steady, &GenerateRequest { deadline, ..sample_request() }).await;
    let charges = charges.lock().expect("not poisoned").clone();
    let story = format!("{} {fates:?} → {outcome:?}, charged {charges:?}", dialect.name);
    assert!(charges.len() <= 1, "charged twice: {story}");
    match &outcome {
        Ok(answer) => {
            assert_eq!(charges, [answer.usage], "{story}");
            assert!(!answer.text.trim().is_empty(), "{story}");
            format!("{:?}", answer.stop)
        }
        Err(error) => {
            match error.spent {
                FailureCost::Nothing => assert_eq!(charges, [], "{story}"),
                FailureCost::Reported(usage) => assert_eq!(charges, [usage], "{story}"),
                FailureCost::Unknown => {}
            }
            for text in [error.to_string(), format!("{error:?}"), error.hint().unwrap_or_default()] {
                assert!(!text.contains(CANARY), "{text}: {story}");
            }
            let failure = format!("{:?}", error.failure);
            failure.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default().to_owned()
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_misfortunes_end_in_one_outcome_each_and_are_charged_at_most_once() {
    // The same thousand every time: a failure must be repeatable.
    let mut runner = TestRunner::deterministic();
    let stories = prop::collection::vec(fate(), 1..5);
    let cases: Vec<(Dialect, Vec<Fate>)> = (0..1000)
        .map(|number| {
            let story = stories.new_tree(&mut runner).expect("the strategy rejects nothing").current();
            (dialects::ALL_DIALECTS[number % dialects::ALL_DIALECTS.len()], story)
        })
        .collect();
    let outcomes = futures::stream::iter(cases).map(|(dialect, fates)| tokio::spawn(case(dialect, fates)));
    let outcomes: Vec<_> = outcomes.buffer_unordered(128).collect().await;
    let broken: Vec<_> = outcomes.iter().filter_map(|outcome| outcome.as_ref().err()).collect();
    assert!(broken.is_empty(), "{} of 1000 broke a promise, the first: {}", broken.len(), broken[0]);
    // A thousand times the same would prove little.
    let kinds: BTreeSet<&String> = outcomes.iter().flatten().collect();
    assert!(kinds.len() >= 12, "{kinds:?}");
}
