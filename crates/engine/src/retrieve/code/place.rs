//! How well the regions of a file fit, and which symbol in one fits best.

use super::catalog::Entry;
use super::evidence::Evidence;
use super::names::{Sort, Symbol};
use model::{LineRange, SymbolKind};
use syntax::Holds;

/// What meaning counts beside the words of a region.
const MEANING: f32 = 4.0;

/// What it counts that a region is a function: that is where things are done.
const FUNCTION: f32 = 0.5;

/// What it takes off that a region of a file that defines something defines nothing: imports and licences answer nobody.
const NOTHING_DEFINED: f32 = -1.0;

impl<'a> Evidence<'a> {
    /// The regions of a file, of some kinds where any are named, with how well each fits: by words, by what it defines
    /// and by meaning.
    pub(super) fn regions(&self, file: &Entry, kinds: &[SymbolKind], near: impl Fn(u32) -> f32) -> Vec<(f32, u32)> {
        let fitting = self.fitting(file);
        let symbols = file.symbols.clone().map(|number| self.catalog.names.symbol(number));
        let mut starts: Vec<u32> =
            symbols.filter(|symbol| symbol.sort != Sort::Value).map(|symbol| symbol.lines.start).collect();
        starts.sort_unstable();
        let score = |number: u32| {
            let lines = self.catalog.units[number as usize].lines;
            let (mut defined, mut named) = (0.0_f32, 0.0_f32);
            for (number, symbol, fits) in &fitting {
                if symbol.lines.start < lines.start || symbol.lines.start > lines.end {
                    continue;
                }
                let (worth, exact) = match symbol.sort {
                    Sort::Type => (1.0, 1.5),
                    Sort::Function => (0.9, 1.0),
                    Sort::Value => (0.4, 0.2),
                };
                defined = defined.max(worth * fits);
                if self.exact.contains(number) {
                    named += exact;
                }
            }
            let is_function = matches!(self.catalog.kind_of(number), Some(SymbolKind::Function | SymbolKind::Method));
            let first = starts.partition_point(|start| *start < lines.start);
            let holds_symbol = starts.get(first).is_some_and(|start| *start <= lines.end);
            let nature = if is_function {
                FUNCTION
            } else if file.holds == Holds::Code && !holds_symbol && !starts.is_empty() {
                NOTHING_DEFINED
            } else {
                0.0
            };
            self.fit[number as usize] + MEANING * near(number) + defined + named + nature
        };
        let is_wanted =
            |unit: &u32| kinds.is_empty() || self.catalog.kind_of(*unit).is_some_and(|kind| kinds.contains(&kind));
        file.units.clone().filter(is_wanted).map(|unit| (score(unit), unit)).collect()
    }

    /// The symbol inside a unit whose name fits best.
    pub(super) fn focus(&self, unit: u32) -> Option<LineRange> {
        let unit = &self.catalog.units[unit as usize];
        let inside = |lines: &LineRange| lines.start >= unit.lines.start && lines.end <= unit.lines.end;
        let fits =
            self.fitting(&self.catalog.files[unit.file as usize]).into_iter().filter_map(|(number, symbol, fits)| {
                let exact = f32::from(u8::from(self.exact.contains(&number)));
                let called = if symbol.sort == Sort::Value { 0.5 } else { 1.0 };
                (inside(&symbol.lines) && symbol.lines != unit.lines).then_some((called * (fits + exact), symbol.lines))
            });
        let best = fits.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.start.cmp(&a.1.start)));
        best.map(|(_, lines)| lines)
    }

    /// The symbols of a file whose names fit, with how well they do.
    fn fitting(&self, file: &Entry) -> Vec<(u32, &'a Symbol, f32)> {
        let names = &self.catalog.names;
        file.symbols.clone().filter_map(|number| Some((number, names.symbol(number), self.fits(number)?))).collect()
    }
}
