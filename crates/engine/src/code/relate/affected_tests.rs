//! Selects the test files to run after a change. Edges alone miss tests of code that is reached dynamically, so a test
//! file counts by everything that connects it with the change: edges, imports, its name, the git history, and mentions
//! of changed names, words of the changed lines. `test_scores` says what each of these is worth.

use super::file_stems::{ChangedNames, StemMatch, match_stems};
use super::history::{ChangeHistory, SharedCommits};
use super::impact::AffectedSymbol;
use super::mentions::{MentionKind, NameMention};
use super::test_scores::EvidenceWeights;
use super::test_words::{SharedWords, share_words};
use crate::code::graph::{
    EdgeLines, Graph, LinkDirection, NodeId, ReachedNode, TraversalSpec, is_test_file, traverse_graph,
};
use model::{Confidence, EdgeKind};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A test file to run, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct TestFile {
    /// Its path.
    pub path: String,
    /// The surest reason first.
    pub reasons: Vec<TestReason>,
    /// Its tests that reach the change by edges, nearest and surest first.
    pub symbols: Vec<AffectedSymbol>,
    /// How many more do.
    pub omitted: usize,
}

/// Why a test file is named.
#[derive(Clone, Debug, PartialEq)]
pub enum TestReason {
    /// It is changed itself.
    Changed,
    /// Edges lead from it to the change.
    Reaches {
        /// The product of their confidences.
        confidence: Confidence,
        /// How many edges.
        distance: u32,
    },
    /// It imports a changed file.
    Imports {
        /// The file.
        path: String,
        /// 1 where it does so itself, more where other files are between them.
        distance: u32,
    },
    /// It has the name of a changed file.
    NamedAfter {
        /// The file.
        path: String,
    },
    /// It has the name of a changed symbol, or of another name on a changed line.
    NamedAfterSymbol {
        /// The name.
        name: String,
    },
    /// It changed together with a changed file before.
    ChangedWith {
        /// The file.
        path: String,
        /// How often.
        together: u32,
        /// Of how many commits that touch a changed file.
        of: u32,
    },
    /// It mentions a changed name, and the mention is not linked.
    Mentions {
        /// The name.
        name: String,
        /// On how many lines.
        lines: usize,
    },
    /// It has rare words of the changed lines.
    SharesWords {
        /// Those that say most.
        words: Vec<String>,
    },
}

/// How many tests of one file are listed.
const MOST_OF_FILE: usize = 5;

/// A test that shares less of the words of a change than this part of what the best one does needs another reason.
const LEAST_SHARE: f32 = 0.25;

/// How many edges of imports are followed from a changed file to a test.
const IMPORT_DEPTH: u32 = 2;

/// What is known about one test file.
#[derive(Default)]
pub(super) struct TestEvidence {
    pub(super) is_changed: bool,
    pub(super) reached: Option<(Confidence, u32)>,
    symbols: Vec<AffectedSymbol>,
    omitted: usize,
    pub(super) import: Option<(String, u32)>,
    pub(super) stem: Option<(StemMatch, String)>,
    pub(super) symbol: Option<String>,
    pub(super) shared: Option<(SharedCommits, String)>,
    /// The share of the newest commits with tests in which it changed.
    pub(super) recent: f32,
    /// The number of commits that touch a changed file.
    pub(super) commits: u32,
    pub(super) mentions: BTreeMap<String, usize>,
    pub(super) words: Option<SharedWords>,
}

/// Collects what speaks for each test file.
pub(super) struct TestSearch<'g> {
    graph: &'g Graph,
    tests: BTreeMap<String, TestEvidence>,
}

impl<'g> TestSearch<'g> {
    /// Begins with the tests that are changed themselves.
    pub(super) fn new(graph: &'g Graph, changed: &BTreeSet<String>) -> Self {
        let mut search = Self { graph, tests: BTreeMap::new() };
        for path in changed.iter().filter(|path| search.is_test_code(path)).cloned().collect::<Vec<_>>() {
            search.tests.entry(path).or_default().is_changed = true;
        }
        search
    }

    /// Tests that edges lead from, nearest and surest first.
    pub(super) fn add_reached(&mut self, tests: &[ReachedNode], lines: &mut EdgeLines<'_>) {
        for found in tests {
            let evidence = self.tests.entry(self.graph.path(found.node).to_owned()).or_default();
            evidence.reached.get_or_insert((found.confidence, found.distance));
            // The file itself is told by the reason.
            if found.node.is_file() {
                continue;
            }
            if evidence.symbols.len() < MOST_OF_FILE {
                evidence.symbols.push(AffectedSymbol::from_reached(self.graph, found, lines));
            } else {
                evidence.omitted += 1;
            }
        }
    }

    /// Tests that import a changed file, or a file that does.
    pub(super) fn add_importers(&mut self, sources: &[String]) {
        for source in sources {
            let Some(file) = self.graph.find_file(source) else { continue };
            let starts: Vec<NodeId> = std::iter::once(file).chain(self.graph.symbols_of(file)).collect();
            let course =
                TraversalSpec { way: LinkDirection::In, kinds: &[EdgeKind::Imports], depth: IMPORT_DEPTH, floor: 0.0 };
            for found in traverse_graph(self.graph, &starts, &course) {
                let path = self.graph.path(found.node);
                if !self.is_test_code(path) {
                    continue;
                }
                let import = &mut self.tests.entry(path.to_owned()).or_default().import;
                if import.as_ref().is_none_or(|(_, distance)| found.distance < *distance) {
                    *import = Some((source.clone(), found.distance));
                }
            }
        }
    }

