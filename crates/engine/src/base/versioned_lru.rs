//! A small in-memory LRU cache of values by worktree and version: the graphs, catalogs, enrichments and resolvers of
//! the last few worktrees stay in it for the next question, and leave it when no question comes for a while.

use crate::base::Clock;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use store::{TreeVersion, WorktreeId};

/// How long a value stays that no question asks for. A value is loaded again in about a second, and a project that is
/// worked on is asked about more often than this.
const IDLE_LIMIT: Duration = Duration::from_mins(10);

/// The last few values, one for each worktree with the version it was made from; the least recently used comes first.
pub(crate) struct VersionedLru<T, V = TreeVersion> {
    kept: Mutex<Vec<KeptValue<T, V>>>,
    most: usize,
    clock: Arc<dyn Clock>,
}

struct KeptValue<T, V> {
    worktree: WorktreeId,
    version: V,
    value: T,
    /// When a question asked for it last.
    asked: Duration,
}

impl<T, V: Copy + PartialEq> VersionedLru<T, V> {
    pub(crate) fn new(most: usize, clock: &Arc<dyn Clock>) -> Self {
        Self { kept: Mutex::default(), most, clock: Arc::clone(clock) }
    }

    /// Removes and returns the value of a worktree, if it has this version.
    pub(crate) fn take_version(&self, worktree: &WorktreeId, version: V) -> Option<T> {
        let mut kept = self.lock_kept();
        // Removed and not cloned: a resolver is updated in place, and another task must not find it half updated.
        let at = kept.iter().position(|kept| kept.worktree == *worktree)?;
        let found = kept.remove(at);
        (found.version == version).then_some(found.value)
    }

    /// Stores a value in place of the one for this worktree.
    pub(crate) fn insert(&self, worktree: WorktreeId, version: V, value: T) {
        let mut kept = self.lock_kept();
        kept.retain(|kept| kept.worktree != worktree);
        kept.push(KeptValue { worktree, version, value, asked: self.clock.monotonic_time() });
        let excess = kept.len().saturating_sub(self.most);
        kept.drain(..excess);
    }

    /// Stores what a change of files made of the value for this worktree. No question asked for it: its time goes on, and
    /// a value that is not there any more does not come back.
    pub(crate) fn replace(&self, worktree: &WorktreeId, version: V, value: T) {
        let mut kept = self.lock_kept();
        if let Some(kept) = kept.iter_mut().find(|kept| kept.worktree == *worktree) {
            (kept.version, kept.value) = (version, value);
        }
    }

    /// Stores another form of the value for a version of this worktree, where that version is still there.
    pub(crate) fn replace_same(&self, worktree: &WorktreeId, version: V, value: T) {
        let mut kept = self.lock_kept();
        if let Some(kept) = kept.iter_mut().find(|kept| kept.worktree == *worktree && kept.version == version) {
            kept.value = value;
        }
    }

    /// Drops the value for this worktree.
    pub(crate) fn remove(&self, worktree: &WorktreeId) {
        self.lock_kept().retain(|kept| kept.worktree != *worktree);
    }

    /// Drops what no question asked for in a while; says how many values that were.
    pub(crate) fn release_idle(&self) -> usize {
        let now = self.clock.monotonic_time();
        let mut kept = self.lock_kept();
        let (stays, idle) = std::mem::take(&mut *kept)
            .into_iter()
            .partition::<Vec<_>, _>(|kept| now.saturating_sub(kept.asked) < IDLE_LIMIT);
        *kept = stays;
        // A catalog is many pieces of memory: a question must not wait until all of them are given back.
        drop(kept);
        idle.len()
    }

    fn lock_kept(&self) -> MutexGuard<'_, Vec<KeptValue<T, V>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Clone, V: Copy + PartialEq> VersionedLru<T, V> {
    /// The value of a worktree, with its version. That alone is no question.
    pub(crate) fn any_version(&self, worktree: &WorktreeId) -> Option<(V, T)> {
        let kept = self.lock_kept();
        kept.iter().find(|kept| kept.worktree == *worktree).map(|kept| (kept.version, kept.value.clone()))
    }

    /// The value for a version of a worktree, for a question.
    pub(crate) fn get(&self, worktree: &WorktreeId, version: V) -> Option<T> {
        let mut kept = self.lock_kept();
        let at = kept.iter().position(|kept| kept.worktree == *worktree && kept.version == version)?;
        let found = kept.remove(at);
        let value = found.value.clone();
        kept.push(KeptValue { asked: self.clock.monotonic_time(), ..found });
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{ProjectId, Timestamp};

    /// A clock that is set by hand, in minutes.
    #[derive(Default)]
    struct MinuteClock(Mutex<u64>);

    impl Clock for MinuteClock {
        fn now(&self) -> Timestamp {
            Timestamp(0)
        }

        fn monotonic_time(&self) -> Duration {
            Duration::from_mins(*self.0.lock().expect("held briefly"))
        }
    }

    fn worktree(number: i64) -> WorktreeId {
        WorktreeId { project: ProjectId::parse("proj_0123456789abcdef").expect("an id"), number }
    }

    fn lru_at_zero() -> (VersionedLru<&'static str, u32>, impl Fn(u64)) {
        let clock = Arc::new(MinuteClock::default());
        let lru = VersionedLru::new(2, &(Arc::clone(&clock) as Arc<dyn Clock>));
        (lru, move |minute| *clock.0.lock().expect("held briefly") = minute)
    }

    #[test]
    fn what_no_question_asks_for_is_let_go() {
        let (lru, set_minute) = lru_at_zero();
        lru.insert(worktree(1), 1, "asked");
        lru.insert(worktree(2), 1, "idle");
        set_minute(9);
        assert_eq!(lru.release_idle(), 0);
        assert_eq!(lru.get(&worktree(1), 1), Some("asked"));
        set_minute(10);
        assert_eq!(lru.release_idle(), 1);
        assert_eq!(lru.any_version(&worktree(2)), None);
        assert_eq!(lru.any_version(&worktree(1)), Some((1, "asked")));
        set_minute(19);
        assert_eq!(lru.release_idle(), 1);
    }

    #[test]
    fn a_change_of_files_is_no_question() {
        let (lru, set_minute) = lru_at_zero();
        lru.insert(worktree(1), 1, "before");
        set_minute(9);
        lru.replace(&worktree(1), 2, "after");
        assert_eq!(lru.any_version(&worktree(1)), Some((2, "after")));
        set_minute(10);
        assert_eq!(lru.release_idle(), 1);
        lru.replace(&worktree(1), 3, "again");
        assert_eq!(lru.any_version(&worktree(1)), None, "what was let go does not come back with a save");
    }
}
