//! Words of a question and words of the code that mean the same, files that only pass on, and files that could not be
//! parsed.

use super::house::house;
use engine::{SearchReport, SearchRequest, SymbolRequest};

async fn ask(files: &[(&str, &str)], query: &str) -> SearchReport {
    let house = house(files);
    let request = SearchRequest { query: query.to_owned(), limit: 5, ..SearchRequest::default() };
    house.engine.search(&house.project, request).await.expect("an answer")
}

async fn first(files: &[(&str, &str)], query: &str) -> String {
    ask(files, query).await.hits.first().map(|hit| hit.path.clone()).unwrap_or_default()
}

#[tokio::test]
async fn short_and_long_forms_of_a_word_find_each_other() {
    let files = [
        ("src/one.rs", "pub fn load_cfg(path: &str) -> Vec<u8> {\n    path.into()\n}\n"),
        ("src/two.rs", "pub fn load_rows(path: &str) -> Vec<u8> {\n    path.into()\n}\n"),
        ("src/three.rs", "pub fn open_database(path: &str) -> Vec<u8> {\n    path.into()\n}\n"),
    ];
    assert_eq!(first(&files, "load the configuration").await, "src/one.rs");
    assert_eq!(first(&files, "where is the db opened").await, "src/three.rs");
}

#[tokio::test]
async fn a_word_written_with_capitals_is_one_word() {
    let files = [
        ("src/a.ts", "export class LaTeXParser {\n  run(text: string) { return text }\n}\n"),
        ("src/b.ts", "export class PageParser {\n  run(text: string) { return text }\n}\n"),
    ];
    assert_eq!(first(&files, "latex parser").await, "src/a.ts");
    assert_eq!(first(&files, "LaTeX").await, "src/a.ts");
}

#[tokio::test]
async fn a_file_that_passes_on_stands_behind_the_definition_and_is_named() {
    // The umbrella has the words in its path, and the definition is in a file of another name.
    let umbrella = "src/socket-pool/index.ts";
    let files = [
        (umbrella, "export { SocketPool } from '../net/core'\nexport { Timer } from '../net/timer'\n"),
        (
            "src/net/core.ts",
            "/** Keeps what is open. */\nexport class SocketPool {\n  private all: number[] = []\n  take(): number { return this.all.pop() ?? 0 }\n}\n",
        ),
        ("src/net/timer.ts", "export class Timer {\n  start() {}\n}\n"),
    ];
    for query in ["socket pool", "where is the socket pool"] {
        let reply = ask(&files, query).await;
        let paths: Vec<&str> = reply.hits.iter().map(|hit| hit.path.as_str()).collect();
        assert_eq!(paths[..2], ["src/net/core.ts", umbrella], "{query}");
        assert!(reply.hits[0].why.ends_with(&format!(" · {umbrella} passes it on")), "{}", reply.hits[0].why);
        assert!(!reply.hits[1].why.contains("passes it on"), "{}", reply.hits[1].why);
    }
}

#[tokio::test]
async fn what_could_not_be_parsed_is_told() {
    let lines = "} ) => ] ? :: ; = 7 fn\n".repeat(8);
    let files = [("src/a.rs", &*format!("pub fn frobnicate() {{}}\n{lines}"))];
    let told = "parts of src/a.rs could not be parsed (lines ";
    let reply = ask(&files, "frobnicate").await;
    assert!(reply.degraded.iter().any(|line| line.starts_with(told)), "{:?}", reply.degraded);
    let house = house(&files);
    let symbol = async |name: &str| {
        let request = SymbolRequest { name: name.to_owned(), kinds: Vec::new(), path: None, limit: 10 };
        house.engine.find_symbols(&house.project, request).await.expect("an answer").unparsed
    };
    assert!(symbol("frobnicate").await.is_empty(), "it was found");
    assert!(symbol("Vanished").await[0].starts_with(told));
}
