//! Impact analysis: everything that depends on a changed symbol, file or git diff, nearest and surest first, the tests
//! to run, and the mentions of changed names that are linked to nothing.

use super::affected_tests::{TestFile, TestSearch};
use super::mentions::{UnlinkedMentions, scan_mentions};
use super::relations::with_members;
use super::{NamedNode, diff, history};
use crate::base::{Error, Project, Result, run_blocking};
use crate::code::CodeContext;
use crate::code::graph::EdgeLines;
use crate::code::graph::Graph;
use crate::code::graph::LinkDirection;
use crate::code::graph::MOST_HOMES;
use crate::code::graph::NamedNodes;
use crate::code::graph::NodeId;
use crate::code::graph::ReachedNode;
use crate::code::graph::TraversalSpec;
use crate::code::graph::find_homes;
use crate::code::graph::innermost_symbol;
use crate::code::graph::is_test;
use crate::code::graph::is_test_file;
use crate::code::graph::to_hundredths;
use crate::code::graph::traverse_graph;
use crate::code::graph_load::load_graph;
use model::{Confidence, EdgeKind};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;
use std::sync::Arc;

/// The planned or made change.
#[derive(Clone, Debug, Default)]
pub struct ImpactRequest {
    /// Symbols or files: id, handle, path, place or unique name.
    pub symbols: Vec<String>,
    /// Or what differs from this revision, as git has it.
    pub diff: Option<String>,
    /// How many edges away.
    pub depth: u32,
    /// Less sure edges are not followed.
    pub min_confidence: f32,
    /// How many symbols at most.
    pub limit: usize,
    /// How many test files at most.
    pub tests: usize,
    /// How many mentions that are not linked are listed.
    pub mentions: usize,
}

/// A symbol or file that a change may affect.
#[derive(Clone, Debug, PartialEq)]
pub struct AffectedSymbol {
    /// What.
    pub named: NamedNode,
    /// The product of the confidences of the edges on the way.
    pub confidence: Confidence,
    /// How many edges away.
    pub distance: u32,
    /// How it depends on the symbol before it: `calls`, `extends`, …
    pub how: &'static str,
    /// The symbol it depends on.
    pub through: String,
    /// The lines of its file that say so.
    pub lines: Vec<u32>,
}

/// The impact of a change.
#[derive(Clone, Debug, Default)]
pub struct ImpactReport {
    /// What changes.
    pub changed: Vec<NamedNode>,
    /// How many more symbols have a name that was asked for.
    pub more: usize,
    /// Symbols that depend on it, nearest and surest first; tests are listed separately.
    pub affected: Vec<AffectedSymbol>,
    /// How many symbols are left out.
    pub omitted: usize,
    /// Files of changed and affected symbols with the best confidence in each, nearest and surest first.
    pub files: Vec<(String, Confidence)>,
    /// Test files to run: sure ones first.
    pub tests: Vec<TestFile>,
    /// How many other test files there is a weaker reason to run.
    pub omitted_tests: usize,
    /// Lines that mention a changed name and are linked to nothing.
    pub unlinked: UnlinkedMentions,
    /// Files of the diff that the index does not know.
    pub unknown: Vec<String>,
    /// Files that may have changed, but whose content before is not in the repository.
    pub not_compared: Vec<String>,
}

const DEPENDENCY_EDGE_KINDS: &[EdgeKind] =
    &[EdgeKind::Calls, EdgeKind::References, EdgeKind::Extends, EdgeKind::Implements, EdgeKind::Imports];

/// Tests stand at the far end of walks, so they are looked for farther away than other code.
const TEST_DEPTH: u32 = 5;

/// What changes, in the graph and by path.
#[derive(Default)]
struct ChangeSet {
    starts: Vec<NodeId>,
    /// Changed files, those that are gone included.
    paths: BTreeSet<String>,
    /// Words of changed lines of code outside of tests, and names of changed symbols, with the number of lines.
    words: BTreeMap<String, u32>,
    more: usize,
    unknown: Vec<String>,
    not_compared: Vec<String>,
}

