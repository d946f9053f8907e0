//! A file that is mapped into memory and read in place. Processes that map the same file share its pages, and a page that
//! no question touches is never read.

#![expect(unsafe_code, reason = "the compiler cannot know that no process writes to a mapped file")]

use fs_err::File;
use memmap2::Mmap;
use std::io;
use std::path::Path;

/// The bytes of a file, in the place where the system keeps them.
pub(super) struct MappedFile(Mmap);

impl MappedFile {
    /// Maps a file that was put in its place by a rename.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        // SAFETY: the bytes must not change while they are mapped. `image::writer` is the only code that makes such files:
        // it writes under another name, renames when all is written, and no code writes to a file after that. A newer
        // file takes the name, and the old one stays whole for those that have it mapped.
        Ok(Self(unsafe { Mmap::map(file.file()) }?))
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }
}
