//! Scoring the files of a catalog for one question.

use super::catalog::Catalog;
use super::documents::{bring_forward, forgive};
use super::evidence::Evidence;
use super::features::{Case, FEATURES, Feature, Values, score, weights};
use super::found::Found;
use super::fuse::fuse;
use super::meaning::Meant;
use super::question::{Length, Question};
use super::regions::{QuestionShape, REGION_FEATURES, RegionFeature, RegionValues, score_region};
use super::umbrella::put_definitions_first;
use crate::index;
use crate::retrieve::strategy::Fusion;
use crate::retrieve::{Filters, ScorePart};
use model::LineRange;
use std::cmp::Ordering;

/// A file with how well it fits, or a region of it.
#[derive(Clone)]
pub(crate) struct Ranked {
    pub(crate) file: u32,
    /// The region; none where a file has none.
    pub(crate) unit: Option<u32>,
    /// The lines of the symbol in that unit whose name fits best.
    pub(crate) focus: Option<LineRange>,
    pub(crate) score: f32,
    /// How well the region fits, that of its file included: by this it has its place.
    pub(crate) fit: f32,
    pub(crate) values: Values,
    /// What the region has of each feature, and how the question is laid out.
    pub(crate) region: Option<(RegionValues, QuestionShape)>,
    /// By which weights it was scored.
    pub(crate) case: Case,
    /// Which terms it has, as a set of bits.
    pub(crate) terms: u32,
    /// Its places in the rankings that were fused, where any were.
    pub(crate) places: Vec<ScorePart>,
    /// A file that passes on what this one defines, where that would have been found in its place.
    pub(crate) umbrella: Option<u32>,
}

/// By which rules files are ranked.
pub(crate) struct Rules {
    pub(crate) filters: Filters,
    /// How many at most.
    pub(crate) limit: usize,
    /// The rankings to be fused; none where one sum decides.
    pub(super) fusion: Option<Fusion>,
    pub(crate) aim: Aim,
    /// Whether a document that covers the question is among the first results.
    pub(crate) for_documents: bool,
    /// The least cosine of a region with the question.
    pub(crate) threshold: Option<f32>,
}

/// So many files at least are compared unit by unit.
const CLOSER: usize = 150;

/// Regions of so many files are compared with each other, and of so many more whose regions fit well by words.
const FILES: usize = 60;
const MORE_FILES: usize = 30;

/// What somebody looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Aim {
    /// Files, each by its best region, and further regions where they deserve it.
    Files,
    /// The regions themselves, whichever files they are of.
    Regions,
}

/// What counts beside a region itself.
struct AimWeights {
    /// Its file.
    of_file: f32,
    /// What each region of the same file before it takes off.
    repeated: f32,
    /// What its length takes off.
    of_length: f32,
}

impl Aim {
    /// Chosen on doc comments of six repositories and on titles of changes of eleven that the line-level benchmark does not
    /// use, and on the open half of the file-level one; those of reports with the open half of the line-level issues in
    /// view. In a budget a short region leaves room for others.
    fn weights(self, shape: QuestionShape) -> AimWeights {
        match self {
            Self::Files if shape == QuestionShape::Report => {
                AimWeights { of_file: 1.0, repeated: 0.25, of_length: 0.0 }
            }
            Self::Files => AimWeights { of_file: 5.0, repeated: 2.5, of_length: 0.0 },
            Self::Regions if shape == QuestionShape::Report => {
                AimWeights { of_file: 0.75, repeated: 0.0, of_length: 0.3 }
            }
            Self::Regions => AimWeights { of_file: 1.0, repeated: 0.0, of_length: 0.3 },
        }
    }
}

/// What it takes off a region that it is of a test, where none was asked for: more than anything adds.
const UNASKED_TEST: f32 = 100.0;

/// What it takes off a region to come after all that are not last, too.
const LAST: f32 = 1_000.0;

/// A file that shares no word with a question is found when it is at least so near in meaning.
const NEAR: f32 = 0.25;

