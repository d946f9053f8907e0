//! Scores and sorts the files of a catalog for one question, and the regions (units) of the best files, by weighted
//! sums of features; regions of generated files, and of tests that were not asked for, come last.

use super::barrel_files::put_definitions_first;
use super::catalog::Catalog;
use super::documents::{bring_forward, waive_prose_penalty};
use super::evidence::QuestionEvidence;
use super::features::{FEATURES, FeatureValues, FileFeature, WeightCase, feature_weights, weighted_sum};
use super::question::{CodeQuestion, QuestionLength};
use super::rank_fusion::fuse_rankings;
use super::region_features::{QuestionShape, REGION_FEATURES, RegionFeature, RegionValues, score_region};
use super::similarity::SimilarityQuery;
use super::term_lookup::TermHits;
use crate::code::index;
use crate::code::search::strategy::RankFusion;
use crate::code::search::{ScorePart, SearchFilters};
use model::LineRange;
use std::cmp::Ordering;

/// A file with how well it fits, or a region of it.
#[derive(Clone)]
pub(crate) struct RankedHit {
    pub(crate) file: u32,
    /// The region; none where a file has none.
    pub(crate) unit: Option<u32>,
    /// The lines of the symbol in that unit whose name fits best.
    pub(crate) focus: Option<LineRange>,
    pub(crate) score: f32,
    /// How well the region fits, that of its file included: by this it has its place.
    pub(crate) fit: f32,
    pub(crate) values: FeatureValues,
    /// The value of each feature for the region, and the shape of the question.
    pub(crate) region: Option<(RegionValues, QuestionShape)>,
    /// By which weights it was scored.
    pub(crate) case: WeightCase,
    /// Which terms it has, as a set of bits.
    pub(crate) terms: u32,
    /// Its places in the rankings that were fused, where any were.
    pub(crate) places: Vec<ScorePart>,
    /// The barrel file that this file replaced in the ranking.
    pub(crate) umbrella: Option<u32>,
}

/// By which rules files are ranked.
pub(crate) struct RankingRules {
    pub(crate) filters: SearchFilters,
    /// How many at most.
    pub(crate) limit: usize,
    /// The rankings to be fused; none where one sum decides.
    pub(super) fusion: Option<RankFusion>,
    pub(crate) aim: SearchAim,
    /// Whether a document that covers the question is among the first results.
    pub(crate) for_documents: bool,
    /// The least cosine of a region with the question.
    pub(crate) threshold: Option<f32>,
}

/// The least number of files that are compared unit by unit.
const MIN_COMPARED_FILES: usize = 150;

/// Regions of so many files are compared with each other, and of so many more whose regions fit well by words.
const FILES: usize = 60;
const MORE_FILES: usize = 30;

/// The target of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SearchAim {
    /// Files, each by its best region, and further regions where they deserve it.
    Files,
    /// The regions themselves, whichever files they are of.
    Regions,
}

/// The weights of a region's file, its rank within the file, and its length.
struct AimWeights {
    /// Its file.
    of_file: f32,
    /// The penalty for each better region of the same file.
    repeated: f32,
    /// The penalty for length.
    of_length: f32,
}

