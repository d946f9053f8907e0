//! Parses the output of a tool call into a `ToolOutcome`: exit code, error lines, and the names and results of tests,
//! in the formats of common test runners.

use crate::memory::truncate_text;
use regex::Regex;
use std::sync::LazyLock;

/// How a call ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ToolOutcome {
    pub(crate) ended: ToolExit,
    /// The lines that say what went wrong, as they are, each once.
    pub(crate) errors: Vec<String>,
    /// Tests by name, in the order of the output.
    pub(crate) tests: Vec<(String, TestRunResult)>,
    /// The output says that every test it ran passed.
    pub(crate) all_passed: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ToolExit {
    /// Neither the output nor the agent says how the tool ended.
    #[default]
    Unsaid,
    Well,
    Badly {
        exit_code: Option<i32>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TestRunResult {
    Passed,
    Failed,
}

/// More lines than this only repeat what the first ones say.
const MOST_ERRORS: usize = 4;
const MOST_TESTS: usize = 200;
const MAX_SHORT_OUTPUT_LINES: usize = 3;
const LONGEST_LINE: usize = 300;
/// Where outputs say how they ended: at their beginning or at their end.
const OUTCOME_EDGE_BYTES: usize = 600;

/// Reads the result of a call. `failed` is what the agent itself says about it.
pub(crate) fn parse_outcome(output: &str, error: Option<&str>, failed: bool) -> ToolOutcome {
    let output = strip_error_tags(output);
    let error = error.map(strip_error_tags);
    let exit_code = exit_code(output).or_else(|| error.and_then(exit_code));
    let failed = failed || error.is_some();
    let ended = match exit_code {
        Some(0) if !failed => ToolExit::Well,
        // The agent reports an error although the text has an exit code of 0: the code may be that of a command inside.
        Some(0) => ToolExit::Badly { exit_code: None },
        Some(code) => ToolExit::Badly { exit_code: Some(code) },
        None if failed => ToolExit::Badly { exit_code: None },
        None => ToolExit::Unsaid,
    };
    let mut outcome = ToolOutcome { ended, ..ToolOutcome::default() };
    for line in error.into_iter().chain([output]).flat_map(str::lines) {
        read_line(line.trim(), &mut outcome);
    }
    let said_why =
        !outcome.errors.is_empty() || outcome.tests.iter().any(|(_, result)| *result == TestRunResult::Failed);
    if matches!(outcome.ended, ToolExit::Badly { .. }) && !said_why {
        // In a short output the first line names the error; in a long one no line is known to, and a wrong one would
        // mislead.
        let said = error.into_iter().chain([output]).flat_map(str::lines).map(str::trim);
        let told: Vec<&str> = said.filter(|line| is_informative(line)).take(MAX_SHORT_OUTPUT_LINES + 1).collect();
        if let [first, ..] = told.as_slice()
            && told.len() <= MAX_SHORT_OUTPUT_LINES
        {
            outcome.errors.push(truncate_text(first, LONGEST_LINE));
        }
    }
    outcome
}

/// Whether a call was not let happen or not let end, by the user or because one beside it failed: then nothing failed.
pub(crate) fn was_declined(output: Option<&str>, error: Option<&str>) -> bool {
    const DECLINED_CALL_PREFIXES: [&str; 3] =
        ["The user doesn't want to proceed", "Sibling tool call errored", "No response after"];
    // The last line, behind what the command printed until then.
    const ABORTED_CALL_LINES: [&str; 2] = ["Command aborted", "Operation aborted"];
    let declined = |text: &str| {
        let text = strip_error_tags(text);
        let last = text.trim_end().lines().next_back().unwrap_or_default();
        DECLINED_CALL_PREFIXES.iter().any(|words| text.starts_with(words)) || ABORTED_CALL_LINES.contains(&last)
    };
    output.into_iter().chain(error).any(declined)
}

/// An error without the marks that an agent puts around it.
fn strip_error_tags(text: &str) -> &str {
    let inner = text.trim().strip_prefix("<tool_use_error>");
    inner.map_or(text, |inner| inner.strip_suffix("</tool_use_error>").unwrap_or(inner))
}

fn read_line(line: &str, outcome: &mut ToolOutcome) {
    if line.is_empty() || line.len() > 2_000 {
        return;
    }
    if let Some((name, result)) = parse_test_line(line) {
        if outcome.tests.len() < MOST_TESTS {
            outcome.tests.push((name.to_owned(), result));
        }
    } else if ALL_PASSED.is_match(line) {
        outcome.all_passed = true;
    } else if outcome.errors.len() < MOST_ERRORS && ERROR.is_match(line) && !VAGUE.is_match(line) {
        let line = truncate_text(line, LONGEST_LINE);
        if !outcome.errors.contains(&line) {
            outcome.errors.push(line);
        }
    }
}

fn is_informative(line: &str) -> bool {
    !line.is_empty() && !EXIT.is_match(line) && !VAGUE.is_match(line) && line.chars().any(char::is_alphabetic)
}

static EXIT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?i)(?:\bexit(?:ed)?(?: with)?(?: code| status)?|"exit_?code")\s*[:=]?\s*(-?\d{1,5})\b"#)
        .expect("the pattern is ours")
});