/// The files that fit a question best, at most `limit`, equals in the order of their paths.
pub(super) fn rank(
    catalog: &Catalog,
    question: &mut Question,
    meant: Option<&Meant>,
    found: &Found,
    rules: &Rules,
) -> Vec<Ranked> {
    let Rules { filters, limit, fusion, .. } = rules;
    question.shorten(|term| found.of(term).map_or(0.0, |found| found.file_rarity));
    let case = Case {
        has_vectors: meant.is_some(),
        is_wordy: question.length > Length::Question,
        names_tell: catalog.names_tell,
    };
    let evidence = Evidence::new(catalog, question, found);
    let ranking = Ranking { catalog, question, meant, evidence, case, weights: weights(case) };
    let path = |file: u32| catalog.files[file as usize].path.as_str();
    let is_near = |file: u32| fusion.as_ref().is_some_and(|fusion| fusion.near.contains_key(path(file)));
    let mut scored = ranking.scored(filters, is_near);
    let best_first = |a: &(f32, u32), b: &(f32, u32)| better(*a, *b, path);
    // Units are many: only those of files that may still come first are compared.
    let closer = if meant.is_some() { (*limit).max(CLOSER) * 2 } else { usize::MAX };
    if fusion.is_none() && closer < scored.len() {
        scored.select_nth_unstable_by(closer, best_first);
        scored.truncate(closer);
    }
    scored.sort_unstable_by(best_first);
    let kept = scored.iter().enumerate().filter(|(place, (_, file))| *place < closer || is_near(*file));
    let mut ranked: Vec<Ranked> = kept.map(|(_, (_, file))| ranking.file(*file)).collect();
    let best_first = |a: &Ranked, b: &Ranked| better((a.score, a.file), (b.score, b.file), path);
    if meant.is_some() {
        ranked.sort_unstable_by(best_first);
    }
    if let Some(fusion) = fusion {
        fuse(catalog, case, &mut ranked, fusion);
        ranked.sort_unstable_by(best_first);
    }
    put_definitions_first(catalog, &mut ranked);
    let files = ranking.files_with_regions(&ranked);
    let mut regions = ranking.regions(&files, rules);
    for region in &mut regions {
        region.focus = region.unit.and_then(|unit| ranking.evidence.focus(unit));
        region.terms = region.unit.map_or(region.terms, |unit| found.terms_of(unit, question));
    }
    regions
}

/// Which of two files comes first.
fn better<'p>(a: (f32, u32), b: (f32, u32), path: impl Fn(u32) -> &'p str) -> Ordering {
    b.0.total_cmp(&a.0).then_with(|| path(a.1).cmp(path(b.1)))
}

/// Where values lie around their mean.
struct Scale {
    mean: f32,
    spread: f32,
}

impl Scale {
    fn over(values: impl Iterator<Item = f32> + Clone) -> Self {
        let count = values.clone().count().max(1) as f32;
        let mean = values.clone().sum::<f32>() / count;
        let variance = values.map(|value| (value - mean).powi(2)).sum::<f32>() / count;
        Self { mean, spread: variance.sqrt().max(f32::MIN_POSITIVE) }
    }

    fn of(&self, value: f32) -> f32 {
        (value - self.mean) / self.spread
    }
}

/// What a question gives each file.
struct Ranking<'a> {
    catalog: &'a Catalog,
    question: &'a Question,
    meant: Option<&'a Meant>,
    evidence: Evidence<'a>,
    case: Case,
    weights: Values,
}

