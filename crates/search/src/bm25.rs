//! The BM25 formula: saturated, length-normalized term frequency (`Bm25`) and inverse document frequency (`idf`).
//!
//! Code search and recall have other parameters, which were fitted apart; the formula is this one. Recall adds what
//! neighbours of a passage say before the count is saturated, so the formula is also there in its two steps: `tf(count,
//! length) = most() * saturate(count / length_norm(length))`, up to rounding.

/// The parameters of the formula.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bm25 {
    /// How quickly a repeated term stops to say more.
    pub k1: f32,
    /// How much the length of a document corrects a count: 0 not at all, 1 wholly.
    pub b: f32,
}

impl Bm25 {
    /// What a count in a document of some length is divided by; 1 for the average length.
    #[inline]
    pub fn length_norm(self, length: u32, average: f32) -> f32 {
        1.0 - self.b + self.b * length as f32 / average
    }

    /// How much a count says, corrected for length: twice as often is not twice as much.
    #[inline]
    pub fn tf(self, count: u32, length: u32, average: f32) -> f32 {
        let count = count as f32;
        count * self.most() / (count + self.k1 * self.length_norm(length, average))
    }

    /// The share of [`Self::most`] that a corrected count reaches.
    #[inline]
    pub fn saturate(self, count: f32) -> f32 {
        count / (count + self.k1)
    }

    /// What a term says that is there without end.
    #[inline]
    pub fn most(self) -> f32 {
        self.k1 + 1.0
    }
}

/// How much a term says by being in only `some` of `all` documents.
#[inline]
pub fn idf(all: usize, some: usize) -> f32 {
    let (all, some) = (all as f32, some as f32);
    (1.0 + (all - some + 0.5) / (some + 0.5)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The formula as the literature has it, in double precision.
    fn reference(k1: f64, b: f64, count: f64, length: f64, average: f64) -> f64 {
        count * (k1 + 1.0) / (count + k1 * (1.0 - b + b * length / average))
    }

    proptest! {
        #[test]
        fn both_forms_are_the_formula(k1 in 0.5f32..2.0, b in 0.0f32..1.0, count in 1u32..5_000, length in 0u32..100_000, average in 1.0f32..5_000.0) {
            let bm25 = Bm25 { k1, b };
            let wanted = reference(k1.into(), b.into(), count.into(), length.into(), average.into()) as f32;
            let in_steps = bm25.most() * bm25.saturate(count as f32 / bm25.length_norm(length, average));
            for found in [bm25.tf(count, length, average), in_steps] {
                prop_assert!((found - wanted).abs() <= 1e-4 * wanted.max(1.0), "{found} {wanted}");
            }
            prop_assert!(bm25.tf(count, length, average) <= bm25.most());
            prop_assert!(bm25.tf(count, length, average) <= bm25.tf(count + 1, length, average) + 1e-6);
        }

        #[test]
        fn what_is_rarer_says_more(all in 2usize..1_000_000, some in 1usize..1_000_000) {
            let some = some % all + 1;
            prop_assert!(idf(all, some) > 0.0);
            prop_assert!(idf(all, some - 1) >= idf(all, some));
            let wanted = (1.0 + (all as f64 - some as f64 + 0.5) / (some as f64 + 0.5)).ln();
            prop_assert!((f64::from(idf(all, some)) - wanted).abs() < 1e-4);
        }
    }

    #[test]
    fn the_average_document_is_not_corrected() {
        let bm25 = Bm25 { k1: 1.2, b: 0.5 };
        assert!((bm25.tf(1, 70, 70.0) - 1.0).abs() < 1e-6);
        assert!(bm25.tf(0, 70, 70.0).abs() < f32::EPSILON);
    }
}
