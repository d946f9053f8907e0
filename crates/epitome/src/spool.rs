//! The spool: a queue of hook events in files of the data directory, which `drain` stores later. All processes append
//! to one file under a lock; one that cannot get the lock in time writes a file of its own, so that no hook waits long.
//! A record is a separator, a line that says what follows and its hash, then the body. A record that a crash tore is
//! found by the hash and kept apart, and reading goes on behind it.

use agents::{EventEnvelope, HookEvent};
use model::ContentHash;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What every record begins with; no JSON text holds it.
const SEPARATOR: &[u8] = b"\x1e{";
const SPOOL_EXTENSION: &str = "spool";
/// The file of all processes, and the one of events that wait.
const SHARED_FILE_STEM: &str = "events";
const WAITING_FILE_STEM: &str = "waiting";
/// Longer than any write takes, and too short to be noticed.
const LOCK_TIMEOUT: Duration = Duration::from_millis(150);

#[derive(Serialize, Deserialize)]
struct RecordHeader {
    #[serde(flatten)]
    envelope: EventEnvelope,
    bytes: usize,
    hash: String,
}

/// The folder of spool files.
#[derive(Clone, Debug)]
pub(crate) struct Spool {
    folder: PathBuf,
}

/// What one spool file holds.
#[derive(Debug, Default)]
pub(crate) struct SpoolContents {
    pub(crate) events: Vec<HookEvent>,
    /// Stretches that are no records.
    pub(crate) torn: Vec<Vec<u8>>,
}

impl Spool {
    pub(crate) fn in_directory(data: &Path) -> Self {
        Self { folder: data.join("spool") }
    }

    /// Adds an event; durable when this returns.
    pub(crate) fn append_event(&self, event: &HookEvent) -> io::Result<()> {
        crate::atomic::create_private_folder(&self.folder)?;
        let together = open_file(&self.folder.join(format!("{SHARED_FILE_STEM}.{SPOOL_EXTENSION}")))?;
        if lock_within(&together, LOCK_TIMEOUT) {
            // An empty file may be new, made just now or by a process that ended before it wrote. The folder is synced
            // before the first record, so a file that has records needs no second sync for each of them.
            if together.metadata()?.len() == 0 {
                crate::atomic::sync_folder(&self.folder)?;
            }
            return append_record(together, event);
        }
        // A file of its own keeps this hook from waiting for another one that writes a long event.
        self.write_file(&event.envelope.id, &encode_record(event))
    }

    /// The files there are, in the order of their names.
    pub(crate) fn spool_files(&self) -> io::Result<Vec<PathBuf>> {
        let entries = match fs_err::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let paths = entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<PathBuf>>>()?;
        let mut files: Vec<PathBuf> =
            paths.into_iter().filter(|path| path.extension().is_some_and(|end| end == SPOOL_EXTENSION)).collect();
        files.sort();
        Ok(files)
    }

    /// The bytes of a file, read while no hook adds to it: half of a long record that is being written is not torn.
    pub(crate) fn read_file(file: &Path) -> io::Result<Vec<u8>> {
        let mut open = fs_err::File::open(file)?;
        // A shared lock: several readers do not wait for each other, only for a hook that writes.
        open.file().lock_shared()?;
        let mut bytes = Vec::new();
        open.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Bytes that wait.
    pub(crate) fn waiting_bytes(&self) -> u64 {
        let files = self.spool_files().unwrap_or_default();
        files.iter().filter_map(|file| fs_err::metadata(file).ok()).map(|metadata| metadata.len()).sum()
    }

    /// The right to empty it; none when another process has it for longer than we wait.
    pub(crate) fn try_claim(&self, patience: Duration) -> io::Result<Option<File>> {
        let claim = open_file(&self.folder.join("claim"))?;
        Ok(lock_within(&claim, patience).then_some(claim))
    }

    /// Empties a file of which `read` bytes were dealt with. What came meanwhile gets a file of its own, so that a spool
    /// that is never quiet is emptied all the same. What waits is not dealt with.
    pub(crate) fn discard_read(&self, file: &Path, read: usize) -> io::Result<()> {
        let is_called = |name: &str| file.file_stem().is_some_and(|stem| stem == name);
        if is_called(WAITING_FILE_STEM) {
            return Ok(());
        }
        if !is_called(SHARED_FILE_STEM) {
            // A hook writes a file of its own once; no process adds to it later.
            return fs_err::remove_file(file);
        }
        let open = open_file(file)?;
        // No hook adds while this process holds the lock; one that waits too long writes a file of its own.
        open.lock()?;
        let mut rest = fs_err::File::open(file)?;
        if rest.metadata()?.len() < read as u64 {
            // It is not the file that was read, so nothing in it was dealt with.
            return Ok(());
        }
        rest.seek(SeekFrom::Start(read as u64))?;
        let mut came = Vec::new();
        rest.read_to_end(&mut came)?;
        if !came.is_empty() {
            // Safe in its own file before it is gone here; in between it is there twice, and known by its ids.
            self.write_file(&ContentHash::hash_bytes(&came).to_string()[..24], &came)?;
        }
        // Truncated and not removed: a hook may have the file open and wait for its lock.
        open.set_len(0)
    }

    /// Keeps events for a later look, in the place of those kept before.
    pub(crate) fn write_waiting(&self, waiting: &[HookEvent]) -> io::Result<()> {
        if waiting.is_empty() {
            return match fs_err::remove_file(self.folder.join(format!("{WAITING_FILE_STEM}.{SPOOL_EXTENSION}"))) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            };
        }
        self.write_file(WAITING_FILE_STEM, &waiting.iter().flat_map(encode_record).collect::<Vec<u8>>())
    }

