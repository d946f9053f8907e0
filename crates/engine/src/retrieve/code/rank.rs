//! Scoring the files of a catalog for one question.

use super::catalog::Catalog;
use super::documents::{bring_forward, forgive};
use super::evidence::Evidence;
use super::features::{Case, FEATURES, Feature, Values, score, weights};
use super::found::Found;
use super::fuse::fuse;
use super::meaning::{Asked, Meant};
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
    /// Chosen on doc comments of seven repositories and on changes of nine that the line-level benchmark does not use, and
    /// on the open half of the file-level one. In a budget a short region leaves room for others.
    fn weights(self, shape: QuestionShape) -> AimWeights {
        match self {
            Self::Files if shape == QuestionShape::Report => AimWeights { of_file: 2.0, repeated: 0.5, of_length: 0.0 },
            Self::Files => AimWeights { of_file: 4.0, repeated: 1.5, of_length: 0.0 },
            Self::Regions => AimWeights { of_file: 1.5, repeated: 0.0, of_length: 0.3 },
        }
    }
}

/// What it takes off a region that it is of a test, where none was asked for: more than anything adds.
const UNASKED_TEST: f32 = 100.0;

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
    let Rules { filters, limit, fusion, aim, for_documents } = rules;
    let asked = meant.map(|meant| &meant.question);
    question.shorten(|term| found.of(term).map_or(0.0, |found| found.file_rarity));
    let case = Case {
        has_vectors: asked.is_some(),
        is_wordy: question.length > Length::Question,
        names_tell: catalog.names_tell,
    };
    let evidence = Evidence::new(catalog, question, found);
    let ranking = Ranking { catalog, question, asked, evidence, case, weights: weights(case) };
    let path = |file: u32| catalog.files[file as usize].path.as_str();
    let is_near = |file: u32| fusion.as_ref().is_some_and(|fusion| fusion.near.contains_key(path(file)));
    let mut scored = ranking.scored(filters, is_near);
    let best_first = |a: &(f32, u32), b: &(f32, u32)| better(*a, *b, path);
    // Units are many: only those of files that may still come first are compared.
    let closer = if asked.is_some() { (*limit).max(CLOSER) * 2 } else { usize::MAX };
    if fusion.is_none() && closer < scored.len() {
        scored.select_nth_unstable_by(closer, best_first);
        scored.truncate(closer);
    }
    scored.sort_unstable_by(best_first);
    let kept = scored.iter().enumerate().filter(|(place, (_, file))| *place < closer || is_near(*file));
    let mut ranked: Vec<Ranked> = kept.map(|(_, (_, file))| ranking.file(*file)).collect();
    let best_first = |a: &Ranked, b: &Ranked| better((a.score, a.file), (b.score, b.file), path);
    if asked.is_some() {
        ranked.sort_unstable_by(best_first);
    }
    if let Some(fusion) = fusion {
        fuse(catalog, case, &mut ranked, fusion);
        ranked.sort_unstable_by(best_first);
    }
    put_definitions_first(catalog, &mut ranked);
    let files = ranking.files_with_regions(&ranked);
    let mut regions = ranking.regions(&files, filters, meant, *aim);
    // What a tool wrote comes after all else, unless it is named.
    let is_named = |path: &str| question.chains.iter().any(|chain| path.ends_with(chain.as_str()));
    regions.sort_by_cached_key(|region| index::is_last(path(region.file)) && !is_named(path(region.file)));
    if *for_documents {
        bring_forward(&ranking.evidence, &mut regions);
    }
    regions.truncate(*limit);
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
    asked: Option<&'a Asked>,
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
            let near = self.asked.map_or(0.0, |asked| self.catalog.meanings.file(file, asked));
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
        if let Some(asked) = self.asked {
            values[Feature::FileMeaning as usize] = near;
            values[Feature::PathMeaning as usize] = self.catalog.meanings.path(file, asked);
            values[Feature::UnitMeaning as usize] = near;
        }
        values
    }

    /// A file with its score, its units compared.
    fn file(&self, file: u32) -> Ranked {
        let meanings = &self.catalog.meanings;
        let near = self.asked.map_or(0.0, |asked| meanings.file(file, asked));
        let mut values = self.values(file, near);
        if let Some(asked) = self.asked {
            let units = self.catalog.files[file as usize].units.clone();
            values[Feature::UnitMeaning as usize] = meanings.nearest(units, asked);
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
            best.push((self.evidence.fields[units].iter().copied().fold(0.0, f32::max), place));
        }
        best.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        best.truncate(MORE_FILES);
        best.sort_unstable_by_key(|(_, place)| *place);
        let more = best.iter().filter(|(fits, _)| *fits > 0.0).map(|(_, place)| rest[*place as usize].clone());
        first.iter().cloned().chain(more).collect()
    }

    /// The regions of some files, best first; where all else is equal, in the order of files and lines.
    fn regions(&self, files: &[Ranked], filters: &Filters, meant: Option<&Meant>, aim: Aim) -> Vec<Ranked> {
        let shape = self.evidence.shape();
        let mut scored: Vec<Scored> = Vec::new();
        for (place, file) in files.iter().enumerate() {
            let entry = &self.catalog.files[file.file as usize];
            if entry.units.is_empty() {
                scored.push(Scored { score: 0.0, place, unit: None, values: [0.0; REGION_FEATURES] });
            }
            let regions = self.evidence.regions(entry, &filters.kinds, meant);
            scored.extend(regions.into_iter().map(|region| Scored {
                score: score_region(&region.values, shape),
                place,
                unit: Some(region.unit),
                values: region.values,
            }));
        }
        let of_files = Scale::over(files.iter().map(|file| file.score));
        let AimWeights { of_file, repeated, of_length } = aim.weights(shape);
        for region in &mut scored {
            let file = &files[region.place];
            region.score += of_file * of_files.of(file.score);
            region.score -= of_length * region.values[RegionFeature::Length as usize];
            if aim == Aim::Regions && file.values[Feature::Test as usize] > 0.0 {
                region.score -= UNASKED_TEST;
            }
        }
        let best_first =
            |a: &Scored, b: &Scored| b.score.total_cmp(&a.score).then((a.place, a.unit).cmp(&(b.place, b.unit)));
        scored.sort_by(best_first);
        let mut earlier = vec![0.0; files.len()];
        for region in &mut scored {
            region.score -= repeated * earlier[region.place];
            earlier[region.place] += 1.0;
        }
        scored.sort_by(best_first);
        // The score stays that of the file: it is the sum of the parts that are told.
        let told = |region: Scored| Ranked {
            unit: region.unit,
            fit: region.score,
            region: Some((region.values, shape)),
            ..files[region.place].clone()
        };
        scored.into_iter().map(told).collect()
    }
}

/// A region on its way to its place.
struct Scored {
    score: f32,
    /// The place of its file.
    place: usize,
    unit: Option<u32>,
    values: RegionValues,
}
