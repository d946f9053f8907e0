//! Benchmark of the build: the time of a cold release build and of a debug rebuild, and the size of the release binary.

use std::time::Instant;

use anyhow::Result;
use serde_json::{Value, json};
use toml::Table;

use super::{BenchSetup, round_thousandths};
use crate::process::{self, cargo_command};
use crate::repository;

/// Bytes of the release binary.
pub(crate) fn measure_size(bench: &BenchSetup, _workload: &Table) -> Result<Value> {
    let bytes = fs_err::metadata(&bench.binary)?.len();
    Ok(json!({ "bytes": bytes, "megabytes": round_thousandths(bytes as f64 / 1e6) }))
}

/// A cold release build in a directory of its own, and a debug rebuild after a change in the engine.
pub(crate) fn run(bench: &BenchSetup, _workload: &Table) -> Result<Value> {
    let root = repository::root();
    let seconds = |arguments: &[&str], target: Option<&std::path::Path>| -> Result<f64> {
        let mut build = cargo_command(root, arguments);
        if let Some(target) = target {
            build.env("CARGO_TARGET_DIR", target);
        }
        let started = Instant::now();
        process::run_command(build)?;
        Ok(round_thousandths(started.elapsed().as_secs_f64()))
    };
    // A target directory of its own, so that nothing that is built already counts.
    let cold = seconds(&["build", "--release", "--quiet"], Some(&bench.scratch.join("cold")))?;
    let debug = ["build", "--workspace", "--all-targets", "--quiet"];
    // Built before the measured change, so that only the rebuild after it is timed.
    seconds(&debug, None)?;
    let touched = root.join("crates/engine/src/lib.rs");
    // Written with the same bytes: cargo goes by the time of the file.
    fs_err::write(&touched, fs_err::read(&touched)?)?;
    let rebuild = seconds(&debug, None)?;
    fs_err::remove_dir_all(bench.scratch.join("cold"))?;
    Ok(json!({ "cold_release_seconds": cold, "debug_rebuild_after_engine_seconds": rebuild }))
}
