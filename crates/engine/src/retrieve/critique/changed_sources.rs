//! Finds claims that were true once: a sentence cites a commit or a message, and the file that it is about changed since.
//! Only commits and trees are read, never the working tree.

use crate::Engine;
use crate::base::{Project, Result, run_blocking};
use crate::code::critique::{DraftFindings, DraftIssue, IssueKind};
use crate::code::git::git_command;
use model::MessageId;
use regex::Regex;
use std::path::Path;
use std::sync::LazyLock;

static COMMIT: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\b[0-9a-f]{7,40}\b").expect("the pattern is ours"));
static MESSAGE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\bmsg_[0-9a-f]+\b").expect("the pattern is ours"));

/// More sentences with a citation are not looked at.
const MOST_CITATIONS: usize = 20;

/// What a sentence cites.
enum CitedMoment {
    Commit(String),
    /// A message, by the second it was said in.
    Message(String, i64),
}

/// Adds what changed since the commit or message that its sentence cites.
pub(super) async fn add_outdated(
    engine: &Engine,
    project: &Project,
    draft: &str,
    findings: &mut DraftFindings,
) -> Result<()> {
    if !project.is_repository() || project.is_foreign_worktree() {
        return Ok(());
    }
    let mut asked = Vec::new();
    for (at, claim) in findings.claims.iter().enumerate() {
        let sentence = &draft[claim.sentence.start as usize..claim.sentence.end as usize];
        // `path:12-40`, or a path alone.
        let Some(path) = claim.source.as_ref().map(|source| source.split(':').next().unwrap_or(source).to_owned())
        else {
            continue;
        };
        let is_hash = |text: &&str| text.contains(|c: char| c.is_ascii_digit()) && text.contains(char::is_alphabetic);
        if let Some(commit) = COMMIT.find_iter(sentence).map(|found| found.as_str()).find(is_hash) {
            asked.push((at, path, CitedMoment::Commit(commit.to_owned())));
        } else if let Some(cited) = MESSAGE.find(sentence)
            && let Ok(id) = MessageId::parse(cited.as_str())
            && let Some(message) = engine.store.load_message(&id).await?
            && let Some(instant) = message.body.at.and_then(|at| at.instant)
        {
            asked.push((at, path, CitedMoment::Message(cited.as_str().to_owned(), instant.0 / 1_000)));
        }
    }
    asked.truncate(MOST_CITATIONS);
    if asked.is_empty() {
        return Ok(());
    }
    let root = project.root.clone();
    let found = run_blocking("reading the history", move || {
        let changed =
            asked.into_iter().filter_map(|(at, path, since)| Some((at, count_changes(&root, &path, &since)?)));
        changed.collect::<Vec<_>>()
    })
    .await?;
    for (at, evidence) in found {
        let claim = &findings.claims[at];
        findings.issues.push(DraftIssue {
            kind: IssueKind::Outdated,
            claim: claim.text.clone(),
            span: Some(claim.span),
            evidence: Some(evidence),
            suggestion: None,
        });
    }
    Ok(())
}

/// How a file changed since, in words; none where it did not, or git does not know the commit.
fn count_changes(root: &Path, path: &str, since: &CitedMoment) -> Option<String> {
    let (range, cited) = match since {
        CitedMoment::Commit(commit) => (format!("{commit}..HEAD"), commit),
        CitedMoment::Message(id, second) => (format!("--since={second}"), id),
    };
    let mut command = git_command(root);
    command.args(["rev-list", "--count", &range]);
    if matches!(since, CitedMoment::Message(..)) {
        command.arg("HEAD");
    }
    let output = command.args(["--", path]).output().ok()?;
    let count: u32 = String::from_utf8_lossy(&output.stdout).trim().parse().ok().filter(|_| output.status.success())?;
    let times = if count == 1 { "1 commit".to_owned() } else { format!("{count} commits") };
    (count > 0).then(|| format!("{times} since {cited} changed {path}"))
}
