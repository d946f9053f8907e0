//! Snapshot tests of the exact HTTP requests that each vendor's client sends: a field too many is refused by some
//! vendor, and one too few costs somebody money.

use expect_test::{Expect, expect};
use providers::conformance::generator::{StubAnswer, StubEnding, request_with_schema, sample_request};
use providers::conformance::server::{ScriptedReply, ScriptedServer, ServerAction};

use crate::dialects;
use crate::stage::connection;

async fn check(name: &str, expected: Expect) {
    let dialect = dialects::ALL_DIALECTS.into_iter().find(|dialect| dialect.name == name).expect("it is a dialect");
    let said = StubAnswer { text: "{}", reasoning: None, end: StubEnding::Whole, usage: [1, 1, 0, 0] };
    let body = (dialect.says)(&said).expect("it can say that");
    let server = ScriptedServer::start_fixed(ServerAction::Answer(ScriptedReply::from_json(200, &body))).await;
    let generator = (dialect.generator)(connection(&server));
    generator.generate(&sample_request()).await.expect("it answers");
    generator.generate(&request_with_schema()).await.expect("it answers");
    let told = server.received_requests().into_iter().map(|seen| {
        let telling =
            |line: &&String| !["host:", "user-agent:", "content-length:"].iter().any(|name| line.starts_with(name));
        let headers: Vec<String> = seen.headers.iter().filter(telling).cloned().collect();
        format!("{}\n{}\n{}\n", seen.line, headers.join("\n"), seen.body)
    });
    expected.assert_eq(&told.collect::<String>());
}

#[tokio::test]
async fn anthropic_gets_messages() {
    check("anthropic", expect![[r#"
        POST /v1/messages
        content-type: application/json
        anthropic-version: 2023-06-01
        x-api-key: canary-key
        accept: */*
        accept-encoding: gzip
        {"model":"m-1","max_tokens":100,"messages":[{"role":"user","content":"One?"},{"role":"assistant","content":"One."},{"role":"user","content":"Two?"}],"system":"You answer."}
        POST /v1/messages
        content-type: application/json
        anthropic-version: 2023-06-01
        x-api-key: canary-key
        accept: */*
        accept-encoding: gzip
        {"model":"m-1","max_tokens":100,"messages":[{"role":"user","content":"One?"},{"role":"assistant","content":"One."},{"role":"user","content":"Two?"}],"system":"You answer.","output_config":{"format":{"type":"json_schema","schema":{"type":"object","properties":{"yes":{"type":"boolean"}},"required":["yes"],"additionalProperties":false}}}}
    "#]]).await;
}

#[tokio::test]
async fn openai_gets_a_response_to_make_and_not_to_store() {
    check("openai", expect![[r#"
        POST /responses
        content-type: application/json
        authorization: Bearer canary-key
        accept: */*
        accept-encoding: gzip
        {"model":"m-1","input":[{"role":"user","content":"One?"},{"role":"assistant","content":"One."},{"role":"user","content":"Two?"}],"max_output_tokens":100,"store":false,"instructions":"You answer."}
        POST /responses
        content-type: application/json
        authorization: Bearer canary-key
        accept: */*
        accept-encoding: gzip
        {"model":"m-1","input":[{"role":"user","content":"One?"},{"role":"assistant","content":"One."},{"role":"user","content":"Two?"}],"max_output_tokens":100,"store":false,"instructions":"You answer.","text":{"format":{"type":"json_schema","name":"answer","strict":true,"schema":{"type":"object","properties":{"yes":{"type":"boolean"}},"required":["yes"],"additionalProperties":false}}}}
    "#]]).await;
}

#[tokio::test]
async fn compatible_servers_get_the_oldest_fields() {
    check("openai-compatible", expect![[r#"
        POST /chat/completions
        content-type: application/json
        authorization: Bearer canary-key
        accept: */*
        accept-encoding: gzip
        {"model":"m-1","messages":[{"role":"system","content":"You answer."},{"role":"user","content":"One?"},{"role":"assistant","content":"One."},{"role":"user","content":"Two?"}],"max_tokens":100,"stream":false}
        POST /chat/completions
        content-type: application/json
        authorization: Bearer canary-key
        accept: */*
        accept-encoding: gzip
        {"model":"m-1","messages":[{"role":"system","content":"You answer."},{"role":"user","content":"One?"},{"role":"assistant","content":"One."},{"role":"user","content":"Two?"}],"max_tokens":100,"stream":false,"response_format":{"type":"json_schema","json_schema":{"name":"answer","strict":true,"schema":{"type":"object","properties":{"yes":{"type":"boolean"}},"required":["yes"],"additionalProperties":false}}}}
    "#]]).await;
}

#[tokio::test]
async fn ollama_gets_a_window_that_fits() {
    check("ollama", expect![[r#"
        POST /api/chat
        content-type: application/json
        authorization: Bearer canary-key
        accept: */*
        accept-encoding: gzip
        {"model":"m-1","messages":[{"role":"system","content":"You answer."},{"role":"user","content":"One?"},{"role":"assistant","content":"One."},{"role":"user","content":"Two?"}],"stream":false,"think":false,"options":{"num_predict":100,"num_ctx":4096}}
        POST /api/chat
        content-type: application/json
        authorization: Bearer canary-key
        accept: */*
        accept-encoding: gzip
        {"model":"m-1","messages":[{"role":"system","content":"You answer."},{"role":"user","content":"One?"},{"role":"assistant","content":"One."},{"role":"user","content":"Two?"}],"stream":false,"think":false,"options":{"num_predict":100,"num_ctx":4096},"format":{"type":"object","properties":{"yes":{"type":"boolean"}},"required":["yes"],"additionalProperties":false}}
    "#]]).await;
}
