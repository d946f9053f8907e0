//! What a request may carry, and what is said of one that carries something else.

use crate::process::{Place, Server};
use expect_test::{Expect, expect};

fn check(server: &Server, path: &str, body: &str, expected: &Expect) {
    let reply = server.request("POST", path).json(body).send();
    assert_eq!(reply.header("content-type"), Some("application/json"));
    expected.assert_eq(&reply.shown());
}

#[test]
fn malformed_json_is_refused_with_its_place() {
    let place = Place::new();
    let server = place.serve();
    let check = |body: &str, expected: Expect| check(&server, "/v1/search", body, &expected);
    check(
        "{\n  \"query\": add\n}",
        expect![[
            r#"400 {"error":{"code":"malformed_json","message":"cannot read the body as JSON: expected value at line 2 column 12","hint":null}}"#
        ]],
    );
    check(
        "{\"query\": \"add\"",
        expect![[
            r#"400 {"error":{"code":"malformed_json","message":"cannot read the body as JSON: EOF while parsing an object at line 1 column 15","hint":null}}"#
        ]],
    );
    check(
        "{} {}",
        expect![[
            r#"400 {"error":{"code":"malformed_json","message":"cannot read the body as JSON: trailing characters at line 1 column 4","hint":null}}"#
        ]],
    );
    check(
        &"[".repeat(500),
        expect![[
            r#"400 {"error":{"code":"malformed_json","message":"cannot read the body as JSON: recursion limit exceeded at line 1 column 128","hint":null}}"#
        ]],
    );
}

#[test]
fn parameters_that_do_not_fit_are_refused_by_name() {
    let place = Place::new();
    let server = place.serve();
    let check = |path: &str, body: &str, expected: Expect| check(&server, path, body, &expected);
    check(
        "/v1/search",
        r#"{"query":"add","limt":3}"#,
        expect![[
            r#"400 {"error":{"code":"invalid_parameters","message":"unknown field `limt`, expected one of `query`, `related`, `limit`, `explain`, `strategy`, `expand`, `hyde`, `preview`, `format`, `threshold`, `projects`","hint":null}}"#
        ]],
    );
    check(
        "/v1/search",
        r#"{"limit":3}"#,
        expect![[
            r#"400 {"error":{"code":"invalid_parameter","message":"`query` has no word to look for: write at least one letter or digit","hint":null}}"#
        ]],
    );
    check(
        "/v1/search",
        r#"{"query":"add","limit":"3"}"#,
        expect![[
            r#"400 {"error":{"code":"invalid_parameters","message":"`limit`: invalid type: string \"3\", expected a whole number","hint":null}}"#
        ]],
    );
    check(
        "/v1/search",
        r#"["add",3]"#,
        expect![[
            r#"400 {"error":{"code":"invalid_parameters","message":"cannot use a list as parameters: expected a JSON object","hint":null}}"#
        ]],
    );
    check(
        "/v1/read",
        r#"{"targets":["../secret"]}"#,
        expect![[
            r#"400 {"error":{"code":"outside_project","message":"`../secret` is outside of the project","hint":"name a path inside the project, or choose another project with --project"}}"#
        ]],
    );
    check(
        "/v1/history",
        r#"{"conversation":"none"}"#,
        expect![[
            r#"404 {"error":{"code":"not_found","message":"conversation `none` does not exist","hint":"epitome history lists them; epitome import and epitome ingest add to them"}}"#
        ]],
    );
}

#[test]
fn an_unknown_operation_gets_the_nearest_name() {
    let place = Place::new();
    let server = place.serve();
    let check = |path: &str, expected: Expect| check(&server, path, "{}", &expected);
    check(
        "/v1/serach",
        expect![[
            r#"404 {"error":{"code":"unknown_operation","message":"there is no operation `serach`","hint":"did you mean `search`?"}}"#
        ]],
    );
    check(
        "/v1/xyz",
        expect![[
            r#"404 {"error":{"code":"unknown_operation","message":"there is no operation `xyz`","hint":"GET /openapi.json lists the operations"}}"#
        ]],
    );
    check(
        "/v1/search/more",
        expect![[
            r#"404 {"error":{"code":"not_found","message":"there is nothing at /v1/search/more","hint":"operations are at /v1/NAME; GET /openapi.json describes them"}}"#
        ]],
    );
    check(
        "/v1/%ff",
        expect![[
            r#"404 {"error":{"code":"unknown_operation","message":"there is no operation `%ff`","hint":"GET /openapi.json lists the operations"}}"#
        ]],
    );
}

#[test]
fn a_wrong_method_is_refused_with_the_right_one() {
    let place = Place::new();
    let server = place.serve();
    let check = |method: &str, path: &str, allow: &str, expected: Expect| {
        let reply = server.request(method, path).send();
        assert_eq!(reply.header("allow"), Some(allow));
        expected.assert_eq(&reply.shown());
    };
    check(
        "GET",
        "/v1/status",
        "POST",
        expect![[
            r#"405 {"error":{"code":"wrong_method","message":"cannot GET /v1/status: it takes POST","hint":null}}"#
        ]],
    );
    check(
        "DELETE",
        "/health",
        "GET,HEAD",
        expect![[
            r#"405 {"error":{"code":"wrong_method","message":"cannot DELETE /health: it takes GET","hint":null}}"#
        ]],
    );
    check(
        "POST",
        "/metrics",
        "GET,HEAD",
        expect![[
            r#"405 {"error":{"code":"wrong_method","message":"cannot POST /metrics: it takes GET","hint":null}}"#
        ]],
    );
}

#[test]
fn a_body_of_another_type_is_refused() {
    let place = Place::new();
    let server = place.serve();
    let request = || server.request("POST", "/v1/search").body(r#"{"query":"add"}"#);
    expect![[r#"415 {"error":{"code":"not_json","message":"cannot take `text/plain`: parameters are JSON","hint":"send `content-type: application/json`"}}"#]]
        .assert_eq(&request().header("content-type", "text/plain").send().shown());
    expect![[r#"415 {"error":{"code":"not_json","message":"cannot take a body without a content type: parameters are JSON","hint":"send `content-type: application/json`"}}"#]]
        .assert_eq(&request().send().shown());
    assert_eq!(request().header("content-type", "Application/JSON; charset=utf-8").send().status, 200);
}

#[test]
fn no_body_means_no_parameters() {
    let place = Place::new();
    let server = place.serve();
    let empty = server.request("POST", "/v1/status").send();
    assert_eq!(empty.ok(), server.call("status", &serde_json::json!({})).send().ok());
}

#[test]
fn a_body_over_the_limit_is_refused_announced_or_not() {
    let place = Place::new().variable("EPITOME_SERVER_MAX_BODY_BYTES", "1000");
    let server = place.serve();
    let body = |length: usize| format!("{:<length$}", r#"{"query":"add"}"#);
    assert_eq!(server.request("POST", "/v1/search").json(&body(1000)).send().status, 200);
    let expected = expect![[
        r#"413 {"error":{"code":"body_too_large","message":"cannot take the body: it is longer than 1000 bytes","hint":"send less at once, or raise server.max_body_bytes"}}"#
    ]];
    for path in ["/v1/search", "/mcp"] {
        expected.assert_eq(&server.request("POST", path).json(&body(1001)).send().shown());
        let chunked = format!("{:x}\r\n{}\r\n0\r\n\r\n", 1001, body(1001));
        let request = server.request("POST", path).json(&chunked).without("content-length");
        expected.assert_eq(&request.header("transfer-encoding", "chunked").send().shown());
    }
}
