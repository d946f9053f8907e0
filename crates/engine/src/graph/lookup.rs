//! Which symbol or file a caller means: an id, a handle, a path, a place, or a name that only one symbol has.

use super::loaded::{Graph, Link, NodeId};
use crate::{Error, Project, Result, spelling};
use model::{EdgeKind, Handle, SymbolId};

/// Ids shown where several fit.
const SHOWN: usize = 5;

/// Farther names are not what was meant.
const FARTHEST: usize = 2;

/// The one node a text names, however its caller writes it.
pub(crate) fn find(graph: &Graph, project: &Project, text: &str) -> Result<NodeId> {
    exactly(graph, text).or_else(|error| {
        let is_missing = matches!(error, Error::NotFound { .. });
        let meant = || respelled(graph, &spelling::place(project, text));
        is_missing.then(meant).flatten().ok_or(error)
    })
}

/// What a text names that is not written as we write it.
fn respelled(graph: &Graph, text: &str) -> Option<NodeId> {
    if let Ok(node) = exactly(graph, text) {
        return Some(node);
    }
    let Some(id) = SymbolId::parse(text) else {
        let chain = spelling::chain(text);
        return chain
            .as_deref()
            .and_then(|chain| exactly(graph, chain).ok())
            .or_else(|| below_path(graph, chain.as_deref().unwrap_or(text)));
    };
    let file = graph.file(&id.path());
    let other = spelling::chain(id.chain()).and_then(|chain| graph.symbol_node(&SymbolId::new(&id.path(), &chain)));
    let at_lines = || spelling::lines(id.chain()).map(|lines| innermost(graph, file?, lines.start).or(file));
    match file {
        Some(_) => other.or_else(|| at_lines().flatten()),
        None => exactly(graph, &spelling::chain(text)?).ok(),
    }
}

/// The one symbol whose chain is the end of a text, where names of its path stand before it: `crate::session::login`.
fn below_path(graph: &Graph, dotted: &str) -> Option<NodeId> {
    let mut rest = dotted;
    while let Some((outer, inner)) = rest.split_once('.') {
        rest = inner;
        let named = graph.named(inner.rsplit('.').next().unwrap_or(inner));
        let is_outside = |node: &NodeId| {
            let mut parts = graph.path(*node).split(['/', '.']);
            matches!(outer, "crate" | "self" | "super") || parts.any(|part| part == outer)
        };
        let mut fitting = named.filter(|node| graph.chain(*node) == inner && is_outside(node));
        if let (Some(node), None) = (fitting.next(), fitting.next()) {
            return Some(node);
        }
    }
    None
}

/// The one node that a text names as we write it.
fn exactly(graph: &Graph, text: &str) -> Result<NodeId> {
    let text = text.trim();
    if let Some(handle) = Handle::parse(text) {
        if let (None, Some((_, node))) = (graph.with_handle(handle).next(), graph.moved_by_handle(handle)) {
            return Ok(node);
        }
        return only(graph, text, &graph.with_handle(handle).collect::<Vec<_>>());
    }
    if let Some(file) = graph.file(text) {
        return Ok(file);
    }
    if let Some(id) = SymbolId::parse(text) {
        return match graph.symbol_node(&id).or_else(|| graph.moved(&id)) {
            Some(node) => Ok(node),
            None => Err(missing(graph, text, id.chain())),
        };
    }
    if let Some(node) = at_line(graph, text) {
        return Ok(node);
    }
    let dotted = text.replace("::", ".");
    let name = dotted.rsplit('.').next().unwrap_or(&dotted);
    let fits = |node: &NodeId| {
        let chain = graph.chain(*node);
        chain == dotted || chain.strip_suffix(&dotted).is_some_and(|before| before.ends_with('.'))
    };
    let named: Vec<NodeId> = graph.named(name).filter(fits).filter(|node| !is_declaration(graph, *node)).collect();
    let whole: Vec<NodeId> = named.iter().copied().filter(|node| graph.chain(*node) == dotted).collect();
    match whole.as_slice() {
        [node] => Ok(*node),
        _ => only(graph, text, &named),
    }
}

/// Whether something else is what this is written out as, and stands for both.
fn is_declaration(graph: &Graph, node: NodeId) -> bool {
    graph.into(node).iter().any(|link| is_written_twice(graph, node, link))
}

/// Whether an edge of a function leads from where it is written out to where it is declared.
pub(crate) fn is_written_twice(graph: &Graph, node: NodeId, link: &Link) -> bool {
    link.kind == EdgeKind::Implements && graph.chain(link.node) == graph.chain(node)
}

/// The innermost symbol at `path:line`, or the file where there is none.
fn at_line(graph: &Graph, text: &str) -> Option<NodeId> {
    let (path, line) = text.rsplit_once(':')?;
    let (file, line) = (graph.file(path)?, line.parse::<u32>().ok()?);
    Some(innermost(graph, file, line).unwrap_or(file))
}

/// The innermost symbol of a file around a line.
pub(crate) fn innermost(graph: &Graph, file: NodeId, line: u32) -> Option<NodeId> {
    let holds = |node: &NodeId| graph.lines(*node).start <= line && line <= graph.lines(*node).end;
    let size = |node: &NodeId| graph.lines(*node).end - graph.lines(*node).start;
    graph.symbols_of(file).filter(holds).min_by_key(size)
}

fn only(graph: &Graph, text: &str, nodes: &[NodeId]) -> Result<NodeId> {
    match nodes {
        [node] => Ok(*node),
        [] => Err(missing(graph, text, text)),
        several => {
            let ids: Vec<String> = several.iter().take(SHOWN).map(|node| graph.id(*node)).collect();
            let more =
                if several.len() > SHOWN { format!(" and {} more", several.len() - SHOWN) } else { String::new() };
            Err(Error::Parameter {
                field: "symbol",
                reason: format!(
                    "is `{text}`, which is the name of {} symbols: {}{more}",
                    several.len(),
                    ids.join(", ")
                ),
            })
        }
    }
}

fn missing(graph: &Graph, text: &str, chain: &str) -> Error {
    let name = chain.rsplit(['.', ':']).next().unwrap_or(chain);
    let mut near: Vec<(usize, NodeId)> = Vec::new();
    for node in graph.symbols() {
        let distance = strsim::levenshtein(&graph.name(node).to_lowercase(), &name.to_lowercase());
        if distance <= FARTHEST && distance < name.chars().count() {
            near.push((distance, node));
        }
    }
    near.sort_unstable();
    let ids: Vec<String> = near.iter().take(SHOWN).map(|(_, node)| format!("`{}`", graph.id(*node))).collect();
    let hint = match ids.as_slice() {
        [] => "epitome search finds symbols by words; epitome symbol NAME by a part of the name".to_owned(),
        ids => format!("did you mean {}?", ids.join(" or ")),
    };
    Error::NotFound { what: "symbol", id: text.to_owned(), hint: Some(hint) }
}
