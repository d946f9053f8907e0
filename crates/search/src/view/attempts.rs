//! `Attempts`, a bounded retry counter for optimistic reads of a store that others write to.

/// Attempts at reading something that others may write to.
#[derive(Debug)]
pub struct Attempts {
    left: usize,
}

/// The first and four more: who writes without a pause would keep a reader for ever.
const MAX_ATTEMPTS: usize = 5;

impl Default for Attempts {
    fn default() -> Self {
        Self { left: MAX_ATTEMPTS }
    }
}

impl Attempts {
    /// Whether there is another attempt after one that came to nothing.
    pub fn try_again(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        self.left > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_end() {
        let mut attempts = Attempts::default();
        assert_eq!((1..99).take_while(|_| attempts.try_again()).count(), MAX_ATTEMPTS - 1);
        assert!(!attempts.try_again());
    }
}
