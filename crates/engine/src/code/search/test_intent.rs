//! Decides by the words of a question whether it asks for tests, so that tests are not ranked last.
//!
//! The word alone says little: *test whether a string is empty* asks for what tests strings, not for its tests, and a
//! *unit* is mostly one of measure.

/// What tests are called.
const KINDS: &[&str] =
    &["unit", "integration", "regression", "acceptance", "functional", "smoke", "e2e", "end", "property", "snapshot"];

/// Words before "test" where a test is meant.
const WORDS_BEFORE_TEST: &[&str] =
    &["a", "an", "the", "this", "that", "which", "what", "each", "every", "any", "all", "existing", "failing", "its"];

/// Words behind "test" where a test is meant.
const WORDS_AFTER_TEST: &[&str] =
    &["case", "cases", "suite", "suites", "file", "files", "covers", "cover", "coverage", "of", "for", "that", "which"];

/// Whether these words ask for tests.
pub(super) fn asks_tests(words: &[&str]) -> bool {
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    (0..lower.len()).any(|at| {
        let before = at.checked_sub(1).map_or("", |before| &*lower[before]);
        let behind = lower.get(at + 1).map_or("", |behind| &**behind);
        match &*lower[at] {
            "tests" | "tested" | "testcase" | "testcases" | "unittest" | "unittests" | "specs" => true,
            "spec" => ["file", "files", "for", "of"].contains(&behind),
            "testing" => KINDS.contains(&before),
            // The word alone is a search for tests; inside of a sentence it is more often a verb.
            "test" if lower.len() == 1 => true,
            "test" if KINDS.contains(&before) => true,
            // `the test client` is what tests use.
            "test" if WORDS_BEFORE_TEST.contains(&before) => {
                behind.is_empty() || WORDS_AFTER_TEST.contains(&behind) || is_verb(behind)
            }
            "test" => ["case", "cases", "suite", "suites", "file", "files", "coverage"].contains(&behind),
            name => is_test(words[at], name),
        }
    })
}

/// Verbs of which a test is the subject.
fn is_verb(word: &str) -> bool {
    ["checks", "verifies", "asserts", "fails", "exercises", "proves", "is", "does", "would", "should"].contains(&word)
}

/// Whether a name is that of a test: `test_login`, `LoginTest`, `TestLogin`.
fn is_test(written: &str, lower: &str) -> bool {
    let starts = |name: &str| name.strip_prefix("Test").is_some_and(|rest| rest.starts_with(char::is_uppercase));
    let ends = |name: &str| ["Test", "Tests", "Spec"].iter().any(|end| name.len() > end.len() && name.ends_with(end));
    lower.starts_with("test_")
        || lower.ends_with("_test")
        || lower.ends_with("_tests")
        || starts(written)
        || ends(written)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_asked_for_only_where_they_are_meant() {
        let asked = [
            "tests for the router",
            "unit tests of the parser",
            "where is parse_url tested",
            "which test covers the retry loop",
            "test cases for blueprints",
            "integration test of login",
            "what does test_login_fails check",
            "LoginFlowTest",
            "the test that checks expiry",
            "test",
            "is there a test for carts?",
        ];
        let others = [
            "unit conversion",
            "test whether a string is empty",
            "fixture teardown order",
            "test client for requests",
            "mock of a clock",
            "how do I test for equality",
            "the unit of a length",
            "specification of the grammar",
            "A/B test assignment",
            "how are fixtures collected",
            "the latest request",
        ];
        for (texts, wanted) in [(&asked[..], true), (&others[..], false)] {
            for text in texts {
                let words: Vec<&str> = super::super::question::split_words(text).collect();
                assert_eq!(asks_tests(&words), wanted, "{text}");
            }
        }
    }
}
