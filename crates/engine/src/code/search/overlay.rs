//! Copy-on-write collections, `OverlayVec` and `OverlayMap`, of a shared base and an addition: a clone shares the base
//! and copies the addition alone, so that successive catalogs share their data.

use crate::base::image::{ImageRow, SharedList};
use foldhash::{HashMap, HashMapExt};
use std::borrow::Borrow;
use std::hash::Hash;
use std::ops::Range;
use std::sync::Arc;

/// A list that only grows. Its base may lie in a mapped image.
#[derive(Clone)]
pub(super) struct OverlayVec<T> {
    from_start: SharedList<T>,
    since: Vec<T>,
}

impl<T> Default for OverlayVec<T> {
    fn default() -> Self {
        Self { from_start: SharedList::default(), since: Vec::new() }
    }
}

impl<T: ImageRow> OverlayVec<T> {
    /// A list that begins with a base.
    pub(super) fn from_base(from_start: SharedList<T>) -> Self {
        Self { from_start, since: Vec::new() }
    }

    /// The base.
    pub(super) fn base(&self) -> &SharedList<T> {
        &self.from_start
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.from_start.len() + self.since.len()
    }

    pub(super) fn push(&mut self, it: T) {
        self.since.push(it);
    }

    pub(super) fn extend(&mut self, these: impl IntoIterator<Item = T>) {
        self.since.extend(these);
    }

    /// One item.
    #[inline]
    pub(super) fn at(&self, at: usize) -> T {
        match at.checked_sub(self.from_start.len()) {
            None => self.from_start.row(at),
            Some(at) => self.since[at],
        }
    }

    /// A range that was added at once: callers never add a part of it before and a part after `freeze_base`.
    #[inline]
    pub(super) fn slice(&self, Range { start, end }: Range<usize>) -> &[T] {
        match start.checked_sub(self.from_start.len()) {
            Some(start) if !self.since.is_empty() => &self.since[start..end - self.from_start.len()],
            _ => self.from_start.rows(start..end),
        }
    }

    /// Turns everything in a new list into its base.
    pub(super) fn freeze_base(&mut self) {
        // Frozen twice, the base would have to be copied while older catalogs still share it.
        debug_assert!(self.from_start.len() == 0, "a list begins once");
        self.since.shrink_to_fit();
        self.from_start = std::mem::take(&mut self.since).into();
    }
}

/// A table that only grows.
#[derive(Clone, Debug)]
pub(super) struct OverlayMap<K, V> {
    from_start: Arc<HashMap<K, V>>,
    since: HashMap<K, V>,
}

impl<K, V> Default for OverlayMap<K, V> {
    fn default() -> Self {
        Self { from_start: Arc::default(), since: HashMap::new() }
    }
}

impl<K: Hash + Eq, V> OverlayMap<K, V> {
    /// The values of a key: in the base, and in the addition.
    pub(super) fn base_and_delta<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> [Option<&V>; 2]
    where
        K: Borrow<Q>,
    {
        [self.from_start.get(key), self.since.get(key)]
    }

    /// The newest value of a key.
    pub(super) fn find_newest<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        // The addition shadows the base: a path that came back has its new number there.
        let [first, since] = self.base_and_delta(key);
        since.or(first)
    }

    /// The addition, to be changed.
    pub(super) fn delta_mut(&mut self) -> &mut HashMap<K, V> {
        &mut self.since
    }

    /// Turns everything in a new table into its base.
    pub(super) fn freeze_base(&mut self) {
        // As with lists: the base is shared and never changes.
        debug_assert!(self.from_start.is_empty(), "a table begins once");
        self.since.shrink_to_fit();
        self.from_start = Arc::new(std::mem::take(&mut self.since));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_handed_on_grows_by_itself() {
        let mut list: OverlayVec<u32> = OverlayVec::default();
        list.extend([1, 2]);
        list.freeze_base();
        let mut one = list.clone();
        let mut other = list;
        one.push(3);
        other.extend([4, 5]);
        let told = |list: &OverlayVec<u32>| (0..list.len()).map(|at| list.at(at)).collect::<Vec<_>>();
        assert_eq!((told(&one), told(&other)), (vec![1, 2, 3], vec![1, 2, 4, 5]));
        assert_eq!((other.at(1), other.at(2), other.slice(0..2), other.slice(2..4)), (2, 4, &[1, 2][..], &[4, 5][..]));
        assert_eq!((one.slice(3..3), OverlayVec::<u32>::default().slice(0..0)), (&[][..], &[][..]));
        let mut table: OverlayMap<&str, u32> = OverlayMap::default();
        table.delta_mut().insert("a", 1);
        table.freeze_base();
        let mut next = table.clone();
        next.delta_mut().insert("a", 2);
        assert_eq!((next.base_and_delta("a"), next.find_newest("a")), ([Some(&1), Some(&2)], Some(&2)));
        assert_eq!((table.find_newest("a"), table.find_newest("b")), (Some(&1), None));
    }
}
