//! What came of the days: a table for people, a record for `bench/runs`.

use anyhow::Result;
use serde_json::{Map, Value, json};

use super::checks::{Check, Counts, Outcome};
use super::known::Host;
use crate::bench::{machine, round};
use crate::repository;

/// A day that was played to its end.
pub(super) struct Day {
    pub(super) host: &'static Host,
    pub(super) checks: Vec<Check>,
    pub(super) counts: Counts,
    pub(super) measures: Value,
    pub(super) seconds: f64,
}

impl Day {
    pub(super) fn failed(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.checks.iter().filter_map(|check| match &check.outcome {
            Outcome::Failed(wrong) => Some((check.name, wrong.as_str())),
            Outcome::Held | Outcome::NotThere(_) => None,
        })
    }
}

/// More of what is wrong is in the files of the run.
const LONGEST: usize = 600;

/// Checks down, agents across; below it what is wrong.
pub(super) fn table(days: &[Day]) -> String {
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
                Some(Outcome::Held) => "held",
                Some(Outcome::Failed(_)) => "FAILED",
                Some(Outcome::NotThere(_)) | None => "–",
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
        for (name, wrong) in day.failed() {
            let wrong: String = wrong.chars().take(LONGEST).collect();
            text += &format!("\n{}: {name}: {wrong}\n", day.host.title);
        }
    }
    text
}

/// Adds the days to the record of this machine and date; other agents that were recorded stay.
pub(super) fn record(days: &[Day]) -> Result<()> {
    let folder = repository::root().join("bench").join("runs").join(machine::run_name()?);
    fs_err::create_dir_all(&folder)?;
    let file = folder.join("hosts.json");
    let known: Value =
        fs_err::read(&file).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
    let mut hosts: Map<String, Value> = known["hosts"].as_object().cloned().unwrap_or_default();
    let commit = machine::commit()?;
    for day in days {
        hosts.insert(day.host.name.to_owned(), entry(day, &commit)?);
    }
    let record = json!({ "machine": machine::describe(), "hosts": hosts });
    fs_err::write(&file, serde_json::to_string_pretty(&record)? + "\n")?;
    println!("written to {}", file.strip_prefix(repository::root()).unwrap_or(&file).display());
    Ok(())
}

fn entry(day: &Day, commit: &str) -> Result<Value> {
    let checks: Map<String, Value> = day
        .checks
        .iter()
        .map(|check| {
            let outcome = match &check.outcome {
                Outcome::Held => "held".to_owned(),
                Outcome::Failed(_) => "failed".to_owned(),
                Outcome::NotThere(why) => format!("not there: {why}"),
            };
            (check.name.to_owned(), outcome.into())
        })
        .collect();
    Ok(json!({
        "version": day.host.pinned()?.version,
        "commit": commit,
        "seconds": round(day.seconds),
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
    use crate::hosts::known;

    #[test]
    fn the_table_has_a_column_for_every_agent_and_says_what_is_wrong() {
        let day = |host: usize, outcome: Outcome| Day {
            host: &known::ALL[host],
            checks: vec![Check { name: "one", outcome: Outcome::Held }, Check { name: "the other", outcome }],
            counts: Counts::default(),
            measures: Value::Null,
            seconds: 12.3,
        };
        let days = [day(0, Outcome::Failed("it is not so".to_owned())), day(1, Outcome::NotThere("no hook"))];
        expect![[r"
                       claude-code        codex
            one               held         held
            the other       FAILED            –
            seconds             12           12

            Claude Code: the other: it is not so
        "]]
        .assert_eq(&table(&days));
    }
}
