//! Servers that fold by themselves: several on one database, one of them killed, and what is counted.

use crate::process::{Place, Server};
use crate::tenants::place;
use serde_json::{Value, json};
use std::io::Write as _;
use std::process::Stdio;
use std::time::{Duration, Instant};
use testkit::postgres::PostgresCluster;

/// Lines of a working day, from one step to another.
fn lines(steps: std::ops::Range<usize>) -> String {
    let work = "I read the loader and changed how it waits for its files, because the old way was slow. ".repeat(8);
    let step = |number: usize| {
        let asked =
            json!({ "role": "user", "id": format!("u{number}"), "content": format!("Please do step {number}.") });
        let done =
            json!({ "role": "assistant", "id": format!("a{number}"), "content": format!("Step {number}. {work}") });
        format!("{asked}\n{done}\n")
    };
    steps.map(step).collect()
}

fn ingest(place: &Place, conversation: &str, lines: &str) {
    let mut command = place.command(&["ingest", "--conversation", conversation]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("the binary starts");
    child.stdin.take().expect("a pipe").write_all(lines.as_bytes()).expect("it listens");
    assert!(child.wait().expect("it ends").success());
}

fn called(server: &Server, operation: &str, params: &Value) -> Value {
    server.call(operation, params).send().ok()
}

/// Waits until the context of the conversation has no more messages than so many.
fn folded_to(server: &Server, most: u64) -> Value {
    let ask = || called(server, "describe", &json!({ "id": "work" }));
    wait_for("nobody folds", ask, |now| now["active_messages"].as_u64() <= Some(most))
}

/// Asks until the answer is as wanted.
fn wait_for<T: std::fmt::Debug>(otherwise: &str, ask: impl Fn() -> T, is_wanted: impl Fn(&T) -> bool) -> T {
    let started = Instant::now();
    loop {
        let now = ask();
        if is_wanted(&now) {
            return now;
        }
        // Who was killed while it folded had a lease, which ends after seconds; the rest is for slow machines.
        assert!(started.elapsed() < Duration::from_mins(2), "{otherwise}: {now:?}");
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// Servers that fold soon, and in small chunks.
fn hurried(place: Place) -> Place {
    let place = place.variable("LCM_CONTEXT_THRESHOLD", "0.01").variable("LCM_FRESH_TAIL_COUNT", "4");
    place.variable("LCM_LEAF_CHUNK_TOKENS", "1500").variable("LCM_LEAF_TARGET_TOKENS", "200")
}

#[test]
fn of_several_servers_on_one_database_one_is_killed_and_another_folds_on() {
    let cluster = PostgresCluster::start();
    let place = hurried(place(&cluster));
    ingest(&place, "work", &lines(0..40));
    let first = place.serve();
    let second = place.serve();
    let before = folded_to(&first, 8);
    assert!(before["summaries"].as_array().is_some_and(|summaries| !summaries.is_empty()), "{before}");
    drop(first);
    ingest(&place, "work", &lines(0..80));
    let after = folded_to(&second, 8);
    assert_eq!(after["messages"], 160, "what was known is known");
    // A run is counted when it has ended, a little after its last fold is seen.
    let counted = || second.get("/metrics").send().body;
    wait_for("nothing is counted", counted, |counted| counted.contains("lcm_compaction_runs_total "));
    let certificate = called(&second, "verify", &json!({}));
    assert_eq!((&certificate["ok"], &certificate["messages"]), (&json!(true), &json!(160)), "{certificate}");
    assert_eq!(called(&second, "repair", &json!({ "dry_run": true }))["problems"], json!([]));
}

#[test]
fn everything_that_is_counted_has_the_name_it_always_had() {
    let place = hurried(Place::new()).variable("LCM_AUTOCOMPACT_DISABLED", "true");
    ingest(&place, "work", &lines(0..40));
    // A byte that changed on disk is what the certificate is for; nothing else is kept from working by it.
    ingest(&place, "other", &lines(99..100));
    let path = place.home.path().join("data/epitome.db");
    let mut bytes = fs_err::read(&path).expect("the database");
    let words = b"Please do step 99.";
    // Pages keep old copies of rows.
    let places: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at..].starts_with(words)).collect();
    assert!(!places.is_empty(), "the words are there");
    for at in places {
        bytes[at] = b'p';
    }
    fs_err::write(&path, bytes).expect("our own file");
    let server = place.serve();
    let run = called(&server, "compact", &json!({ "conversation": "work" }))["runs"][0].clone();
    let summary = run["folded"][0]["summary_id"].clone();
    called(&server, "assemble", &json!({ "conversation": "work" }));
    called(&server, "expand", &json!({ "id": summary }));
    called(&server, "grep", &json!({ "pattern": "step" }));
    let refused = server.call("history", &json!({ "conversation": "other" })).send();
    assert!(refused.status == 500 && refused.body.contains(r#""code":"damaged""#), "{}", refused.body);
    let certificate = server.call("verify", &json!({})).send().body;
    assert!(certificate.contains(r#""ok":false"#), "{certificate}");
    let counted = server.get("/metrics").send().body;
    for name in [
        "lcm_context_tokens_total ",
        "lcm_compaction_runs_total 1",
        "lcm_summaries_created_total{kind=\"leaf\"} ",
        "lcm_expand_latency_ms_count 1",
        "lcm_search_latency_ms_count 1",
        "lcm_integrity_failures_total 1",
    ] {
        assert!(counted.lines().any(|line| line.starts_with(name)), "{name}: {counted}");
    }
}
