//! Reads the files of a work tree as lines for the retrieval benchmark, with the number of tokens of each line.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::python_process::PythonProcess;

/// The tokens of lines, whichever tree they are in.
#[derive(Default)]
pub(super) struct LineCosts(HashMap<String, u64>);

impl LineCosts {
    /// Tokens of a line with its end; 0 for one that was not counted yet.
    pub(super) fn line_cost(&self, line: &str) -> u64 {
        self.0.get(line).copied().unwrap_or_default()
    }

    /// Counts lines that are not counted yet.
    pub(super) fn count_lines<'l>(
        &mut self,
        helper: &mut PythonProcess,
        lines: impl Iterator<Item = &'l str>,
    ) -> Result<()> {
        let new: HashSet<&str> = lines.filter(|line| !self.0.contains_key(*line)).collect();
        if new.is_empty() {
            return Ok(());
        }
        // The newline belongs to the line, as it does in an answer.
        let texts: Vec<String> = new.iter().map(|line| format!("{line}\n")).collect();
        let counts = helper.count_tokens(&texts)?;
        self.0.extend(new.into_iter().map(str::to_owned).zip(counts));
        Ok(())
    }
}

pub(super) struct TreeLines {
    pub(super) root: PathBuf,
    files: HashMap<String, Vec<String>>,
}

impl TreeLines {
    pub(super) fn new(root: PathBuf) -> Self {
        Self { root, files: HashMap::new() }
    }

    /// Reads files, so that their lines can be looked at.
    pub(super) fn open_files<'p>(&mut self, paths: impl Iterator<Item = &'p str>) {
        for path in paths {
            if !self.files.contains_key(path) {
                let lines = lines_of(&self.root.join(path));
                self.files.insert(path.to_owned(), lines);
            }
        }
    }

    /// The lines of a file that was opened.
    pub(super) fn file_lines(&self, path: &str) -> &[String] {
        self.files.get(path).map_or(&[], Vec::as_slice)
    }

    pub(super) fn line_text(&self, path: &str, number: u32) -> Option<&str> {
        self.file_lines(path).get((number as usize).checked_sub(1)?).map(String::as_str)
    }

    /// Numbers of the lines in a range that are not blank.
    pub(super) fn filled_lines(&self, path: &str, start: u32, end: u32) -> Vec<u32> {
        let is_filled = |number: &u32| self.line_text(path, *number).is_some_and(|line| !line.trim().is_empty());
        (start..=end).filter(is_filled).collect()
    }
}

/// The lines of a file; none where it is none, or gone.
fn lines_of(path: &Path) -> Vec<String> {
    let bytes = fs_err::read(path).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    if bytes.is_empty() { Vec::new() } else { text.split('\n').map(str::to_owned).collect() }
}
