//! `count_tokens` and `TokenCount`: counts language-model tokens by the o200k vocabulary, for token budgets: a real
//! count, not characters divided by a constant.

mod character_class;
mod counter;
mod merge;
mod pair_table;
mod pieces;
#[cfg(test)]
mod reference_tests;

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

/// A number of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct TokenCount(pub u32);

impl TokenCount {
    /// What is left of a budget after `other` is spent; zero when it is overspent.
    pub fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Add for TokenCount {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for TokenCount {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for TokenCount {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::default(), Add::add)
    }
}

impl fmt::Display for TokenCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Counts the tokens of `text`. Nothing is unpacked for that, and the time grows as the text does.
pub fn count_tokens(text: &str) -> TokenCount {
    TokenCount(u32::try_from(counter::count_text(text)).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_those_of_the_vocabulary() {
        assert_eq!(count_tokens(""), TokenCount(0));
        assert_eq!(count_tokens("hello world"), TokenCount(2));
        assert_eq!(count_tokens("fn main() { println!(\"hi\"); }"), TokenCount(9));
    }

    #[test]
    fn a_budget_never_goes_below_zero() {
        assert_eq!(TokenCount(3).saturating_sub(TokenCount(5)), TokenCount(0));
    }
}
