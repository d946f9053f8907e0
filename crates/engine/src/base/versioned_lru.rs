//! A small in-memory LRU cache of values by worktree and version: the graphs, catalogs, enrichments and resolvers of
//! the last few worktrees stay in it for the next question.

use std::sync::{Mutex, PoisonError};
use store::{TreeVersion, WorktreeId};

/// The last few values, one for each worktree with the version it was made from; the least recently used comes first.
pub(crate) struct VersionedLru<T, V = TreeVersion> {
    kept: Mutex<Vec<(WorktreeId, V, T)>>,
    most: usize,
}

impl<T, V: Copy + PartialEq> VersionedLru<T, V> {
    pub(crate) fn new(most: usize) -> Self {
        Self { kept: Mutex::default(), most }
    }

    /// Removes and returns the value of a worktree, if it has this version.
    pub(crate) fn take_version(&self, worktree: &WorktreeId, version: V) -> Option<T> {
        self.take_any(worktree).filter(|(of, _)| *of == version).map(|(_, found)| found)
    }

    /// Removes and returns the value of a worktree, of any version.
    pub(crate) fn take_any(&self, worktree: &WorktreeId) -> Option<(V, T)> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        // Removed and not cloned: a resolver is updated in place, and another task must not find it half updated.
        let at = kept.iter().position(|(of, ..)| of == worktree)?;
        let (_, of, found) = kept.remove(at);
        Some((of, found))
    }

    /// Stores a value in place of the one for this worktree.
    pub(crate) fn insert(&self, worktree: WorktreeId, version: V, it: T) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(of, ..)| *of != worktree);
        kept.push((worktree, version, it));
        let excess = kept.len().saturating_sub(self.most);
        kept.drain(..excess);
    }
}

impl<T: Clone, V: Copy + PartialEq> VersionedLru<T, V> {
    /// The value of a worktree, with its version.
    pub(crate) fn any_version(&self, worktree: &WorktreeId) -> Option<(V, T)> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|(of, ..)| of == worktree).map(|(_, of, it)| (*of, it.clone()))
    }

    /// The value for a version of a worktree.
    pub(crate) fn get(&self, worktree: &WorktreeId, version: V) -> Option<T> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|(of, at, _)| of == worktree && *at == version)?;
        let found = kept.remove(at);
        let it = found.2.clone();
        kept.push(found);
        Some(it)
    }
}
