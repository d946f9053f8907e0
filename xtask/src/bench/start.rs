//! Benchmark of process start: `epitome` against a process that does nothing.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Result, ensure};
use serde_json::{Value, json};
use toml::Table;

use super::{BenchSetup, duration_percentiles, round_thousandths, workload_number};

pub(crate) fn run(bench: &BenchSetup, workload: &Table) -> Result<Value> {
    let mut ours = Vec::new();
    let mut nothing = Vec::new();
    for _ in 0..workload_number(workload, "rounds")? {
        ours.push(time_command(&bench.binary, &["--version"])?);
        // What any process costs on this machine, so that the ratio means something elsewhere.
        nothing.push(time_command(Path::new("true"), &[])?);
    }
    let ours = duration_percentiles(ours);
    let nothing = duration_percentiles(nothing);
    let ratio =
        |key: &str| round_thousandths(ours[key].as_f64().unwrap_or_default() / nothing[key].as_f64().unwrap_or(1.0));
    Ok(json!({ "ratio_of_medians": ratio("median_ms"), "epitome": ours, "true": nothing }))
}

fn time_command(program: &Path, arguments: &[&str]) -> Result<f64> {
    let started = Instant::now();
    let status = Command::new(program).args(arguments).stdout(Stdio::null()).status()?;
    ensure!(status.success(), "{} ended with {status}", program.display());
    Ok(started.elapsed().as_secs_f64())
}