    /// A file of its own for records, which is there whole or not at all: who empties the spool must not meet half of it.
    fn write_file(&self, name: &str, records: &[u8]) -> io::Result<()> {
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        file.write_all(records)?;
        // Synced before the rename, so that the name never reaches the disk before the bytes.
        file.as_file().sync_all()?;
        file.persist(self.folder.join(format!("{name}.{SPOOL_EXTENSION}")))?;
        fs_err::File::open(&self.folder)?.sync_all()
    }

    /// Puts aside what cannot be read, under the hash of its bytes.
    pub(crate) fn quarantine_bytes(&self, bytes: &[u8]) -> io::Result<()> {
        let folder = self.quarantine_folder();
        crate::atomic::create_private_folder(&folder)?;
        let mut file = tempfile::NamedTempFile::new_in(&folder)?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        file.persist(folder.join(ContentHash::hash_bytes(bytes).to_string()))?;
        Ok(())
    }

    /// Where that is.
    pub(crate) fn quarantine_folder(&self) -> PathBuf {
        self.folder.join("quarantine")
    }
}

impl SpoolContents {
    pub(crate) fn from_bytes(mut bytes: &[u8]) -> Self {
        let mut contents = Self::default();
        while !bytes.is_empty() {
            if let Some((event, rest)) = parse_record(bytes) {
                contents.events.push(event);
                bytes = rest;
            } else {
                // Reading goes on at the next separator at the beginning of a line, or ends.
                let next = bytes.windows(3).position(|bytes| bytes[0] == b'\n' && &bytes[1..] == SEPARATOR);
                let (torn, rest) = bytes.split_at(next.map_or(bytes.len(), |at| at + 1));
                contents.torn.push(torn.to_owned());
                bytes = rest;
            }
        }
        contents
    }
}

/// The record that bytes begin with, and what follows it.
fn parse_record(bytes: &[u8]) -> Option<(HookEvent, &[u8])> {
    if !bytes.starts_with(SEPARATOR) {
        return None;
    }
    let line = bytes.iter().position(|byte| *byte == b'\n')?;
    let head: RecordHeader = serde_json::from_slice(&bytes[1..line]).ok()?;
    let (body, rest) = bytes[line + 1..].split_at_checked(head.bytes)?;
    // The last newline was written last: without it the record is torn even if the hash fits.
    let rest = rest.strip_prefix(b"\n")?;
    let is_whole = ContentHash::hash_bytes(body).to_string() == head.hash;
    is_whole.then(|| (HookEvent::new(head.envelope, body.to_owned()), rest))
}

fn encode_record(event: &HookEvent) -> Vec<u8> {
    let hash = ContentHash::hash_bytes(&event.bytes).to_string();
    let head = RecordHeader { envelope: event.envelope.clone(), bytes: event.bytes.len(), hash };
    let mut record = b"\x1e".to_vec();
    record.extend(serde_json::to_vec(&head).expect("a head can be written to memory"));
    record.push(b'\n');
    record.extend_from_slice(&event.bytes);
    record.push(b'\n');
    record
}

