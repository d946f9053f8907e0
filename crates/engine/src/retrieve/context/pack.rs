//! Packing: which form of which candidate goes into a budget.
//!
//! Two rounds. The first gives each candidate, best first, at most half of what is left, so that an answer spans several
//! places instead of one long one. The second spends what remains on showing the best of them more fully.

use model::Tokens;

/// A candidate in the fullest form that fitted.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Form<T> {
    pub(super) it: T,
    /// What it costs, all around it included.
    pub(super) tokens: Tokens,
    /// Whether nothing of it is left out.
    pub(super) is_whole: bool,
}

/// Less than this says too little to be worth its heading.
const LEAST: Tokens = Tokens(48);

/// Picks forms for candidates, best first. `draw` gives the fullest form of a candidate that costs at most so much, or
/// none. Candidates without a form are none in the answer.
pub(super) fn pack<C, T>(
    candidates: &[C],
    budget: Tokens,
    mut draw: impl FnMut(&C, Tokens) -> Option<Form<T>>,
) -> Vec<Option<Form<T>>> {
    let mut left = budget;
    let mut packed: Vec<Option<Form<T>>> = Vec::with_capacity(candidates.len());
    for candidate in candidates {
        let most = Tokens(left.0.div_ceil(2).max(LEAST.0).min(left.0));
        let form = if left < LEAST && !packed.is_empty() { None } else { draw(candidate, most) };
        left = left.saturating_sub(form.as_ref().map_or(Tokens(0), |form| form.tokens));
        packed.push(form);
    }
    for (candidate, form) in candidates.iter().zip(&mut packed) {
        let spent = form.as_ref().map_or(Tokens(0), |form| form.tokens);
        if form.as_ref().is_some_and(|form| form.is_whole) || left < LEAST {
            continue;
        }
        if let Some(fuller) = draw(candidate, Tokens(spent.0 + left.0)).filter(|fuller| fuller.tokens > spent) {
            left = Tokens(left.0 + spent.0 - fuller.tokens.0);
            *form = Some(fuller);
        }
    }
    packed
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A candidate of this size, which can be halved down to 16.
    fn draw(size: u32, most: Tokens) -> Option<Form<u32>> {
        let mut tokens = size;
        while tokens > most.0 && tokens / 2 >= 16 {
            tokens /= 2;
        }
        (tokens <= most.0).then_some(Form { it: tokens, tokens: Tokens(tokens), is_whole: tokens == size })
    }

    fn check(sizes: &[u32], budget: u32, expected: &[u32]) {
        let packed = pack(sizes, Tokens(budget), |size, most| draw(*size, most));
        let tokens: Vec<u32> = packed.iter().map(|form| form.as_ref().map_or(0, |form| form.it)).collect();
        assert_eq!(tokens, expected);
    }

    #[test]
    fn one_long_place_does_not_take_all() {
        check(&[4_000, 300, 300], 1_000, &[500, 300, 150]);
        check(&[100, 100, 100], 1_000, &[100, 100, 100]);
        check(&[4_000], 1_000, &[1_000]);
        check(&[40, 40], 60, &[40, 0]);
        check(&[40], 10, &[0]);
    }

    proptest! {
        #[test]
        fn a_budget_is_never_passed(sizes in prop::collection::vec(1_u32..5_000, 0..30), budget in 0_u32..6_000) {
            let packed = pack(&sizes, Tokens(budget), |size, most| draw(*size, most));
            let spent: u32 = packed.iter().flatten().map(|form| form.tokens.0).sum();
            prop_assert!(spent <= budget);
        }
    }
}
