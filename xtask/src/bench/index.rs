//! Benchmark of `epitome index` (cold, unchanged, one changed file, time until a save is found), with a bare parse of
//! the same files as the baseline, and of the memory and disk space that an index costs.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use toml::Table;

use super::corpus::fetch_corpus;
use super::{BenchSetup, duration_percentiles, round_thousandths, workload_number};
use crate::process::{self, cargo_command, command_in};
use crate::repository;

/// Cold, nothing to do, and one changed file; taking turns with the bare parse.
pub(crate) fn run(bench: &BenchSetup, workload: &Table) -> Result<Value> {
    let tree = fetch_corpus(workload)?;
    let parser = bare_parser()?;
    let mut cold = Vec::new();
    let mut idle = Vec::new();
    let mut parse = Vec::new();
    let mut memory = 0;
    let mut last = (Value::Null, Value::Null);
    for _ in 0..workload_number(workload, "rounds")? {
        let home = bench.scratch.join("home");
        // Cold means without any index; the files themselves may be in the system's cache, for both sides alike.
        if home.exists() {
            fs_err::remove_dir_all(&home)?;
        }
        let told = bench.scratch.join("parsed.json");
        process::run_command(command_in(&tree, &parser, &[".", &told.display().to_string()]))?;
        let parsed: Value = serde_json::from_str(&fs_err::read_to_string(told)?)?;
        parse.push(parsed["seconds"].as_f64().context("seconds")?);
        let (report, peak) = run_index(bench, &tree)?;
        cold.push(report_seconds(&report));
        memory = memory.max(peak);
        idle.push(report_seconds(&run_index(bench, &tree)?.0));
        last = (parsed, report);
    }
    let (parsed, report) = last;
    let size = bytes_below(&bench.scratch.join("home").join("cache"))?;
    let source = parsed["all_bytes"].as_u64().unwrap_or(1);
    let cold = sorted_median(&mut cold);
    let idle = sorted_median(&mut idle);
    let parse = sorted_median(&mut parse);
    Ok(json!({
        "files": report["files"], "symbols": report["symbols"], "edges": report["edges"],
        "parsed_files": parsed["files"], "parsed_megabytes": to_megabytes(parsed["bytes"].as_u64().unwrap_or(0)),
        "cold_seconds": round_thousandths(cold), "bare_parse_seconds": round_thousandths(parse), "cold_to_parse": round_thousandths(cold / parse),
        "nothing_to_do_seconds": round_thousandths(idle), "nothing_to_do_to_cold": round_thousandths(idle / cold),
        "index_megabytes": to_megabytes(size), "index_to_source": round_thousandths(size as f64 / source as f64),
        "peak_memory_megabytes": to_megabytes(memory),
        "one_changed_file": one_changed_file(bench, &tree, workload_number(workload, "saves")?)?,
    }))
}

/// The baseline: an example of the syntax crate that only parses.
fn bare_parser() -> Result<PathBuf> {
    process::run_command(cargo_command(
        repository::root(),
        &["build", "--release", "--quiet", "--package", "syntax", "--example", "bare_parse"],
    ))?;
    Ok(repository::target_directory()?.join("release").join("examples").join("bare_parse"))
}

/// One run of `epitome index`, with the most memory it held, in bytes.
fn run_index(bench: &BenchSetup, tree: &Path) -> Result<(Value, u64)> {
    let mut child = Command::new(&bench.binary)
        .args(["index", "--json", "--quiet", "--project"])
        .arg(tree)
        .env("EPITOME_HOME", bench.scratch.join("home"))
        .stdout(Stdio::piped())
        .spawn()?;
    let status = PathBuf::from(format!("/proc/{}/status", child.id()));
    let reader = std::thread::spawn({
        let output = child.stdout.take().context("standard output")?;
        move || std::io::read_to_string(output)
    });
    let mut peak = 0;
    while child.try_wait()?.is_none() {
        // The kernel keeps the high-water mark; the last look before the end is close to it.
        let text = fs_err::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0");
        let kilobytes: u64 = line.split_whitespace().next().and_then(|word| word.parse().ok()).unwrap_or(0);
        peak = peak.max(kilobytes * 1024);
        std::thread::sleep(Duration::from_millis(10));
    }
    let printed = reader.join().map_err(|_| anyhow::anyhow!("the reader panicked"))??;
    let report: Value = serde_json::from_str(&printed)?;
    ensure!(report.get("elapsed_ms").is_some(), "not a report: {printed}");
    Ok((report, peak))
}

/// Something is wrong with a save that takes longer.
const SAVE_TIMEOUT: Duration = Duration::from_mins(1);

/// From the save of a file to the word that it and its edges are in the index, while `epitome watch` runs.
fn one_changed_file(bench: &BenchSetup, tree: &Path, saves: usize) -> Result<Value> {
    let file = tree.join("bench_saved.py");
    fs_err::write(&file, "def first(): pass\n")?;
    let mut child = Command::new(&bench.binary)
        .args(["watch", "--json", "--quiet", "--project"])
        .arg(tree)
        .env("EPITOME_HOME", bench.scratch.join("home"))
        .stdout(Stdio::piped())
        .spawn()?;
    let lines = BufReader::new(child.stdout.take().context("standard output")?).lines();
    let (word, words) = mpsc::channel();
    std::thread::spawn(move || lines.map_while(Result::ok).all(|line| word.send(line).is_ok()));
    // The first line says that the watch runs; a save before it would not be seen.
    words.recv_timeout(SAVE_TIMEOUT).context("no first line")?;
    let mut waited = Vec::new();
    for number in 0..saves {
        // A person saves files with pauses between them.
        std::thread::sleep(Duration::from_millis(200));
        let started = Instant::now();
        fs_err::write(&file, format!("def saved_{number}(): pass\n"))?;
        words.recv_timeout(SAVE_TIMEOUT).context("no line for the save")?;
        waited.push(started.elapsed().as_secs_f64());
    }
    child.kill()?;
    child.wait()?;
    fs_err::remove_file(file)?;
    Ok(duration_percentiles(waited))
}

fn report_seconds(report: &Value) -> f64 {
    report["elapsed_ms"].as_f64().unwrap_or_default() / 1_000.0
}

fn sorted_median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn to_megabytes(bytes: u64) -> f64 {
    round_thousandths(bytes as f64 / 1e6)
}

pub(super) fn bytes_below(folder: &Path) -> Result<u64> {
    let mut sum = 0;
    for entry in fs_err::read_dir(folder)? {
        let (path, kind) = entry.map(|entry| (entry.path(), entry.metadata()))?;
        let metadata = kind?;
        sum += if metadata.is_dir() { bytes_below(&path)? } else { metadata.len() };
    }
    Ok(sum)
}
