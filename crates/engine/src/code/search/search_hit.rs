//! `SearchHit`, one search result as callers get it, made from a ranked file or region: path, lines, symbol, the parts
//! of its score, and a text that explains the match.

use super::catalog::Catalog;
use super::features::{FeatureValues, FileFeature};
use super::preview::HitPreview;
use super::question::{CodeQuestion, QuestionTerm};
use super::ranking::RankedHit;
use super::region_features::RegionFeature;
use super::strategy::FusedRanking;
use crate::code::relate::{NamedNode, RelationKind};
use model::{LineRange, SymbolId, SymbolKind};
use syntax::ContentKind;

/// One result.
#[derive(Clone, Debug)]
pub struct SearchHit {
    /// Project-relative path.
    pub path: String,
    /// Its lines.
    pub lines: LineRange,
    /// How well its file fits; comparable within one reply only.
    pub score: f32,
    /// How well it fits itself; comparable within one reply only.
    pub fit: f32,
    /// Its main symbol.
    pub symbol: Option<(SymbolId, SymbolKind)>,
    /// The lines of the symbol in it whose name fits best, where it is more than that.
    pub focus: Option<LineRange>,
    /// How many lines its file has, where that is known.
    pub file_lines: Option<u32>,
    /// Whether it is prose for people to read.
    pub is_prose: bool,
    /// The summary of its main symbol by a model.
    pub summary: Option<String>,
    /// What made it fit.
    pub why: String,
    /// Stems of the words of the question that it has.
    pub matched: Vec<String>,
    /// What to show of it, where that was asked for.
    pub preview: HitPreview,
    /// Every part of the score: its name, its value, and what the value is worth.
    pub parts: Vec<ScorePart>,
    /// Its relations, where they were asked for.
    pub related: Vec<HitRelation>,
    /// How many more relations there are.
    pub related_omitted: usize,
}

/// A symbol that a result is related to.
#[derive(Clone, Debug, PartialEq)]
pub struct HitRelation {
    /// The kind of relation, seen from the result.
    pub relation: RelationKind,
    /// The related symbol.
    pub named: NamedNode,
}

/// One part of a score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScorePart {
    /// Its name.
    pub name: &'static str,
    /// How much of it there is.
    pub value: f32,
    /// Its contribution to the score.
    pub worth: f32,
}

impl RankedHit {
    /// The search result for this file or region.
    pub(crate) fn to_search_hit(&self, catalog: &Catalog, question: &CodeQuestion) -> SearchHit {
        let file = &catalog.files[self.file as usize];
        let whole = LineRange { start: 1, end: file.lines.max(1) };
        SearchHit {
            path: file.path.clone(),
            lines: self.unit.map_or(whole, |unit| catalog.unit(unit).lines),
            score: self.score,
            fit: self.fit,
            symbol: self.unit.and_then(|unit| catalog.symbol_of(unit)),
            focus: self.focus,
            file_lines: Some(file.lines),
            is_prose: file.holds == ContentKind::Prose,
            summary: None,
            why: self.explain_match(catalog, question),
            matched: self.matched_terms(question).map(|term| term.stem.clone()).collect(),
            preview: HitPreview::default(),
            parts: self.score_parts(),
            related: Vec::new(),
            related_omitted: 0,
        }
    }

    fn score_parts(&self) -> Vec<ScorePart> {
        // Under fusion the score is made of ranks: the features of the sum would not add up to it.
        if !self.places.is_empty() {
            return self.places.clone();
        }
        let part = |(feature, name, ..): (FileFeature, &'static str, f32, f32, f32)| {
            let value = self.values[feature as usize];
            ScorePart { name, value, worth: value * feature.weight(self.case) }
        };
        let of_region = self.region.iter().flat_map(|(values, shape)| {
            RegionFeature::ALL.into_iter().zip(*values).map(|((feature, name, ..), value)| ScorePart {
                name,
                value,
                worth: value * feature.weight(*shape),
            })
        });
        let parts = FileFeature::ALL.into_iter().map(part).chain(of_region);
        parts.filter(|part| part.value != 0.0).collect()
    }

    /// The terms of the question that it has.
    fn matched_terms<'q>(&self, question: &'q CodeQuestion) -> impl Iterator<Item = &'q QuestionTerm> {
        let terms = self.terms;
        let has = move |at: usize| terms & (1 << at.min(31)) != 0;
        question.terms.iter().enumerate().filter(move |(at, _)| has(*at)).map(|(_, term)| term)
    }

    /// The words it has, and what else speaks for it.
    fn explain_match(&self, catalog: &Catalog, question: &CodeQuestion) -> String {
        let words: Vec<&str> = self.matched_terms(question).map(|term| &*term.written).collect();
        let mut why = Vec::new();
        if !words.is_empty() {
            why.push(format!("matches: {}", words.join(", ")));
        }
        for (feature, least, reason) in REASONS {
            // Two features share the words "file name", and a reader needs them once.
            if is_over(&self.values, feature, least) && !why.iter().any(|said| said == reason) {
                why.push(reason.to_owned());
            }
        }
        if self.places.iter().any(|place| place.name == FusedRanking::Graph.as_str()) {
            why.push("related to what is named".to_owned());
        }
        // Without it, a file that ranks above its own score would look like an error.
        if let Some(umbrella) = self.umbrella {
            why.push(format!("{} passes it on", catalog.files[umbrella as usize].path));
        }
        // A place without a reason would look like an error, too.
        if why.is_empty() {
            let weak = if self.region.is_some() { "other lines of its file fit" } else { "remotely similar meaning" };
            why.push(weak.to_owned());
        }
        why.join(REASON_GAP)
    }
}

/// The separator between two reasons.
pub(crate) const REASON_GAP: &str = " · ";

fn is_over(values: &FeatureValues, feature: FileFeature, least: f32) -> bool {
    values[feature as usize] >= least
}

/// The reasons that are shown, each with its least value.
const REASONS: [(FileFeature, f32, &str); 8] = [
    (FileFeature::NamedType, 0.01, "defines the type"),
    (FileFeature::NamedFunction, 0.01, "defines the function"),
    (FileFeature::SymbolName, 0.6, "name"),
    (FileFeature::SpelledPath, 1.0, "path"),
    (FileFeature::NamedFile, 0.5, "file name"),
    (FileFeature::JoinedName, 1.0, "file name"),
    (FileFeature::UnitMeaning, 0.5, "similar meaning"),
    (FileFeature::Users, 0.6, "widely used"),
];
