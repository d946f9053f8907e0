//! `AnchorFile`, the file of an anchor: adds entries under a lock that all processes share, and reads them back.
//!
//! A line is the hash of itself and of every line before, a tab, and the fields of the entry. Lines are not synced one
//! by one: what a killed process wrote stays with the system, and what a power cut takes leaves the anchor behind. It may
//! take a piece out of the middle, too, in whose place zeros stand; lines with zeros in them were never written whole.

use super::entry::{AnchorEntry, join_fields};
use super::log::AnchorLog;
use crate::private_folder::{make_private, sync_folder};
use fs_err as fs;
use fs_err::os::unix::fs::OpenOptionsExt as _;
use model::{ContentHash, DigestBuilder};
use std::fs::TryLockError;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How often and how long to wait for the lock: half a second, where an entry takes microseconds.
const LOCK_ATTEMPTS: u32 = 500;
const LOCK_PAUSE: Duration = Duration::from_millis(1);

/// The anchor of one store. Cheap until the first entry is added: nothing is opened before.
pub(crate) struct AnchorFile {
    path: PathBuf,
    opened: Mutex<Option<OpenAnchor>>,
}

struct OpenAnchor {
    file: std::fs::File,
    /// Where the last line that is known ends, and the hash it begins with.
    end: u64,
    hash: String,
    is_synced: bool,
}

impl AnchorFile {
    /// The anchor at a path.
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path, opened: Mutex::default() }
    }

    /// Where it lies.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether there is one.
    pub(crate) fn exists(&self) -> bool {
        fs::metadata(&self.path).is_ok_and(|file| file.len() > 0)
    }

    /// Adds entries behind those of all processes.
    pub(crate) fn append(&self, entries: &[AnchorEntry]) -> io::Result<()> {
        if entries.is_empty() {
            return Ok(());
        }
        let mut guard = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        // A file that was deleted or replaced meanwhile takes no entries that anybody would find.
        let is_current = |open: &OpenAnchor| {
            let ours = open.file.metadata().map(|ours| (ours.dev(), ours.ino()));
            matches!((ours, fs::metadata(&self.path)), (Ok(ours), Ok(now)) if ours == (now.dev(), now.ino()))
        };
        if !guard.as_ref().is_some_and(is_current) {
            *guard = None;
        }
        let open = match &mut *guard {
            Some(open) => open,
            none => none.insert(OpenAnchor::open(&self.path)?),
        };
        lock_file(&open.file)?;
        let written = open.find_end().and_then(|()| {
            let is_first = open.end == 0;
            open.write_lines(entries)?;
            if is_first { self.sync_beginning(open) } else { Ok(()) }
        });
        open.file.unlock()?;
        written
    }

    /// Makes the first entry durable, with the file itself: one that is not there counts as removed, one that lacks its
    /// last entries is only behind.
    fn sync_beginning(&self, open: &mut OpenAnchor) -> io::Result<()> {
        open.file.sync_data()?;
        open.is_synced = true;
        self.path.parent().map_or(Ok(()), sync_folder)
    }

    /// Reads everything; an anchor that does not exist says nothing.
    pub(crate) fn read(&self) -> io::Result<AnchorLog> {
        match fs::read(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(AnchorLog::default()),
            read => Ok(AnchorLog::parse(&read?)),
        }
    }
}

impl Drop for AnchorFile {
    fn drop(&mut self) {
        let opened = self.opened.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(open) = opened.as_ref().filter(|open| !open.is_synced)
            && let Err(error) = open.file.sync_data()
        {
            tracing::warn!(%error, path = %self.path.display(), "the anchor was not synced");
        }
    }
}

impl OpenAnchor {
    fn open(path: &Path) -> io::Result<Self> {
        if let Some(parent) = path.parent() {
            make_private(parent)?;
        }
        let file = fs::OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(path)?;
        Ok(Self { file: file.into(), end: 0, hash: String::new(), is_synced: true })
    }

    /// Finds the end and the hash of the last line, where another process has added lines.
    fn find_end(&mut self) -> io::Result<()> {
        let length = self.file.metadata()?.len();
        if length == self.end {
            return Ok(());
        }
        let (end, hash) = find_last_line(&mut self.file, length)?;
        // A line without its end, or with zeros in it, is what a power cut left of one.
        if end < length {
            self.file.set_len(end)?;
        }
        (self.end, self.hash) = (end, hash);
        Ok(())
    }

    fn write_lines(&mut self, entries: &[AnchorEntry]) -> io::Result<()> {
        let mut text = String::new();
        let mut hash = self.hash.clone();
        for entry in entries {
            let body = join_fields(&entry.fields());
            hash = link_line(&hash, &body);
            text.push_str(&format!("{hash}\t{body}\n"));
        }
        // One write, so that a line is there whole or not at all for all who read without the lock.
        self.file.write_all(text.as_bytes())?;
        (self.end, self.hash, self.is_synced) = (self.end + text.len() as u64, hash, false);
        Ok(())
    }
}

