//! The packing algorithm of answers: greedily selects which candidates fit into a token budget, best first.
//!
//! Whole or not at all: half a function answers no question, and the rest is better spent on the next that fits. Only
//! the first one is cut where it alone is too long, because an empty answer would be worse. The summary of a region
//! that does not fit may be shown instead.

use model::TokenCount;

/// A candidate in the form that fitted.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PackedForm<T> {
    pub(super) it: T,
    /// Its cost, with everything around it.
    pub(super) tokens: TokenCount,
}

/// The forms that a candidate may be rendered in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CutMode {
    /// All of it.
    Never,
    /// With lines left out.
    Allowed,
    /// Its summary by a model, in its place.
    Summary,
}

/// A smaller rest of the budget is not worth a heading.
const MIN_REMAINING_TOKENS: TokenCount = TokenCount(32);

/// Picks candidates, best first. `draw` renders a candidate within a cost, or returns `None`. Candidates that do not
/// fit are omitted.
pub(super) fn pack_candidates<C, T>(
    candidates: &[C],
    budget: TokenCount,
    mut draw: impl FnMut(&C, TokenCount, CutMode) -> Option<PackedForm<T>>,
) -> Vec<Option<PackedForm<T>>> {
    let mut left = budget;
    let mut packed: Vec<Option<PackedForm<T>>> = Vec::with_capacity(candidates.len());
    for (place, candidate) in candidates.iter().enumerate() {
        let form = match place {
            // The first candidate is tried whatever is left: in the smallest budget a cut region is better than
            // nothing.
            _ if place > 0 && left < MIN_REMAINING_TOKENS => None,
            0 => [CutMode::Never, CutMode::Allowed, CutMode::Summary]
                .into_iter()
                .find_map(|cut| draw(candidate, left, cut)),
            _ => [CutMode::Never, CutMode::Summary].into_iter().find_map(|cut| draw(candidate, left, cut)),
        };
        left = left.saturating_sub(form.as_ref().map_or(TokenCount(0), |form| form.tokens));
        packed.push(form);
    }
    packed
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A candidate of this size, which can be cut to any smaller one.
    fn draw(size: u32, most: TokenCount, cut: CutMode) -> Option<PackedForm<u32>> {
        if cut == CutMode::Summary {
            return None;
        }
        let tokens = if cut == CutMode::Allowed { size.min(most.0) } else { size };
        (tokens <= most.0 && tokens > 0).then_some(PackedForm { it: tokens, tokens: TokenCount(tokens) })
    }

    fn check(sizes: &[u32], budget: u32, expected: &[u32]) {
        let packed = pack_candidates(sizes, TokenCount(budget), |size, most, cut| draw(*size, most, cut));
        let tokens: Vec<u32> = packed.iter().map(|form| form.as_ref().map_or(0, |form| form.it)).collect();
        assert_eq!(tokens, expected);
    }

    #[test]
    fn what_does_not_fit_whole_is_skipped_unless_it_is_the_first() {
        check(&[4_000, 300, 300], 1_000, &[1_000, 0, 0]);
        check(&[400, 700, 300], 1_000, &[400, 0, 300]);
        check(&[100, 100, 100], 1_000, &[100, 100, 100]);
        check(&[40, 40], 60, &[40, 0]);
        check(&[40], 10, &[10]);
    }

    proptest! {
        #[test]
        fn a_budget_is_never_passed(sizes in prop::collection::vec(1_u32..5_000, 0..30), budget in 0_u32..6_000) {
            let packed = pack_candidates(&sizes, TokenCount(budget), |size, most, cut| draw(*size, most, cut));
            let spent: u32 = packed.iter().flatten().map(|form| form.tokens.0).sum();
            prop_assert!(spent <= budget);
        }
    }
}
