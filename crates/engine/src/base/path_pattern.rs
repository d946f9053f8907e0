//! Patterns of paths as `.gitignore` has them (`src/**/*.rs`, `*.sql`, `/docs`), for callers who name files by a pattern.

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::path::Path;

/// A pattern of project-relative paths.
pub(crate) struct PathPattern(Gitignore);

impl PathPattern {
    /// Reads a pattern; why it is none.
    pub(crate) fn new(pattern: &str) -> Result<Self, String> {
        if pattern.contains('\n') || pattern.starts_with(['!', '#']) {
            return Err("it begins with `!` or `#`, or has several lines".to_owned());
        }
        let mut builder = GitignoreBuilder::new("");
        builder.add_line(None, pattern).map_err(|error| error.to_string())?;
        let rules = builder.build().map_err(|error| error.to_string())?;
        if rules.num_ignores() == 0 { Err("it names no path".to_owned()) } else { Ok(Self(rules)) }
    }

    /// Whether the pattern names a file, or a folder above it.
    pub(crate) fn fits(&self, path: &str) -> bool {
        let path = Path::new(path);
        !path.has_root() && self.0.matched_path_or_any_parents(path, false).is_ignore()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_name_files_as_those_of_git_do() {
        let check = |pattern: &str, path: &str, fits: bool| {
            assert_eq!(PathPattern::new(pattern).expect("a pattern").fits(path), fits, "{pattern} {path}");
        };
        check("src/**/*.rs", "src/a/b.rs", true);
        check("src/**/*.rs", "src/b.rs", true);
        check("src/**/*.rs", "lib/src/b.py", false);
        check("*.sql", "db/migrations/1.sql", true);
        check("/docs", "docs/a.md", true);
        check("/docs", "src/docs/a.md", false);
        check("docs/", "a/docs/b.md", true);
        for wrong in ["!src", "# a", "", "a\nb"] {
            assert!(PathPattern::new(wrong).is_err(), "{wrong}");
        }
    }
}
