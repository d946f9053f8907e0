//! Reads which commit a checkout is at from the files of its git directory, without running git: it is asked before every
//! question. A repository whose references are kept in another form has no answer here.

use super::repository::read_own_file;
use std::path::{Component, Path, PathBuf};

/// The commit that the checkout with this top is at; `common` is its git directory, shared by all worktrees.
pub(super) fn head_commit(top: &Path, common: &Path) -> Option<String> {
    let dot_git = top.join(".git");
    // A linked worktree has a HEAD of its own, in the directory that its `.git` file names.
    let private = match read_own_file(&dot_git) {
        Some(text) => dot_git.parent()?.join(text.strip_prefix("gitdir:")?.trim()),
        None => common.to_owned(),
    };
    let head = read_own_file(&private.join("HEAD"))?;
    let Some(name) = head.trim().strip_prefix("ref:").map(str::trim) else { return as_commit(&head) };
    let name = as_reference(name)?;
    let loose = read_own_file(&private.join(&name)).or_else(|| read_own_file(&common.join(&name)));
    loose.as_deref().and_then(as_commit).or_else(|| find_packed(common, &name))
}

/// Whether a text is the full name of a commit.
pub(crate) fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn as_commit(text: &str) -> Option<String> {
    let text = text.trim();
    is_commit(text).then(|| text.to_owned())
}

/// The path of a reference below the git directory, which must not lead out of it.
fn as_reference(name: &str) -> Option<PathBuf> {
    let path = Path::new(name);
    let stays = path.components().all(|part| matches!(part, Component::Normal(_)));
    (stays && name.starts_with("refs/")).then(|| path.to_owned())
}

fn find_packed(common: &Path, name: &Path) -> Option<String> {
    let packed = read_own_file(&common.join("packed-refs"))?;
    let name = name.to_str()?;
    packed.lines().find_map(|line| {
        let (commit, reference) = line.split_once(' ')?;
        (reference.trim() == name).then(|| as_commit(commit)).flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

    #[track_caller]
    fn check(files: &[(&str, &str)], expected: Option<&str>) {
        let home = tempfile::tempdir().expect("a directory");
        for (path, text) in files {
            let path = home.path().join(path);
            fs_err::create_dir_all(path.parent().expect("a parent")).expect("creates");
            fs_err::write(path, text).expect("writes");
        }
        let top = if home.path().join("tree").exists() { home.path().join("tree") } else { home.path().to_owned() };
        assert_eq!(head_commit(&top, &home.path().join(".git")).as_deref(), expected, "{files:?}");
    }

    #[test]
    fn the_commit_of_a_checkout_is_found_where_git_keeps_it() {
        let packed = format!("# pack-refs with: peeled\n{COMMIT} refs/heads/main\n");
        check(&[(".git/HEAD", COMMIT)], Some(COMMIT));
        check(&[(".git/HEAD", "ref: refs/heads/main\n"), (".git/refs/heads/main", COMMIT)], Some(COMMIT));
        check(&[(".git/HEAD", "ref: refs/heads/main\n"), (".git/packed-refs", &packed)], Some(COMMIT));
        let own = (".git/worktrees/t/HEAD", "ref: refs/heads/side\n");
        check(&[("tree/.git", "gitdir: ../.git/worktrees/t\n"), own, (".git/refs/heads/side", COMMIT)], Some(COMMIT));
    }

    #[test]
    fn what_is_no_commit_of_the_repository_is_none() {
        check(&[(".git/HEAD", "ref: refs/heads/unborn\n")], None);
        check(&[(".git/HEAD", "ref: refs/../../secret\n"), ("secret", COMMIT)], None);
        check(&[(".git/HEAD", "ref: config\n"), (".git/config", COMMIT)], None);
        check(&[(".git/HEAD", "not a commit")], None);
    }
}
