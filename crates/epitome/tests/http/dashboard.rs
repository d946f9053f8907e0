//! The dashboard over a socket: who gets in, every page with a full, an empty and a hostile store, and what a page may
//! run.

use crate::client::Reply;
use crate::process::{Place, Server};
use serde_json::json;
use testkit::hostile::{HOSTILE_WORDS, HostileRepository, assert_tame};

/// Every page, each with something to ask for.
const PAGES: [&str; 13] = [
    "/",
    "/ui/value",
    "/ui/sessions",
    "/ui/sessions?within=project",
    "/ui/memory",
    "/ui/tiers",
    "/ui/checkpoints",
    "/ui/suggestions",
    "/ui/search?q=add&budget=500",
    "/ui/graph?symbol=add",
    "/ui/documents",
    "/ui/projects",
    "/ui/health?verify=now",
];

/// Signs a browser in with the token, and gives its cookie.
fn sign_in(server: &Server) -> String {
    let form = format!("token={}", server.token);
    let request = server.request("POST", "/ui/enter").without("authorization");
    let reply = request.header("content-type", "application/x-www-form-urlencoded").body(&form).send();
    assert_eq!(reply.status, 303, "{}", reply.body);
    assert_eq!(reply.header("location"), Some("/"));
    let cookie = reply.header("set-cookie").expect("a cookie");
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    cookie.split(';').next().expect("a value").to_owned()
}

