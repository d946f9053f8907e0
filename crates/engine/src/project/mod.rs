//! Which project a path belongs to.
//!
//! A project is its repository, not its directory: all worktrees of a repository are one project, and it stays the same
//! when it is moved ([`repository`] says how it is known). Outside of a repository the directory itself is the project.

mod repository;

use crate::{Error, Result};
use model::{Digest, ProjectId};
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
    pub fn around(path: &Path) -> Result<Self> {
        let start = directory(path)?;
        Ok(Self::rooted(repository_of(&start).unwrap_or(&start)))
    }

    /// The project at `path` itself, which may be one directory of a repository.
    pub fn at(path: &Path) -> Result<Self> {
        Ok(Self::rooted(&directory(path)?))
    }

    /// The project a directory was in that may be gone by now, as worktrees are when their work is done: of what is
    /// left above it only a repository counts, because any other directory would be a project nobody meant.
    pub(crate) fn once_around(path: &Path) -> Option<Self> {
        if path.is_dir() {
            return Self::around(path).ok();
        }
        let left = path.ancestors().find(|above| above.is_dir())?;
        Self::around(left).ok().filter(Self::is_repository)
    }

    fn rooted(root: &Path) -> Self {
        let shared = repository_of(root)
            .and_then(|top| Some((repository::common_git_directory(top)?, root.strip_prefix(top).ok()?)));
        let digest = Digest::new("project");
        let digest = match &shared {
            Some((git, below)) => {
                digest.field(repository::identity(git).as_bytes()).field(below.as_os_str().as_encoded_bytes())
            }
            None => digest.field(root.as_os_str().as_encoded_bytes()),
        };
        Self { id: ProjectId::from_hash(digest.finish()), root: root.to_owned() }
    }

    /// Whether somebody keeps it under version control.
    pub fn is_repository(&self) -> bool {
        repository_of(&self.root).is_some()
    }

    /// The path of the root as text, for rows and replies.
    pub(crate) fn root_text(&self) -> String {
        self.root.to_string_lossy().into_owned()
    }
}

/// An existing directory, or the one an existing file is in.
fn directory(path: &Path) -> Result<PathBuf> {
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
mod tests {
    use super::*;

    #[test]
    fn worktrees_of_a_repository_are_one_project() {
        let home = tempfile::tempdir().expect("a temporary directory");
        let (main, side) = (home.path().join("main"), home.path().join("side"));
        fs_err::create_dir_all(main.join(".git/worktrees/side")).expect("git directories");
        fs_err::create_dir_all(side.join("src")).expect("a worktree");
        fs_err::write(main.join(".git/worktrees/side/commondir"), "../..\n").expect("commondir");
        let pointer = format!("gitdir: {}\n", main.join(".git/worktrees/side").display());
        fs_err::write(side.join(".git"), pointer).expect("a git file");
        let (a, b) = (Project::around(&main), Project::around(&side.join("src")));
        let (a, b) = (a.expect("a project"), b.expect("a project"));
        assert_eq!(a.id, b.id);
        assert_ne!(a.root, b.root);
    }

    #[test]
    fn a_repository_that_was_moved_is_the_same_project() {
        let home = tempfile::tempdir().expect("a temporary directory");
        let config = "[remote \"origin\"]\n\turl = git@example.org:team/app.git\n";
        for config in [None, Some(config)] {
            let (before, after) = (home.path().join("before"), home.path().join("after"));
            fs_err::create_dir_all(before.join(".git")).expect("a git directory");
            if let Some(config) = config {
                fs_err::write(before.join(".git/config"), config).expect("a file");
            }
            let first = Project::around(&before).expect("a project");
            fs_err::rename(&before, &after).expect("it is ours");
            let moved = Project::around(&after).expect("a project");
            assert_eq!((first.id == moved.id, first.root == moved.root), (true, false));
            // Another repository where the first one was is another project, unless it is a clone of the same remote.
            fs_err::create_dir_all(before.join(".git")).expect("a git directory");
            assert_ne!(Project::around(&before).expect("a project").id, moved.id);
            if let Some(config) = config {
                fs_err::remove_file(before.join(".git/epitome-project")).expect("it was left");
                fs_err::write(before.join(".git/config"), config).expect("a file");
                assert_eq!(Project::around(&before).expect("a project").id, moved.id);
            }
            fs_err::remove_dir_all(&before).expect("it is ours");
            fs_err::remove_dir_all(&after).expect("it is ours");
        }
    }

    #[test]
    fn a_repository_that_gets_its_remote_later_stays_the_same_project() {
        let home = tempfile::tempdir().expect("a temporary directory");
        fs_err::create_dir_all(home.path().join(".git")).expect("a git directory");
        let before = Project::around(home.path()).expect("a project");
        let config = "[remote \"origin\"]\n\turl = https://example.org/team/app\n";
        fs_err::write(home.path().join(".git/config"), config).expect("a file");
        assert_eq!(Project::around(home.path()).expect("a project"), before);
    }

    #[test]
    fn a_directory_of_a_repository_can_be_a_project_of_its_own() {
        let home = tempfile::tempdir().expect("a temporary directory");
        fs_err::create_dir_all(home.path().join(".git")).expect("a git directory");
        fs_err::create_dir_all(home.path().join("part")).expect("a part");
        let part = home.path().join("part");
        let (around, at) = (Project::around(&part), Project::at(&part));
        let (around, at) = (around.expect("a project"), at.expect("a project"));
        assert_eq!((around.root.join("part"), around.id == at.id), (at.root, false));
    }

    #[test]
    fn a_worktree_that_is_gone_was_of_the_repository_above_it() {
        let home = tempfile::tempdir().expect("a temporary directory");
        let (app, gone) = (home.path().join("app"), home.path().join("app/.worktrees/1/src"));
        fs_err::create_dir_all(app.join(".git")).expect("a git directory");
        assert_eq!(Project::once_around(&gone), Project::around(&app).ok());
        assert_eq!(Project::once_around(&home.path().join("other/1")), None);
    }

    #[test]
    fn a_plain_directory_is_its_own_project() {
        let home = tempfile::tempdir().expect("a temporary directory");
        let project = Project::around(home.path()).expect("a project");
        assert_eq!(project.root, fs_err::canonicalize(home.path()).expect("a path"));
    }
}
