//! Units by number: where they are and what they are.

use super::symbols::{each_symbol, units as read_units};
use crate::Result;
use model::{LineRange, SymbolId, SymbolKind};
use std::collections::HashMap;
use store::{Fact, FileId, Store, TreeFile, UnitId, WorktreeId};

/// A unit with where it is and what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IndexedUnit {
    /// Its number.
    pub(crate) unit: UnitId,
    /// Project-relative path of its file.
    pub(crate) path: String,
    /// Its lines.
    pub(crate) lines: LineRange,
    /// The symbol it mostly is, with its kind.
    pub(crate) symbol: Option<(SymbolId, SymbolKind)>,
}

/// Units of `files`, in the order asked, repeats included; numbers that none of the files has are left out, as are
/// those of files that were dropped meanwhile.
pub(crate) async fn units(
    store: &dyn Store,
    worktree: &WorktreeId,
    files: &[TreeFile],
    units: &[UnitId],
) -> Result<Vec<IndexedUnit>> {
    let mut by_unit: Vec<&TreeFile> = files.iter().filter(|file| file.units > 0).collect();
    by_unit.sort_unstable_by_key(|file| file.first_unit);
    let holder = |unit: &UnitId| {
        let after = by_unit.partition_point(|file| file.first_unit <= *unit);
        by_unit[..after].last().copied().filter(|file| unit.0 - file.first_unit.0 < file.units)
    };
    let mut wanted: Vec<&TreeFile> = units.iter().filter_map(holder).collect();
    wanted.sort_unstable_by_key(|file| file.file);
    wanted.dedup_by_key(|file| file.file);
    let ids: Vec<FileId> = wanted.iter().map(|file| file.file).collect();
    let facts = store.facts(worktree, Fact::Symbols, &ids).await?;
    let decoded: HashMap<FileId, Vec<IndexedUnit>> = wanted
        .iter()
        .zip(&facts)
        .filter_map(|(file, bytes)| Some((file.file, units_of(file, bytes.as_deref()?))))
        .collect();
    let found = units.iter().filter_map(|unit| {
        let file = holder(unit)?;
        decoded.get(&file.file)?.get((unit.0 - file.first_unit.0) as usize).cloned()
    });
    Ok(found.collect())
}

/// Bytes that are not ours hold no units: the file is not indexed, as far as anybody can tell.
fn units_of(file: &TreeFile, bytes: &[u8]) -> Vec<IndexedUnit> {
    let Ok(places) = read_units(bytes) else { return Vec::new() };
    let mut symbols: Vec<(SymbolId, SymbolKind)> = Vec::new();
    if each_symbol(bytes, |symbol| symbols.push((SymbolId::new(&file.path, symbol.chain), symbol.kind))).is_err() {
        return Vec::new();
    }
    let unit = |(number, place): (u32, &super::symbols::UnitPlace)| IndexedUnit {
        unit: UnitId(number),
        path: file.path.clone(),
        lines: place.lines,
        symbol: place.symbol.and_then(|symbol| symbols.get(symbol as usize).cloned()),
    };
    (file.first_unit.0..).zip(&places).map(unit).collect()
}
