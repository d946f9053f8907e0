//! Writes an image file: under a name of its own first, then renamed, so that readers meet a whole image or none.

use super::{
    BYTE_ORDER, CHECK_BYTES, ENTRY_BYTES, FORMAT, HEAD_BYTES, ImageKey, ImageRow, PAGE_BYTES, SECTION_ALIGNMENT,
    head_check,
};
use fs_err::os::unix::fs::OpenOptionsExt;
use fs_err::{File, OpenOptions};
use std::borrow::Cow;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use zerocopy::IntoBytes;

/// What the names of files end with that are not whole yet.
pub(super) const TEMPORARY_ENDING: &str = "tmp";

/// The sections of an image on their way into a file.
#[derive(Default)]
pub(crate) struct ImageWriter<'a> {
    sections: Vec<Cow<'a, [u8]>>,
}

impl<'a> ImageWriter<'a> {
    /// Adds a section of rows, which are read in place.
    pub(crate) fn add_rows<T: ImageRow>(&mut self, rows: &'a [T]) {
        self.sections.push(Cow::Borrowed(rows.as_bytes()));
    }

    /// Adds a section of bytes, which are decoded when the image is opened.
    pub(crate) fn add_bytes(&mut self, bytes: Vec<u8>) {
        self.sections.push(Cow::Owned(bytes));
    }

    /// Writes the file, in place of the one that has its name.
    pub(crate) fn write_file(&self, path: &Path, key: &ImageKey) -> io::Result<()> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        // A name that no other process and no other thread of this one writes to.
        let temporary = path.with_extension(format!("{}-{number}.{TEMPORARY_ENDING}", std::process::id()));
        let written = self.write_new(&temporary, key).and_then(|()| fs_err::rename(&temporary, path));
        if written.is_err() {
            // What is left of a full disk must not stay on it.
            let _ = fs_err::remove_file(&temporary);
        }
        written
    }

    fn write_new(&self, path: &Path, key: &ImageKey) -> io::Result<()> {
        let (entries, length) = self.lay_out();
        let pages = length.div_ceil(PAGE_BYTES);
        let body = (HEAD_BYTES + entries.len() * ENTRY_BYTES + pages * CHECK_BYTES).next_multiple_of(PAGE_BYTES);
        // Not synced: after a power loss pages may be missing, which their checks show, and the image is made anew.
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
        file.seek(SeekFrom::Start(body as u64))?;
        let checks = self.write_body(&mut file, &entries)?;
        let mut rest = Vec::with_capacity(body - HEAD_BYTES);
        for (start, bytes) in &entries {
            rest.extend(((body + start) as u64).to_ne_bytes());
            rest.extend((*bytes as u64).to_ne_bytes());
        }
        rest.extend(checks.iter().flat_map(|check| check.to_ne_bytes()));
        rest.resize(body - HEAD_BYTES, 0);
        let mut head = Vec::with_capacity(HEAD_BYTES);
        head.extend(FORMAT);
        head.extend(BYTE_ORDER.to_ne_bytes());
        head.extend(key);
        for number in [entries.len(), body, body + length] {
            head.extend((number as u64).to_ne_bytes());
        }
        head.extend(head_check(&head, &rest));
        file.seek(SeekFrom::Start(0))?;
        file.write_all(&head)?;
        file.write_all(&rest)
    }

    /// Where each section begins in the body and how long it is, and the length of the body.
    fn lay_out(&self) -> (Vec<(usize, usize)>, usize) {
        let mut end: usize = 0;
        let entries = self.sections.iter().map(|section| {
            let start = end.next_multiple_of(SECTION_ALIGNMENT);
            end = start + section.len();
            (start, section.len())
        });
        (entries.collect(), end)
    }

    /// Writes the sections and returns the check of each page.
    fn write_body(&self, file: &mut File, entries: &[(usize, usize)]) -> io::Result<Vec<u32>> {
        let mut pages = PageWriter { file, page: Vec::with_capacity(PAGE_BYTES), checks: Vec::new() };
        let mut written = 0;
        for (section, (start, bytes)) in self.sections.iter().zip(entries) {
            pages.write_bytes(&[0; SECTION_ALIGNMENT][..start - written])?;
            pages.write_bytes(section)?;
            written = start + bytes;
        }
        pages.finish()
    }
}

/// Cuts what is written into pages.
struct PageWriter<'f> {
    file: &'f mut File,
    page: Vec<u8>,
    checks: Vec<u32>,
}

impl PageWriter<'_> {
    fn write_bytes(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(PAGE_BYTES - self.page.len()));
            self.page.extend_from_slice(now);
            bytes = later;
            if self.page.len() == PAGE_BYTES {
                self.end_page()?;
            }
        }
        Ok(())
    }

    fn end_page(&mut self) -> io::Result<()> {
        self.checks.push(crc32fast::hash(&self.page));
        self.file.write_all(&self.page)?;
        self.page.clear();
        Ok(())
    }

    fn finish(mut self) -> io::Result<Vec<u32>> {
        if !self.page.is_empty() {
            self.end_page()?;
        }
        Ok(self.checks)
    }
}
