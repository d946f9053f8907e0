//! Integration tests of the HTTP embedding clients (Ollama, OpenAI, compatible servers): the conformance tests, batch
//! limits, and malformed vectors that must be refused.

use std::sync::Mutex;

use expect_test::{Expect, expect};
use model::ContentHash;
use providers::conformance::embedder;
use providers::conformance::server::{ReceivedRequest, ScriptedReply, ScriptedServer, ServerAction};
use providers::vendors::{ollama_embed::OllamaEmbedder, openai_embed::OpenAiEmbedder};
use providers::{Embedder, FailureCost, Usage, VendorConnection};
use serde_json::{Value, json};

use crate::stage::connection;

const DIMENSIONS: usize = 8;

/// Some direction for every text.
fn vector(text: &Value) -> Vec<f64> {
    let hash = ContentHash::hash_bytes(text.as_str().expect("a text").as_bytes());
    hash.as_bytes()[..DIMENSIONS].iter().map(|byte| f64::from(*byte) / 256.0 + 0.01).collect()
}

fn inputs(seen: &ReceivedRequest) -> &Vec<Value> {
    seen.body["input"].as_array().expect("a list of texts")
}

/// One token a text, so that sums can be checked.
fn ollama(seen: &ReceivedRequest) -> Value {
    let texts = inputs(seen);
    json!({ "embeddings": texts.iter().map(vector).collect::<Vec<_>>(), "prompt_eval_count": texts.len() })
}

/// Backwards, as a server may.
fn openai(seen: &ReceivedRequest) -> Value {
    let rows = inputs(seen).iter().enumerate().rev();
    let rows = rows.map(|(index, text)| json!({ "object": "embedding", "index": index, "embedding": vector(text) }));
    json!({ "data": rows.collect::<Vec<_>>(), "usage": { "prompt_tokens": inputs(seen).len(), "total_tokens": 0 } })
}

fn make(name: &str, connection: VendorConnection) -> Box<dyn Embedder> {
    match name {
        "ollama" => Box::new(OllamaEmbedder::new("m-1", DIMENSIONS, connection)),
        "openai" => Box::new(OpenAiEmbedder::new("text-embedding-3-small", DIMENSIONS, connection)),
        _ => Box::new(OpenAiEmbedder::new_compatible("m-1", DIMENSIONS, connection)),
    }
}

/// How a vendor answers.
type Answer = fn(&ReceivedRequest) -> Value;

const VENDORS: [(&str, Answer); 3] = [("ollama", ollama), ("openai", openai), ("openai-compatible", openai)];

#[tokio::test]
async fn embedders_keep_every_promise() {
    for (name, answer) in VENDORS {
        let server =
            ScriptedServer::start(move |seen| ServerAction::Answer(ScriptedReply::from_json(200, &answer(seen)))).await;
        embedder::run(&*make(name, connection(&server))).await;
    }
}

#[tokio::test]
async fn a_model_is_known_by_vendor_name_and_dimensions() {
    let server = ScriptedServer::start_fixed(ServerAction::Close).await;
    let models = VENDORS.map(|(name, _)| {
        let embedder = make(name, connection(&server));
        let model = embedder.model();
        format!("{} {} {}", model.name, model.version, model.dimensions)
    });
    assert_eq!(models, ["ollama/m-1 1 8", "openai/text-embedding-3-small 1 8", "openai-compatible/m-1 1 8"]);
}

#[tokio::test]
async fn batches_stay_within_the_vendor_s_limits_and_are_counted_together() {
    let long = "x".repeat(100_000);
    let texts: Vec<&str> = (0..300).map(|number| if number % 50 == 0 { long.as_str() } else { "short" }).collect();
    for (name, answer) in VENDORS {
        let server =
            ScriptedServer::start(move |seen| ServerAction::Answer(ScriptedReply::from_json(200, &answer(seen)))).await;
        let embedded = make(name, connection(&server)).embed(&texts).await.expect("it answers");
        assert_eq!(embedded.vectors.len(), 300);
        assert_eq!(embedded.usage, Usage { input: Some(300), ..Usage::default() });
        for seen in server.received_requests() {
            let bytes: usize = inputs(&seen).iter().map(|text| text.as_str().expect("a text").len()).sum();
            assert!(inputs(&seen).len() <= 128 && bytes <= 300_000, "{} texts, {bytes} bytes", inputs(&seen).len());
        }
        assert!(server.received_requests().len() <= 6, "{} requests", server.received_requests().len());
    }
}

