//! Opens files of a project without following any link on the way. A path that was looked at before it is opened may
//! lead elsewhere by then: whoever can write to the project can put a link in the place of a file or of a folder at any
//! moment. So every folder is opened from the one before it, and what was opened is what is read.

use rustix::fs::{AtFlags, CWD, Mode, OFlags, mkdirat, openat, renameat, unlinkat};
use std::fs::File;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Component, Path};

/// How a folder on the way is opened; where the system can, without the right to list it.
#[cfg(target_os = "linux")]
const FOLDER_FLAGS: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
#[cfg(not(target_os = "linux"))]
const FOLDER_FLAGS: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
/// A pipe would otherwise be waited for.
const FILE_FLAGS: OFlags = OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);

/// What stands at a path below a root, opened for reading: a file, a folder, or something else. A path with a link in it
/// is refused as [`ErrorKind::NotADirectory`].
pub(crate) fn open_entry(root: &Path, path: &Path) -> io::Result<File> {
    let refuse = |error: rustix::io::Errno| {
        let (kind, reason) = match error {
            rustix::io::Errno::LOOP | rustix::io::Errno::NOTDIR => {
                (ErrorKind::NotADirectory, "a link or a file stands in its way".to_owned())
            }
            error => (io::Error::from(error).kind(), io::Error::from(error).to_string()),
        };
        io::Error::new(kind, format!("failed to open file `{}`: {reason}", root.join(path).display()))
    };
    // The root is what the user named, however it is reached.
    let mut folder = openat(CWD, root, FOLDER_FLAGS, Mode::empty()).map_err(refuse)?;
    let mut parts = path.components().peekable();
    while let Some(part) = parts.next() {
        // What is above a root is not below it.
        let Component::Normal(name) = part else { break };
        if parts.peek().is_none() {
            return Ok(File::from(openat(&folder, name, FILE_FLAGS, Mode::empty()).map_err(refuse)?));
        }
        folder = openat(&folder, name, FOLDER_FLAGS | OFlags::NOFOLLOW, Mode::empty()).map_err(refuse)?;
    }
    Err(io::Error::new(ErrorKind::InvalidInput, format!("`{}` is no path below a folder", path.display())))
}

/// The same for a regular file, and nothing else.
pub(crate) fn open_file(root: &Path, path: &Path) -> io::Result<File> {
    let file = open_entry(root, path)?;
    if file.metadata()?.is_file() {
        return Ok(file);
    }
    Err(io::Error::new(ErrorKind::InvalidInput, format!("`{}` is no regular file", path.display())))
}

/// All bytes of a regular file.
pub(crate) fn read_file(root: &Path, path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_file(root, path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Writes a file of a folder below a root, whole or not at all, and makes the folders on the way that are missing.
pub(crate) fn write_file(root: &Path, folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    let refuse = |error: rustix::io::Errno| {
        let why = io::Error::from(error);
        let path = root.join(folder).join(name);
        io::Error::new(why.kind(), format!("failed to write file `{}`: {why}", path.display()))
    };
    let mut at = openat(CWD, root, FOLDER_FLAGS, Mode::empty()).map_err(refuse)?;
    for part in folder.components() {
        let Component::Normal(part) = part else {
            return Err(io::Error::new(ErrorKind::InvalidInput, "no path below a folder"));
        };
        match mkdirat(&at, part, Mode::from_bits_truncate(0o777)) {
            Ok(()) | Err(rustix::io::Errno::EXIST) => {}
            Err(error) => return Err(refuse(error)),
        }
        // A link in its place is refused, so that nothing is written outside.
        at = openat(&at, part, FOLDER_FLAGS | OFlags::NOFOLLOW, Mode::empty()).map_err(refuse)?;
    }
    let beside = format!(".{name}.new");
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    // What an earlier writer left behind when it was killed.
    let _ = unlinkat(&at, &*beside, AtFlags::empty());
    let mut file = File::from(openat(&at, &*beside, flags, Mode::from_bits_truncate(0o666)).map_err(refuse)?);
    file.write_all(bytes)?;
    drop(file);
    renameat(&at, &*beside, &at, name).map_err(refuse)
}

/// The names in a folder that was opened.
pub(crate) fn list_names(folder: &File) -> Vec<String> {
    let entries = rustix::fs::Dir::read_from(folder).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| name != "." && name != "..").collect()
}

/// The names at the root itself.
pub(crate) fn list_root(root: &Path) -> Vec<String> {
    let entries = fs_err::read_dir(root).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn no_link_is_followed_wherever_it_stands() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let (root, outside) = (directory.path().join("project"), directory.path().join("outside"));
        for folder in [root.join("real/deep"), outside.join("deep")] {
            fs_err::create_dir_all(&folder).expect("a folder");
            fs_err::write(folder.join("a.txt"), "text").expect("a file");
        }
        symlink(&outside, root.join("linked")).expect("a link");
        symlink(outside.join("deep/a.txt"), root.join("real/a.txt")).expect("a link");
        assert_eq!(read_file(&root, Path::new("real/deep/a.txt")).expect("a file"), b"text");
        for path in ["linked/deep/a.txt", "real/a.txt"] {
            assert_eq!(read_file(&root, Path::new(path)).expect_err(path).kind(), ErrorKind::NotADirectory, "{path}");
        }
        for path in ["../outside/deep/a.txt", "/etc/passwd", "", "real"] {
            assert_eq!(read_file(&root, Path::new(path)).expect_err(path).kind(), ErrorKind::InvalidInput, "{path}");
        }
        assert_eq!(read_file(&root, Path::new("gone/a.txt")).expect_err("gone").kind(), ErrorKind::NotFound);
        assert_eq!(list_names(&open_entry(&root, Path::new("real/deep")).expect("a folder")), ["a.txt"]);
        let write = |folder: &str, name: &str| write_file(&root, Path::new(folder), name, b"new");
        write("real/new/deep", "b.txt").expect("it is written");
        write("real", "a.txt").expect("the link is replaced");
        assert_eq!(read_file(&root, Path::new("real/a.txt")).expect("a file"), b"new");
        for folder in ["linked", "linked/deep", "../outside"] {
            write(folder, "c.txt").expect_err(folder);
        }
        assert_eq!(fs_err::read(outside.join("deep/a.txt")).expect("a file"), b"text");
        assert_eq!(list_root(&outside), ["deep"], "nothing was written outside");
    }
}
