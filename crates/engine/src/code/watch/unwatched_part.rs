//! Decides when a project is scanned that has more directories than the system watches. A scan of everything before each
//! question would make questions slow, so at most a part of the time is spent on scans: a change in a directory that is
//! not watched is found a little later.

use crate::base::{Project, Result};
use crate::code::CodeContext;
use std::collections::HashSet;
use std::time::Duration;

/// A question scans everything again when this many times the duration of the last scan has passed.
const QUESTION_SHARE: u32 = 10;

/// The same for the background, which should use little of a machine on which nothing happens.
const BACKGROUND_SHARE: u32 = 50;

/// The system's limit of watches, of each user.
const LIMIT_FILE: &str = "/proc/sys/fs/inotify/max_user_watches";

/// The directories of a project that are not watched, and the last scan of everything, by monotonic time.
#[derive(Debug, Default)]
pub(super) struct UnwatchedPart {
    directories: usize,
    started: Option<Duration>,
    last: Option<(Duration, Duration)>,
}

impl UnwatchedPart {
    /// How many directories the system refused to watch.
    pub(super) fn set_directories(&mut self, directories: usize) {
        self.directories = directories;
    }

    /// A scan of everything begins.
    pub(super) fn start_scan(&mut self, now: Duration) {
        self.started = Some(now);
    }

    /// What was found is indexed.
    pub(super) fn finish_scan(&mut self, now: Duration) {
        if let Some(started) = self.started.take() {
            self.last = Some((now, now.saturating_sub(started)));
        }
    }

    /// Whether a question has to scan everything.
    pub(super) fn is_due(&self, now: Duration) -> bool {
        let is_fresh = |(at, took): (Duration, Duration)| now.saturating_sub(at) < took * QUESTION_SHARE;
        self.directories > 0 && !self.last.is_some_and(is_fresh)
    }

    /// How long to wait before the background scans everything; none where all directories are watched.
    pub(super) fn until_next(&self) -> Option<Duration> {
        let (_, took) = self.last?;
        (self.directories > 0).then(|| took * BACKGROUND_SHARE)
    }
}

/// How many directories of an indexed project are beyond the system's limit of watches, and that limit; none where it
/// suffices or is not known.
pub(crate) async fn unwatched_directories(code: &CodeContext, project: &Project) -> Result<Option<(u64, u64)>> {
    let limit = fs_err::read_to_string(LIMIT_FILE).ok().and_then(|text| text.trim().parse::<u64>().ok());
    let Some(limit) = limit else { return Ok(None) };
    let worktree = code.store.open_worktree(&project.id, &project.root_text()).await?.id;
    // A directory is known by its files, so fewer files are fewer directories.
    if code.store.code_totals(&worktree).await?.files <= limit {
        return Ok(None);
    }
    let files = code.store.worktree_files(&worktree).await?;
    let directories: HashSet<&str> = files.iter().filter_map(|file| Some(file.path.rsplit_once('/')?.0)).collect();
    Ok((directories.len() as u64).checked_sub(limit).filter(|more| *more > 0).map(|more| (more, limit)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scans_take_at_most_a_part_of_the_time() {
        let start = Duration::from_mins(1);
        let at = |millis: u64| start + Duration::from_millis(millis);
        let mut part = UnwatchedPart::default();
        assert_eq!((part.is_due(start), part.until_next()), (false, None));
        part.set_directories(7);
        assert!(part.is_due(start));
        part.start_scan(at(0));
        part.finish_scan(at(100));
        assert_eq!((part.is_due(at(1_099)), part.is_due(at(1_100))), (false, true));
        assert_eq!(part.until_next(), Some(Duration::from_secs(5)));
        part.set_directories(0);
        assert_eq!((part.is_due(at(9_999)), part.until_next()), (false, None));
    }
}
