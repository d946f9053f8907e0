//! Keeps the best of many scored things, in whatever order they are offered.

use std::cmp::Ordering;

/// The best of many things; of equal ones that with the lowest number is better.
pub(super) struct TopRanked<T> {
    /// Each with its score and its number.
    held: Vec<(f32, u32, T)>,
    most: usize,
    /// The score that has to be reached.
    least: f32,
}

impl<T> TopRanked<T> {
    /// Keeps so many.
    pub(super) fn new(most: usize) -> Self {
        Self { held: Vec::with_capacity(2 * most), most, least: f32::NEG_INFINITY }
    }

    /// Whether something of this score may be among the best.
    pub(super) fn accepts_score(&self, score: f32) -> bool {
        score >= self.least
    }

    pub(super) fn push_scored(&mut self, score: f32, number: u32, thing: T) {
        if !self.accepts_score(score) {
            return;
        }
        self.held.push((score, number, thing));
        // Twice the size, cut to half by selection: linear in all that is offered, where a heap costs a logarithm for
        // each.
        if self.held.len() == 2 * self.most {
            self.held.select_nth_unstable_by(self.most - 1, Self::compare_scores);
            self.held.truncate(self.most);
            self.least = self.held[self.most - 1].0;
        }
    }

    /// The best, in their order.
    pub(super) fn finish(mut self) -> Vec<T> {
        self.held.sort_unstable_by(Self::compare_scores);
        self.held.truncate(self.most);
        self.held.into_iter().map(|(.., thing)| thing).collect()
    }

    fn compare_scores(a: &(f32, u32, T), b: &(f32, u32, T)) -> Ordering {
        b.0.total_cmp(&a.0).then(a.1.cmp(&b.1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// In whatever order things come, those are kept that sorting all of them puts first.
        #[test]
        fn order_of_offers_changes_nothing(scores in proptest::collection::vec(0..40_u8, 1..300), most in 1..20_usize, seed in any::<u64>()) {
            let mut offers: Vec<(f32, u32)> = scores.iter().map(|score| f32::from(*score)).zip(0..).collect();
            let mut wanted = offers.clone();
            wanted.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            wanted.truncate(most);
            offers.sort_by_key(|(_, number)| (u64::from(*number) + 1).wrapping_mul(seed | 1) >> 7);
            let mut top = TopRanked::new(most);
            for (score, number) in offers {
                top.push_scored(score, number, number);
            }
            prop_assert_eq!(top.finish(), wanted.into_iter().map(|(_, number)| number).collect::<Vec<_>>());
        }
    }
}
