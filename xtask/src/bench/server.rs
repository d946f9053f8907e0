//! What a server takes of the machine while it answers an agent, and what its replies cost the agent.
//!
//! Where `EPITOME_BENCH_BEFORE` names another binary, both take turns, and each figure is told as a ratio to that one's.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use toml::Table;

use super::corpus::corpus;
use super::questions::{definitions, in_words_of, sample};
use super::session::Session;
use super::{Bench, number, percentiles, round, usage};
use crate::process::{self, command};

const BUDGETS: [u32; 5] = [200, 500, 1_000, 2_000, 4_000];

/// Memory of `epitome mcp` idle, after searches and after answers within a budget; searches of a warm server in a
/// directory that is no repository; tokens of replies against their budget, and bytes sent against those of the text.
pub(crate) fn run(bench: &Bench, workload: &Table) -> Result<Value> {
    let tree = plain_copy(bench, &corpus(workload)?)?;
    let home = bench.scratch.join("home");
    let definitions = definitions(bench, &home, &tree)?;
    let most = number(workload, "questions")?;
    let questions: Vec<String> = sample(&definitions, most)
        .filter_map(|line| line["name"].as_str())
        .enumerate()
        .map(|(at, name)| in_words_of(name, at))
        .collect();
    let before = std::env::var_os("EPITOME_BENCH_BEFORE").map(PathBuf::from);
    let binaries: Vec<&Path> = before.as_deref().into_iter().chain([bench.binary.as_path()]).collect();
    let mut measured: Vec<Measured> = binaries.iter().map(|_| Measured::default()).collect();
    for _ in 0..number(workload, "rounds")? {
        for (binary, measured) in binaries.iter().zip(&mut measured) {
            measured.add(bench, binary, &home, &tree, &questions)?;
        }
    }
    let told: Vec<Value> = measured.iter().map(Measured::told).collect();
    Ok(match told.as_slice() {
        [before, now] => json!({ "before": before, "now": now, "now_to_before": ratios(before, now) }),
        _ => json!({ "now": told[0] }),
    })
}

/// The corpus without version control: what a server does for a plain directory is the harder case.
fn plain_copy(bench: &Bench, tree: &Path) -> Result<PathBuf> {
    let copied = bench.scratch.join("plain");
    let (from, to) = (tree.display().to_string(), copied.display().to_string());
    process::read(command(&bench.scratch, "cp", &["-r", &from, &to]))?;
    fs_err::remove_dir_all(copied.join(".git"))?;
    Ok(copied)
}

/// What was seen of one binary, a sample a round or a question.
#[derive(Default)]
struct Measured {
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

impl Measured {
    fn add(&mut self, bench: &Bench, binary: &Path, home: &Path, tree: &Path, questions: &[String]) -> Result<()> {
        let mut session = Session::start(binary, "core", home, tree)?;
        let help = json!({ "operation": "help" });
        session.result("epitome", &help)?;
        self.idle.push(usage::held_megabytes(session.process())?);
        let search = |query: &str| json!({ "operation": "search", "arguments": { "query": query } });
        session.result("epitome", &search("where does it begin"))?;
        // A watch begins with a look at every directory.
        std::thread::sleep(std::time::Duration::from_secs(2));
        for question in questions {
            self.searches.push(session.result("epitome", &search(question))?.1);
        }
        self.after_searches.push(usage::held_megabytes(session.process())?);
        for (question, budget) in questions.iter().zip(BUDGETS.iter().cycle()) {
            let (result, seconds) = session.result("context", &json!({ "query": question, "budget": budget }))?;
            self.contexts.push(seconds);
            let text = result["content"][0]["text"].as_str().context("text")?;
            self.sent_to_text.push(result.to_string().len() as f64 / text.len() as f64);
            self.shares.push(tokens(bench, text)? / f64::from(*budget));
        }
        self.after_contexts.push(usage::held_megabytes(session.process())?);
        session.close()
    }

    fn told(&self) -> Value {
        json!({
            "idle_megabytes": median(&self.idle),
            "after_searches_megabytes": median(&self.after_searches),
            "after_contexts_megabytes": median(&self.after_contexts),
            "search_in_a_plain_directory": percentiles(self.searches.clone()),
            "context_in_a_plain_directory": percentiles(self.contexts.clone()),
            "text_tokens_to_budget": { "median": median(&self.shares), "most": round(most(&self.shares)) },
            "sent_bytes_to_text_bytes": { "median": median(&self.sent_to_text), "most": round(most(&self.sent_to_text)) },
        })
    }
}

/// Each number of one against that of the other.
fn ratios(before: &Value, now: &Value) -> Value {
    match (before, now) {
        (Value::Object(before), Value::Object(now)) => now
            .iter()
            .filter(|(name, _)| *name != "samples")
            .map(|(name, now)| (name.clone(), ratios(&before[name], now)))
            .collect(),
        (before, now) => json!(before.as_f64().zip(now.as_f64()).map(|(before, now)| round(now / before))),
    }
}

/// Tokens of a text, counted as a file by the binary.
fn tokens(bench: &Bench, text: &str) -> Result<f64> {
    let folder = bench.scratch.join("counted");
    fs_err::create_dir_all(&folder)?;
    fs_err::write(folder.join("text.txt"), text)?;
    let mut read = command(&folder, &bench.binary, &["read", "text.txt", "--mode", "raw", "--json", "--project", "."]);
    read.env("EPITOME_HOME", bench.scratch.join("counting"));
    let reply: Value = serde_json::from_str(&process::read(read)?)?;
    reply["tokens"].as_f64().context("a number of tokens")
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().map_or(0.0, round)
}

fn most(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}