pub(crate) async fn analyze_impact(
    code: &CodeContext,
    project: &Project,
    request: ImpactRequest,
) -> Result<ImpactReport> {
    let graph = load_graph(code, project).await?;
    let change = collect_change(&graph, project, &request).await?;
    let scan = scan_mentions(code, project, &graph, &named_symbols(&graph, &change.starts)).await?;
    let sources: Vec<String> = change.paths.iter().filter(|path| !is_test_file(path)).cloned().collect();
    let history = {
        let (project, revision, sources) = (project.clone(), request.diff.clone(), sources.clone());
        run_blocking("reading the history", move || history::changed_together(&project, revision.as_deref(), &sources))
            .await?
    };
    let root = project.root.clone();
    run_blocking("following the graph", move || {
        build_report(&graph, change, &request, &scan, (&root, &sources, &history))
    })
    .await
}

async fn collect_change(graph: &Arc<Graph>, project: &Project, request: &ImpactRequest) -> Result<ChangeSet> {
    let mut change = ChangeSet::default();
    for text in &request.symbols {
        // Where a name fits several symbols, each of them may be the changed one.
        let NamedNodes { nodes, more } = find_homes(graph, project, text, MOST_HOMES)?;
        change.starts.extend(nodes);
        change.more += more;
    }
    if let Some(revision) = &request.diff {
        let difference = diff::compute_diff(project, revision).await?;
        change.not_compared = difference.not_compared;
        for file in difference.changed {
            change.paths.insert(file.path.clone());
            // By its name: a file that is gone has no language in the graph.
            let language = syntax::language_of(&file.path, b"").map(syntax::Language::name);
            if !is_test_file(&file.path) && language.is_some_and(syntax::is_central) {
                for (word, lines) in &file.words {
                    *change.words.entry(word.clone()).or_default() += lines;
                }
            }
            match graph.find_file(&file.path) {
                Some(node) => change.starts.extend(changed_symbols(graph, node, &file)),
                None => change.unknown.push(file.path),
            }
        }
    } else if change.starts.is_empty() {
        let reason = "must name at least one symbol or file, or use diff".to_owned();
        return Err(Error::Parameter { field: "symbols", reason });
    }
    let mut seen = HashSet::new();
    change.starts.retain(|node| seen.insert(*node));
    change.paths.extend(change.starts.iter().map(|node| graph.path(*node).to_owned()));
    for node in named_symbols(graph, &change.starts) {
        change.words.entry(graph.name(node).to_owned()).or_insert(1);
    }
    Ok(change)
}

/// The innermost symbols around changed lines; the file itself for lines outside of symbols.
fn changed_symbols(graph: &Graph, file: NodeId, changed: &diff::ChangedFile) -> Vec<NodeId> {
    let mut nodes = Vec::new();
    for lines in &changed.lines {
        let inside = graph.symbols_of(file).filter(|node| {
            let own = graph.lines(*node);
            lines.start <= own.start && own.end <= lines.end
        });
        nodes.extend(inside);
        // A range covers some symbols and usually begins and ends inside of others.
        nodes.push(innermost_symbol(graph, file, lines.start).unwrap_or(file));
        nodes.extend(innermost_symbol(graph, file, lines.end));
    }
    nodes
}

/// The symbols whose names are looked for in the text: those of the product. A constructor is named by its type.
fn named_symbols(graph: &Graph, starts: &[NodeId]) -> Vec<NodeId> {
    let named = |&node: &NodeId| {
        let is_constructor = matches!(graph.name(node), "constructor" | "new" | "init" | "initialize")
            || (graph.name(node).starts_with("__") && graph.name(node).ends_with("__"));
        if is_constructor { graph.container(node) } else { Some(node) }
    };
    starts.iter().filter(|node| !is_test(graph, **node)).filter_map(named).collect()
}

