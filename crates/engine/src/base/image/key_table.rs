//! `KeyTable`, a sorted table from texts to numbers that never changes and is searched by halves, in memory or in an image.

use super::{ImageFile, ImageRow, ImageWriter, SharedList};
use std::cmp::Ordering;
use std::sync::Arc;

/// Keys in their order, each with its numbers.
#[derive(Clone, Default)]
pub(crate) struct KeyTable {
    texts: SharedList<u8>,
    /// Where the text of each key ends.
    text_ends: SharedList<u32>,
    numbers: SharedList<u32>,
    /// Where the numbers of each key end.
    number_ends: SharedList<u32>,
}

impl KeyTable {
    /// How many sections of an image a table is.
    pub(crate) const SECTIONS: usize = 4;

    /// A table of keys that are each there once, in any order.
    pub(crate) fn new<K: AsRef<str>>(mut keys: Vec<(K, Vec<u32>)>) -> Self {
        keys.sort_unstable_by(|a, b| a.0.as_ref().cmp(b.0.as_ref()));
        let mut texts = Vec::with_capacity(keys.iter().map(|(key, _)| key.as_ref().len()).sum());
        let mut numbers = Vec::with_capacity(keys.iter().map(|(_, numbers)| numbers.len()).sum());
        let mut text_ends = Vec::with_capacity(keys.len());
        let mut number_ends = Vec::with_capacity(keys.len());
        for (key, its) in &keys {
            texts.extend_from_slice(key.as_ref().as_bytes());
            text_ends.push(texts.len() as u32);
            numbers.extend_from_slice(its);
            number_ends.push(numbers.len() as u32);
        }
        let (text_ends, number_ends) = (text_ends.into(), number_ends.into());
        Self { texts: texts.into(), text_ends, numbers: numbers.into(), number_ends }
    }

    /// The table in the sections of an image from one on.
    pub(crate) fn from_image(image: &Arc<ImageFile>, section: usize) -> Option<Self> {
        Some(Self {
            texts: image.rows(section)?,
            text_ends: image.rows(section + 1)?,
            numbers: image.rows(section + 2)?,
            number_ends: image.rows(section + 3)?,
        })
    }

    /// Adds its sections to an image.
    pub(crate) fn write_sections<'a>(&'a self, image: &mut ImageWriter<'a>) {
        image.add_rows(self.texts.all_rows());
        image.add_rows(self.text_ends.all_rows());
        image.add_rows(self.numbers.all_rows());
        image.add_rows(self.number_ends.all_rows());
    }

    /// How many keys there are.
    pub(crate) fn len(&self) -> usize {
        self.text_ends.len()
    }

    /// The numbers of a key.
    pub(crate) fn numbers_of(&self, key: &str) -> &[u32] {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            match self.text(middle).cmp(key.as_bytes()) {
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
                Ordering::Equal => return self.numbers(middle),
            }
        }
        &[]
    }

    /// Every key with its numbers, in order.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&str, &[u32])> {
        (0..self.len()).map(|at| (str::from_utf8(self.text(at)).unwrap_or_default(), self.numbers(at)))
    }

    fn text(&self, at: usize) -> &[u8] {
        part_of(&self.texts, &self.text_ends, at)
    }

    fn numbers(&self, at: usize) -> &[u32] {
        part_of(&self.numbers, &self.number_ends, at)
    }
}

/// What ends where `ends` says, and begins where the one before it ends.
fn part_of<'l, T: ImageRow>(all: &'l SharedList<T>, ends: &SharedList<u32>, at: usize) -> &'l [T] {
    let start = at.checked_sub(1).map_or(0, |before| ends.row(before));
    all.rows(start as usize..ends.row(at) as usize)
}
