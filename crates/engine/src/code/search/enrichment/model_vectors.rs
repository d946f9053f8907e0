//! The embedding vectors of an external model for all files of a catalog, quantized to int8, and their cosines with a
//! question. Cosines of two models cannot be compared: 0.6 is near in one and far in the other. So cosines are scaled
//! to the mean and spread that the built-in static model has, for which the ranking weights were fitted. The order of
//! files is that of the source.

use crate::code::search::catalog::Catalog;
use model::ContentHash;
use providers::Vector;
use search::{ByteScale, QueryVector, ValueSpread, quantize, vector_length};
use std::collections::HashMap;
use std::sync::Arc;

/// The vectors of a file: of all of it, of its path, then of its units.
pub(super) struct FileEmbeddings {
    keys: Vec<ContentHash>,
    numbers: Vec<i8>,
    lengths: Vec<f32>,
}

/// Where in the list the vectors are.
const FILE_VECTOR_INDEX: usize = 0;
const PATH_VECTOR_INDEX: usize = 1;
const FIRST_UNIT_INDEX: usize = 2;

impl FileEmbeddings {
    /// The vectors of a path and its units by their digests; nothing where one was never asked for.
    pub(super) fn new(
        keys: &[ContentHash],
        known: &HashMap<ContentHash, Option<Vector>>,
        dimensions: usize,
    ) -> Option<Self> {
        let vectors: Vec<Option<&Vector>> =
            keys.iter().map(|key| known.get(key).map(Option::as_ref)).collect::<Option<_>>()?;
        let fits = |vector: &&Vector| vector.len() == dimensions;
        let mut sum = vec![0.0_f32; dimensions];
        // The first vector is that of the path. A file is the sum of its units, as the static model has it in the
        // index.
        for vector in vectors.iter().skip(1).copied().flatten().filter(fits) {
            sum.iter_mut().zip(&**vector).for_each(|(sum, number)| *sum += number);
        }
        let whole = Vector::new(&sum);
        let mut numbers = Vec::with_capacity((vectors.len() + 1) * dimensions);
        for vector in std::iter::once(whole.as_ref()).chain(vectors) {
            match vector.filter(fits) {
                Some(vector) => numbers.extend(quantize(vector, ByteScale::Largest)),
                // A text without words has no vector; zeros keep the places of the others, and are near to nothing.
                None => numbers.extend(std::iter::repeat_n(0, dimensions)),
            }
        }
        let lengths = numbers.chunks_exact(dimensions.max(1)).map(vector_length).collect();
        Some(Self { keys: keys.to_vec(), numbers, lengths })
    }

    /// The digests of its texts.
    pub(super) fn text_keys(&self) -> impl Iterator<Item = &ContentHash> {
        self.keys.iter()
    }

    fn cosine(&self, at: usize, asked: &QueryVector, dimensions: usize) -> f32 {
        let Some(length) = self.lengths.get(at) else { return 0.0 };
        asked.cosine(&self.numbers[at * dimensions..(at + 1) * dimensions], *length)
    }
}

/// The vectors of all files of a catalog, in its order.
pub(crate) struct ModelVectors {
    dimensions: usize,
    files: Vec<Option<Arc<FileEmbeddings>>>,
}

/// Which vector of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum VectorOf {
    File,
    Path,
    /// By its number among the units of the file.
    Unit(u32),
}

impl VectorOf {
    fn vector_index(self) -> usize {
        match self {
            Self::File => FILE_VECTOR_INDEX,
            Self::Path => PATH_VECTOR_INDEX,
            Self::Unit(unit) => FIRST_UNIT_INDEX + unit as usize,
        }
    }
}

impl ModelVectors {
    pub(super) fn new(dimensions: usize, files: Vec<Option<Arc<FileEmbeddings>>>) -> Self {
        Self { dimensions, files }
    }

    /// The cosine of a question with something of a file.
    pub(in super::super) fn cosine(&self, file: u32, of: VectorOf, asked: &QueryVector) -> f32 {
        let file = self.files.get(file as usize).and_then(Option::as_ref);
        file.map_or(0.0, |file| file.cosine(of.vector_index(), asked, self.dimensions))
    }

    /// How the cosines of a question with files, paths and units are scaled.
    pub(in super::super) fn cosine_scales(&self, catalog: &Catalog, asked: &QueryVector) -> SourceScales {
        // Removed files keep their number in the catalog and have no vectors; their zeros would shift the mean.
        let there: Vec<u32> =
            (0..self.files.len() as u32).filter(|file| self.files[*file as usize].is_some()).collect();
        let of = |of: VectorOf| sample_evenly(&there).map(|file| self.cosine(*file, of, asked)).collect::<Vec<f32>>();
        SourceScales {
            files: CosineScale::from_cosines(&of(VectorOf::File), STATIC_FILES),
            paths: CosineScale::from_cosines(&of(VectorOf::Path), STATIC_PATHS),
            units: self.unit_scale(catalog, asked),
        }
    }

