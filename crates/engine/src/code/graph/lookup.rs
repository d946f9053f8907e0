//! Finds the graph nodes (symbols or a file) that a caller's text names: an id, a handle, a path, a `path:line`, or a
//! name. Several matches are ranked by likelihood; a text without a match gives an error with the nearest names.

use super::test_detection::is_test;
use super::worktree_graph::{Graph, GraphLink, NodeId};
use crate::base::{Error, Project, Result, spelling};
use model::{EdgeKind, SymbolHandle, SymbolId, SymbolKind};

/// Folders of code that demonstrates, measures or feeds the rest.
const AUXILIARY_DIRECTORIES: &[&str] = &[
    "example",
    "examples",
    "demo",
    "demos",
    "sample",
    "samples",
    "doc",
    "docs",
    "bench",
    "benches",
    "benchmarks",
    "fixtures",
    "testdata",
    "vendor",
    "third_party",
];

/// How many ids an error lists where several fit.
const MAX_LISTED_IDS: usize = 5;

/// Names that are more edits away are not suggested.
const MAX_EDIT_DISTANCE: usize = 2;

/// How many symbols of one name are answered for, unless a caller asks for more.
pub(crate) const MOST_HOMES: usize = 5;

/// The nodes that a text names.
pub(crate) struct NamedNodes {
    /// In the order of their ids; more than one only where nothing says which is meant.
    pub(crate) nodes: Vec<NodeId>,
    /// How many more have the name.
    pub(crate) more: usize,
}

/// The one node a text names, however its caller writes it.
pub(crate) fn find_node(graph: &Graph, project: &Project, text: &str) -> Result<NodeId> {
    let nodes = all_homes(graph, project, text)?;
    match nodes.as_slice() {
        [node] => Ok(*node),
        several => Err(ambiguous_error(graph, text, several)),
    }
}

/// Everything that a text names equally well, however its caller writes it; at most `most` nodes.
pub(crate) fn find_homes(graph: &Graph, project: &Project, text: &str, most: usize) -> Result<NamedNodes> {
    let mut nodes = all_homes(graph, project, text)?;
    let more = nodes.len().saturating_sub(most);
    nodes.truncate(most);
    Ok(NamedNodes { nodes, more })
}

/// At least one node.
fn all_homes(graph: &Graph, project: &Project, text: &str) -> Result<Vec<NodeId>> {
    find_exact(graph, text).or_else(|error| {
        // An ambiguous text is an error and no reason to reinterpret it; only a text that names nothing is tried in
        // other spellings.
        let is_missing = matches!(error, Error::NotFound { .. });
        let meant = || find_respelled(graph, &spelling::normalize_place(project, text));
        is_missing.then(meant).flatten().ok_or(error)
    })
}

/// The nodes that a text names in another spelling than ours.
fn find_respelled(graph: &Graph, text: &str) -> Option<Vec<NodeId>> {
    if let Ok(nodes) = find_exact(graph, text) {
        return Some(nodes);
    }
    let Some(id) = SymbolId::parse(text) else {
        let qualified_name = spelling::normalize_name(text);
        return qualified_name.as_deref().and_then(|qualified_name| find_exact(graph, qualified_name).ok()).or_else(
            || {
                Some(vec![
                    at_lines(graph, text).or_else(|| below_path(graph, qualified_name.as_deref().unwrap_or(text)))?,
                ])
            },
        );
    };
    let file = graph.find_file(&id.file_path());
    let other = spelling::normalize_name(id.qualified_name())
        .and_then(|qualified_name| graph.symbol_node(&SymbolId::new(&id.file_path(), &qualified_name)));
    let at_lines =
        || spelling::parse_lines(id.qualified_name()).map(|lines| innermost_symbol(graph, file?, lines.start).or(file));
    match file {
        Some(_) => other.or_else(|| at_lines().flatten()).map(|node| vec![node]),
        // No such file, so the `#` may be that of a method: `Session#login` (Ruby).
        None => find_exact(graph, &spelling::normalize_name(text)?).ok(),
    }
}

/// The innermost symbol around `path:10-20`, or the file.
fn at_lines(graph: &Graph, text: &str) -> Option<NodeId> {
    let (path, lines) = text.rsplit_once(':')?;
    let file = graph.find_file(path)?;
    let start = lines.split_once('-')?.0.parse().ok()?;
    Some(innermost_symbol(graph, file, start).unwrap_or(file))
}

/// The one symbol whose qualified name is the end of a text, where names of its path come before the qualified name:
/// `crate::session::login`.
fn below_path(graph: &Graph, dotted: &str) -> Option<NodeId> {
    let mut rest = dotted;
    // `crate.session.login` is tried as `session.login`, then as `login`; each name that is cut off must be in the
    // path.
    while let Some((outer, inner)) = rest.split_once('.') {
        rest = inner;
        let named = graph.symbols_named(inner.rsplit('.').next().unwrap_or(inner));
        let is_outside = |node: &NodeId| {
            let mut parts = graph.path(*node).split(['/', '.']);
            matches!(outer, "crate" | "self" | "super") || parts.any(|part| part == outer)
        };
        let mut fitting = named.filter(|node| graph.qualified_name(*node) == inner && is_outside(node));
        if let (Some(node), None) = (fitting.next(), fitting.next()) {
            return Some(node);
        }
    }
    None
}

