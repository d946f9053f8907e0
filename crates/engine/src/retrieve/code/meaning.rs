//! How near files and units are to a question in meaning: cosines of vectors kept in bytes.

use super::catalog::Catalog;
use super::enrichment::{CosineScale, Enrichment, SourceScales, VectorOf};
use super::grown::Grown;
use crate::index::{self, DIMENSIONS, FileVectors, Small};
use crate::wide::{Wide, widely};
use providers::Vector;
use std::ops::Range;
use std::sync::Arc;

/// The vectors of a worktree, in the order of its catalog.
#[derive(Clone, Default)]
pub(crate) struct Meanings {
    files: Vectors,
    paths: Vectors,
    units: Vectors,
}

/// Vectors one behind the other, each with what its length is.
#[derive(Clone, Default)]
struct Vectors {
    numbers: Grown<i8>,
    lengths: Grown<f32>,
}

/// A question's vector. Its numbers are wide before they are compared with thousands: compilers have one instruction that
/// multiplies sixteen bits and adds the pairs.
pub(crate) struct Asked {
    numbers: Vec<i16>,
    length: f32,
}

/// What a question means: all of it, and its first line where it has more, and the vectors that it is compared with.
pub(crate) struct Meant {
    question: Asked,
    title: Option<Asked>,
    compared: Compared,
}

/// Vectors of the model that also made those of the question.
enum Compared {
    /// Those of the index.
    Index,
    /// Those of a source.
    Source { enrichment: Arc<Enrichment>, scales: SourceScales, title_scale: Option<CosineScale> },
}

impl Meant {
    /// A question to be compared with the vectors of the index.
    pub(super) fn in_index(question: Asked, title: Option<Asked>) -> Self {
        Self { question, title, compared: Compared::Index }
    }

    /// A question to be compared with the vectors of a source, where all of them are there.
    pub(super) fn in_source(
        enrichment: &Arc<Enrichment>,
        catalog: &Catalog,
        question: &Vector,
        title: Option<&Vector>,
    ) -> Option<Self> {
        let asked = |vector: &Vector| Asked::new(&index::in_bytes(vector).collect::<Vec<i8>>());
        let vectors = enrichment.vectors.as_ref()?;
        let (question, title) = (asked(question)?, title.and_then(asked));
        let scales = vectors.scales(catalog, &question);
        let title_scale = title.as_ref().map(|title| vectors.unit_scale(catalog, title));
        let compared = Compared::Source { enrichment: Arc::clone(enrichment), scales, title_scale };
        Some(Self { question, title, compared })
    }

    /// How near all of a file is.
    pub(super) fn file(&self, catalog: &Catalog, file: u32) -> f32 {
        match &self.compared {
            Compared::Index => catalog.meanings.file(file, &self.question),
            Compared::Source { enrichment, scales, .. } => {
                scales.files.of(source_cosine(enrichment, file, VectorOf::File, &self.question))
            }
        }
    }

    /// How near its path is.
    pub(super) fn path(&self, catalog: &Catalog, file: u32) -> f32 {
        match &self.compared {
            Compared::Index => catalog.meanings.path(file, &self.question),
            Compared::Source { enrichment, scales, .. } => {
                scales.paths.of(source_cosine(enrichment, file, VectorOf::Path, &self.question))
            }
        }
    }

    /// How near a unit is.
    pub(super) fn unit(&self, catalog: &Catalog, unit: u32) -> f32 {
        let cosine = self.cosine(catalog, unit);
        match &self.compared {
            Compared::Index => cosine,
            Compared::Source { scales, .. } => scales.units.of(cosine),
        }
    }

    /// How near a unit is to the first line of a question of several; 0 where it has one.
    pub(super) fn unit_to_title(&self, catalog: &Catalog, unit: u32) -> f32 {
        let Some(title) = &self.title else { return 0.0 };
        let cosine = self.unit_cosine(catalog, unit, title);
        match &self.compared {
            Compared::Source { title_scale: Some(scale), .. } => scale.of(cosine),
            Compared::Index | Compared::Source { .. } => cosine,
        }
    }

    /// The nearest of some units.
    pub(super) fn nearest(&self, catalog: &Catalog, units: Range<u32>) -> f32 {
        units.map(|unit| self.unit(catalog, unit)).fold(0.0, f32::max)
    }

    /// The cosine of the question with a unit, not scaled.
    pub(super) fn cosine(&self, catalog: &Catalog, unit: u32) -> f32 {
        self.unit_cosine(catalog, unit, &self.question)
    }

    fn unit_cosine(&self, catalog: &Catalog, unit: u32, asked: &Asked) -> f32 {
        match &self.compared {
            Compared::Index => catalog.meanings.unit(unit, asked),
            Compared::Source { enrichment, .. } => {
                let file = catalog.units[unit as usize].file;
                let of = VectorOf::Unit(unit - catalog.files[file as usize].units.start);
                source_cosine(enrichment, file, of, asked)
            }
        }
    }
}

fn source_cosine(enrichment: &Enrichment, file: u32, of: VectorOf, asked: &Asked) -> f32 {
    enrichment.vectors.as_ref().map_or(0.0, |vectors| vectors.cosine(file, of, asked))
}

