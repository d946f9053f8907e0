//! `Money`, an amount in millionths of a US dollar for the ledger: whole numbers, so that sums are exact however many
//! there are.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Neg, Sub};

/// An amount of money, in millionths of a US dollar. Signed: what was booked too high is booked back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Money(pub i64);

impl Money {
    /// The nearest amount to so many dollars; nothing for what is no number.
    pub fn from_dollars(dollars: f64) -> Self {
        Self((dollars * 1e6).round() as i64)
    }

    /// The amount in dollars, for people and programs to read; never to count with.
    pub fn to_dollars(self) -> f64 {
        self.0 as f64 / 1e6
    }
}

impl Add for Money {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sub for Money {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Neg for Money {
    type Output = Self;
    fn neg(self) -> Self {
        Self(self.0.saturating_neg())
    }
}

impl AddAssign for Money {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Money {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::default(), Add::add)
    }
}

impl fmt::Display for Money {
    /// Cents, and as many digits more as there are.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let dollars = self.0.unsigned_abs() / 1_000_000;
        let millionths = self.0.unsigned_abs() % 1_000_000;
        let digits = format!("{millionths:06}");
        let kept = digits.trim_end_matches('0').len().max(2);
        write!(f, "{sign}${dollars}.{}", &digits[..kept])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_reads_as_dollars() {
        let rows = [
            (0, "$0.00"),
            (1, "$0.000001"),
            (1_500_000, "$1.50"),
            (-2_000_120, "-$2.00012"),
            (i64::MIN, "-$9223372036854.775808"),
        ];
        for (millionths, expected) in rows {
            assert_eq!(Money(millionths).to_string(), expected);
        }
    }

    #[test]
    fn dollars_become_the_nearest_amount() {
        for (dollars, expected) in [(0.1, 100_000), (5.0, 5_000_000), (0.000_000_4, 0), (f64::NAN, 0)] {
            assert_eq!(Money::from_dollars(dollars), Money(expected), "{dollars}");
        }
    }
}
