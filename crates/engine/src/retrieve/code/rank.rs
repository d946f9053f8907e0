//! Scoring the files of a catalog for one question.

use super::catalog::Catalog;
use super::evidence::Evidence;
use super::features::{Case, FEATURES, Feature, Values, score, weights};
use super::found::Found;
use super::fuse::fuse;
use super::meaning::Asked;
use super::question::{Length, Question};
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
    pub(crate) values: Values,
    /// By which weights it was scored.
    pub(crate) case: Case,
    /// Which terms it has, as a set of bits.
    pub(crate) terms: u32,
    /// Its places in the rankings that were fused, where any were.
    pub(crate) places: Vec<ScorePart>,
}

/// By which rules files are ranked.
pub(crate) struct Rules {
    pub(crate) filters: Filters,
    /// How many at most.
    pub(crate) limit: usize,
    /// The rankings to be fused; none where one sum decides.
    pub(super) fusion: Option<Fusion>,
    pub(crate) aim: Aim,
}

/// So many files at least are compared unit by unit.
const CLOSER: usize = 150;

/// Regions of so many files are compared with each other.
const FILES: usize = 60;

/// What somebody looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Aim {
    /// Files, each by its best region, and further regions where they deserve it.
    Files,
    /// The regions themselves, whichever files they are of.
    Regions,
}

impl Aim {
    /// What the file of a region counts beside the region itself, and what each region of the same file before it takes
    /// off. Chosen on doc comments of seven repositories that the line-level benchmark does not use, and on the open half
    /// of the file-level one.
    fn weights(self) -> (f32, f32) {
        match self {
            Self::Files => (3.0, 1.0),
            Self::Regions => (1.0, 0.0),
        }
    }
}

/// A file that shares no word with a question is found when it is at least so near in meaning.
const NEAR: f32 = 0.25;

/// The files that fit a question best, at most `limit`, equals in the order of their paths.
pub(super) fn rank(
    catalog: &Catalog,
    question: &mut Question,
    asked: Option<&Asked>,
    found: &Found,
    rules: &Rules,
) -> Vec<Ranked> {
    let Rules { filters, limit, fusion, aim } = rules;
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
    let mut regions = ranking.regions(&ranked, filters, *aim);
    regions.truncate(*limit);
    for region in &mut regions {
        region.focus = region.unit.and_then(|unit| ranking.evidence.focus(unit));
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
            values,
            case: self.case,
            terms: self.evidence.terms(file),
            places: Vec::new(),
        }
    }

    /// The regions of the first files, best first; where all else is equal, in the order of files and lines.
    fn regions(&self, ranked: &[Ranked], filters: &Filters, aim: Aim) -> Vec<Ranked> {
        let near = |unit: u32| self.asked.map_or(0.0, |asked| self.catalog.meanings.unit(unit, asked));
        let files = &ranked[..ranked.len().min(FILES)];
        let mut scored: Vec<(f32, usize, Option<u32>)> = Vec::new();
        for (place, file) in files.iter().enumerate() {
            let entry = &self.catalog.files[file.file as usize];
            let regions = self.evidence.regions(entry, &filters.kinds, near);
            if entry.units.is_empty() {
                scored.push((0.0, place, None));
            }
            scored.extend(regions.into_iter().map(|(score, unit)| (score, place, Some(unit))));
        }
        let of_files = Scale::over(files.iter().map(|file| file.score));
        let of_regions = Scale::over(scored.iter().map(|(score, ..)| *score));
        let (of_file, repeated) = aim.weights();
        for (score, place, _) in &mut scored {
            *score = of_regions.of(*score) + of_file * of_files.of(files[*place].score);
        }
        let best_first = |a: &(f32, usize, Option<u32>), b: &(f32, usize, Option<u32>)| {
            b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2)))
        };
        scored.sort_by(best_first);
        let mut earlier = vec![0.0; files.len()];
        for (score, place, _) in &mut scored {
            *score -= repeated * earlier[*place];
            earlier[*place] += 1.0;
        }
        scored.sort_by(best_first);
        // The score stays that of the file: it is the sum of the parts that are told.
        scored.into_iter().map(|(_, place, unit)| Ranked { unit, ..files[place].clone() }).collect()
    }
}
