//! The file system watcher of a project: collects the paths that changed, so that a question scans only these. An event
//! is only a hint where to look: the same walk and plan decide what changed. After too many changes at once, or lost
//! events, everything is scanned again. Where the system watches no more directories, everything is scanned from time to
//! time (`unwatched_part`). Each directory is watched by itself, and only those that the walk enters: a
//! recursive watch would include `node_modules`, and systems limit the number of watches.

mod event_barrier;
mod unwatched_part;
mod walk_scope;

pub(crate) use unwatched_part::unwatched_directories;
pub(crate) use walk_scope::WalkScope;

use crate::base::{Clock, Error, Project, Result, is_rule_file};
use crate::code::CodeContext;
use event_barrier::{BarrierResult, EventBarrier};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use store::IndexState;
use tokio::sync::{Notify, OwnedMutexGuard};
use unwatched_part::UnwatchedPart;

/// A project that is being watched; until this is dropped.
pub struct ProjectWatch {
    watched: Arc<WatchedProject>,
    debounce: Duration,
}

impl ProjectWatch {
    /// The same, that waits until nothing has changed for so long.
    #[must_use]
    pub fn with_debounce(self, debounce: Duration) -> Self {
        Self { debounce, ..self }
    }

    /// Waits until something may have changed and then stayed quiet for a moment. A caller that stops waiting loses
    /// nothing: the next wait ends for the same change.
    pub async fn wait_changed(&self) {
        let stirred = self.watched.stirred.notified();
        let wait = self.watched.unwatched().until_next();
        match wait {
            // Directories that are not watched tell nothing, so after a while something may have changed in them.
            Some(wait) => {
                if tokio::time::timeout(wait, stirred).await.is_err() {
                    return;
                }
            }
            None => stirred.await,
        }
        // The caller may drop this future while it waits for quiet; the guard then wakes the next wait.
        let told = WakeGuard { watched: &self.watched, is_taken: false };
        self.wait_quiet().await;
        told.disarm();
    }

    async fn wait_quiet(&self) {
        // A save is several events and a checkout thousands; events that follow closely are handled together.
        for _ in 0..LONGEST_STORM {
            match tokio::time::timeout(self.debounce, self.watched.stirred.notified()).await {
                Ok(()) => {}
                Err(_) => return,
            }
        }
    }
}

/// A wake-up that was received and not acted on: a wait that is dropped hands it to the next one.
struct WakeGuard<'w> {
    watched: &'w WatchedProject,
    is_taken: bool,
}

impl WakeGuard<'_> {
    fn disarm(mut self) {
        self.is_taken = true;
    }
}

impl Drop for WakeGuard<'_> {
    fn drop(&mut self) {
        if !self.is_taken {
            self.watched.stirred.notify_one();
        }
    }
}

const DEBOUNCE_INTERVAL: Duration = Duration::from_millis(10);

/// How many times in a row the wait may be extended.
const LONGEST_STORM: usize = 50;

/// With more changed places than this, a scan of everything is as quick.
const MOST_PLACES: usize = 1_000;

/// The watched projects of an engine, by their root.
#[derive(Default)]
pub(crate) struct WatchRegistry {
    by_root: Mutex<HashMap<PathBuf, Weak<WatchedProject>>>,
    /// Notified whenever an index was brought up to date.
    refreshed: Notify,
}

impl WatchRegistry {
    /// The watch on a project, if there is one that works.
    pub(crate) fn find_watch(&self, project: &Project) -> Option<Arc<WatchedProject>> {
        lock_mutex(&self.by_root)
            .get(&project.root)?
            .upgrade()
            .filter(|watched| !watched.is_given_up.load(Ordering::Relaxed))
    }

    /// Announces that the index of a project was brought up to date.
    pub(crate) fn tell_refreshed(&self) {
        self.refreshed.notify_waiters();
    }
}

