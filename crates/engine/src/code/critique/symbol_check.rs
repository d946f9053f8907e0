//! Decides whether a symbol or file that a draft names exists. It is denied only where the project proves it: a member
//! of a type that is known with all it is made from, or a name that is stated to be here and stands in no file at all.

use super::library_types::has_member as has_library_member;
use super::mention::{PathMention, SymbolMention};
use super::project_names::{ProjectNames, has_word};
use super::{ClaimCheck, ClaimSupport, IssueKind};
use crate::code::graph::NodeId;
use model::{EdgeKind, SymbolKind};
use std::collections::HashSet;
use syntax::ReferenceKind;

/// Words in the text of a type that let it have members which are written nowhere.
const DYNAMIC_MARKS: &[&str] =
    &["__getattr__", "__getattribute__", "method_missing", "define_method", "new Proxy", "__call", "noSuchMethod"];

/// Bases from outside that add no member anybody would name.
const EMPTY_BASES: &[&str] = &["object", "Object", "Protocol", "Generic", "ABC"];

/// Annotations that add no member but methods with names between double underscores.
const EMPTY_ANNOTATIONS: &[&str] = &[
    "dataclass",
    "dataclasses.dataclass",
    "enum.unique",
    "final",
    "functools.total_ordering",
    "runtime_checkable",
    "total_ordering",
    "typing.final",
    "typing.runtime_checkable",
    "unique",
];

/// Whether a symbol exists.
pub(super) fn check_symbol(
    names: &ProjectNames,
    symbol: &SymbolMention,
    is_stated: bool,
    own_words: &HashSet<&str>,
) -> ClaimCheck {
    if let Some(found) = resolve(names, symbol) {
        return ClaimCheck::supported(names.source_of(found));
    }
    // What the draft shows in a fence it may be about to add.
    if own_words.contains(symbol.name()) {
        return ClaimCheck::unknown("the draft itself shows code with this name");
    }
    match symbol.segments.as_slice() {
        [.., owner, member] => check_member(names, symbol, owner, member, is_stated),
        _ => check_bare(names, symbol, is_stated),
    }
}

/// The symbol that a mention names, also as a member of what its type is made from.
pub(super) fn resolve(names: &ProjectNames, symbol: &SymbolMention) -> Option<NodeId> {
    if let Some(found) = names.find_symbols(symbol).first() {
        return Some(*found);
    }
    let [.., owner, member] = symbol.segments.as_slice() else { return None };
    let types = names.find_types(owner);
    names.find_member(&names.hierarchy(&types, true), member)
}

fn check_member(
    names: &ProjectNames,
    symbol: &SymbolMention,
    owner: &str,
    member: &str,
    is_stated: bool,
) -> ClaimCheck {
    let graph = &names.graph;
    let types = names.find_types(owner);
    let is_nowhere = names.places.is_nowhere(member);
    if types.is_empty() {
        let has_owner = graph.symbols_named(owner).any(|node| graph.kind(node) != Some(SymbolKind::Section));
        let is_known = has_owner || !names.places.is_nowhere(owner);
        // A name of a class that stands nowhere, with a member that stands nowhere, said to be here.
        return match (is_known, is_nowhere) {
            (false, true) if is_stated && starts_upper(owner) => {
                ClaimCheck::denied(format!("no file of the project has `{owner}` or `{member}`"))
                    .suggest(names.suggest(symbol, &[]))
            }
            (false, true) => ClaimCheck::unsupported(format!("no file of the project has `{owner}` or `{member}`"))
                .suggest(names.suggest(symbol, &[])),
            (true, true) if is_stated && symbol.is_compound() && is_module(names, owner) => {
                ClaimCheck::denied(format!("no file of the project has `{member}`")).suggest(names.suggest(symbol, &[]))
            }
            (true, true) => ClaimCheck::unsupported(format!("no file of the project has `{member}`"))
                .suggest(names.suggest(symbol, &[])),
            (_, false) => ClaimCheck::unknown("its owner is no type of the project"),
        };
    }
    let above = names.hierarchy(&types, true);
    let below = names.hierarchy(&types, false);
    if let Some(found) = names.find_member(&below, member) {
        return ClaimCheck { source: Some(names.source_of(found)), ..ClaimCheck::unknown("only a subtype has it") };
    }
    let of = types.iter().map(|node| graph.id(*node)).collect::<Vec<_>>().join("` or `");
    let denied = || {
        let has_bases = above.len() > types.len();
        let whole = if has_bases { format!("`{of}`, with what it is made from,") } else { format!("`{of}`") };
        ClaimCheck::denied(format!("{whole} has no member `{member}`")).suggest(names.suggest(symbol, &above))
    };
    let doubt = find_doubt(names, &above, member);
    if is_nowhere {
        return match doubt {
            None => denied(),
            Some(doubt) => ClaimCheck::unsupported(format!("no file of the project has `{member}`, but {doubt}"))
                .suggest(names.suggest(symbol, &above)),
        };
    }
    // A member may be set from code, or be a field that is no symbol: its name then stands in the file of the type.
    let in_files = above.iter().chain(&below).any(|node| names.places.is_in(member, graph.path(*node)));
    let of_other = graph.symbols_named(member).find(|node| graph.kind(*node) == Some(SymbolKind::Method));
    match (doubt, of_other) {
        _ if in_files => ClaimCheck::unknown("its name stands in the file of the type, and may be a member"),
        (None, _) => denied(),
        (Some(doubt), Some(other)) => ClaimCheck::unsupported(format!("`{}` has it, but {doubt}", graph.id(other))),
        (Some(doubt), None) => ClaimCheck::unknown(&doubt),
    }
}

