//! Tidy rule: no unfinished code (`todo!`, `dbg!`, ignored tests, marks for later) is committed, and the text does not
//! mention how the work was organised.

use super::super::TidyFinding;
use super::super::tree::{SourceTree, TidyFile};
use super::super::words;

const CODE: [&str; 4] = ["todo!", "unimplemented!", "dbg!", "#[ignore"];
const MARKS: [&str; 2] = ["FIXME", "XXX"];
const RULE_REASON: &str = "history and plans live in git and in issues";
const FIX: &str = "finish it, delete it, or open an issue";

pub(in crate::tidy) fn check(tree: &SourceTree) -> Vec<TidyFinding> {
    let code = tree.rust_files().flat_map(|(source, text)| {
        let calls = CODE.iter().flat_map(|call| text.lines_with(call).map(move |line| (line, (*call).to_owned())));
        // In a string the same words are data: the product itself looks for them in other people's code.
        let comments = text.comments().iter().flat_map(|comment| {
            comment
                .text
                .lines()
                .enumerate()
                .filter_map(|(index, line)| Some((comment.line + index, find_mark(line, true)?)))
        });
        calls.chain(comments).map(|(line, what)| leftover_finding(source, line, &what)).collect::<Vec<_>>()
    });
    let texts = tree.sources().iter().filter(|source| source.extension() != Some("rs") && !source.is_sample());
    let others = texts.flat_map(|source| {
        // Prose may speak about the marks.
        let marks = source.extension() != Some("md");
        let lines = source.text.lines().enumerate();
        lines.filter_map(move |(index, line)| Some(leftover_finding(source, index + 1, &find_mark(line, marks)?)))
    });
    code.chain(others).collect()
}

fn find_mark(line: &str, with_marks: bool) -> Option<String> {
    let is_todo = line.trim_start_matches(['/', '!', '*', '#', '-', ' ']).starts_with("TODO");
    if with_marks && is_todo {
        return Some("TODO".to_owned());
    }
    MARKS
        .into_iter()
        .find(|mark| with_marks && words::contains_word(line, mark))
        .map(str::to_owned)
        .or_else(|| find_phase(line))
}

/// "Phase" and a number: the residue of a plan.
fn find_phase(line: &str) -> Option<String> {
    let at = words::word_offsets(line, "Phase ").find(|at| line[at + 6..].starts_with(|c: char| c.is_ascii_digit()))?;
    Some(line[at..].chars().take(7).collect())
}

fn leftover_finding(source: &TidyFile, line: usize, what: &str) -> TidyFinding {
    source.build_finding(line, format!("`{what}`"), RULE_REASON, FIX)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::sample::{accepts, finds};
    use super::*;

    #[test]
    fn leftovers_are_found_in_code_comments_and_texts() {
        finds(
            check,
            &[
                (
                    "crates/engine/src/a.rs",
                    "//! A.\nfn f() { todo!() }\n// FIXME later\n// TODO(me): later\n#[ignore = \"slow\"]\n/* one\n two XXX */",
                ),
                ("docs/plan.md", "# Plan\nPhase 2: more"),
                ("web/app.js", "// TODO colours"),
            ],
            &expect![[r#"
                crates/engine/src/a.rs:2: `todo!`: history and plans live in git and in issues; finish it, delete it, or open an issue
                crates/engine/src/a.rs:5: `#[ignore`: history and plans live in git and in issues; finish it, delete it, or open an issue
                crates/engine/src/a.rs:3: `FIXME`: history and plans live in git and in issues; finish it, delete it, or open an issue
                crates/engine/src/a.rs:4: `TODO`: history and plans live in git and in issues; finish it, delete it, or open an issue
                crates/engine/src/a.rs:7: `XXX`: history and plans live in git and in issues; finish it, delete it, or open an issue
                docs/plan.md:2: `Phase 2`: history and plans live in git and in issues; finish it, delete it, or open an issue
                web/app.js:1: `TODO`: history and plans live in git and in issues; finish it, delete it, or open an issue"#]],
        );
    }

    #[test]
    fn the_same_words_as_data_or_subject_pass() {
        accepts(
            check,
            &[
                ("crates/engine/src/a.rs", "//! Collects open todos.\nconst MARKS: [&str; 2] = [\"FIXME\", \"TODO\"];"),
                ("docs/facts.md", "Open `TODO` and `FIXME` comments become facts. Phase one is over."),
                ("scripts/a.sh", "mktemp /tmp/XXXXXX"),
                ("crates/syntax/languages/go/fixture.go", "// FIXME"),
            ],
        );
    }
}
