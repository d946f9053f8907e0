//! The command `cargo xtask ci`: runs all checks (format, lints, tests, …) in the order that finds the cheapest mistake
//! first; stops at the first failure. The result is the same here and on a build machine: the stages install what they
//! need and read no configuration.

use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use serde_json::json;

use crate::process::{self, cargo_command};
use crate::{browser, clients, conformance, dist, editor, hosts, licences, provision, repository, site, tidy, torture};

struct CiStage {
    name: &'static str,
    what: &'static str,
    run: fn() -> Result<StageOutcome>,
}

enum StageOutcome {
    Passed,
    Skipped(&'static str),
}

const STAGES: &[CiStage] = &[
    CiStage {
        name: "provision",
        what: "PostgreSQL, Node, Chromium and the crates are there",
        run: || to_outcome(provision::provision_machine()),
    },
    CiStage { name: "format", what: "cargo fmt", run: || cargo_passes(&["fmt", "--all", "--check"]) },
    CiStage {
        name: "clippy",
        what: "no warning in any target",
        run: || cargo_passes(&["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"]),
    },
    CiStage { name: "tidy", what: "house rules", run: || to_outcome(tidy::run(&[])) },
    CiStage {
        name: "build",
        what: "every target compiles",
        run: || cargo_passes(&["build", "--workspace", "--all-targets", "--locked"]),
    },
    CiStage { name: "tests", what: "all tests", run: run_tests },
    CiStage {
        name: "doc-tests",
        what: "examples in the documentation",
        run: || cargo_passes(&["test", "--workspace", "--doc", "--locked", "--quiet"]),
    },
    CiStage { name: "docs", what: "the generated reference is fresh", run: check_docs },
    CiStage { name: "site", what: "the links of documents lead somewhere", run: || to_outcome(site::check()) },
    CiStage { name: "clients", what: "the libraries for Python and Node", run: || to_outcome(clients::check()) },
    CiStage { name: "dist", what: "each package installs and works", run: || to_outcome(dist::check()) },
    CiStage { name: "editor", what: "the extension compiles and is packed", run: || to_outcome(editor::check()) },
    CiStage { name: "torture", what: "a tenth of every way to break it", run: || to_outcome(torture::check_tenth()) },
    CiStage { name: "conformance", what: "the official MCP suite", run: || to_outcome(conformance::check()) },
    CiStage { name: "browser", what: "every page of the dashboard in Chromium", run: || to_outcome(browser::check()) },
    CiStage { name: "hosts", what: "a day in Claude Code and in Codex", run: || to_outcome(hosts::check()) },
    CiStage { name: "licences", what: "licences and sources of dependencies", run: || to_outcome(licences::check()) },
];

/// The `ci` command.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        [] => run_stages(&STAGES.iter().collect::<Vec<_>>()),
        ["--list"] => {
            for CiStage { name, what, .. } in STAGES {
                println!("{name:12} {what}");
            }
            Ok(())
        }
        ["--only", name] => {
            let stage = STAGES.iter().find(|stage| stage.name == name);
            run_stages(&[stage.with_context(|| format!("unknown stage `{name}`\nhint: cargo xtask ci --list"))?])
        }
        _ => bail!("unexpected arguments `{}`\nhint: cargo xtask ci [--list | --only STAGE]", arguments.join(" ")),
    }
}

struct StageRow {
    stage: &'static str,
    minutes: f64,
    outcome: String,
}

