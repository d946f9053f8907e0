//! The string interner of the resolver: keeps every name of a project once and gives it a number, which stands for it
//! everywhere else; and a fast hash map for such numbers.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

/// A map whose keys are numbers that the resolver makes: no attacker chooses them, so a quick hash is enough.
pub(super) type QuickMap<K, V> = HashMap<K, V, BuildHasherDefault<QuickHasher>>;

/// All names, each with its number.
#[derive(Default)]
pub(super) struct NameInterner {
    texts: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, u32>,
}

impl NameInterner {
    /// The number of a name, which is new where the name was not interned before.
    pub(super) fn intern_name(&mut self, text: &str) -> u32 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let text: Arc<str> = text.into();
        let number = self.texts.len() as u32;
        self.texts.push(Arc::clone(&text));
        self.numbers.insert(text, number);
        number
    }

    /// The number of a name that is interned.
    pub(super) fn find_number(&self, text: &str) -> Option<u32> {
        self.numbers.get(text).copied()
    }

    /// How many names are interned.
    pub(super) fn len(&self) -> usize {
        self.texts.len()
    }

    pub(super) fn name_text(&self, number: u32) -> &str {
        &self.texts[number as usize]
    }
}

/// The words of a text.
pub(super) fn split_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// Multiplies and rotates: for small numbers, where a strong hash costs more than the lookup.
#[derive(Default)]
pub(super) struct QuickHasher(u64);

impl QuickHasher {
    fn mix_value(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(5) ^ value).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
}

impl Hasher for QuickHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.mix_value(u64::from(*byte));
        }
    }

    fn write_u32(&mut self, value: u32) {
        self.mix_value(u64::from(value));
    }

    fn write_u64(&mut self, value: u64) {
        self.mix_value(value);
    }

    fn write_usize(&mut self, value: usize) {
        self.mix_value(value as u64);
    }
}