/// The nodes that a text names in our own spelling: at least one.
fn find_exact(graph: &Graph, text: &str) -> Result<Vec<NodeId>> {
    let text = text.trim();
    if let Some(handle) = SymbolHandle::parse(text) {
        // A handle that a symbol has now is never redirected to another symbol.
        if let (None, Some((_, node))) = (graph.with_handle(handle).next(), graph.moved_by_handle(handle)) {
            return Ok(vec![node]);
        }
        return require_nodes(graph, text, graph.with_handle(handle).collect());
    }
    if let Some(file) = graph.find_file(text) {
        return Ok(vec![file]);
    }
    if let Some(id) = SymbolId::parse(text) {
        return match graph.symbol_node(&id).or_else(|| graph.find_moved(&id)) {
            Some(node) => Ok(vec![node]),
            None => Err(missing_error(graph, text, id.qualified_name())),
        };
    }
    if let Some(node) = at_line(graph, text) {
        return Ok(vec![node]);
    }
    let dotted = text.replace("::", ".");
    let name = dotted.rsplit('.').next().unwrap_or(&dotted);
    let fits = |node: &NodeId| {
        let qualified_name = graph.qualified_name(*node);
        qualified_name == dotted || qualified_name.strip_suffix(&dotted).is_some_and(|before| before.ends_with('.'))
    };
    // A prototype and its definition are one function, and the definition answers for both.
    let named: Vec<NodeId> =
        graph.symbols_named(name).filter(fits).filter(|node| !is_declaration(graph, *node)).collect();
    require_nodes(graph, text, select_likely(graph, named, &dotted))
}

/// Of the symbols with a name, the ones most likely meant: code before headings, the product before tests and examples,
/// and qualified names of exactly the given names (a top symbol, for a bare name) before nested ones.
fn select_likely(graph: &Graph, nodes: Vec<NodeId>, said: &str) -> Vec<NodeId> {
    let best = nodes.iter().map(|node| preference_key(graph, *node, said)).min();
    nodes.into_iter().filter(|node| Some(preference_key(graph, *node, said)) == best).collect()
}

/// How far a symbol is from the one that a bare name most likely means.
pub(crate) fn preference_key(graph: &Graph, node: NodeId, said: &str) -> (bool, bool, bool) {
    let is_code = graph.kind(node) != Some(SymbolKind::Section) && graph.language(node).is_some_and(syntax::is_central);
    let mut folders = graph.path(node).split('/').rev().skip(1);
    let is_aside = is_test(graph, node) || folders.any(|folder| AUXILIARY_DIRECTORIES.contains(&folder));
    (!is_code, is_aside, graph.qualified_name(node) != said)
}

/// Whether another node is the definition of this declaration.
fn is_declaration(graph: &Graph, node: NodeId) -> bool {
    graph.links_to(node).iter().any(|link| is_written_twice(graph, node, link))
}

/// Whether an edge leads from the definition of a function to its declaration.
pub(crate) fn is_written_twice(graph: &Graph, node: NodeId, link: &GraphLink) -> bool {
    link.kind == EdgeKind::Implements && graph.qualified_name(link.node) == graph.qualified_name(node)
}

/// The innermost symbol at `path:line`, or the file where there is none.
fn at_line(graph: &Graph, text: &str) -> Option<NodeId> {
    let (path, line) = text.rsplit_once(':')?;
    let file = graph.find_file(path)?;
    let line = line.parse::<u32>().ok()?;
    Some(innermost_symbol(graph, file, line).unwrap_or(file))
}

/// The innermost symbol of a file around a line.
pub(crate) fn innermost_symbol(graph: &Graph, file: NodeId, line: u32) -> Option<NodeId> {
    let holds = |node: &NodeId| graph.lines(*node).start <= line && line <= graph.lines(*node).end;
    let size = |node: &NodeId| graph.lines(*node).end - graph.lines(*node).start;
    graph.symbols_of(file).filter(holds).min_by_key(size)
}

fn require_nodes(graph: &Graph, text: &str, nodes: Vec<NodeId>) -> Result<Vec<NodeId>> {
    if nodes.is_empty() { Err(missing_error(graph, text, text)) } else { Ok(nodes) }
}

fn ambiguous_error(graph: &Graph, text: &str, several: &[NodeId]) -> Error {
    let ids: Vec<String> = several.iter().take(MAX_LISTED_IDS).map(|node| graph.id(*node)).collect();
    let more = if several.len() > MAX_LISTED_IDS {
        format!(" and {} more", several.len() - MAX_LISTED_IDS)
    } else {
        String::new()
    };
    let reason = format!("is `{text}`, which is the name of {} symbols: {}{more}", several.len(), ids.join(", "));
    Error::Parameter { field: "symbol", reason }
}

fn missing_error(graph: &Graph, text: &str, qualified_name: &str) -> Error {
    let name = qualified_name.rsplit(['.', ':']).next().unwrap_or(qualified_name);
    let mut near: Vec<(usize, NodeId)> = Vec::new();
    for node in graph.symbol_nodes() {
        let distance = strsim::levenshtein(&graph.name(node).to_lowercase(), &name.to_lowercase());
        // For a name of two letters, every other name of two letters is two edits away.
        if distance <= MAX_EDIT_DISTANCE && distance < name.chars().count() {
            near.push((distance, node));
        }
    }
    near.sort_unstable();
    let ids: Vec<String> = near.iter().take(MAX_LISTED_IDS).map(|(_, node)| format!("`{}`", graph.id(*node))).collect();
    let hint = match ids.as_slice() {
        [] => "epitome search finds symbols by words; epitome symbol NAME by a part of the name".to_owned(),
        ids => format!("did you mean {}?", ids.join(" or ")),
    };
    Error::NotFound { what: "symbol", id: text.to_owned(), hint: Some(hint) }
}