fn run_stages(stages: &[&CiStage]) -> Result<()> {
    let start = Instant::now();
    let mut rows = Vec::new();
    let mut failure = None;
    for stage in stages {
        println!("\n== {} (after {:.1} min): {}", stage.name, minutes_since(start), stage.what);
        let begun = Instant::now();
        let result = (stage.run)();
        let outcome = match &result {
            Ok(StageOutcome::Passed) => "passed".to_owned(),
            Ok(StageOutcome::Skipped(why)) => format!("skipped: {why}"),
            Err(_) => "failed".to_owned(),
        };
        rows.push(StageRow { stage: stage.name, minutes: minutes_since(begun), outcome });
        // Later stages would fail for the same reason, and their output would bury the first one.
        if let Err(error) = result {
            failure = Some(error.context(format!("stage `{}` failed", stage.name)));
            break;
        }
    }
    println!("\n{}", render_table(&rows));
    let file = repository::target_directory()?.join("ci-stages.json");
    // Written for a failed run too: a build machine shows where the time went.
    fs_err::write(file, format!("{:#}\n", as_json(&rows)))?;
    if let Some(error) = failure {
        return Err(error);
    }
    println!("ci: all {} stages passed", rows.len());
    Ok(())
}

fn render_table(rows: &[StageRow]) -> String {
    let line = |row: &StageRow| format!("{:12} {:7.2}  {}", row.stage, row.minutes, row.outcome);
    let lines: Vec<String> = rows.iter().map(line).collect();
    format!("{:12} {:>7}\n{}\n{:12} {:7.2}\n", "stage", "minutes", lines.join("\n"), "total", total_minutes(rows))
}

fn as_json(rows: &[StageRow]) -> serde_json::Value {
    let stages = rows.iter().map(|row| json!({ "stage": row.stage, "minutes": row.minutes, "outcome": row.outcome }));
    json!({ "stages": stages.collect::<Vec<_>>(), "minutes": total_minutes(rows) })
}

fn total_minutes(rows: &[StageRow]) -> f64 {
    rows.iter().map(|row| row.minutes).sum()
}

fn minutes_since(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() / 60.0
}

fn to_outcome(result: Result<()>) -> Result<StageOutcome> {
    result.map(|()| StageOutcome::Passed)
}

fn cargo_passes(arguments: &[&str]) -> Result<StageOutcome> {
    to_outcome(process::run_command(cargo_command(repository::root(), arguments)))
}

fn run_tests() -> Result<StageOutcome> {
    // Without nextest the plain runner does the same, only slower.
    if provision::has_nextest() {
        cargo_passes(&["nextest", "run", "--workspace", "--locked"])
    } else {
        cargo_passes(&["test", "--workspace", "--lib", "--bins", "--tests", "--locked", "--no-fail-fast"])
    }
}

/// The binary of the `build` stage itself: `cargo run` would select other features and compile half the tree again.
fn check_docs() -> Result<StageOutcome> {
    let root = repository::root();
    if !root.join("docs").join("reference").is_dir() {
        return Ok(StageOutcome::Skipped("docs/reference does not exist"));
    }
    let binary = repository::target_directory()?.join("debug").join("epitome");
    to_outcome(process::run_command(process::command_in(root, binary, &["reference", "--check"])))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    fn rows() -> Vec<StageRow> {
        vec![
            StageRow { stage: "format", minutes: 0.05, outcome: "passed".to_owned() },
            StageRow { stage: "tests", minutes: 12.5, outcome: "failed".to_owned() },
        ]
    }

    #[test]
    fn the_table_and_the_json_say_the_same() {
        expect![[r#"
            stage        minutes
            format          0.05  passed
            tests          12.50  failed
            total          12.55
        "#]]
        .assert_eq(&render_table(&rows()));
        expect![[
            r#"{"stages":[{"stage":"format","minutes":0.05,"outcome":"passed"},{"stage":"tests","minutes":12.5,"outcome":"failed"}],"minutes":12.55}"#
        ]]
        .assert_eq(&as_json(&rows()).to_string());
    }

    #[test]
    fn unknown_stages_and_flags_are_refused() {
        let refuse = |arguments: &[&str]| {
            let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
            run(&arguments).expect_err("refused").to_string()
        };
        assert_eq!(refuse(&["--only", "deploy"]), "unknown stage `deploy`\nhint: cargo xtask ci --list");
        assert_eq!(refuse(&["--fast"]), "unexpected arguments `--fast`\nhint: cargo xtask ci [--list | --only STAGE]");
    }
}
