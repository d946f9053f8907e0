//! Whether a packed answer holds the lines that answer: `context` within budgets and `search`, against whole functions
//! ranked by BM25 and the chunks of semble, packed into the same budgets.
//!
//! The questions are whoever's runs this: `BENCH_LINES` names a folder with `data/functions-*.json` and
//! `data/edits-*.json`, and a `common.py` that defines how the work tree of a commit is made from the bare repositories
//! below `BENCH_MIRROR` (`owner+name/repo`; for `functions` without the doc comments of functions) and what a token is.
//! Work trees are kept in `BENCH_WORK` where that is set.

mod data;
mod functions;
mod measure;
mod packing;
mod product;
mod scores;
mod scripted;
mod tree;
mod words;

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use toml::Table;

use super::Bench;
use super::questions::definitions;
use super::session::Session;
use data::{Gold, Group, Question};
use functions::{Function, Known, Scope, rank_functions};
use measure::{measure, ranks};
use packing::Priced;
use product::Compared;
use scores::{BUDGETS, Scores};
use scripted::Helper;
use tree::{Costs, Tree};

/// Some lines of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Region {
    path: String,
    start: u32,
    end: u32,
}

impl Region {
    fn read(path: &Value, start: &Value, end: &Value) -> Option<Self> {
        let number = |value: &Value| u32::try_from(value.as_u64()?).ok();
        Some(Self { path: path.as_str()?.to_owned(), start: number(start)?, end: number(end)? })
    }

    fn numbers(&self) -> RangeInclusive<u32> {
        self.start..=self.end
    }
}

/// What an answer shows: lines of files, and what all of it costs.
struct Answer {
    items: Vec<(String, Vec<u32>)>,
    tokens: u64,
}

pub(crate) fn run(bench: &Bench, _workload: &Table) -> Result<Value> {
    let folder = std::env::var_os("BENCH_LINES").context("BENCH_LINES names no folder of questions")?;
    ensure!(std::env::var_os("BENCH_MIRROR").is_some(), "BENCH_MIRROR names no folder of bare repositories");
    let folder = PathBuf::from(folder);
    let work = std::env::var_os("BENCH_WORK").map_or_else(|| bench.scratch.join("trees"), PathBuf::from);
    let mut lines = Lines {
        bench,
        home: bench.scratch.join("home"),
        helper: Helper::start(&folder, &work)?,
        costs: Costs::default(),
        known: Known::default(),
        compared: Compared::default(),
        scores: Scores::default(),
        missing: BTreeSet::new(),
        chunks: None,
    };
    for group in data::groups(&folder)? {
        lines.ask(&group).with_context(|| format!("{} at {}", group.slug, group.commit))?;
    }
    let Lines { helper, compared, scores, missing, chunks, .. } = lines;
    helper.close()?;
    Ok(json!({
        "percent": scores.told(),
        "semble": chunks.unwrap_or_else(|| "its chunks, ranked by its words alone".to_owned()),
        "repositories_missing": missing,
        "lines_compared_with_their_files": compared.lines,
        "lines_that_differ": compared.differ,
    }))
}

struct Lines<'b> {
    bench: &'b Bench,
    home: PathBuf,
    helper: Helper,
    costs: Costs,
    known: Known,
    compared: Compared,
    scores: Scores,
    /// Commits that could not be had.
    missing: BTreeSet<String>,
    /// Why semble's chunks are not there.
    chunks: Option<String>,
}

impl Lines<'_> {
    /// Asks all tools the questions about one commit.
    fn ask(&mut self, group: &Group) -> Result<()> {
        let Some(root) = self.helper.make_tree(group)? else {
            self.missing.insert(format!("{}, {}", group.set, group.slug));
            return Ok(());
        };
        let mut tree = Tree::new(root.clone());
        let definitions = definitions(self.bench, &self.home, &root)?;
        let mut session = Session::open(self.bench, &self.home, &root)?;
        let functions = self.known.functions(&mut tree, &definitions, &mut session);
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
        question: &Question,
        tree: &mut Tree,
        session: &mut Session,
    ) -> Result<()> {
        let found = product::search(session, &question.text)?;
        let mut answers = Vec::new();
        for budget in BUDGETS {
            answers.push((budget, product::context(session, tree, &question.text, budget, &mut self.compared)?));
        }
        self.note(of, "epitome", &question.gold, &found, &answers, tree)
    }

    fn ask_others(
        &mut self,
        of: (&'static str, &'static str),
        question: &Question,
        tree: &mut Tree,
        functions: &[Function],
    ) -> Result<()> {
        let text = &question.text;
        let mut rankings = vec![
            ("functions by BM25", rank_functions(functions, text, Scope::All)),
            ("functions by BM25, no tests", rank_functions(functions, text, Scope::Product)),
        ];
        if self.chunks.is_none() {
            rankings.push(("semble, words", self.helper.find_chunks(&tree.root, text)?));
        }
        for (tool, regions) in rankings {
            let priced = Priced::new(&regions, tree, &mut self.costs, &mut self.helper)?;
            let answers = BUDGETS.map(|budget| (budget, priced.pack(tree, &self.costs, budget)));
            self.note(of, tool, &question.gold, &regions, &answers, tree)?;
        }
        Ok(())
    }

    fn note(
        &mut self,
        of: (&'static str, &'static str),
        tool: &'static str,
        gold: &[Gold],
        ranking: &[Region],
        answers: &[(u64, Answer)],
        tree: &mut Tree,
    ) -> Result<()> {
        tree.open(gold.iter().map(|gold| gold.path.as_str()));
        let items = answers.iter().flat_map(|(_, answer)| &answer.items);
        let shown = items.flat_map(|(path, lines)| lines.iter().map(move |number| (path, *number)));
        self.costs.count(&mut self.helper, shown.filter_map(|(path, number)| tree.line(path, number)))?;
        let measured =
            answers.iter().map(|(budget, answer)| (*budget, measure(tree, &self.costs, gold, answer))).collect();
        self.scores.add(of, tool, ranks(gold, ranking), measured);
        Ok(())
    }
}
