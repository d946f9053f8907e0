//! Parses the printed summary of the MCP conformance suite into scenarios and their results. The suite lists every
//! scenario it ran under `=== SUMMARY ===`, then, under `Not scored for …`, those that do not count (extensions,
//! scenarios its own reference server cannot pass). Required is the first list without the second.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result};

/// One run of one requirement set.
pub(super) struct SuiteReport {
    pub(super) required: Vec<SuiteScenario>,
    pub(super) unscored: Vec<SuiteScenario>,
}

pub(super) struct SuiteScenario {
    name: String,
    passed: usize,
    failed: usize,
}

impl SuiteScenario {
    /// A scenario that checked nothing has proved nothing.
    fn is_passed(&self) -> bool {
        self.failed == 0 && self.passed > 0
    }
}

impl SuiteReport {
    pub(super) fn parse(output: &str) -> Result<SuiteReport> {
        let (_, summary) = output.split_once("=== SUMMARY ===").context("the suite printed no summary")?;
        let (ran, after) = summary.split_once("\nTotal: ").context("the suite's summary has no total")?;
        let scenarios = ran.lines().filter(|line| !line.trim().is_empty()).map(|line| {
            parse_scenario(line).with_context(|| format!("the suite's summary has a line of another form: {line}"))
        });
        let scenarios: Vec<SuiteScenario> = scenarios.collect::<Result<_>>()?;
        let exempt: Vec<&str> =
            after.lines().skip_while(|line| !line.starts_with("Not scored")).filter_map(exempt_name).collect();
        let (unscored, required) = scenarios.into_iter().partition(|scenario| exempt.contains(&scenario.name.as_str()));
        Ok(SuiteReport { required, unscored })
    }

    pub(super) fn failed_scenarios(&self) -> impl Iterator<Item = &SuiteScenario> {
        self.required.iter().filter(|scenario| !scenario.is_passed())
    }

    /// One line with the numbers, then each failure with the checks that failed, from the files in `details`.
    pub(super) fn render(&self, revision: &str, details: &Path) -> String {
        let passed = |scenarios: &[SuiteScenario]| scenarios.iter().filter(|scenario| scenario.is_passed()).count();
        let mut text = format!(
            "{revision}: {} of {} required scenarios passed, {} failed ({} of {} that do not count passed)\n",
            passed(&self.required),
            self.required.len(),
            self.failed_scenarios().count(),
            passed(&self.unscored),
            self.unscored.len(),
        );
        for SuiteScenario { name, passed, failed } in self.failed_scenarios() {
            let reason = if passed + failed == 0 { ": nothing was checked" } else { "" };
            writeln!(text, "  {name}: {passed} checks passed, {failed} failed{reason}").expect("a string takes it");
            for check in failed_checks(details, name) {
                writeln!(text, "    {check}").expect("a string takes it");
            }
        }
        text
    }
}

/// `✗ tools-list: 0 passed, 2 failed`
fn parse_scenario(line: &str) -> Option<SuiteScenario> {
    let (name, counts) = line.trim().trim_start_matches(['✓', '✗', ' ']).split_once(": ")?;
    let (passed, rest) = counts.split_once(" passed, ")?;
    let failed = rest.strip_suffix(" failed")?;
    Some(SuiteScenario { name: name.to_owned(), passed: passed.parse().ok()?, failed: failed.parse().ok()? })
}

/// `  ✗ tasks-lifecycle (extension)`
fn exempt_name(line: &str) -> Option<&str> {
    let (name, _) = line.trim().strip_prefix(['✓', '✗'])?.trim().split_once(" (")?;
    Some(name)
}

/// Name and message of each failed check. The suite writes them to `server-<scenario>-<time>/checks.json`; without
/// such a file there is simply nothing to add to the numbers.
fn failed_checks(details: &Path, scenario: &str) -> Vec<String> {
    let prefix = format!("server-{scenario}-20");
    let Ok(folders) = fs_err::read_dir(details) else { return Vec::new() };
    let folder = folders.filter_map(Result::ok).find(|entry| entry.file_name().to_string_lossy().starts_with(&prefix));
    let text = folder.and_then(|folder| fs_err::read_to_string(folder.path().join("checks.json")).ok());
    let checks: Option<Vec<serde_json::Value>> = text.and_then(|text| serde_json::from_str(&text).ok());
    let text_of = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let failed = checks
        .unwrap_or_default()
        .into_iter()
        .filter(|check| check["status"] == "FAILURE" || check["status"] == "WARNING");
    failed
        .map(|check| {
            format!("{} {}: {}", text_of(&check["status"]), text_of(&check["id"]), text_of(&check["errorMessage"]))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(output: &str, expected: &Expect) {
        let text = match SuiteReport::parse(output) {
            Ok(report) => report.render("2026-07-28", Path::new("no-such-folder")),
            Err(error) => format!("{error:#}"),
        };
        expected.assert_eq(&text);
    }

    #[test]
    fn a_server_that_answers_nonsense_fails_what_is_required() {
        check(
            "Running requirements 2026-07-28 (4 scenarios) against http://127.0.0.1:1/mcp\n\n\
             === Running scenario: tools-list ===\n\n\n=== SUMMARY ===\n\
             ✗ server-stateless: 4 passed, 23 failed\n\
             ✓ server-sse-multiple-streams: 1 passed, 0 failed\n\
             ✗ tasks-lifecycle: 0 passed, 9 failed\n\
             ✓ tasks-status-notifications: 0 passed, 0 failed\n\n\
             Total: 10 passed, 151 failed\n\n\
             Not scored for 2026-07-28: 2 scenario(s) run, 1 failing. These do not affect conformance.\n  \
               ✗ tasks-lifecycle (extension)\n  \
               ✓ tasks-status-notifications (extension)\n",
            &expect![[r#"
                2026-07-28: 1 of 2 required scenarios passed, 1 failed (0 of 2 that do not count passed)
                  server-stateless: 4 checks passed, 23 failed
            "#]],
        );
    }

    #[test]
    fn a_tick_without_a_check_is_no_pass() {
        check(
            "\n=== SUMMARY ===\n✓ input-required-result-validate-input: 0 passed, 0 failed\n\nTotal: 0 passed, 0 failed\n",
            &expect![[r#"
                2026-07-28: 0 of 1 required scenarios passed, 1 failed (0 of 0 that do not count passed)
                  input-required-result-validate-input: 0 checks passed, 0 failed: nothing was checked
            "#]],
        );
    }

    #[test]
    fn an_unknown_form_is_an_error() {
        check("crashed", &expect!["the suite printed no summary"]);
        check("=== SUMMARY ===\n✓ ping: 1 passed, 0 failed\n", &expect!["the suite's summary has no total"]);
        check(
            "=== SUMMARY ===\n✓ ping: 1 passed, 0 failed, 2 warnings\n\nTotal: 1 passed",
            &expect!["the suite's summary has a line of another form: ✓ ping: 1 passed, 0 failed, 2 warnings"],
        );
    }
}
