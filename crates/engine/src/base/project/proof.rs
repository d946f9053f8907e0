//! Verifies that the git directory which a `.git` file names belongs to the project, against forged `.git` files.
//!
//! An untrusted repository may hold a `.git` file that names any directory of this machine. Such a directory is not
//! read, not written to, and its project is not joined, unless the directory proves that it belongs here:
//!
//! ```text
//! .git is a directory         it lies in the project, and holds HEAD, objects and refs
//! a linked worktree           lies in `worktrees` of the shared git directory, and its file `gitdir` names our `.git`
//! a submodule                 its configuration names our directory as `core.worktree`
//! a separate directory        its index tracks the very files that lie here (`index_proof`)
//! ```

use super::index_proof;
use super::repository::{core_worktree, read_own_file};
use std::path::{Path, PathBuf};

/// The target of a directory's `.git`.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum GitLink {
    /// The git directory that all worktrees of this repository share.
    Proven(PathBuf),
    /// A worktree of a repository that does not name it back. Git would write to that repository when it is run here.
    ForeignWorktree,
    /// A directory without proof.
    Unproven,
}

/// Inspects the `.git` of `root`, whose path is free of links.
pub(super) fn inspect_git_link(root: &Path) -> GitLink {
    let dot_git = root.join(".git");
    // Not followed: a link in place of `.git` may lead to the repository of another project.
    let is_directory = fs_err::symlink_metadata(&dot_git).is_ok_and(|metadata| metadata.is_dir());
    if is_directory {
        return if is_git_directory(&dot_git) { GitLink::Proven(dot_git) } else { GitLink::Unproven };
    }
    let Some(private) = resolve_git_pointer(root, &dot_git) else { return GitLink::Unproven };
    match read_own_file(&private.join("commondir")) {
        Some(common) => linked_worktree(&dot_git, &private, common.trim()),
        None if is_submodule(root, &private) => GitLink::Proven(private),
        None if is_git_directory(&private) && index_proof::tracks_files(&private, root) => GitLink::Proven(private),
        None => GitLink::Unproven,
    }
}

/// The target of a `.git` that is a file or a link, without links.
fn resolve_git_pointer(root: &Path, dot_git: &Path) -> Option<PathBuf> {
    let target = match read_own_file(dot_git) {
        Some(text) => root.join(text.strip_prefix("gitdir:")?.trim()),
        None => dot_git.to_owned(),
    };
    fs_err::canonicalize(target).ok()
}

/// Both directions must agree: an attacker can write a directory that names a repository and us, but not into that
/// repository.
fn linked_worktree(dot_git: &Path, private: &Path, common: &str) -> GitLink {
    let shared = fs_err::canonicalize(private.join(common))
        .ok()
        // The private directory has to be inside of the shared one, or a forged `commondir` could name any repository.
        .filter(|shared| private.parent() == Some(shared.join("worktrees").as_path()) && is_git_directory(shared));
    let names_us =
        read_own_file(&private.join("gitdir")).is_some_and(|back| is_same(&private.join(back.trim()), dot_git));
    match shared {
        Some(shared) if names_us => GitLink::Proven(shared),
        _ => GitLink::ForeignWorktree,
    }
}

/// Whether two paths name one `.git`, which is not followed if it is a link.
fn is_same(back: &Path, dot_git: &Path) -> bool {
    let folder = back.parent().and_then(|folder| fs_err::canonicalize(folder).ok());
    back.file_name() == dot_git.file_name() && folder.as_deref() == dot_git.parent()
}

fn is_submodule(root: &Path, private: &Path) -> bool {
    let named = ["config.worktree", "config"]
        .iter()
        .find_map(|name| read_own_file(&private.join(name)).and_then(|config| core_worktree(&config)));
    let worktree = named.and_then(|worktree| fs_err::canonicalize(private.join(worktree)).ok());
    is_git_directory(private) && worktree.as_deref() == Some(root)
}

/// Whether a directory holds the parts that every repository has.
pub(crate) fn is_git_directory(path: &Path) -> bool {
    path.join("HEAD").is_file() && path.join("objects").is_dir() && path.join("refs").is_dir()
}
