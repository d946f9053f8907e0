//! An index from texts (terms, names, paths) to numbers: a sorted table for the base, which may lie in a mapped image,
//! and a map for what was added since.

use crate::base::image::{ImageWriter, KeyTable};
use foldhash::HashMap;

#[derive(Clone, Default)]
pub(super) struct KeyIndex {
    from_start: KeyTable,
    since: HashMap<Box<str>, Vec<u32>>,
}

impl KeyIndex {
    /// An index that begins with a base.
    pub(super) fn from_base(from_start: KeyTable) -> Self {
        Self { from_start, since: HashMap::default() }
    }

    /// Adds the sections of the base to an image.
    pub(super) fn write_base<'a>(&'a self, image: &mut ImageWriter<'a>) {
        self.from_start.write_sections(image);
    }

    /// Adds a number to a key.
    pub(super) fn add_number(&mut self, key: &str, number: u32) {
        match self.since.get_mut(key) {
            Some(numbers) => numbers.push(number),
            None => drop(self.since.insert(key.into(), vec![number])),
        }
    }

    /// The numbers of a key, those of the base first.
    pub(super) fn numbers_of(&self, key: &str) -> impl Iterator<Item = u32> {
        let since = self.since.get(key).map_or(&[][..], Vec::as_slice);
        self.from_start.numbers_of(key).iter().chain(since).copied()
    }

    /// The number that a key got last.
    pub(super) fn newest_number(&self, key: &str) -> Option<u32> {
        let since = self.since.get(key).and_then(|numbers| numbers.last());
        since.or_else(|| self.from_start.numbers_of(key).last()).copied()
    }

    /// Every key with its numbers; one that was added to since the base comes twice.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&str, &[u32])> {
        let since = self.since.iter().map(|(key, numbers)| (&**key, numbers.as_slice()));
        self.from_start.entries().chain(since)
    }

    /// Turns everything in a new index into its base.
    pub(super) fn freeze_base(&mut self) {
        // As with lists: the base is shared and never changes.
        debug_assert!(self.from_start.len() == 0, "an index begins once");
        self.from_start = KeyTable::new(std::mem::take(&mut self.since).into_iter().collect());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_added_stands_behind_the_base() {
        let mut index = KeyIndex::default();
        for (key, number) in [("b", 1), ("", 2), ("b", 3), ("ä", 4)] {
            index.add_number(key, number);
        }
        index.freeze_base();
        index.add_number("b", 5);
        index.add_number("c", 6);
        let all = |key: &str| index.numbers_of(key).collect::<Vec<_>>();
        assert_eq!(
            (all("b"), all(""), all("ä"), all("c"), all("x")),
            (vec![1, 3, 5], vec![2], vec![4], vec![6], vec![])
        );
        assert_eq!(
            (index.newest_number("b"), index.newest_number("ä"), index.newest_number("x")),
            (Some(5), Some(4), None)
        );
        let mut entries: Vec<(&str, &[u32])> = index.entries().collect();
        entries.sort_unstable();
        assert_eq!(entries, [("", &[2][..]), ("b", &[1, 3]), ("b", &[5]), ("c", &[6]), ("ä", &[4])]);
    }
}
