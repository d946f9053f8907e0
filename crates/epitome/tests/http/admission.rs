//! Who gets in: tokens, names, origins.

use crate::process::Place;
use expect_test::expect;

#[test]
fn without_the_token_nothing_is_told() {
    let place = Place::new();
    let server = place.serve();
    let missing = expect![[
        r#"401 {"error":{"code":"not_authorised","message":"the request carries no bearer token","hint":"send the header `Authorization: Bearer TOKEN`; `epitome serve token` prints the token"}}"#
    ]];
    let wrong = expect![[
        r#"401 {"error":{"code":"not_authorised","message":"the bearer token is not one of this server's","hint":"send the header `Authorization: Bearer TOKEN`; `epitome serve token` prints the token"}}"#
    ]];
    for (method, path) in [
        ("POST", "/v1/status"),
        ("POST", "/v1/no-such-operation"),
        ("GET", "/metrics"),
        ("GET", "/openapi.json"),
        ("GET", "/nowhere"),
        ("POST", "/mcp"),
        ("GET", "/mcp"),
    ] {
        let reply = server.request(method, path).without("authorization").send();
        missing.assert_eq(&reply.shown());
        assert_eq!(reply.header("www-authenticate"), Some("Bearer"));
        let basic = server.request(method, path).header("authorization", "Basic YTpi").send();
        missing.assert_eq(&basic.shown());
        let longer = format!("Bearer {}0", server.token);
        for value in ["Bearer", "Bearer ", "Bearer 0", &longer, "Bearer \u{e9}"] {
            let reply = server.request(method, path).header("authorization", value).send();
            assert_eq!(reply.status, 401, "{value}");
            assert_eq!(reply.header("www-authenticate"), Some("Bearer"));
        }
        wrong.assert_eq(&server.request(method, path).header("authorization", &longer).send().shown());
    }
    let lower = format!("bearer {}", server.token);
    assert_eq!(server.request("POST", "/v1/status").header("authorization", &lower).send().status, 200);
}

#[test]
fn health_needs_no_token_and_tells_no_more_than_health() {
    let place = Place::new();
    let server = place.serve();
    let reply = server.get("/health").without("authorization").send();
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(reply.shown(), format!(r#"200 {{"status":"ok","version":"{version}"}}"#));
}

#[test]
fn a_name_that_is_not_ours_is_refused_at_every_path() {
    let place = Place::new();
    let server = place.serve();
    let port = server.address.port();
    for (method, path) in [("POST", "/v1/status"), ("GET", "/health"), ("GET", "/metrics"), ("POST", "/mcp")] {
        let rebound = format!("evil.example:{port}");
        let reply = server.request(method, path).header("host", &rebound).send();
        let expected = format!(
            r#"403 {{"error":{{"code":"host_not_allowed","message":"cannot answer for host `{rebound}`: it is not one of this server's names","hint":"if the name is yours, add it to server.allowed_hosts"}}}}"#
        );
        assert_eq!(reply.shown(), expected);
        for host in ["127.0.0.1", "localhost:1", "", &format!("127.0.0.1.evil.example:{port}")] {
            assert_eq!(server.request(method, path).header("host", host).send().status, 403, "{host}");
        }
    }
    for host in ["localhost", "LOCALHOST", "[::1]"] {
        let reply = server.request("POST", "/v1/status").header("host", &format!("{host}:{port}")).send();
        assert_eq!(reply.status, 200, "{host}");
    }
}

#[test]
fn a_page_of_another_origin_is_refused_even_with_the_token() {
    let place = Place::new();
    let server = place.serve();
    let port = server.address.port();
    for (method, path) in [("POST", "/v1/status"), ("GET", "/health"), ("OPTIONS", "/v1/status"), ("POST", "/mcp")] {
        let reply = server.request(method, path).header("origin", "https://evil.example").send();
        expect![[r#"403 {"error":{"code":"origin_not_allowed","message":"cannot answer a page of origin `https://evil.example`: it is not an allowed one","hint":"if the page is yours, add its origin to server.allowed_origins"}}"#]]
            .assert_eq(&reply.shown());
        assert_eq!(reply.header("access-control-allow-origin"), None);
        for origin in ["null", "http://localhost", "https://localhost:1", ""] {
            assert_eq!(server.request(method, path).header("origin", origin).send().status, 403, "{origin}");
        }
    }
    let own = server.request("POST", "/v1/status").header("origin", &format!("http://localhost:{port}")).send();
    assert_eq!(own.status, 200);
    assert_eq!(own.header("access-control-allow-origin"), None);
}

#[test]
fn names_and_origins_of_the_configuration_are_answered() {
    let place = Place::new()
        .variable("EPITOME_SERVER_ALLOWED_HOSTS", "proxy.example")
        .variable("EPITOME_SERVER_ALLOWED_ORIGINS", "https://app.example");
    let server = place.serve();
    let request = || server.request("POST", "/v1/status").header("host", "proxy.example");
    assert_eq!(request().send().status, 200);
    assert_eq!(request().header("origin", "https://app.example").send().status, 200);
    assert_eq!(request().header("origin", "https://app.example:8443").send().status, 403);
    assert_eq!(request().header("host", "proxy.example.evil.example").send().status, 403);
}

#[test]
fn every_reply_forbids_guessing_and_keeping() {
    let place = Place::new();
    let server = place.serve();
    let replies = [
        server.request("POST", "/v1/status").send(),
        server.request("POST", "/v1/status").without("authorization").send(),
        server.request("POST", "/v1/status").header("host", "evil.example").send(),
        server.get("/health").send(),
        server.get("/metrics").send(),
        server.get("/nowhere").send(),
    ];
    for reply in replies {
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"), "{reply:?}");
        assert_eq!(reply.header("cache-control"), Some("no-store"), "{reply:?}");
    }
}
