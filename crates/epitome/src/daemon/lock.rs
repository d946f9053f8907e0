//! The lock file that makes the daemon the only one of its state directory, and the check whether the program it runs
//! was replaced. The lock ends with the process, however that ends; its holder may replace the socket of a daemon that
//! was killed.

use fs_err as fs;
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Held by the one daemon of a state directory.
#[derive(Debug)]
pub(crate) struct DaemonLock {
    path: PathBuf,
    lock: File,
    /// The program, and which file that was at the beginning.
    program: Option<(PathBuf, ProgramIdentity)>,
}

/// Which file it is, whatever it is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ProgramIdentity {
    device: u64,
    inode: u64,
    changed: i64,
}

impl ProgramIdentity {
    fn from_metadata(metadata: &Metadata) -> Self {
        Self { device: metadata.dev(), inode: metadata.ino(), changed: metadata.mtime_nsec() ^ metadata.mtime() }
    }
}

impl DaemonLock {
    /// Takes the post; none where another process has it.
    pub(crate) fn try_acquire(state: &Path) -> io::Result<Option<Self>> {
        crate::atomic::create_private_folder(state)?;
        let path = state.join("daemon.lock");
        let lock: File = fs::OpenOptions::new().create(true).append(true).open(&path)?.into();
        // The lock ends with its process, so one that is taken always means a living daemon.
        if lock.try_lock().is_err() {
            return Ok(None);
        }
        let program = std::env::current_exe().ok();
        let program = program.and_then(|path| Some((ProgramIdentity::from_metadata(&fs::metadata(&path).ok()?), path)));
        Ok(Some(Self { path, lock, program: program.map(|(identity, path)| (path, identity)) }))
    }

    /// Whether there is still a point in staying: the lock is what others would try to take, and the program is what
    /// others would start.
    pub(super) fn is_held(&self) -> bool {
        let inode = |metadata: Metadata| (metadata.dev(), metadata.ino());
        let ours = self.lock.metadata().map(inode).ok();
        // The state directory may have been deleted and made anew; others then lock another file than this process
        // holds.
        let is_lock = ours.is_some() && fs::metadata(&self.path).map(inode).ok() == ours;
        let is_program = self.program.as_ref().is_none_or(|(path, identity)| {
            // After an update the file of the program is another one: hooks should get a daemon of the new version.
            fs::metadata(path).is_ok_and(|now| ProgramIdentity::from_metadata(&now) == *identity)
        });
        is_lock && is_program
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_post_has_one_holder_and_is_lost_with_its_place() {
        let state = tempfile::tempdir().expect("a temporary directory");
        let post = DaemonLock::try_acquire(state.path()).expect("a lock").expect("nobody has it");
        assert!(post.is_held());
        assert!(DaemonLock::try_acquire(state.path()).expect("a lock").is_none());
        fs::remove_file(state.path().join("daemon.lock")).expect("it is there");
        assert!(!post.is_held());
        let other = DaemonLock::try_acquire(state.path()).expect("a lock").expect("the old one is of another file");
        assert!(other.is_held() && !post.is_held());
        drop(other);
        assert!(DaemonLock::try_acquire(state.path()).expect("a lock").is_some());
    }
}
