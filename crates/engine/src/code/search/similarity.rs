//! How near files and units are to a question in meaning: cosines of vectors kept in bytes.

use super::catalog::Catalog;
use super::enrichment::{CosineScale, Enrichment, SourceScales, VectorOf};
use super::overlay::OverlayVec;
use crate::base::simd::{SimdKernel, run_simd};
use crate::code::index::{self, DIMENSIONS, FileVectors, Int8Vector};
use providers::Vector;
use std::ops::Range;
use std::sync::Arc;

/// The vectors of a worktree, in the order of its catalog.
#[derive(Clone, Default)]
pub(crate) struct CatalogVectors {
    files: QuantizedVectors,
    paths: QuantizedVectors,
    units: QuantizedVectors,
}

/// Vectors one behind the other, each with what its length is.
#[derive(Clone, Default)]
struct QuantizedVectors {
    numbers: OverlayVec<i8>,
    lengths: OverlayVec<f32>,
}

/// A question's vector. Its numbers are wide before they are compared with thousands: compilers have one instruction that
/// multiplies sixteen bits and adds the pairs.
pub(crate) struct QueryVector {
    numbers: Vec<i16>,
    length: f32,
}

/// The vector of a question, that of its first line where it has more, and the vectors that it is compared with.
pub(crate) struct SimilarityQuery {
    question: QueryVector,
    title: Option<QueryVector>,
    compared: ComparedVectors,
}

/// Vectors of the model that also made those of the question.
enum ComparedVectors {
    /// The vectors of the index.
    Index,
    /// The vectors of a configured source.
    Source { enrichment: Arc<Enrichment>, scales: SourceScales, title_scale: Option<CosineScale> },
}

impl SimilarityQuery {
    /// A question to be compared with the vectors of the index.
    pub(super) fn in_index(question: QueryVector, title: Option<QueryVector>) -> Self {
        Self { question, title, compared: ComparedVectors::Index }
    }

    /// A question to be compared with the vectors of a source, where all of them are there.
    pub(super) fn in_source(
        enrichment: &Arc<Enrichment>,
        catalog: &Catalog,
        question: &Vector,
        title: Option<&Vector>,
    ) -> Option<Self> {
        let asked = |vector: &Vector| QueryVector::new(&index::in_bytes(vector).collect::<Vec<i8>>());
        let vectors = enrichment.vectors.as_ref()?;
        let (question, title) = (asked(question)?, title.and_then(asked));
        let scales = vectors.cosine_scales(catalog, &question);
        let title_scale = title.as_ref().map(|title| vectors.unit_scale(catalog, title));
        let compared = ComparedVectors::Source { enrichment: Arc::clone(enrichment), scales, title_scale };
        Some(Self { question, title, compared })
    }

    /// How near all of a file is.
    pub(super) fn file_similarity(&self, catalog: &Catalog, file: u32) -> f32 {
        match &self.compared {
            ComparedVectors::Index => catalog.meanings.file_cosine(file, &self.question),
            ComparedVectors::Source { enrichment, scales, .. } => {
                scales.files.scale_cosine(source_cosine(enrichment, file, VectorOf::File, &self.question))
            }
        }
    }

    /// How near its path is.
    pub(super) fn path_similarity(&self, catalog: &Catalog, file: u32) -> f32 {
        match &self.compared {
            ComparedVectors::Index => catalog.meanings.path_cosine(file, &self.question),
            ComparedVectors::Source { enrichment, scales, .. } => {
                scales.paths.scale_cosine(source_cosine(enrichment, file, VectorOf::Path, &self.question))
            }
        }
    }

    /// How near a unit is.
    pub(super) fn unit_similarity(&self, catalog: &Catalog, unit: u32) -> f32 {
        let cosine = self.raw_cosine(catalog, unit);
        match &self.compared {
            ComparedVectors::Index => cosine,
            // The ranking weights were fitted on cosines of the static model; another model spreads them otherwise.
            ComparedVectors::Source { scales, .. } => scales.units.scale_cosine(cosine),
        }
    }

