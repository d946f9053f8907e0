//! Opens image files and checks their pages as they are read.

use super::mapped_file::MappedFile;
use super::{
    BYTE_ORDER, CHECK_BYTES, ENTRY_BYTES, FORMAT, HEAD_BYTES, ImageKey, ImageRow, PAGE_BYTES, SharedList, head_check,
};
use rayon::prelude::*;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// An image that is mapped.
pub(crate) struct ImageFile {
    map: MappedFile,
    sections: Vec<Range<usize>>,
    body: usize,
    /// Where the checks of pages begin.
    checks: usize,
    /// A bit for each page that was found to be as it was written.
    checked: Box<[AtomicU64]>,
    damaged: AtomicBool,
}

impl ImageFile {
    /// Opens the image with a key; `None` where there is no such file, or one of another key, or one that is damaged.
    pub(crate) fn open(path: &Path, key: &ImageKey) -> Option<Arc<Self>> {
        Self::read_head(MappedFile::open(path).ok()?, key).map(Arc::new)
    }

    fn read_head(map: MappedFile, key: &ImageKey) -> Option<Self> {
        let all = map.bytes();
        let (head, check) = all.get(..HEAD_BYTES)?.split_at_checked(HEAD_BYTES - 8)?;
        let number = |at: usize| read_number(all, at);
        let is_ours = head.starts_with(&FORMAT) && number(8)? == BYTE_ORDER as usize && head[16..48] == key[..];
        let (count, body, end) = (number(48)?, number(56)?, number(64)?);
        // The check stands before any of these numbers is used, but for the place of what it covers.
        if !is_ours || head_check(head, all.get(HEAD_BYTES..body)?) != check || end != all.len() {
            return None;
        }
        let entries = (0..count).map(|at| HEAD_BYTES + at * ENTRY_BYTES);
        let section = |at: usize| Some(number(at)?..number(at)?.checked_add(number(at + 8)?)?);
        let sections: Vec<Range<usize>> = entries.map(section).collect::<Option<_>>()?;
        let checks = HEAD_BYTES + count * ENTRY_BYTES;
        let pages = (end - body).div_ceil(PAGE_BYTES);
        let is_whole = sections.iter().all(|section| section.start >= body && section.end <= end);
        if !is_whole || checks + pages * CHECK_BYTES > body {
            return None;
        }
        let checked = (0..pages.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Some(Self { map, sections, body, checks, checked, damaged: AtomicBool::new(false) })
    }

    /// A section of rows, which stay in the file; `None` where the section has no whole number of rows.
    pub(crate) fn rows<T: ImageRow>(self: &Arc<Self>, section: usize) -> Option<SharedList<T>> {
        SharedList::in_image(Arc::clone(self), self.sections.get(section)?.clone())
    }

    /// A section of bytes; `None` where it is damaged.
    pub(crate) fn bytes(&self, section: usize) -> Option<&[u8]> {
        self.checked_bytes(self.sections.get(section)?.clone())
    }

    /// Checks every page; whether all are as they were written.
    pub(crate) fn check_pages(&self) -> bool {
        let pages = (self.map.bytes().len() - self.body).div_ceil(PAGE_BYTES);
        (0..pages).into_par_iter().all(|page| self.is_checked(page) || self.check_page(page))
    }

    /// Whether anything that was read of it is not as it was written.
    pub(crate) fn is_damaged(&self) -> bool {
        self.damaged.load(Ordering::Relaxed)
    }

    pub(super) fn mark_damaged(&self) {
        self.damaged.store(true, Ordering::Relaxed);
    }

    /// Bytes of the body as they were written; `None`, and a mark, where they are not.
    #[inline]
    pub(super) fn checked_bytes(&self, range: Range<usize>) -> Option<&[u8]> {
        let found = self.map.bytes().get(range.clone()).filter(|_| range.start >= self.body);
        let is_sound =
            found.is_some() && self.pages_of(&range).all(|page| self.is_checked(page) || self.check_page(page));
        if !is_sound {
            self.mark_damaged();
        }
        found.filter(|_| is_sound)
    }

    #[inline]
    fn pages_of(&self, range: &Range<usize>) -> Range<usize> {
        let end = if range.is_empty() { range.start } else { range.end + PAGE_BYTES - 1 };
        (range.start - self.body) / PAGE_BYTES..(end - self.body) / PAGE_BYTES
    }

    #[inline]
    fn is_checked(&self, page: usize) -> bool {
        self.checked[page / 64].load(Ordering::Relaxed) & (1 << (page % 64)) != 0
    }

    #[cold]
    fn check_page(&self, page: usize) -> bool {
        let all = self.map.bytes();
        let start = self.body + page * PAGE_BYTES;
        let bytes = &all[start..all.len().min(start + PAGE_BYTES)];
        let wanted = all.get(self.checks + page * CHECK_BYTES..).and_then(<[u8]>::first_chunk);
        let is_sound = wanted.is_some_and(|wanted| u32::from_ne_bytes(*wanted) == crc32fast::hash(bytes));
        if is_sound {
            self.checked[page / 64].fetch_or(1 << (page % 64), Ordering::Relaxed);
        }
        is_sound
    }
}

fn read_number(bytes: &[u8], at: usize) -> Option<usize> {
    usize::try_from(u64::from_ne_bytes(*bytes.get(at..)?.first_chunk()?)).ok()
}