/// Waits until a project has a finished index: it has one now, or a question of this engine makes it.
pub(crate) async fn wait_for_index(code: &CodeContext, project: &Project) -> Result<()> {
    let mut refreshed = pin!(code.watches.refreshed.notified());
    loop {
        // Registered before the store is asked, so that an index that is finished in between is not missed.
        refreshed.as_mut().enable();
        let worktree = code.store.open_worktree(&project.id, &project.root_text()).await?;
        if worktree.state != IndexState::NotReady {
            return Ok(());
        }
        refreshed.as_mut().await;
        refreshed.set(code.watches.refreshed.notified());
    }
}

/// One watched project.
pub(crate) struct WatchedProject {
    root: PathBuf,
    clock: Arc<dyn Clock>,
    dirty: Mutex<DirtyPaths>,
    stirred: Notify,
    turn: Arc<tokio::sync::Mutex<()>>,
    barrier: Option<EventBarrier>,
    watcher: Mutex<Option<RecommendedWatcher>>,
    directories: Mutex<HashSet<PathBuf>>,
    /// What the system refused to watch for its limit.
    unwatched: Mutex<UnwatchedPart>,
    /// Whether watching failed for another reason, so that events are incomplete.
    is_given_up: AtomicBool,
}

/// The right to bring the index of a watched project up to date, and to read it while no other task changes it.
pub(crate) type IndexLock = OwnedMutexGuard<()>;

/// Paths that were taken to be scanned and are not indexed yet: unless they get there, everything counts as changed.
pub(crate) struct DirtyGuard<'w> {
    watched: Option<&'w WatchedProject>,
}

impl DirtyGuard<'_> {
    /// The paths are indexed.
    pub(crate) fn commit(mut self) {
        if let Some(watched) = self.watched.take() {
            watched.unwatched().finish_scan(watched.clock.monotonic_time());
        }
    }
}

impl Drop for DirtyGuard<'_> {
    fn drop(&mut self) {
        if let Some(watched) = self.watched {
            watched.invalidate_all();
        }
    }
}

/// Where something may have changed.
enum DirtyPaths {
    Everywhere,
    At(HashSet<String>),
}

impl WatchedProject {
    /// No event was received yet, and everything counts as changed.
    fn new(root: &Path, clock: &Arc<dyn Clock>) -> Self {
        Self {
            root: root.to_owned(),
            clock: Arc::clone(clock),
            dirty: Mutex::new(DirtyPaths::Everywhere),
            stirred: Notify::new(),
            turn: Arc::default(),
            barrier: EventBarrier::new(),
            watcher: Mutex::new(None),
            directories: Mutex::default(),
            unwatched: Mutex::default(),
            is_given_up: AtomicBool::new(false),
        }
    }

