//! Decides whether one symbol calls, extends or implements another.
//!
//! That there is no edge proves nothing: a call may be one that nobody can resolve. A call is denied only where the body
//! of the caller mentions the callee nowhere and every call in it says whom it calls by name, so that none of them can
//! be the one.

use super::ClaimCheck;
use super::mention::{PathMention, SymbolMention};
use super::project_names::{ProjectNames, has_word};
use super::symbol_check::resolve;
use crate::code::graph::{Graph, LinkDirection, NodeId, TraversalSpec, traverse_graph};
use model::{EdgeKind, LineRange, SymbolKind};
use std::collections::HashSet;
use syntax::{Expression, ReferenceKind};

/// How many calls may lie between the two before they have nothing to do with each other.
const MOST_STEPS: u32 = 6;
/// Names of functions that call what they are told to in a text or value.
const REFLECTION: &[&str] =
    &["eval", "exec", "apply", "call", "Call", "invoke", "__import__", "import_module", "send", "public_send"];

#[expect(clippy::similar_names, reason = "caller and callee are the words of the field")]
pub(super) fn check_call(
    names: &ProjectNames,
    caller: &SymbolMention,
    file: Option<&PathMention>,
    callee: &SymbolMention,
    is_denied: bool,
    own_words: &HashSet<&str>,
) -> ClaimCheck {
    let callers = find_callers(names, caller, file);
    if callers.is_empty() {
        let exists = super::symbol_check::check_symbol(names, caller, true, own_words);
        return match exists.issue {
            Some(super::IssueKind::Hallucination) if !is_denied => ClaimCheck {
                suggestion: exists.suggestion,
                ..ClaimCheck::denied(format!("`{}` does not exist, so it calls nothing", caller.qualified()))
            },
            _ => ClaimCheck::unknown("the caller is not of the project"),
        };
    }
    let graph = &names.graph;
    let bodies: Vec<NodeId> = callers.iter().flat_map(|caller| with_inner(graph, *caller)).collect();
    let found = bodies.iter().find_map(|body| {
        let link = graph.links_from(*body).iter().find(|link| {
            let is_use = matches!(link.kind, EdgeKind::Calls | EdgeKind::References);
            is_use && names_node(graph, callee, link.node)
        })?;
        Some((format!("{}:{}", graph.path(*body), link.line), link))
    });
    if let Some((line, link)) = found {
        let is_sure = link.kind == EdgeKind::Calls && link.confidence.get() >= 0.9;
        return match (is_denied, is_sure) {
            (true, true) => ClaimCheck { source: Some(line.clone()), ..ClaimCheck::denied(format!("{line} calls it")) },
            (true, false) => ClaimCheck::unknown("a line may call it"),
            (false, _) => ClaimCheck::supported(line),
        };
    }
    // What inherits from the caller, or is declared by it, may have the body that is meant.
    let kin = names.hierarchy(&callers, false).into_iter().chain(names.hierarchy(&callers, true));
    let kin: Vec<NodeId> = kin.flat_map(|node| with_inner(graph, node)).chain(bodies.iter().copied()).collect();
    let name = callee.name();
    if let Some(node) = kin.iter().find(|node| has_word(&names.symbol_text(**node), name)) {
        let source = Some(names.source_of(*node));
        return ClaimCheck { source, ..ClaimCheck::unknown("the body mentions it, and no edge says how") };
    }
    if is_denied {
        return ClaimCheck::supported(names.source_of(callers[0]));
    }
    let course = TraversalSpec { way: LinkDirection::Out, kinds: &[EdgeKind::Calls], depth: MOST_STEPS, floor: 0.0 };
    let reached = traverse_graph(graph, &bodies, &course);
    if let Some(found) = reached.iter().find(|reached| names_node(graph, callee, reached.node)) {
        let evidence = format!("it calls it only through `{}`", graph.id(found.from));
        return ClaimCheck::unsupported(evidence);
    }
    if let Some(why) = bodies.iter().find_map(|body| find_unresolved(names, *body)) {
        return ClaimCheck::unsupported(format!("no edge says so, but {why}"));
    }
    let of = callers.iter().map(|node| format!("`{}`", graph.id(*node))).collect::<Vec<_>>().join(" and ");
    let mut calls: Vec<&str> = bodies
        .iter()
        .flat_map(|body| graph.links_from(*body))
        .filter(|link| link.kind == EdgeKind::Calls)
        .map(|link| graph.name(link.node))
        .collect();
    calls.sort_unstable();
    calls.dedup();
    calls.truncate(8);
    let calls = if calls.is_empty() { String::new() } else { format!("; it calls {}", calls.join(", ")) };
    ClaimCheck {
        source: Some(names.source_of(callers[0])),
        ..ClaimCheck::denied(format!("the body of {of} mentions `{name}` nowhere{calls}"))
    }
}

