//! Tidy rule: paths in backticks in ARCHITECTURE.md, CONTRIBUTING.md and AGENTS.md name files that exist.

use super::super::TidyFinding;
use super::super::tree::SourceTree;

const DOCUMENTS: [&str; 3] = ["ARCHITECTURE.md", "CONTRIBUTING.md", "AGENTS.md"];

pub(in crate::tidy) fn check(tree: &SourceTree) -> Vec<TidyFinding> {
    let mut findings = Vec::new();
    for document in DOCUMENTS.iter().filter_map(|path| tree.find_file(path)) {
        for (line, text) in (1..).zip(document.text.lines()) {
            // Every second piece between backticks is inside of them.
            for path in text.split('`').skip(1).step_by(2).filter(|path| is_path(path)) {
                if !tree.sources().iter().any(|source| leads_to(path, &source.path)) {
                    findings.push(document.build_finding(
                        line,
                        format!("`{path}` is no file and no folder"),
                        "a map that leads nowhere is worse than none",
                        "name what is there now",
                    ));
                }
            }
        }
    }
    findings
}

/// A path in the repository, not a pattern, a command, an address or a place in a home.
fn is_path(text: &str) -> bool {
    let is_plain = text.chars().all(|c| c.is_alphanumeric() || "/._-".contains(c));
    let is_ours = [".rs", ".toml", ".md", ".scm", "/"].iter().any(|end| text.ends_with(end));
    is_plain && is_ours && text.contains('/') && !text.starts_with(['/', '.'])
}

/// Whether a path, or the end of one, is that of a file or of a folder above it.
fn leads_to(path: &str, file: &str) -> bool {
    let is_file = file == path || file.strip_suffix(path).is_some_and(|above| above.ends_with('/'));
    let is_folder = path.ends_with('/') && (file.starts_with(path) || file.contains(&format!("/{path}")));
    is_file || is_folder
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::sample::{accepts, finds};
    use super::*;

    #[test]
    fn a_path_that_leads_nowhere_is_found() {
        finds(
            check,
            &[
                ("ARCHITECTURE.md", "# Map\n`engine/src/gone.rs` and `engine/src/kept/`"),
                ("crates/engine/src/here.rs", ""),
            ],
            &expect![[r#"
                ARCHITECTURE.md:2: `engine/src/gone.rs` is no file and no folder: a map that leads nowhere is worse than none; name what is there now
                ARCHITECTURE.md:2: `engine/src/kept/` is no file and no folder: a map that leads nowhere is worse than none; name what is there now"#]],
        );
    }

    #[test]
    fn paths_patterns_and_places_in_a_home_pass() {
        accepts(
            check,
            &[
                (
                    "CONTRIBUTING.md",
                    "`engine/src/here.rs`, `src/`, `crates/<name>/mod.rs`, `~/.codex/config.toml`, `/v1/status.md`",
                ),
                ("crates/engine/src/here.rs", ""),
            ],
        );
    }
}
