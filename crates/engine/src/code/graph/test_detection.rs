//! Detects which files and symbols are tests, by the naming conventions of directories, files and functions; used by
//! symbol lookup, impact reports and the project briefing.

use super::worktree_graph::{Graph, NodeId};

/// Directories whose code tests other code.
const DIRECTORIES: &[&str] = &["test", "tests", "spec", "specs", "__tests__", "testing", "e2e", "integration_tests"];

/// Whether a node is a test or is inside of one.
pub(crate) fn is_test(graph: &Graph, node: NodeId) -> bool {
    if is_test_file(graph.path(node)) {
        return true;
    }
    let mut at = Some(node);
    while let Some(here) = at {
        let name = graph.name(here);
        if !here.is_file() && (name == "tests" || name.starts_with("test_")) {
            return true;
        }
        at = graph.container(here);
    }
    false
}

/// Whether a path is that of a test.
pub(crate) fn is_test_file(path: &str) -> bool {
    let (directories, file) = path.rsplit_once('/').unwrap_or(("", path));
    if directories.split('/').any(|name| DIRECTORIES.contains(&name)) {
        return true;
    }
    let stem = file.split('.').next().unwrap_or(file);
    // `user.test.ts`: the second last part marks a test.
    let inner = file.split('.').rev().nth(1).filter(|inner| *inner != stem);
    stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_spec")
        || (stem.len() > 4 && (stem.ends_with("Test") || stem.ends_with("Tests") || stem.ends_with("Spec")))
        || stem == "conftest"
        || matches!(inner, Some("test" | "spec"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_known_by_their_paths() {
        for path in [
            "tests/a.rs",
            "src/__tests__/b.js",
            "pkg/a_test.go",
            "a/test_b.py",
            "FooTest.java",
            "x.spec.ts",
            "spec/a_spec.rb",
        ] {
            assert!(is_test_file(path), "{path}");
        }
        for path in ["src/contest.rs", "latest.py", "src/testimony.js", "Test.java", "attest/a.go"] {
            assert!(!is_test_file(path), "{path}");
        }
    }
}
