//! Quantizes the embedding vectors of the built-in static model to int8, the form in which the index keeps them: a byte
//! for each number takes a quarter of the room of floating-point numbers, and is as good to compare meaning by.

use providers::Vector;
use search::ByteScale;

/// How many numbers of a vector are kept.
pub(crate) const DIMENSIONS: usize = 256;

/// A quantized vector: each number between -127 and 127, the largest being one of them. All zeros mean no vector.
pub(crate) type Int8Vector = [i8; DIMENSIONS];

/// A vector in bytes.
pub(crate) fn quantize(vector: Option<&Vector>) -> Int8Vector {
    let mut small = [0; DIMENSIONS];
    if let Some(vector) = vector.filter(|vector| vector.len() == DIMENSIONS) {
        small.iter_mut().zip(search::quantize(vector, ByteScale::Largest)).for_each(|(small, number)| *small = number);
    }
    small
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