impl SearchAim {
    /// Chosen on doc comments of six repositories and on titles of changes of eleven that the line-level benchmark does not
    /// use, and on the open half of the file-level one; those of reports with the open half of the line-level issues in
    /// view. In a budget a short region leaves room for others.
    fn aim_weights(self, shape: QuestionShape) -> AimWeights {
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

/// The penalty of a region of a test, where no tests were asked for: more than all features add up to.
const UNASKED_TEST: f32 = 100.0;

/// The offset that puts regions of generated files behind all others.
const GENERATED_FILE_PENALTY: f32 = 1_000.0;

/// A file that shares no word with a question is found when it is at least so near in meaning.
const MIN_SEMANTIC_SIMILARITY: f32 = 0.25;

/// The files that fit a question best, at most `limit`, equals in the order of their paths.
pub(super) fn rank_files(
    catalog: &Catalog,
    question: &mut CodeQuestion,
    meant: Option<&SimilarityQuery>,
    found: &TermHits,
    rules: &RankingRules,
) -> Vec<RankedHit> {
    let RankingRules { filters, limit, fusion, .. } = rules;
    // First of all: every sum below is a share of the terms that are kept.
    question.keep_best_terms(|term| found.term_occurrences(term).map_or(0.0, |found| found.file_rarity));
    let case = WeightCase {
        has_vectors: meant.is_some(),
        is_wordy: question.length > QuestionLength::Question,
        names_tell: catalog.names_tell,
    };
    let evidence = QuestionEvidence::new(catalog, question, found);
    let ranking = FileRanker { catalog, question, meant, evidence, case, weights: feature_weights(case) };
    let path = |file: u32| catalog.files[file as usize].path.as_str();
    let is_near = |file: u32| fusion.as_ref().is_some_and(|fusion| fusion.near.contains_key(path(file)));
    let mut scored = ranking.score_files(filters, is_near);
    let best_first = |a: &(f32, u32), b: &(f32, u32)| compare_scores(*a, *b, path);
    // Units are many: only those of files that may still come first are compared.
    let closer = if meant.is_some() { (*limit).max(MIN_COMPARED_FILES) * 2 } else { usize::MAX };
    // Fusion needs all ranks of each ranking: a file that is last by words may be first by graph.
    if fusion.is_none() && closer < scored.len() {
        // A selection is linear; only the kept part is sorted.
        scored.select_nth_unstable_by(closer, best_first);
        scored.truncate(closer);
    }
    scored.sort_unstable_by(best_first);
    // A file that only the graph knows has no word of the question and would fall behind the cut.
    let kept = scored.iter().enumerate().filter(|(place, (_, file))| *place < closer || is_near(*file));
    let mut ranked: Vec<RankedHit> = kept.map(|(_, (_, file))| ranking.rank_file(*file)).collect();
    let best_first = |a: &RankedHit, b: &RankedHit| compare_scores((a.score, a.file), (b.score, b.file), path);
    // The best unit of a file was estimated by the whole file until now, so the order may have changed.
    if meant.is_some() {
        ranked.sort_unstable_by(best_first);
    }
    if let Some(fusion) = fusion {
        fuse_rankings(catalog, case, &mut ranked, fusion);
        ranked.sort_unstable_by(best_first);
    }
    // Before regions are chosen: the file that a barrel re-exports must be among the files whose regions are compared.
    put_definitions_first(catalog, &mut ranked);
    let files = ranking.files_with_regions(&ranked);
    let mut regions = ranking.rank_regions(&files, rules);
    for region in &mut regions {
        // Only for regions that are returned: both are searched for region by region.
        region.focus = region.unit.and_then(|unit| ranking.evidence.focus_lines(unit));
        region.terms = region.unit.map_or(region.terms, |unit| found.terms_of(unit, question));
    }
    regions
}

/// Which of two files comes first.
fn compare_scores<'p>(a: (f32, u32), b: (f32, u32), path: impl Fn(u32) -> &'p str) -> Ordering {
    b.0.total_cmp(&a.0).then_with(|| path(a.1).cmp(path(b.1)))
}

/// Where values lie around their mean.
struct ScoreScale {
    mean: f32,
    spread: f32,
}

impl ScoreScale {
    fn from_values(values: impl Iterator<Item = f32> + Clone) -> Self {
        let count = values.clone().count().max(1) as f32;
        let mean = values.clone().sum::<f32>() / count;
        let variance = values.map(|value| (value - mean).powi(2)).sum::<f32>() / count;
        Self { mean, spread: variance.sqrt().max(f32::MIN_POSITIVE) }
    }

    fn z_score(&self, value: f32) -> f32 {
        (value - self.mean) / self.spread
    }
}

/// Scores files and regions for one question.
struct FileRanker<'a> {
    catalog: &'a Catalog,
    question: &'a CodeQuestion,
    meant: Option<&'a SimilarityQuery>,
    evidence: QuestionEvidence<'a>,
    case: WeightCase,
    weights: FeatureValues,
}

