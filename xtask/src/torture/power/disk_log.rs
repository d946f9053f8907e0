//! Reads what `record.c` noted about the files of a process, and rebuilds them as a power cut at any point may leave
//! them: what was synced is there, and of everything else any part may be.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use anyhow::{Context as _, Result, bail};

use crate::seeded_random::SeededRandom;

/// What a disk writes in one go: of a longer write any part may be missing.
const SECTOR_BYTES: usize = 512;

/// The numbers of kinds of records, as in `record.c`; the last is written by us.
const WRITE: u64 = 1;
const TRUNCATE: u64 = 2;
const SYNC: u64 = 3;
const CREATE: u64 = 4;
const LIST: u64 = 5;
const SYNC_FOLDER: u64 = 6;
const SAID: u64 = 7;
const MARK: u64 = 8;

/// Something that happened to files, by their inodes, or that was said meanwhile.
pub(super) enum DiskAct {
    Write {
        file: u64,
        at: usize,
        bytes: Vec<u8>,
    },
    Truncate {
        file: u64,
        size: usize,
    },
    Sync {
        file: u64,
    },
    Create {
        file: u64,
    },
    /// All that a folder holds from now on.
    List {
        folder: u64,
        path: String,
        entries: FolderListing,
    },
    SyncFolder {
        folder: u64,
    },
    /// What went to standard output.
    Said(Vec<u8>),
    /// A process begins or has ended.
    Mark(String),
}

type FolderListing = BTreeMap<String, ListedEntry>;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct ListedEntry {
    inode: u64,
    is_folder: bool,
}

/// The bytes of a mark, to be added to a log between two processes.
pub(super) fn encode_mark(name: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    for number in [MARK, 0, 0, name.len() as u64, 0] {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    bytes.extend_from_slice(name.as_bytes());
    bytes
}

/// Every act of a log, in the order of their effects.
pub(super) fn read_acts(log: &Path) -> Result<Vec<DiskAct>> {
    let bytes = fs_err::read(log)?;
    let mut rest = bytes.as_slice();
    let mut acts = Vec::new();
    while !rest.is_empty() {
        let mut number = || -> Result<u64> {
            let (head, behind) = rest.split_first_chunk::<8>().context("the log ends within a head")?;
            rest = behind;
            Ok(u64::from_le_bytes(*head))
        };
        let [kind, inode, at, length, path_length] = [number()?, number()?, number()?, number()?, number()?];
        let (path, behind) = rest.split_at_checked(path_length as usize).context("the log ends within a path")?;
        let (body, behind) = behind.split_at_checked(length as usize).context("the log ends within a record")?;
        rest = behind;
        let at = at as usize;
        acts.push(match kind {
            WRITE => DiskAct::Write { file: inode, at, bytes: body.to_vec() },
            TRUNCATE => DiskAct::Truncate { file: inode, size: at },
            SYNC => DiskAct::Sync { file: inode },
            CREATE => DiskAct::Create { file: inode },
            LIST => {
                let path = String::from_utf8_lossy(path).into_owned();
                DiskAct::List { folder: inode, path, entries: parse_listing(&String::from_utf8_lossy(body))? }
            }
            SYNC_FOLDER => DiskAct::SyncFolder { folder: inode },
            SAID => DiskAct::Said(body.to_vec()),
            MARK => DiskAct::Mark(String::from_utf8_lossy(body).into_owned()),
            _ => bail!("the log has a record of kind {kind}"),
        });
    }
    Ok(acts)
}

fn parse_listing(text: &str) -> Result<FolderListing> {
    let entry = |line: &str| {
        let (kind, rest) = line.split_once(' ')?;
        let (inode, name) = rest.split_once(' ')?;
        Some((name.to_owned(), ListedEntry { inode: inode.parse().ok()?, is_folder: kind == "d" }))
    };
    text.lines().map(|line| entry(line).with_context(|| format!("no entry: `{line}`"))).collect()
}

/// What becomes of changes that were not synced.
#[derive(Clone, Copy, Debug)]
pub(super) enum UnsyncedFate {
    Dropped,
    Kept,
    /// Each is kept or not.
    Some,
    /// Of each any part is kept. Of folders the same as `Some`: an entry has no parts.
    Torn,
}

pub(super) const FATES: [UnsyncedFate; 4] =
    [UnsyncedFate::Dropped, UnsyncedFate::Kept, UnsyncedFate::Some, UnsyncedFate::Torn];

/// A disk on which acts happen, with what is safe on it and what is not yet.
#[derive(Default)]
pub(super) struct CrashedDisk<'a> {
    files: HashMap<u64, FileHistory<'a>>,
    folders: HashMap<u64, FolderHistory<'a>>,
    root: Option<u64>,
}

