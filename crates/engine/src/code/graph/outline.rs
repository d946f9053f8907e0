//! The symbols of one file in the in-memory graph (`GraphOutline`), decoded from the store: texts in one string, and
//! sorted lists for lookups by name and handle.
//!
//! An outline never changes. Another version of a file is another outline, so graphs of different versions of a
//! worktree share all but what differs, with the lookups that were made for it.

use crate::code::symbol_codec;
use model::{LineRange, SymbolHandle, SymbolId, SymbolKind};
use std::sync::OnceLock;

pub(crate) struct GraphOutline {
    pub(super) path: String,
    pub(super) language: Option<String>,
    pub(super) lines: u32,
    /// The lines that could not be parsed.
    pub(super) unparsed: Vec<LineRange>,
    text: String,
    symbols: Vec<OutlineSymbol>,
    by_qualified_name: Vec<u32>,
    by_name: Vec<u32>,
    by_handle: OnceLock<Vec<(SymbolHandle, u32)>>,
}

struct OutlineSymbol {
    name: TextSlice,
    qualified_name: TextSlice,
    kind: SymbolKind,
    container: Option<u32>,
    lines: LineRange,
    name_line: u32,
}

/// A slice of the one string.
#[derive(Clone, Copy)]
struct TextSlice {
    start: u32,
    end: u32,
}

impl GraphOutline {
    /// Decodes the symbols of a file; damaged bytes give a file without symbols.
    pub(crate) fn from_bytes(path: String, language: Option<String>, lines: u32, bytes: &[u8]) -> Self {
        let mut text = String::new();
        let mut symbols = Vec::new();
        let mut add = |piece: &str| {
            let start = text.len() as u32;
            text.push_str(piece);
            TextSlice { start, end: text.len() as u32 }
        };
        let read = symbol_codec::each_symbol(bytes, |symbol| {
            symbols.push(OutlineSymbol {
                name: add(symbol.name),
                qualified_name: add(symbol.qualified_name),
                kind: symbol.kind,
                container: symbol.container,
                lines: symbol.lines,
                name_line: symbol.name_line,
            });
        });
        // Edges refer to symbols by number, so a part of the symbols would be worse than none.
        if read.is_err() {
            symbols.clear();
        }
        let by_handle = OnceLock::new();
        let unparsed = symbol_codec::decode_unparsed(bytes).unwrap_or_default();
        let by_qualified_name = Vec::new();
        let by_name = Vec::new();
        let mut outline =
            Self { path, language, lines, unparsed, text, symbols, by_qualified_name, by_name, by_handle };
        // Sorted numbers in place of maps: each text exists once, and a list takes four bytes a symbol.
        outline.by_qualified_name = outline.sorted_places(Self::qualified_name);
        outline.by_name = outline.sorted_places(Self::name);
        outline
    }

    /// How many symbols there are.
    pub(super) fn len(&self) -> u32 {
        self.symbols.len() as u32
    }

    pub(super) fn name(&self, at: u32) -> &str {
        self.slice_text(self.symbols[at as usize].name)
    }

    pub(super) fn qualified_name(&self, at: u32) -> &str {
        self.slice_text(self.symbols[at as usize].qualified_name)
    }

    pub(super) fn kind(&self, at: u32) -> SymbolKind {
        self.symbols[at as usize].kind
    }

    pub(super) fn container(&self, at: u32) -> Option<u32> {
        self.symbols[at as usize].container
    }

    /// The lines of a symbol.
    pub(super) fn lines_of(&self, at: u32) -> LineRange {
        self.symbols[at as usize].lines
    }

    pub(super) fn name_line(&self, at: u32) -> u32 {
        self.symbols[at as usize].name_line
    }

    pub(super) fn id(&self, at: u32) -> SymbolId {
        SymbolId::new(&self.path, self.qualified_name(at))
    }

    /// The symbol with a qualified name.
    pub(super) fn with_qualified_name(&self, qualified_name: &str) -> Option<u32> {
        let found = self.by_qualified_name.binary_search_by(|at| self.qualified_name(*at).cmp(qualified_name)).ok()?;
        Some(self.by_qualified_name[found])
    }

    /// The symbols with a name, in the order of the file.
    pub(super) fn symbols_named(&self, name: &str) -> &[u32] {
        let start = self.by_name.partition_point(|at| self.name(*at) < name);
        let length = self.by_name[start..].partition_point(|at| self.name(*at) == name);
        &self.by_name[start..start + length]
    }

    /// The symbols with a handle.
    pub(super) fn with_handle(&self, handle: SymbolHandle) -> impl Iterator<Item = u32> + '_ {
        // Handles are hashes of ids, and few graphs are asked for one, so the table is made on the first lookup.
        let by_handle = self.by_handle.get_or_init(|| {
            let mut all: Vec<_> = (0..self.len()).map(|at| (SymbolHandle::from_symbol(&self.id(at)), at)).collect();
            all.sort_unstable();
            all
        });
        let start = by_handle.partition_point(|(other, _)| *other < handle);
        by_handle[start..].iter().take_while(move |(other, _)| *other == handle).map(|(_, at)| *at)
    }

    /// Whether every symbol of another outline has the same place in this one.
    pub(super) fn keeps_places_of(&self, other: &Self) -> bool {
        other.len() <= self.len() && (0..other.len()).all(|at| self.qualified_name(at) == other.qualified_name(at))
    }

    fn sorted_places<'o>(&'o self, key: impl Fn(&'o Self, u32) -> &'o str) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.len()).collect();
        order.sort_by_key(|at| key(self, *at));
        order
    }

    fn slice_text(&self, text: TextSlice) -> &str {
        &self.text[text.start as usize..text.end as usize]
    }
}
