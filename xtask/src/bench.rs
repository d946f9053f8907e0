//! The command `cargo xtask bench`: runs benchmark workloads against the real binary, with a baseline in the same run;
//! results go to `bench/runs`. A workload is a TOML file that names a kind and its numbers; a kind is a function in one
//! of the files below. `BENCH_BINARY` names a binary that is built already; otherwise the release binary is built
//! first.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};
use toml::Table;

use crate::process::{self, cargo_command};
use crate::repository;

mod affected_tests;
mod build;
mod calls;
mod conversations;
mod corpus;
mod critique;
mod facts;
mod hook;
mod index;
mod ingest;
mod lines;
pub(crate) mod machine;
mod memory;
mod modes;
mod pages;
mod questions;
mod recall_growth;
mod replay;
mod server;
mod session;
mod start;
mod summaries;
mod team;
mod team_server;
mod transcripts;
mod usage;
mod value;

/// The resources of a workload.
pub(crate) struct BenchSetup {
    /// The release binary.
    pub(crate) binary: PathBuf,
    /// An empty directory for its data.
    pub(crate) scratch: PathBuf,
}

type WorkloadRunner = fn(&BenchSetup, &Table) -> Result<Value>;

const KINDS: &[(&str, WorkloadRunner)] = &[
    ("start", start::run),
    ("hook", hook::run),
    ("ingest-single", ingest::measure_single),
    ("ingest-grouped", ingest::measure_grouped),
    ("memory", memory::run),
    ("index", index::run),
    ("questions", questions::run),
    ("first-question", questions::measure_first_question),
    ("server", server::run),
    ("replay", replay::run),
    ("value", value::run),
    ("lines", lines::run),
    ("peers", lines::compare_peers),
    ("views", questions::measure_views),
    ("calls", calls::run),
    ("summaries", summaries::run),
    ("facts", facts::run),
    ("critique", critique::run),
    ("conversations", conversations::run),
    ("recall-growth", recall_growth::run),
    ("team-ingest", team::measure_ingest),
    ("team", team::run),
    ("affected-tests", affected_tests::run),
    ("size", build::measure_size),
    ("build", build::run),
    ("modes", modes::run),
    ("pages", pages::run),
];

/// The `bench` command: all workloads, or those named.
pub(crate) fn run(names: &[String]) -> Result<()> {
    let root = repository::root();
    let target = repository::target_directory()?;
    // A binary of an older commit can be measured by the same code, which makes two runs comparable.
    let binary = if let Some(built) = std::env::var_os("BENCH_BINARY") {
        PathBuf::from(built)
    } else {
        process::run_command(cargo_command(root, &["build", "--release", "--package", "epitome", "--quiet"]))?;
        target.join("release").join("epitome")
    };
    let folder = root.join("bench").join("runs").join(machine::run_name()?);
    fs_err::create_dir_all(&folder)?;
    for path in list_workloads(&root.join("bench").join("workloads"), names)? {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let workload: Table =
            fs_err::read_to_string(&path)?.parse().with_context(|| format!("in {}", path.display()))?;
        // Workloads that take hours, or need data that not every machine has, run only when they are named.
        if names.is_empty() && workload.get("by_name_only").is_some_and(|value| value.as_bool() == Some(true)) {
            continue;
        }
        let kind = workload.get("kind").and_then(toml::Value::as_str).unwrap_or_default();
        let Some((_, measure)) = KINDS.iter().find(|(name, _)| *name == kind) else {
            bail!("{} names the unknown kind `{kind}`", path.display());
        };
        // A fresh folder for each workload: what one of them left in the store would change the figures of the next.
        let bench = BenchSetup { binary: binary.clone(), scratch: reset_scratch(&target)? };
        println!("{name}: {}", workload.get("about").and_then(toml::Value::as_str).unwrap_or_default());
        let results = measure(&bench, &workload)?;
        println!("{}\n", serde_json::to_string_pretty(&results)?);
        // The record names machine and commit, because a figure in a document has to have a run behind it.
        let record = json!({
            "workload": workload,
            "machine": machine::describe_machine(),
            "commit": machine::current_commit()?,
            "results": results,
        });
        fs_err::write(folder.join(format!("{name}.json")), serde_json::to_string_pretty(&record)? + "\n")?;
    }
    println!("written to {}", folder.strip_prefix(root).unwrap_or(&folder).display());
    Ok(())
}

fn list_workloads(folder: &Path, names: &[String]) -> Result<Vec<PathBuf>> {
    let mut all: Vec<PathBuf> = fs_err::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    all.sort();
    let stem = |path: &PathBuf| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    if let Some(unknown) = names.iter().find(|name| !all.iter().any(|path| stem(path) == **name)) {
        bail!("no workload `{unknown}`; there are: {}", all.iter().map(stem).collect::<Vec<_>>().join(", "));
    }
    Ok(all.into_iter().filter(|path| names.is_empty() || names.contains(&stem(path))).collect())
}

fn reset_scratch(target: &Path) -> Result<PathBuf> {
    let scratch = target.join("bench");
    if scratch.exists() {
        fs_err::remove_dir_all(&scratch)?;
    }
    fs_err::create_dir_all(&scratch)?;
    Ok(scratch)
}

/// A number of the workload.
pub(crate) fn workload_number(workload: &Table, key: &str) -> Result<usize> {
    let value = workload.get(key).and_then(toml::Value::as_integer);
    value.and_then(|value| usize::try_from(value).ok()).with_context(|| format!("the workload has no number `{key}`"))
}

/// Median and 95th percentile of some durations, in milliseconds.
pub(crate) fn duration_percentiles(mut seconds: Vec<f64>) -> Value {
    // Medians and percentiles, since one slow sample on a busy machine would move a mean.
    seconds.sort_by(f64::total_cmp);
    let at = |share: f64| seconds[((seconds.len() - 1) as f64 * share) as usize] * 1_000.0;
    json!({ "median_ms": round_thousandths(at(0.5)), "p95_ms": round_thousandths(at(0.95)), "samples": seconds.len() })
}

/// Three digits behind the point are more than the machine can repeat.
pub(crate) fn round_thousandths(value: f64) -> f64 {
    (value * 1_000.0).round() / 1_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_workload_names_a_kind_that_exists() {
        for path in list_workloads(&repository::root().join("bench").join("workloads"), &[]).expect("workloads") {
            let workload: Table = fs_err::read_to_string(&path).expect("a file").parse().expect("TOML");
            let kind = workload["kind"].as_str().expect("a kind");
            assert!(KINDS.iter().any(|(name, _)| *name == kind), "{}: {kind}", path.display());
        }
    }

    #[test]
    fn percentiles_are_of_the_sorted_values() {
        let seconds = (1..=100).rev().map(|n| f64::from(n) / 1_000.0).collect();
        assert_eq!(duration_percentiles(seconds), json!({ "median_ms": 50.0, "p95_ms": 95.0, "samples": 100 }));
    }
}