#[derive(Default)]
struct FileHistory<'a> {
    synced: Vec<u8>,
    unsynced: Vec<&'a DiskAct>,
}

#[derive(Default)]
struct FolderHistory<'a> {
    synced: FolderListing,
    /// What it listed since, oldest first.
    unsynced: Vec<&'a FolderListing>,
}

impl<'a> CrashedDisk<'a> {
    /// The disk after some acts below a root that was there before them.
    pub(super) fn after_acts(acts: &'a [DiskAct], root: &Path) -> Self {
        let mut disk = Self::default();
        for act in acts {
            match act {
                DiskAct::Write { file, .. } | DiskAct::Truncate { file, .. } => {
                    disk.files.entry(*file).or_default().unsynced.push(act);
                }
                DiskAct::Sync { file } => {
                    let file = disk.files.entry(*file).or_default();
                    for act in std::mem::take(&mut file.unsynced) {
                        apply_whole(&mut file.synced, act);
                    }
                }
                DiskAct::Create { file } => drop(disk.files.insert(*file, FileHistory::default())),
                DiskAct::List { folder, path, entries } => {
                    if Path::new(path) == root {
                        disk.root = Some(*folder);
                    }
                    disk.folders.entry(*folder).or_default().unsynced.push(entries);
                }
                DiskAct::SyncFolder { folder } => {
                    let folder = disk.folders.entry(*folder).or_default();
                    if let Some(last) = folder.unsynced.drain(..).next_back() {
                        folder.synced = last.clone();
                    }
                }
                DiskAct::Said(_) | DiskAct::Mark(_) => {}
            }
        }
        disk
    }

    /// Writes what is left of the files when the power goes.
    pub(super) fn rebuild(
        &self,
        into: &Path,
        files: UnsyncedFate,
        folders: UnsyncedFate,
        chance: &mut SeededRandom,
    ) -> Result<()> {
        fs_err::create_dir_all(into)?;
        match self.root {
            Some(root) => self.rebuild_folder(root, into, files, folders, chance),
            None => Ok(()),
        }
    }

    fn rebuild_folder(
        &self,
        folder: u64,
        into: &Path,
        files: UnsyncedFate,
        folders: UnsyncedFate,
        chance: &mut SeededRandom,
    ) -> Result<()> {
        let Some(history) = self.folders.get(&folder) else { return Ok(()) };
        for (name, entry) in history.left_entries(folders, chance) {
            let place = into.join(&name);
            if entry.is_folder {
                fs_err::create_dir_all(&place)?;
                self.rebuild_folder(entry.inode, &place, files, folders, chance)?;
            } else {
                let content = self.files.get(&entry.inode).map(|file| file.left_content(files, chance));
                fs_err::write(&place, content.unwrap_or_default())?;
            }
        }
        Ok(())
    }
}

impl FolderHistory<'_> {
    /// The entries that are left. Each name has one of the states it had since the folder was synced.
    fn left_entries(&self, fate: UnsyncedFate, chance: &mut SeededRandom) -> FolderListing {
        let states: Vec<&FolderListing> = std::iter::once(&self.synced).chain(self.unsynced.iter().copied()).collect();
        let mut names: Vec<&String> = states.iter().flat_map(|state| state.keys()).collect();
        names.sort_unstable();
        names.dedup();
        let mut left = FolderListing::new();
        for name in names {
            let state = match fate {
                UnsyncedFate::Dropped => 0,
                UnsyncedFate::Kept => states.len() - 1,
                UnsyncedFate::Some | UnsyncedFate::Torn => chance.number_below(states.len() as u64) as usize,
            };
            left.extend(states[state].get(name).map(|entry| (name.clone(), *entry)));
        }
        left
    }
}

impl FileHistory<'_> {
    fn left_content(&self, fate: UnsyncedFate, chance: &mut SeededRandom) -> Vec<u8> {
        let mut content = self.synced.clone();
        for act in &self.unsynced {
            match fate {
                UnsyncedFate::Torn => apply_torn(&mut content, act, chance),
                UnsyncedFate::Kept => apply_whole(&mut content, act),
                UnsyncedFate::Some if chance.number_below(2) == 0 => apply_whole(&mut content, act),
                UnsyncedFate::Dropped | UnsyncedFate::Some => {}
            }
        }
        content
    }
}

