//! Work that takes time: progress where it was asked for, a wish to stop, and hanging up.

use crate::process::{ERAS, Era, Place, quiet};
use serde_json::{Value, json};

/// A project of so many files that it is indexed in several batches.
pub(crate) fn large(files: u32) -> Place {
    let files: Vec<(String, String)> =
        (0..files).map(|n| (format!("src/a{n}.rs"), format!("fn f{n}() {{}}\n"))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    Place::with_project(&files)
}

#[test]
fn indexing_reports_growing_progress_before_it_answers() {
    let place = large(4_500);
    for (era, token) in [(Era::Handshake("2025-11-25"), json!("token")), (Era::Stateless, json!(17))] {
        let mut session = place.open("full", era);
        let params = json!({ "name": "index", "arguments": { "rebuild": true }, "_meta": { "progressToken": token } });
        let id = session.request("tools/call", params);
        let mut done = Vec::new();
        let response = loop {
            let message = session.hear();
            if message["id"] == id {
                break message;
            }
            assert_eq!(message["method"], "notifications/progress", "{message}");
            assert_eq!(message["params"]["progressToken"], token, "{message}");
            done.push(message["params"]["progress"].as_f64().expect("a number"));
            let last = message["params"].clone();
            assert!(last["total"].as_f64().is_none_or(|total| total >= done[done.len() - 1]), "{message}");
        };
        assert_eq!(response["result"]["structuredContent"]["files"], 4_500, "{response}");
        assert!(done.windows(2).all(|pair| pair[0] < pair[1]), "{done:?}");
        // Each file is parsed, then its uses are followed.
        assert_eq!(done.last(), Some(&9_000.0), "{era:?}");
        assert_eq!(session.end(), quiet(), "{era:?}");
    }
}

#[test]
fn nothing_is_reported_to_a_client_that_did_not_ask() {
    let place = Place::new();
    let mut session = place.open("full", Era::Stateless);
    // `call` fails if anything but the response comes.
    assert_eq!(session.call("index", json!({}))["structuredContent"]["files"], 2);
    assert_eq!(session.end(), quiet());
}

#[test]
fn a_cancelled_call_stops_its_work_and_is_not_answered() {
    for era in ERAS {
        let place = large(4_500);
        let mut session = place.open("full", era);
        let id = session.request("tools/call", json!({ "name": "index", "arguments": {} }));
        session.tell(&json!({
            "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id, "reason": "enough" },
        }));
        // The server waits for its work before it ends, so whatever was not stopped is done by then.
        assert_eq!(session.end(), quiet(), "{era:?}");
        let status = place.open("full", era).call("status", json!({}));
        assert_eq!(status["structuredContent"]["index_ready"], Value::Bool(false), "{era:?} {status}");
    }
}

#[test]
fn hanging_up_ends_the_server_after_what_was_asked() {
    let place = Place::new();
    assert_eq!(place.start("core").end(), quiet());
    for era in ERAS {
        let mut session = place.open("full", era);
        let id = session.request("tools/call", json!({ "name": "status", "arguments": {} }));
        let ended = session.end();
        let answers: Vec<Value> = ended.unheard.iter().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert_eq!(answers.iter().map(|answer| &answer["id"]).collect::<Vec<_>>(), [&json!(id)], "{era:?}");
        assert_eq!((ended.status, ended.talk.as_str()), (Some(0), ""), "{era:?}");
    }
}