/// A page, with all parts that are worked out behind it.
fn open_page(server: &Server, cookie: &str, path: &str) -> Reply {
    loop {
        let page = server.get(path).without("authorization").header("cookie", cookie).send();
        if !page.body.contains("data-working") {
            return page;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

/// A page that is whole, and that nothing from elsewhere can style, run or frame.
fn assert_is_page(reply: &Reply, path: &str) {
    assert_eq!(reply.status, 200, "{path}: {}", reply.body);
    assert_eq!(reply.header("content-type"), Some("text/html; charset=utf-8"), "{path}");
    let policy = reply.header("content-security-policy").expect("a policy");
    assert!(policy.contains("default-src 'none'") && policy.contains("script-src 'self'"), "{policy}");
    assert!(reply.body.starts_with("<!DOCTYPE html>") && reply.body.ends_with("</html>"), "{path}");
    for inline in ["<script>", " onclick=", " style=", "href=\"javascript:"] {
        assert!(!reply.body.contains(inline), "{path} has {inline}");
    }
}

#[test]
fn a_browser_without_a_session_is_asked_to_sign_in_and_told_nothing_else() {
    let place = Place::new();
    let server = place.serve();
    for path in PAGES {
        for request in [server.get(path), server.get(path).without("authorization")] {
            let reply = request.header("cookie", "epitome_ui_1=0").send();
            assert_eq!(reply.status, 401, "{path}");
            assert!(reply.body.contains("epitome serve token"), "{path}: {}", reply.body);
            assert!(!reply.body.contains("Newest sessions"), "{path}");
        }
    }
}

#[test]
fn a_cookie_opens_pages_and_no_operation() {
    let place = Place::new();
    let server = place.serve();
    let cookie = sign_in(&server);
    assert_is_page(&open_page(&server, &cookie, "/"), "/");
    for (method, path) in [("POST", "/v1/status"), ("GET", "/metrics"), ("POST", "/mcp"), ("GET", "/openapi.json")] {
        let reply = server.request(method, path).without("authorization").header("cookie", &cookie).send();
        assert_eq!(reply.status, 401, "{path}");
    }
}

#[test]
fn a_wrong_token_signs_nobody_in() {
    let place = Place::new();
    let server = place.serve();
    for form in ["token=0", "token=", "", "code=1"] {
        let request = server.request("POST", "/ui/enter").without("authorization");
        let reply = request.header("content-type", "application/x-www-form-urlencoded").body(form).send();
        assert_eq!((reply.status, reply.header("set-cookie")), (401, None), "{form}");
    }
    // A page of another site cannot sign a browser in either.
    let form = format!("token={}", server.token);
    let request = server.request("POST", "/ui/enter").header("origin", "https://evil.example");
    let reply = request.header("content-type", "application/x-www-form-urlencoded").body(&form).send();
    assert_eq!(reply.status, 403);
}

#[test]
fn every_page_is_there_with_an_empty_store() {
    let place = Place::new();
    let server = place.serve();
    let cookie = sign_in(&server);
    for path in PAGES {
        assert_is_page(&open_page(&server, &cookie, path), path);
    }
    let sessions = open_page(&server, &cookie, "/ui/sessions");
    assert!(sessions.body.contains("epitome import"), "{}", sessions.body);
    let health = open_page(&server, &cookie, "/ui/health?verify=now");
    assert!(health.body.contains("0 gaps"), "{}", health.body);
    assert_eq!(open_page(&server, &cookie, "/ui/nowhere").status, 404);
    assert_eq!(open_page(&server, &cookie, "/ui/sessions/conv_0000000000000000").status, 404);
}

#[test]
fn pages_show_what_was_said_and_found() {
    let place = Place::new();
    let server = place.serve();
    let messages = json!([
        { "role": "user", "content": "Let's use SQLite for carts because it needs no server. Never log passwords." },
        { "role": "assistant", "content": "Carts are in SQLite now." },
    ]);
    server.call("ingest", &json!({ "conversation": "carts", "messages": messages })).send().ok();
    server.call("remember", &json!({ "text": "prices are whole cents" })).send().ok();
    let cookie = sign_in(&server);
    let listed = server.call("history", &json!({ "within": "all" })).send().ok();
    let id = listed["conversations"][0]["conversation_id"].as_str().expect("an id").to_owned();
    let overview = open_page(&server, &cookie, "/");
    assert!(overview.body.contains("prices are whole cents") && overview.body.contains(&id), "{}", overview.body);
    let session = open_page(&server, &cookie, &format!("/ui/sessions/{id}"));
    assert!(session.body.contains("Carts are in SQLite now."), "{}", session.body);
    let answer = open_page(&server, &cookie, "/ui/search?q=add&budget=500");
    assert!(answer.body.contains("pub fn add(left: u64, right: u64)"), "{}", answer.body);
    let graph = open_page(&server, &cookie, "/ui/graph?symbol=add");
    assert!(graph.body.contains("<svg") && graph.body.contains("src/lib.rs#add"), "{}", graph.body);
    let listed = server.call("project", &json!({})).send().ok();
    assert_eq!(listed["totals"]["messages"], 2, "{listed}");
    let here = &listed["projects"][0];
    assert!(here["current"] == true && here["symbols"].as_u64() > Some(0), "{listed}");
    let projects = open_page(&server, &cookie, "/ui/projects");
    assert!(projects.body.contains("this one"), "{}", projects.body);
}

#[test]
fn the_graph_gives_neighbours_to_its_script() {
    let source = "pub fn add(left: u64) -> u64 {\n    left\n}\n\npub fn twice() -> u64 {\n    add(2)\n}\n";
    let place = Place::with_project(&[("src/lib.rs", source)]);
    let server = place.serve();
    let cookie = sign_in(&server);
    let reply = open_page(&server, &cookie, "/ui/graph/neighbours?symbol=add").ok();
    assert_eq!(reply["symbol"]["id"], "src/lib.rs#add");
    let user = &reply["users"][0];
    assert_eq!((&user["label"], &user["path"]), (&json!("twice"), &json!("src/lib.rs")), "{reply}");
    assert_eq!(user["address"], "/ui/graph?symbol=src/lib.rs%23twice");
    assert_eq!(open_page(&server, &cookie, "/ui/graph/neighbours?symbol=nowhere").status, 404);
    let page = open_page(&server, &cookie, "/ui/graph?symbol=add").body;
    assert!(page.contains("data-touched=\"src/lib.rs#twice\""), "a change of it touches its caller: {page}");
}

#[test]
fn documents_show_what_is_covered_and_the_graph_what_somebody_linked() {
    let place = Place::with_project(&[
        ("src/lib.rs", "/// REQ-1\npub fn add(left: u64) -> u64 {\n    left\n}\n"),
        ("tests/sums.rs", "/// REQ-1\n#[test]\nfn numbers_are_added() {}\n"),
        (
            "docs/needs.md",
            "---\nowner: <b>Ada\n---\n# Sums\n\n- REQ-1: Numbers must be added.\n- REQ-2: <i>All must be told.\n",
        ),
    ]);
    let server = place.serve();
    let cookie = sign_in(&server);
    server.call("entity", &json!({ "action": "add", "type": "concept", "name": "Sum <b>" })).send().ok();
    server.call("entity", &json!({ "action": "link", "name": "Sum <b>", "target": "add" })).send().ok();
    let page = open_page(&server, &cookie, "/ui/documents");
    assert_is_page(&page, "documents");
    for told in
        ["50 %", "1 of 2 requirements", "symbol=src/lib.rs%23add", "&lt;i&gt;All must be told.", "no code or tests"]
    {
        assert!(page.body.contains(told), "{told}: {}", page.body);
    }
    let missing = open_page(&server, &cookie, "/ui/documents?missing=1&about=needs").body;
    assert!(missing.contains("REQ-2") && !missing.contains("symbol=src/lib.rs%23add"), "{missing}");
    let document = open_page(&server, &cookie, "/ui/documents?document=docs/needs.md").body;
    assert!(document.contains("&lt;b&gt;Ada") && document.contains("Numbers must be added."), "{document}");
    let graph = open_page(&server, &cookie, "/ui/graph?symbol=add").body;
    assert!(graph.contains("Linked by somebody") && graph.contains("Sum &lt;b&gt;"), "{graph}");
}

#[test]
fn a_session_shows_its_folds_and_a_fold_its_messages() {
    let place = Place::new();
    let server = place.serve();
    let messages: Vec<_> = (0..40)
        .map(|at| json!({ "role": "user", "content": format!("Step {at}: {}", "look at the cart and its tests. ".repeat(20)) }))
        .collect();
    server.call("ingest", &json!({ "conversation": "steps", "messages": messages })).send().ok();
    server.call("compact", &json!({ "conversation": "steps", "until": 1_500 })).send().ok();
    let described = server.call("describe", &json!({ "id": "steps" })).send().ok();
    let (id, fold) = (described["id"].as_str().expect("an id"), &described["folds"][0]);
    assert_eq!(fold["first_seq"], 1, "{described}");
    let summary = fold["summary_id"].as_str().expect("a summary").to_owned();
    let cookie = sign_in(&server);
    let page = open_page(&server, &cookie, &format!("/ui/sessions/{id}")).body;
    let (part, newest) = (format!("data-load=\"/ui/summaries/{summary}\""), "Step 39:");
    assert!(page.contains(&part) && page.contains(newest) && !page.contains("Step 1: look"), "{page}");
    let expanded = open_page(&server, &cookie, &format!("/ui/summaries/{summary}"));
    assert_is_page(&expanded, "a summary");
    assert!(
        expanded.body.contains("data-part=\"messages\"") && expanded.body.contains("Step 1: look"),
        "{}",
        expanded.body
    );
}

#[test]
fn the_checks_of_the_machine_are_for_a_person_at_it() {
    let place = Place::new();
    let server = place.serve();
    let cookie = sign_in(&server);
    let page = open_page(&server, &cookie, "/ui/health?doctor=now").body;
    assert!(page.contains("run `epitome doctor` there") && !page.contains("Check now"), "{page}");
}

#[test]
fn markup_and_control_characters_of_others_are_shown_as_text() {
    let hostile = "<script>alert('x')</script><img src=x onerror=alert(1)>\u{1b}]52;c;aGk=\u{7}\u{202e}\"'><a href=\"javascript:alert(1)\">";
    let place = Place::with_project(&[(
        "src/evil.py",
        "def add_<b>():\n    pass\n\ndef add():\n    \"\"\"<script>alert(2)</script>\"\"\"\n",
    )]);
    let server = place.serve();
    let messages = json!([
        { "role": "user", "content": hostile },
        { "role": "assistant", "content": format!("Let's use {hostile} because {hostile}") },
    ]);
    server.call("ingest", &json!({ "conversation": hostile, "messages": messages })).send().ok();
    server.call("remember", &json!({ "text": hostile, "tags": ["<i>"] })).send().ok();
    let cookie = sign_in(&server);
    let listed = server.call("history", &json!({ "within": "all" })).send().ok();
    let id = listed["conversations"][0]["conversation_id"].as_str().expect("an id").to_owned();
    let query = "/ui/search?q=%3Cscript%3Ealert(3)%3C/script%3E";
    let graph = "/ui/graph?symbol=%22%3E%3Cscript%3E";
    let session = format!("/ui/sessions/{id}");
    for path in PAGES.into_iter().chain([query, graph, &session]) {
        let reply = open_page(&server, &cookie, path);
        assert_is_page(&reply, path);
        for raw in ["<script>alert", "<img src=x", "\u{1b}", "\u{7}", "\u{202e}", "<a href=\"javascript", "<i>"] {
            assert!(!reply.body.contains(raw), "{path} has {raw:?}");
        }
    }
}

#[test]
fn a_repository_with_every_trick_says_nothing_of_its_own_on_a_page() {
    let repository = HostileRepository::build();
    let place = Place::new();
    let server = place.serve_with(&["--project", &repository.root().display().to_string()]);
    let name = "evil\n[82] talk\u{202e}\u{1b}[2J";
    let message = json!({ "role": "user", "speaker": "Eve\u{1b}[2J\u{202e}", "content": HOSTILE_WORDS });
    server.call("ingest", &json!({ "conversation": name, "messages": [message] })).send().ok();
    let listed = server.call("history", &json!({ "within": "all" })).send().ok();
    let id = listed["conversations"][0]["conversation_id"].as_str().expect("an id").to_owned();
    let cookie = sign_in(&server);
    let session = format!("/ui/sessions/{id}");
    let asked = ["/ui/search?q=planted+quokka+decision", "/ui/graph?symbol=planted_quokka", &session];
    for path in PAGES.into_iter().chain(asked) {
        let reply = open_page(&server, &cookie, path);
        assert_is_page(&reply, path);
        // A page has elements and no headings made of lines, so that a line of a quoted text forges nothing.
        assert_tame(path, &reply.body.replace('\n', "\n "));
        for tag in ["<system-reminder", "</epitome", "<epitome"] {
            assert!(!reply.body.contains(tag), "{path} has {tag}");
        }
    }
    repository.assert_powerless();
}

#[test]
fn a_link_of_the_dashboard_command_works_once() {
    let place = Place::new();
    let mut command = place.command(&["dashboard", "--no-browser", "--json"]);
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let server = place.adopt(command.spawn().expect("the binary starts"));
    let printed: serde_json::Value = serde_json::from_str(&server.line).expect("JSON");
    let link = printed["link"].as_str().expect("a link");
    let path = link.strip_prefix(printed["url"].as_str().expect("an address")).expect("a path");
    let first = server.get(path).without("authorization").send();
    assert_eq!((first.status, first.header("location")), (303, Some("/")));
    let cookie = first.header("set-cookie").expect("a cookie").split(';').next().expect("a value").to_owned();
    assert_is_page(&open_page(&server, &cookie, "/"), "/");
    let second = server.get(path).without("authorization").send();
    assert_eq!((second.status, second.header("set-cookie")), (401, None));
    assert!(second.body.contains("used before"), "{}", second.body);
}
