//! Compares the product with tools that other people publish, on the questions of the retrieval benchmark whose answer
//! is a function: what an index costs, how long a question takes, where the function stands in the ranking, what a
//! packed answer shows, and what the tools of the MCP server cost before anything was asked. Each tool runs as its
//! users run it, a new process for each question; semble alone answers inside of one process, because its model cannot
//! be had without a download.

mod install;
mod published_tools;
mod tool_costs;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use toml::Table;

use super::data::{self, BenchQuestion, QuestionGroup};
use super::measure::{measure_answer, rank_gold};
use super::packing::PricedRegions;
use super::python_process::PythonProcess;
use super::scores::ScoreTable;
use super::tree::{LineCosts, TreeLines};
use super::{BenchAnswer, LineRegion};
use crate::bench::BenchSetup;
use crate::process::read_output;
use published_tools::PublishedTool;
use tool_costs::ToolCosts;

/// What a packed answer may cost, where the tool can be told.
const ANSWER_BUDGET: u64 = 2_000;

/// What rankings are packed into, each in the same way.
const RANKING_BUDGETS: [u64; 3] = [1_000, 2_000, 4_000];

/// The name under which the questions inside of one process are listed.
const SEMBLE: &str = "semble, words only";

pub(crate) fn compare_peers(bench: &BenchSetup, _workload: &Table) -> Result<Value> {
    let folder = PathBuf::from(std::env::var_os("BENCH_LINES").context("BENCH_LINES names no folder of questions")?);
    ensure!(std::env::var_os("BENCH_MIRROR").is_some(), "BENCH_MIRROR names no folder of bare repositories");
    let work = bench.scratch.join("trees");
    let installed = install::install_peers()?;
    let home = bench.scratch.join("home");
    fs_err::create_dir_all(&home)?;
    let tools = published_tools::list_tools(&bench.binary, &home, &installed)?;
    let mut comparison = PeerComparison {
        helper: PythonProcess::start(&folder, &work)?,
        line_costs: LineCosts::default(),
        rankings: ScoreTable::default(),
        answers: ScoreTable::default(),
        costs: tools.iter().map(|tool| (tool.name(), ToolCosts::default())).collect(),
        missing: Vec::new(),
    };
    for group in data::read_groups(&folder)?.iter().filter(|group| group.set == "functions") {
        comparison.ask_group(group, &tools).with_context(|| format!("{} at {}", group.slug, group.commit))?;
    }
    let PeerComparison { mut helper, rankings, answers, costs, missing, .. } = comparison;
    let fixed = tool_costs::count_fixed_tokens(&tools, &bench.scratch, &mut helper)?;
    helper.close()?;
    let mut described: BTreeMap<&str, Value> = tools
        .iter()
        .map(|tool| (tool.name(), json!({ "version": tool.version(), "asked_by": tool.describe() })))
        .collect();
    let version = install::semble_command(&bench.scratch, "import semble; print(semble.__version__)");
    let asked_by = "its chunks, ranked by words alone, because its model cannot be had without a download; all questions in one process";
    let version = read_output(version).unwrap_or_default();
    described.insert(SEMBLE, json!({ "version": version.trim(), "asked_by": asked_by }));
    Ok(json!({
        "tools": described,
        "costs": costs.into_iter().map(|(name, costs)| (name, costs.into_json())).collect::<BTreeMap<_, _>>(),
        "rankings_packed_percent": rankings.to_json(),
        "own_answers_percent": answers.to_json(),
        "tokens_of_mcp_tools": fixed,
        "repositories_missing": missing,
    }))
}

struct PeerComparison {
    helper: PythonProcess,
    line_costs: LineCosts,
    rankings: ScoreTable,
    /// Of the tools that pack an answer themselves.
    answers: ScoreTable,
    costs: BTreeMap<&'static str, ToolCosts>,
    missing: Vec<String>,
}

impl PeerComparison {
    /// Has each tool index the files of one commit and asks it every question.
    fn ask_group(&mut self, group: &QuestionGroup, tools: &[Box<dyn PublishedTool>]) -> Result<()> {
        let Some(root) = self.helper.make_tree(group)? else {
            self.missing.push(group.slug.clone());
            return Ok(());
        };
        let mut tree = TreeLines::new(root.clone());
        for tool in tools {
            let costs = self.costs.entry(tool.name()).or_default();
            if let Some(command) = tool.index_command(&root) {
                costs.add_index(command, &tool.data_folder(&root))?;
            }
            for question in &group.questions {
                self.ask_tool(tool.as_ref(), question, &mut tree)
                    .with_context(|| format!("{}: {}", tool.name(), question.text))?;
            }
            tool.remove_index(&root)?;
            println!("{} {}: {} questions", group.slug, tool.name(), group.questions.len());
        }
        self.ask_semble(group, &root, &mut tree)
    }

