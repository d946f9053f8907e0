//! A deterministic random number generator: numbers from a seed, and further seeds derived from it by name, so that a
//! run can be repeated.

/// A source of numbers.
#[derive(Clone)]
pub(crate) struct SeededRandom(u64);

impl SeededRandom {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Another chance, the same for the same name.
    pub(crate) fn fork_named(&self, name: &str) -> Self {
        let mixed = name.bytes().fold(self.0, |seed, byte| mix_bits(seed ^ u64::from(byte)));
        Self(mixed)
    }

    fn next_number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mix_bits(self.0)
    }

    /// A number below a bound.
    pub(crate) fn number_below(&mut self, bound: u64) -> u64 {
        self.next_number() % bound.max(1)
    }

    /// One of some things.
    pub(crate) fn pick_one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.number_below(of.len() as u64) as usize]
    }
}

/// The finisher of `SplitMix64`: every bit of the input reaches every bit of the output.
fn mix_bits(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_and_name_give_the_same_numbers() {
        let numbers = |seed, name: &str| {
            let mut chance = SeededRandom::new(seed).fork_named(name);
            [chance.number_below(1_000), chance.number_below(1_000), chance.number_below(1_000)]
        };
        assert_eq!(numbers(7, "fold"), numbers(7, "fold"));
        assert_ne!(numbers(7, "fold"), numbers(8, "fold"));
        assert_ne!(numbers(7, "fold"), numbers(7, "ingest"));
    }
}
