//! What a project looked like at the last look (`ChangeBaseline`), and what is not as it was then: files by the hashes of
//! their contents, and symbols by those of their texts, where somebody asked for kinds of symbols. The index drops versions
//! of files that no worktree has any more, so what symbols were is remembered here.

use crate::base::run_blocking;
use crate::code::index;
use crate::{Engine, Project, Result};
use model::{ContentHash, Symbol, SymbolKind};
use std::collections::{BTreeMap, BTreeSet};

/// The files and symbols of a project as they were at the last look.
#[derive(Clone, Debug, Default)]
pub struct ChangeBaseline {
    files: Option<BTreeMap<String, ContentHash>>,
    symbols: Option<SymbolBaseline>,
}

/// The symbols of some kinds, by their files.
#[derive(Clone, Debug, Default)]
struct SymbolBaseline {
    kinds: BTreeSet<SymbolKind>,
    by_path: BTreeMap<String, SymbolTexts>,
}

/// The kind and the hash of the text of each symbol, by its id.
type SymbolTexts = BTreeMap<String, (SymbolKind, ContentHash)>;

/// A file or a symbol that is not as it was.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ChangedPlace {
    /// A path, or the id of a symbol.
    pub(super) place: String,
    /// The hash of its text; none where it is gone.
    pub(super) text: Option<ContentHash>,
}

/// A symbol that is not as it was.
#[derive(Clone, Debug)]
pub(super) struct ChangedSymbol {
    pub(super) path: String,
    pub(super) kind: SymbolKind,
    pub(super) change: ChangedPlace,
}

impl ChangeBaseline {
    /// What changed since the last look, which this one replaces; symbols only of these kinds. The first look finds nothing.
    pub(super) async fn compare(
        &mut self,
        engine: &Engine,
        project: &Project,
        kinds: BTreeSet<SymbolKind>,
    ) -> Result<(Vec<ChangedPlace>, Vec<ChangedSymbol>)> {
        let now = engine.worktree_hashes(project).await?;
        let before = self.files.replace(now.clone());
        let changed = before.map(|before| changed_files(&before, &now)).unwrap_or_default();
        let symbols = self.compare_symbols(engine, project, &changed, kinds).await?;
        Ok((changed, symbols))
    }

    async fn compare_symbols(
        &mut self,
        engine: &Engine,
        project: &Project,
        changed: &[ChangedPlace],
        kinds: BTreeSet<SymbolKind>,
    ) -> Result<Vec<ChangedSymbol>> {
        let known = self.symbols.take().filter(|known| known.kinds == kinds);
        if kinds.is_empty() {
            return Ok(Vec::new());
        }
        let Some(mut known) = known else {
            let all: Vec<(String, ContentHash)> =
                self.files.iter().flatten().map(|(path, hash)| (path.clone(), *hash)).collect();
            let by_path = read_symbols(engine, project, &kinds, all).await?;
            self.symbols = Some(SymbolBaseline { kinds, by_path });
            return Ok(Vec::new());
        };
        let there: Vec<(String, ContentHash)> =
            changed.iter().filter_map(|file| Some((file.place.clone(), file.text?))).collect();
        let mut read = read_symbols(engine, project, &kinds, there).await?;
        let mut found = Vec::new();
        for file in changed {
            let now = match (read.remove(&file.place), file.text) {
                (Some(symbols), _) => symbols,
                (None, None) => SymbolTexts::new(),
                // It is being written again, and comes up at the next look.
                (None, Some(_)) => continue,
            };
            let before = known.by_path.remove(&file.place).unwrap_or_default();
            found.extend(changed_symbols(&file.place, &before, &now));
            known.by_path.insert(file.place.clone(), now);
        }
        self.symbols = Some(known);
        Ok(found)
    }
}

/// The symbols of some kinds in files that are still as they were indexed.
async fn read_symbols(
    engine: &Engine,
    project: &Project,
    kinds: &BTreeSet<SymbolKind>,
    files: Vec<(String, ContentHash)>,
) -> Result<BTreeMap<String, SymbolTexts>> {
    let paths: Vec<String> = files.iter().map(|(path, _)| path.clone()).collect();
    let mut symbols = index::symbols_at(&engine.code, project, &paths).await?;
    for symbols in &mut symbols {
        symbols.retain(|symbol| kinds.contains(&symbol.kind));
    }
    let root = project.root.clone();
    run_blocking("reading symbols", move || {
        let files = files.into_iter().zip(symbols);
        let read = files.filter_map(|((path, hash), symbols)| {
            if symbols.is_empty() {
                return Some((path, SymbolTexts::new()));
            }
            let bytes = fs_err::read(root.join(&path)).ok()?;
            let is_same = ContentHash::hash_bytes(&bytes) == hash;
            is_same.then(|| (path, symbols.iter().filter_map(|symbol| hash_symbol(&bytes, symbol)).collect()))
        });
        read.collect()
    })
    .await
}

fn hash_symbol(source: &[u8], symbol: &Symbol) -> Option<(String, (SymbolKind, ContentHash))> {
    let text = source.get(symbol.span.start as usize..symbol.span.end as usize)?;
    Some((symbol.id.to_string(), (symbol.kind, ContentHash::hash_bytes(text))))
}

fn changed_files(before: &BTreeMap<String, ContentHash>, now: &BTreeMap<String, ContentHash>) -> Vec<ChangedPlace> {
    let other = now.iter().filter(|(path, hash)| before.get(*path) != Some(hash));
    let gone = before.keys().filter(|path| !now.contains_key(*path));
    let place = |path: &String, text| ChangedPlace { place: path.clone(), text };
    let mut changed: Vec<ChangedPlace> = other.map(|(path, hash)| place(path, Some(*hash))).collect();
    changed.extend(gone.map(|path| place(path, None)));
    changed.sort();
    changed
}

fn changed_symbols(path: &str, before: &SymbolTexts, now: &SymbolTexts) -> Vec<ChangedSymbol> {
    let symbol = |id: &String, kind, text| ChangedSymbol {
        path: path.to_owned(),
        kind,
        change: ChangedPlace { place: id.clone(), text },
    };
    let other = now.iter().filter(|(id, now)| before.get(*id) != Some(now));
    let gone = before.iter().filter(|(id, _)| !now.contains_key(*id));
    other
        .map(|(id, (kind, text))| symbol(id, *kind, Some(*text)))
        .chain(gone.map(|(id, (kind, _))| symbol(id, *kind, None)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changed_is_what_has_other_bytes_is_new_or_is_gone() {
        let hash = |text: &str| ContentHash::hash_bytes(text.as_bytes());
        let before =
            BTreeMap::from([("a".to_owned(), hash("1")), ("b".to_owned(), hash("1")), ("c".to_owned(), hash("1"))]);
        let now =
            BTreeMap::from([("a".to_owned(), hash("1")), ("b".to_owned(), hash("2")), ("d".to_owned(), hash("1"))]);
        let changed = changed_files(&before, &now);
        let told: Vec<(&str, bool)> = changed.iter().map(|it| (it.place.as_str(), it.text.is_some())).collect();
        assert_eq!(told, [("b", true), ("c", false), ("d", true)]);
        assert!(changed_files(&now, &now).is_empty());
    }
}