#[tokio::test]
async fn what_is_sent_is_what_the_vendor_knows() {
    let mut told = String::new();
    for (name, answer) in VENDORS {
        let server =
            ScriptedServer::start(move |seen| ServerAction::Answer(ScriptedReply::from_json(200, &answer(seen)))).await;
        make(name, connection(&server)).embed(&["a", "", "b"]).await.expect("it answers");
        for seen in server.received_requests() {
            told += &format!("{} {}\n", seen.line, seen.body);
        }
    }
    let expected = expect![[r#"
        POST /api/embed {"model":"m-1","input":["a","b"],"truncate":false}
        POST /embeddings {"model":"text-embedding-3-small","input":["a","b"],"encoding_format":"float","dimensions":8}
        POST /embeddings {"model":"m-1","input":["a","b"],"encoding_format":"float"}
    "#]];
    expected.assert_eq(&told);
}

const VALID_EMBEDDING: &str = "[1,0,0,0,0,0,0,0]";

/// What Ollama's and a compatible server's answers to two texts are refused with.
async fn check(answers: &[(String, String)], expected: Expect) {
    let mut told = String::new();
    for (name, body) in answers.iter().flat_map(|(ollama, openai)| [("ollama", ollama), ("openai-compatible", openai)])
    {
        let headers = vec!["content-type: application/json".to_owned()];
        let server = ScriptedServer::start_fixed(ServerAction::Answer(ScriptedReply {
            status: 200,
            headers,
            body: body.clone().into(),
        }))
        .await;
        let error = make(name, connection(&server)).embed(&["a", "b"]).await.expect_err("it is no answer");
        assert_eq!(error.spent, FailureCost::Unknown, "{body}");
        told += &format!("{body}: {}\n", error.failure);
    }
    expected.assert_eq(&told);
}

/// Two rows in the form of each.
fn rows(first: &str, second: &str) -> (String, String) {
    (
        format!(r#"{{"embeddings":[{first},{second}]}}"#),
        format!(r#"{{"data":[{{"embedding":{first}}},{{"embedding":{second}}}]}}"#),
    )
}

#[tokio::test]
async fn what_is_no_vector_of_the_model_is_refused() {
    let odd = ["null", "\"1\"", "1e39", "[]", "NaN", "1e999"]
        .map(|odd| rows(VALID_EMBEDDING, &format!("[{odd},0,0,0,0,0,0,0]")));
    check(&[&odd[..], &[rows(VALID_EMBEDDING, "[1,2]"), rows(VALID_EMBEDDING, "[]"), rows("null", VALID_EMBEDDING)]].concat(), expect![[r#"
        {"embeddings":[[1,0,0,0,0,0,0,0],[null,0,0,0,0,0,0,0]]}: its answer cannot be used: a vector has something else than numbers
        {"data":[{"embedding":[1,0,0,0,0,0,0,0]},{"embedding":[null,0,0,0,0,0,0,0]}]}: its answer cannot be used: a vector has something else than numbers
        {"embeddings":[[1,0,0,0,0,0,0,0],["1",0,0,0,0,0,0,0]]}: its answer cannot be used: a vector has something else than numbers
        {"data":[{"embedding":[1,0,0,0,0,0,0,0]},{"embedding":["1",0,0,0,0,0,0,0]}]}: its answer cannot be used: a vector has something else than numbers
        {"embeddings":[[1,0,0,0,0,0,0,0],[1e39,0,0,0,0,0,0,0]]}: its answer cannot be used: a vector has something else than numbers
        {"data":[{"embedding":[1,0,0,0,0,0,0,0]},{"embedding":[1e39,0,0,0,0,0,0,0]}]}: its answer cannot be used: a vector has something else than numbers
        {"embeddings":[[1,0,0,0,0,0,0,0],[[],0,0,0,0,0,0,0]]}: its answer cannot be used: a vector has something else than numbers
        {"data":[{"embedding":[1,0,0,0,0,0,0,0]},{"embedding":[[],0,0,0,0,0,0,0]}]}: its answer cannot be used: a vector has something else than numbers
        {"embeddings":[[1,0,0,0,0,0,0,0],[NaN,0,0,0,0,0,0,0]]}: its answer cannot be used: it is not JSON
        {"data":[{"embedding":[1,0,0,0,0,0,0,0]},{"embedding":[NaN,0,0,0,0,0,0,0]}]}: its answer cannot be used: it is not JSON
        {"embeddings":[[1,0,0,0,0,0,0,0],[1e999,0,0,0,0,0,0,0]]}: its answer cannot be used: it is not JSON
        {"data":[{"embedding":[1,0,0,0,0,0,0,0]},{"embedding":[1e999,0,0,0,0,0,0,0]}]}: its answer cannot be used: it is not JSON
        {"embeddings":[[1,0,0,0,0,0,0,0],[1,2]]}: its answer cannot be used: vectors of 2 dimensions, not 8
        {"data":[{"embedding":[1,0,0,0,0,0,0,0]},{"embedding":[1,2]}]}: its answer cannot be used: vectors of 2 dimensions, not 8
        {"embeddings":[[1,0,0,0,0,0,0,0],[]]}: its answer cannot be used: vectors of 0 dimensions, not 8
        {"data":[{"embedding":[1,0,0,0,0,0,0,0]},{"embedding":[]}]}: its answer cannot be used: vectors of 0 dimensions, not 8
        {"embeddings":[null,[1,0,0,0,0,0,0,0]]}: its answer cannot be used: a vector is not a list
        {"data":[{"embedding":null},{"embedding":[1,0,0,0,0,0,0,0]}]}: its answer cannot be used: a vector is not a list
    "#]]).await;
}

#[tokio::test]
async fn vectors_that_belong_to_no_text_are_refused() {
    let indexed = |first: &str, second: &str| {
        let row = |index: &str| format!(r#"{{"index":{index},"embedding":{VALID_EMBEDDING}}}"#);
        format!(r#"{{"data":[{},{}]}}"#, row(first), row(second))
    };
    check(
        &[
            ("{}".to_owned(), indexed("1", "1")),
            ("[]".to_owned(), indexed("0", "2")),
            (r#"{"embeddings":{}}"#.to_owned(), indexed("0", "-1")),
            (format!(r#"{{"embeddings":[{VALID_EMBEDDING}]}}"#), format!(r#"{{"data":[{{"embedding":{VALID_EMBEDDING}}}]}}"#)),
        ],
        expect![[r#"
            {}: its answer cannot be used: it has no embeddings
            {"data":[{"index":1,"embedding":[1,0,0,0,0,0,0,0]},{"index":1,"embedding":[1,0,0,0,0,0,0,0]}]}: its answer cannot be used: two vectors belong to one text
            []: its answer cannot be used: it has no embeddings
            {"data":[{"index":0,"embedding":[1,0,0,0,0,0,0,0]},{"index":2,"embedding":[1,0,0,0,0,0,0,0]}]}: its answer cannot be used: a vector belongs to no text
            {"embeddings":{}}: its answer cannot be used: it has no embeddings
            {"data":[{"index":0,"embedding":[1,0,0,0,0,0,0,0]},{"index":-1,"embedding":[1,0,0,0,0,0,0,0]}]}: its answer cannot be used: a vector's place is no number
            {"embeddings":[[1,0,0,0,0,0,0,0]]}: its answer cannot be used: it has 1 vectors for 2 texts
            {"data":[{"embedding":[1,0,0,0,0,0,0,0]}]}: its answer cannot be used: it has 1 vectors for 2 texts
        "#]],
    )
    .await;
}

#[tokio::test]
async fn absurd_usage_is_refused() {
    let (ollama, openai) = rows(VALID_EMBEDDING, VALID_EMBEDDING);
    let with = |answer: &str, usage: &str| format!("{},{usage}}}", answer.strip_suffix('}').expect("an object"));
    check(
        &[(with(&ollama, r#""prompt_eval_count":-3"#), with(&openai, r#""usage":{"prompt_tokens":99999999999}"#))],
        expect![[r#"
            {"embeddings":[[1,0,0,0,0,0,0,0],[1,0,0,0,0,0,0,0]],"prompt_eval_count":-3}: its answer cannot be used: the input it reports cannot be a number of tokens
            {"data":[{"embedding":[1,0,0,0,0,0,0,0]},{"embedding":[1,0,0,0,0,0,0,0]}],"usage":{"prompt_tokens":99999999999}}: its answer cannot be used: the input it reports cannot be a number of tokens
        "#]],
    )
    .await;
}

#[tokio::test]
async fn a_later_batch_that_fails_does_not_forget_what_the_earlier_cost() {
    let texts: Vec<String> = (0..200).map(|number| format!("text {number}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    for (name, answer) in VENDORS {
        let first = Mutex::new(true);
        let server = ScriptedServer::start(move |seen| {
            let is_first = std::mem::take(&mut *first.lock().expect("not poisoned"));
            ServerAction::Answer(if is_first {
                ScriptedReply::from_json(200, &answer(seen))
            } else {
                ScriptedReply::from_json(429, &Value::Null)
            })
        });
        let server = server.await;
        let error = make(name, connection(&server)).embed(&texts).await.expect_err("the second batch fails");
        let done = inputs(&server.received_requests()[0]).len() as u64;
        assert_eq!(error.spent, FailureCost::Reported(Usage { input: Some(done), ..Usage::default() }), "{name}");
    }
}
