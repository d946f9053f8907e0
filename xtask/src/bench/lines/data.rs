//! Reads the questions of the retrieval benchmark and their gold lines (the lines that answer them) from JSON files of
//! the caller's folder.

use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

/// The sets, by the names of their files.
const SETS: [&str; 2] = ["functions", "edits"];

/// Questions about one commit.
pub(super) struct QuestionGroup {
    pub(super) set: &'static str,
    /// `owner/name`.
    pub(super) slug: String,
    pub(super) commit: String,
    pub(super) questions: Vec<BenchQuestion>,
    /// So that one work tree moves from each commit to the next.
    date: String,
}

/// A question in one wording.
pub(super) struct BenchQuestion {
    /// `text`, or `title` for the first line alone.
    pub(super) variant: &'static str,
    pub(super) text: String,
    pub(super) gold: Vec<GoldLines>,
}

/// The lines of one file that answer it.
#[derive(Clone)]
pub(super) struct GoldLines {
    pub(super) path: String,
    /// Lines that a fix changes; none where the functions themselves are meant.
    pub(super) lines: Vec<u32>,
    /// First and last line of each function.
    pub(super) functions: Vec<(u32, u32)>,
}

/// Every question of the folder, those of one commit together.
pub(super) fn read_groups(folder: &Path) -> Result<Vec<QuestionGroup>> {
    let mut groups: Vec<QuestionGroup> = Vec::new();
    for set in SETS {
        for part in ["open", "hidden"] {
            let path = folder.join("data").join(format!("{set}-{part}.json"));
            if !path.exists() {
                continue;
            }
            let rows: Vec<Value> = serde_json::from_str(&fs_err::read_to_string(&path)?)?;
            for row in &rows {
                add_row(&mut groups, set, row).with_context(|| format!("in {}: {}", path.display(), row["id"]))?;
            }
        }
    }
    ensure!(!groups.is_empty(), "no questions in {}", folder.display());
    // Commits of one repository in the order of time, so that each index run has few changed files.
    groups.sort_by(|a, b| (a.set, &a.slug, &a.date, &a.commit).cmp(&(b.set, &b.slug, &b.date, &b.commit)));
    Ok(groups)
}

fn add_row(groups: &mut Vec<QuestionGroup>, set: &'static str, row: &Value) -> Result<()> {
    let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
    let slug = text("slug");
    let commit = text("commit");
    let date = text("date");
    let gold: Vec<GoldLines> =
        row["gold"].as_array().context("gold")?.iter().map(GoldLines::from_json).collect::<Result<_>>()?;
    let known = groups.iter().position(|group| group.set == set && group.slug == slug && group.commit == commit);
    let at = known.unwrap_or(groups.len());
    if at == groups.len() {
        groups.push(QuestionGroup { set, slug, commit, date, questions: Vec::new() });
    }
    for (variant, key) in [("text", "question"), ("title", "title")] {
        if let Some(asked) = row[key].as_str() {
            groups[at].questions.push(BenchQuestion { variant, text: asked.to_owned(), gold: gold.clone() });
        }
    }
    Ok(())
}

impl GoldLines {
    fn from_json(value: &Value) -> Result<Self> {
        let lines = value["lines"].as_array().into_iter().flatten();
        let functions = value["functions"].as_array().into_iter().flatten();
        Ok(Self {
            path: value["path"].as_str().context("path")?.to_owned(),
            lines: lines.map(line_number).collect::<Result<_>>()?,
            functions: functions
                .map(|function| Ok((line_number(&function["start"])?, line_number(&function["end"])?)))
                .collect::<Result<_>>()?,
        })
    }
}

fn line_number(value: &Value) -> Result<u32> {
    value.as_u64().and_then(|number| u32::try_from(number).ok()).context("a line number")
}