    /// How the cosines of a text with units are scaled.
    pub(in super::super) fn unit_scale(&self, catalog: &Catalog, asked: &QueryVector) -> CosineScale {
        let units: Vec<(u32, u32)> = (0..)
            .zip(&self.files)
            .filter(|(_, embeddings)| embeddings.is_some())
            .flat_map(|(file, _)| (0..catalog.files[file as usize].units.len() as u32).map(move |unit| (file, unit)))
            .collect();
        let cosines = sample_evenly(&units).map(|(file, unit)| self.cosine(*file, VectorOf::Unit(*unit), asked));
        CosineScale::from_cosines(&cosines.collect::<Vec<_>>(), STATIC_UNITS)
    }
}

/// An even sample: its mean and spread are close enough to those of all.
fn sample_evenly<T>(all: &[T]) -> impl Iterator<Item = &T> {
    all.iter().step_by(all.len().div_ceil(MAX_SAMPLE_SIZE).max(1))
}

/// The size of the sample.
const MAX_SAMPLE_SIZE: usize = 4_096;

/// How cosines with files, paths and units are scaled.
pub(in super::super) struct SourceScales {
    pub(in super::super) files: CosineScale,
    pub(in super::super) paths: CosineScale,
    pub(in super::super) units: CosineScale,
}

/// Mean and spread of the cosines that questions have with files, paths and units in the static model.
const STATIC_FILES: (f32, f32) = (0.18, 0.12);
const STATIC_PATHS: (f32, f32) = (0.09, 0.10);
const STATIC_UNITS: (f32, f32) = (0.15, 0.13);

/// Cosines with less spread than this differ by chance, and are not stretched further.
const LEAST_SPREAD: f32 = 0.02;

/// Where cosines lie, and where they are scaled to.
#[derive(Clone, Copy)]
pub(in super::super) struct CosineScale {
    mean: f32,
    times: f32,
    onto: f32,
}

impl CosineScale {
    fn from_cosines(cosines: &[f32], (onto, spread): (f32, f32)) -> Self {
        let ValueSpread { mean, deviation } = ValueSpread::from_values(cosines.iter().copied());
        Self { mean, times: spread / deviation.max(LEAST_SPREAD), onto }
    }

    pub(in super::super) fn scale_cosine(self, cosine: f32) -> f32 {
        (self.onto + (cosine - self.mean) * self.times).clamp(-1.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_vectors_when_all_its_texts_were_asked_for() {
        let key = |text: &str| ContentHash::hash_bytes(text.as_bytes());
        let keys = [key("path"), key("one"), key("two")];
        let mut known =
            HashMap::from([(keys[0], Vector::new(&[1.0, 0.0, 0.0])), (keys[1], Vector::new(&[0.0, 2.0, 0.0]))]);
        assert!(FileEmbeddings::new(&keys, &known, 3).is_none());
        known.insert(keys[2], None);
        let file = FileEmbeddings::new(&keys, &known, 3).expect("all were asked for");
        let all = ModelVectors::new(3, vec![None, Some(Arc::new(file))]);
        let asked = QueryVector::new(&[0, 9, 0]).expect("it has a direction");
        let of = |of: VectorOf| all.cosine(1, of, &asked);
        assert_eq!((of(VectorOf::File), of(VectorOf::Path)), (1.0, 0.0));
        assert_eq!((of(VectorOf::Unit(0)), of(VectorOf::Unit(1)), of(VectorOf::Unit(7))), (1.0, 0.0, 0.0));
        assert_eq!((all.cosine(0, VectorOf::File, &asked), all.cosine(0, VectorOf::Unit(0), &asked)), (0.0, 0.0));
    }

    #[test]
    fn cosines_are_put_where_ranking_expects_them_in_their_order() {
        let scale = CosineScale::from_cosines(&[0.70, 0.72, 0.74, 0.90], STATIC_FILES);
        let [low, high] = [0.70, 0.90].map(|cosine| scale.scale_cosine(cosine));
        assert!(low < STATIC_FILES.0 && high > STATIC_FILES.0 + STATIC_FILES.1, "{low} {high}");
        let same = CosineScale::from_cosines(&[0.70, 0.7001], STATIC_FILES);
        assert!(
            (same.scale_cosine(0.7001) - same.scale_cosine(0.70)).abs() < 0.01,
            "what differs by chance stays together"
        );
    }
}
