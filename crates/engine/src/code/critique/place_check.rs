//! Decides whether a symbol stands in the file that a draft names for it.

use super::mention::{PathMention, SymbolMention};
use super::project_names::{ProjectNames, has_word, take_lines};
use super::symbol_check::resolve;
use super::{ClaimCheck, ClaimSupport, IssueKind};
use crate::code::graph::NodeId;
use model::LineRange;
use std::collections::HashSet;

/// How far a line may be from a symbol before it counts as another place: files change while they are talked about.
const LINES_ASIDE: u32 = 20;

pub(super) fn check_place(
    names: &ProjectNames,
    symbol: &SymbolMention,
    path: &PathMention,
    is_defined: bool,
    own_words: &HashSet<&str>,
) -> ClaimCheck {
    let graph = &names.graph;
    let files = names.find_files(path);
    if files.is_empty() {
        return ClaimCheck::unknown("the project has no such file");
    }
    let is_there = |node: &NodeId| files.iter().any(|file| file.file_number() == node.file_number());
    let mut homes = names.find_symbols(symbol);
    if homes.is_empty() {
        homes.extend(resolve(names, symbol));
    }
    if let Some(found) = homes.iter().find(|node| is_there(node)) {
        return check_line(names, *found, path);
    }
    let paths: Vec<&str> = files.iter().map(|file| graph.path(*file)).collect();
    if own_words.contains(symbol.name()) {
        return ClaimCheck::unknown("the draft itself shows code with this name");
    }
    // What could not be parsed may define whatever it has the name of.
    let is_open = files.iter().any(|file| {
        let is_code = graph.language(*file).is_some_and(syntax::is_central);
        let read = names.read_file(graph.path(*file));
        !is_code || (!read.extract.problems.is_empty() && has_word(&read.bytes, symbol.name()))
    });
    if is_open {
        return ClaimCheck::unknown("the file is no code, or could not be parsed in places");
    }
    // The name of a member may stand there for another one: the whole name counts.
    let mentioned = paths.iter().any(|path| symbol.segments.iter().all(|name| names.places.is_in(name, path)));
    let home = homes.first().map(|home| names.source_of(*home));
    let listed = paths.join(", ");
    // The line that is cited may be one of a use.
    let is_use = path.line.is_some_and(|line| paths.iter().any(|path| is_near(names, path, line, symbol.name())));
    match (home, mentioned) {
        (Some(home), false) => {
            ClaimCheck::denied(format!("{listed} does not have it; it is in {home}")).suggest(Some(home))
        }
        // A use of it would be in the file, too.
        (Some(home), true) if is_defined && !is_use => {
            ClaimCheck::denied(format!("{listed} uses it; it is defined in {home}")).suggest(Some(home))
        }
        (Some(home), true) => ClaimCheck { source: Some(home), ..ClaimCheck::unknown("the file uses it") },
        (None, true) => ClaimCheck::unknown("the file has the name, and no symbol of it"),
        (None, false) => owner_home(names, symbol, &listed),
    }
}

/// A symbol that is nowhere: where its type is, or that no file has it.
fn owner_home(names: &ProjectNames, symbol: &SymbolMention, listed: &str) -> ClaimCheck {
    let mut suggestion = None;
    if let [.., owner, _] = symbol.segments.as_slice() {
        suggestion = names.find_types(owner).first().map(|of| names.source_of(*of));
    }
    let owner = suggestion.as_ref().map(|home| format!("; its type is in {home}")).unwrap_or_default();
    ClaimCheck::denied(format!("{listed} does not have `{}`{owner}", symbol.name())).suggest(suggestion)
}

fn check_line(names: &ProjectNames, node: NodeId, path: &PathMention) -> ClaimCheck {
    let lines = names.graph.lines(node);
    let known = ClaimCheck::supported(names.source_of(node));
    let Some(line) = path.line else { return known };
    if line + LINES_ASIDE >= lines.start && line <= lines.end + LINES_ASIDE {
        return known;
    }
    // A line of a use is as good as one of the definition.
    if is_near(names, names.graph.path(node), line, names.graph.name(node)) {
        return known;
    }
    let evidence = format!("it stands at lines {}-{}, not at line {line}", lines.start, lines.end);
    ClaimCheck { support: ClaimSupport::No, issue: Some(IssueKind::Outdated), evidence: Some(evidence), ..known }
}

/// Whether a name stands near a line of a file.
fn is_near(names: &ProjectNames, path: &str, line: u32, name: &str) -> bool {
    let near = LineRange { start: line.saturating_sub(LINES_ASIDE).max(1), end: line + LINES_ASIDE };
    has_word(take_lines(&names.read_file(path).bytes, near), name)
}
