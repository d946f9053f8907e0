//! Which lines of which files a change touches, as git tells it.

use crate::{Error, Project, Result};
use model::LineRange;
use std::process::Stdio;
use tokio::process::Command;

/// Lines of one file as it is after the change; for lines taken away, the line before them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Changed {
    pub(super) path: String,
    pub(super) lines: Vec<LineRange>,
}

/// Asks git what differs between `revision` and the files on disk, or within a range of revisions.
pub(super) async fn changed(project: &Project, revision: &str) -> Result<Vec<Changed>> {
    if revision.is_empty() || revision.starts_with('-') || revision.contains(char::is_whitespace) {
        let reason = format!("is `{revision}`: write a revision or a range, such as HEAD, main or main...HEAD");
        return Err(Error::Parameter { field: "diff", reason });
    }
    if !project.is_repository() {
        let reason = "needs a git repository, and the project is in none: name symbols or files instead".to_owned();
        return Err(Error::Parameter { field: "diff", reason });
    }
    let mut command = Command::new("git");
    command
        .args(["-c", "core.quotePath=false", "-c", "core.fsmonitor=false", "diff", "--no-color", "--no-ext-diff"])
        .args(["--no-textconv", "--unified=0", "--find-renames", "--relative", revision, "--"])
        .current_dir(&project.root)
        .stdin(Stdio::null());
    let output = command.output().await.map_err(|error| Error::Parameter {
        field: "diff",
        reason: format!("needs git, which cannot be started: {error}"),
    })?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.lines().next().unwrap_or("git failed").trim_start_matches("fatal: ").to_owned();
        return Err(Error::Parameter { field: "diff", reason: format!("is `{revision}`, and git says: {said}") });
    }
    Ok(parse(&String::from_utf8_lossy(&output.stdout)))
}

/// Reads a diff without context lines.
fn parse(diff: &str) -> Vec<Changed> {
    let mut files: Vec<Changed> = Vec::new();
    let mut gone = String::new();
    for line in diff.lines() {
        if let Some(path) = line.strip_prefix("--- ") {
            path.strip_prefix("a/").unwrap_or(path).trim_end_matches('\t').clone_into(&mut gone);
        } else if let Some(path) = line.strip_prefix("+++ ") {
            // A file that is gone is told by what it was called.
            let path = path.strip_prefix("b/").unwrap_or(&gone).trim_end_matches('\t').to_owned();
            files.push(Changed { path, lines: Vec::new() });
        } else if let (Some(range), Some(file)) = (hunk(line), files.last_mut()) {
            file.lines.push(range);
        }
    }
    files
}

/// `@@ -1,2 +3,4 @@` gives the lines 3 to 6.
fn hunk(line: &str) -> Option<LineRange> {
    let after = line.strip_prefix("@@ -")?.split_whitespace().nth(1)?.strip_prefix('+')?;
    let (start, count) = after.split_once(',').unwrap_or((after, "1"));
    let (start, count): (u32, u32) = (start.parse().ok()?, count.parse().ok()?);
    let start = start.max(1);
    Some(LineRange { start, end: start + count.saturating_sub(1) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn a_diff_is_read_as_lines_after_the_change() {
        let diff = "diff --git a/src/a.rs b/src/a.rs\n--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,0 +2,3 @@ fn x\n+a\n+b\n+c\n\
                    @@ -9,2 +11,0 @@\n-x\n-y\n--- a/old.py\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-x\n";
        let told: Vec<String> = parse(diff)
            .iter()
            .map(|file| {
                let lines: Vec<String> =
                    file.lines.iter().map(|lines| format!("{}-{}", lines.start, lines.end)).collect();
                format!("{}: {}", file.path, lines.join(" "))
            })
            .collect();
        expect![[r#"
            src/a.rs: 2-4 11-11
            old.py: 1-1"#]]
        .assert_eq(&told.join("\n"));
    }
}
