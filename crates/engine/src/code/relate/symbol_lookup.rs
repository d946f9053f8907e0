//! Finds the definitions of a name in the graph, for the symbol operation: exact matches first, then names that begin
//! with it or contain it, then near names by edit distance.

use super::NamedNode;
use crate::base::{Error, Project, Result, spelling};
use crate::code::CodeContext;
use crate::code::graph::Graph;
use crate::code::graph::NodeId;
use crate::code::graph::preference_key;
use crate::code::graph_load::load_graph;
use crate::code::{index, symbol_summaries};
use model::{LineRange, Symbol, SymbolId, SymbolKind};
use std::collections::HashMap;
use syntax::SignatureParts;

/// The definition to find.
#[derive(Clone, Debug)]
pub struct SymbolRequest {
    /// A name, a qualified name such as `Session.login`, or some of one.
    pub name: String,
    /// Only these kinds; empty for all.
    pub kinds: Vec<SymbolKind>,
    /// Only files whose path contains this.
    pub path: Option<String>,
    /// How many at most.
    pub limit: usize,
}

/// A definition.
#[derive(Clone, Debug)]
pub struct SymbolHit {
    /// Which.
    pub named: NamedNode,
    /// Its name alone.
    pub name: String,
    /// How the name fits: `exact`, `prefix`, `part` or `near`.
    pub fit: &'static str,
    /// Text before the body.
    pub signature: String,
    /// Its modifiers, parameters and return type.
    pub parts: SignatureParts,
    /// The doc comment.
    pub doc: Option<String>,
    /// A description by a model, if there is one.
    pub summary: Option<String>,
    /// The symbol around it.
    pub container: Option<String>,
}

/// The definitions found.
#[derive(Clone, Debug)]
pub struct SymbolReport {
    /// Best first.
    pub hits: Vec<SymbolHit>,
    /// How many more fit as well as the last one shown.
    pub omitted: usize,
    /// Files that could not be parsed in places, where no symbol has the name.
    pub unparsed: Vec<String>,
}

/// How well a name fits, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum NameMatch {
    Exact,
    /// Equal but for upper and lower case.
    SameLetters,
    Prefix,
    Part,
    Near(usize),
}

/// How many edits a typing error may be away.
const MAX_EDIT_DISTANCE: usize = 2;

pub(crate) async fn find_symbols(
    code: &CodeContext,
    project: &Project,
    mut request: SymbolRequest,
) -> Result<SymbolReport> {
    // A full id limits the search to its file. The file must exist, because other texts may look like an id.
    if let Some(id) = SymbolId::parse(request.name.trim()).filter(|id| project.root.join(&*id.file_path()).is_file()) {
        request.path.get_or_insert_with(|| id.file_path().into_owned());
        id.qualified_name().clone_into(&mut request.name);
    }
    let name = request.name.trim();
    let wanted = spelling::normalize_name(name).unwrap_or_else(|| name.to_owned());
    if wanted.is_empty() {
        return Err(Error::Parameter { field: "name", reason: "is empty".to_owned() });
    }
    let graph = load_graph(code, project).await?;
    let mut found = find_candidates(&graph, &wanted, &request);
    let is_found = found.first().is_some_and(|(fit, _)| *fit <= NameMatch::SameLetters);
    // The definition may be in a part that could not be parsed, which matters only if it was not found elsewhere.
    let unparsed = if is_found { Vec::new() } else { unparsed_files(&graph, &request) };
    let omitted = found.len().saturating_sub(request.limit);
    found.truncate(request.limit);
    let mut files: HashMap<String, Vec<Symbol>> = HashMap::new();
    let mut hits = Vec::new();
    for (fit, node) in found {
        let path = graph.path(node);
        if !files.contains_key(path) {
            let symbols = index::symbols_of(code, project, path).await?;
            files.insert(path.to_owned(), symbols);
        }
        let symbol = files[path].iter().find(|symbol| symbol.id.qualified_name() == graph.qualified_name(node));
        let summary = match symbol {
            Some(symbol) => symbol_summaries::cached_summary(code, project, path, symbol).await?,
            None => None,
        };
        hits.push(SymbolHit { summary, ..build_hit(&graph, node, fit, symbol) });
    }
    Ok(SymbolReport { hits, omitted, unparsed })
}

/// How many files with unparsed parts are listed.
const MOST_UNPARSED: usize = 3;