    /// How near a unit is to the first line of a question of several; 0 where it has one.
    pub(super) fn unit_to_title(&self, catalog: &Catalog, unit: u32) -> f32 {
        let Some(title) = &self.title else { return 0.0 };
        let cosine = self.unit_cosine(catalog, unit, title);
        match &self.compared {
            ComparedVectors::Source { title_scale: Some(scale), .. } => scale.scale_cosine(cosine),
            ComparedVectors::Index | ComparedVectors::Source { .. } => cosine,
        }
    }

    /// The nearest of some units.
    pub(super) fn best_similarity(&self, catalog: &Catalog, units: Range<u32>) -> f32 {
        units.map(|unit| self.unit_similarity(catalog, unit)).fold(0.0, f32::max)
    }

    /// The cosine of the question with a unit, not scaled.
    pub(super) fn raw_cosine(&self, catalog: &Catalog, unit: u32) -> f32 {
        self.unit_cosine(catalog, unit, &self.question)
    }

    fn unit_cosine(&self, catalog: &Catalog, unit: u32, asked: &QueryVector) -> f32 {
        match &self.compared {
            ComparedVectors::Index => catalog.meanings.unit_cosine(unit, asked),
            ComparedVectors::Source { enrichment, .. } => {
                let file = catalog.units[unit as usize].file;
                // A source keeps vectors by file version, so units are counted from the start of their file.
                let of = VectorOf::Unit(unit - catalog.files[file as usize].units.start);
                source_cosine(enrichment, file, of, asked)
            }
        }
    }
}

fn source_cosine(enrichment: &Enrichment, file: u32, of: VectorOf, asked: &QueryVector) -> f32 {
    enrichment.vectors.as_ref().map_or(0.0, |vectors| vectors.cosine(file, of, asked))
}

impl CatalogVectors {
    /// Adds a file; what has no vectors gets empty ones, which are near to nothing.
    pub(super) fn add_file(&mut self, kept: &[u8], units: usize, path: &Int8Vector) {
        // Every file and unit takes its place in the list, with a vector or without: places are found by number alone.
        const NONE: [u8; DIMENSIONS] = [0; DIMENSIONS];
        self.paths.push(path.iter().copied());
        if let Some(vectors) = FileVectors::from_bytes(kept, units) {
            self.files.push(vectors.whole.iter().map(|byte| byte.cast_signed()));
            for unit in vectors.units.chunks_exact(DIMENSIONS) {
                self.units.push(unit.iter().map(|byte| byte.cast_signed()));
            }
        } else {
            self.files.push(NONE.iter().map(|byte| byte.cast_signed()));
            (0..units).for_each(|_| self.units.push(NONE.iter().map(|byte| byte.cast_signed())));
        }
    }

    /// Turns everything into the shared base.
    pub(super) fn freeze_base(&mut self) {
        [&mut self.files, &mut self.paths, &mut self.units].into_iter().for_each(QuantizedVectors::freeze_base);
    }

    pub(super) fn file_cosine(&self, file: u32, asked: &QueryVector) -> f32 {
        self.files.cosine(file as usize, asked)
    }

    pub(super) fn path_cosine(&self, file: u32, asked: &QueryVector) -> f32 {
        self.paths.cosine(file as usize, asked)
    }

    pub(super) fn unit_cosine(&self, unit: u32, asked: &QueryVector) -> f32 {
        self.units.cosine(unit as usize, asked)
    }
}

impl QueryVector {
    /// `None` where the question has no vector.
    pub(crate) fn new(numbers: &[i8]) -> Option<Self> {
        let length = vector_length(numbers);
        (length > 0.0).then_some(Self { numbers: numbers.iter().copied().map(i16::from).collect(), length })
    }

    /// The cosine with a vector of the same model, of which the length is known; nothing where that has no direction.
    pub(crate) fn cosine(&self, numbers: &[i8], length: f32) -> f32 {
        // A text without a known word has no direction, and a division by zero would give a NaN that sorts first.
        if length == 0.0 {
            return 0.0;
        }
        self.dot_product(numbers) as f32 / (length * self.length)
    }

    fn dot_product(&self, numbers: &[i8]) -> i32 {
        let mut sum = 0;
        run_simd(DotKernel { numbers, asked: &self.numbers, sum: &mut sum });
        sum
    }
}

