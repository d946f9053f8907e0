//! Vectors in bytes: a quarter of the room of floating-point numbers, and as good to compare meaning by.

use super::simd::{SimdKernel, run_simd};
use providers::Vector;

/// How many numbers of a vector are kept.
pub(crate) const DIMENSIONS: usize = 256;

/// A quantized vector: each number between -127 and 127, the largest being one of them. All zeros mean no vector.
pub(crate) type Int8Vector = [i8; DIMENSIONS];

/// A question's vector. Its numbers are wide before they are compared with thousands: compilers have one instruction that
/// multiplies sixteen bits and adds the pairs.
pub(crate) struct QueryVector {
    numbers: Vec<i16>,
    length: f32,
}

/// A vector in bytes.
pub(crate) fn quantize(vector: Option<&Vector>) -> Int8Vector {
    let mut small = [0; DIMENSIONS];
    if let Some(vector) = vector.filter(|vector| vector.len() == DIMENSIONS) {
        small.iter_mut().zip(in_bytes(vector)).for_each(|(small, number)| *small = number);
    }
    small
}

/// The numbers of a vector of any model in bytes, the largest being 127 or -127.
pub(crate) fn in_bytes(vector: &[f32]) -> impl Iterator<Item = i8> {
    let largest = vector.iter().fold(0.0_f32, |largest, number| largest.max(number.abs()));
    // In a vector of zeros this divides by zero; the cast turns NaN into 0.
    vector.iter().map(move |number| (number / largest * 127.0).round() as i8)
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
    fn a_small_vector_points_the_same_way() {
        let numbers: Vec<f32> = (0..DIMENSIONS).map(|at| (at as f32 * 0.7).sin()).collect();
        let vector = Vector::new(&numbers).expect("it has a direction");
        let back: Vec<f32> = quantize(Some(&vector)).iter().map(|number| f32::from(*number)).collect();
        let back = Vector::new(&back).expect("it has a direction");
        assert!(vector.cosine(&back) > 0.999, "{}", vector.cosine(&back));
        assert_eq!(quantize(None), [0; DIMENSIONS]);
    }
}
