//! Benchmark of `recall`: the share of the messages that answer a question which are among the first three and ten
//! results, by set and category. The sets are other people's and stay outside of the repository: `BENCH_CONVERSATIONS`
//! names a folder with a folder for each set, which has a file for each case,
//! `{"conversations": [{"name", "messages": [{"id", "role", "speaker", "session", "content", "at"}]}],
//! "questions": [{"query", "gold": [id], "category"}]}`.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use toml::Table;

use super::session::McpSession;
use super::{BenchSetup, duration_percentiles, round_thousandths};

/// Conversations that are stored together, and questions about them.
struct BenchCase(Value);

impl BenchCase {
    fn conversations(&self) -> impl Iterator<Item = (&str, &[Value])> {
        entries(&self.0["conversations"])
            .iter()
            .map(|it| (it["name"].as_str().unwrap_or("case"), entries(&it["messages"])))
    }
}

fn entries(list: &Value) -> &[Value] {
    list.as_array().map_or(&[], Vec::as_slice)
}

/// How many results are asked for.
const ASKED_RESULTS: usize = 100;

pub(crate) fn run(bench: &BenchSetup, _: &Table) -> Result<Value> {
    let folder = std::env::var_os("BENCH_CONVERSATIONS").context("BENCH_CONVERSATIONS names no folder of sets")?;
    let mut sets = serde_json::Map::new();
    for set in list_sorted(&PathBuf::from(folder))?.into_iter().filter(|path| path.is_dir()) {
        let name = set.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut scores = SetScores::default();
        for file in list_sorted(&set)? {
            let case = serde_json::from_str(&fs_err::read_to_string(&file)?);
            let case = BenchCase(case.with_context(|| format!("in {}", file.display()))?);
            scores.ask_case(bench, &case).with_context(|| format!("{}", file.display()))?;
        }
        sets.insert(name, scores.to_json());
    }
    ensure!(!sets.is_empty(), "BENCH_CONVERSATIONS has no set");
    Ok(json!({ "sets": sets }))
}

fn list_sorted(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut paths: Vec<PathBuf> = fs_err::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    paths.sort();
    Ok(paths)
}

/// What the questions of a set came to.
#[derive(Default)]
struct SetScores {
    by_category: BTreeMap<String, Vec<QuestionScore>>,
    seconds: Vec<f64>,
}

#[derive(Clone, Copy)]
struct QuestionScore {
    /// The share of its messages among the first ten results.
    recall: f64,
    /// Whether one of them is among the first three.
    is_early: bool,
    /// One over the rank of the first of them.
    reciprocal: f64,
}

impl SetScores {
    fn ask_case(&mut self, bench: &BenchSetup, case: &BenchCase) -> Result<()> {
        // A home for each case: a set measures search within it, not among the other cases.
        let home = bench.scratch.join("home");
        if home.exists() {
            fs_err::remove_dir_all(&home)?;
        }
        fs_err::create_dir_all(&home)?;
        let mut ids: HashMap<String, String> = HashMap::new();
        for (name, messages) in case.conversations() {
            ingest_conversation(bench, &home, name, messages, &mut ids)?;
        }
        let mut session = McpSession::open(bench, &home, &home)?;
        // The first question builds the index.
        session.call_operation("recall", &json!({ "query": "warm", "limit": 1 }))?;
        for question in entries(&case.0["questions"]) {
            let asked = json!({ "query": question["query"], "limit": ASKED_RESULTS, "within": "all" });
            let (reply, seconds) = session.call_operation("recall", &asked)?;
            self.seconds.push(seconds);
            let found: Vec<&str> = reply["results"]
                .as_array()
                .context("a reply without results")?
                .iter()
                .filter_map(|result| ids.get(result["message_id"].as_str()?).map(String::as_str))
                .collect();
            let score = QuestionScore::new(&question["gold"], &found);
            let category = question["category"].as_str().unwrap_or_default().to_owned();
            self.by_category.entry(category).or_default().push(score);
        }
        session.close()
    }

    fn to_json(&self) -> Value {
        let all: Vec<QuestionScore> = self.by_category.values().flatten().copied().collect();
        let categories: BTreeMap<&String, Value> =
            self.by_category.iter().map(|(category, scores)| (category, summarize_scores(scores))).collect();
        let latency = duration_percentiles(self.seconds.clone());
        json!({ "all": summarize_scores(&all), "categories": categories, "latency": latency })
    }
}

impl QuestionScore {
    /// Of the ids that answer a question, and those that were found, best first.
    fn new(gold: &Value, found: &[&str]) -> Self {
        let gold: HashSet<&str> = entries(gold).iter().filter_map(Value::as_str).collect();
        let first = found.iter().position(|id| gold.contains(id));
        let held = found.iter().take(10).filter(|id| gold.contains(**id)).count();
        Self {
            recall: held as f64 / (gold.len() as f64).max(1.0),
            is_early: first.is_some_and(|rank| rank < 3),
            reciprocal: first.map_or(0.0, |rank| 1.0 / (rank + 1) as f64),
        }
    }
}

fn summarize_scores(scores: &[QuestionScore]) -> Value {
    let mean = |value: fn(&QuestionScore) -> f64| {
        round_thousandths(scores.iter().map(value).sum::<f64>() / (scores.len() as f64).max(1.0))
    };
    json!({
        "questions": scores.len(),
        "recall_at_10": mean(|score| score.recall),
        "in_first_three": scores.iter().filter(|score| score.is_early).count(),
        "reciprocal_rank": mean(|score| score.reciprocal),
    })
}

/// Stores a conversation, and notes which id of the store each id of the set became.
pub(super) fn ingest_conversation(
    bench: &BenchSetup,
    home: &Path,
    name: &str,
    messages: &[Value],
    ids: &mut HashMap<String, String>,
) -> Result<()> {
    let mut child = Command::new(&bench.binary)
        .args(["ingest", "--conversation", name])
        .env("EPITOME_HOME", home)
        .current_dir(home)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut input = child.stdin.take().context("standard input")?;
    let lines: String = messages.iter().map(|message| format!("{message}\n")).collect();
    // On a thread of its own: the program acknowledges while it reads, and both pipes are bounded.
    let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()));
    let output = child.wait_with_output()?;
    writer.join().expect("the writer does not panic")?;
    ensure!(output.status.success(), "epitome ingest ended with {}", output.status);
    let acknowledged = String::from_utf8(output.stdout)?;
    let acknowledged: Vec<&str> = acknowledged.lines().filter(|line| !line.trim().is_empty()).collect();
    ensure!(acknowledged.len() == messages.len(), "not every message was acknowledged");
    for (line, message) in acknowledged.iter().zip(messages) {
        let reply: Value = serde_json::from_str(line)?;
        let id = reply["message_id"].as_str().context("an acknowledgement without an id")?;
        ids.insert(id.to_owned(), message["id"].as_str().unwrap_or_default().to_owned());
    }
    Ok(())
}
