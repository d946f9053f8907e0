//! Checks by the inodes in git's index file (`.git/index`) whether a git directory tracks the files of a directory.
//!
//! `git init --separate-git-dir` leaves no link back from the git directory to the project. But git records the inode
//! of every tracked file, and the author of a repository cannot choose the inodes that its files get on this machine:
//! where the recorded inodes are those of our files, the git directory is ours.

use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path};

/// How many bytes of the index are read: enough for some entries, whatever their paths.
const INDEX_PREFIX_BYTES: u64 = 64 << 10;
/// How many entries are compared.
const MAX_COMPARED_ENTRIES: usize = 32;
/// Bytes of an entry before its flags, and those of the flags.
const ENTRY_FIXED_BYTES: usize = 60;
const FLAGS: usize = 2;
/// The flag for two more bytes of flags.
const EXTENDED_FLAG_BIT: u16 = 0x4000;

/// An entry of an index, as far as it identifies a file.
struct IndexEntry {
    inode: u32,
    modified: u32,
    path: String,
}

/// Whether the files that the index of a git directory tracks are those below `root`: at least one is, and no file at a
/// tracked path is another one.
pub(super) fn tracks_files(git: &Path, root: &Path) -> bool {
    let mut bytes = Vec::new();
    let read =
        fs_err::File::open(git.join("index")).and_then(|file| file.take(INDEX_PREFIX_BYTES).read_to_end(&mut bytes));
    if read.is_err() {
        return false;
    }
    let mut same = 0;
    for entry in parse_index_entries(&bytes) {
        // A tracked file may be deleted in the working tree, which proves nothing either way.
        let Ok(file) = fs_err::symlink_metadata(root.join(&entry.path)) else { continue };
        if file.ino() as u32 != entry.inode {
            // An editor that saves by renaming gives a file another inode: then the file is younger than the entry.
            if file.mtime() <= i64::from(entry.modified) {
                return false;
            }
            continue;
        }
        same += 1;
    }
    same > 0
}

/// The first entries of an index; empty for another format or version.
fn parse_index_entries(bytes: &[u8]) -> Vec<IndexEntry> {
    let number = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let (Some(b"DIRC"), Some(2 | 3)) = (bytes.get(..4), number(4)) else { return Vec::new() };
    let mut found = Vec::new();
    let mut at = 12;
    while found.len() < MAX_COMPARED_ENTRIES {
        let (Some(modified), Some(inode)) = (number(at + 8), number(at + 20)) else { break };
        let Some(flags) = bytes.get(at + ENTRY_FIXED_BYTES..at + ENTRY_FIXED_BYTES + FLAGS) else { break };
        let extended = u16::from_be_bytes([flags[0], flags[1]]) & EXTENDED_FLAG_BIT != 0;
        let start = at + ENTRY_FIXED_BYTES + FLAGS + if extended { 2 } else { 0 };
        let Some(length) = bytes.get(start..).and_then(|rest| rest.iter().position(|byte| *byte == 0)) else { break };
        let path = String::from_utf8_lossy(&bytes[start..start + length]).into_owned();
        // The index is untrusted: a path with `..` must not lead out of the project.
        if Path::new(&path).components().all(|part| matches!(part, Component::Normal(_))) {
            found.push(IndexEntry { inode, modified, path });
        }
        // An entry is padded with one to eight zero bytes, so that the next one begins at a multiple of eight.
        at += (start - at + length) / 8 * 8 + 8;
    }
    found
}
