//! Sign sketches: one bit for each number of a vector, its sign. Vectors that point the same way agree in most signs, so
//! counting the bits that differ finds the few of very many vectors that are worth an exact comparison.
//!
//! A sketch has an eighth of the bytes of its vector. What is found is near to all that an exact comparison of every
//! vector finds, not always all: who calls decides how many to compare, and measures what is lost.

use crate::simd::{SimdKernel, run_simd};

/// Numbers of a vector that has a sketch.
const DIMENSIONS: usize = 128;

/// The signs of a vector's numbers.
pub type SignSketch = [u64; DIMENSIONS / u64::BITS as usize];

/// The signs of a vector.
pub fn sketch_signs(vector: &[i8; DIMENSIONS]) -> SignSketch {
    let (words, _) = vector.as_chunks::<{ u64::BITS as usize }>();
    std::array::from_fn(|word| {
        words[word].iter().enumerate().fold(0, |bits, (at, number)| bits | u64::from(*number < 0) << at)
    })
}

/// The numbers of the about `most` sketches that agree best with one, in their order. `stretches` are sketches that are
/// searched, each with the number of its first. All that agree as well as the last of them are among them.
pub fn nearest_sketches(asked: &SignSketch, stretches: &[(u32, &[SignSketch])], most: usize) -> Vec<u32> {
    let mut distances = vec![0; stretches.iter().map(|(_, sketches)| sketches.len()).sum()];
    let mut rest = &mut *distances;
    for (_, sketches) in stretches {
        let (here, behind) = rest.split_at_mut(sketches.len());
        run_simd(DistanceKernel { asked, sketches, distances: here });
        rest = behind;
    }
    let limit = distance_limit(&distances, most);
    let numbers = stretches.iter().flat_map(|(first, sketches)| *first..*first + sketches.len() as u32);
    distances.iter().zip(numbers).filter(|(distance, _)| **distance <= limit).map(|(_, number)| number).collect()
}

/// The smallest distance within which there are `most`.
fn distance_limit(distances: &[u8], most: usize) -> u8 {
    // Several tables, so that equal neighbours do not wait for each other.
    let mut tables = [[0_usize; DIMENSIONS + 1]; 4];
    for distances in distances.chunks(tables.len()) {
        tables.iter_mut().zip(distances).for_each(|(table, distance)| table[usize::from(*distance)] += 1);
    }
    let mut within = 0;
    let is_enough = |distance: &u8| {
        within += tables.iter().map(|table| table[usize::from(*distance)]).sum::<usize>();
        within >= most
    };
    (0..=DIMENSIONS as u8).find(is_enough).unwrap_or(DIMENSIONS as u8)
}

/// Sketches that are compared with one.
struct DistanceKernel<'s> {
    asked: &'s SignSketch,
    sketches: &'s [SignSketch],
    distances: &'s mut [u8],
}

impl SimdKernel for DistanceKernel<'_> {
    #[expect(clippy::inline_always, reason = "as the trait asks")]
    #[inline(always)]
    fn run(self) {
        for (distance, sketch) in self.distances.iter_mut().zip(self.sketches) {
            *distance = sketch.iter().zip(self.asked).map(|(a, b)| (a ^ b).count_ones()).sum::<u32>() as u8;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Exactly those are found that differ in no more signs than the last of the wanted number.
        #[test]
        fn those_that_agree_best_are_found(vectors in proptest::collection::vec(proptest::array::uniform32(-2_i8..3), 1..200), asked in proptest::array::uniform32(-2_i8..3), most in 1..50_usize, cut in any::<proptest::sample::Index>()) {
            let wide = |small: [i8; 32]| std::array::from_fn::<i8, DIMENSIONS, _>(|at| small[at % 32]);
            let sketches: Vec<SignSketch> = vectors.iter().map(|vector| sketch_signs(&wide(*vector))).collect();
            let differing = |vector: &[i8; 32]| vector.iter().zip(&asked).filter(|(a, b)| (**a < 0) != (**b < 0)).count();
            let mut sorted: Vec<usize> = vectors.iter().map(differing).collect();
            sorted.sort_unstable();
            let limit = sorted.get(most - 1).copied().unwrap_or(32);
            let wanted: Vec<u32> = (0..).zip(&vectors).filter(|(_, vector)| differing(vector) <= limit).map(|(at, _)| at).collect();
            let (front, back) = sketches.split_at(cut.index(sketches.len()));
            let stretches = [(0, front), (front.len() as u32, back)];
            prop_assert_eq!(nearest_sketches(&sketch_signs(&wide(asked)), &stretches, most), wanted);
        }
    }
}
