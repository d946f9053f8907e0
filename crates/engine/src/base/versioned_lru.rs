//! The last few values that were made for versions of worktrees, kept in memory until the next question.

use std::sync::{Mutex, PoisonError};
use store::{TreeVersion, WorktreeId};

/// The last few of something, one for each worktree with what it was made from, the one used last at the end.
pub(crate) struct VersionedLru<T, V = TreeVersion> {
    kept: Mutex<Vec<(WorktreeId, V, T)>>,
    most: usize,
}

impl<T, V: Copy + PartialEq> VersionedLru<T, V> {
    pub(crate) fn new(most: usize) -> Self {
        Self { kept: Mutex::default(), most }
    }

    /// Takes away what is kept for a worktree, where it is of this version.
    pub(crate) fn take_version(&self, worktree: &WorktreeId, version: V) -> Option<T> {
        self.take_any(worktree).filter(|(of, _)| *of == version).map(|(_, found)| found)
    }

    /// Takes away what is kept for a worktree, of whatever version.
    pub(crate) fn take_any(&self, worktree: &WorktreeId) -> Option<(V, T)> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|(of, ..)| of == worktree)?;
        let (_, of, found) = kept.remove(at);
        Some((of, found))
    }

    /// Keeps something in the place of what there is for this worktree.
    pub(crate) fn insert(&self, worktree: WorktreeId, version: V, it: T) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(of, ..)| *of != worktree);
        kept.push((worktree, version, it));
        let excess = kept.len().saturating_sub(self.most);
        kept.drain(..excess);
    }
}

impl<T: Clone, V: Copy + PartialEq> VersionedLru<T, V> {
    /// What is kept for a worktree, with the version it is of.
    pub(crate) fn any_version(&self, worktree: &WorktreeId) -> Option<(V, T)> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|(of, ..)| of == worktree).map(|(_, of, it)| (*of, it.clone()))
    }

    /// What is kept for a version of a worktree.
    pub(crate) fn get(&self, worktree: &WorktreeId, version: V) -> Option<T> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|(of, at, _)| of == worktree && *at == version)?;
        let found = kept.remove(at);
        let it = found.2.clone();
        kept.push(found);
        Some(it)
    }
}