/// The callers that a mention may mean, in a file where one is named and has them.
fn find_callers(names: &ProjectNames, caller: &SymbolMention, file: Option<&PathMention>) -> Vec<NodeId> {
    let graph = &names.graph;
    let mut found = names.find_symbols(caller);
    if found.is_empty() {
        found.extend(resolve(names, caller));
    }
    // A constant or a field calls nothing that could be seen.
    found.retain(|node| graph.kind(*node).is_some_and(|kind| kind.is_function() || kind.is_type()));
    let files = file.map(|file| names.find_files(file)).unwrap_or_default();
    let in_file = |node: &&NodeId| files.iter().any(|file| file.file_number() == node.file_number());
    let there: Vec<NodeId> = found.iter().filter(in_file).copied().collect();
    if there.is_empty() { found } else { there }
}

/// Whether a node is what a mention names.
fn names_node(graph: &Graph, mention: &SymbolMention, node: NodeId) -> bool {
    let name = mention.name();
    if graph.name(node) == name {
        return true;
    }
    // A call of a type is one of its constructor, and the other way round.
    let container = graph.container(node).is_some_and(|of| graph.name(of) == name);
    container && graph.kind(node).is_some_and(SymbolKind::is_function)
}

/// A symbol with all that stands in it.
fn with_inner(graph: &Graph, node: NodeId) -> Vec<NodeId> {
    let lines = graph.lines(node);
    let is_inside = |other: &NodeId| {
        let own = graph.lines(*other);
        lines.start <= own.start && own.end <= lines.end
    };
    let members: Vec<NodeId> = graph.member_nodes(node).filter(|member| !is_inside(member)).collect();
    graph.symbols_of(node).filter(is_inside).chain(members).collect()
}

/// A call in a body that does not say by name whom it calls.
fn find_unresolved(names: &ProjectNames, node: NodeId) -> Option<String> {
    let graph = &names.graph;
    let file = names.read_file(graph.path(node));
    if !file.extract.problems.is_empty() {
        return Some(format!("{} could not be parsed in places", graph.path(node)));
    }
    let lines = graph.lines(node);
    let is_inside = |line: u32| lines.start <= line && line <= lines.end;
    if graph.links_from(node).iter().any(|link| graph.kind(link.node) == Some(SymbolKind::Macro)) {
        return Some("it expands a macro".to_owned());
    }
    let locals = local_names(&file.extract, lines);
    file.extract.references.iter().filter(|use_| use_.kind == ReferenceKind::Call && is_inside(use_.line)).find_map(
        |use_| {
            let Some(name) = use_.target.last_name() else {
                return Some(format!("line {} calls a value", use_.line));
            };
            if REFLECTION.contains(&name) {
                return Some(format!("line {} calls whatever `{name}` is told to", use_.line));
            }
            let is_linked =
                graph.links_from(node).iter().any(|link| link.line == use_.line && graph.name(link.node) == name);
            // A variable of the body may hold any function.
            let is_local = matches!(&use_.target, Expression::Name(name) if locals.contains(name.as_str()));
            (is_local && !is_linked).then(|| format!("line {} calls the value of `{name}`", use_.line))
        },
    )
}

/// Variables and parameters of the lines.
fn local_names(extract: &syntax::FileExtract, lines: LineRange) -> HashSet<&str> {
    let inside = extract.bindings.iter().filter(|binding| lines.start <= binding.line && binding.line <= lines.end);
    inside.filter(|binding| !binding.is_field).map(|binding| binding.name.as_str()).collect()
}

/// Whether a type extends or implements another.
pub(super) fn check_base(names: &ProjectNames, symbol: &SymbolMention, base: &SymbolMention) -> ClaimCheck {
    let graph = &names.graph;
    let is_type = |node: &NodeId| graph.kind(*node).is_some_and(SymbolKind::is_type);
    let types: Vec<NodeId> = names.find_symbols(symbol).into_iter().filter(is_type).collect();
    let Some(first) = types.first() else { return ClaimCheck::unknown("it is no type of the project") };
    let above = names.hierarchy(&types, true);
    let found = above.iter().filter(|node| !types.contains(node)).find(|node| graph.name(**node) == base.name());
    if let Some(found) = found {
        return ClaimCheck::supported(names.source_of(*found));
    }
    // In its text it may be a base that is not of the project, and in its file it may be implemented.
    let is_mentioned = above.iter().any(|node| names.places.is_in(base.name(), graph.path(*node)));
    if is_mentioned {
        return ClaimCheck::unknown("the file of the type mentions it, and no edge says how");
    }
    // Elsewhere an interface may be implemented for the type.
    let both = graph.file_nodes().any(|file| {
        let path = graph.path(file);
        names.places.is_in(base.name(), path) && names.places.is_in(symbol.name(), path)
    });
    if both || names.find_types(base.name()).iter().any(|base| graph.kind(*base) == Some(SymbolKind::Interface)) {
        return ClaimCheck::unsupported("no edge says so, but it may be stated elsewhere".to_owned());
    }
    let evidence = format!("`{}` names no `{}`", graph.id(*first), base.name());
    ClaimCheck { source: Some(names.source_of(*first)), ..ClaimCheck::denied(evidence) }
}
