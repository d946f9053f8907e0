//! Tidy rule: library crates read no environment variable, home, working directory or clock; those are passed in as
//! values.

use super::super::TidyFinding;
use super::super::tree::SourceTree;

const LIBRARIES: [&str; 6] = ["model", "syntax", "store", "engine", "providers", "agents"];
const READS: [&str; 7] =
    ["env::var", "env::var_os", "env::vars", "env::home_dir", "current_dir()", "SystemTime::now", "Instant::now"];

pub(in crate::tidy) fn check(tree: &SourceTree) -> Vec<TidyFinding> {
    let mut findings = Vec::new();
    for (source, text) in tree.rust_files().filter(|(source, _)| source.is_source_of(&LIBRARIES) && !source.is_test()) {
        for read in READS {
            for line in text.product_lines(read) {
                findings.push(source.build_finding(
                    line,
                    format!("`{read}`"),
                    "the same state and request must give the same reply, in a server and in a test",
                    "take the value as an argument; the binary reads it",
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
    fn a_library_that_looks_around_is_found() {
        finds(
            check,
            &[(
                "crates/agents/src/a.rs",
                "//! A.\nfn f() { std::env::var(\"HOME\"); }\nfn g() { tokio::time::Instant::now(); }",
            )],
            &expect![[r#"
                crates/agents/src/a.rs:2: `env::var`: the same state and request must give the same reply, in a server and in a test; take the value as an argument; the binary reads it
                crates/agents/src/a.rs:3: `Instant::now`: the same state and request must give the same reply, in a server and in a test; take the value as an argument; the binary reads it"#]],
        );
    }

    #[test]
    fn the_binary_tests_and_child_directories_pass() {
        accepts(
            check,
            &[
                ("crates/epitome/src/env.rs", "std::env::var(\"HOME\")"),
                ("crates/store/tests/postgres.rs", "std::env::var(\"URL\")"),
                (
                    "crates/engine/src/a.rs",
                    "git.current_dir(root);\n#[cfg(test)]\nmod tests { fn t() { Instant::now(); } }",
                ),
            ],
        );
    }
}
