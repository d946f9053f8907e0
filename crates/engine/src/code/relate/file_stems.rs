//! Compares the names of test files with those of the files they may test: `test_users.py`, `users_test.go`,
//! `users.spec.ts` and `tests/users/tests.py` are named after `users.py`, `test_find_users.py` after a function.

use std::collections::HashMap;

/// Names that say nothing about what is in a file, so its directory names it.
const GENERIC_STEMS: &[&str] =
    &["__init__", "index", "mod", "lib", "main", "test", "tests", "spec", "conftest", "base", "utils", "types"];

/// A single word of so few letters is a part of too many names.
const SHORT_WORD: usize = 3;

/// How far a test file is named after another file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum StemMatch {
    /// All words of the shorter name are in the longer one: `test_users_login.py` for `users.py`.
    Words,
    /// The names are equal.
    Whole,
}

/// How far a test file is named after a source file, where it is.
pub(super) fn match_stems(test: &str, source: &str) -> Option<StemMatch> {
    let [test, source] = [test, source].map(stem_words);
    if test.is_empty() || source.is_empty() {
        return None;
    }
    if test == source {
        return Some(StemMatch::Whole);
    }
    let (short, long) = if test.len() < source.len() { (&test, &source) } else { (&source, &test) };
    let says_enough = short.iter().map(String::len).sum::<usize>() > SHORT_WORD;
    (says_enough && short.iter().all(|word| long.contains(word))).then_some(StemMatch::Words)
}

/// Names on changed lines, to find tests that are named after one of them.
pub(super) struct ChangedNames<'a> {
    names: Vec<(&'a str, Vec<String>)>,
    by_word: HashMap<String, Vec<usize>>,
}

impl<'a> ChangedNames<'a> {
    pub(super) fn new(names: impl Iterator<Item = &'a str>) -> Self {
        let names: Vec<(&str, Vec<String>)> = names.map(|name| (name, split_words(name))).collect();
        let mut by_word: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, (_, words)) in names.iter().enumerate() {
            for word in words {
                by_word.entry(word.clone()).or_default().push(at);
            }
        }
        Self { names, by_word }
    }

    /// The shortest name that has all words of what a test is called.
    pub(super) fn match_test(&self, test: &str) -> Option<&'a str> {
        let wanted = stem_words(test);
        if wanted.iter().map(String::len).sum::<usize>() <= SHORT_WORD {
            return None;
        }
        let among = self.by_word.get(wanted.first()?)?.iter().map(|at| &self.names[*at]);
        let all = among.filter(|(_, words)| wanted.iter().all(|word| words.contains(word)));
        all.map(|(name, _)| *name).min_by_key(|name| (name.len(), *name))
    }
}

/// The words of what a file is called, without those that mark a test.
fn stem_words(path: &str) -> Vec<String> {
    let mut parts = path.rsplit('/');
    let file = parts.next().unwrap_or(path);
    // The first part alone: `user.test.ts` and `user.d.ts` are about `user`.
    let stem = file.split('.').find(|part| !part.is_empty()).unwrap_or(file);
    let words = split_words(stem);
    if !words.is_empty() && !GENERIC_STEMS.contains(&stem) {
        return words;
    }
    // The nearest directory that says something: `src/users/index.ts`, `tests/users/tests.py`.
    parts.map(split_words).find(|words| !words.is_empty()).unwrap_or_default()
}

fn split_words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for letter in name.chars() {
        if !letter.is_alphanumeric() || (letter.is_uppercase() && was_lower) {
            words.push(String::new());
        }
        was_lower = letter.is_lowercase();
        if letter.is_alphanumeric() {
            words.last_mut().expect("there is a first word").extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty() && !is_mark(word));
    for word in &mut words {
        singular(word);
    }
    words
}

/// Whether a word marks a test, or a folder of sources or tests.
fn is_mark(word: &str) -> bool {
    matches!(word, "test" | "tests" | "spec" | "specs" | "testing" | "src" | "lib" | "e2e" | "unit" | "integration")
}

/// `views` and `view` are one word here.
fn singular(word: &mut String) {
    if word.len() > 3 && word.ends_with('s') && !word.ends_with("ss") {
        word.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_named_after_files_in_the_ways_of_many_languages() {
        for (test, source) in [
            ("tests/test_users.py", "app/users.py"),
            ("pkg/users_test.go", "pkg/users.go"),
            ("src/tests/createSlice.test.ts", "src/createSlice.ts"),
            ("tests/users/tests.py", "app/users/__init__.py"),
            ("src/UserStoreTest.java", "src/UserStore.java"),
            ("tests/view_tests/test_view.py", "app/views.py"),
        ] {
            assert_eq!(match_stems(test, source), Some(StemMatch::Whole), "{test} {source}");
        }
        assert_eq!(match_stems("tests/test_users_login.py", "app/users.py"), Some(StemMatch::Words));
        assert_eq!(match_stems("context_test.go", "response_writer.go"), None);
        assert_eq!(match_stems("tests/test_io_utils.py", "app/io.py"), None);
        assert_eq!(match_stems("tests/tests.py", "app.py"), None);
    }

    #[test]
    fn a_test_is_named_after_the_shortest_name_with_its_words() {
        let names = ChangedNames::new(["bulk_create_all", "bulkCreate", "row", "x"].into_iter());
        assert_eq!(names.match_test("tests/bulk_create/tests.py"), Some("bulkCreate"));
        assert_eq!(names.match_test("tests/test_row.py"), None);
        assert_eq!(names.match_test("tests/test_bulk_update.py"), None);
    }
}
