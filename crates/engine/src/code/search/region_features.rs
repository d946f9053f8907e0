//! The ranking features of a region (a unit of a file) and their weights: how well it fits a question, and which symbol
//! in it fits best.
//!
//! As with files, a score is a sum of features times weights, so that every place of a region can be explained. The
//! weights are fitted; `docs/guides/ranking.md` says on what.

use super::catalog::{CatalogFile, CatalogUnit};
use super::evidence::QuestionEvidence;
use super::similarity::SimilarityQuery;
use super::symbol_names::{CatalogSymbol, NameKind};
use model::{LineRange, SymbolKind};
use syntax::ContentKind;

/// One reason to rank a region higher or lower.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RegionFeature {
    /// How well it fits by the words of its text, its names and its path.
    Words,
    /// The same by the words of the question's first line.
    TitleWords,
    /// How much of the question it has.
    Coverage,
    /// How near it is in meaning.
    Meaning,
    /// How near it is to the question's first line in meaning.
    TitleMeaning,
    /// How well the name of a function or type in it fits.
    Name,
    /// How well the name of a value in it fits.
    ValueName,
    /// How well the name of the type fits that it is part of.
    OwnerName,
    /// It defines a function that the question names.
    NamedFunction,
    /// It defines a type that the question names.
    NamedType,
    /// It defines a value that the question names.
    NamedValue,
    /// It defines what the first line of the question names.
    NamedInTitle,
    /// It is part of a type that the question names.
    NamedOwner,
    /// The question names both it and the type that it is part of.
    NamedMember,
    /// It is a function: that is where things are done.
    Function,
    /// It defines nothing, in a file that defines something: imports and licences answer no question.
    NothingDefined,
    /// It is part of a test module in a file that is no test.
    TestModule,
    /// How long it is.
    Length,
}

/// Number of features of a region.
pub(crate) const REGION_FEATURES: usize = RegionFeature::ALL.len();

/// The value of each feature for a region.
pub(crate) type RegionValues = [f32; REGION_FEATURES];

impl RegionFeature {
    /// Every feature with its word and its weights: in a question of one line, and in one whose first line says what the
    /// rest is about.
    pub(crate) const ALL: [(Self, &'static str, f32, f32); 18] = [
        (Self::Words, "region_words", 3.00, 3.50),
        (Self::TitleWords, "region_title_words", 0.00, 1.90),
        (Self::Coverage, "region_coverage", 0.80, 1.40),
        (Self::Meaning, "region_meaning", 6.50, 2.70),
        (Self::TitleMeaning, "region_title_meaning", 0.00, 1.80),
        (Self::Name, "region_name", 3.60, 1.80),
        (Self::ValueName, "region_value_name", 0.30, 0.30),
        (Self::OwnerName, "region_owner_name", 3.00, 0.20),
        (Self::NamedFunction, "region_named_function", 1.00, 1.20),
        (Self::NamedType, "region_named_type", 0.80, 0.30),
        (Self::NamedValue, "region_named_value", 0.20, 0.10),
        (Self::NamedInTitle, "region_named_in_title", 0.00, 0.20),
        (Self::NamedOwner, "region_named_owner", 1.50, 1.00),
        (Self::NamedMember, "region_named_member", 1.50, 0.30),
        (Self::Function, "region_function", 1.40, 2.90),
        (Self::NothingDefined, "region_nothing_defined", -1.00, -0.80),
        (Self::TestModule, "region_test_module", -2.00, -2.00),
        (Self::Length, "region_length", 0.40, 0.20),
    ];

    /// Its weight.
    pub(crate) fn weight(self, shape: QuestionShape) -> f32 {
        let (.., in_line, in_report) = Self::ALL[self as usize];
        match shape {
            QuestionShape::Line => in_line,
            QuestionShape::Report => in_report,
        }
    }
}

/// How a question is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QuestionShape {
    /// In one line.
    Line,
    /// Its first line says what the rest is about, as that of an issue does.
    Report,
}

/// The score of these values, summed in the order of the features.
pub(super) fn score_region(values: &RegionValues, shape: QuestionShape) -> f32 {
    RegionFeature::ALL.iter().zip(values).map(|((feature, ..), value)| value * feature.weight(shape)).sum()
}

/// A region with what it has of each feature.
pub(super) struct RegionScore {
    pub(super) unit: u32,
    pub(super) values: RegionValues,
}

