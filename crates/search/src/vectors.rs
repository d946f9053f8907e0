//! Vector quantization and cosine similarity: embedding vectors as signed bytes, small enough that all of them are
//! held in memory and compared with every query (brute force).
//!
//! Products of bytes are whole numbers, so a cosine is the same to the bit however wide the processor computes it.
//! Vectors of two models are never compared; who calls keeps them apart.

use crate::simd::{SimdKernel, run_simd};

/// How numbers become bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ByteScale {
    /// The largest number becomes 127 or -127: all of a byte is used, and the length of the result has to be kept.
    Largest,
    /// The length of the vector becomes this one, the same for all: products compare without any length. Numbers that a
    /// byte cannot hold are cut, which is seldom and costs less than a length for each of very many.
    Length(f32),
}

/// The numbers of a vector in bytes; all zero where it has no direction.
pub fn quantize(vector: &[f32], scale: ByteScale) -> impl Iterator<Item = i8> {
    let (unit, bytes) = match scale {
        ByteScale::Largest => (vector.iter().fold(0.0_f32, |largest, number| largest.max(number.abs())), 127.0),
        ByteScale::Length(length) => (vector.iter().map(|number| number * number).sum::<f32>().sqrt(), length),
    };
    // In a vector of zeros this divides by zero; the cast turns NaN into 0. It also saturates, so a rare number that is
    // too large for a byte loses its excess and not its sign.
    vector.iter().map(move |number| (number / unit * bytes).round() as i8)
}

/// How long a vector in bytes is.
pub fn vector_length(numbers: &[i8]) -> f32 {
    // In sixteen bits first: products of bytes fit, and compilers have one instruction for the pair.
    (numbers.iter().map(|number| i32::from(i16::from(*number) * i16::from(*number))).sum::<i32>() as f32).sqrt()
}

/// A question's vector. Its numbers are wide before they are compared with thousands: compilers have one instruction that
/// multiplies sixteen bits and adds the pairs.
pub struct QueryVector {
    numbers: Vec<i16>,
    length: f32,
}

impl QueryVector {
    /// `None` where the question has no direction.
    pub fn new(numbers: &[i8]) -> Option<Self> {
        let length = vector_length(numbers);
        (length > 0.0).then_some(Self { numbers: numbers.iter().copied().map(i16::from).collect(), length })
    }

    /// The cosine with a vector of the same model, of which the length is known; nothing where that has no direction.
    pub fn cosine(&self, numbers: &[i8], length: f32) -> f32 {
        // A text without a known word has no direction, and a division by zero would give a NaN that sorts first.
        if length == 0.0 {
            return 0.0;
        }
        let mut sum = 0;
        run_simd(DotKernel { numbers, asked: &self.numbers, sum: &mut sum });
        sum as f32 / (length * self.length)
    }

    /// The products with many vectors of the same model, each divided by `unit`; of another number of dimensions none.
    pub fn divided_products<const N: usize>(&self, vectors: &[[i8; N]], unit: f32, products: &mut [f32]) {
        if let Ok(asked) = <&[i16; N]>::try_from(&*self.numbers) {
            run_simd(ManyDotsKernel { vectors, asked, unit, products });
        }
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
        *self.sum = dot_product(self.numbers, self.asked);
    }
}

/// Vectors of one size that are compared with a question's.
struct ManyDotsKernel<'v, const N: usize> {
    vectors: &'v [[i8; N]],
    asked: &'v [i16; N],
    unit: f32,
    products: &'v mut [f32],
}

impl<const N: usize> SimdKernel for ManyDotsKernel<'_, N> {
    #[expect(clippy::inline_always, reason = "as the trait asks")]
    #[inline(always)]
    fn run(self) {
        for (product, vector) in self.products.iter_mut().zip(self.vectors) {
            *product = dot_product(vector, self.asked) as f32 / self.unit;
        }
    }
}

#[expect(clippy::inline_always, reason = "it is compiled as wide as the kernel that it is part of")]
#[inline(always)]
fn dot_product(numbers: &[i8], asked: &[i16]) -> i32 {
    numbers.iter().zip(asked).map(|(number, asked)| i32::from(*number) * i32::from(*asked)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cosine(a: &[f32], b: &[f32]) -> f32 {
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
        dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
    }

    proptest! {
        /// Bytes are compared as their numbers would be, in both scales and whether one by one or side by side.
        #[test]
        fn bytes_point_the_same_way(a in proptest::collection::vec(-1.0f32..1.0, 128), b in proptest::collection::vec(-1.0f32..1.0, 128)) {
            let wanted = cosine(&a, &b);
            let [wide_a, wide_b] = [&a, &b].map(|numbers| quantize(numbers, ByteScale::Largest).collect::<Vec<i8>>());
            let asked = QueryVector::new(&wide_a).expect("it has a direction");
            let found = asked.cosine(&wide_b, vector_length(&wide_b));
            prop_assert!((found - wanted).abs() < 0.02, "{found} {wanted}");
            let [even_a, even_b] = [&a, &b].map(|numbers| {
                <[i8; 128]>::try_from(quantize(numbers, ByteScale::Length(256.0)).collect::<Vec<i8>>()).expect("as many")
            });
            let asked = QueryVector::new(&even_a).expect("it has a direction");
            let mut products = [9.0; 2];
            asked.divided_products(&[even_b, [0; 128]], 256.0 * 256.0, &mut products);
            prop_assert!((products[0] - wanted).abs() < 0.03, "{} {wanted}", products[0]);
            let naive: i32 = even_a.iter().zip(&even_b).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
            prop_assert_eq!(products.map(f32::to_bits), [naive as f32 / (256.0 * 256.0), 0.0].map(f32::to_bits));
        }
    }

    #[test]
    fn what_has_no_direction_is_near_to_nothing() {
        for scale in [ByteScale::Largest, ByteScale::Length(256.0)] {
            assert_eq!(quantize(&[0.0; 3], scale).collect::<Vec<_>>(), [0; 3]);
        }
        assert_eq!(quantize(&[], ByteScale::Largest).count(), 0);
        assert!(QueryVector::new(&[0; 4]).is_none());
        let asked = QueryVector::new(&[1, 2]).expect("it has a direction");
        assert_eq!(asked.cosine(&[0, 0], 0.0).to_bits(), 0);
        let mut products = [0.0];
        asked.divided_products(&[[1; 3]], 1.0, &mut products);
        assert_eq!(products[0].to_bits(), 0, "vectors of another size are of another model");
    }

    #[test]
    fn numbers_that_a_byte_cannot_hold_are_cut() {
        assert_eq!(quantize(&[3.0, 0.0], ByteScale::Length(256.0)).collect::<Vec<_>>(), [127, 0]);
        assert_eq!(quantize(&[3.0, -1.5], ByteScale::Largest).collect::<Vec<_>>(), [127, -64]);
    }
}
