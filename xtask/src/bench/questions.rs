//! Benchmark of query latency in a warm MCP process (read a symbol, walk the graph, search, context, queries right
//! after a save), and of the tokens that shortened views save.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use toml::Table;

use super::corpus::fetch_corpus;
use super::session::McpSession;
use super::{BenchSetup, duration_percentiles, round_thousandths, workload_number};
use crate::process::{self, command_in};

/// Reading one symbol, walking two steps of the graph, searching by name and in words, and answers within a budget, each
/// asked over MCP on standard input and output; and both ways to ask about a file that was just saved.
pub(crate) fn run(bench: &BenchSetup, workload: &Table) -> Result<Value> {
    let tree = fetch_corpus(workload)?;
    let home = bench.scratch.join("home");
    let definitions = export_definitions(bench, &home, &tree)?;
    let most = workload_number(workload, "questions")?;
    let symbols: Vec<String> = sample_functions(&definitions, most).map(definition_place).collect();
    let is_word = |name: &&str| name.contains(char::is_alphanumeric);
    let names: Vec<&str> =
        sample_functions(&definitions, most).filter_map(|line| line["name"].as_str()).filter(is_word).collect();
    let mut session = McpSession::open(bench, &home, &tree)?;
    // The first call waits for the index, which is measured elsewhere.
    session.call_operation("status", &json!({}))?;
    let mut reads = Vec::new();
    let mut relations = Vec::new();
    let mut statuses = Vec::new();
    for symbol in &symbols {
        statuses.push(session.call_operation("status", &json!({}))?.1);
        reads.push(session.call_operation("read", &json!({ "targets": [symbol], "mode": "raw" }))?.1);
        relations.push(session.call_operation("relations", &json!({ "symbol": symbol, "depth": 2 }))?.1);
    }
    let mut by_name = Vec::new();
    let mut in_words = Vec::new();
    let mut contexts = Vec::new();
    // The first search loads the views of the index.
    session.call_operation("search", &json!({ "query": "where does it begin" }))?;
    for (at, name) in names.iter().enumerate() {
        by_name.push(session.call_operation("search", &json!({ "query": name }))?.1);
        in_words.push(session.call_operation("search", &json!({ "query": in_words_of(name, at) }))?.1);
        // A context is asked about something else, in other words: what the searches before it asked for may still be
        // cached.
        let other = names[(at + names.len() / 2) % names.len()];
        let question = in_words_of(other, at + 1);
        let (reply, seconds) = session.call_operation("context", &json!({ "query": question, "budget": 2000 }))?;
        // A question that the gate refuses is answered at once, and would flatter the figure.
        ensure!(reply["gate"]["retrieve"] == true, "nothing was looked up for: {question}");
        contexts.push(seconds);
    }
    let (searches, edges) = after_saves(&mut session, &tree, workload_number(workload, "saves")?)?;
    session.close()?;
    Ok(json!({
        "read_symbol": duration_percentiles(reads),
        "relations_depth_2": duration_percentiles(relations),
        "status": duration_percentiles(statuses),
        "search_by_name": duration_percentiles(by_name),
        "search_in_words": duration_percentiles(in_words),
        "context": duration_percentiles(contexts),
        "search_right_after_a_save": duration_percentiles(searches),
        "relations_right_after_a_save": duration_percentiles(edges),
    }))
}

/// Saves a file and asks for what is new in it at once: by a word, and over edges. Seconds from the save to the answer.
fn after_saves(session: &mut McpSession, tree: &Path, saves: usize) -> Result<(Vec<f64>, Vec<f64>)> {
    let file = tree.join("bench_saved.py");
    let mut searches = Vec::new();
    let mut relations = Vec::new();
    for number in 0..2 * saves {
        // A person saves files with pauses between them.
        std::thread::sleep(Duration::from_millis(200));
        let name = format!("saved_{number}");
        let started = Instant::now();
        fs_err::write(&file, format!("from django.db import models\n\n\nclass {name}(models.Model): pass\n"))?;
        let waited = if number % 2 == 0 {
            let (reply, _) = session.call_operation("search", &json!({ "query": name }))?;
            // An answer that does not know of the save would be fast and wrong.
            ensure!(reply["results"][0]["path"] == "bench_saved.py", "the save of {name} is not found");
            &mut searches
        } else {
            session.call_operation("relations", &json!({ "symbol": format!("bench_saved.py#{name}"), "depth": 2 }))?;
            &mut relations
        };
        waited.push(started.elapsed().as_secs_f64());
    }
    fs_err::remove_file(file)?;
    Ok((searches, relations))
}

