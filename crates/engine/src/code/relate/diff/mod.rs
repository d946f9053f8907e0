//! Computes the changed lines of each file between a git revision and the working tree, or within a range of revisions,
//! for the impact report. Git says what a revision holds; the files of the working tree are read and compared here,
//! because git itself would run the filters that the repository configures. The effect of filters is therefore unknown:
//! line ends are ignored, and files whose content Git LFS keeps elsewhere are reported as not compared.

mod blobs;
mod changed_words;
mod git_trees;
mod line_diff;
mod renames;
mod worktree;

use crate::base::{Error, Project, Result, run_blocking};
use blobs::BlobReader;
use changed_words::changed_words;
pub(super) use changed_words::each_word;
use git_trees::DiffEndpoints;
use line_diff::changed_lines;
use model::LineRange;
use std::collections::BTreeMap;
use std::path::Path;

/// Changed lines of one file after the change; for removed lines, the line before them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ChangedFile {
    pub(super) path: String,
    pub(super) lines: Vec<LineRange>,
    /// The words of lines that were added or removed, with the number of these lines.
    pub(super) words: BTreeMap<String, u32>,
}

/// The result of a comparison.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct DiffReport {
    /// In the order of their paths.
    pub(super) changed: Vec<ChangedFile>,
    /// Files that may have changed, but whose content before is not in the repository.
    pub(super) not_compared: Vec<String>,
}

/// One side of a file that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
enum FileSide {
    /// There is no such file.
    Absent,
    /// Its content.
    Bytes(Vec<u8>),
    /// The file is too large to read, or missing from the repository.
    Unread,
}

/// A file that differs, with both sides.
struct FilePair {
    path: String,
    before: FileSide,
    after: FileSide,
}

/// What differs between `revision` and the files on disk, or within a range of revisions.
pub(super) async fn compute_diff(project: &Project, revision: &str) -> Result<DiffReport> {
    // A revision that begins with a dash would be an option of git.
    let is_option = |word: &str| word.starts_with('-');
    let pieces = || revision.split("...").flat_map(|side| side.split(".."));
    if revision.is_empty() || revision.contains(char::is_whitespace) || pieces().any(is_option) {
        let reason = format!("is `{revision}`: write a revision or a range, such as HEAD, main or main...HEAD");
        return Err(diff_error(reason));
    }
    if !project.is_repository() {
        return Err(diff_error(
            "needs a git repository, and the project is in none: name symbols or files instead".into(),
        ));
    }
    if project.is_foreign_worktree() {
        let reason = "fails: the .git of the project names a worktree of a repository that does not name it \
                      back (git worktree repair mends that, where it is yours)";
        return Err(diff_error(reason.to_owned()));
    }
    let root = project.root.clone();
    let revision = revision.to_owned();
    run_blocking("comparing files", move || compare_files(&root, &revision)).await?
}

fn diff_error(reason: String) -> Error {
    Error::Parameter { field: "diff", reason }
}

fn compare_files(root: &Path, revision: &str) -> Result<DiffReport> {
    let ends = DiffEndpoints::from_revision(root, revision)?;
    let mut blobs = BlobReader::open(root)?;
    let pairs = match &ends.after {
        Some(after) => git_trees::compare_trees(root, &ends.before, after, &mut blobs)?,
        None => worktree::changed_pairs(root, &ends.before, &mut blobs)?,
    };
    let mut difference = DiffReport::default();
    // Before lines are compared: otherwise every line of a renamed file would count as changed.
    for pair in renames::join_renames(pairs) {
        match pair {
            FilePair { path, before: FileSide::Bytes(before), after: FileSide::Bytes(after) }
                // One side is an LFS pointer and the other one the content, which cannot be compared.
                if is_pointer(&before) != is_pointer(&after) =>
            {
                difference.not_compared.push(path);
            }
            FilePair { path, before: FileSide::Unread, .. } | FilePair { path, after: FileSide::Unread, .. } => {
                difference.not_compared.push(path);
            }
            FilePair { path, before, after } => {
                let [before, after] =
                    [before, after].map(|side| if let FileSide::Bytes(bytes) = side { syntax::decode_text(bytes) } else { Vec::new() });
                if let Some(lines) = changed_lines(&before, &after) {
                    let words = if lines.is_empty() { BTreeMap::new() } else { changed_words(&before, &after) };
                    difference.changed.push(ChangedFile { path, lines, words });
                }
            }
        }
    }
    difference.changed.sort_by(|a, b| a.path.cmp(&b.path));
    difference.not_compared.sort();
    Ok(difference)
}

/// Whether a file only names content that Git LFS keeps elsewhere.
fn is_pointer(bytes: &[u8]) -> bool {
    bytes.starts_with(b"version https://git-lfs.github.com/spec/")
}
