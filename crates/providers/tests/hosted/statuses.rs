//! Tests of error mapping for HTTP vendors: which error, hint and cost each HTTP status or network fault becomes, the
//! same for every vendor and never in the vendor's words.

use expect_test::{Expect, expect};
use providers::conformance::generator::{CANARY, sample_request};
use providers::conformance::server::{ScriptedReply, ScriptedServer, ServerAction};
use providers::{Address, NetworkReach, VendorConnection};
use serde_json::{Value, json};

use crate::dialects;
use crate::stage::connection;

/// The one error all vendors make of `act`, with its hint and cost.
async fn outcome(act: ServerAction) -> String {
    let server = ScriptedServer::start_fixed(act.clone()).await;
    let mut told = Vec::new();
    for dialect in dialects::ALL_DIALECTS {
        let generator = (dialect.generator)(connection(&server));
        let error = generator.generate(&sample_request()).await.expect_err("it is no answer");
        let hint = error.hint().map_or(String::new(), |hint| format!("; {hint}"));
        for text in [error.to_string(), format!("{error:?}"), hint.clone()] {
            assert!(!text.contains(CANARY), "{text}");
        }
        told.push((dialect.name, format!("{}{hint} [{:?}]", error.failure, error.spent)));
    }
    let (_, first) = &told[0];
    if told.iter().all(|(_, text)| text == first) {
        return first.clone();
    }
    told.iter().map(|(name, text)| format!("\n    {name}: {text}")).collect()
}

async fn check(acts: &[(&str, ServerAction)], expected: Expect) {
    let mut told = String::new();
    for (name, act) in acts {
        told += &format!("{name}: {}\n", outcome(act.clone()).await);
    }
    expected.assert_eq(&told);
}

fn answer(status: u16, body: &Value) -> ServerAction {
    ServerAction::Answer(ScriptedReply::from_json(status, body))
}

fn error(kind: &str) -> Value {
    json!({ "type": "error", "error": { "type": kind, "code": kind, "message": format!("{CANARY} {kind}") } })
}