    fn unwatched(&self) -> MutexGuard<'_, UnwatchedPart> {
        lock_mutex(&self.unwatched)
    }

    /// Gives up: from now on every question scans everything.
    pub(crate) fn give_up(&self) {
        self.is_given_up.store(true, Ordering::Relaxed);
    }

    /// The places to scan since the last call; `None` means everywhere.
    pub(crate) fn take_dirty(&self) -> Option<WalkScope> {
        let now = self.clock.monotonic_time();
        if self.unwatched().is_due(now) {
            self.invalidate_all();
        }
        let taken = std::mem::replace(&mut *lock_mutex(&self.dirty), DirtyPaths::At(HashSet::new()));
        match taken {
            DirtyPaths::Everywhere => {
                self.unwatched().start_scan(now);
                None
            }
            DirtyPaths::At(places) => {
                let within = WalkScope::new(places);
                // A removed directory has lost its watch. Once it is forgotten here, a new one at its path is watched
                // again.
                lock_mutex(&self.directories).retain(|directory| {
                    directory
                        .strip_prefix(&self.root)
                        .ok()
                        .and_then(Path::to_str)
                        .is_some_and(|path| !within.contains(path))
                });
                Some(within)
            }
        }
    }

    /// Whether no event arrived since the places were last taken, and what is not watched was scanned lately.
    pub(crate) fn is_quiet(&self) -> bool {
        !self.unwatched().is_due(self.clock.monotonic_time())
            && matches!(&*lock_mutex(&self.dirty), DirtyPaths::At(places) if places.is_empty())
    }

    /// Waits until no other task updates the index, and until every event from before this call has arrived.
    pub(crate) async fn lock_index(&self) -> IndexLock {
        // The lock comes before the barrier: saves during the wait for the lock are covered as well.
        let turn = Arc::clone(&self.turn).lock_owned().await;
        if let Some(barrier) = &self.barrier
            && barrier.sync().await == BarrierResult::Late
        {
            // Events are lost or far behind, and a scan of everything needs none of them.
            self.invalidate_all();
        }
        turn
    }

    /// Marks that the caller is about to bring the index up to date, and may fail or be cancelled.
    pub(crate) fn guard_dirty(&self) -> DirtyGuard<'_> {
        DirtyGuard { watched: Some(self) }
    }

    /// Marks everything as changed.
    pub(crate) fn invalidate_all(&self) {
        *lock_mutex(&self.dirty) = DirtyPaths::Everywhere;
    }

    /// Watches directories that the walk found, and returns whether some were new: changes in them before that are seen
    /// only by another scan.
    pub(crate) fn watch_directories(&self, directories: &[String]) -> Result<bool> {
        let mut followed = lock_mutex(&self.directories);
        let new: Vec<PathBuf> =
            directories.iter().map(|path| self.root.join(path)).filter(|path| !followed.contains(path)).collect();
        let mut watcher = lock_mutex(&self.watcher);
        let Some(watcher) = watcher.as_mut().filter(|_| !new.is_empty()) else { return Ok(false) };
        for (number, path) in new.iter().enumerate() {
            match watcher.watch(path, RecursiveMode::NonRecursive) {
                Ok(()) => drop(followed.insert(path.clone())),
                // The directory was removed in the meantime, which an event of its parent reports.
                Err(error) if is_gone(&error) => {}
                // The rest is refused as well. Directories that are watched still tell of changes.
                Err(error) if matches!(error.kind, notify::ErrorKind::MaxFilesWatch) => {
                    self.unwatched().set_directories(new.len() - number);
                    return Ok(false);
                }
                Err(error) => return Err(watch_error(&error)),
            }
        }
        Ok(true)
    }

    fn handle_event(&self, event: notify::Result<Event>) {
        // The queue of the system overflowed, or a watch failed: any file may have changed.
        let Some(event) = event.ok().filter(|event| !event.need_rescan()) else {
            self.invalidate_all();
            // The barrier's event may be among the lost ones, and no question may wait for it.
            self.barrier.iter().for_each(EventBarrier::complete_sync);
            return self.stirred.notify_one();
        };
        if let Some(barrier) = self.barrier.as_ref().filter(|barrier| event.paths.contains(&barrier.path)) {
            return barrier.complete_sync();
        }
        // Reading a file changes nothing, and every scan of ours reads some.
        if matches!(event.kind, EventKind::Access(_)) {
            return;
        }
        let mut dirty = lock_mutex(&self.dirty);
        for path in event.paths {
            let name = path.file_name().and_then(|name| name.to_str());
            let inside = path.strip_prefix(&self.root).ok().and_then(Path::to_str);
            match (&mut *dirty, inside) {
                // An event of the root itself, or of a path that is not UTF-8, does not say where to look.
                (_, Some("") | None) => *dirty = DirtyPaths::Everywhere,
                _ if name.is_some_and(is_rule_file) => *dirty = DirtyPaths::Everywhere,
                (DirtyPaths::At(places), Some(inside)) => {
                    places.insert(inside.to_owned());
                    if places.len() > MOST_PLACES {
                        *dirty = DirtyPaths::Everywhere;
                    }
                }
                (DirtyPaths::Everywhere, _) => {}
            }
        }
        drop(dirty);
        self.stirred.notify_one();
    }
}

