//! Benchmark of conversation memory at the size of a year: import, recall, grep, assembly and folds, each against a
//! baseline that does the work without us (a copy of the same bytes, for one).

use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use toml::Table;

use super::index::bytes_below;
use super::session::McpSession;
use super::{BenchSetup, duration_percentiles, ingest, round_thousandths, transcripts, usage, workload_number};
use crate::process::{self, command_in};
use crate::seeded_random::SeededRandom;

/// The cost depends on the pattern: rare words, a class of many words, and a word that does not occur.
const PATTERNS: [&str; 3] = ["error\\[E07[0-9]+\\]: kare", "src/[a-z]+/quixa[a-z]*\\.rs:8", "never written anywhere"];

pub(crate) fn run(bench: &BenchSetup, workload: &Table) -> Result<Value> {
    let folder = bench.scratch.join("transcripts");
    let bytes = workload_number(workload, "megabytes")? as u64 * 1_000_000;
    let messages = workload_number(workload, "messages")? as u64;
    let written = transcripts::write_transcripts(&folder, bytes, messages)?;
    let home = bench.scratch.join("home");
    let imported = measure_import(bench, &home, &folder, written.bytes)?;
    let sizes = measure_sizes(&home, written.bytes)?;
    let asked = measure_questions(bench, &home, &folder, &written.questions)?;
    Ok(json!({
        "transcripts": { "megabytes": round_thousandths(written.bytes as f64 / 1e6), "messages": written.messages },
        "import": imported,
        "archive_alone": archive_alone(bench, workload)?,
        "sizes": sizes,
        "asked": asked,
        "fold": measure_fold(bench, workload_number(workload, "fold_tokens")?)?,
        "long": measure_growth(bench, workload_number(workload, "long_messages")?)?,
        "ingest_grouped": ingest::measure_grouped(bench, &ingest_workload(20_000))?,
        "ingest_single": ingest::measure_single(bench, &ingest_workload(1_000))?,
    }))
}

/// The workloads of ingest alone, with these numbers.
fn ingest_workload(messages: i64) -> Table {
    Table::from_iter([("messages".to_owned(), messages.into()), ("bytes".to_owned(), 1_000.into())])
}

/// Seconds of `epitome import`, against copying the same bytes to the same disk.
fn measure_import(bench: &BenchSetup, home: &Path, from: &Path, bytes: u64) -> Result<Value> {
    let started = Instant::now();
    let mut import = command_in(&bench.scratch, &bench.binary, &["import", "--agent", "claude-code", "--quiet"]);
    // The home is a new one, so the import starts from nothing.
    process::read_output({
        import.arg(from).env("EPITOME_HOME", home);
        import
    })?;
    let seconds = started.elapsed().as_secs_f64();
    let started = Instant::now();
    let copied = bench.scratch.join("copied");
    let into = fs_err::File::create(&copied)?;
    let mut writer = std::io::BufWriter::new(into);
    for entry in list_files(from)? {
        std::io::copy(&mut fs_err::File::open(entry)?, &mut writer)?;
    }
    writer.flush()?;
    // Synced, as an import is: a copy that only reaches the cache would be no baseline.
    writer.get_ref().sync_all()?;
    let copying = started.elapsed().as_secs_f64();
    fs_err::remove_file(copied)?;
    let rate = |seconds: f64| round_thousandths(bytes as f64 / 1e6 / seconds);
    Ok(
        json!({ "megabytes_per_second": rate(seconds), "copied_megabytes_per_second": rate(copying), "times_copying": round_thousandths(seconds / copying) }),
    )
}

/// Lines that are kept and make no message.
fn archive_alone(bench: &BenchSetup, workload: &Table) -> Result<Value> {
    let folder = bench.scratch.join("other");
    fs_err::create_dir_all(&folder)?;
    let path = folder.join("5e551011-0000-4000-8000-000000000001.jsonl");
    let bytes = workload_number(workload, "megabytes")? as u64 * 1_000_000 / 2;
    transcripts::write_other(&path, bytes)?;
    let measured = measure_import(bench, &bench.scratch.join("other-home"), &folder, bytes)?;
    fs_err::remove_dir_all(folder)?;
    Ok(measured)
}

/// Bytes on disk against those of the transcripts.
fn measure_sizes(home: &Path, transcripts: u64) -> Result<Value> {
    let of = |part: &str| -> Result<f64> {
        let folder = home.join(part);
        let bytes = if folder.exists() { bytes_below(&folder)? } else { 0 };
        Ok(round_thousandths(bytes as f64 / transcripts as f64))
    };
    Ok(json!({ "data_to_transcripts": of("data")?, "cache_to_transcripts": of("cache")? }))
}

fn list_files(folder: &Path) -> Result<Vec<std::path::PathBuf>> {
    let mut found = Vec::new();
    for entry in fs_err::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { found.extend(list_files(&path)?) } else { found.push(path) }
    }
    found.sort();
    Ok(found)
}