/// Files in which a name that was not found may be defined all the same.
fn unparsed_files(graph: &Graph, request: &SymbolRequest) -> Vec<String> {
    let is_asked = |path: &str| request.path.as_ref().is_none_or(|part| path.contains(part.as_str()));
    let mut files: Vec<(&str, &[LineRange])> = graph.unparsed_files().filter(|(path, _)| is_asked(path)).collect();
    files.sort_unstable_by_key(|(path, _)| *path);
    let mut told: Vec<String> =
        files.iter().take(MOST_UNPARSED).map(|(path, lines)| index::tell_unparsed(path, lines)).collect();
    if let Some(more @ 1..) = files.len().checked_sub(MOST_UNPARSED) {
        told.push(format!("{more} more files could not be parsed in places"));
    }
    told
}

/// Symbols whose names match, best first. Near names only where no name matches better.
fn find_candidates(graph: &Graph, wanted: &str, request: &SymbolRequest) -> Vec<(NameMatch, NodeId)> {
    let lower = wanted.to_lowercase();
    let asked = |node: &NodeId| {
        graph.kind(*node).is_some_and(|kind| request.kinds.is_empty() || request.kinds.contains(&kind))
            && request.path.as_ref().is_none_or(|part| graph.path(*node).contains(part.as_str()))
    };
    // A text without the marks of a qualified name can only match by the name, and names alone need no file decoded.
    let candidates = if wanted.contains(['.', '~']) {
        graph.symbol_nodes().collect()
    } else {
        graph.symbols_with_name(|name| match_plain_name(name, wanted, &lower).is_some())
    };
    let named = candidates.into_iter().filter(&asked);
    let mut found: Vec<(NameMatch, NodeId)> =
        named.filter_map(|node| Some((match_name(graph, node, wanted, &lower)?, node))).collect();
    if found.is_empty() {
        // Swapped letters count as one edit.
        let distance = |name: &str| {
            let distance = strsim::osa_distance(&name.to_lowercase(), &lower);
            Some(distance).filter(|distance| *distance <= MAX_EDIT_DISTANCE && *distance < lower.chars().count())
        };
        let near = |node| Some((NameMatch::Near(distance(graph.name(node))?), node));
        let candidates = graph.symbols_with_name(|name| distance(name).is_some());
        found = candidates.into_iter().filter(&asked).filter_map(near).collect();
    }
    // In a shorter name the wanted text is the greater part.
    found.sort_by_cached_key(|(fit, node)| {
        (*fit, graph.name(*node).len(), preference_key(graph, *node, wanted), graph.id(*node))
    });
    found
}

fn match_name(graph: &Graph, node: NodeId, wanted: &str, lower: &str) -> Option<NameMatch> {
    let name = graph.name(node);
    let qualified_name = graph.qualified_name(node);
    if name == wanted || qualified_name == wanted {
        return Some(NameMatch::Exact);
    }
    // A qualified name is matched by its end: `Session.login` finds `auth.Session.login`.
    if wanted.contains('.') {
        let ends = qualified_name.strip_suffix(wanted).is_some_and(|before| before.ends_with('.'));
        return ends.then_some(NameMatch::Exact).or_else(|| {
            let qualified_name = qualified_name.to_lowercase();
            qualified_name.contains(lower).then_some(NameMatch::Part)
        });
    }
    match_plain_name(name, wanted, lower)
}

fn match_plain_name(name: &str, wanted: &str, lower: &str) -> Option<NameMatch> {
    if name == wanted {
        return Some(NameMatch::Exact);
    }
    let name = name.to_lowercase();
    match () {
        () if name == lower => Some(NameMatch::SameLetters),
        () if name.starts_with(lower) => Some(NameMatch::Prefix),
        // Two letters are a part of nearly every name.
        () if lower.len() > 2 && name.contains(lower) => Some(NameMatch::Part),
        () => None,
    }
}

fn build_hit(graph: &Graph, node: NodeId, fit: NameMatch, symbol: Option<&Symbol>) -> SymbolHit {
    let language =
        graph.language(node).and_then(|name| syntax::all_languages().find(|language| language.name() == name));
    let parts = language.zip(symbol).map(|(language, symbol)| language.parse_signature(symbol));
    SymbolHit {
        named: NamedNode::from_node(graph, node),
        name: graph.name(node).to_owned(),
        fit: match fit {
            NameMatch::Exact | NameMatch::SameLetters => "exact",
            NameMatch::Prefix => "prefix",
            NameMatch::Part => "part",
            NameMatch::Near(_) => "near",
        },
        signature: symbol.map(|symbol| symbol.signature.clone()).unwrap_or_default(),
        parts: parts.unwrap_or_default(),
        doc: symbol.and_then(|symbol| symbol.doc.clone()),
        summary: None,
        container: graph.container(node).map(|container| graph.id(container)),
    }
}