/// Starts watching a project.
pub(crate) fn start_watch(code: &CodeContext, project: &Project) -> Result<ProjectWatch> {
    let watched = Arc::new(WatchedProject::new(&project.root, &code.clock));
    // Weak, because `watched` owns the watcher that owns this closure.
    let ear = Arc::downgrade(&watched);
    let mut listener = notify::recommended_watcher(move |event| {
        if let Some(watched) = ear.upgrade() {
            watched.handle_event(event);
        }
    })
    .map_err(|error| watch_error(&error))?;
    // Only a barrier whose watch works is tried out; without that no question waits for it.
    if let Some(barrier) = &watched.barrier
        && listener.watch(&barrier.path, RecursiveMode::NonRecursive).is_ok()
    {
        barrier.try_out();
    }
    *lock_mutex(&watched.watcher) = Some(listener);
    // The first scan is of everything, and watches every directory.
    watched.stirred.notify_one();
    let mut all = lock_mutex(&code.watches.by_root);
    // A watch that has ended leaves its entry behind.
    all.retain(|_, watched| watched.strong_count() > 0);
    // Weak, because the caller's `ProjectWatch` decides how long the watch lasts.
    all.insert(project.root.clone(), Arc::downgrade(&watched));
    Ok(ProjectWatch { watched, debounce: DEBOUNCE_INTERVAL })
}

fn is_gone(error: &notify::Error) -> bool {
    match &error.kind {
        notify::ErrorKind::PathNotFound => true,
        notify::ErrorKind::Io(error) => error.kind() == std::io::ErrorKind::NotFound,
        notify::ErrorKind::Generic(_)
        | notify::ErrorKind::WatchNotFound
        | notify::ErrorKind::InvalidConfig(_)
        | notify::ErrorKind::MaxFilesWatch => false,
    }
}

fn watch_error(error: &notify::Error) -> Error {
    let hint = matches!(error.kind, notify::ErrorKind::MaxFilesWatch).then(|| LIMIT_HINT.to_owned());
    Error::Watch { reason: error.to_string(), hint }
}

const LIMIT_HINT: &str = "raise fs.inotify.max_user_watches, or leave out directories with index.ignore";

fn lock_mutex<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Timestamp;
    use notify::event::Flag;

    struct StoppedClock;

    impl Clock for StoppedClock {
        fn now(&self) -> Timestamp {
            Timestamp(0)
        }

        fn monotonic_time(&self) -> Duration {
            Duration::ZERO
        }
    }

    fn watch_nothing() -> WatchedProject {
        WatchedProject::new(Path::new("/project"), &(Arc::new(StoppedClock) as Arc<dyn Clock>))
    }

    #[tokio::test]
    async fn where_the_system_lost_count_everything_is_in_doubt_and_nobody_waits() {
        let watched = watch_nothing();
        watched.take_dirty();
        let lost = || Ok(Event::new(EventKind::Other).set_flag(Flag::Rescan));
        watched.handle_event(lost());
        assert!(watched.take_dirty().is_none());
        if let Some(barrier) = &watched.barrier {
            let (result, ()) = tokio::join!(barrier.sync(), async { watched.handle_event(lost()) });
            assert_eq!((result, watched.take_dirty().is_none()), (BarrierResult::Arrived, true));
        }
        watched.handle_event(Ok(Event::new(EventKind::Any).add_path(PathBuf::from("/project/a.py"))));
        assert!(watched.take_dirty().is_some_and(|within| within.contains("a.py") && !within.contains("b.py")));
    }

    #[test]
    fn what_was_taken_and_given_up_is_looked_for_everywhere() {
        let watched = watch_nothing();
        watched.take_dirty();
        watched.guard_dirty().commit();
        assert!(watched.is_quiet());
        drop(watched.guard_dirty());
        assert!(watched.take_dirty().is_none());
    }
}
