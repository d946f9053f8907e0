//! Files that only their owner may read.

use fs_err as fs;
use std::path::Path;

/// A new file that only its owner may read.
pub(crate) fn create_private(path: &Path) -> std::io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    // The rights are set at creation; changed afterwards, the file would be readable for a moment.
    fs_err::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.write(true).create(true).truncate(true).open(path)
}
