//! Describes the machine and the commit of a benchmark run, for its record and the name of its folder.

use std::process::Command;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::repository;

/// `<date>-<processor>-<cores>`, the name of a run's folder.
pub(crate) fn run_name() -> Result<String> {
    let processor = processor_name();
    let words = processor.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let short: Vec<String> = words.take(3).map(str::to_ascii_lowercase).collect();
    Ok(format!("{}-{}-{}", read_output("date", &["-u", "+%Y-%m-%d"])?, short.join("-"), core_count()))
}

/// The machine, for the record.
pub(crate) fn describe_machine() -> Value {
    let load = fs_err::read_to_string("/proc/loadavg").unwrap_or_default();
    json!({
        "processor": processor_name(),
        "cores": core_count(),
        // A busy machine explains a slow run.
        "load_before": load.split(' ').next().unwrap_or_default(),
        "rustc": read_output("rustc", &["--version"]).unwrap_or_default(),
    })
}

/// The commit measured, marked when the tree has changes on top of it.
pub(crate) fn current_commit() -> Result<String> {
    let commit = read_output("git", &["rev-parse", "--short=12", "HEAD"])?;
    let changed =
        // Only what is built counts: a changed document does not change the figures.
        !read_output("git", &["status", "--porcelain", "--", "crates", "Cargo.toml", "Cargo.lock"])?.is_empty();
    Ok(if changed { format!("{commit} with changes") } else { commit })
}

fn processor_name() -> String {
    let text = fs_err::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or("unknown processor");
    name.trim_start_matches([' ', '\t', ':']).to_owned()
}

fn core_count() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn read_output(program: &str, arguments: &[&str]) -> Result<String> {
    let output = Command::new(program).args(arguments).current_dir(repository::root()).output();
    let output = output.with_context(|| format!("cannot run {program}"))?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