/// Questions to a warm process.
fn measure_questions(bench: &BenchSetup, home: &Path, transcripts: &Path, questions: &[String]) -> Result<Value> {
    // An empty project, so that keeping an index of files up to date is no part of this.
    let project = bench.scratch.join("project");
    fs_err::create_dir_all(&project)?;
    let mut session = McpSession::open(bench, home, &project)?;
    let (first, cold) = session.call_operation("recall", &json!({ "query": questions[0], "within": "all" }))?;
    // A question without an answer would be answered fast.
    ensure!(first["results"].as_array().is_some_and(|found| !found.is_empty()), "nothing is recalled: {first}");
    let mut recalls = Vec::new();
    let mut busy = Vec::new();
    for question in questions {
        let before = usage::cpu_seconds(session.process_id())?;
        recalls.push(session.call_operation("recall", &json!({ "query": question, "within": "all" }))?.1);
        busy.push(usage::cpu_seconds(session.process_id())? - before);
    }
    let mut patterns = Vec::new();
    for pattern in PATTERNS {
        let mut ours = Vec::new();
        let mut theirs = Vec::new();
        let mut total = Value::Null;
        for _ in 0..5 {
            let (reply, seconds) =
                session.call_operation("grep", &json!({ "pattern": pattern, "scope": "messages", "within": "all" }))?;
            total = reply["total"].clone();
            ours.push(seconds);
            theirs.push(system_grep(transcripts, pattern)?);
        }
        patterns.push(
            json!({ "pattern": pattern, "found": total, "epitome": duration_percentiles(ours), "grep": duration_percentiles(theirs) }),
        );
    }
    let conversation = first["results"][0]["conversation_id"].as_str().context("a conversation")?.to_owned();
    session.call_operation("compact", &json!({ "conversation": conversation }))?;
    let mut assembled = Vec::new();
    for _ in 0..20 {
        assembled.push(session.call_operation("assemble", &json!({ "conversation": conversation }))?.1);
    }
    let memory = usage::peak_megabytes(session.process_id())?;
    session.close()?;
    Ok(json!({
        "recall_first_seconds": round_thousandths(cold),
        "recall": duration_percentiles(recalls),
        "recall_cpu": duration_percentiles(busy),
        "grep": patterns,
        "assemble": duration_percentiles(assembled),
        "peak_megabytes": round_thousandths(memory),
    }))
}

/// The same pattern over the same bytes, by the system's own program.
fn system_grep(folder: &Path, pattern: &str) -> Result<f64> {
    let started = Instant::now();
    let status = Command::new("grep").args(["-r", "-E", "-c", pattern]).arg(folder).output()?.status;
    // Status 1 means that nothing was found, which one of the patterns intends.
    ensure!(status.code().is_some_and(|code| code < 2), "grep ended with {status}");
    Ok(started.elapsed().as_secs_f64())
}

/// One long session, folded by the built-in summarizer.
fn measure_fold(bench: &BenchSetup, tokens: usize) -> Result<Value> {
    let home = bench.scratch.join("fold-home");
    let mut chance = SeededRandom::new(7);
    let mut feed = ingest::IngestProcess::start(bench, &home, "long")?;
    // A token of such text is about three bytes.
    let mut bytes = 0;
    let mut messages = 0;
    while bytes < tokens * 3 {
        let text = transcripts::generate_text(&mut chance, 1_600, messages);
        bytes += text.len();
        messages += 1;
        feed.send_text(&text)?;
        feed.read_acknowledgement()?;
    }
    feed.finish()?;
    let mut session = McpSession::open(bench, &home, &bench.scratch)?;
    let (reply, seconds) = session.call_operation("compact", &json!({ "conversation": "long" }))?;
    session.close()?;
    let run = &reply["runs"][0];
    Ok(json!({
        "seconds": round_thousandths(seconds), "messages": messages, "summaries": run["summaries"],
        "tokens_before": run["tokens_before"], "tokens_after": run["tokens_after"],
    }))
}

/// One conversation that does not end: what an append costs early and late, and the memory it takes.
fn measure_growth(bench: &BenchSetup, messages: usize) -> Result<Value> {
    let mut feed = ingest::IngestProcess::start(bench, &bench.scratch.join("long-home"), "long")?;
    let block = messages / 10;
    let mut seconds = Vec::new();
    let process = feed.process_id();
    for _ in 0..10 {
        let started = Instant::now();
        feed.stream_messages(block, 100)?;
        seconds.push(started.elapsed().as_secs_f64());
    }
    let memory = usage::peak_megabytes(process)?;
    feed.finish()?;
    let rate = |seconds: f64| round_thousandths(block as f64 / seconds);
    Ok(json!({
        "messages": messages,
        "messages_per_second_of_each_tenth": seconds.iter().map(|seconds| rate(*seconds)).collect::<Vec<_>>(),
        // The first tenth makes the tables and warms the caches, so the second one is compared with the last.
        "last_tenth_to_second": round_thousandths(seconds[9] / seconds[1]),
        "peak_megabytes": round_thousandths(memory),
    }))
}
