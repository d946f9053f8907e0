//! The in-memory index of the symbol names that a worktree defines, by their terms and by their keys (whole names
//! without case and underscores), with the inverse document frequency of terms.

use super::catalog::unique_stems;
use super::inverted_index::InvertedIndex;
use super::key_index::KeyIndex;
use super::overlay::OverlayVec;
use super::question::{is_stop_word, name_key, split_words};
use crate::code::symbol_codec::IndexedSymbol;
use foldhash::HashSet;
use model::{LineRange, SymbolKind};
use std::ops::Range;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// The kinds of symbols that ranking tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameKind {
    /// A type.
    Type,
    /// Something that is called.
    Function,
    /// A value or a section.
    Value,
}

impl NameKind {
    const ALL: [Self; 3] = [Self::Type, Self::Function, Self::Value];
}

/// A symbol.
#[derive(Clone, Copy)]
pub(crate) struct CatalogSymbol<'n> {
    pub(crate) file: u32,
    pub(crate) qualified_name: &'n str,
    pub(crate) kind: SymbolKind,
    pub(crate) sort: NameKind,
    pub(crate) lines: LineRange,
}

/// A symbol as it is kept; texts and terms are in lists of their own.
#[derive(Clone, Copy, FromBytes, Immutable, IntoBytes, KnownLayout)]
#[repr(C)]
pub(super) struct SymbolRow {
    file: u32,
    name_start: u32,
    name_end: u32,
    terms_start: u32,
    terms_end: u32,
    first_line: u32,
    last_line: u32,
    kind: u16,
    sort: u16,
}

/// A symbol on its way in.
pub(super) struct NewSymbol {
    qualified_name: String,
    kind: SymbolKind,
    sort: NameKind,
    lines: LineRange,
    key: String,
    terms: Vec<String>,
}

/// A value of a file that takes at least so many lines is a function in all but name.
const LONG_VALUE: u32 = 3;

/// Modules and types of tests, as they are called inside of a file that is no test.
const TEST_MODULES: [&str; 4] = ["test", "tests", "Test", "Tests"];

impl NewSymbol {
    /// Whether it is a test module, or part of one.
    pub(super) fn is_in_tests(&self) -> bool {
        self.qualified_name.split('.').next().is_some_and(|outermost| TEST_MODULES.contains(&outermost))
    }

    pub(super) fn new(symbol: &IndexedSymbol<'_>) -> Self {
        let sort = match symbol.kind {
            SymbolKind::Module
            | SymbolKind::Class
            | SymbolKind::Struct
            | SymbolKind::Enum
            | SymbolKind::Interface
            | SymbolKind::Trait
            | SymbolKind::Type => NameKind::Type,
            SymbolKind::Function | SymbolKind::Method | SymbolKind::Macro => NameKind::Function,
            // `const handler = () => { … }` in JavaScript is a function that is written as a value.
            SymbolKind::Constant if symbol.container.is_none() && symbol.lines.count() >= LONG_VALUE => {
                NameKind::Function
            }
            SymbolKind::Constant | SymbolKind::Field | SymbolKind::Section => NameKind::Value,
        };
        Self {
            qualified_name: symbol.qualified_name.to_owned(),
            kind: symbol.kind,
            sort,
            lines: symbol.lines,
            key: name_key(symbol.name),
            terms: if symbol.kind == SymbolKind::Section {
                heading_terms(symbol.name)
            } else {
                unique_stems(symbol.name)
            },
        }
    }
}

/// The terms of a heading, without the words that hold it together, unless it has no others: questions do not ask for
/// those.
fn heading_terms(heading: &str) -> Vec<String> {
    let words: Vec<&str> = split_words(heading).filter(|word| !is_stop_word(&word.to_lowercase())).collect();
    let terms = unique_stems(&words.join(" "));
    if terms.is_empty() { unique_stems(heading) } else { terms }
}

/// All names of a worktree; those of files that are gone as well.
#[derive(Clone, Default)]
pub(crate) struct NameIndex {
    pub(super) symbols: OverlayVec<SymbolRow>,
    /// The qualified names of symbols, one behind the other.
    pub(super) texts: OverlayVec<u8>,
    pub(super) symbol_terms: OverlayVec<u32>,
    pub(super) numbers: KeyIndex,
    /// For each term in how many files it is part of a name, and the file it was met in last.
    pub(super) files: Vec<[u32; 2]>,
    pub(super) rarity: Vec<f32>,
    /// Terms whose rarity may be another one now.
    met: Vec<u32>,
    /// Of how many files that is said.
    pub(super) file_count: usize,
    /// Which symbols have a term.
    pub(super) by_term: InvertedIndex,
    /// Which symbols have a key.
    pub(super) by_key: KeyIndex,
}

impl NameIndex {
    pub(super) fn symbol_count(&self) -> u32 {
        self.symbols.len() as u32
    }

