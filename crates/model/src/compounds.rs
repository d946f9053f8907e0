//! `is_compound`, a lookup in a word list for the search tokenizer: words that are one word and are also written as
//! two, such as `LaTeX`, `GitHub`, `fileSystem`.
//!
//! Cut at its capitals, `LaTeXParser` has no `latex` in it, though everybody asks for that. Only words that people do
//! write as one are listed: any two neighbours together would double the index.

use std::collections::HashSet;
use std::sync::LazyLock;

/// In lower case, one a line.
const COMPOUNDS: &str = include_str!("../rules/compounds.txt");

/// The shortest and the longest of them.
const MIN_COMPOUND_LENGTH: usize = 4;
const MAX_COMPOUND_LENGTH: usize = 16;

/// Whether a word in lower case is one that is also written as two.
pub fn is_compound(word: &str) -> bool {
    static WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| COMPOUNDS.lines().collect());
    (MIN_COMPOUND_LENGTH..=MAX_COMPOUND_LENGTH).contains(&word.len()) && WORDS.contains(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_of_the_list_is_known() {
        assert!(COMPOUNDS.lines().all(|word| (MIN_COMPOUND_LENGTH..=MAX_COMPOUND_LENGTH).contains(&word.len())));
        assert!(is_compound("github") && !is_compound("parser"));
    }
}