/// Takes the lock, and waits for others only a while: a process that was halted while it had the lock must not halt all
/// others. What is not written now is written with the next entry.
fn lock_file(file: &std::fs::File) -> io::Result<()> {
    for _ in 0..LOCK_ATTEMPTS {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_PAUSE),
            Err(TryLockError::Error(error)) => return Err(error),
            Ok(()) => return Ok(()),
        }
    }
    Err(io::Error::new(io::ErrorKind::WouldBlock, "another process does not let go of it"))
}

/// Where the last whole line ends, and the hash it begins with.
fn find_last_line(file: &mut std::fs::File, mut length: u64) -> io::Result<(u64, String)> {
    let mut span = 4_096_u64;
    loop {
        let start = length.saturating_sub(span);
        file.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::new();
        file.take(length - start).read_to_end(&mut bytes)?;
        let end = bytes.iter().rposition(|byte| *byte == b'\n');
        let before = end.and_then(|end| bytes[..end].iter().rposition(|byte| *byte == b'\n').map(|at| at + 1));
        let begin = before.or((start == 0).then_some(0));
        match (end, begin) {
            (Some(end), Some(begin)) if bytes[begin..end].contains(&0) => length = start + begin as u64,
            (Some(end), Some(begin)) => {
                let line = String::from_utf8_lossy(&bytes[begin..end]).into_owned();
                let hash = line.split('\t').next().unwrap_or_default().to_owned();
                return Ok((start + end as u64 + 1, hash));
            }
            (None, _) if start == 0 => return Ok((0, String::new())),
            _ => span *= 4,
        }
    }
}

/// The hash of a line and of all lines before it.
pub(super) fn link_line(before: &str, body: &str) -> String {
    let hash: ContentHash =
        DigestBuilder::new("anchor").add_field(before.as_bytes()).add_field(body.as_bytes()).finish();
    hash.to_string()
}

#[cfg(test)]
mod tests {
    use super::super::entry::{AnchorHead, AnchorPoint, AnchoredState};
    use super::*;

    fn state(number: u64) -> AnchorEntry {
        let head = AnchorHead { count: number, hash: format!("{number:064}") };
        let points = vec![AnchorPoint::Conversation { id: "conv_a".to_owned(), head }];
        AnchorEntry::State(AnchoredState { number, database: "d".to_owned(), digest: "x".repeat(4_000), points })
    }

    #[test]
    fn two_writers_add_to_one_chain() {
        let home = tempfile::tempdir().expect("a temporary directory");
        let path = home.path().join("deep/anchor.log");
        let (one, other) = (AnchorFile::new(path.clone()), AnchorFile::new(path));
        for number in 0..10 {
            let file = if number % 3 == 0 { &one } else { &other };
            file.append(&[state(number)]).expect("appends");
        }
        let log = one.read().expect("reads");
        assert_eq!((log.faults.len(), log.entry_count), (0, 10));
    }

    #[test]
    fn half_a_line_is_cut_off_before_the_next() {
        let home = tempfile::tempdir().expect("a temporary directory");
        let path = home.path().join("anchor.log");
        AnchorFile::new(path.clone()).append(&[state(1), state(2)]).expect("appends");
        let whole = fs::read(&path).expect("reads");
        fs::write(&path, &whole[..whole.len() - 10]).expect("cuts");
        let file = AnchorFile::new(path);
        assert!(file.read().expect("reads").faults.is_empty(), "a torn end is no fault: the anchor is behind");
        file.append(&[state(3)]).expect("appends");
        let log = file.read().expect("reads");
        assert_eq!((log.faults.len(), log.entry_count), (0, 2));
    }

    #[test]
    fn zeros_of_a_power_cut_leave_the_anchor_behind_and_are_no_fault() {
        let home = tempfile::tempdir().expect("a temporary directory");
        let path = home.path().join("anchor.log");
        AnchorFile::new(path.clone()).append(&[1, 2, 3, 4].map(state)).expect("appends");
        let whole = fs::read(&path).expect("reads");
        let line = whole.len() / 4;
        for (hole, left) in [(line + 10..line + 500, 4), (line..2 * line, 3), (3 * line + 512..4 * line - 1, 4)] {
            let mut torn = whole.clone();
            torn[hole.clone()].fill(0);
            fs::write(&path, torn).expect("writes");
            let file = AnchorFile::new(path.clone());
            assert_eq!(file.read().expect("reads").faults, Vec::<String>::new(), "{hole:?}");
            file.append(&[state(5)]).expect("appends");
            let log = file.read().expect("reads");
            assert_eq!((log.faults.len(), log.entry_count, log.last_state()), (0, left, Some(5)), "{hole:?}");
        }
    }

    #[test]
    fn a_changed_or_missing_line_is_a_fault() {
        let home = tempfile::tempdir().expect("a temporary directory");
        let path = home.path().join("anchor.log");
        AnchorFile::new(path.clone()).append(&[state(1), state(2), state(3)]).expect("appends");
        let text = fs::read_to_string(&path).expect("reads");
        let lines: Vec<&str> = text.lines().collect();
        for damaged in [
            format!("{}\n{}\n", lines[0], lines[2]),
            format!("{}\n{}\n", lines[1], lines[2]),
            text.replacen("conv_a", "conv_b", 1),
        ] {
            fs::write(&path, damaged).expect("writes");
            assert!(!AnchorFile::new(path.clone()).read().expect("reads").faults.is_empty());
        }
    }
}