impl Ranking<'_> {
    /// Files with their scores, but for what their units mean, in no order. A file that has nothing of the question and is
    /// not near it is none of them.
    fn scored(&self, filters: &Filters, is_near: impl Fn(u32) -> bool) -> Vec<(f32, u32)> {
        let mut scored = Vec::new();
        for (file, row) in (0..).zip(&self.catalog.rows) {
            let near = self.meant.map_or(0.0, |meant| meant.file(self.catalog, file));
            let is_found = self.evidence.has(file) || near > NEAR || is_near(file);
            if !is_found || row.is_gone || !self.is_wanted(file, filters) {
                continue;
            }
            scored.push((score(&self.values(file, near), &self.weights), file));
        }
        scored
    }

    fn is_wanted(&self, file: u32, filters: &Filters) -> bool {
        let is_anywhere = filters.paths.is_empty() && filters.languages.is_empty();
        is_anywhere || {
            let file = &self.catalog.files[file as usize];
            filters.keeps(&file.path, file.language)
        }
    }

    /// What a file has of each feature. Until they are compared, its units are taken to mean what all of it does.
    fn values(&self, file: u32, near: f32) -> Values {
        let mut values: Values = [0.0; FEATURES];
        self.evidence.tell(file, &mut values);
        values[Feature::Test as usize..].copy_from_slice(&self.catalog.rows[file as usize].nature);
        let mut forget = |feature: Feature| values[feature as usize] = 0.0;
        if self.question.asks_tests && self.question.length < Length::Report {
            forget(Feature::Test);
        }
        if self.question.asks_documents && self.question.length < Length::Report {
            forget(Feature::Example);
            forget(Feature::Prose);
        }
        if !self.catalog.headers_repeat {
            forget(Feature::Header);
        }
        forgive(&self.evidence, file, &mut values);
        if let Some(meant) = self.meant {
            values[Feature::FileMeaning as usize] = near;
            values[Feature::PathMeaning as usize] = meant.path(self.catalog, file);
            values[Feature::UnitMeaning as usize] = near;
        }
        values
    }

    /// A file with its score, its units compared.
    fn file(&self, file: u32) -> Ranked {
        let near = self.meant.map_or(0.0, |meant| meant.file(self.catalog, file));
        let mut values = self.values(file, near);
        if let Some(meant) = self.meant {
            let units = self.catalog.files[file as usize].units.clone();
            values[Feature::UnitMeaning as usize] = meant.nearest(self.catalog, units);
        }
        Ranked {
            file,
            unit: None,
            focus: None,
            score: score(&values, &self.weights),
            fit: 0.0,
            values,
            region: None,
            case: self.case,
            terms: self.evidence.terms(file),
            places: Vec::new(),
            umbrella: None,
        }
    }

    /// The first files, and those further down that have one of the regions which fit best by words.
    fn files_with_regions(&self, ranked: &[Ranked]) -> Vec<Ranked> {
        let (first, rest) = ranked.split_at(ranked.len().min(FILES));
        let mut best: Vec<(f32, u32)> = Vec::new();
        for (place, file) in (0..).zip(rest) {
            let units = self.catalog.rows[file.file as usize].units();
            best.push((self.evidence.units[units].iter().map(|unit| unit.fields).fold(0.0, f32::max), place));
        }
        best.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        best.truncate(MORE_FILES);
        best.sort_unstable_by_key(|(_, place)| *place);
        let more = best.iter().filter(|(fits, _)| *fits > 0.0).map(|(_, place)| rest[*place as usize].clone());
        first.iter().cloned().chain(more).collect()
    }

    /// The regions of some files that fit best, best first; where all else is equal, in the order of files and lines.
    fn regions(&self, files: &[Ranked], rules: &Rules) -> Vec<Ranked> {
        let shape = self.evidence.shape();
        let of_files = Scale::over(files.iter().map(|file| file.score));
        let mut scored: Vec<RegionRank> = Vec::new();
        for (place, file) in files.iter().enumerate() {
            let first = scored.len();
            let ranked = |unit: Option<u32>, values: RegionValues| RegionRank {
                score: 0.0,
                is_last: false,
                place,
                unit,
                values,
            };
            let entry = &self.catalog.files[file.file as usize];
            if entry.units.is_empty() {
                scored.push(ranked(None, [0.0; REGION_FEATURES]));
            }
            let regions = self.evidence.regions(entry, &rules.filters.kinds, self.meant);
            scored.extend(regions.into_iter().map(|region| ranked(Some(region.unit), region.values)));
            self.score_regions(file, of_files.of(file.score), rules.aim, &mut scored[first..]);
        }
        if let Some(threshold) = rules.threshold {
            let cosine = |unit: u32| self.meant.map_or(0.0, |meant| meant.cosine(self.catalog, unit));
            scored.retain(|region| region.unit.is_some_and(|unit| cosine(unit) >= threshold));
        }
        let is_document = |region: &RegionRank| self.evidence.is_document(files[region.place].file);
        let covers =
            |region: &&RegionRank| is_document(region) && region.unit.is_some_and(|unit| self.evidence.covers(unit));
        let document =
            if rules.for_documents { scored.iter().filter(covers).min_by(|a, b| a.order(b)).copied() } else { None };
        if rules.limit < scored.len() {
            scored.select_nth_unstable_by(rules.limit, RegionRank::order);
            scored.truncate(rules.limit);
        }
        scored.sort_unstable_by(RegionRank::order);
        if let Some(document) = document {
            bring_forward(document, &mut scored, is_document);
        }
        // The score stays that of the file: it is the sum of the parts that are told.
        let told = |region: RegionRank| Ranked {
            unit: region.unit,
            fit: if region.is_last { region.score - LAST } else { region.score },
            region: Some((region.values, shape)),
            ..files[region.place].clone()
        };
        scored.into_iter().map(told).collect()
    }

    /// Scores the regions of a file, of which it is known how well it fits among the others.
    fn score_regions(&self, file: &Ranked, fits: f32, aim: Aim, regions: &mut [RegionRank]) {
        let shape = self.evidence.shape();
        let AimWeights { of_file, repeated, of_length } = aim.weights(shape);
        let path = &self.catalog.files[file.file as usize].path;
        // What a tool wrote comes after all else, unless it is named.
        let is_named = || self.question.chains.iter().any(|chain| path.ends_with(chain.as_str()));
        let is_last = index::is_last(path) && !is_named();
        let is_unasked = aim == Aim::Regions && file.values[Feature::Test as usize] > 0.0;
        for region in &mut *regions {
            region.is_last = is_last;
            region.score = score_region(&region.values, shape) + of_file * fits;
            region.score -= of_length * region.values[RegionFeature::Length as usize];
            let in_tests = region.values[RegionFeature::TestModule as usize] > 0.0 && !self.question.asks_tests;
            if is_unasked || aim == Aim::Regions && in_tests {
                region.score -= UNASKED_TEST;
            }
        }
        if repeated > 0.0 {
            regions.sort_unstable_by(RegionRank::order);
            for (earlier, region) in regions.iter_mut().enumerate() {
                region.score -= repeated * earlier as f32;
            }
        }
    }
}

/// A region on its way to its place.
#[derive(Clone, Copy)]
pub(super) struct RegionRank {
    pub(super) score: f32,
    /// Whether it comes after all that are not so.
    is_last: bool,
    /// The place of its file.
    place: usize,
    pub(super) unit: Option<u32>,
    values: RegionValues,
}

impl RegionRank {
    /// Which of two comes first.
    fn order(&self, other: &Self) -> Ordering {
        let by_score = self.is_last.cmp(&other.is_last).then_with(|| other.score.total_cmp(&self.score));
        by_score.then_with(|| (self.place, self.unit).cmp(&(other.place, other.unit)))
    }
}
