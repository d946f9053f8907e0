//! Finds the project (repository root, id, git directory) that a path belongs to.
//!
//! A project is its repository, not its directory: all worktrees of a repository are one project, and it stays the same
//! when it is moved ([`repository`] says how it is identified). Outside of a repository the directory itself is the
//! project.

mod head;
mod index_proof;
mod proof;
mod repository;
mod rule_files;

pub(crate) use head::is_commit;
pub(crate) use proof::is_git_directory;
pub(crate) use rule_files::{IGNORE_FILES, is_rule_file};

use crate::base::{Error, Result};
use model::{DigestBuilder, ProjectId};
use proof::GitLink;
use std::path::{Path, PathBuf};

/// One checkout of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    /// Its id, the same in every worktree.
    pub id: ProjectId,
    /// The directory that paths are relative to.
    pub root: PathBuf,
}

impl Project {
    /// The project around `path`: the nearest directory above it that has a `.git`, else `path` itself.
    pub fn discover_from(path: &Path) -> Result<Self> {
        let start = resolve_directory(path)?;
        Ok(Self::with_root(repository_of(&start).unwrap_or(&start)))
    }

    /// The project at `path` itself, which may be one directory of a repository.
    pub fn from_directory(path: &Path) -> Result<Self> {
        Ok(Self::with_root(&resolve_directory(path)?))
    }

    /// The project around a directory that may be gone by now, as worktrees are when their work is done: among the
    /// directories above it only a repository counts, because any other directory would be a project that the caller
    /// did not mean.
    pub fn once_around(path: &Path) -> Option<Self> {
        if path.is_dir() {
            return Self::discover_from(path).ok();
        }
        let left = path.ancestors().find(|above| above.is_dir())?;
        Self::discover_from(left).ok().filter(Self::is_repository)
    }

    fn with_root(root: &Path) -> Self {
        let shared =
            repository_of(root).and_then(|top| Some((proven_git_directory(top)?, root.strip_prefix(top).ok()?)));
        let digest = DigestBuilder::new("project");
        let digest = match &shared {
            // The path below the repository is part of the id: a directory of a monorepo is a project of its own.
            Some((git, below)) => digest
                .add_field(repository::repository_identity(git).as_bytes())
                .add_field(below.as_os_str().as_encoded_bytes()),
            // Without a proven git directory the path is the only identity that an untrusted `.git` cannot choose.
            None => digest.add_field(root.as_os_str().as_encoded_bytes()),
        };
        Self { id: ProjectId::from_hash(digest.finish()), root: root.to_owned() }
    }

    /// The git directory that is proven to belong to the project, shared by all its worktrees.
    pub fn git_directory(&self) -> Option<PathBuf> {
        repository_of(&self.root).and_then(proven_git_directory)
    }

    /// Whether its `.git` names a worktree of a repository that does not name it back.
    pub(crate) fn is_foreign_worktree(&self) -> bool {
        repository_of(&self.root).is_some_and(|top| proof::inspect_git_link(top) == GitLink::ForeignWorktree)
    }

    /// The commit that this checkout is at, where its files tell.
    pub(crate) fn head_commit(&self) -> Option<String> {
        let top = repository_of(&self.root)?;
        head::head_commit(top, &proven_git_directory(top)?)
    }

    /// Whether the project is under version control.
    pub fn is_repository(&self) -> bool {
        repository_of(&self.root).is_some()
    }

    /// The path of the root as text, for rows and replies.
    pub(crate) fn root_text(&self) -> String {
        self.root.to_string_lossy().into_owned()
    }
}

fn proven_git_directory(top: &Path) -> Option<PathBuf> {
    match proof::inspect_git_link(top) {
        GitLink::Proven(git) => Some(git),
        GitLink::ForeignWorktree | GitLink::Unproven => None,
    }
}

/// An existing directory, or the one an existing file is in.
fn resolve_directory(path: &Path) -> Result<PathBuf> {
    let real = fs_err::canonicalize(path).map_err(|error| {
        if error.kind() == std::io::ErrorKind::NotFound {
            Error::Parameter { field: "project", reason: format!("is {}, which does not exist", path.display()) }
        } else {
            Error::Disk(error)
        }
    })?;
    Ok(if real.is_dir() { real } else { real.parent().unwrap_or(&real).to_owned() })
}

fn repository_of(directory: &Path) -> Option<&Path> {
    directory.ancestors().find(|directory| directory.join(".git").exists())
}

#[cfg(test)]
mod tests;
