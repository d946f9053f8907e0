//! Semantic similarity of files, paths and units to a question: the cosines of int8-quantized embedding vectors, of the
//! built-in static model or of a configured source.

use super::catalog::Catalog;
use super::enrichment::{CosineScale, Enrichment, SourceScales, VectorOf};
use super::overlay::OverlayVec;
use crate::base::int8_vectors::{DIMENSIONS, Int8Vector};
use crate::code::index::FileVectors;
use providers::Vector;
use search::{ByteScale, QueryVector, quantize, vector_length};
use std::ops::Range;
use std::sync::Arc;

/// The vectors of a worktree, in the order of its catalog.
#[derive(Clone, Default)]
pub(crate) struct CatalogVectors {
    pub(super) files: QuantizedVectors,
    pub(super) paths: QuantizedVectors,
    pub(super) units: QuantizedVectors,
}

/// Vectors one behind the other, each with what its length is.
#[derive(Clone, Default)]
pub(super) struct QuantizedVectors {
    pub(super) numbers: OverlayVec<i8>,
    pub(super) lengths: OverlayVec<f32>,
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
        let asked = |vector: &Vector| QueryVector::new(&quantize(vector, ByteScale::Largest).collect::<Vec<i8>>());
        let vectors = enrichment.vectors.as_ref()?;
        let question = asked(question)?;
        let title = title.and_then(asked);
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
                let file = catalog.unit(unit).file;
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
        const ZERO_VECTOR: [u8; DIMENSIONS] = [0; DIMENSIONS];
        self.paths.push(path.iter().copied());
        if let Some(vectors) = FileVectors::from_bytes(kept, units) {
            self.files.push(vectors.whole.iter().map(|byte| byte.cast_signed()));
            for unit in vectors.units.chunks_exact(DIMENSIONS) {
                self.units.push(unit.iter().map(|byte| byte.cast_signed()));
            }
        } else {
            self.files.push(ZERO_VECTOR.iter().map(|byte| byte.cast_signed()));
            (0..units).for_each(|_| self.units.push(ZERO_VECTOR.iter().map(|byte| byte.cast_signed())));
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
        self.lengths.push(vector_length(self.numbers.slice(start..self.numbers.len())));
    }

    fn freeze_base(&mut self) {
        self.numbers.freeze_base();
        self.lengths.freeze_base();
    }

    fn cosine(&self, at: usize, asked: &QueryVector) -> f32 {
        asked.cosine(self.numbers.slice(at * DIMENSIONS..(at + 1) * DIMENSIONS), self.lengths.at(at))
    }
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
        let question = vector(&[1.0, 0.0]);
        let guess = vector(&[0.0, 1.0]);
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
