//! Process start against a process that does nothing.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Result, ensure};
use serde_json::{Value, json};
use toml::Table;

use super::{Bench, number, percentiles, round};

pub(crate) fn run(bench: &Bench, workload: &Table) -> Result<Value> {
    let (mut ours, mut nothing) = (Vec::new(), Vec::new());
    for _ in 0..number(workload, "rounds")? {
        ours.push(seconds(&bench.binary, &["--version"])?);
        nothing.push(seconds(Path::new("true"), &[])?);
    }
    let (ours, nothing) = (percentiles(ours), percentiles(nothing));
    let ratio = |key: &str| round(ours[key].as_f64().unwrap_or_default() / nothing[key].as_f64().unwrap_or(1.0));
    Ok(json!({ "ratio_of_medians": ratio("median_ms"), "epitome": ours, "true": nothing }))
}

fn seconds(program: &Path, arguments: &[&str]) -> Result<f64> {
    let started = Instant::now();
    let status = Command::new(program).args(arguments).stdout(Stdio::null()).status()?;
    ensure!(status.success(), "{} ended with {status}", program.display());
    Ok(started.elapsed().as_secs_f64())
}