/// A vector that is compared with a question's.
struct DotKernel<'v> {
    numbers: &'v [i8],
    asked: &'v [i16],
    sum: &'v mut i32,
}

impl SimdKernel for DotKernel<'_> {
    #[expect(clippy::inline_always, reason = "as the trait asks")]
    #[inline(always)]
    fn run(self) {
        *self.sum = self.numbers.iter().zip(self.asked).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
    }
}

/// The direction between that of a question and that of a guessed answer; of one alone, its own.
pub(super) fn blend_vectors(question: Option<Vector>, guess: Option<Vector>) -> Option<Vector> {
    match (question, guess) {
        // Both have length 1, so the sum lies in the middle: a wrong guess moves the search by half and not altogether.
        (Some(question), Some(guess)) if question.len() == guess.len() => {
            let sums: Vec<f32> = question.iter().zip(&*guess).map(|(a, b)| a + b).collect();
            Vector::new(&sums)
        }
        (question, guess) => question.or(guess),
    }
}

impl QuantizedVectors {
    fn push(&mut self, numbers: impl Iterator<Item = i8>) {
        let start = self.numbers.len();
        self.numbers.extend(numbers);
        // Rounding to bytes changes the length a little, so the length of the rounded vector is kept.
        self.lengths.push(vector_length(&self.numbers[start..self.numbers.len()]));
    }

    fn freeze_base(&mut self) {
        self.numbers.freeze_base();
        self.lengths.freeze_base();
    }

    fn cosine(&self, at: usize, asked: &QueryVector) -> f32 {
        asked.cosine(&self.numbers[at * DIMENSIONS..(at + 1) * DIMENSIONS], self.lengths[at])
    }
}

/// How long a vector in bytes is.
pub(crate) fn vector_length(numbers: &[i8]) -> f32 {
    (dot_product(numbers, numbers) as f32).sqrt()
}

/// In sixteen bits first: products of bytes fit, and compilers have one instruction for the pair.
#[inline]
pub(crate) fn dot_product(a: &[i8], b: &[i8]) -> i32 {
    a.iter().zip(b).map(|(a, b)| i32::from(i16::from(*a) * i16::from(*b))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_unit_is_the_one_that_points_the_same_way() {
        let one = |at: usize, value: i8| {
            let mut numbers = [0_i8; DIMENSIONS];
            numbers[at] = value;
            numbers
        };
        let kept: Vec<u8> =
            [one(0, 127), one(1, 127), one(2, -127)].concat().iter().map(|n| n.cast_unsigned()).collect();
        let mut meanings = CatalogVectors::default();
        meanings.add_file(&kept, 2, &one(1, 127));
        meanings.add_file(&kept, 5, &one(1, 127));
        let asked = QueryVector::new(&one(1, 50)).expect("it has a direction");
        assert_eq!((meanings.file_cosine(0, &asked), meanings.path_cosine(0, &asked)), (0.0, 1.0));
        assert_eq!((meanings.unit_cosine(0, &asked), meanings.unit_cosine(1, &asked)), (1.0, 0.0));
        let others = (2..7).all(|unit| meanings.unit_cosine(unit, &asked) <= 0.0);
        assert!(others, "bytes for another number of units say nothing");
        assert!(QueryVector::new(&[0; DIMENSIONS]).is_none());
    }

    #[test]
    fn a_question_and_the_guessed_answer_count_the_same() {
        let vector = |numbers: &[f32]| Vector::new(numbers).expect("it has a direction");
        let (question, guess) = (vector(&[1.0, 0.0]), vector(&[0.0, 1.0]));
        let both = blend_vectors(Some(question.clone()), Some(guess.clone())).expect("it has a direction");
        assert!((both.cosine(&question) - both.cosine(&guess)).abs() < 1e-6);
        assert_eq!(blend_vectors(Some(question.clone()), None), Some(question.clone()));
        assert_eq!(blend_vectors(None, Some(guess.clone())), Some(guess));
        assert_eq!(
            blend_vectors(Some(question.clone()), Some(vector(&[1.0, 0.0, 0.0]))),
            Some(question),
            "of another model"
        );
    }
}
