//! `Embedder`, the trait for embedding models (texts in, unit vectors out), with `EmbeddingModel` and `Vector`.
//!
//! A vector means something only beside vectors of the same model, so an embedder says which model it is, down to the
//! version, and a store of vectors keeps that with each. A text may have no vector (it is empty, or in a script the
//! model never saw): that is an answer, not an error, and means "no dense score", never "score zero".

use std::borrow::Cow;
use std::ops::Deref;

use async_trait::async_trait;

use crate::{Result, Usage, Vendor};

/// Turns texts into vectors.
#[async_trait]
pub trait Embedder: Send + Sync {
    /// Which model answers; free to ask, at any time.
    fn model(&self) -> &EmbeddingModel;

    /// Who is asked; free to ask, too.
    fn vendor(&self) -> Vendor;

    /// One answer per text, in the order of the texts; `None` where the model has nothing to say about a text.
    ///
    /// The vector of a text does not depend on the other texts, so a caller may batch as it likes.
    async fn embed(&self, texts: &[&str]) -> Result<EmbeddingBatch>;

    /// Whether it would answer, as far as that can be checked without paying for an answer.
    async fn probe(&self) -> Result<()> {
        Ok(())
    }
}

/// An answer.
#[derive(Debug, Clone, PartialEq)]
pub struct EmbeddingBatch {
    /// One vector per text.
    pub vectors: Vec<Option<Vector>>,
    /// What the vendor charges for all of them.
    pub usage: Usage,
}

/// The origin of a vector. Vectors are comparable exactly when all fields are equal.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct EmbeddingModel {
    /// The vendor, and its name for the model where it has several.
    pub name: Cow<'static, str>,
    /// Changes whenever the same text could give another vector.
    pub version: Cow<'static, str>,
    /// How many numbers a vector has.
    pub dimensions: usize,
}

/// A direction in the space of one model: finite numbers, length one.
#[derive(Debug, Clone, PartialEq)]
pub struct Vector(Box<[f32]>);

impl Vector {
    /// Scales `numbers` to length one; `None` when they have no direction (all zero, or not finite).
    pub fn new(numbers: &[f32]) -> Option<Self> {
        // In double precision no square overflows or vanishes, so only zero and non-finite numbers fall out.
        let length = numbers.iter().map(|number| f64::from(*number).powi(2)).sum::<f64>().sqrt();
        length.is_normal().then(|| Self(numbers.iter().map(|number| (f64::from(*number) / length) as f32).collect()))
    }

    /// Numbers that were a vector before, to the last bit as they were; `None` when they cannot have been.
    pub fn from_stored(numbers: Vec<f32>) -> Option<Self> {
        let square = numbers.iter().map(|number| f64::from(*number).powi(2)).sum::<f64>();
        ((square - 1.0).abs() < 1e-3).then(|| Self(numbers.into()))
    }

    /// How alike two texts are: 1 for the same direction, 0 for nothing in common.
    pub fn cosine(&self, other: &Self) -> f32 {
        debug_assert_eq!(self.len(), other.len(), "vectors of one model have one length");
        self.iter().zip(&*other.0).map(|(a, b)| a * b).sum()
    }
}

impl Deref for Vector {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_has_length_one() {
        for unit in [1.0, 0.5 / f32::MIN_POSITIVE, f32::MIN_POSITIVE] {
            let vector = Vector::new(&[3.0 * unit, 0.0, -4.0 * unit]).expect("it has a direction");
            assert_eq!(*vector, [0.6, 0.0, -0.8], "{unit}");
        }
    }

    #[test]
    fn numbers_without_direction_are_no_vector() {
        for numbers in [&[][..], &[0.0, -0.0], &[1.0, f32::NAN], &[f32::INFINITY, 0.0]] {
            assert_eq!(Vector::new(numbers), None, "{numbers:?}");
        }
    }

    #[test]
    fn a_vector_that_was_kept_is_the_same_to_the_last_bit() {
        let vector = Vector::new(&[0.1, 0.7, -0.3]).expect("it has a direction");
        assert_eq!(Vector::from_stored(vector.to_vec()), Some(vector));
        for numbers in [vec![], vec![0.5, 0.5], vec![f32::NAN], vec![f32::MAX]] {
            assert_eq!(Vector::from_stored(numbers.clone()), None, "{numbers:?}");
        }
    }

    #[test]
    fn the_cosine_is_that_of_the_angle() {
        let at = |degrees: f32| Vector::new(&[degrees.to_radians().cos(), degrees.to_radians().sin()]);
        let [zero, sixty, opposite] = [0.0, 60.0, 180.0].map(|degrees| at(degrees).expect("it has a direction"));
        for (a, b, wanted) in [(&zero, &zero, 1.0), (&zero, &sixty, 0.5), (&zero, &opposite, -1.0)] {
            assert!((a.cosine(b) - wanted).abs() < 1e-6, "{a:?} {b:?}");
        }
    }
}
