//! Tests of the `Host` and `Origin` allow lists: which requests pass and which are refused.

use super::*;
use axum::body::Body;

fn allowed(address: &str, hosts: &[&str], origins: &[&str]) -> Result<RequestGuard, AppError> {
    let settings = Settings {
        address: address.parse().expect("an address"),
        allowed_hosts: hosts.iter().map(|&host| host.to_owned()).collect(),
        allowed_origins: origins.iter().map(|&origin| origin.to_owned()).collect(),
        max_body_bytes: 1,
    };
    RequestGuard::new(settings.address, &settings)
}

fn check(allowed: &RequestGuard, target: &str, headers: &[(&str, &str)], expected: Result<(), &str>) {
    let mut request = Request::builder().uri(target);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Body::empty()).expect("a request");
    let passed = allowed.check_request(&request).map_err(|refusal| refusal.code());
    assert_eq!(passed, expected, "{target} {headers:?}");
}

const HOST: Result<(), &str> = Err("host_not_allowed");
const ORIGIN: Result<(), &str> = Err("origin_not_allowed");

#[test]
fn only_our_own_names_and_ports_are_answered() {
    let list = allowed("127.0.0.1:8787", &["Proxy.example", "team.example:443"], &[]).expect("a list");
    let rows = [
        ("localhost:8787", Ok(())),
        ("LocalHost:8787", Ok(())),
        ("127.0.0.1:8787", Ok(())),
        ("[::1]:8787", Ok(())),
        ("localhost", HOST),
        ("localhost:80", HOST),
        ("localhost:8787.evil.example", HOST),
        ("evil.example:8787", HOST),
        ("localhost.evil.example:8787", HOST),
        ("user@localhost:8787", HOST),
        ("127.0.0.2:8787", HOST),
        ("::1", HOST),
        ("", HOST),
        ("proxy.example", Ok(())),
        ("proxy.example:1234", Ok(())),
        ("team.example:443", Ok(())),
        ("team.example", HOST),
        ("team.example:8443", HOST),
    ];
    for (host, expected) in rows {
        check(&list, "/v1/status", &[("host", host)], expected);
    }
    check(&list, "/v1/status", &[], HOST);
    check(&list, "/v1/status", &[("host", "localhost:8787"), ("host", "localhost:8787")], HOST);
    check(&list, "http://evil.example/v1/status", &[("host", "localhost:8787")], HOST);
    check(&list, "http://localhost:8787/v1/status", &[("host", "localhost:8787")], Ok(()));
}

#[test]
fn the_address_we_listen_on_is_one_of_our_names() {
    check(&allowed("10.0.0.7:80", &[], &[]).expect("a list"), "/", &[("host", "10.0.0.7")], Ok(()));
    check(&allowed("[fe80::7]:80", &[], &[]).expect("a list"), "/", &[("host", "[fe80::7]:80")], Ok(()));
    check(&allowed("0.0.0.0:80", &[], &[]).expect("a list"), "/", &[("host", "0.0.0.0")], HOST);
}

#[test]
fn only_pages_of_our_own_origin_may_call() {
    let list = allowed("127.0.0.1:8787", &[], &["https://App.example/", "http://dev.example:3000"]).expect("a list");
    let rows = [
        ("http://localhost:8787", Ok(())),
        ("http://127.0.0.1:8787", Ok(())),
        ("http://[::1]:8787", Ok(())),
        ("https://app.example", Ok(())),
        ("https://app.example:443", Ok(())),
        ("http://dev.example:3000", Ok(())),
        ("https://localhost:8787", ORIGIN),
        ("http://localhost:3000", ORIGIN),
        ("http://localhost", ORIGIN),
        ("http://app.example", ORIGIN),
        ("https://evil.example", ORIGIN),
        ("http://localhost:8787@evil.example", ORIGIN),
        ("null", ORIGIN),
        ("", ORIGIN),
    ];
    for (origin, expected) in rows {
        check(&list, "/", &[("host", "localhost:8787"), ("origin", origin)], expected);
    }
}

#[test]
fn an_origin_that_is_none_is_refused_at_the_start() {
    for text in ["app.example", "*", "ftp://app.example", "https://app.example/path", "null"] {
        let problem = allowed("127.0.0.1:8787", &[], &[text]).expect_err("not an origin");
        let expected = format!("cannot use `{text}` of server.allowed_origins: it is not a web origin");
        assert_eq!(problem.message, expected);
    }
}

#[test]
fn the_sdk_gets_names_without_ports_and_origins_with_them() {
    let list = allowed("[::1]:8787", &["team.example:443"], &["https://app.example"]).expect("a list");
    assert_eq!(list.host_names(), ["localhost", "127.0.0.1", "[::1]", "team.example"]);
    let origins = ["http://localhost:8787", "http://127.0.0.1:8787", "http://[::1]:8787", "https://app.example:443"];
    assert_eq!(list.allowed_origins(), origins);
}