    pub(super) fn symbol(&self, number: u32) -> CatalogSymbol<'_> {
        let row = self.symbols.at(number as usize);
        let name = self.texts.slice(row.name_start as usize..row.name_end as usize);
        CatalogSymbol {
            file: row.file,
            qualified_name: str::from_utf8(name).unwrap_or_default(),
            kind: SymbolKind::ALL.get(usize::from(row.kind)).map_or(SymbolKind::Section, |(kind, _)| *kind),
            sort: NameKind::ALL.get(usize::from(row.sort)).copied().unwrap_or(NameKind::Value),
            lines: LineRange { start: row.first_line, end: row.last_line },
        }
    }

    /// The number of a term that may be part of a name.
    pub(super) fn intern_term(&mut self, term: &str) -> u32 {
        if let Some(number) = self.numbers.newest_number(term) {
            return number;
        }
        let number = self.files.len() as u32;
        self.numbers.add_number(term, number);
        // No file has this number, so the first file that mentions the term counts.
        self.files.push([0, u32::MAX]);
        number
    }

    pub(super) fn known_term(&self, term: &str) -> Option<u32> {
        self.numbers.newest_number(term)
    }

    /// How much a term says by being rare among names.
    pub(super) fn term_idf(&self, term: u32) -> f32 {
        self.rarity[term as usize]
    }

    /// Symbols that have a term in their name.
    pub(super) fn with_term(&self, term: u32) -> impl Iterator<Item = u32> {
        self.by_term.posting_list(term)
    }

    /// How many terms there are.
    pub(super) fn term_count(&self) -> usize {
        self.files.len()
    }

    /// Symbols whose whole name has a key.
    pub(super) fn with_key(&self, key: &str) -> impl Iterator<Item = u32> {
        self.by_key.numbers_of(key)
    }

    /// Every key with the symbols whose whole name has it, in no order.
    pub(super) fn iter_keys(&self) -> impl Iterator<Item = (&str, &[u32])> {
        self.by_key.entries()
    }

    /// The rarities of all terms of a symbol's name together.
    pub(super) fn name_mass(&self, symbol: u32) -> f32 {
        self.terms_of(symbol).iter().map(|term| self.term_idf(*term)).sum()
    }

    pub(super) fn defines_more_than_values(&self, mut symbols: Range<u32>) -> bool {
        symbols.any(|symbol| self.symbol(symbol).sort != NameKind::Value)
    }

    /// Adds the names of a file: the terms of its path, and its symbols.
    pub(super) fn add_file(&mut self, file: u32, path: impl Iterator<Item = u32>, symbols: Vec<NewSymbol>) {
        path.for_each(|term| self.note_term(term, file));
        for symbol in symbols {
            let number = self.symbol_count();
            let start = self.symbol_terms.len() as u32;
            for term in &symbol.terms {
                let term = self.intern_term(term);
                self.note_term(term, file);
                self.symbol_terms.push(term);
                self.by_term.add_posting(term, number);
            }
            self.by_key.add_number(&symbol.key, number);
            let NewSymbol { qualified_name, kind, sort, lines, .. } = symbol;
            let name_start = self.texts.len() as u32;
            self.texts.extend(qualified_name.bytes());
            self.symbols.push(SymbolRow {
                file,
                name_start,
                name_end: self.texts.len() as u32,
                terms_start: start,
                terms_end: self.symbol_terms.len() as u32,
                first_line: lines.start,
                last_line: lines.end,
                kind: kind as u16,
                sort: sort as u16,
            });
        }
    }

    /// Turns everything into the shared base.
    pub(super) fn freeze_base(&mut self) {
        self.symbols.freeze_base();
        self.texts.freeze_base();
        self.symbol_terms.freeze_base();
        self.numbers.freeze_base();
        self.by_key.freeze_base();
        let mut by_term = InvertedIndex::default();
        by_term.build_base(self.term_count(), (0..self.symbol_count()).map(|symbol| self.terms_of(symbol)));
        self.by_term = by_term;
    }

    /// Makes ready for questions about so many files, once those are added that are new.
    pub(super) fn update_idf(&mut self, file_count: usize) {
        self.rarity.resize(self.files.len(), 0.0);
        let met = std::mem::take(&mut self.met);
        // A change of the number of files changes every rarity; an edit changes those of its own terms alone.
        let is_other = std::mem::replace(&mut self.file_count, file_count) != file_count;
        let terms = if is_other { (0..self.files.len() as u32).collect() } else { met };
        for term in terms {
            let all = file_count as f32;
            let some = self.files[term as usize][0] as f32;
            self.rarity[term as usize] = (1.0 + (all - some + 0.5) / (some + 0.5)).ln();
        }
    }

    /// Takes a removed file out of the counts of its terms.
    pub(super) fn remove_file(&mut self, path: impl Iterator<Item = u32>, symbols: Range<u32>) {
        let of_symbols = symbols.flat_map(|symbol| self.terms_of(symbol)).copied();
        // Each term once, as `note_term` counted it once for the file.
        let terms: HashSet<u32> = path.chain(of_symbols).collect();
        for term in terms {
            self.files[term as usize][0] -= 1;
            self.met.push(term);
        }
    }

    fn terms_of(&self, symbol: u32) -> &[u32] {
        let SymbolRow { terms_start, terms_end, .. } = self.symbols.at(symbol as usize);
        self.symbol_terms.slice(terms_start as usize..terms_end as usize)
    }

    fn note_term(&mut self, term: u32, file: u32) {
        let [count, last] = &mut self.files[term as usize];
        // Files are added one after the other, so the last file seen is enough to count each file once.
        if *last != file {
            *count += 1;
            *last = file;
            self.met.push(term);
        }
    }
}
