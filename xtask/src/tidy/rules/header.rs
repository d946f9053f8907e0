//! Tidy rule: every Rust file begins with a `//!` header that says what it is.

use super::super::TidyFinding;
use super::super::tree::SourceTree;

pub(in crate::tidy) fn check(tree: &SourceTree) -> Vec<TidyFinding> {
    tree.rust_files()
        .filter(|(source, _)| !source.text.trim_start().starts_with("//!"))
        .map(|(source, _)| {
            source.build_finding(
                1,
                "no `//!` header",
                "a reader meets the file before its names",
                "open with one line that says what it is and the decision behind it",
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::sample::{accepts, finds};
    use super::*;

    #[test]
    fn a_file_without_header_is_found() {
        finds(
            check,
            &[("crates/model/src/id.rs", "// ids\nuse std::fmt;\n")],
            &expect![
                "crates/model/src/id.rs:1: no `//!` header: a reader meets the file before its names; open with one line that says what it is and the decision behind it"
            ],
        );
    }

    #[test]
    fn headers_and_samples_pass() {
        accepts(
            check,
            &[("crates/model/src/id.rs", "//! Ids.\n"), ("crates/syntax/languages/rust/fixture.rs", "fn main() {}")],
        );
    }
}
