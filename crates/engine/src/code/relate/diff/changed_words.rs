//! Collects the words of the lines that a change adds or removes, which say what it is about: tests that have the same
//! rare words are the likely ones to run.

use super::line_diff::split_lines;
use std::collections::{BTreeMap, HashMap};

/// Shorter words are loop variables and keywords.
const SHORTEST_WORD: usize = 3;

/// The words of the lines that one text has more often than the other, with the number of such lines. A line that only
/// moved has not changed.
pub(super) fn changed_words(before: &[u8], after: &[u8]) -> BTreeMap<String, u32> {
    let mut balance: HashMap<&[u8], i32> = HashMap::new();
    for (text, sign) in [(before, -1), (after, 1)] {
        for line in split_lines(text) {
            *balance.entry(line.trim_ascii()).or_default() += sign;
        }
    }
    let mut words = BTreeMap::new();
    for line in balance.iter().filter(|(_, balance)| **balance != 0).map(|(line, _)| line) {
        let mut of_line: Vec<&[u8]> = each_word(line).collect();
        of_line.sort_unstable();
        of_line.dedup();
        for word in of_line {
            *words.entry(String::from_utf8_lossy(word).into_owned()).or_default() += 1;
        }
    }
    words
}

/// The identifiers in a text, without very short ones and numbers.
pub(in crate::code::relate) fn each_word(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_inside = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
    text.split(move |byte| !is_inside(byte)).filter(|word| word.len() >= SHORTEST_WORD && !word[0].is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(before: &str, after: &str, expected: &[(&str, u32)]) {
        let words = changed_words(before.as_bytes(), after.as_bytes());
        let told: Vec<(&str, u32)> = words.iter().map(|(word, lines)| (word.as_str(), *lines)).collect();
        assert_eq!(told, expected, "{before:?} {after:?}");
    }

    #[test]
    fn words_are_those_of_lines_that_came_or_went() {
        check("a = load(x)\nkeep(x)\n", "a = store(x)\nkeep(x)\n", &[("load", 1), ("store", 1)]);
        check("one\ntwo\n", "two\n    one\n", &[]);
        check("", "run(run, 12)\nrun(id)\n", &[("run", 2)]);
        check("\u{e4}\u{f6}\n", "", &[("\u{e4}\u{f6}", 1)]);
    }
}