    /// Tests that have the name of a changed file.
    pub(super) fn add_named(&mut self, sources: &[String]) {
        let graph = self.graph;
        for path in graph.file_nodes().map(|file| graph.path(file)) {
            if !self.is_test_code(path) {
                continue;
            }
            for source in sources {
                let Some(found) = match_stems(path, source) else { continue };
                let stem = &mut self.tests.entry(path.to_owned()).or_default().stem;
                if stem.as_ref().is_none_or(|(known, _)| *known < found) {
                    *stem = Some((found, source.clone()));
                }
            }
        }
    }

    /// Tests that changed together with changed files.
    pub(super) fn add_shared(&mut self, sources: &[String], history: &ChangeHistory) {
        for (path, commits) in &history.shared {
            if self.is_test_code(path)
                && let Some(source) = sources.get(commits.with)
            {
                self.tests.entry(path.clone()).or_default().shared = Some((*commits, source.clone()));
            }
        }
    }

    /// Tests with mentions of changed names.
    pub(super) fn add_mentions(&mut self, mentions: &[NameMention]) {
        for mention in mentions.iter().filter(|mention| mention.kind != MentionKind::Text) {
            if self.is_test_code(&mention.path) {
                let evidence = self.tests.entry(mention.path.clone()).or_default();
                *evidence.mentions.entry(mention.name.clone()).or_default() += 1;
            }
        }
    }

    /// Tests with the words of changed lines, or named after one of them.
    pub(super) fn add_words(&mut self, root: &Path, words: &BTreeMap<String, u32>) {
        let graph = self.graph;
        let paths = graph.file_nodes().map(|file| graph.path(file));
        let tests: Vec<&str> = paths.filter(|path| self.is_test_code(path)).collect();
        let names = ChangedNames::new(words.keys().map(String::as_str));
        for path in &tests {
            if let Some(name) = names.match_test(path) {
                self.tests.entry((*path).to_owned()).or_default().symbol = Some(name.to_owned());
            }
        }
        for (path, shared) in share_words(root, &tests, words) {
            // A few common words connect any test with any change.
            if shared.share >= LEAST_SHARE || self.tests.contains_key(&path) {
                self.tests.entry(path).or_default().words = Some(shared);
            }
        }
    }

    /// Adds how often each test changed lately; last, because this alone is no reason to run one.
    pub(super) fn add_recent(&mut self, history: &ChangeHistory) {
        for (path, evidence) in &mut self.tests {
            evidence.recent = history.recent_share(path);
            evidence.commits = history.commits;
        }
    }

    /// The tests for which most speaks, sure ones first, and how many there are besides.
    pub(super) fn select_tests(self, most: usize) -> (Vec<TestFile>, usize) {
        let weights = EvidenceWeights::from_tests(&self.tests);
        let mut scored: Vec<(f32, String, TestEvidence)> =
            self.tests.into_iter().map(|(path, evidence)| (weights.score(&evidence), path, evidence)).collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        let omitted = scored.len().saturating_sub(most);
        scored.truncate(most);
        // Selected by all that speaks for them; told in the order of how sure the edges are.
        scored.sort_by_key(|(_, _, evidence)| evidence.sureness());
        let files = scored.into_iter().map(|(_, path, evidence)| evidence.into_file(path));
        (files.collect(), omitted)
    }

    /// Whether a path is that of a test in a programming language: fixtures and snapshots cannot be run.
    fn is_test_code(&self, path: &str) -> bool {
        let language = self.graph.find_file(path).and_then(|file| self.graph.language(file));
        is_test_file(path) && language.is_some_and(syntax::is_central)
    }
}

impl TestEvidence {
    /// For ordering: changed tests, then those that edges lead from, nearest and surest first, then the others.
    fn sureness(&self) -> (bool, u32, u32) {
        let (confidence, distance) = self.reached.unwrap_or((Confidence::new(0.0), u32::MAX));
        (!self.is_changed, 100 - crate::code::graph::to_hundredths(confidence).min(100), distance)
    }

    fn into_file(self, path: String) -> TestFile {
        let mut reasons = Vec::new();
        if self.is_changed {
            reasons.push(TestReason::Changed);
        }
        reasons.extend(self.reached.map(|(confidence, distance)| TestReason::Reaches { confidence, distance }));
        reasons.extend(self.import.map(|(path, distance)| TestReason::Imports { path, distance }));
        reasons.extend(self.stem.map(|(_, path)| TestReason::NamedAfter { path }));
        reasons.extend(self.symbol.map(|name| TestReason::NamedAfterSymbol { name }));
        reasons.extend(self.shared.map(|(shared, path)| TestReason::ChangedWith {
            path,
            together: shared.together,
            of: shared.of,
        }));
        reasons.extend(self.mentions.into_iter().map(|(name, lines)| TestReason::Mentions { name, lines }));
        reasons.extend(self.words.map(|shared| TestReason::SharesWords { words: shared.words }));
        TestFile { path, reasons, symbols: self.symbols, omitted: self.omitted }
    }
}
