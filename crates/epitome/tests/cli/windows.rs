//! `window`: which lines of files a session has in its context, by its transcript.

use super::host::{Host, Writes, project};
use super::house::House;
use serde_json::{Value, json};

const SOURCE: &str = "use std::fmt;\n\npub fn first() -> u32 {\n    1\n}\n\npub fn second() -> u32 {\n    2\n}\n";

fn window(house: &House, arguments: &[&str]) -> Value {
    let ended = house.run(&[&["window"], arguments, &["--json"][..]].concat(), "");
    serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("{}", ended.shown()))
}

fn numbered(text: &str) -> String {
    (1..).zip(text.lines()).map(|(number, line)| format!("{number:>6}→{line}\n")).collect()
}

#[test]
fn lines_are_in_the_context_until_it_is_compacted_and_changed_where_the_file_is() {
    let house = House::new(&[("Cargo.toml", "[package]"), ("src/lib.rs", SOURCE), ("src/other.rs", "fn other() {}\n")]);
    let mut host = Host::new(&house, "one", Writes::Transcript);
    host.start("startup");
    host.prompt("Look at the library.");
    let file = project(&house).join("src/lib.rs");
    host.tool(
        "Read",
        &json!({ "file_path": file, "limit": 5 }),
        &numbered(&SOURCE[..SOURCE.find("\n\npub fn second").expect("it is there")]),
    );
    host.say("I have seen it.");
    house.run(&["drain"], "");
    let seen = window(&house, &[]);
    assert_eq!((&seen["session"], &seen["results"]), (&json!("claude-code:one"), &json!(1)), "{seen}");
    let lines = |start: u32, end: u32| json!([{ "start_line": start, "end_line": end }]);
    let lib = json!({ "path": "src/lib.rs", "lines": 9, "seen": lines(1, 5), "changed": [] });
    assert_eq!(seen["files"], json!([lib]));
    assert_eq!(window(&house, &["src/other.rs"])["files"], json!([]));
    // A person writes a line above and changes another one.
    fs_err::write(&file, format!("// Numbers.\n{}", SOURCE.replace("    1\n", "    one()\n"))).expect("a save");
    let seen = window(&house, &["src/lib.rs", "--session", "claude-code:one"]);
    let kept = json!([{ "start_line": 2, "end_line": 4 }, { "start_line": 6, "end_line": 6 }]);
    assert_eq!(seen["files"], json!([{ "path": "src/lib.rs", "lines": 10, "seen": kept, "changed": lines(5, 5) }]));
    let shown = house.run(&["window"], "").stdout;
    assert!(shown.contains("src/lib.rs  4 of 10 lines: 2-4, 6; changed since: 5"), "{shown}");
    host.compact("The library was read.");
    let emptied = window(&house, &[]);
    assert_eq!((&emptied["session"], &emptied["files"]), (&json!("claude-code:one"), &json!([])), "{emptied}");
}

#[test]
fn where_no_session_shows_it_nothing_is_told() {
    let house = House::new(&[("Cargo.toml", "[package]")]);
    let ended = house.run(&["window"], "");
    assert_eq!((ended.status, ended.stdout.as_str()), (3, "no session of this project shows what is in its context\n"));
    assert_eq!(house.run(&["window", "--session", "claude-code:nobody"], "").status, 3);
}
