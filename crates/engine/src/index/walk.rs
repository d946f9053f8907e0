//! Which files of a project are looked at: those git would show, less what no one searches.

use super::Skipped;
use crate::{Error, Result, Settings};
use ignore::WalkBuilder;
use ignore::overrides::OverrideBuilder;
use std::fs::Metadata;
use std::path::Path;
use std::time::UNIX_EPOCH;
use store::FileStamp;

/// Our own ignore file, read like `.gitignore`.
const IGNORE_FILE: &str = ".epitomeignore";

/// Directories that hold other people's code or a tool's own state, whether or not git ignores them.
const NEVER: &[&str] =
    &[".git", ".hg", ".svn", ".jj", "node_modules", "__pycache__", ".venv", ".tox", ".mypy_cache", ".pytest_cache"];

/// A file found on disk.
pub(super) struct Found {
    pub(super) path: String,
    pub(super) stamp: FileStamp,
}

/// Everything a walk found, ordered by path.
pub(super) struct Walked {
    pub(super) files: Vec<Found>,
    pub(super) skipped: Vec<Skipped>,
}

pub(super) fn walk(root: &Path, settings: &Settings) -> Result<Walked> {
    let mut overrides = OverrideBuilder::new(root);
    for pattern in &settings.ignore {
        if pattern.starts_with('!') {
            let reason =
                format!("has `{pattern}`: it can only leave out; put back in `{IGNORE_FILE}` what git ignores");
            return Err(Error::Parameter { field: "index.ignore", reason });
        }
        // An override that starts with `!` ignores; one without would mean "only these".
        overrides.add(&format!("!{pattern}")).map_err(|error| Error::Parameter {
            field: "index.ignore",
            reason: format!("has a pattern that cannot be read: {error}"),
        })?;
    }
    let overrides = overrides.build().map_err(|error| Error::Parameter {
        field: "index.ignore",
        reason: format!("has patterns that cannot be used: {error}"),
    })?;
    let entries = WalkBuilder::new(root)
        .hidden(false)
        .require_git(false)
        .follow_links(false)
        .add_custom_ignore_filename(IGNORE_FILE)
        .overrides(overrides)
        .filter_entry(|entry| !NEVER.iter().any(|name| entry.file_name() == *name))
        .build();
    let mut walked = Walked { files: Vec::new(), skipped: Vec::new() };
    for entry in entries {
        match entry {
            Ok(entry) => walked.take(root, &entry),
            Err(error) => walked.skip(root, &error),
        }
    }
    walked.files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(walked)
}

impl Walked {
    fn take(&mut self, root: &Path, entry: &ignore::DirEntry) {
        if !entry.file_type().is_some_and(|kind| kind.is_file()) {
            return;
        }
        let relative = entry.path().strip_prefix(root).unwrap_or(entry.path());
        let Some(path) = relative.to_str() else {
            let path = relative.to_string_lossy().into_owned();
            self.skipped.push(Skipped { path, reason: "its name is not UTF-8".to_owned() });
            return;
        };
        match entry.metadata() {
            Ok(metadata) => self.files.push(Found { path: path.to_owned(), stamp: stamp(&metadata) }),
            Err(error) => self.skipped.push(Skipped { path: path.to_owned(), reason: error.to_string() }),
        }
    }

    fn skip(&mut self, root: &Path, error: &ignore::Error) {
        let path = if let ignore::Error::WithPath { path, .. } = error {
            path.strip_prefix(root).unwrap_or(path).display().to_string()
        } else {
            String::new()
        };
        self.skipped.push(Skipped { path, reason: error.to_string() });
    }
}

/// What the file system says of a file.
pub(super) fn stamp(metadata: &Metadata) -> FileStamp {
    let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    FileStamp { bytes: metadata.len(), modified: modified.map_or(0, |age| age.as_nanos() as i64) }
}
