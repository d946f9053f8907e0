//! The names a worktree defines, by their terms and by their keys.

use super::catalog::stems;
use super::question::key;
use crate::index::Outlined;
use foldhash::{HashMap, HashSet};
use model::{LineRange, SymbolKind};
use std::ops::Range;

/// What kind of thing a name stands for, as far as ranking cares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    /// A type.
    Type,
    /// Something that is called.
    Function,
    /// A value or a section.
    Value,
}

/// A symbol.
#[derive(Clone)]
pub(crate) struct Symbol {
    pub(crate) file: u32,
    pub(crate) chain: String,
    pub(crate) kind: SymbolKind,
    pub(crate) sort: Sort,
    pub(crate) lines: LineRange,
    terms: Range<u32>,
}

/// A symbol on its way in.
pub(super) struct NewSymbol {
    chain: String,
    kind: SymbolKind,
    sort: Sort,
    lines: LineRange,
    key: String,
    terms: Vec<String>,
}

/// A value of a file that takes at least so many lines is a function in all but name.
const LONG_VALUE: u32 = 3;

impl NewSymbol {
    pub(super) fn new(symbol: &Outlined<'_>) -> Self {
        let sort = match symbol.kind {
            SymbolKind::Module
            | SymbolKind::Class
            | SymbolKind::Struct
            | SymbolKind::Enum
            | SymbolKind::Interface
            | SymbolKind::Trait
            | SymbolKind::Type => Sort::Type,
            SymbolKind::Function | SymbolKind::Method | SymbolKind::Macro => Sort::Function,
            SymbolKind::Constant if symbol.container.is_none() && symbol.lines.count() >= LONG_VALUE => Sort::Function,
            SymbolKind::Constant | SymbolKind::Field | SymbolKind::Section => Sort::Value,
        };
        Self {
            chain: symbol.chain.to_owned(),
            kind: symbol.kind,
            sort,
            lines: symbol.lines,
            key: key(symbol.name),
            terms: stems(symbol.name),
        }
    }
}

/// All names of a worktree.
#[derive(Clone, Default)]
pub(crate) struct Names {
    symbols: Vec<Symbol>,
    symbol_terms: Vec<u32>,
    numbers: HashMap<String, u32>,
    /// For each term in how many files it is part of a name, and the file it was met in last.
    files: Vec<(u32, u32)>,
    rarity: Vec<f32>,
    /// Which symbols have a term, as ranges of `with_term`.
    term_starts: Vec<u32>,
    with_term: Vec<u32>,
    by_key: HashMap<String, Vec<u32>>,
}

impl Names {
    pub(super) fn count(&self) -> u32 {
        self.symbols.len() as u32
    }

    pub(super) fn symbol(&self, number: u32) -> &Symbol {
        &self.symbols[number as usize]
    }

    /// The number of a term that may be part of a name.
    pub(super) fn term(&mut self, term: &str) -> u32 {
        if let Some(number) = self.numbers.get(term) {
            return *number;
        }
        let number = self.files.len() as u32;
        self.numbers.insert(term.to_owned(), number);
        self.files.push((0, u32::MAX));
        number
    }

    pub(super) fn known_term(&self, term: &str) -> Option<u32> {
        self.numbers.get(term).copied()
    }

    /// How much a term says by being rare among names.
    pub(super) fn rarity(&self, term: u32) -> f32 {
        self.rarity[term as usize]
    }

    /// Symbols that have a term in their name.
    pub(super) fn with_term(&self, term: u32) -> &[u32] {
        let range = self.term_starts[term as usize] as usize..self.term_starts[term as usize + 1] as usize;
        &self.with_term[range]
    }

    /// Symbols whose whole name has a key.
    pub(super) fn with_key(&self, key: &str) -> &[u32] {
        self.by_key.get(key).map_or(&[], Vec::as_slice)
    }

    /// The rarities of all terms of a symbol's name together.
    pub(super) fn mass(&self, symbol: u32) -> f32 {
        let Range { start, end } = self.symbols[symbol as usize].terms.clone();
        self.symbol_terms[start as usize..end as usize].iter().map(|term| self.rarity(*term)).sum()
    }

    pub(super) fn defines_more_than_values(&self, symbols: Range<u32>) -> bool {
        self.symbols[symbols.start as usize..symbols.end as usize].iter().any(|symbol| symbol.sort != Sort::Value)
    }

    /// Adds the names of a file: the terms of its path, and its symbols.
    pub(super) fn add_file(&mut self, file: u32, path: impl Iterator<Item = u32>, symbols: Vec<NewSymbol>) {
        path.for_each(|term| self.meet(term, file));
        for symbol in symbols {
            let number = self.count();
            let start = self.symbol_terms.len() as u32;
            for term in &symbol.terms {
                let term = self.term(term);
                self.meet(term, file);
                self.symbol_terms.push(term);
            }
            self.by_key.entry(symbol.key).or_default().push(number);
            let NewSymbol { chain, kind, sort, lines, .. } = symbol;
            let terms = start..self.symbol_terms.len() as u32;
            self.symbols.push(Symbol { file, chain, kind, sort, lines, terms });
        }
    }

    /// Makes ready for questions, once all files are added; `gone` says which of them are not there any more.
    pub(super) fn finish(&mut self, gone: &[bool]) {
        let all = gone.iter().filter(|gone| !**gone).count() as f32;
        let rarity = |(count, _): &(u32, u32)| {
            let some = *count as f32;
            (1.0 + (all - some + 0.5) / (some + 0.5)).ln()
        };
        self.rarity = self.files.iter().map(rarity).collect();
        let mut starts = vec![0_u32; self.files.len() + 1];
        let there = || self.symbols.iter().enumerate().filter(|(_, symbol)| !gone[symbol.file as usize]);
        let terms = |symbol: &Symbol| symbol.terms.start as usize..symbol.terms.end as usize;
        for (_, symbol) in there() {
            self.symbol_terms[terms(symbol)].iter().for_each(|term| starts[*term as usize + 1] += 1);
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut with_term = vec![0; *starts.last().expect("one more than terms") as usize];
        for (number, symbol) in there() {
            for term in &self.symbol_terms[terms(symbol)] {
                let at = &mut next[*term as usize];
                with_term[*at as usize] = number as u32;
                *at += 1;
            }
        }
        (self.term_starts, self.with_term) = (starts, with_term);
    }

    /// Forgets in how many files terms are, as far as a file that goes counts.
    pub(super) fn leave(&mut self, path: impl Iterator<Item = u32>, symbols: Range<u32>) {
        let of_symbols = self.symbols[symbols.start as usize..symbols.end as usize].iter();
        let of_symbols =
            of_symbols.flat_map(|symbol| &self.symbol_terms[symbol.terms.start as usize..symbol.terms.end as usize]);
        let terms: HashSet<u32> = path.chain(of_symbols.copied()).collect();
        for term in terms {
            self.files[term as usize].0 -= 1;
        }
    }

    fn meet(&mut self, term: u32, file: u32) {
        let (count, last) = &mut self.files[term as usize];
        if *last != file {
            *count += 1;
            *last = file;
        }
    }
}