fn exit_code(output: &str) -> Option<i32> {
    let head = &output[..output.floor_char_boundary(OUTCOME_EDGE_BYTES)];
    let tail = &output[output.floor_char_boundary(output.len().saturating_sub(OUTCOME_EDGE_BYTES))..];
    // At the edges only: a log in the middle may quote the exit code of something else.
    let found = EXIT.captures(head).or_else(|| EXIT.captures_iter(tail).last())?;
    found[1].parse().ok()
}

static ERROR: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"^(?:\S+:\d+(?::\d+)?:? )?(?:(?i:error|fatal|panic)(?:\[\w+\])?[: ]|\w*(?:Error|Exception)(?::| \[|$)|thread '.*' panicked at|E   \S|(?i:command not found)|✖|npm ERR!|FAIL\s+\S)|(?:: No such file or directory|: command not found|: Permission denied)$",
    )
    .expect("the pattern is ours")
});

/// Lines that say that something went wrong, and not what.
static VAGUE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"(?x)\bexited\ with\ (?:code|status)\b | ^✖\ \d+\ problems? | \b(?:errors|warnings)\ were\ emitted\b | ^FAIL\s+\S+\s+(?:[\d.]+s|\[build\ failed\])$
            | ^error:\ (?:aborting\ due | could\ not\ compile | test\ failed | failed\ to\ push\ some\ refs | process\ didn't\ exit)"#,
    )
    .expect("the pattern is ours")
});

static ALL_PASSED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^test result: ok\.|^=+ \d+ passed[^,]*=+$|^ok\s+\S+\s+[\d.]+s|^Tests:\s+\d+ passed, \d+ total$|tests? run: \d+ passed|^\d+ passing\b")
        .expect("the pattern is ours")
});

/// How test runners name a test and say how it went.
static TESTS: LazyLock<[(Regex, bool); 9]> = LazyLock::new(|| {
    let pattern = |text: &str| Regex::new(text).expect("the pattern is ours");
    [
        (pattern(r"^test (\S+)(?: - should panic)? \.\.\. ok$"), true),
        (pattern(r"^test (\S+)(?: - should panic)? \.\.\. FAILED$"), false),
        (pattern(r"^(?:PASS \[[^\]]*\]|TRY \d+ PASS \[[^\]]*\]) +(?:\(\S+ *\) +)?(\S+ \S+)$"), true),
        (pattern(r"^FAIL \[[^\]]*\] +(?:\([^)]*\) +)?(\S+ \S+)$"), false),
        (pattern(r"^(\S+::\S+) PASSED\b"), true),
        (pattern(r"^(?:FAILED|ERROR) (\S+::[^\s\[]+(?:\[[^\]]*\])?)"), false),
        (pattern(r"^(\S+::\S+) (?:FAILED|ERROR)\b"), false),
        (pattern(r"^(?:--- PASS: |✓ |✔ |√ )(\S.*?)(?: \([\d.]+ ?m?s\))?$"), true),
        (pattern(r"^(?:--- FAIL: |✕ |✗ |× )(\S.*?)(?: \([\d.]+ ?m?s\))?$"), false),
    ]
});

