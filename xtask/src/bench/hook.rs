//! Benchmark of hook latency: runs `epitome hook` as an agent does, against a process that does nothing, for a tool
//! call and for a prompt that is answered from earlier messages, with the daemon and without it.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use toml::Table;

use super::index::bytes_below;
use super::transcripts::generate_text;
use super::{BenchSetup, duration_percentiles, round_thousandths, workload_number};
use crate::seeded_random::SeededRandom;

pub(crate) fn run(bench: &BenchSetup, workload: &Table) -> Result<Value> {
    let home = &bench.scratch;
    let mut chance = SeededRandom::new(7);
    let mean = workload_number(workload, "mean_bytes")? as u64;
    let told = workload_number(workload, "told_in_one_of")?;
    let lines: String = (0..workload_number(workload, "messages")?)
        .map(|index| {
            let mut text = if mean == 0 { String::new() } else { generate_text(&mut chance, mean, index) };
            if index.is_multiple_of(told) {
                text += &format!("Message {index} says that topic{} was settled with answer{index}.", index % 97);
            }
            format!("{}\n", json!({ "role": "user", "content": text, "id": index.to_string() }))
        })
        .collect();
    time_command(&bench.binary, home, &["ingest", "--conversation", "before"], &lines)?;
    // The index of passages is built by the first question, which no later hook should pay for.
    time_command(&bench.binary, home, &["recall", "topic5 settled", "--within", "all"], "")?;
    let output = "a line of what a command printed\n".repeat(workload_number(workload, "output_lines")?);
    let tool = json!({
        "session_id": "bench", "cwd": home, "tool_name": "Bash", "tool_use_id": "toolu_1",
        "tool_input": { "command": "build" }, "tool_response": { "stdout": output, "stderr": "" },
    });
    // Each prompt begins a session: one that was told an answer is not told it again.
    let ask = |settings: &[(&str, &str)], session: &str| -> Result<f64> {
        let question = "How was topic7 settled, with which answer?";
        let prompt = json!({ "session_id": session, "cwd": home, "prompt": question });
        let arguments = ["hook", "UserPromptSubmit"];
        let (seconds, answer) = run_timed(settings, &bench.binary, home, &arguments, &prompt.to_string())?;
        ensure!(!answer.is_empty(), "the prompt of session {session} was not answered");
        Ok(seconds)
    };
    let mut tools = Vec::new();
    let mut prompts = Vec::new();
    let mut alone = Vec::new();
    let mut nothing = Vec::new();
    // The first hook leaves the daemon behind; from then on the daemon answers.
    ask(&[], "first")?;
    while !is_served(bench)? {
        std::thread::sleep(Duration::from_millis(50));
    }
    for round in 0..workload_number(workload, "rounds")? {
        tools.push(time_command(&bench.binary, home, &["hook", "PostToolUse"], &tool.to_string())?);
        prompts.push(ask(&[], &format!("round-{round}"))?);
        // Measured in turns with ours, so that a busy moment of the machine hits both.
        nothing.push(time_command(Path::new("true"), home, &[], "")?);
    }
    // The daemon leaves when it is idle, and then the rounds would have measured something else.
    ensure!(is_served(bench)?, "the daemon left while it was measured");
    time_command(&bench.binary, home, &["daemon", "stop"], "")?;
    for round in 0..workload_number(workload, "rounds")? / 4 {
        alone.push(ask(&[("EPITOME_HOOKS_DAEMON_SECONDS", "0")], &format!("alone-{round}"))?);
    }
    let stored = bytes_below(home)? >> 20;
    let tools = with_p99(tools);
    let prompts = with_p99(prompts);
    let alone = duration_percentiles(alone);
    let nothing = duration_percentiles(nothing);
    let ratio = |ours: &Value| {
        round_thousandths(ours["median_ms"].as_f64().unwrap_or_default() / nothing["median_ms"].as_f64().unwrap_or(1.0))
    };
    Ok(json!({
        "tool_ratio_of_medians": ratio(&tools), "tool": tools, "prompt": prompts,
        "prompt_without_daemon": alone, "true": nothing, "store_megabytes": stored,
    }))
}

fn is_served(bench: &BenchSetup) -> Result<bool> {
    let mut status = Command::new(&bench.binary);
    status.args(["daemon", "status", "--json"]).current_dir(&bench.scratch).env("EPITOME_HOME", &bench.scratch);
    let status: Value = serde_json::from_slice(&status.output()?.stdout)?;
    Ok(status["running"] == true)
}

/// What the slowest of a hundred take, too: an agent waits for them.
fn with_p99(mut seconds: Vec<f64>) -> Value {
    let mut value = duration_percentiles(seconds.clone());
    seconds.sort_by(f64::total_cmp);
    value["p99_ms"] = json!(round_thousandths(seconds[(seconds.len() - 1) * 99 / 100] * 1_000.0));
    value
}

fn time_command(program: &Path, home: &Path, arguments: &[&str], input: &str) -> Result<f64> {
    Ok(run_timed(&[], program, home, arguments, input)?.0)
}

/// Runs a program; gives the seconds that it took and what it printed.
fn run_timed(
    variables: &[(&str, &str)],
    program: &Path,
    home: &Path,
    arguments: &[&str],
    input: &str,
) -> Result<(f64, Vec<u8>)> {
    let started = Instant::now();
    let mut child = Command::new(program)
        .args(arguments)
        .current_dir(home)
        .env("EPITOME_HOME", home)
        .envs(variables.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    // `true` does not read its input.
    let _ = child.stdin.take().context("standard input")?.write_all(input.as_bytes());
    let ended = child.wait_with_output()?;
    let seconds = started.elapsed().as_secs_f64();
    ensure!(ended.status.success(), "{} {arguments:?} ended with {}", program.display(), ended.status);
    Ok((seconds, ended.stdout))
}
