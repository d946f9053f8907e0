//! Selects the central file of each directory by PageRank and lists its main declarations in a few lines, for the tree
//! of the project.

use super::truncate_text;
use crate::base::{Project, Result};
use crate::code::CodeContext;
use crate::code::graph::is_test_file;
use crate::code::graph::{Graph, NodeId, page_ranks};
use crate::code::index;
use model::{Symbol, SymbolKind};
use std::collections::HashMap;

/// How many signatures of a file are shown.
const LINES: usize = 4;

/// Longer signatures are cut.
const MAX_SIGNATURE_WIDTH: usize = 100;

/// How many directories get a summary: more do not fit into a tree.
const MAX_SUMMARIZED_DIRECTORIES: usize = 64;

/// The lines to show of each directory below `root`, no deeper than so many levels.
pub(super) async fn directory_summaries(
    code: &CodeContext,
    project: &Project,
    graph: &Graph,
    root: &str,
    depth: u32,
) -> Result<HashMap<String, Vec<String>>> {
    let level = |directory: &str| directory.split('/').filter(|name| !name.is_empty()).count();
    let is_below = |directory: &str| {
        root.is_empty() || directory == root || directory.strip_prefix(root).is_some_and(|rest| rest.starts_with('/'))
    };
    let mut chosen: Vec<(&str, NodeId)> =
        central_files(graph).into_iter().filter(|(directory, _)| is_below(directory)).collect();
    chosen.sort_by_key(|(directory, _)| (level(directory), *directory));
    // A directory with a single directory in it is drawn on one line with that, so one level may be several here.
    chosen.retain(|(directory, _)| level(directory) <= level(root) + 2 * depth as usize);
    chosen.truncate(MAX_SUMMARIZED_DIRECTORIES);
    let mut summaries = HashMap::new();
    for (directory, file) in chosen {
        let symbols = index::symbols_of(code, project, graph.path(file)).await?;
        summaries.insert(directory.to_owned(), lines_of(graph.name(file), &symbols));
    }
    Ok(summaries)
}

/// In each directory the file that most of the project depends on, among those with definitions: code before files that
/// build or style it, the product before its tests.
fn central_files(graph: &Graph) -> HashMap<&str, NodeId> {
    let ranks = page_ranks(graph);
    let weight = |file: NodeId| {
        let is_central = graph.language(file).is_some_and(syntax::is_central);
        (is_central, !is_test_file(graph.path(file)), ranks[file.file_number() as usize])
    };
    let mut best: HashMap<&str, NodeId> = HashMap::new();
    for file in graph.file_nodes().filter(|file| graph.symbols_of(*file).len() > 0) {
        let directory = graph.path(file).rsplit_once('/').map_or("", |(directory, _)| directory);
        let known = best.entry(directory).or_insert(file);
        if weight(file) > weight(*known) {
            *known = file;
        }
    }
    best
}

/// The top declarations of a file, by signature: types and functions first.
fn lines_of(name: &str, symbols: &[Symbol]) -> Vec<String> {
    let mut top: Vec<&Symbol> = symbols.iter().filter(|symbol| symbol.container.is_none()).collect();
    top.sort_by_key(|symbol| is_value(symbol.kind));
    let line = |symbol: &&Symbol| {
        let said = if symbol.signature.is_empty() { &symbol.name } else { &symbol.signature };
        let mut line = format!("{name}: {said}");
        truncate_text(&mut line, MAX_SIGNATURE_WIDTH);
        line
    };
    let mut lines: Vec<String> = top.iter().take(LINES).map(line).collect();
    if top.len() > LINES {
        lines.push(format!("{name}: … {} more", top.len() - LINES));
    }
    lines
}

/// Whether a symbol is neither a type nor a function.
fn is_value(kind: SymbolKind) -> bool {
    use SymbolKind::{Class, Enum, Function, Interface, Macro, Method, Struct, Trait, Type};
    !matches!(kind, Class | Enum | Function | Interface | Macro | Method | Struct | Trait | Type)
}
