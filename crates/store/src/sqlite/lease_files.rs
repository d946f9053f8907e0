//! `LeaseFiles`: locked files beside the canonical SQLite database, one for each lease that is held. The system ends a
//! lock with the process that holds it, however that ends, so a dead holder keeps no process waiting.

use crate::private_folder::make_private;
use fs_err as fs;
use fs_err::os::unix::fs::OpenOptionsExt as _;
use std::fs::{File, Metadata, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;

#[derive(Clone)]
pub(super) struct LeaseFiles {
    root: PathBuf,
}

/// A lock that is held until this is dropped.
pub(super) struct LeaseLock {
    path: PathBuf,
    _file: File,
}

impl LeaseFiles {
    pub(super) fn new(root: PathBuf) -> Self {
        Self { root }
    }

    /// Takes the lock of a name; none while another handle has it.
    pub(super) fn try_lock(&self, name: &str) -> io::Result<Option<LeaseLock>> {
        make_private(&self.root)?;
        let path = self.root.join(format!("{name}.lock"));
        loop {
            let file: File = fs::OpenOptions::new().create(true).append(true).mode(0o600).open(&path)?.into();
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(error),
            }
            // The holder before removes its file before it lets go: what was opened in between is no longer what others
            // would open.
            if fs::metadata(&path).is_ok_and(|now| file.metadata().is_ok_and(|ours| is_same(&now, &ours))) {
                return Ok(Some(LeaseLock { path, _file: file }));
            }
        }
    }
}

impl Drop for LeaseLock {
    fn drop(&mut self) {
        // Still locked here, so no other process can hold the file that goes. One that stays does no harm.
        if let Err(error) = fs::remove_file(&self.path) {
            tracing::debug!(%error, "the file of a lease stays");
        }
    }
}

fn is_same(one: &Metadata, other: &Metadata) -> bool {
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_has_one_holder_and_leaves_nothing_behind() {
        let home = tempfile::tempdir().expect("a temporary directory");
        let files = LeaseFiles::new(home.path().join("leases"));
        let lock = files.try_lock("a").expect("locks").expect("nobody has it");
        assert!(files.try_lock("a").expect("asks").is_none());
        assert!(files.try_lock("b").expect("asks").is_some());
        drop(lock);
        assert_eq!(fs::read_dir(home.path().join("leases")).expect("reads").count(), 0);
        assert!(files.try_lock("a").expect("asks").is_some());
    }

    #[test]
    fn of_many_at_once_one_has_it() {
        let home = tempfile::tempdir().expect("a temporary directory");
        let files = LeaseFiles::new(home.path().join("leases"));
        let holders = std::sync::atomic::AtomicU32::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        if let Some(_lock) = files.try_lock("a").expect("asks") {
                            let before = holders.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                            assert_eq!(before, 0, "two have it");
                            std::thread::yield_now();
                            holders.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
                        }
                    }
                });
            }
        });
    }
}
