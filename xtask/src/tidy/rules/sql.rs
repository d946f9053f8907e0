//! Tidy rule: only the store crate contains SQL for our databases.

use super::super::TidyFinding;
use super::super::tree::SourceTree;
use super::super::words;

const STATEMENTS: [&[&str]; 4] = [&["SELECT", "FROM"], &["INSERT", "INTO"], &["UPDATE", "SET"], &["DELETE", "FROM"]];

/// Code that may hold SQL: the store, and what reads the databases of agents.
const STORE: &str = "crates/store/";
const AGENTS: &str = "crates/agents/src/";
const READERS: [&str; 2] = ["/database.rs", "/rows.rs"];

pub(in crate::tidy) fn check(tree: &SourceTree) -> Vec<TidyFinding> {
    let mut findings = Vec::new();
    let reads = |path: &str| path.starts_with(AGENTS) && READERS.iter().any(|file| path.ends_with(file));
    let speaks = |path: &str| path.starts_with(STORE) || reads(path);
    for (source, text) in tree.rust_files().filter(|(source, _)| !speaks(&source.path)) {
        // Tests elsewhere may hold SQL as a sample of a user's code.
        if source.is_test() {
            continue;
        }
        for literal in text.product_literals() {
            if STATEMENTS.iter().any(|statement| words::in_order(&literal.text, statement)) {
                findings.push(source.build_finding(
                    literal.line,
                    "SQL in a string",
                    "nothing outside the store may know which database runs",
                    "add a method to the store's trait, and a conformance case",
                ));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::sample::{accepts, finds};
    use super::*;

    #[test]
    fn sql_outside_the_store_is_found() {
        finds(
            check,
            &[("crates/engine/src/recall.rs", "//! Recall.\nconst Q: &str = \"SELECT id\\\n FROM message\";")],
            &expect![
                "crates/engine/src/recall.rs:2: SQL in a string: nothing outside the store may know which database runs; add a method to the store's trait, and a conformance case"
            ],
        );
    }

    #[test]
    fn the_store_prose_and_samples_in_tests_pass() {
        let statement = "\"DELETE FROM lease WHERE id = ?\"";
        accepts(
            check,
            &[
                ("crates/store/src/sqlite/memory.rs", statement),
                ("crates/agents/src/database.rs", statement),
                ("crates/agents/src/catalog/goose/rows.rs", statement),
                ("crates/engine/src/a.rs", "\"select a file from the list\" // UPDATE x SET y"),
                ("crates/epitome/tests/scrub.rs", statement),
            ],
        );
    }
}
