//! Installs, checks and removes git hooks (`post-commit`, `pre-push`, …) that tell Epitome when files change and before
//! a push. An existing hook moves aside; ours runs it first, with the same arguments and input, and returns its exit
//! status; removal moves it back. Git is asked where its hooks are (`core.hooksPath`). A cloned repository may name any
//! place there: only one that belongs to the project, or that the user named, is written to.

mod push;
mod script;

pub(crate) use push::push_ranges;

use engine::{Project, git_command};
use fs_err as fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// What git tells us of.
pub(crate) const EVENTS: [&str; 5] = ["post-commit", "post-merge", "post-checkout", "post-rewrite", "pre-push"];

/// How the name of a hook ends that was there before ours.
const PREVIOUS_HOOK_SUFFIX: &str = "before-epitome";

/// How one hook stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GitHookStatus {
    /// No hook exists.
    None,
    /// A hook of the user or of another tool, and not ours.
    Others,
    /// Ours.
    Ours,
    /// Ours, which first runs the hook that was there before.
    Chained,
}

impl GitHookStatus {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Others => "not ours",
            Self::Ours => "ours",
            Self::Chained => "ours, after the one that was there",
        }
    }
}

/// The folder in which git looks for the hooks of a worktree.
pub(crate) struct GitHooks {
    pub(crate) folder: PathBuf,
}

impl GitHooks {
    /// Asks git; the error is git's own, or says that the folder is outside of the project.
    pub(crate) fn for_project(project: &Project) -> io::Result<Self> {
        let folder = project.root.join(run_git(&project.root, &["rev-parse", "--git-path", "hooks"])?);
        // A cloned repository can set `core.hooksPath` to any folder of the user, and must not make us write there.
        if belongs_to_project(&folder, project) || is_named_by_user(&project.root) {
            return Ok(Self { folder });
        }
        let reason = format!("its repository names {}, which does not belong to it", folder.display());
        Err(io::Error::new(ErrorKind::PermissionDenied, reason))
    }

    pub(crate) fn hook_status(&self, event: &str) -> GitHookStatus {
        let has_before = self.previous_path(event).exists();
        match fs::read_to_string(self.hook_path(event)) {
            Ok(text) if script::is_ours(&text) && has_before => GitHookStatus::Chained,
            Ok(text) if script::is_ours(&text) => GitHookStatus::Ours,
            Err(error) if error.kind() == ErrorKind::NotFound => GitHookStatus::None,
            // A file that cannot be read as text is not our script.
            Ok(_) | Err(_) => GitHookStatus::Others,
        }
    }

    /// Puts ours in place, and what was there before it behind it.
    pub(crate) fn install_hook(&self, event: &str, program: &Path) -> io::Result<GitHookStatus> {
        fs::create_dir_all(&self.folder)?;
        let path = self.hook_path(event);
        if self.hook_status(event) == GitHookStatus::Others {
            // Two hooks were moved aside one after the other; overwriting the first would lose it.
            if self.previous_path(event).exists() {
                let reason = format!("{} exists already, and would be lost", self.previous_path(event).display());
                return Err(io::Error::new(ErrorKind::AlreadyExists, reason));
            }
            fs::rename(&path, self.previous_path(event))?;
        }
        crate::atomic::replace_file(&path, &script::render_script(event, program))?;
        // Git runs only files that are executable, and skips others without a word.
        fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755))?;
        Ok(self.hook_status(event))
    }

    /// Takes ours away, and puts back the hook that was there. A hook that the user or another tool put in place of
    /// ours stays, and so does the file that ours had moved aside.
    pub(crate) fn uninstall_hook(&self, event: &str) -> io::Result<GitHookStatus> {
        match self.hook_status(event) {
            GitHookStatus::Ours => fs::remove_file(self.hook_path(event))?,
            // The rename puts the former hook back and removes ours in one step.
            GitHookStatus::Chained => fs::rename(self.previous_path(event), self.hook_path(event))?,
            GitHookStatus::None | GitHookStatus::Others => {}
        }
        Ok(self.hook_status(event))
    }

    fn hook_path(&self, event: &str) -> PathBuf {
        self.folder.join(event)
    }

    fn previous_path(&self, event: &str) -> PathBuf {
        self.folder.join(format!("{event}.{PREVIOUS_HOOK_SUFFIX}"))
    }
}

/// Whether a folder lies in the project, or in the git directory that is proven to be its own.
fn belongs_to_project(folder: &Path, project: &Project) -> bool {
    // The folder itself may not exist yet, so the nearest one above it that does is resolved.
    let real = folder.ancestors().find_map(|above| Some((above, fs::canonicalize(above).ok()?)));
    let real = real.map(|(above, real)| real.join(folder.strip_prefix(above).unwrap_or(Path::new(""))));
    let top = project.root.ancestors().find(|above| above.join(".git").exists()).map(Path::to_owned);
    let own = [top, project.git_directory().and_then(|git| fs::canonicalize(git).ok())];
    real.is_some_and(|real| own.iter().flatten().any(|own| real.starts_with(own)))
}

/// Whether `core.hooksPath` stands in the user's own configuration, or in that of the machine.
fn is_named_by_user(worktree: &Path) -> bool {
    let named = run_git(worktree, &["config", "--show-scope", "--get", "core.hooksPath"]);
    named.is_ok_and(|line| ["global\t", "system\t"].iter().any(|scope| line.starts_with(scope)))
}

/// Whether a rebase is under way: it ends with `post-rewrite`, and hooks ignore the commits on the way.
pub(crate) fn is_rebasing(worktree: &Path) -> bool {
    ["rebase-merge", "rebase-apply"].iter().any(|name| {
        run_git(worktree, &["rev-parse", "--git-path", name]).is_ok_and(|path| worktree.join(path).exists())
    })
}

/// What git answers, on one line.
fn run_git(worktree: &Path, arguments: &[&str]) -> io::Result<String> {
    let output = git_command(worktree).args(arguments).output()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(io::Error::other(said.trim().trim_start_matches("fatal: ").to_owned()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim_end_matches('\n').to_owned())
}