fn open_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Locks a file, or gives up.
fn lock_within(file: &File, patience: Duration) -> bool {
    let until = Instant::now() + patience;
    // A blocking lock cannot be given a time limit.
    while file.try_lock().is_err() {
        if Instant::now() > until {
            return false;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    true
}

fn append_record(mut file: File, event: &HookEvent) -> io::Result<()> {
    // Asked under the lock, so it is where this record begins.
    let before = file.metadata()?.len();
    let written = file.write_all(&encode_record(event)).and_then(|()| file.sync_data());
    if written.is_err() {
        // Half a record is useless. If truncating fails too, the next reader finds it by its hash.
        let _ = file.set_len(before);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn event(number: usize) -> HookEvent {
        let [id, agent, event] = [format!("e{number}"), "a".to_owned(), "Stop".to_owned()];
        let envelope = EventEnvelope { id, at: 1_000, agent, event, transcript_bytes: 0 };
        HookEvent::new(envelope, json!({ "number": number }).to_string().into_bytes())
    }

    fn ids(contents: &SpoolContents) -> Vec<&str> {
        contents.events.iter().map(|event| event.envelope.id.as_str()).collect()
    }

    #[test]
    fn what_was_appended_is_there_until_it_was_dealt_with() {
        let data = tempfile::tempdir().expect("a temporary directory");
        let spool = Spool::in_directory(data.path());
        assert_eq!(spool.spool_files().expect("files"), Vec::<PathBuf>::new());
        (0..3).for_each(|number| spool.append_event(&event(number)).expect("it is appended"));
        let file = spool.spool_files().expect("files").remove(0);
        let bytes = fs_err::read(&file).expect("the file");
        assert_eq!(ids(&SpoolContents::from_bytes(&bytes)), ["e0", "e1", "e2"]);
        spool.append_event(&event(3)).expect("it is appended");
        spool.discard_read(&file, bytes.len()).expect("it is emptied");
        assert_eq!(fs_err::read(&file).expect("the file"), b"");
        let files = spool.spool_files().expect("files");
        let came = files.iter().find(|other| **other != file).expect("what came meanwhile");
        let bytes = fs_err::read(came).expect("the file");
        assert_eq!(ids(&SpoolContents::from_bytes(&bytes)), ["e3"]);
        spool.discard_read(came, bytes.len()).expect("it is emptied");
        spool.append_event(&event(4)).expect("it is appended");
        spool.discard_read(&file, bytes.len() + 10_000).expect("it is looked at");
        assert_eq!(
            ids(&SpoolContents::from_bytes(&fs_err::read(&file).expect("the file"))),
            ["e4"],
            "that was another file"
        );
    }

    #[test]
    fn a_record_that_is_being_written_is_read_whole() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("events.spool");
        let mut file = open_file(&path).expect("a file");
        file.lock().expect("the lock");
        let record = encode_record(&event(1));
        let (first, second) = record.split_at(record.len() / 2);
        file.write_all(first).expect("the first half");
        let bytes = std::thread::scope(|scope| {
            let reader = scope.spawn(|| Spool::read_file(&path).expect("the file"));
            std::thread::sleep(Duration::from_millis(50));
            file.write_all(second).expect("the second half");
            file.unlock().expect("the lock");
            reader.join().expect("the reader")
        });
        let contents = SpoolContents::from_bytes(&bytes);
        assert_eq!((ids(&contents), contents.torn.len()), (vec!["e1"], 0));
    }

    #[test]
    fn who_cannot_wait_writes_a_file_of_its_own() {
        let data = tempfile::tempdir().expect("a temporary directory");
        let spool = Spool::in_directory(data.path());
        spool.append_event(&event(1)).expect("it is appended");
        let held = open_file(&spool.spool_files().expect("files")[0]).expect("the file");
        held.lock().expect("the lock");
        spool.append_event(&event(2)).expect("it is appended");
        let names: Vec<String> = spool
            .spool_files()
            .expect("files")
            .iter()
            .map(|file| file.file_name().expect("a name").to_string_lossy().into_owned())
            .collect();
        assert_eq!(names, ["e2.spool", "events.spool"]);
    }

    proptest! {
        #[test]
        fn a_torn_file_gives_every_whole_record(cut in 0_usize..400, hole in 0_usize..400) {
            let records: Vec<Vec<u8>> = (0..4).map(|number| encode_record(&event(number))).collect();
            let all = records.concat();
            let cut = cut.min(all.len());
            let hole = hole.min(all.len());
            let mut bytes = all[..cut].to_vec();
            bytes.push(b'\n');
            bytes.extend_from_slice(&encode_record(&event(9)));
            let contents = SpoolContents::from_bytes(&bytes);
            // The line end that follows the cut may be all that was missing.
            let whole = (1..=4).take_while(|count| records[..*count].concat().len() <= cut + 1).count();
            prop_assert_eq!(contents.events.len(), whole + 1);
            // Nothing is dropped in silence: a line that is no record is reported.
            let torn: usize = contents.torn.iter().map(Vec::len).sum();
            let kept: usize = contents.events.iter().map(|event| encode_record(event).len()).sum();
            prop_assert_eq!(torn + kept, bytes.len());
            let mut damaged = all.clone();
            damaged.drain(hole.saturating_sub(3)..hole);
            let contents = SpoolContents::from_bytes(&damaged);
            prop_assert!(contents.events.len() >= 2);
        }
    }
}