/// The nodes that a change is about. Code that depends on a member depends on its container, and a change of a type is
/// one of its members.
fn changed_nodes(graph: &Graph, starts: &[NodeId]) -> Vec<NodeId> {
    let with_symbols: HashSet<u32> =
        starts.iter().filter(|node| !node.is_file()).map(|node| node.file_number()).collect();
    let of = |&node: &NodeId| {
        // Beside changed symbols, changed lines outside of all symbols are mostly imports that these symbols need.
        let is_aside = node.is_file() && with_symbols.contains(&node.file_number());
        if is_aside { vec![node] } else { with_members(graph, node) }
    };
    starts.iter().flat_map(of).collect()
}

fn build_report(
    graph: &Graph,
    change: ChangeSet,
    request: &ImpactRequest,
    scan: &super::mentions::MentionScan,
    (root, sources, history): (&Path, &[String], &history::ChangeHistory),
) -> ImpactReport {
    let ChangeSet { starts, paths, words, more, unknown, not_compared } = change;
    let all = changed_nodes(graph, &starts);
    let course = TraversalSpec {
        way: LinkDirection::In,
        kinds: DEPENDENCY_EDGE_KINDS,
        depth: request.depth.max(TEST_DEPTH),
        floor: request.min_confidence,
    };
    // The changed symbols themselves are not what a change affects.
    let inside: HashSet<NodeId> = all.iter().copied().collect();
    let mut reached = traverse_graph(graph, &all, &course);
    reached.retain(|found| !inside.contains(&found.node));
    // Each further edge halves the likelihood that the symbol breaks. Sorted by integers, so that equal values do not
    // depend on rounding.
    reached.sort_by_key(|found| {
        (u32::MAX - (to_hundredths(found.confidence) << 8 >> found.distance.min(16)), found.distance, found.node)
    });
    // Listed apart: a caller wants to know which tests to run.
    let (tests, code): (Vec<ReachedNode>, Vec<ReachedNode>) =
        reached.into_iter().partition(|found| is_test(graph, found.node));
    let mut code: Vec<ReachedNode> = code.into_iter().filter(|found| found.distance <= request.depth).collect();
    let mut files: Vec<(String, Confidence)> = Vec::new();
    let mut listed: HashSet<u32> = HashSet::new();
    for (node, confidence) in starts
        .iter()
        .map(|node| (*node, Confidence::CERTAIN))
        .chain(code.iter().map(|found| (found.node, found.confidence)))
    {
        if listed.insert(node.file_number()) {
            files.push((graph.path(node).to_owned(), confidence));
        }
    }
    // A file that imports the changed one is told by those of its symbols that use it.
    let with_symbols: HashSet<u32> =
        code.iter().filter(|found| !found.node.is_file()).map(|found| found.node.file_number()).collect();
    code.retain(|found| !(found.node.is_file() && with_symbols.contains(&found.node.file_number())));
    let omitted = code.len().saturating_sub(request.limit);
    code.truncate(request.limit);
    let mut lines = EdgeLines::new(graph);
    let affected = code.iter().map(|found| AffectedSymbol::from_reached(graph, found, &mut lines)).collect();
    let mut search = TestSearch::new(graph, &paths);
    search.add_reached(&tests, &mut lines);
    search.add_importers(sources);
    search.add_named(sources);
    search.add_shared(sources, history);
    search.add_mentions(&scan.mentions);
    search.add_words(root, &words);
    search.add_recent(history);
    let (tests, omitted_tests) = search.select_tests(request.tests);
    ImpactReport {
        changed: starts.iter().map(|node| NamedNode::from_node(graph, *node)).collect(),
        more,
        affected,
        omitted,
        files,
        tests,
        omitted_tests,
        unlinked: scan.summarize(request.mentions),
        unknown,
        not_compared,
    }
}

impl AffectedSymbol {
    pub(super) fn from_reached(graph: &Graph, found: &ReachedNode, lines: &mut EdgeLines<'_>) -> Self {
        let how = if found.kind == EdgeKind::References { "uses" } else { found.kind.as_str() };
        Self {
            named: NamedNode::from_node(graph, found.node),
            confidence: found.confidence,
            distance: found.distance,
            how,
            through: graph.id(found.from),
            lines: lines.lines_between(found.node, found.kind, found.from).to_vec(),
        }
    }
}
