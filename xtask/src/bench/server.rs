//! Benchmark of an `epitome mcp` server: memory and CPU time while it answers an agent, and the tokens of its replies.
//! Where `EPITOME_BENCH_BEFORE` names another binary, both take turns, and each figure is reported as a ratio to the
//! figure of that binary.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use toml::Table;

use super::corpus::fetch_corpus;
use super::questions::{export_definitions, in_words_of, sample_functions};
use super::session::McpSession;
use super::{BenchSetup, duration_percentiles, round_thousandths, usage, workload_number};
use crate::process::{self, command_in};

const BUDGETS: [u32; 5] = [200, 500, 1_000, 2_000, 4_000];

/// Memory of `epitome mcp` idle, after searches and after answers within a budget; searches of a warm server in a
/// directory that is no repository; tokens of replies against their budget, and bytes sent against those of the text.
pub(crate) fn run(bench: &BenchSetup, workload: &Table) -> Result<Value> {
    let tree = plain_copy(bench, &fetch_corpus(workload)?)?;
    let home = bench.scratch.join("home");
    let definitions = export_definitions(bench, &home, &tree)?;
    let most = workload_number(workload, "questions")?;
    let questions: Vec<String> = sample_functions(&definitions, most)
        .filter_map(|line| line["name"].as_str())
        .enumerate()
        .map(|(at, name)| in_words_of(name, at))
        .collect();
    let before = std::env::var_os("EPITOME_BENCH_BEFORE").map(PathBuf::from);
    let binaries: Vec<&Path> = before.as_deref().into_iter().chain([bench.binary.as_path()]).collect();
    let mut measured: Vec<ServerMeasure> = binaries.iter().map(|_| ServerMeasure::default()).collect();
    for _ in 0..workload_number(workload, "rounds")? {
        // The two binaries take turns within a round, so that the load of the machine hits both.
        for (binary, measured) in binaries.iter().zip(&mut measured) {
            measured.measure_round(bench, binary, &home, &tree, &questions)?;
        }
    }
    let told: Vec<Value> = measured.iter().map(ServerMeasure::to_json).collect();
    Ok(match told.as_slice() {
        [before, now] => json!({ "before": before, "now": now, "now_to_before": number_ratios(before, now) }),
        _ => json!({ "now": told[0] }),
    })
}

/// The corpus without version control: what a server does for a plain directory is the harder case.
fn plain_copy(bench: &BenchSetup, tree: &Path) -> Result<PathBuf> {
    let copied = bench.scratch.join("plain");
    let from = tree.display().to_string();
    let to = copied.display().to_string();
    process::read_output(command_in(&bench.scratch, "cp", &["-r", &from, &to]))?;
    // A plain directory is the harder case: without git every file has to be looked at.
    fs_err::remove_dir_all(copied.join(".git"))?;
    Ok(copied)
}

/// The samples of one binary, one for each round or question.
#[derive(Default)]
struct ServerMeasure {
    idle: Vec<f64>,
    after_searches: Vec<f64>,
    after_contexts: Vec<f64>,
    searches: Vec<f64>,
    contexts: Vec<f64>,
    /// Of each budget, the share of it that the text costs.
    shares: Vec<f64>,
    /// Bytes of all that is sent, against those of the text.
    sent_to_text: Vec<f64>,
}

impl ServerMeasure {
    fn measure_round(
        &mut self,
        bench: &BenchSetup,
        binary: &Path,
        home: &Path,
        tree: &Path,
        questions: &[String],
    ) -> Result<()> {
        let mut session = McpSession::start(binary, "core", home, tree)?;
        let help = json!({ "operation": "help" });
        session.call_tool("epitome", &help)?;
        self.idle.push(usage::held_megabytes(session.process_id())?);
        let search = |query: &str| json!({ "operation": "search", "arguments": { "query": query } });
        session.call_tool("epitome", &search("where does it begin"))?;
        // A watch begins with a look at every directory; the figures are those of the time after it.
        std::thread::sleep(std::time::Duration::from_secs(2));
        for question in questions {
            self.searches.push(session.call_tool("epitome", &search(question))?.1);
        }
        self.after_searches.push(usage::held_megabytes(session.process_id())?);
        for (question, budget) in questions.iter().zip(BUDGETS.iter().cycle()) {
            let (result, seconds) = session.call_tool("context", &json!({ "query": question, "budget": budget }))?;
            self.contexts.push(seconds);
            let text = result["content"][0]["text"].as_str().context("text")?;
            self.sent_to_text.push(result.to_string().len() as f64 / text.len() as f64);
            // Counted by the binary under test, since budgets are in its tokens.
            self.shares.push(count_tokens(bench, text)? / f64::from(*budget));
        }
        self.after_contexts.push(usage::held_megabytes(session.process_id())?);
        session.close()
    }

    fn to_json(&self) -> Value {
        json!({
            "idle_megabytes": rounded_median(&self.idle),
            "after_searches_megabytes": rounded_median(&self.after_searches),
            "after_contexts_megabytes": rounded_median(&self.after_contexts),
            "search_in_a_plain_directory": duration_percentiles(self.searches.clone()),
            "context_in_a_plain_directory": duration_percentiles(self.contexts.clone()),
            "text_tokens_to_budget": { "median": rounded_median(&self.shares), "most": round_thousandths(largest_value(&self.shares)) },
            "sent_bytes_to_text_bytes": { "median": rounded_median(&self.sent_to_text), "most": round_thousandths(largest_value(&self.sent_to_text)) },
        })
    }
}

/// Each number of one against that of the other.
fn number_ratios(before: &Value, now: &Value) -> Value {
    match (before, now) {
        (Value::Object(before), Value::Object(now)) => now
            .iter()
            .filter(|(name, _)| *name != "samples")
            .map(|(name, now)| (name.clone(), number_ratios(&before[name], now)))
            .collect(),
        (before, now) => json!(before.as_f64().zip(now.as_f64()).map(|(before, now)| round_thousandths(now / before))),
    }
}

/// Tokens of a text, counted as a file by the binary.
fn count_tokens(bench: &BenchSetup, text: &str) -> Result<f64> {
    let folder = bench.scratch.join("counted");
    fs_err::create_dir_all(&folder)?;
    fs_err::write(folder.join("text.txt"), text)?;
    let mut read =
        command_in(&folder, &bench.binary, &["read", "text.txt", "--mode", "raw", "--json", "--project", "."]);
    read.env("EPITOME_HOME", bench.scratch.join("counting"));
    let reply: Value = serde_json::from_str(&process::read_output(read)?)?;
    reply["tokens"].as_f64().context("a number of tokens")
}

fn rounded_median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().map_or(0.0, round_thousandths)
}

fn largest_value(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}
