//! A ranked file as a result: its best place, and why.

use super::catalog::Catalog;
use super::features::{Feature, Values};
use super::question::Question;
use super::rank::Ranked;
use crate::retrieve::strategy::Leg;
use crate::retrieve::{ScorePart, SearchHit};
use model::LineRange;
use syntax::Holds;

impl Ranked {
    /// The result it stands for.
    pub(crate) fn hit(&self, catalog: &Catalog, question: &Question) -> SearchHit {
        let file = &catalog.files[self.file as usize];
        let whole = LineRange { start: 1, end: file.lines.max(1) };
        SearchHit {
            path: file.path.clone(),
            lines: self.unit.map_or(whole, |unit| catalog.units[unit as usize].lines),
            score: self.score,
            symbol: self.unit.and_then(|unit| catalog.symbol_of(unit)),
            focus: self.focus,
            file_lines: Some(file.lines),
            is_prose: file.holds == Holds::Prose,
            why: self.why(question),
            parts: self.parts(),
            related: Vec::new(),
            related_omitted: 0,
        }
    }

    fn parts(&self) -> Vec<ScorePart> {
        if !self.places.is_empty() {
            return self.places.clone();
        }
        let part = |(feature, name, ..): (Feature, &'static str, f32, f32, f32)| {
            let value = self.values[feature as usize];
            ScorePart { name, value, worth: value * feature.weight(self.case) }
        };
        Feature::ALL.into_iter().map(part).filter(|part| part.value != 0.0).collect()
    }

    /// The words it has, and what else speaks for it.
    fn why(&self, question: &Question) -> String {
        let has = |at: usize| self.terms & (1 << at.min(31)) != 0;
        let words: Vec<&str> =
            question.terms.iter().enumerate().filter(|(at, _)| has(*at)).map(|(_, term)| &*term.written).collect();
        let mut why = Vec::new();
        if !words.is_empty() {
            why.push(format!("words: {}", words.join(", ")));
        }
        let says = REASONS.iter().filter(|(feature, least, _)| is_over(&self.values, *feature, *least));
        why.extend(says.map(|(.., reason)| (*reason).to_owned()));
        if self.places.iter().any(|place| place.name == Leg::Graph.as_str()) {
            why.push("near what is named".to_owned());
        }
        why.join("; ")
    }
}

fn is_over(values: &Values, feature: Feature, least: f32) -> bool {
    values[feature as usize] >= least
}

/// What is worth saying, from which value on.
const REASONS: [(Feature, f32, &str); 8] = [
    (Feature::NamedType, 0.01, "defines the type"),
    (Feature::NamedFunction, 0.01, "defines the function"),
    (Feature::SymbolName, 0.6, "a name in it fits"),
    (Feature::SpelledPath, 1.0, "the path is spelled out"),
    (Feature::NamedFile, 0.5, "called so"),
    (Feature::JoinedName, 1.0, "called so"),
    (Feature::UnitMeaning, 0.5, "near in meaning"),
    (Feature::Users, 0.6, "much used"),
];
