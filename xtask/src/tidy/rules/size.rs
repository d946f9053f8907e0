//! Tidy rule: no source file has more than 600 lines, so that it can be read whole. Files that `cargo xtask` writes are
//! exempt, and databases that tests keep: people read what they are written from.

use super::super::TidyFinding;
use super::super::tree::SourceTree;

const MOST_LINES: usize = 600;
/// What stands in the first lines of a file that is written by a command of ours.
const WRITTEN_BY: &str = "Written by `cargo xtask ";
const MARK_LINES: usize = 5;
const EXTENSIONS: [&str; 6] = ["rs", "sql", "js", "mjs", "ts", "py"];

pub(in crate::tidy) fn check(tree: &SourceTree) -> Vec<TidyFinding> {
    let ours = |path: &str| !path.split('/').any(|part| part == "vendor") && !path.contains("/tests/kept/");
    let by_hand = |text: &str| !text.lines().take(MARK_LINES).any(|line| line.contains(WRITTEN_BY));
    tree.sources()
        .iter()
        .filter(|source| source.extension().is_some_and(|extension| EXTENSIONS.contains(&extension)))
        .filter(|source| ours(&source.path) && by_hand(&source.text))
        .filter_map(|source| {
            let lines = source.text.lines().count();
            (lines > MOST_LINES).then(|| {
                source.build_finding(
                    MOST_LINES + 1,
                    format!("{lines} lines, the most is {MOST_LINES}"),
                    "a file that long is several things",
                    "split it along what it does",
                )
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::sample::{accepts, finds};
    use super::*;

    #[test]
    fn a_long_file_is_found() {
        finds(
            check,
            &[("crates/store/migrations/0001.sql", &"--\n".repeat(601))],
            &expect![
                "crates/store/migrations/0001.sql:601: 601 lines, the most is 600: a file that long is several things; split it along what it does"
            ],
        );
    }

    #[test]
    fn a_full_file_a_text_written_and_foreign_code_pass() {
        let long = "x\n".repeat(900);
        let written = format!("// Written by `cargo xtask clients`; change the program.\n{long}");
        accepts(
            check,
            &[
                ("a.rs", &"//\n".repeat(600)),
                ("docs/guide.md", &long),
                ("web/vendor/preact.js", &long),
                ("crates/epitome/tests/kept/schema-12.sql", &long),
                ("clients/a.ts", &written),
            ],
        );
    }
}