impl<'a> QuestionEvidence<'a> {
    /// The regions of a file, of some kinds where any are named, with what each has of every feature.
    pub(super) fn file_regions(
        &self,
        file: &CatalogFile,
        kinds: &[SymbolKind],
        meant: Option<&SimilarityQuery>,
    ) -> Vec<RegionScore> {
        let mut defined: Vec<(u32, CatalogSymbol<'a>)> =
            file.symbols.clone().map(|number| (number, self.catalog.names.symbol(number))).collect();
        defined.sort_by_key(|(_, symbol)| symbol.lines.start);
        let types: Vec<(u32, CatalogSymbol<'a>)> =
            defined.iter().copied().filter(|(_, symbol)| symbol.sort == NameKind::Type).collect();
        let defines_more = defined.iter().any(|(_, symbol)| symbol.sort != NameKind::Value);
        let is_wanted =
            |unit: &u32| kinds.is_empty() || self.catalog.kind_of(*unit).is_some_and(|kind| kinds.contains(&kind));
        let units = file.units.clone().filter(is_wanted);
        units
            .map(|unit| {
                let CatalogUnit { lines, is_in_tests, .. } = self.catalog.unit(unit);
                let first = defined.partition_point(|(_, symbol)| symbol.lines.start < lines.start);
                // Symbols are sorted by their first line, so those of a region are one stretch of the list.
                let inside = defined[first..].iter().take_while(|(_, symbol)| symbol.lines.start <= lines.end);
                let mut values = self.of_symbols(inside.copied());
                let holds_symbol = defined[first..]
                    .iter()
                    .take_while(|(_, symbol)| symbol.lines.start <= lines.end)
                    .any(|(_, symbol)| symbol.sort != NameKind::Value);
                let sums = &self.units[unit as usize];
                values[RegionFeature::Words as usize] = sums.fields;
                values[RegionFeature::TitleWords as usize] = sums.title;
                values[RegionFeature::Coverage as usize] = sums.covered;
                if let Some(meant) = meant {
                    values[RegionFeature::Meaning as usize] = meant.unit_similarity(self.catalog, unit);
                    values[RegionFeature::TitleMeaning as usize] = meant.unit_to_title(self.catalog, unit);
                }
                let before = types.partition_point(|(_, symbol)| symbol.lines.start < lines.start);
                // Backwards: the innermost type that still reaches into the region is its owner.
                let owner = types[..before].iter().rev().find(|(_, symbol)| symbol.lines.end >= lines.start);
                if let Some((number, _)) = owner {
                    values[RegionFeature::OwnerName as usize] = self.name_fit(*number).unwrap_or(0.0);
                    let named = self.exact.get(number).copied().unwrap_or(0.0);
                    values[RegionFeature::NamedOwner as usize] = named;
                    if values[RegionFeature::NamedFunction as usize] > 0.0 && named > 0.0 {
                        values[RegionFeature::NamedMember as usize] = 1.0;
                    }
                }
                let kind = self.catalog.kind_of(unit);
                let is_function = matches!(kind, Some(SymbolKind::Function | SymbolKind::Method | SymbolKind::Macro));
                values[RegionFeature::Function as usize] = flag_value(is_function);
                // A file of constants alone defines nothing else, and its regions are what there is to find.
                let is_bare = file.holds == ContentKind::Code && !holds_symbol && !is_function && defines_more;
                values[RegionFeature::NothingDefined as usize] = flag_value(is_bare);
                values[RegionFeature::TestModule as usize] = flag_value(!file.signs.test && is_in_tests);
                values[RegionFeature::Length as usize] = (lines.count() as f32).ln();
                RegionScore { unit, values }
            })
            .collect()
    }

    /// The features of the names that a region defines.
    fn of_symbols(&self, symbols: impl Iterator<Item = (u32, CatalogSymbol<'a>)>) -> RegionValues {
        let mut values = [0.0_f32; REGION_FEATURES];
        for (number, symbol) in symbols {
            let (name, named) = match symbol.sort {
                NameKind::Type => (RegionFeature::Name, RegionFeature::NamedType),
                NameKind::Function => (RegionFeature::Name, RegionFeature::NamedFunction),
                NameKind::Value => (RegionFeature::ValueName, RegionFeature::NamedValue),
            };
            let value = &mut values[name as usize];
            // The best name, not the sum: a region of many fields would win by their number.
            *value = value.max(self.name_fit(number).unwrap_or(0.0));
            if let Some(says) = self.exact.get(&number) {
                values[named as usize] += says;
                if symbol.sort != NameKind::Value && self.in_title.contains(&number) {
                    values[RegionFeature::NamedInTitle as usize] = 1.0;
                }
            }
        }
        values
    }

    /// How the question is laid out.
    pub(super) fn question_shape(&self) -> QuestionShape {
        if self.has_title { QuestionShape::Report } else { QuestionShape::Line }
    }

    /// The symbol inside a unit whose name fits best.
    pub(super) fn focus_lines(&self, unit: u32) -> Option<LineRange> {
        let unit = self.catalog.unit(unit);
        let inside = |lines: &LineRange| lines.start >= unit.lines.start && lines.end <= unit.lines.end;
        let fits = self.fitting_symbols(&self.catalog.files[unit.file as usize]).into_iter().filter_map(
            |(number, symbol, fits)| {
                let exact = flag_value(self.exact.contains_key(&number));
                let called = if symbol.sort == NameKind::Value { 0.5 } else { 1.0 };
                // A symbol that is the whole region focuses nothing.
                (inside(&symbol.lines) && symbol.lines != unit.lines).then_some((called * (fits + exact), symbol.lines))
            },
        );
        // Of equals the first one in the file, because `max_by` would keep the last.
        let best = fits.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.start.cmp(&a.1.start)));
        best.map(|(_, lines)| lines)
    }

    /// The symbols of a file whose names fit, with how well they do.
    fn fitting_symbols(&self, file: &CatalogFile) -> Vec<(u32, CatalogSymbol<'a>, f32)> {
        let names = &self.catalog.names;
        file.symbols.clone().filter_map(|number| Some((number, names.symbol(number), self.name_fit(number)?))).collect()
    }
}

fn flag_value(is: bool) -> f32 {
    f32::from(u8::from(is))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_listed_in_the_order_of_their_numbers() {
        for (at, (feature, ..)) in RegionFeature::ALL.iter().enumerate() {
            assert_eq!(*feature as usize, at);
        }
    }
}
