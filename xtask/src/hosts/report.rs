//! Reports of the end-to-end tests: a table for people, a JSON record for `bench/runs`.

use anyhow::Result;
use serde_json::{Map, Value, json};

use super::agents::HostAgent;
use super::checks::{CheckOutcome, DayCounts, HostCheck};
use crate::bench::{machine, round_thousandths};
use crate::repository;

/// A day that was played to its end.
pub(super) struct DayReport {
    pub(super) host: &'static HostAgent,
    pub(super) checks: Vec<HostCheck>,
    pub(super) counts: DayCounts,
    pub(super) measures: Value,
    pub(super) seconds: f64,
}

impl DayReport {
    pub(super) fn failed_checks(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.checks.iter().filter_map(|check| match &check.outcome {
            CheckOutcome::Failed(wrong) => Some((check.name, wrong.as_str())),
            CheckOutcome::Held | CheckOutcome::NotThere(_) => None,
        })
    }
}

/// More of what is wrong is in the files of the run.
const MAX_FAILURE_CHARS: usize = 600;

/// Checks down, agents across; below it what is wrong.
pub(super) fn render_table(days: &[DayReport]) -> String {
    let Some(first) = days.first() else { return String::new() };
    let width = first.checks.iter().map(|check| check.name.len()).max().unwrap_or_default();
    let mut text = format!("{:width$}", "");
    for day in days {
        text += &format!("  {:>11}", day.host.name);
    }
    for (at, check) in first.checks.iter().enumerate() {
        text += &format!("\n{:width$}", check.name);
        for day in days {
            let word = match day.checks.get(at).map(|check| &check.outcome) {
                Some(CheckOutcome::Held) => "held",
                Some(CheckOutcome::Failed(_)) => "FAILED",
                Some(CheckOutcome::NotThere(_)) | None => "–",
            };
            text += &format!("  {word:>11}");
        }
    }
    text += &format!("\n{:width$}", "seconds");
    for day in days {
        text += &format!("  {:>11.0}", day.seconds);
    }
    text.push('\n');
    for day in days {
        for (name, wrong) in day.failed_checks() {
            // The whole text is in the files of the run; the table has to stay readable.
            let wrong: String = wrong.chars().take(MAX_FAILURE_CHARS).collect();
            text += &format!("\n{}: {name}: {wrong}\n", day.host.title);
        }
    }
    text
}

/// Adds the days to the record of this machine and date; other agents that were recorded stay.
pub(super) fn write_record(days: &[DayReport]) -> Result<()> {
    let folder = repository::root().join("bench").join("runs").join(machine::run_name()?);
    fs_err::create_dir_all(&folder)?;
    let file = folder.join("hosts.json");
    let known: Value =
        fs_err::read(&file).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
    // Agents that were played on another day of the same machine stay in the record.
    let mut hosts: Map<String, Value> = known["hosts"].as_object().cloned().unwrap_or_default();
    let commit = machine::current_commit()?;
    for day in days {
        hosts.insert(day.host.name.to_owned(), day_record(day, &commit)?);
    }
    let record = json!({ "machine": machine::describe_machine(), "hosts": hosts });
    fs_err::write(&file, serde_json::to_string_pretty(&record)? + "\n")?;
    println!("written to {}", file.strip_prefix(repository::root()).unwrap_or(&file).display());
    Ok(())
}

fn day_record(day: &DayReport, commit: &str) -> Result<Value> {
    let checks: Map<String, Value> = day
        .checks
        .iter()
        .map(|check| {
            let outcome = match &check.outcome {
                CheckOutcome::Held => "held".to_owned(),
                // The reason of a failure differs from run to run and is printed; the record, which is compared, has
                // the outcome.
                CheckOutcome::Failed(_) => "failed".to_owned(),
                CheckOutcome::NotThere(why) => format!("not there: {why}"),
            };
            (check.name.to_owned(), outcome.into())
        })
        .collect();
    Ok(json!({
        "version": day.host.pinned()?.version,
        "commit": commit,
        "seconds": round_thousandths(day.seconds),
        "planted": day.counts.planted,
        "restored": day.counts.restored,
        "junk_facts": day.counts.junk_facts,
        "messages_missing": day.counts.messages_missing,
        "messages_doubled": day.counts.messages_doubled,
        "measures": day.measures,
        "checks": checks,
    }))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::hosts::agents;

    #[test]
    fn the_table_has_a_column_for_every_agent_and_says_what_is_wrong() {
        let day = |host: usize, outcome: CheckOutcome| DayReport {
            host: &agents::HOST_AGENTS[host],
            checks: vec![
                HostCheck { name: "one", outcome: CheckOutcome::Held },
                HostCheck { name: "the other", outcome },
            ],
            counts: DayCounts::default(),
            measures: Value::Null,
            seconds: 12.3,
        };
        let days = [day(0, CheckOutcome::Failed("it is not so".to_owned())), day(1, CheckOutcome::NotThere("no hook"))];
        expect![[r"
                       claude-code        codex
            one               held         held
            the other       FAILED            –
            seconds             12           12

            Claude Code: the other: it is not so
        "]]
        .assert_eq(&render_table(&days));
    }
}
