//! Detects renamed and moved symbols during indexing, and makes redirects from the old id to the new one: an id
//! vanished while the same text appeared under another id.
//!
//! Only files that changed together are compared, and only an unambiguous match counts: a wrong redirect is worse than
//! none.

use crate::base::Result;
use crate::code::symbol_codec::each_symbol;
use model::{SymbolId, SymbolKind};
use std::collections::{HashMap, HashSet};
use store::{FileChange, FileId, FileRecordKind, Redirect, Store, WorktreeId};

/// The redirects that some changes call for, ordered by the id that vanished.
pub(super) async fn find_redirects(
    store: &dyn Store,
    worktree: &WorktreeId,
    changes: &[FileChange],
) -> Result<Vec<Redirect>> {
    let before = load_symbols(store, worktree, changes.iter().map(|change| (change, change.before))).await?;
    let now = load_symbols(store, worktree, changes.iter().map(|change| (change, change.now))).await?;
    Ok(match_up(&before, &now))
}

/// A symbol that may have been added or removed.
struct TracedSymbol {
    id: SymbolId,
    name: String,
    kind: SymbolKind,
    body: u32,
}

async fn load_symbols(
    store: &dyn Store,
    worktree: &WorktreeId,
    versions: impl Iterator<Item = (&FileChange, Option<FileId>)>,
) -> Result<Vec<TracedSymbol>> {
    let (paths, files): (Vec<&str>, Vec<FileId>) =
        versions.filter_map(|(change, file)| Some((change.path.as_str(), file?))).unzip();
    let mut traced = Vec::new();
    for (path, bytes) in paths.into_iter().zip(store.load_records(worktree, FileRecordKind::Symbols, &files).await?) {
        let read = each_symbol(bytes.as_deref().unwrap_or_default(), |symbol| {
            let id = SymbolId::new(path, symbol.qualified_name);
            traced.push(TracedSymbol { id, name: symbol.name.to_owned(), kind: symbol.kind, body: symbol.body });
        });
        if read.is_err() {
            tracing::debug!(path, "the symbols of a version cannot be read");
        }
    }
    Ok(traced)
}

fn match_up(before: &[TracedSymbol], now: &[TracedSymbol]) -> Vec<Redirect> {
    let ids = |symbols: &[TracedSymbol]| symbols.iter().map(|symbol| symbol.id.clone()).collect::<HashSet<_>>();
    // A symbol that kept its id did not move, whatever became of its text.
    let were = ids(before);
    let are = ids(now);
    let mut came: HashMap<(u32, SymbolKind), Vec<&TracedSymbol>> = HashMap::new();
    // A body of 0 is too short to identify a symbol.
    for symbol in now.iter().filter(|symbol| symbol.body != 0 && !were.contains(&symbol.id)) {
        came.entry((symbol.body, symbol.kind)).or_default().push(symbol);
    }
    let mut gone: HashMap<(u32, SymbolKind), Vec<&TracedSymbol>> = HashMap::new();
    for symbol in before.iter().filter(|symbol| symbol.body != 0 && !are.contains(&symbol.id)) {
        gone.entry((symbol.body, symbol.kind)).or_default().push(symbol);
    }
    let mut redirects = Vec::new();
    for (text, gone) in &gone {
        let Some(came) = came.get(text) else { continue };
        for symbol in gone {
            if let Some(to) = unique_target(symbol, gone, came) {
                redirects.push(Redirect { from: symbol.id.clone(), to: to.id.clone() });
            }
        }
    }
    redirects.sort_by(|a, b| a.from.cmp(&b.from));
    redirects
}

/// The one symbol that this one can have become: the only one with its text, or the only one with its text and name.
fn unique_target<'t>(
    symbol: &TracedSymbol,
    gone: &[&TracedSymbol],
    came: &[&'t TracedSymbol],
) -> Option<&'t TracedSymbol> {
    if let ([_], [to]) = (gone, came) {
        return Some(to);
    }
    // Equal functions that moved together are matched by name, if the name is unique on both sides.
    let same = |other: &&&TracedSymbol| other.name == symbol.name;
    let mut namesakes = came.iter().filter(|other| other.name == symbol.name);
    match (namesakes.next(), namesakes.next(), gone.iter().filter(same).count()) {
        (Some(to), None, 1) => Some(to),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn traced(id: &str, body: u32) -> TracedSymbol {
        let id = SymbolId::parse(id).expect("an id");
        let name = id.qualified_name().rsplit('.').next().unwrap_or_default().to_owned();
        TracedSymbol { id, name, kind: SymbolKind::Function, body }
    }

    fn check(before: &[(&str, u32)], now: &[(&str, u32)], expected: &[(&str, &str)]) {
        let all = |symbols: &[(&str, u32)]| symbols.iter().map(|(id, body)| traced(id, *body)).collect::<Vec<_>>();
        let found = match_up(&all(before), &all(now));
        let found: Vec<_> = found.iter().map(|redirect| (redirect.from.as_str(), redirect.to.as_str())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_text_that_is_elsewhere_now_was_moved() {
        check(&[("a#f", 1), ("a#g", 2)], &[("a#g", 2), ("b#f", 1)], &[("a#f", "b#f")]);
        check(&[("a#f", 1), ("a#C.f", 2)], &[("a#h", 1), ("a#D.k", 2)], &[("a#C.f", "a#D.k"), ("a#f", "a#h")]);
    }

    #[test]
    fn a_text_that_is_still_there_went_nowhere() {
        check(&[("a#f", 1)], &[("a#f", 1), ("b#f", 1)], &[]);
        check(&[("a#f", 1)], &[("a#f", 2), ("b#f", 1)], &[]);
        check(&[("a#f", 0)], &[("a#g", 0)], &[]);
    }

    #[test]
    fn where_several_have_the_text_the_name_decides_or_nothing() {
        check(&[("a#f", 1), ("a#g", 1)], &[("b#g", 1), ("b#f", 1)], &[("a#f", "b#f"), ("a#g", "b#g")]);
        check(&[("a#f", 1)], &[("b#g", 1), ("c#h", 1)], &[]);
        check(&[("a#f", 1), ("a#g", 1)], &[("b#h", 1)], &[]);
    }
}
