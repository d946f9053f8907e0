//! Which place of a file to show: the unit that fits best, and the symbol in it.

use super::catalog::Entry;
use super::evidence::Evidence;
use super::names::{Sort, Symbol};
use model::{LineRange, SymbolKind};

impl<'a> Evidence<'a> {
    /// The unit to show: the one that fits best by words, by what it defines and by meaning, of some kinds where there are
    /// any.
    pub(super) fn best_unit(&self, file: &Entry, kinds: &[SymbolKind], near: impl Fn(u32) -> f32) -> Option<u32> {
        let fitting = self.fitting(file);
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
            self.fit[number as usize] + 2.0 * near(number) + defined + named
        };
        let is_wanted =
            |unit: &u32| kinds.is_empty() || self.catalog.kind_of(*unit).is_some_and(|kind| kinds.contains(&kind));
        let best = file.units.clone().filter(is_wanted).map(|unit| (score(unit), unit));
        best.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1))).map(|(_, unit)| unit)
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