fn apply_whole(content: &mut Vec<u8>, act: &DiskAct) {
    match act {
        DiskAct::Write { at, bytes, .. } => {
            let end = at + bytes.len();
            content.resize(content.len().max(end), 0);
            content[*at..end].copy_from_slice(bytes);
        }
        DiskAct::Truncate { size, .. } => content.resize(*size, 0),
        DiskAct::Sync { .. }
        | DiskAct::Create { .. }
        | DiskAct::List { .. }
        | DiskAct::SyncFolder { .. }
        | DiskAct::Said(_)
        | DiskAct::Mark(_) => {}
    }
}

/// Sectors of a write, each of which reached the disk or not; the size may have, with or without them.
fn apply_torn(content: &mut Vec<u8>, act: &DiskAct, chance: &mut SeededRandom) {
    let DiskAct::Write { at, bytes, .. } = act else {
        if chance.number_below(2) == 0 {
            apply_whole(content, act);
        }
        return;
    };
    if chance.number_below(2) == 0 {
        content.resize(content.len().max(at + bytes.len()), 0);
    }
    let mut start = *at;
    while start < at + bytes.len() {
        let end = ((start / SECTOR_BYTES + 1) * SECTOR_BYTES).min(at + bytes.len());
        if chance.number_below(2) == 0 {
            content.resize(content.len().max(end), 0);
            content[start..end].copy_from_slice(&bytes[start - at..end - at]);
        }
        start = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listing(names: &[(&str, u64)]) -> FolderListing {
        names
            .iter()
            .map(|(name, inode)| ((*name).to_owned(), ListedEntry { inode: *inode, is_folder: false }))
            .collect()
    }

    fn write(file: u64, at: usize, text: &str) -> DiskAct {
        DiskAct::Write { file, at, bytes: text.as_bytes().to_vec() }
    }

    fn list(names: &[(&str, u64)]) -> DiskAct {
        DiskAct::List { folder: 1, path: "/root".to_owned(), entries: listing(names) }
    }

    #[test]
    fn what_was_not_synced_is_dropped_or_kept_and_what_was_is_always_there() {
        let acts = [
            list(&[("old", 2)]),
            write(2, 0, "safe"),
            DiskAct::Sync { file: 2 },
            DiskAct::SyncFolder { folder: 1 },
            write(2, 4, " and not"),
            list(&[("new", 3)]),
            write(3, 0, "other"),
        ];
        let check = |fate: UnsyncedFate, expected: &[(&str, &str)]| {
            let into = std::env::temp_dir().join(format!("epitome-disk-log-{}-{fate:?}", std::process::id()));
            let disk = CrashedDisk::after_acts(&acts, Path::new("/root"));
            disk.rebuild(&into, fate, fate, &mut SeededRandom::new(1)).expect("rebuilt");
            let mut found: Vec<(String, String)> = fs_err::read_dir(&into)
                .expect("a folder")
                .map(|entry| entry.expect("an entry").path())
                .map(|path| {
                    (
                        path.file_name().expect("a name").to_string_lossy().into_owned(),
                        fs_err::read_to_string(path).expect("text"),
                    )
                })
                .collect();
            found.sort();
            fs_err::remove_dir_all(&into).expect("ours");
            let expected: Vec<(String, String)> =
                expected.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
            assert_eq!(found, expected);
        };
        check(UnsyncedFate::Dropped, &[("old", "safe")]);
        check(UnsyncedFate::Kept, &[("new", "other")]);
    }

    #[test]
    fn a_mark_is_read_back_from_a_log() {
        let log = std::env::temp_dir().join(format!("epitome-disk-mark-{}", std::process::id()));
        fs_err::write(&log, [encode_mark("one"), encode_mark("two")].concat()).expect("writes");
        let acts = read_acts(&log).expect("reads");
        fs_err::remove_file(&log).expect("ours");
        let names: Vec<&str> = acts
            .iter()
            .filter_map(|act| if let DiskAct::Mark(name) = act { Some(name.as_str()) } else { None })
            .collect();
        assert_eq!(names, ["one", "two"]);
    }
}
