//! Compares the files on disk with the index to find those that were added, changed or removed, cuts them into batches,
//! and reads the contents of the files that differ.

use super::fingerprint::Fingerprinter;
use super::walk::ScannedFile;
use super::{SkippedFile, walk};
use crate::base::{confined_file, run_long};
use foldhash::HashMap;
use model::{ContentHash, Timestamp};
use rayon::prelude::*;
use std::io::{ErrorKind, Read};
use std::path::Path;
use store::{FileStamp, Fingerprint, TreeFile};

/// The difference between disk and index.
pub(super) struct IndexPlan {
    pub(super) changed: Vec<ScannedFile>,
    pub(super) removed: Vec<String>,
}

impl IndexPlan {
    pub(super) fn from_files(found: Vec<ScannedFile>, before: &[TreeFile], making: &Fingerprinter) -> Self {
        let mut before: HashMap<&str, &TreeFile> = before.iter().map(|file| (file.path.as_str(), file)).collect();
        let changed: Vec<ScannedFile> = found
            .into_iter()
            .filter(|file| {
                // A time of 0 was not trustworthy when the file was read, so the file is read again.
                before.remove(file.path.as_str()).is_none_or(|known| {
                    let made = making.extractor_fingerprint(known.language.as_deref(), known.stamp.bytes);
                    known.stamp != file.stamp || known.stamp.modified == 0 || made != Some(known.made)
                })
            })
            .collect();
        // Files on the disk were removed from the map above; the rest is gone from the disk.
        let mut removed: Vec<String> = before.into_keys().map(str::to_owned).collect();
        removed.sort_unstable();
        Self { changed, removed }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.removed.is_empty()
    }
}

/// Cuts files into batches bounded by number and size.
pub(super) fn split_batches(files: Vec<ScannedFile>, most: usize, bytes: u64) -> Vec<Vec<ScannedFile>> {
    let mut batches: Vec<Vec<ScannedFile>> = Vec::new();
    let mut room = 0;
    for file in files {
        match batches.last_mut() {
            Some(batch) if batch.len() < most && file.stamp.bytes <= room => {
                room -= file.stamp.bytes;
                batch.push(file);
            }
            _ => {
                room = bytes.saturating_sub(file.stamp.bytes);
                batches.push(vec![file]);
            }
        }
    }
    batches
}

/// A file with its content.
pub(super) struct SourceContent {
    pub(super) path: String,
    pub(super) stamp: FileStamp,
    pub(super) hash: ContentHash,
    pub(super) made: Fingerprint,
    pub(super) bytes: Vec<u8>,
}

/// A batch of files with their contents.
pub(super) struct ReadFiles {
    pub(super) files: Vec<SourceContent>,
    /// Files that cannot be read; their entries in the index are no longer true.
    pub(super) unreadable: Vec<SkippedFile>,
}

/// Larger files are not read at all: users do not search a disk image by words.
const NEVER_READ: u64 = 64 << 20;

/// A file that changed this recently may change again within one tick of its time stamp, so the time is not trusted.
const STABLE_MILLIS: i64 = 1_000;

pub(super) fn read_all(root: &Path, batch: Vec<ScannedFile>, making: &Fingerprinter, now: Timestamp) -> ReadFiles {
    let results: Vec<Result<SourceContent, SkippedFile>> =
        run_long(|| batch.into_par_iter().map(|file| read_one(root, file, making, now)).collect());
    let mut read = ReadFiles { files: Vec::new(), unreadable: Vec::new() };
    for result in results {
        match result {
            Ok(file) => read.files.push(file),
            Err(skipped) => read.unreadable.push(skipped),
        }
    }
    read
}

fn read_one(
    root: &Path,
    file: ScannedFile,
    making: &Fingerprinter,
    now: Timestamp,
) -> Result<SourceContent, SkippedFile> {
    let skip = |reason: String| SkippedFile { path: file.path.clone(), reason };
    if file.stamp.bytes > NEVER_READ {
        return Err(skip(format!("{} bytes, over the limit of {NEVER_READ} for reading", file.stamp.bytes)));
    }
    let mut bytes = Vec::with_capacity(file.stamp.bytes as usize);
    let mut handle = match confined_file::open_file(root, Path::new(&file.path)) {
        Ok(handle) => handle,
        // A link took the place of a folder since the walk, so the name may be that of a file outside: it is not told.
        Err(error) if error.kind() == ErrorKind::NotADirectory => {
            let top = file.path.split('/').next().unwrap_or_default().to_owned();
            return Err(SkippedFile { path: top, reason: "a link took its place while it was read".to_owned() });
        }
        Err(error) => return Err(skip(error.to_string())),
    };
    // The stamp comes from the open file, before its content: a change after this moment gives another stamp.
    let stamp = handle.metadata().map_err(|error| skip(error.to_string()))?;
    // The file may have grown since the walk.
    handle.by_ref().take(NEVER_READ).read_to_end(&mut bytes).map_err(|error| skip(error.to_string()))?;
    let bytes = syntax::decode_text(bytes);
    let mut stamp = walk::file_stamp(&stamp);
    if stamp.modified / 1_000_000 > now.0 - STABLE_MILLIS {
        stamp.modified = 0;
    }
    let language = syntax::language_of(&file.path, &bytes).map(syntax::Language::name);
    // By the size on the disk, with which the next plan compares.
    let made = making.extractor_fingerprint(language, stamp.bytes).expect("a language that was just found is known");
    Ok(SourceContent { hash: ContentHash::hash_bytes(&bytes), made, stamp, path: file.path, bytes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::IndexSettings;

    fn found(path: &str, bytes: u64) -> ScannedFile {
        ScannedFile { path: path.to_owned(), stamp: FileStamp { bytes, modified: 7 } }
    }

    #[test]
    fn batches_hold_at_most_what_they_may_and_lose_nothing() {
        let files = (0..7).map(|n| found(&n.to_string(), 4)).collect();
        let sizes: Vec<usize> = split_batches(files, 3, 9).iter().map(Vec::len).collect();
        assert_eq!(sizes, [2, 2, 2, 1]);
        assert_eq!(split_batches(vec![found("big", 100)], 3, 9).len(), 1);
    }

    #[test]
    fn a_file_is_read_again_only_when_its_stamp_differs() {
        let settings = IndexSettings { max_file_bytes: 9, ..IndexSettings::default() };
        let making = Fingerprinter::new(&settings, None);
        let before = |path: &str, modified| TreeFile {
            path: path.to_owned(),
            hash: ContentHash::hash_bytes(b""),
            made: making.extractor_fingerprint(None, 4).expect("files of no language are known"),
            stamp: FileStamp { bytes: 4, modified },
            file: store::FileId(1),
            language: None,
            lines: 1,
            first_unit: store::UnitId(0),
            units: 1,
        };
        let found = ["same", "touched", "new", "untrusted", "otherwise"].map(|path| found(path, 4));
        let mut known = [("same", 7), ("touched", 6), ("gone", 7), ("untrusted", 0), ("otherwise", 7)]
            .map(|(path, at)| before(path, at));
        known[4].made = Fingerprint(0);
        let plan = IndexPlan::from_files(found.into(), &known, &making);
        let changed: Vec<&str> = plan.changed.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(
            (changed, plan.removed),
            (vec!["touched", "new", "untrusted", "otherwise"], vec!["gone".to_owned()])
        );
    }
}
