//! Asks git which files changed together with some files in the past, for the tests that an impact report names. Only
//! commits and trees are read (`rev-list`, `diff-tree`), never the working tree.

use crate::base::Project;
use crate::code::git::git_command;
use crate::code::graph::is_test_file;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

/// How far back commits are looked at: what changed together long before says little about now.
const MOST_COMMITS: usize = 4_000;

/// How many commits that touch the files are compared.
const MOST_TOUCHING: usize = 200;

/// A commit of more files says little about any two of them: a rename, a formatter, a licence.
const LARGEST_COMMIT: usize = 40;

/// For how many files git is asked.
const MOST_PATHS: usize = 100;

/// How many of the newest commits that change tests say which tests change often.
const MOST_RECENT: usize = 300;

/// Among how many commits those are looked for.
const RECENT_COMMITS: &str = "--max-count=1000";

/// What changed in the past.
#[derive(Debug, Default, PartialEq)]
pub(super) struct ChangeHistory {
    /// The files that changed together with the asked ones.
    pub(super) shared: BTreeMap<String, SharedCommits>,
    /// In how many of the newest commits that change tests each of their files changed.
    recent: HashMap<String, u32>,
    /// The number of those commits.
    recent_commits: u32,
    /// The number of commits that touch one of the asked files.
    pub(super) commits: u32,
}

impl ChangeHistory {
    /// The share of the newest commits with tests in which a file changed; more than 0 for every file.
    pub(super) fn recent_share(&self, path: &str) -> f32 {
        let times = self.recent.get(path).copied().unwrap_or_default();
        (times as f32 + 0.1) / (self.recent_commits as f32 + 2.0)
    }
}

/// How often a file changed together with others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SharedCommits {
    /// Commits that touch it and at least one of the others.
    pub(super) together: u32,
    /// Commits that touch one of the others.
    pub(super) of: u32,
    /// The one of the others with which it changed most often, by its place in the list that was asked for.
    pub(super) with: usize,
}

/// The files that changed in commits together with one of `paths`, before `revision`, which counts itself; empty where
/// the project has no history that git can read.
pub(super) fn changed_together(project: &Project, revision: Option<&str>, paths: &[String]) -> ChangeHistory {
    if paths.is_empty() || !project.is_repository() || project.is_foreign_worktree() {
        return ChangeHistory::default();
    }
    let paths = &paths[..paths.len().min(MOST_PATHS)];
    let start = revision.map_or_else(|| Some("HEAD".to_owned()), |revision| first_side(&project.root, revision));
    let Some(start) = start else { return ChangeHistory::default() };
    let of_commits = |commits: Option<String>| {
        commits.and_then(|commits| compare_commits(&project.root, &commits)).unwrap_or_default()
    };
    let newest = run_git(&project.root, &["rev-list", "--no-merges", RECENT_COMMITS, &start, "--"]);
    let (recent, recent_commits) = count_recent(&of_commits(newest));
    let (shared, commits) = count_shared(&of_commits(touching_commits(&project.root, &start, paths)), paths);
    ChangeHistory { shared, recent, recent_commits, commits }
}

/// How often each file changed in the newest commits that change tests and other code, and the number of these.
fn count_recent(commits: &[Vec<String>]) -> (HashMap<String, u32>, u32) {
    let mut counts: HashMap<String, u32> = HashMap::new();
    let changes_both = |files: &&Vec<String>| {
        files.iter().any(|file| is_test_file(file)) && !files.iter().all(|file| is_test_file(file))
    };
    let small = commits.iter().filter(|files| files.len() <= LARGEST_COMMIT);
    let newest: Vec<&Vec<String>> = small.filter(changes_both).take(MOST_RECENT).collect();
    for file in newest.iter().copied().flatten() {
        *counts.entry(file.clone()).or_default() += 1;
    }
    (counts, newest.len() as u32)
}

/// The commit before the change that a revision or range names.
fn first_side(root: &Path, revision: &str) -> Option<String> {
    let or_head = |side: &str| if side.is_empty() { "HEAD".to_owned() } else { side.to_owned() };
    if let Some((left, right)) = revision.split_once("...") {
        return run_git(root, &["merge-base", &or_head(left), &or_head(right)]).map(|base| base.trim().to_owned());
    }
    if let Some((left, _)) = revision.split_once("..") {
        return Some(or_head(left));
    }
    Some(revision.strip_suffix("^!").map_or_else(|| revision.to_owned(), |commit| format!("{commit}^")))
}

