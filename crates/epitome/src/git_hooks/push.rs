//! Parses the refs that git passes to a `pre-push` hook, lines of `LOCAL-REF LOCAL-ID REMOTE-REF REMOTE-ID`, into the
//! commit ranges that the remote does not have yet.

use super::run_git;
use std::path::Path;

/// The ranges of commits that the remote does not have yet.
pub(crate) fn push_ranges(worktree: &Path, remote: &str, lines: &str) -> Vec<String> {
    lines.lines().filter_map(|line| push_range(worktree, remote, line)).collect()
}

fn push_range(worktree: &Path, remote: &str, line: &str) -> Option<String> {
    let mut words = line.split_whitespace();
    let (_, new, _, old) = (words.next()?, words.next()?, words.next()?, words.next()?);
    // Nothing is pushed where a branch is deleted; git then sends zeros for its id.
    if is_none(new) {
        return None;
    }
    // A branch that is new on the remote begins where it left the default branch; so does one whose remote end is not
    // known here, as after a push from another machine.
    let is_known = |id: &str| !is_none(id) && run_git(worktree, &["cat-file", "-e", id]).is_ok();
    let base = if is_known(old) {
        old.to_owned()
    } else {
        run_git(worktree, &["merge-base", new, &default_branch(worktree, remote)?]).ok()?
    };
    (base != new).then(|| format!("{base}..{new}"))
}

/// The remote's default branch as it was last seen: the one its HEAD leads to, which only a clone notes; else the one of
/// a usual name. A fork that nothing was fetched from yet, or an address without a name, is taken to have what another
/// remote has.
fn default_branch(worktree: &Path, remote: &str) -> Option<String> {
    let configured = run_git(worktree, &["config", "--get", "init.defaultBranch"]).ok();
    let usual = ["HEAD", "main", "master", "trunk", "develop"].map(str::to_owned).into_iter();
    let names: Vec<String> = usual.chain(configured).collect();
    let is_there = |branch: &String| run_git(worktree, &["rev-parse", "--verify", "--quiet", branch]).is_ok();
    let branch_of =
        |remote: &str| names.iter().map(|name| format!("refs/remotes/{remote}/{name}")).find(|branch| is_there(branch));
    let others = || run_git(worktree, &["remote"]).ok()?.lines().find_map(branch_of);
    branch_of(remote).or_else(others)
}

fn is_none(id: &str) -> bool {
    id.bytes().all(|byte| byte == b'0')
}