#[tokio::test]
async fn a_refused_request_is_sorted_by_what_helps() {
    check(
        &[
            ("401", answer(401, &error("authentication_error"))),
            ("403", answer(403, &error("permission_error"))),
            ("402", answer(402, &error("x"))),
            ("404", answer(404, &error("not_found_error"))),
            ("413", answer(413, &error("request_too_large"))),
            ("400", answer(400, &error("invalid_request_error"))),
            ("400 too long", answer(400, &json!({ "error": { "message": "prompt is too long: canary" } }))),
            ("429", answer(429, &error("rate_limit_error"))),
            ("500", answer(500, &error("api_error"))),
            ("504", answer(504, &Value::Null)),
            ("529", answer(529, &error("overloaded_error"))),
            ("200 with an error", answer(200, &error("overloaded_error"))),
            ("200 with a strange error", answer(200, &error("x"))),
        ],
        expect![[r#"
            401: it does not accept the key; check the key in the variable TEST_KEY [Nothing]
            403: it does not accept the key; check the key in the variable TEST_KEY [Nothing]
            402: 
                anthropic: the account has no credit left; add credit to the account at anthropic, or choose another provider [Nothing]
                openai: the account has no credit left; add credit to the account at openai, or choose another provider [Nothing]
                openai-compatible: the account has no credit left; add credit to the account at openai-compatible, or choose another provider [Nothing]
                ollama: the account has no credit left; add credit to the account at ollama, or choose another provider [Nothing]
            404: 
                anthropic: it has no model `m-1`; check the model's name and the provider's address [Nothing]
                openai: it has no model `m-1`; check the model's name and the provider's address [Nothing]
                openai-compatible: it has no model `m-1`; check the model's name and the provider's address [Nothing]
                ollama: it has no model `m-1`; ollama pull m-1 [Nothing]
            413: the request is longer than the model takes; ask with less text, or choose a model with a longer context [Nothing]
            400: it rejects the request (status 400); check the model's name and the provider's address, or choose another provider [Nothing]
            400 too long: the request is longer than the model takes; ask with less text, or choose a model with a longer context [Nothing]
            429: it asks for fewer requests; try again later, or choose another provider [Nothing]
            500: it is overloaded or failing; try again later, or choose another provider [Nothing]
            504: it is overloaded or failing; try again later, or choose another provider [Unknown]
            529: it is overloaded or failing; try again later, or choose another provider [Nothing]
            200 with an error: it is overloaded or failing; try again later, or choose another provider [Unknown]
            200 with a strange error: its answer cannot be used: it reports an error we do not know; check the model's name and the provider's address, or choose another provider [Unknown]
        "#]],
    )
    .await;
}

#[tokio::test]
async fn a_vendor_may_say_when_to_come_back() {
    let limited = |line: &str| ServerAction::Answer(ScriptedReply::from_json(429, &Value::Null).with_header(line));
    let dated = ScriptedReply::from_json(529, &Value::Null)
        .with_header("date: Sun, 06 Nov 1994 08:49:37 GMT")
        .with_header("retry-after: Sun, 06 Nov 1994 08:51:07 GMT");
    let mut told = Vec::new();
    for act in [limited("retry-after: 7"), limited("retry-after: canary"), ServerAction::Answer(dated)] {
        let server = ScriptedServer::start_fixed(act).await;
        for dialect in dialects::ALL_DIALECTS {
            let generator = (dialect.generator)(connection(&server));
            let error = generator.generate(&sample_request()).await.expect_err("it is no answer");
            told.push(error.failure.retry_after().map(|wait| wait.as_secs()));
        }
    }
    let expected = [[Some(7); 4], [None; 4], [Some(90); 4]];
    assert_eq!(told, expected.concat());
}

#[tokio::test]
async fn what_breaks_on_the_way_is_told_from_what_never_left() {
    let page =
        ScriptedReply { status: 200, headers: vec!["content-type: text/html".to_owned()], body: b"<b>canary".into() };
    check(
        &[("a page", ServerAction::Answer(page)), ("a closed connection", ServerAction::Close)],
        expect![[r#"
            a page: its answer cannot be used: it is not JSON by its content type; check the model's name and the provider's address, or choose another provider [Unknown]
            a closed connection: 
                anthropic: it cannot be reached: the connection broke; try again later, or choose another provider [Unknown]
                openai: it cannot be reached: the connection broke; try again later, or choose another provider [Unknown]
                openai-compatible: it cannot be reached: the connection broke; try again later, or choose another provider [Unknown]
                ollama: it cannot be reached: the connection broke; is it running? try: ollama serve [Unknown]
        "#]],
    )
    .await;
}

#[tokio::test]
async fn nobody_there_costs_nothing() {
    let server = ScriptedServer::start_fixed(ServerAction::Close).await;
    let address = connection(&server);
    drop(server);
    for dialect in dialects::ALL_DIALECTS {
        let error =
            (dialect.generator)(address.clone()).generate(&sample_request()).await.expect_err("nobody is there");
        assert_eq!(error.to_string(), format!("cannot use {}: it cannot be reached: no connection", dialect.name));
        assert_eq!(error.spent, providers::FailureCost::Nothing);
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let inner = ScriptedServer::start_fixed(answer(200, &json!({}))).await;
    let moved =
        ScriptedReply::from_json(307, &Value::Null).with_header(format!("location: {}/v1/messages", inner.url()));
    check(&[("307", ServerAction::Answer(moved))], expect![[r#"
        307: its address is not allowed: it redirects, and redirects are not followed; check the provider's address in the settings [Nothing]
    "#]]).await;
    assert_eq!(inner.received_requests().len(), 0, "the other address saw nothing");
}

#[tokio::test]
async fn a_name_that_leads_to_this_machine_without_saying_so_is_refused() {
    // `localhost` in other words: the name of this machine, as its resolver knows it.
    let connection = VendorConnection {
        address: Address::parse("https://ip6-localhost/v1", NetworkReach::Private)
            .expect("a name is checked when it is used"),
        key: None,
    };
    for dialect in dialects::ALL_DIALECTS {
        let error =
            (dialect.generator)(connection.clone()).generate(&sample_request()).await.expect_err("it is refused");
        let text = error.failure.to_string();
        let known = [
            "its address is not allowed: its name leads to this machine",
            "it cannot be reached: its name cannot be resolved",
        ];
        assert!(known.contains(&text.as_str()), "{text}");
        assert_eq!(error.spent, providers::FailureCost::Nothing);
    }
}

#[tokio::test]
async fn a_probe_costs_nothing_and_finds_what_is_wrong() {
    let list = json!({ "models": [{ "name": "m-1:latest" }], "data": [{ "id": "m-1" }] });
    for (act, expected) in [
        (answer(200, &list), ["ok"; 4].map(str::to_owned)),
        (answer(200, &json!({})), ["ok", "ok", "ok", "it has no model `m-1`"].map(str::to_owned)),
        (answer(401, &error("x")), ["it does not accept the key"; 4].map(str::to_owned)),
        (answer(404, &error("x")), ["it has no model `m-1`"; 4].map(str::to_owned)),
    ] {
        let server = ScriptedServer::start_fixed(act).await;
        let mut told = Vec::new();
        for dialect in dialects::ALL_DIALECTS {
            let outcome = (dialect.generator)(connection(&server)).probe().await;
            told.push(outcome.map_or_else(|error| error.failure.to_string(), |()| "ok".to_owned()));
        }
        assert_eq!(told, expected);
        assert!(
            server.received_requests().iter().all(|seen| seen.line.starts_with("GET ")),
            "{:?}",
            server.received_requests()
        );
    }
}
