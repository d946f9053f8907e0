//! `PageFile`: the pages of a SQLite file, with those of its write-ahead log in their places, read without SQLite. What
//! SQLite refuses as a whole can still be read page by page.

use fs_err as fs;
use std::collections::HashMap;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

/// Sizes to try where the header does not say one, ours first.
const PAGE_SIZES: [usize; 8] = [8_192, 4_096, 16_384, 32_768, 65_536, 2_048, 1_024, 512];

/// Bytes of the header of the file, on its first page.
pub(super) const FILE_HEADER: usize = 100;
const LOG_HEADER: usize = 32;
const FRAME_HEADER: usize = 24;

pub(super) struct PageFile {
    file: std::fs::File,
    pub(super) page_size: usize,
    /// Bytes at the end of every page that SQLite does not use.
    reserved: usize,
    pub(super) page_count: u32,
    newer: HashMap<u32, Vec<u8>>,
}

impl PageFile {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = fs::File::open(path)?;
        let length = file.metadata()?.len();
        let mut header = [0; FILE_HEADER];
        let read = file.file().read_at(&mut header, 0)?;
        let is_sound = read == FILE_HEADER && header.starts_with(b"SQLite format 3\0");
        let stated = usize::from(u16::from_be_bytes([header[16], header[17]]));
        // A page of 65536 bytes does not fit the field, and is written as 1.
        let stated = if stated == 1 { 65_536 } else { stated };
        let page_size = if is_sound && PAGE_SIZES.contains(&stated) { stated } else { guess_size(file.file(), length) };
        let reserved = if is_sound { usize::from(header[20]) } else { 0 };
        let mut log_path = path.as_os_str().to_owned();
        log_path.push("-wal");
        let newer = match fs::read(Path::new(&log_path)) {
            Ok(log) => committed_pages(&log, page_size),
            // Without a log all pages are in the file.
            Err(_) => HashMap::new(),
        };
        let last = newer.keys().copied().max().unwrap_or_default();
        let page_count = u32::try_from(length.div_ceil(page_size as u64)).unwrap_or(u32::MAX).max(last);
        Ok(Self { file: file.into(), page_size, reserved, page_count, newer })
    }

    /// Bytes of a page that hold data.
    pub(super) fn usable_size(&self) -> usize {
        self.page_size.saturating_sub(self.reserved).max(480)
    }

    /// A page by its number, counted from 1; what lies behind the end of the file is zero.
    pub(super) fn read_page(&self, number: u32) -> Vec<u8> {
        if let Some(page) = self.newer.get(&number) {
            return page.clone();
        }
        let mut page = vec![0; self.page_size];
        let start = u64::from(number.saturating_sub(1)) * self.page_size as u64;
        let mut filled = 0;
        while filled < page.len() {
            match self.file.read_at(&mut page[filled..], start + filled as u64) {
                // A sector that the disk does not give reads as zero, and what lay there is listed as missing.
                Ok(0) | Err(_) => break,
                Ok(read) => filled += read,
            }
        }
        page
    }
}

/// The size with which most pages begin like pages of a table or an index.
fn guess_size(file: &std::fs::File, length: u64) -> usize {
    let share = |size: usize| {
        let pages = (length / size as u64).min(2_000);
        let mut fitting = 0;
        for page in 1..pages {
            let mut kind = [0; 1];
            let read = file.read_at(&mut kind, page * size as u64);
            fitting += u64::from(read.is_ok_and(|read| read == 1) && matches!(kind[0], 2 | 5 | 10 | 13));
        }
        fitting * 1_000 / pages.max(1)
    };
    // Of equal shares the larger size: what begins every second small page is the middle of a page.
    PAGE_SIZES.into_iter().max_by_key(|size| (share(*size), *size)).unwrap_or(PAGE_SIZES[0])
}

/// The newest version of every page that a whole transaction of the log wrote.
fn committed_pages(log: &[u8], page_size: usize) -> HashMap<u32, Vec<u8>> {
    let word =
        |bytes: &[u8], at: usize| bytes.get(at..at + 4).map(|it| u32::from_be_bytes([it[0], it[1], it[2], it[3]]));
    let (mut pages, mut pending) = (HashMap::new(), HashMap::new());
    let salts = (word(log, 16), word(log, 20));
    for frame in log.get(LOG_HEADER..).unwrap_or_default().chunks_exact(FRAME_HEADER + page_size) {
        // Frames of another round of the log lie behind those of this one.
        if (word(frame, 8), word(frame, 12)) != salts {
            break;
        }
        let (number, commit) = (word(frame, 0).unwrap_or_default(), word(frame, 4).unwrap_or_default());
        pending.insert(number, frame[FRAME_HEADER..].to_vec());
        if commit > 0 {
            pages.extend(pending.drain());
        }
    }
    pages
}