impl FileRanker<'_> {
    /// Files with their scores, but for what their units mean, in no order. Files that share nothing with the question
    /// and are not near it in meaning are excluded.
    fn score_files(&self, filters: &SearchFilters, is_near: impl Fn(u32) -> bool) -> Vec<(f32, u32)> {
        let mut scored = Vec::new();
        for (file, row) in (0..).zip(&self.catalog.rows) {
            let near = self.meant.map_or(0.0, |meant| meant.file_similarity(self.catalog, file));
            // Meaning alone is enough from MIN_SEMANTIC_SIMILARITY on: a question about throttling may find `rate_limiter.rs`.
            let is_found = self.evidence.has_file(file) || near > MIN_SEMANTIC_SIMILARITY || is_near(file);
            if !is_found || row.is_gone || !self.is_wanted(file, filters) {
                continue;
            }
            scored.push((weighted_sum(&self.feature_values(file, near), &self.weights), file));
        }
        scored
    }

    fn is_wanted(&self, file: u32, filters: &SearchFilters) -> bool {
        let is_anywhere = filters.paths.is_empty() && filters.languages.is_empty();
        is_anywhere || {
            let file = &self.catalog.files[file as usize];
            filters.allows_file(&file.path, file.language)
        }
    }

    /// The value of each feature for a file. Until its units are compared, the similarity of the whole file is taken
    /// for theirs.
    fn feature_values(&self, file: u32, near: f32) -> FeatureValues {
        let mut values: FeatureValues = [0.0; FEATURES];
        self.evidence.fill_values(file, &mut values);
        values[FileFeature::Test as usize..].copy_from_slice(&self.catalog.rows[file as usize].nature);
        let mut forget = |feature: FileFeature| values[feature as usize] = 0.0;
        // A report quotes test output and asks for no tests.
        if self.question.asks_tests && self.question.length < QuestionLength::Report {
            forget(FileFeature::Test);
        }
        if self.question.asks_documents && self.question.length < QuestionLength::Report {
            forget(FileFeature::Example);
            forget(FileFeature::Prose);
        }
        // In C++ templates and inline functions live in headers.
        if !self.catalog.headers_repeat {
            forget(FileFeature::Header);
        }
        waive_prose_penalty(&self.evidence, file, &mut values);
        if let Some(meant) = self.meant {
            values[FileFeature::FileMeaning as usize] = near;
            values[FileFeature::PathMeaning as usize] = meant.path_similarity(self.catalog, file);
            // An estimate until units are compared: it lets the cut to the first few hundred files happen before the
            // costly part.
            values[FileFeature::UnitMeaning as usize] = near;
        }
        values
    }

    /// A file with its score, its units compared.
    fn rank_file(&self, file: u32) -> RankedHit {
        let near = self.meant.map_or(0.0, |meant| meant.file_similarity(self.catalog, file));
        let mut values = self.feature_values(file, near);
        if let Some(meant) = self.meant {
            let units = self.catalog.files[file as usize].units.clone();
            values[FileFeature::UnitMeaning as usize] = meant.best_similarity(self.catalog, units);
        }
        RankedHit {
            file,
            unit: None,
            focus: None,
            score: weighted_sum(&values, &self.weights),
            fit: 0.0,
            values,
            region: None,
            case: self.case,
            terms: self.evidence.term_bits(file),
            places: Vec::new(),
            umbrella: None,
        }
    }

    /// The first files, and those further down that have one of the regions which fit best by words.
    fn files_with_regions(&self, ranked: &[RankedHit]) -> Vec<RankedHit> {
        let (first, rest) = ranked.split_at(ranked.len().min(FILES));
        let mut best: Vec<(f32, u32)> = Vec::new();
        for (place, file) in (0..).zip(rest) {
            let units = self.catalog.rows[file.file as usize].unit_range();
            best.push((self.evidence.units[units].iter().map(|unit| unit.fields).fold(0.0, f32::max), place));
        }
        best.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        best.truncate(MORE_FILES);
        // Back in the order of files: the place of a file breaks ties of its regions.
        best.sort_unstable_by_key(|(_, place)| *place);
        let more = best.iter().filter(|(fits, _)| *fits > 0.0).map(|(_, place)| rest[*place as usize].clone());
        first.iter().cloned().chain(more).collect()
    }

    /// The regions of some files that fit best, best first; where all else is equal, in the order of files and lines.
    fn rank_regions(&self, files: &[RankedHit], rules: &RankingRules) -> Vec<RankedHit> {
        let shape = self.evidence.question_shape();
        let of_files = ScoreScale::from_values(files.iter().map(|file| file.score));
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
            // A file without units (empty, or not parsed) can still be found by its path, and is one result.
            if entry.units.is_empty() {
                scored.push(ranked(None, [0.0; REGION_FEATURES]));
            }
            let regions = self.evidence.file_regions(entry, &rules.filters.kinds, self.meant);
            scored.extend(regions.into_iter().map(|region| ranked(Some(region.unit), region.values)));
            self.score_regions(file, of_files.z_score(file.score), rules.aim, &mut scored[first..]);
        }
        // Before the cut to `limit`, so that the reply is filled with regions that pass. A file without units has no
        // cosine.
        if let Some(threshold) = rules.threshold {
            let cosine = |unit: u32| self.meant.map_or(0.0, |meant| meant.raw_cosine(self.catalog, unit));
            scored.retain(|region| region.unit.is_some_and(|unit| cosine(unit) >= threshold));
        }
        let is_document = |region: &RegionRank| self.evidence.is_document(files[region.place].file);
        let covers = |region: &&RegionRank| {
            is_document(region) && region.unit.is_some_and(|unit| self.evidence.covers_question(unit))
        };
        let document = if rules.for_documents {
            // Chosen before the cut: the document may rank behind the limit.
            scored.iter().filter(covers).min_by(|a, b| a.rank_order(b)).copied()
        } else {
            None
        };
        if rules.limit < scored.len() {
            scored.select_nth_unstable_by(rules.limit, RegionRank::rank_order);
            scored.truncate(rules.limit);
        }
        scored.sort_unstable_by(RegionRank::rank_order);
        if let Some(document) = document {
            bring_forward(document, &mut scored, is_document);
        }
        // The score stays that of the file: `--explain` shows its parts, and they add up to it.
        let told = |region: RegionRank| RankedHit {
            unit: region.unit,
            fit: if region.is_last { region.score - GENERATED_FILE_PENALTY } else { region.score },
            region: Some((region.values, shape)),
            ..files[region.place].clone()
        };
        scored.into_iter().map(told).collect()
    }

    /// Scores the regions of a file, of which it is known how well it fits among the others.
    fn score_regions(&self, file: &RankedHit, fits: f32, aim: SearchAim, regions: &mut [RegionRank]) {
        let shape = self.evidence.question_shape();
        let AimWeights { of_file, repeated, of_length } = aim.aim_weights(shape);
        let path = &self.catalog.files[file.file as usize].path;
        // Lock files and other output of tools come after everything else, unless the question names the file.
        let is_named = || self.question.joined_names.iter().any(|joined_name| path.ends_with(joined_name.as_str()));
        let is_last = index::is_last(path) && !is_named();
        let is_unasked = aim == SearchAim::Regions && file.values[FileFeature::Test as usize] > 0.0;
        for region in &mut *regions {
            region.is_last = is_last;
            region.score = score_region(&region.values, shape) + of_file * fits;
            region.score -= of_length * region.values[RegionFeature::Length as usize];
            // Rust keeps tests in the file that they test, so the path alone does not tell.
            let in_tests = region.values[RegionFeature::TestModule as usize] > 0.0 && !self.question.asks_tests;
            // `search` lists tests behind the code, where the feature's weight puts them; an answer in a budget has no
            // room for them.
            if is_unasked || aim == SearchAim::Regions && in_tests {
                region.score -= UNASKED_TEST;
            }
        }
        if repeated > 0.0 {
            // By score first: the best region of a file is its first one and loses nothing.
            regions.sort_unstable_by(RegionRank::rank_order);
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
    /// Whether it comes after all other regions.
    is_last: bool,
    /// The place of its file.
    place: usize,
    pub(super) unit: Option<u32>,
    values: RegionValues,
}

impl RegionRank {
    /// Which of two comes first.
    fn rank_order(&self, other: &Self) -> Ordering {
        let by_score = self.is_last.cmp(&other.is_last).then_with(|| other.score.total_cmp(&self.score));
        by_score.then_with(|| (self.place, self.unit).cmp(&(other.place, other.unit)))
    }
}
