//! What is about to be pushed, as git tells it: lines of `LOCAL-REF LOCAL-ID REMOTE-REF REMOTE-ID`.

use super::git;
use std::path::Path;

/// The ranges of commits that the remote does not have yet.
pub(crate) fn ranges(worktree: &Path, remote: &str, lines: &str) -> Vec<String> {
    lines.lines().filter_map(|line| range(worktree, remote, line)).collect()
}

fn range(worktree: &Path, remote: &str, line: &str) -> Option<String> {
    let mut words = line.split_whitespace();
    let (_, new, _, old) = (words.next()?, words.next()?, words.next()?, words.next()?);
    // Nothing is pushed where a branch is deleted.
    if is_none(new) {
        return None;
    }
    // A branch that is new there begins where it left what the remote has; so does one whose end is not known here.
    let is_known = |id: &str| !is_none(id) && git(worktree, &["cat-file", "-e", id]).is_ok();
    let base = if is_known(old) {
        old.to_owned()
    } else {
        git(worktree, &["merge-base", new, &default_branch(worktree, remote)?]).ok()?
    };
    (base != new).then(|| format!("{base}..{new}"))
}

/// The remote's default branch as it was last seen: the one its HEAD leads to, which only a clone notes; else the one of
/// a usual name.
fn default_branch(worktree: &Path, remote: &str) -> Option<String> {
    let configured = git(worktree, &["config", "--get", "init.defaultBranch"]).ok();
    let names = ["HEAD", "main", "master", "trunk", "develop"].map(str::to_owned).into_iter();
    let mut branches = names.chain(configured).map(|name| format!("refs/remotes/{remote}/{name}"));
    let is_there = |branch: &String| git(worktree, &["rev-parse", "--verify", "--quiet", branch]).is_ok();
    branches.find(is_there)
}

fn is_none(id: &str) -> bool {
    id.bytes().all(|byte| byte == b'0')
}
