//! Reads the files that tidy rules check: what git tracks or would track, as text (`SourceTree`).

use std::path::Path;

use anyhow::{Context as _, Result};

use super::TidyFinding;
use super::rust_text::RustText;
use crate::process;

/// The repository as a list of text files.
pub(super) struct SourceTree {
    sources: Vec<TidyFile>,
}

impl SourceTree {
    /// Tracked files and untracked ones that no ignore rule names, as they are on disk.
    pub(super) fn from_repository(root: &Path) -> Result<SourceTree> {
        // A build machine may check the files out as another user than the one who builds; only names are listed here.
        let mut git = process::command_in(root, "git", &["-c", "safe.directory=*", "ls-files", "-z"]);
        git.args(["--cached", "--others", "--exclude-standard"]);
        let listing = process::read_output(git)?;
        let mut sources = Vec::new();
        for path in listing.split('\0').filter(|path| !path.is_empty()) {
            let file = root.join(path);
            // Git also lists deleted files, links and submodules, none of which has text of its own.
            if !file.is_file() || file.is_symlink() {
                continue;
            }
            let bytes = fs_err::read(&file).context("cannot read a file that git lists")?;
            // Models, databases and images have no lines.
            if let Ok(text) = String::from_utf8(bytes) {
                sources.push(TidyFile::new(path, &text));
            }
        }
        Ok(SourceTree { sources })
    }

    #[cfg(test)]
    pub(super) fn of(files: &[(&str, &str)]) -> SourceTree {
        SourceTree { sources: files.iter().map(|(path, text)| TidyFile::new(path, text)).collect() }
    }

    pub(super) fn sources(&self) -> &[TidyFile] {
        &self.sources
    }

    /// Rust files that are ours to keep in order, with their text taken apart.
    pub(super) fn rust_files(&self) -> impl Iterator<Item = (&TidyFile, &RustText)> {
        self.sources.iter().filter_map(|source| Some((source, source.rust.as_ref()?)))
    }

    pub(super) fn find_file(&self, path: &str) -> Option<&TidyFile> {
        self.sources.iter().find(|source| source.path == path)
    }
}

/// One text file.
pub(super) struct TidyFile {
    /// Relative to the repository, with `/`.
    pub(super) path: String,
    pub(super) text: String,
    /// Present for Rust that is code, absent for Rust that is test data.
    rust: Option<RustText>,
}

impl TidyFile {
    fn new(path: &str, text: &str) -> TidyFile {
        let mut source = TidyFile { path: path.to_owned(), text: text.to_owned(), rust: None };
        // Samples are text of other people, which no rule of ours applies to.
        if source.extension() == Some("rs") && !source.is_sample() {
            source.rust = Some(RustText::new(text));
        }
        source
    }

    pub(super) fn extension(&self) -> Option<&str> {
        Path::new(&self.path).extension()?.to_str()
    }

    pub(super) fn file_name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// Data that only looks like code: other projects wrote it, or it imitates theirs, so our rules do not apply.
    pub(super) fn is_sample(&self) -> bool {
        self.path.starts_with("crates/syntax/languages/")
            || self.path.split('/').any(|part| ["fixtures", "samples", "vendor"].contains(&part))
    }

    /// A whole file of tests. Test modules inside a file are [`RustText`]'s to know.
    pub(super) fn is_test(&self) -> bool {
        let in_folder = self.path.split('/').any(|part| ["tests", "benches", "testkit"].contains(&part));
        in_folder || self.file_name() == "tests.rs" || self.file_name().ends_with("_tests.rs")
    }

    /// Under `crates/<name>/src/` for one of `crates`.
    pub(super) fn is_source_of(&self, crates: &[&str]) -> bool {
        let mut parts = self.path.split('/');
        parts.next() == Some("crates")
            && parts.next().is_some_and(|name| crates.contains(&name))
            && parts.next() == Some("src")
    }

    pub(super) fn build_finding(
        &self,
        line: usize,
        what: impl Into<String>,
        why: &'static str,
        fix: &'static str,
    ) -> TidyFinding {
        TidyFinding { path: self.path.clone(), line, what: what.into(), why, fix }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classify(path: &str) -> &'static str {
        let source = TidyFile::new(path, "");
        match (source.is_sample(), source.is_test()) {
            (true, _) => "sample",
            (_, true) => "test",
            _ => "code",
        }
    }

    #[test]
    fn a_path_says_whether_it_is_code_test_or_sample() {
        assert_eq!(classify("crates/engine/src/lib.rs"), "code");
        assert_eq!(classify("crates/engine/src/fold/tests.rs"), "test");
        assert_eq!(classify("crates/epitome/tests/cli/index.rs"), "test");
        assert_eq!(classify("crates/testkit/src/lib.rs"), "test");
        assert_eq!(classify("crates/syntax/languages/rust/fixture.rs"), "sample");
        assert_eq!(classify("crates/engine/tests/fixtures/small/main.rs"), "sample");
    }
}
