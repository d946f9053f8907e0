//! Finds the files of the working tree that differ from a git tree; they are read here and not by git.
//!
//! Times and sizes in git's index, which save reading files that did not change, come from `--debug` output, whose
//! format git does not guarantee: should it change one day, all files are read, and the result is the same.

use super::blobs::{BlobReader, MOST_BYTES};
use super::git_trees::{GitFileKind, GitTreeEntry, list_tree, run_git, split_record, text_of};
use super::{FilePair, FileSide};
use crate::base::{Result, confined_file};
use std::collections::{BTreeMap, HashMap};
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// A path that git tracks.
#[derive(Debug, PartialEq, Eq)]
struct TrackedFile {
    /// The content when it was added or checked out.
    id: String,
    kind: GitFileKind,
    /// Whether a sparse checkout leaves the file out of the working tree.
    is_left_out: bool,
    seen: Option<CachedStat>,
}

/// The file's state when git last compared it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct CachedStat {
    /// Seconds and nanoseconds.
    modified: (i64, i64),
    bytes: u64,
}

/// The files that differ, with both sides.
pub(super) fn changed_pairs(root: &Path, before: &str, blobs: &mut BlobReader) -> Result<Vec<FilePair>> {
    let written = index_written(root, before)?;
    let mut tracked = parse_tracked(&run_git(root, before, &["ls-files", "-s", "-t", "-z", "--debug"])?);
    let mut pairs = Vec::new();
    for GitTreeEntry { path, id, .. } in list_tree(root, before)? {
        let now = tracked.remove(&path);
        let after = match &now {
            None => FileSide::Absent,
            Some(now) if now.id == id && (now.is_left_out || is_untouched(root, &path, now, written)) => continue,
            Some(now) => read_content(root, &path, now, blobs)?,
        };
        let before = blobs.read_blob(&id)?;
        // A file may have another time and the same content.
        if before != after {
            pairs.push(FilePair { path: text_of(&path), before, after });
        }
    }
    // Files of the tree were removed from the map above; the rest was added since.
    for (path, now) in tracked {
        let after = read_content(root, &path, &now, blobs)?;
        if after != FileSide::Absent {
            pairs.push(FilePair { path: text_of(&path), before: FileSide::Absent, after });
        }
    }
    Ok(pairs)
}

/// When the index was written: a file that changed at that moment or later may have the same time and size as before.
fn index_written(root: &Path, revision: &str) -> Result<Option<(i64, i64)>> {
    let mut path = run_git(root, revision, &["rev-parse", "--git-path", "index"])?;
    path.truncate(path.len().saturating_sub(1));
    let metadata = fs_err::metadata(root.join(std::ffi::OsString::from_vec(path))).ok();
    Ok(metadata.map(|metadata| (metadata.mtime(), metadata.mtime_nsec())))
}

/// Whether a file has the state that git saw before it wrote the index.
fn is_untouched(root: &Path, path: &Path, tracked: &TrackedFile, written: Option<(i64, i64)>) -> bool {
    let (Some(seen), Ok(metadata)) = (tracked.seen, fs_err::symlink_metadata(root.join(path))) else { return false };
    let is_kind = if tracked.kind == GitFileKind::Link { metadata.is_symlink() } else { metadata.is_file() };
    let modified = (metadata.mtime(), metadata.mtime_nsec());
    is_kind
        && seen == CachedStat { modified, bytes: metadata.len() }
        && written.is_some_and(|written| modified < written)
}

/// The present content of a path. The content of a link is its target, and a link is never followed.
fn read_content(root: &Path, path: &Path, tracked: &TrackedFile, blobs: &mut BlobReader) -> Result<FileSide> {
    // A sparse checkout has no file on the disk, and the index holds its content.
    if tracked.is_left_out {
        return blobs.read_blob(&tracked.id);
    }
    let place = root.join(path);
    let folder = place.parent().and_then(|folder| fs_err::canonicalize(folder).ok());
    // Git treats files behind a link in place of a directory as removed.
    if folder.as_deref() != place.parent() {
        return Ok(FileSide::Absent);
    }
    Ok(match fs_err::symlink_metadata(&place) {
        Ok(metadata) if metadata.is_symlink() => {
            let target = fs_err::read_link(&place).map(|target| target.into_os_string().into_vec());
            target.map_or(FileSide::Unread, FileSide::Bytes)
        }
        Ok(metadata) if metadata.is_file() && metadata.len() <= MOST_BYTES => {
            confined_file::read_file(root, path).map_or(FileSide::Unread, FileSide::Bytes)
        }
        Ok(metadata) if metadata.is_file() => FileSide::Unread,
        // A directory, a pipe or nothing has replaced the file.
        Ok(_) | Err(_) => FileSide::Absent,
    })
}

/// Reads what `ls-files` lists: a head and a path, a zero byte, and some lines about times and sizes.
fn parse_tracked(mut listed: &[u8]) -> BTreeMap<PathBuf, TrackedFile> {
    let mut tracked = BTreeMap::new();
    while let Some(zero) = listed.iter().position(|byte| *byte == 0) {
        let record = &listed[..zero];
        let rest = &listed[zero + 1..];
        let (lines, rest) = debug_lines(rest);
        listed = rest;
        let Some((head, path)) = split_record(record) else { continue };
        let words: Vec<&str> = head.split(' ').collect();
        if let [tag, mode, id, _stage] = words[..]
            && let Some(kind) = GitFileKind::from_mode(mode)
        {
            // `S` is the tag of entries that a sparse checkout skips.
            let is_left_out = tag.eq_ignore_ascii_case("S");
            tracked.insert(path, TrackedFile { id: id.to_owned(), kind, is_left_out, seen: parse_stat(lines) });
        }
    }
    tracked
}

/// The lines about one file, each of which starts with two blanks.
fn debug_lines(text: &[u8]) -> (&[u8], &[u8]) {
    let mut end = 0;
    while text[end..].starts_with(b"  ") {
        let Some(line) = text[end..].iter().position(|byte| *byte == b'\n') else { break };
        end += line + 1;
    }
    text.split_at(end)
}

fn parse_stat(lines: &[u8]) -> Option<CachedStat> {
    let words: HashMap<&str, &str> = std::str::from_utf8(lines)
        .ok()?
        .split(['\n', '\t'])
        .filter_map(|field| field.trim().split_once(": "))
        .collect();
    let (seconds, nanoseconds) = words.get("mtime")?.split_once(':')?;
    let modified = (seconds.parse().ok()?, nanoseconds.parse().ok()?);
    Some(CachedStat { modified, bytes: words.get("size")?.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_listed_with_what_git_saw_of_them() {
        let listed = b"H 100644 7898 0\ta.py\0  ctime: 1:2\n  mtime: 17:148\n  dev: 6\tino: 1\n  uid: 0\tgid: 0\n  size: 2\tflags: 0\n\
            S 120000 6178 0\tb\"\n  x\0  mtime: none\nH 160000 aaaa 0\tlib\0H 100755 bbbb 0\tc\0";
        let tracked = parse_tracked(listed);
        let row = |id: &str, kind, is_left_out, seen| TrackedFile { id: id.to_owned(), kind, is_left_out, seen };
        let seen = Some(CachedStat { modified: (17, 148), bytes: 2 });
        let expected = [
            ("a.py", row("7898", GitFileKind::File, false, seen)),
            ("b\"\n  x", row("6178", GitFileKind::Link, true, None)),
            ("c", row("bbbb", GitFileKind::File, false, None)),
        ];
        assert_eq!(tracked, expected.map(|(path, row)| (PathBuf::from(path), row)).into());
    }
}
