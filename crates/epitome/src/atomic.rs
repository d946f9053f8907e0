//! Replaces a file atomically: writes a temporary file beside it, then renames, so that a crash leaves the old file or
//! the new one. Also creates folders that only their owner can read.

use std::io::{self, Write};
use std::path::Path;

use fs_err::File;
use tempfile::NamedTempFile;

/// Writes a file; durable when this returns. A new one is readable by its owner alone, one that exists keeps its
/// permissions, and a link to a file elsewhere stays a link: its target is what gets replaced.
pub(crate) fn replace_file(path: &Path, text: &str) -> io::Result<()> {
    // A link of the user, perhaps into a repository of dotfiles, stays a link: the rename would replace the link
    // itself.
    let target = fs_err::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = target.parent().expect("a file is in a directory");
    // In the same folder, because a rename does not work across file systems.
    let mut temporary = NamedTempFile::new_in(folder)?;
    temporary.write_all(text.as_bytes())?;
    if let Ok(existing) = fs_err::metadata(&target) {
        temporary.as_file().set_permissions(existing.permissions())?;
    }
    // Synced before the rename: otherwise the new name could reach the disk before the bytes.
    temporary.as_file().sync_all()?;
    temporary.persist(&target)?;
    // The rename itself is an entry of the folder, and durable only when the folder is synced.
    sync_folder(folder)
}

/// Writes a file that may be forgotten when the power goes: whole or not at all for any reader, and not synced.
pub(crate) fn replace_unsynced(path: &Path, text: &str) -> io::Result<()> {
    let mut temporary = NamedTempFile::new_in(path.parent().expect("a file is in a directory"))?;
    temporary.write_all(text.as_bytes())?;
    temporary.persist(path)?;
    Ok(())
}

/// Makes a folder, and those above it, that no other user of the machine can look into; durable when this returns.
pub(crate) fn create_private_folder(folder: &Path) -> io::Result<()> {
    let missing: Vec<&Path> = folder.ancestors().take_while(|above| !above.is_dir()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    // The entry of a folder stands in the one above it: without it, what is synced in the folder is lost with the folder.
    missing.iter().filter_map(|made| made.parent()).try_for_each(sync_folder)
}

/// Makes the entries of a folder durable: files that were made, renamed or removed in it.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}
