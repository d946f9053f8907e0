//! Benchmark of retrieval: whether `context` (within budgets) and `search` give the lines that answer a question,
//! against BM25 over whole functions and chunks of semble. The user's folder `BENCH_LINES` has questions
//! (`data/functions-*.json`, `data/edits-*.json`) and `common.py`, which counts tokens and makes work trees from bare
//! repositories below `BENCH_MIRROR` (`owner+name/repo`; `functions`: no doc comments), kept in `BENCH_WORK` if set.

mod data;
mod functions;
mod measure;
mod packing;
mod peers;
mod product;
mod python_process;
mod scores;
mod tree;
mod words;

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use toml::Table;

use super::BenchSetup;
use super::questions::export_definitions;
use super::session::McpSession;
use data::{BenchQuestion, GoldLines, QuestionGroup};
use functions::{FunctionCache, FunctionScope, FunctionWords, rank_functions};
use measure::{measure_answer, rank_gold};
use packing::PricedRegions;
pub(super) use peers::compare_peers;
use product::ComparedLines;
use python_process::PythonProcess;
use scores::{BUDGETS, ScoreTable};
use tree::{LineCosts, TreeLines};

/// Some lines of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
struct LineRegion {
    path: String,
    start: u32,
    end: u32,
}

impl LineRegion {
    fn from_json(path: &Value, start: &Value, end: &Value) -> Option<Self> {
        let number = |value: &Value| u32::try_from(value.as_u64()?).ok();
        Some(Self { path: path.as_str()?.to_owned(), start: number(start)?, end: number(end)? })
    }

    fn line_numbers(&self) -> RangeInclusive<u32> {
        self.start..=self.end
    }
}

/// An answer: lines of files, and its cost in tokens.
struct BenchAnswer {
    items: Vec<(String, Vec<u32>)>,
    tokens: u64,
}

pub(crate) fn run(bench: &BenchSetup, _workload: &Table) -> Result<Value> {
    // The user supplies both folders, so they are checked before the long work begins.
    let folder = std::env::var_os("BENCH_LINES").context("BENCH_LINES names no folder of questions")?;
    ensure!(std::env::var_os("BENCH_MIRROR").is_some(), "BENCH_MIRROR names no folder of bare repositories");
    let folder = PathBuf::from(folder);
    let work = std::env::var_os("BENCH_WORK").map_or_else(|| bench.scratch.join("trees"), PathBuf::from);
    let mut lines = LinesBench {
        bench,
        home: bench.scratch.join("home"),
        helper: PythonProcess::start(&folder, &work)?,
        costs: LineCosts::default(),
        known: FunctionCache::default(),
        compared: ComparedLines::default(),
        scores: ScoreTable::default(),
        missing: BTreeSet::new(),
        chunks: None,
    };
    for group in data::read_groups(&folder)? {
        lines.ask_group(&group).with_context(|| format!("{} at {}", group.slug, group.commit))?;
    }
    // The helper is closed before scores are written: if it ended in error, the figures would be incomplete.
    let LinesBench { helper, compared, scores, missing, chunks, .. } = lines;
    helper.close()?;
    Ok(json!({
        "percent": scores.to_json(),
        "semble": chunks.unwrap_or_else(|| "its chunks, ranked by its words alone".to_owned()),
        "repositories_missing": missing,
        "lines_compared_with_their_files": compared.lines,
        "lines_that_differ": compared.differ,
    }))
}

struct LinesBench<'b> {
    bench: &'b BenchSetup,
    home: PathBuf,
    helper: PythonProcess,
    costs: LineCosts,
    known: FunctionCache,
    compared: ComparedLines,
    scores: ScoreTable,
    /// Commits that could not be had.
    missing: BTreeSet<String>,
    /// Why semble's chunks are not there.
    chunks: Option<String>,
}

impl LinesBench<'_> {
    /// Asks all tools the questions about one commit.
    fn ask_group(&mut self, group: &QuestionGroup) -> Result<()> {
        // A repository that cannot be had is named in the result, so that a smaller set does not look like a better
        // score.
        let Some(root) = self.helper.make_tree(group)? else {
            self.missing.insert(format!("{}, {}", group.set, group.slug));
            return Ok(());
        };
        let mut tree = TreeLines::new(root.clone());
        let definitions = export_definitions(self.bench, &self.home, &root)?;
        let mut session = McpSession::open(self.bench, &self.home, &root)?;
        let functions = self.known.tree_functions(&mut tree, &definitions, &mut session);
        // Without its package the baseline of semble is left out, and the result says why.
        if self.chunks.is_none() {
            self.chunks = self.helper.index_chunks(&root)?;
        }
        for question in &group.questions {
            let of = (group.set, question.variant);
            self.ask_product(of, question, &mut tree, &mut session)?;
            self.ask_others(of, question, &mut tree, &functions)?;
        }
        session.close()?;
        println!("{} {} {:.8}: {} questions", group.set, group.slug, group.commit, group.questions.len());
        Ok(())
    }

    fn ask_product(
        &mut self,
        of: (&'static str, &'static str),
        question: &BenchQuestion,
        tree: &mut TreeLines,
        session: &mut McpSession,
    ) -> Result<()> {
        let found = product::search_regions(session, &question.text)?;
        let mut answers = Vec::new();
        for budget in BUDGETS {
            answers.push((budget, product::context_answer(session, tree, &question.text, budget, &mut self.compared)?));
        }
        self.record_answers(of, "epitome", &question.gold, &found, &answers, tree)
    }

    fn ask_others(
        &mut self,
        of: (&'static str, &'static str),
        question: &BenchQuestion,
        tree: &mut TreeLines,
        functions: &[FunctionWords],
    ) -> Result<()> {
        let text = &question.text;
        let mut rankings = vec![
            ("functions by BM25", rank_functions(functions, text, FunctionScope::All)),
            ("functions by BM25, no tests", rank_functions(functions, text, FunctionScope::Product)),
        ];
        // Where semble is not installed, its reason is in the report and its ranking is left out.
        if self.chunks.is_none() {
            rankings.push(("semble, words", self.helper.find_chunks(&tree.root, text)?));
        }
        for (tool, regions) in rankings {
            let priced = PricedRegions::new(&regions, tree, &mut self.costs, &mut self.helper)?;
            let answers = BUDGETS.map(|budget| (budget, priced.pack_regions(tree, &self.costs, budget)));
            self.record_answers(of, tool, &question.gold, &regions, &answers, tree)?;
        }
        Ok(())
    }

    fn record_answers(
        &mut self,
        of: (&'static str, &'static str),
        tool: &'static str,
        gold: &[GoldLines],
        ranking: &[LineRegion],
        answers: &[(u64, BenchAnswer)],
        tree: &mut TreeLines,
    ) -> Result<()> {
        tree.open_files(gold.iter().map(|gold| gold.path.as_str()));
        let items = answers.iter().flat_map(|(_, answer)| &answer.items);
        let shown = items.flat_map(|(path, lines)| lines.iter().map(move |number| (path, *number)));
        self.costs.count_lines(&mut self.helper, shown.filter_map(|(path, number)| tree.line_text(path, number)))?;
        let measured =
            answers.iter().map(|(budget, answer)| (*budget, measure_answer(tree, &self.costs, gold, answer))).collect();
        self.scores.add_question(of, tool, rank_gold(gold, ranking), measured);
        Ok(())
    }
}
