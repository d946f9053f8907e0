//! Makes folders that only their owner may look into, and that are still there after a power cut: what is stored in a
//! folder is lost with it, however well the file itself was synced.

use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

/// Makes a folder and those above it that are missing; durable when this returns.
pub(crate) fn make_private(folder: &Path) -> io::Result<()> {
    let missing: Vec<&Path> = folder.ancestors().take_while(|above| !is_folder(above)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    // The entry of a folder stands in the one above it.
    missing.iter().filter_map(|made| made.parent()).try_for_each(sync_folder)
}

fn is_folder(path: &Path) -> bool {
    path.as_os_str().is_empty() || path.is_dir()
}

/// Makes the entries of a folder durable: files that were made, renamed or removed in it.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    // A relative path of one part lies in the working directory.
    let folder = if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder.to_owned() };
    match fs_err::File::open(folder)?.sync_all() {
        // Some file systems cannot sync a folder, and a folder of another user cannot always be opened for it.
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
        synced => synced,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt as _;

    #[test]
    fn every_folder_that_was_missing_is_private() {
        let home = tempfile::tempdir().expect("a temporary directory");
        make_private(&home.path().join("one/two")).expect("made");
        make_private(&home.path().join("one/two")).expect("there");
        for folder in ["one", "one/two"] {
            let mode = fs_err::metadata(home.path().join(folder)).expect("a folder").mode();
            assert_eq!(mode & 0o777, 0o700, "{folder}");
        }
    }
}