impl Meanings {
    /// Adds a file; what has no vectors gets empty ones, which are near to nothing.
    pub(super) fn add(&mut self, kept: &[u8], units: usize, path: &Small) {
        const NONE: [u8; DIMENSIONS] = [0; DIMENSIONS];
        self.paths.push(path.iter().copied());
        if let Some(vectors) = FileVectors::read(kept, units) {
            self.files.push(vectors.whole.iter().map(|byte| byte.cast_signed()));
            for unit in vectors.units.chunks_exact(DIMENSIONS) {
                self.units.push(unit.iter().map(|byte| byte.cast_signed()));
            }
        } else {
            self.files.push(NONE.iter().map(|byte| byte.cast_signed()));
            (0..units).for_each(|_| self.units.push(NONE.iter().map(|byte| byte.cast_signed())));
        }
    }

    /// What is there was there from the start.
    pub(super) fn begin(&mut self) {
        [&mut self.files, &mut self.paths, &mut self.units].into_iter().for_each(Vectors::begin);
    }

    pub(super) fn file(&self, file: u32, asked: &Asked) -> f32 {
        self.files.cosine(file as usize, asked)
    }

    pub(super) fn path(&self, file: u32, asked: &Asked) -> f32 {
        self.paths.cosine(file as usize, asked)
    }

    pub(super) fn unit(&self, unit: u32, asked: &Asked) -> f32 {
        self.units.cosine(unit as usize, asked)
    }
}

impl Asked {
    /// Nothing where the question has no vector.
    pub(crate) fn new(numbers: &[i8]) -> Option<Self> {
        let length = length(numbers);
        (length > 0.0).then_some(Self { numbers: numbers.iter().copied().map(i16::from).collect(), length })
    }

    /// The cosine with a vector of the same model, of which the length is known; nothing where that has no direction.
    pub(crate) fn cosine(&self, numbers: &[i8], length: f32) -> f32 {
        if length == 0.0 {
            return 0.0;
        }
        self.dot(numbers) as f32 / (length * self.length)
    }

    fn dot(&self, numbers: &[i8]) -> i32 {
        let mut sum = 0;
        widely(Dot { numbers, asked: &self.numbers, sum: &mut sum });
        sum
    }
}

/// A vector that is compared with a question's.
struct Dot<'v> {
    numbers: &'v [i8],
    asked: &'v [i16],
    sum: &'v mut i32,
}

impl Wide for Dot<'_> {
    #[expect(clippy::inline_always, reason = "as the trait asks")]
    #[inline(always)]
    fn run(self) {
        *self.sum = self.numbers.iter().zip(self.asked).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
    }
}

/// The direction between that of a question and that of a guessed answer; of one alone, its own.
pub(super) fn between(question: Option<Vector>, guess: Option<Vector>) -> Option<Vector> {
    match (question, guess) {
        (Some(question), Some(guess)) if question.len() == guess.len() => {
            let sums: Vec<f32> = question.iter().zip(&*guess).map(|(a, b)| a + b).collect();
            Vector::new(&sums)
        }
        (question, guess) => question.or(guess),
    }
}

impl Vectors {
    fn push(&mut self, numbers: impl Iterator<Item = i8>) {
        let start = self.numbers.len();
        self.numbers.extend(numbers);
        self.lengths.push(length(&self.numbers[start..self.numbers.len()]));
    }

    fn begin(&mut self) {
        self.numbers.begin();
        self.lengths.begin();
    }

    fn cosine(&self, at: usize, asked: &Asked) -> f32 {
        asked.cosine(&self.numbers[at * DIMENSIONS..(at + 1) * DIMENSIONS], self.lengths[at])
    }
}

/// How long a vector in bytes is.
pub(crate) fn length(numbers: &[i8]) -> f32 {
    (dot(numbers, numbers) as f32).sqrt()
}

/// In sixteen bits first: products of bytes fit, and compilers have one instruction for the pair.
#[inline]
pub(crate) fn dot(a: &[i8], b: &[i8]) -> i32 {
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
        let mut meanings = Meanings::default();
        meanings.add(&kept, 2, &one(1, 127));
        meanings.add(&kept, 5, &one(1, 127));
        let asked = Asked::new(&one(1, 50)).expect("it has a direction");
        assert_eq!((meanings.file(0, &asked), meanings.path(0, &asked)), (0.0, 1.0));
        assert_eq!((meanings.unit(0, &asked), meanings.unit(1, &asked)), (1.0, 0.0));
        let others = (2..7).all(|unit| meanings.unit(unit, &asked) <= 0.0);
        assert!(others, "bytes for another number of units say nothing");
        assert!(Asked::new(&[0; DIMENSIONS]).is_none());
    }

    #[test]
    fn a_question_and_the_guessed_answer_count_the_same() {
        let vector = |numbers: &[f32]| Vector::new(numbers).expect("it has a direction");
        let (question, guess) = (vector(&[1.0, 0.0]), vector(&[0.0, 1.0]));
        let both = between(Some(question.clone()), Some(guess.clone())).expect("it has a direction");
        assert!((both.cosine(&question) - both.cosine(&guess)).abs() < 1e-6);
        assert_eq!(between(Some(question.clone()), None), Some(question.clone()));
        assert_eq!(between(None, Some(guess.clone())), Some(guess));
        assert_eq!(between(Some(question.clone()), Some(vector(&[1.0, 0.0, 0.0]))), Some(question), "of another model");
    }
}
