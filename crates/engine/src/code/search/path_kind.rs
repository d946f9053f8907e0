//! Classifies a file by its path, before it is read: as a test, an example, third-party code, generated, legacy or
//! internal.
//!
//! No file is left out for this; such files rank lower, unless the question asks for them.

use regex::RegexSet;
use std::sync::LazyLock;

/// The classes of a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "a path may say any of them at once")]
pub(crate) struct PathTraits {
    /// A test.
    pub(crate) test: bool,
    /// An example, a document, a script beside the product.
    pub(crate) example: bool,
    /// Code of others that is kept here.
    pub(crate) vendored: bool,
    /// Made by a tool.
    pub(crate) generated: bool,
    /// Kept for compatibility.
    pub(crate) legacy: bool,
    /// Internal to its package.
    pub(crate) internal: bool,
}

/// In the order of the fields of [`PathTraits`]. What stands beside the product only at the top of a repository may be a part of
/// it deeper down, as `contrib` is in some packages.
const PATTERNS: [&str; 6] = [
    r"(?x) (^|/) ( tests? | testing | __tests?__ | spec | specs | testdata | testutil | fixtures? | mocks? | e2e
        | androidTest | jvmTest | commonTest | [\w\-]*[.\-_]tests? | tests?[.\-_][\w\-]* | [A-Z]\w*Tests? ) /
      | (^|/) ( test_[^/]* | [^/]*_tests?\.[^/]* | [^/]*[.\-](test|spec|bench)\.[^/]* | [^/]*_spec\.[^/]*
        | [^/]*Tests?\.(java|kt|cs|swift|php|scala) | conftest\.py | [^/]*_test_[^/]* | [^/]*_testing\.[^/]*
        | tests?\.[^/]* ) $",
    r"(?xi) (^|/) ( examples? | samples? | demos? | docs? | docs_src | documentation
        | benchmarks? | bench | perf | fuzz | fuzzing | fuzzers | tutorials? | playground | www | website | templates ) /
      | ^ ( man | contrib | misc | scripts | integration ) /
      | (^|/) ( [^/]*_benchmark\.[^/]* | [^/]*benchmark[^/]* | setup\.py | build\.[^/]* ) $",
    r"(?i)(^|/)(vendor|third_party|thirdparty|deps|external|extern|node_modules|bundled|3rdparty|_vendor)/",
    r"(?i)(\.min\.js|\.pb\.|_pb2|generated|\.g\.|\.gen\.|\.d\.[cm]?ts$|\.pyi$|autogen)",
    r"(?i)(^|[/_.\-])(compat|compatibility|legacy|deprecated|old|obsolete)([/_.\-]|$)",
    r"(^|/)(internal|detail|impl|private|_internal)/|_internal\.|/_[^/]*$|^_[^_][^/]*$",
];

impl PathTraits {
    /// Reads a project-relative path.
    pub(crate) fn from_path(path: &str) -> Self {
        static SET: LazyLock<RegexSet> =
            LazyLock::new(|| RegexSet::new(PATTERNS).expect("the patterns are ours and tested"));
        // One pass over the path for all six patterns: this runs for every file of a project at every load.
        let found = SET.matches(path);
        let [test, example, vendored, generated, legacy, internal] = [0, 1, 2, 3, 4, 5].map(|at| found.matched(at));
        Self { test, example, vendored, generated, legacy, internal }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_says_what_it_is() {
        let none = PathTraits::default();
        for (path, wanted) in [
            ("src/http/client.py", none),
            ("tests/client.py", PathTraits { test: true, ..none }),
            ("src/client_test.go", PathTraits { test: true, ..none }),
            ("src/ClientTests.swift", PathTraits { test: true, ..none }),
            ("src/contest.py", none),
            ("docs/guide.md", PathTraits { example: true, ..none }),
            ("Examples/a.c", PathTraits { example: true, ..none }),
            ("contrib/hooks.py", PathTraits { example: true, ..none }),
            ("package/contrib/admin.py", none),
            ("vendor/a/b.go", PathTraits { vendored: true, ..none }),
            ("api/v1.pb.go", PathTraits { generated: true, ..none }),
            ("types/index.d.ts", PathTraits { generated: true, ..none }),
            ("src/compat.rs", PathTraits { legacy: true, ..none }),
            ("a/internal/b.go", PathTraits { internal: true, ..none }),
            ("_private.py", PathTraits { internal: true, ..none }),
            ("__init__.py", none),
        ] {
            assert_eq!(PathTraits::from_path(path), wanted, "{path}");
        }
    }
}
