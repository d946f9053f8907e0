//! The symbols of one file in the in-memory graph (`GraphOutline`), decoded from the store: texts in one string, and
//! sorted lists for lookups by name and handle. The outline of a graph that lies in a mapped image is decoded when a
//! question first asks for the file.
//!
//! An outline never changes. Another version of a file is another outline, so graphs of different versions of a
//! worktree share all but what differs, with the lookups that were made for it.

use crate::base::image::SharedList;
use crate::code::symbol_codec;
use model::{LineRange, SymbolHandle, SymbolId, SymbolKind};
use std::sync::OnceLock;

pub(crate) struct GraphOutline {
    pub(super) path: String,
    pub(super) language: Option<String>,
    pub(super) lines: u32,
    /// The symbols as the store has them; empty where they were decoded at once.
    record: SharedList<u8>,
    decoded: OnceLock<OutlineSymbols>,
    by_handle: OnceLock<Vec<(SymbolHandle, u32)>>,
}

#[derive(Default)]
struct OutlineSymbols {
    /// The lines that could not be parsed.
    unparsed: Vec<LineRange>,
    text: String,
    symbols: Vec<OutlineSymbol>,
    by_qualified_name: Vec<u32>,
    by_name: Vec<u32>,
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
        let decoded = OnceLock::from(OutlineSymbols::decode(bytes));
        Self { path, language, lines, record: SharedList::default(), decoded, by_handle: OnceLock::new() }
    }

    /// A file whose symbols are decoded when they are asked for.
    pub(super) fn from_record(path: String, language: Option<String>, lines: u32, record: SharedList<u8>) -> Self {
        Self { path, language, lines, record, decoded: OnceLock::new(), by_handle: OnceLock::new() }
    }

    fn decoded(&self) -> &OutlineSymbols {
        self.decoded.get_or_init(|| OutlineSymbols::decode(self.record.all_rows()))
    }

    /// The lines that could not be parsed.
    pub(super) fn unparsed(&self) -> &[LineRange] {
        &self.decoded().unparsed
    }

    /// How many symbols there are.
    pub(super) fn len(&self) -> u32 {
        self.decoded().symbols.len() as u32
    }

    pub(super) fn name(&self, at: u32) -> &str {
        self.decoded().name(at)
    }

    pub(super) fn qualified_name(&self, at: u32) -> &str {
        self.decoded().qualified_name(at)
    }

    pub(super) fn kind(&self, at: u32) -> SymbolKind {
        self.decoded().symbols[at as usize].kind
    }

    pub(super) fn container(&self, at: u32) -> Option<u32> {
        self.decoded().symbols[at as usize].container
    }

    /// The lines of a symbol.
    pub(super) fn lines_of(&self, at: u32) -> LineRange {
        self.decoded().symbols[at as usize].lines
    }

    pub(super) fn name_line(&self, at: u32) -> u32 {
        self.decoded().symbols[at as usize].name_line
    }

    pub(super) fn id(&self, at: u32) -> SymbolId {
        SymbolId::new(&self.path, self.qualified_name(at))
    }

    /// The symbol with a qualified name.
    pub(super) fn with_qualified_name(&self, qualified_name: &str) -> Option<u32> {
        let symbols = self.decoded();
        let places = &symbols.by_qualified_name;
        let found = places.binary_search_by(|at| symbols.qualified_name(*at).cmp(qualified_name)).ok()?;
        Some(places[found])
    }

    /// The symbols with a name, in the order of the file.
    pub(super) fn symbols_named(&self, name: &str) -> &[u32] {
        let symbols = self.decoded();
        let start = symbols.by_name.partition_point(|at| symbols.name(*at) < name);
        let length = symbols.by_name[start..].partition_point(|at| symbols.name(*at) == name);
        &symbols.by_name[start..start + length]
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
}

impl OutlineSymbols {
    fn decode(bytes: &[u8]) -> Self {
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
        let unparsed = symbol_codec::decode_unparsed(bytes).unwrap_or_default();
        let mut outline = Self { unparsed, text, symbols, ..Self::default() };
        // Sorted numbers in place of maps: each text exists once, and a list takes four bytes a symbol.
        outline.by_qualified_name = outline.sorted_places(Self::qualified_name);
        outline.by_name = outline.sorted_places(Self::name);
        outline
    }

    fn name(&self, at: u32) -> &str {
        self.slice_text(self.symbols[at as usize].name)
    }

    fn qualified_name(&self, at: u32) -> &str {
        self.slice_text(self.symbols[at as usize].qualified_name)
    }

    fn sorted_places<'o>(&'o self, key: impl Fn(&'o Self, u32) -> &'o str) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.symbols.len() as u32).collect();
        order.sort_by_key(|at| key(self, *at));
        order
    }

    fn slice_text(&self, text: TextSlice) -> &str {
        &self.text[text.start as usize..text.end as usize]
    }
}
