//! Opens a file by a path in which no link stands: one that was resolved and found to lie in a folder that may be read.
//! Between that look and the opening a link may have taken the place of the file or of a folder above it, so every folder
//! is opened from the one before it.

use rustix::fs::{CWD, Mode, OFlags, openat};
use std::io::{Error, ErrorKind, Result};
use std::path::{Component, Path};

/// Whether links on the way to a file are followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LinkPolicy {
    /// The place is an agent's own, which its user may have linked to another one.
    #[default]
    Follow,
    /// The path was resolved: a link in it was put there since.
    Refuse,
}

impl LinkPolicy {
    /// Opens a regular file for reading.
    pub fn open_file(self, path: &Path) -> Result<fs_err::File> {
        match self {
            Self::Follow => fs_err::File::open(path),
            Self::Refuse => open_unlinked(path),
        }
    }
}

/// Opens a regular file by an absolute path without links.
pub(crate) fn open_unlinked(path: &Path) -> Result<fs_err::File> {
    let refuse = |error: rustix::io::Errno| {
        let error = Error::from(error);
        Error::new(error.kind(), format!("failed to open file `{}`: {error}", path.display()))
    };
    let below = path.strip_prefix("/").map_err(|_relative| ErrorKind::InvalidInput)?;
    let folders = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    #[cfg(target_os = "linux")]
    let folders = folders | OFlags::PATH;
    let mut folder = openat(CWD, "/", folders, Mode::empty()).map_err(refuse)?;
    let mut parts = below.components().peekable();
    while let Some(Component::Normal(name)) = parts.next() {
        if parts.peek().is_some() {
            folder = openat(&folder, name, folders, Mode::empty()).map_err(refuse)?;
            continue;
        }
        // A pipe would otherwise be waited for.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = std::fs::File::from(openat(&folder, name, flags, Mode::empty()).map_err(refuse)?);
        if file.metadata()?.is_file() {
            return Ok(fs_err::File::from_parts(file, path));
        }
    }
    Err(Error::new(ErrorKind::InvalidInput, format!("`{}` is no regular file", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_link_in_the_place_of_a_file_or_a_folder_is_refused() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let folder = fs_err::canonicalize(directory.path()).expect("a path");
        fs_err::create_dir(folder.join("real")).expect("a folder");
        fs_err::write(folder.join("real/a.txt"), "text").expect("a file");
        symlink(folder.join("real"), folder.join("linked")).expect("a link");
        symlink(folder.join("real/a.txt"), folder.join("b.txt")).expect("a link");
        assert!(open_unlinked(&folder.join("real/a.txt")).is_ok());
        for path in ["linked/a.txt", "b.txt", "real", "gone"] {
            assert!(open_unlinked(&folder.join(path)).is_err(), "{path}");
        }
        assert!(LinkPolicy::Follow.open_file(&folder.join("linked/a.txt")).is_ok());
    }
}