fn check_bare(names: &ProjectNames, symbol: &SymbolMention, is_stated: bool) -> ClaimCheck {
    let name = symbol.name();
    if !names.places.is_nowhere(name) {
        return ClaimCheck::unknown("the project uses this name and does not define it");
    }
    let nowhere = format!("no file of the project has `{name}`");
    let is_named = symbol.is_compound() && (symbol.arguments.is_some() || symbol.is_declaration || is_stated);
    if is_named && is_stated {
        return ClaimCheck::denied(nowhere).suggest(names.suggest(symbol, &[]));
    }
    if symbol.is_compound() || symbol.arguments.is_some() {
        return ClaimCheck::unsupported(nowhere).suggest(names.suggest(symbol, &[]));
    }
    ClaimCheck::unknown("nothing says that it is a name of this project")
}

/// Why a type may have members that are not written in the project, where it may.
fn find_doubt(names: &ProjectNames, types: &[NodeId], member: &str) -> Option<String> {
    types.iter().find_map(|node| {
        let graph = &names.graph;
        let file = names.read_file(graph.path(*node));
        let text = names.symbol_text(*node);
        if let Some(mark) = DYNAMIC_MARKS.iter().find(|mark| has_word(&text, mark)) {
            return Some(format!("`{}` has `{mark}`", graph.name(*node)));
        }
        if !file.extract.problems.is_empty() {
            return Some(format!("{} could not be parsed in places", graph.path(*node)));
        }
        let symbols = file.extract.symbols.iter();
        let Some(place) =
            symbols.map(|symbol| symbol.id.qualified_name()).position(|name| name == graph.qualified_name(*node))
        else {
            return Some(format!("`{}` changed meanwhile", graph.name(*node)));
        };
        // What stands directly above the name: annotations and derivations add members.
        let lines = graph.lines(*node);
        let head = model::LineRange { start: lines.start.saturating_sub(3).max(1), end: graph.name_line(*node) };
        let head = super::project_names::take_lines(&file.bytes, head);
        if head.split(|byte| *byte == b'\n').any(|line| may_add_members(line.trim_ascii())) {
            return Some(format!("an annotation of `{}` may add members", graph.name(*node)));
        }
        let is_base = |kind| matches!(kind, ReferenceKind::Extends | ReferenceKind::Implements);
        let bases = file.extract.references.iter().filter(|use_| use_.within == Some(place) && is_base(use_.kind));
        let outside = bases.filter(|base| {
            let edges = graph.links_from(*node).iter();
            !edges.filter(|link| matches!(link.kind, EdgeKind::Extends | EdgeKind::Implements)).any(|link| {
                link.line == base.line || base.target.last_name().is_some_and(|name| name == graph.name(link.node))
            })
        });
        let language = graph.language(*node).unwrap_or_default();
        let mut bases = outside.map(|base| base.target.last_name().unwrap_or("an expression"));
        let is_open =
            |base: &&str| !EMPTY_BASES.contains(base) && has_library_member(language, base, member) != Some(false);
        let first = bases.find(is_open)?;
        Some(format!("`{}` is made from `{first}`, which is not of the project", graph.name(*node)))
    })
}

fn may_add_members(line: &[u8]) -> bool {
    let Some(annotation) = line.strip_prefix(b"@") else { return line.starts_with(b"#[") || line.starts_with(b"[") };
    let name = annotation.split(|byte| *byte == b'(').next().unwrap_or_default();
    !EMPTY_ANNOTATIONS.iter().any(|empty| empty.as_bytes() == name)
}

fn is_module(names: &ProjectNames, name: &str) -> bool {
    let stem = |file: NodeId| names.graph.name(file).split('.').next().unwrap_or_default().to_owned();
    names
        .graph
        .file_nodes()
        .any(|file| stem(file) == name && names.graph.language(file).is_some_and(syntax::is_central))
}

fn starts_upper(name: &str) -> bool {
    name.chars().next().is_some_and(char::is_uppercase)
}

/// Whether a file exists, and has the line.
pub(super) fn check_file(names: &ProjectNames, path: &PathMention) -> ClaimCheck {
    let files = names.find_files(path);
    if let Some(first) = files.first() {
        let known = ClaimCheck::supported(names.graph.path(*first).to_owned());
        let longest = files.iter().map(|file| names.graph.lines(*file).end).max().unwrap_or_default();
        return match path.line {
            Some(line) if line > longest => ClaimCheck {
                support: ClaimSupport::No,
                issue: Some(IssueKind::Outdated),
                evidence: Some(format!("the file has {longest} lines, and no line {line}")),
                ..known
            },
            _ => known,
        };
    }
    let written = path.path.trim_start_matches("./");
    if names.is_on_disk(written) {
        return ClaimCheck::supported(written.to_owned());
    }
    let first = written.split_once('/').map(|(folder, _)| format!("{folder}/"));
    let has_folder =
        first.is_some_and(|folder| names.graph.file_nodes().any(|file| names.graph.path(file).starts_with(&folder)));
    let is_code = syntax::language_of(written, b"").is_some_and(|language| syntax::is_central(language.name()));
    let name = written.rsplit('/').next().unwrap_or(written);
    let same: Vec<NodeId> = names.graph.file_nodes().filter(|file| names.graph.name(*file) == name).take(2).collect();
    let suggestion = if let [only] = same[..] { Some(names.graph.path(only).to_owned()) } else { None };
    let missing = "the project has no such file".to_owned();
    if has_folder && is_code && !written.contains("...") {
        return ClaimCheck::denied(missing).suggest(suggestion);
    }
    if is_code && written.contains('/') {
        return ClaimCheck::unsupported(missing).suggest(suggestion);
    }
    ClaimCheck::unknown("no path of the project")
}