    fn ask_tool(&mut self, tool: &dyn PublishedTool, question: &BenchQuestion, tree: &mut TreeLines) -> Result<()> {
        let started = Instant::now();
        let printed = print_found(tool.search_command(&tree.root, &question.text))?;
        self.costs.entry(tool.name()).or_default().questions.push(started.elapsed().as_secs_f64());
        let regions = tool.read_ranking(&tree.root, &printed, &question.text)?;
        self.note_ranking(tool.name(), question, &regions, tree)?;
        let Some(command) = tool.answer_command(&tree.root, &question.text, ANSWER_BUDGET) else { return Ok(()) };
        let started = Instant::now();
        let printed = print_found(command)?;
        let costs = self.costs.entry(tool.name()).or_default();
        costs.answers.push(started.elapsed().as_secs_f64());
        let mut answer = tool.read_answer(&printed, tree)?;
        // What is printed is what an agent reads, but for a reply in JSON, which has the count of its text.
        if answer.tokens == 0 {
            answer.tokens = self.helper.count_tokens(&[printed])?[0];
        }
        costs.answer_tokens.push(answer.tokens);
        tree.open_files(question.gold.iter().map(|gold| gold.path.as_str()));
        tree.open_files(answer.items.iter().map(|(path, _)| path.as_str()));
        self.count_lines(question, &answer, tree)?;
        let measured = measure_answer(tree, &self.line_costs, &question.gold, &answer);
        let ranks = rank_gold(&question.gold, &regions);
        self.answers.add_question(("functions", "text"), tool.name(), ranks, vec![(ANSWER_BUDGET, measured)]);
        Ok(())
    }

    /// Its own chunks, ranked by words.
    fn ask_semble(&mut self, group: &QuestionGroup, root: &Path, tree: &mut TreeLines) -> Result<()> {
        let started = Instant::now();
        if let Some(reason) = self.helper.index_chunks(root)? {
            println!("semble is left out: {reason}");
            return Ok(());
        }
        self.costs.entry(SEMBLE).or_default().index.push(started.elapsed().as_secs_f64());
        for question in &group.questions {
            let started = Instant::now();
            let regions = self.helper.find_chunks(root, &question.text)?;
            self.costs.entry(SEMBLE).or_default().questions.push(started.elapsed().as_secs_f64());
            self.note_ranking(SEMBLE, question, &regions, tree)?;
        }
        Ok(())
    }

    /// Notes where the ranking has the function, and whether whole regions in its order show it within a budget.
    fn note_ranking(
        &mut self,
        tool: &'static str,
        question: &BenchQuestion,
        regions: &[LineRegion],
        tree: &mut TreeLines,
    ) -> Result<()> {
        tree.open_files(question.gold.iter().map(|gold| gold.path.as_str()));
        let priced = PricedRegions::new(regions, tree, &mut self.line_costs, &mut self.helper)?;
        let mut measured = Vec::new();
        for budget in RANKING_BUDGETS {
            let answer = priced.pack_regions(tree, &self.line_costs, budget);
            measured.push((budget, measure_answer(tree, &self.line_costs, &question.gold, &answer)));
        }
        self.rankings.add_question(("functions", "text"), tool, rank_gold(&question.gold, regions), measured);
        Ok(())
    }

    /// Counts the tokens of every line that the measure will look at.
    fn count_lines(&mut self, question: &BenchQuestion, answer: &BenchAnswer, tree: &TreeLines) -> Result<()> {
        let shown = answer.items.iter().flat_map(|(path, lines)| lines.iter().map(move |line| (path.as_str(), *line)));
        let wanted = question.gold.iter().flat_map(|gold| {
            let lines = gold.functions.iter().flat_map(|(start, end)| *start..=*end);
            lines.map(|line| (gold.path.as_str(), line))
        });
        let texts = shown.chain(wanted).filter_map(|(path, line)| tree.line_text(path, line));
        self.line_costs.count_lines(&mut self.helper, texts)
    }
}

/// What a search prints; nothing where it says by its exit status alone that it found nothing, as `grep` does.
fn print_found(mut command: Command) -> Result<String> {
    let output = command.output()?;
    let is_empty = output.stdout.is_empty() && output.stderr.is_empty();
    ensure!(
        output.status.success() || output.status.code() == Some(1) && is_empty,
        "{}: {}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
