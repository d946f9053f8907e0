//! Whether a project is still where it was indexed, and how far its index is behind its repository. A root that the store
//! names is only looked at where callers are on this machine.

use crate::base::{Project, is_commit, run_blocking};
use crate::code::git::git_command;
use model::ProjectId;
use std::path::{Path, PathBuf};

/// Whether a project is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProjectPresence {
    /// One of its directories is there.
    Here,
    /// None of them is there: it was moved, deleted, or is on another machine.
    Missing,
    /// What is there now is another project.
    Replaced,
    /// No directory of it is known, or nobody looked.
    #[default]
    Unknown,
}

impl ProjectPresence {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Here => "here",
            Self::Missing => "missing",
            Self::Replaced => "replaced",
            Self::Unknown => "unknown",
        }
    }
}

/// What was found on disk.
#[derive(Clone, Debug, Default)]
pub(super) struct FoundProject {
    pub(super) presence: ProjectPresence,
    /// The first of its directories that is there.
    pub(super) project: Option<Project>,
    /// Directories that are gone, or hold something else now.
    pub(super) former: Vec<String>,
    /// How many commits the checkout is ahead of the one that was indexed last, where git tells.
    pub(super) behind: Option<u64>,
}

/// Looks for a project in the directories that are known of it, each with the commit that it was last compared at.
pub(super) async fn look_for(id: ProjectId, roots: Vec<(String, Option<String>)>) -> FoundProject {
    let work = move || find_in(&id, &roots);
    run_blocking("looking for a project", work).await.unwrap_or_default()
}

fn find_in(id: &ProjectId, roots: &[(String, Option<String>)]) -> FoundProject {
    let mut found = FoundProject::default();
    let mut is_replaced = false;
    for (root, commit) in roots {
        let at = Path::new(root);
        let there = at.is_dir().then(|| Project::from_directory(at).ok()).flatten();
        match there {
            Some(project) if project.id == *id && project.root == at => {
                if found.project.is_none() {
                    found.behind = commit.as_deref().and_then(|commit| commits_behind(&project, commit));
                    found.project = Some(project);
                }
            }
            other => {
                is_replaced |= other.is_some();
                found.former.push(root.clone());
            }
        }
    }
    found.presence = match (&found.project, roots.is_empty()) {
        (Some(_), _) => ProjectPresence::Here,
        (None, true) => ProjectPresence::Unknown,
        (None, false) if is_replaced => ProjectPresence::Replaced,
        (None, false) => ProjectPresence::Missing,
    };
    found
}

/// How many commits of the checkout are not among those of `commit`.
pub(super) fn commits_behind(project: &Project, commit: &str) -> Option<u64> {
    // The id comes from the store, which others may have written to: anything else would be an option of git.
    if !is_commit(commit) || project.is_foreign_worktree() {
        return None;
    }
    if project.head_commit().as_deref() == Some(commit) {
        return Some(0);
    }
    let range = format!("{commit}..HEAD");
    let output = git_command(&project.root).args(["rev-list", "--count", &range, "--"]).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().parse().ok())?
}

/// The folder of a root.
pub(super) fn folder_name(root: &str) -> Option<String> {
    PathBuf::from(root).file_name().map(|name| name.to_string_lossy().into_owned())
}
