//! Score fusion (reciprocal ranks, mean and deviation): puts evidence of several rankings on one scale, to be added.
//!
//! Ranks are on one scale by themselves ([`reciprocal_rank`]). Values are put there by where they lie among others of
//! their kind ([`ValueSpread`]); what becomes of a spread near zero is the caller's to say, because one adds a little
//! to it and the other has a least one that was fitted.

/// The constant that keeps the first ranks from outweighing everything.
const RRF_K: f32 = 60.0;

/// The points of a rank in one ranking; ranks begin with 1.
pub fn reciprocal_rank(weight: f32, rank: usize) -> f32 {
    weight / (RRF_K + rank as f32)
}

/// Where values lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValueSpread {
    /// Their mean; 0 where there are none.
    pub mean: f32,
    /// How far they lie from it: the square root of their variance.
    pub deviation: f32,
}

impl ValueSpread {
    /// Of some values, in two passes: the mean first, so that nothing cancels out.
    pub fn from_values(values: impl Iterator<Item = f32> + Clone) -> Self {
        let count = values.clone().count().max(1) as f32;
        let mean = values.clone().sum::<f32>() / count;
        let variance = values.map(|value| (value - mean).powi(2)).sum::<f32>() / count;
        Self { mean, deviation: variance.sqrt() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_rank_is_worth_what_the_formula_says() {
        assert!((reciprocal_rank(1.0, 1) - 1.0 / 61.0).abs() < 1e-9);
        assert!((reciprocal_rank(0.5, 60) - 0.5 / 120.0).abs() < 1e-9);
    }

    #[test]
    fn nothing_lies_nowhere() {
        assert_eq!(ValueSpread::from_values(std::iter::empty()), ValueSpread { mean: 0.0, deviation: 0.0 });
    }

    proptest! {
        #[test]
        fn a_spread_is_that_of_the_textbook(values in proptest::collection::vec(-10.0f32..10.0, 1..50)) {
            let wide: Vec<f64> = values.iter().copied().map(f64::from).collect();
            let mean = wide.iter().sum::<f64>() / wide.len() as f64;
            let variance = wide.iter().map(|value| value * value).sum::<f64>() / wide.len() as f64 - mean * mean;
            let spread = ValueSpread::from_values(values.iter().copied());
            prop_assert!((f64::from(spread.mean) - mean).abs() < 1e-4);
            prop_assert!((f64::from(spread.deviation) - variance.max(0.0).sqrt()).abs() < 1e-3);
        }
    }
}