/// The newest commits that touch one of the paths, one a line.
fn touching_commits(root: &Path, start: &str, paths: &[String]) -> Option<String> {
    // Without an end, git would compare every commit of a long history for a file that seldom changes.
    let skip = format!("--skip={MOST_COMMITS}");
    let end = run_git(root, &["rev-list", "--max-count=1", &skip, start, "--"])?;
    let end = (!end.trim().is_empty()).then(|| format!("^{}", end.trim()));
    let most = format!("--max-count={MOST_TOUCHING}");
    let mut arguments = vec!["rev-list", "--no-merges", &most, start];
    arguments.extend(end.as_deref());
    arguments.push("--");
    arguments.extend(paths.iter().map(String::as_str));
    run_git(root, &arguments)
}

/// The files of each commit.
fn compare_commits(root: &Path, commits: &str) -> Option<Vec<Vec<String>>> {
    let mut command = git_command(root);
    command
        .args(["-c", "core.quotePath=false", "diff-tree", "--stdin", "-r", "--root", "--no-renames"])
        .args(["--name-only", "--relative", "--no-ext-diff", "--no-textconv"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    let mut ask = child.stdin.take()?;
    let commits = commits.to_owned();
    // Git answers while it is asked: a full pipe on either side would wait for the other for ever.
    let asking = std::thread::spawn(move || ask.write_all(commits.as_bytes()));
    let output = child.wait_with_output().ok()?;
    let is_asked = asking.join().is_ok_and(|written| written.is_ok());
    if !is_asked || !output.status.success() {
        return None;
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let mut all: Vec<Vec<String>> = Vec::new();
    for line in text.lines() {
        let is_commit = matches!(line.len(), 40 | 64) && line.bytes().all(|byte| byte.is_ascii_hexdigit());
        match all.last_mut() {
            _ if is_commit => all.push(Vec::new()),
            Some(files) => files.push(line.to_owned()),
            None => {}
        }
    }
    Some(all)
}

/// What changed with some paths, and the number of commits that touch these.
fn count_shared(commits: &[Vec<String>], paths: &[String]) -> (BTreeMap<String, SharedCommits>, u32) {
    let mut counts: BTreeMap<&str, (u32, BTreeMap<usize, u32>)> = BTreeMap::new();
    let mut of = 0;
    let wanted: HashSet<&str> = paths.iter().map(String::as_str).collect();
    for files in commits.iter().filter(|files| files.len() <= LARGEST_COMMIT) {
        let touched: Vec<usize> = (0..paths.len()).filter(|at| files.iter().any(|file| *file == paths[*at])).collect();
        if touched.is_empty() {
            continue;
        }
        of += 1;
        for file in files.iter().filter(|file| !wanted.contains(file.as_str())) {
            let (together, with) = counts.entry(file).or_default();
            *together += 1;
            for at in &touched {
                *with.entry(*at).or_default() += 1;
            }
        }
    }
    let shared = |(file, (together, with)): (&str, (u32, BTreeMap<usize, u32>))| {
        // Of equals the first, so that equal histories give equal replies.
        let most = with.iter().max_by_key(|(at, count)| (**count, std::cmp::Reverse(**at)));
        let with = most.map_or(0, |(at, _)| *at);
        (file.to_owned(), SharedCommits { together, of, with })
    };
    (counts.into_iter().map(shared).collect(), of)
}

fn run_git(root: &Path, arguments: &[&str]) -> Option<String> {
    let output = git_command(root).args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_counted_with_the_one_they_changed_with_most_and_bulk_commits_are_not() {
        let commit = |files: &[&str]| files.iter().map(|file| (*file).to_owned()).collect::<Vec<_>>();
        let bulk: Vec<String> = (0..LARGEST_COMMIT).map(|at| format!("f{at}.py")).chain(["a.py".to_owned()]).collect();
        let commits = [
            commit(&["a.py", "b.py", "test_a.py"]),
            commit(&["b.py", "test_a.py"]),
            commit(&["b.py", "other.py"]),
            bulk,
        ];
        let (shared, of) = count_shared(&commits, &["a.py".to_owned(), "b.py".to_owned()]);
        let told: Vec<(&str, u32, u32, usize)> =
            shared.iter().map(|(file, shared)| (file.as_str(), shared.together, shared.of, shared.with)).collect();
        assert_eq!((told, of), (vec![("other.py", 1, 3, 1), ("test_a.py", 2, 3, 1)], 3));
        let (recent, of) = count_recent(&commits);
        assert_eq!((recent.get("test_a.py"), recent.get("other.py"), of), (Some(&2), None, 2));
    }
}
