//! Equal requests to equal state get equal bytes: no times, no chances, no order that varies.

use crate::process::{ERAS, Era, Place, quiet};
use serde_json::{Value, json};

fn transcript(place: &Place, era: Era) -> Vec<String> {
    let mut session = place.open("full", era);
    let messages = json!([{ "role": "user", "content": "the port is 8080", "at": "2026-01-02T03:04:05Z" }]);
    let calls: [(&str, Value); 10] = [
        ("index", json!({})),
        ("search", json!({ "query": "password" })),
        ("context", json!({ "query": "which port does the server listen on" })),
        ("read", json!({ "targets": ["notes.md", "src/session.rs#check_password"], "mode": "map" })),
        ("ingest", json!({ "conversation": "a", "messages": messages })),
        ("history", json!({ "conversation": "a" })),
        ("recall", json!({ "query": "which port?" })),
        ("grep", json!({ "pattern": "port" })),
        ("status", json!({})),
        ("verify", json!({})),
    ];
    session.ask("tools/list", json!({}));
    for (tool, arguments) in calls {
        let result = session.call(tool, arguments);
        assert_eq!(result["isError"], false, "{tool}: {result}");
    }
    let heard = session.heard.iter().map(|line| without_times(line)).collect();
    assert_eq!(session.end(), quiet());
    heard
}

/// A line without the times at which the last message was stored and the index was made: they are part of the state, and
/// differ between two runs.
fn without_times(line: &str) -> String {
    let ends = [("last_ingest", "Z"), ("last ingest", "Z"), ("last_indexed_at", "Z"), ("last index ", "ago")];
    ends.iter().fold(line.to_owned(), |line, (start, end)| {
        let mut pieces = line.split(start);
        let mut text = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            text += piece.split_once(end).map_or(piece, |(_, rest)| rest);
        }
        text
    })
}

#[test]
fn two_runs_of_the_same_calls_are_the_same_to_the_last_byte() {
    for era in ERAS {
        let place = Place::new();
        let first = transcript(&place, era);
        for entry in fs_err::read_dir(place.home.path()).expect("the home") {
            fs_err::remove_dir_all(entry.expect("an entry").path()).expect("a directory to forget");
        }
        let second = transcript(&place, era);
        assert_eq!(first, second, "{era:?}");
    }
}