/// Tokens of each view against the whole text, per language.
pub(crate) fn measure_views(bench: &BenchSetup, workload: &Table) -> Result<Value> {
    let tree = fetch_corpus(workload)?;
    let home = bench.scratch.join("home");
    let most = workload_number(workload, "files_per_language")?;
    let mut files: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in export_definitions(bench, &home, &tree)? {
        let path = line["path"].as_str().unwrap_or_default();
        let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
        let known = files.entry(extension.to_owned()).or_default();
        if known.last().is_none_or(|last| last != path) {
            known.push(path.to_owned());
        }
    }
    let mut session = McpSession::open(bench, &home, &tree)?;
    let mut table = BTreeMap::new();
    for (extension, paths) in files.into_iter().filter(|(_, paths)| paths.len() >= 20) {
        let step = (paths.len() / most).max(1);
        let mut saved: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        let mut counted = 0;
        for path in paths.iter().step_by(step).take(most) {
            let mut tokens = |mode: &str| -> Result<f64> {
                let (reply, _) = session.call_operation("read", &json!({ "targets": [path], "mode": mode }))?;
                Ok(reply["items"][0]["tokens"].as_f64().unwrap_or_default())
            };
            let raw = tokens("raw")?;
            // Views of tiny files save nothing and say nothing.
            if raw < 200.0 {
                continue;
            }
            counted += 1;
            for mode in ["lightweight", "aggressive", "map"] {
                saved.entry(mode).or_default().push(1.0 - tokens(mode)? / raw);
            }
        }
        let spread = |mut shares: Vec<f64>| {
            shares.sort_by(f64::total_cmp);
            let at = |share: f64| round_thousandths(shares[((shares.len() - 1) as f64 * share) as usize]);
            json!({ "median": at(0.5), "quartiles": [at(0.25), at(0.75)] })
        };
        if counted > 0 {
            let shares: BTreeMap<&str, Value> =
                saved.into_iter().map(|(mode, shares)| (mode, spread(shares))).collect();
            table.insert(extension, json!({ "files": counted, "saved": shares }));
        }
    }
    session.close()?;
    Ok(json!(table))
}

/// Every definition of the corpus that has a name.
pub(super) fn export_definitions(bench: &BenchSetup, home: &Path, tree: &Path) -> Result<Vec<Value>> {
    let mut export = command_in(tree, &bench.binary, &["relations", "--export", "--json", "--quiet"]);
    export.args(["--project".as_ref(), tree.as_os_str()]).env("EPITOME_HOME", home);
    let printed = process::read_output(export)?;
    let lines = printed.lines().filter(|line| line.starts_with(r#"{"kind":"def""#));
    lines.map(|line| serde_json::from_str(line).context("a line of the export")).collect()
}

/// Functions and methods evenly spread over the corpus.
pub(super) fn sample_functions(definitions: &[Value], most: usize) -> impl Iterator<Item = &Value> {
    let functions: Vec<&Value> =
        definitions.iter().filter(|line| matches!(line["type"].as_str(), Some("function" | "method"))).collect();
    let step = (functions.len() / most).max(1);
    functions.into_iter().step_by(step).take(most)
}

fn definition_place(line: &Value) -> String {
    format!("{}:{}", line["path"].as_str().unwrap_or_default(), line["line"])
}

/// Ways to ask, so that no question has the words of the one before it.
const QUESTION_TEMPLATES: [[&str; 2]; 6] = [
    ["how does it", "and what happens when that fails"],
    ["where in this project is", "decided"],
    ["which of our callers rely on", "being cached"],
    ["why would", "be slow in this code base"],
    ["where do we test", "with an empty input"],
    ["what has to change here to support another kind of", "without breaking others"],
];

/// A question made of the words in a name.
pub(super) fn in_words_of(name: &str, shape: usize) -> String {
    let [before, after] = QUESTION_TEMPLATES[shape % QUESTION_TEMPLATES.len()];
    format!("{before} {} {after}", name_words(name))
}

/// The words that a name is made of.
fn name_words(name: &str) -> String {
    let mut words = String::new();
    for c in name.chars() {
        if c.is_uppercase() || !c.is_alphanumeric() {
            words.push(' ');
        }
        words.extend(c.to_lowercase().filter(|c| c.is_alphanumeric()));
    }
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A question to a project that has no index yet: seconds until the answer, indexing included.
pub(crate) fn measure_first_question(bench: &BenchSetup, workload: &Table) -> Result<Value> {
    let tree = fetch_corpus(workload)?;
    let files = workload_number(workload, "files")?;
    let project = bench.scratch.join("project");
    let listed = process::read_output(command_in(&tree, "git", &["ls-files", "--cached", "--others"]))?;
    // git quotes paths with unusual characters, and a quoted path is no name of a file.
    let sources: Vec<&str> = listed.lines().filter(|path| !path.starts_with('"')).collect();
    // Evenly spread over the tree, as the first files in the order of names are all from one or two folders.
    for path in sources.iter().step_by((sources.len() / files).max(1)).take(files) {
        let to = project.join(path);
        fs_err::create_dir_all(to.parent().context("a file is in a directory")?)?;
        fs_err::copy(tree.join(path), to)?;
    }
    // Without a repository of its own, the project would be found above the scratch folder.
    process::read_output(command_in(&project, "git", &["init", "--quiet"]))?;
    let mut seconds = Vec::new();
    for round in 0..workload_number(workload, "rounds")? {
        // A new home each round: in the old one the index is there, and the question is no longer the first.
        let home = bench.scratch.join(format!("home-{round}"));
        let mut search = command_in(&project, &bench.binary, &["search", "how are sessions stored", "--quiet"]);
        search.env("EPITOME_HOME", &home);
        let started = Instant::now();
        process::read_output(search)?;
        seconds.push(started.elapsed().as_secs_f64());
    }
    Ok(json!({ "files": files, "first_question": duration_percentiles(seconds) }))
}