fn parse_test_line(line: &str) -> Option<(&str, TestRunResult)> {
    // Almost no line is about a test; look at the patterns only where one could fit.
    let may = line.ends_with(" ok")
        || line.contains("PASS")
        || line.contains("FAIL")
        || line.starts_with("ERROR ")
        || line.starts_with(['✓', '✔', '√', '✕', '✗', '×']);
    if !may {
        return None;
    }
    TESTS.iter().find_map(|(pattern, passed)| {
        let name = pattern.captures(line)?.get(1)?.as_str();
        Some((name, if *passed { TestRunResult::Passed } else { TestRunResult::Failed }))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_are_read_in_each_dialect() {
        let badly = |exit_code| ToolExit::Badly { exit_code };
        let rows = [
            ("Exit code 101\nerror: could not compile", None, true, badly(Some(101))),
            ("{\"output\":\"hi\",\"metadata\":{\"exit_code\":0}}", None, false, ToolExit::Well),
            ("Exit code: 2\nWall time: 0.1 seconds\nOutput:\n", None, false, badly(Some(2))),
            ("Process exited with code 0\nOutput:\n", None, false, ToolExit::Well),
            ("all fine", None, false, ToolExit::Unsaid),
            ("", Some("String to replace not found"), false, badly(None)),
            ("oh", None, true, badly(None)),
        ];
        for (output, error, failed, expected) in rows {
            assert_eq!(parse_outcome(output, error, failed).ended, expected, "{output}");
        }
    }

    #[test]
    fn error_lines_are_kept_as_they_are_and_once() {
        let output = "   Compiling x\nerror[E0308]: mismatched types\n  --> src/lib.rs:3:5\nerror[E0308]: mismatched types\n\
                      src/a.ts:3:5: error TS2322: no\nTypeError: x is not a function\nfine error count 0\n\
                      ls: cannot access 'x': No such file or directory\nerror: one more\nerror: two more";
        assert_eq!(
            parse_outcome(output, None, true).errors,
            [
                "error[E0308]: mismatched types",
                "src/a.ts:3:5: error TS2322: no",
                "TypeError: x is not a function",
                "ls: cannot access 'x': No such file or directory"
            ]
        );
        assert_eq!(parse_outcome("Exit code 1\n\nboom", None, true).errors, ["boom"]);
        assert_eq!(
            parse_outcome("> vitest\n\n FAIL  web/a.test.ts\n 1 failed\nsee above", None, true).errors,
            ["FAIL  web/a.test.ts"]
        );
        assert_eq!(parse_outcome("Exit code 1\nlinting\na.go\nb.go\ndone", None, true).errors, Vec::<String>::new());
    }

    #[test]
    fn tests_are_read_from_each_runner() {
        let rows = [
            ("test a::b ... ok", "a::b", TestRunResult::Passed),
            ("test a::b ... FAILED", "a::b", TestRunResult::Failed),
            ("        FAIL [   0.012s] store tests::x", "store tests::x", TestRunResult::Failed),
            ("        PASS [   0.012s] store tests::x", "store tests::x", TestRunResult::Passed),
            ("tests/t.py::test_x PASSED    [ 50%]", "tests/t.py::test_x", TestRunResult::Passed),
            ("FAILED tests/t.py::test_x - assert 1 == 2", "tests/t.py::test_x", TestRunResult::Failed),
            ("--- FAIL: TestX (0.00s)", "TestX", TestRunResult::Failed),
            ("  ✓ adds numbers (3 ms)", "adds numbers", TestRunResult::Passed),
            ("  ✕ adds numbers", "adds numbers", TestRunResult::Failed),
        ];
        for (line, name, result) in rows {
            assert_eq!(parse_outcome(line, None, false).tests, [(name.to_owned(), result)], "{line}");
        }
        for line in ["test result: ok. 3 passed; 0 failed", "==== 3 passed in 0.1s ====", "ok  \tpkg/x\t0.01s"] {
            assert!(parse_outcome(line, None, false).all_passed, "{line}");
        }
    }
}
