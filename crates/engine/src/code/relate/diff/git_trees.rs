//! Runs git to resolve a revision or range to trees, to list the files of a tree, and to compare two trees.

use super::blobs::{BlobReader, cannot_start};
use super::{FilePair, FileSide, diff_error};
use crate::base::{Error, Result};
use crate::code::git::git_command;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// The two sides of a comparison, by the ids of their trees.
pub(super) struct DiffEndpoints {
    pub(super) before: String,
    /// None where the files on disk are the other side.
    pub(super) after: Option<String>,
}

impl DiffEndpoints {
    pub(super) fn from_revision(root: &Path, revision: &str) -> Result<Self> {
        let or_head = |side: &str| if side.is_empty() { "HEAD".to_owned() } else { side.to_owned() };
        let (before, after) = if let Some((left, right)) = revision.split_once("...") {
            let left = or_head(left);
            let right = or_head(right);
            // `a...b` means the changes of `b` since it left `a`, as in `git diff`.
            let base = run_git(root, revision, &["merge-base", &left, &right])?;
            (String::from_utf8_lossy(&base).trim().to_owned(), Some(right))
        } else if let Some((left, right)) = revision.split_once("..") {
            (or_head(left), Some(or_head(right)))
        } else if let Some(commit) = revision.strip_suffix("^!") {
            (format!("{commit}^"), Some(commit.to_owned()))
        } else {
            (revision.to_owned(), None)
        };
        let tree = |side: &str| {
            let found = run_git(root, revision, &["rev-parse", "--verify", &format!("{side}^{{tree}}")])?;
            Ok::<_, Error>(String::from_utf8_lossy(&found).trim().to_owned())
        };
        Ok(Self { before: tree(&before)?, after: after.as_deref().map(tree).transpose()? })
    }
}

/// The output of git; where git fails, its first line of error is the reason.
pub(super) fn run_git(root: &Path, revision: &str, arguments: &[&str]) -> Result<Vec<u8>> {
    let output = git_command(root).args(arguments).output().map_err(|error| diff_error(cannot_start(&error)))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.lines().next().unwrap_or_default().trim_start_matches("fatal: ");
    // Git's own words for an unknown revision do not say what is wrong.
    let said = if said.is_empty() || said == "Needed a single revision" { "it knows no such revision" } else { said };
    Err(diff_error(format!("is `{revision}`, and git says: {said}")))
}

/// The kind of a path in git.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GitFileKind {
    File,
    Link,
}

impl GitFileKind {
    /// None for a submodule, which is a project of its own.
    pub(super) fn from_mode(mode: &str) -> Option<Self> {
        match mode {
            "120000" => Some(Self::Link),
            "160000" => None,
            _ => Some(Self::File),
        }
    }
}

/// One file of a tree.
pub(super) struct GitTreeEntry {
    pub(super) path: PathBuf,
    pub(super) id: String,
}

/// The files of a tree below `root`, with paths from there.
pub(super) fn list_tree(root: &Path, tree: &str) -> Result<Vec<GitTreeEntry>> {
    // In a directory of the repository, `ls-tree` lists that directory alone, with paths from there.
    let listed = run_git(root, tree, &["ls-tree", "-r", "-z", tree])?;
    let entry = |record: &[u8]| {
        let (head, path) = split_record(record)?;
        let mut words = head.split(' ');
        let (mode, _, id) = (words.next()?, words.next()?, words.next()?);
        GitFileKind::from_mode(mode).map(|_| GitTreeEntry { path, id: id.to_owned() })
    };
    Ok(listed.split(|byte| *byte == 0).filter_map(entry).collect())
}

/// The files that differ between two trees, with both sides.
pub(super) fn compare_trees(root: &Path, before: &str, after: &str, blobs: &mut BlobReader) -> Result<Vec<FilePair>> {
    let before = list_tree(root, before)?;
    let after = list_tree(root, after)?;
    let mut others: HashMap<&Path, &GitTreeEntry> = before.iter().map(|entry| (&*entry.path, entry)).collect();
    let mut pairs = Vec::new();
    for entry in &after {
        let other = others.remove(&*entry.path);
        // Equal ids are equal contents, so neither side has to be read.
        if other.is_some_and(|other| other.id == entry.id) {
            continue;
        }
        let before = other.map_or(Ok(FileSide::Absent), |other| blobs.read_blob(&other.id))?;
        pairs.push(FilePair { path: text_of(&entry.path), before, after: blobs.read_blob(&entry.id)? });
    }
    for entry in before.iter().filter(|entry| others.contains_key(&*entry.path)) {
        pairs.push(FilePair {
            path: text_of(&entry.path),
            before: blobs.read_blob(&entry.id)?,
            after: FileSide::Absent,
        });
    }
    Ok(pairs)
}

/// `MODE TYPE ID<tab>PATH`.
pub(super) fn split_record(record: &[u8]) -> Option<(&str, PathBuf)> {
    let tab = record.iter().position(|byte| *byte == b'\t')?;
    let head = std::str::from_utf8(&record[..tab]).ok()?;
    Some((head, PathBuf::from(OsStr::from_bytes(&record[tab + 1..]))))
}

/// A path as the index names it.
pub(super) fn text_of(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
