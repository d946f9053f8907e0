//! Compares the words of a change with the texts of the test files: a test that has the rare words of a change is
//! likely about it, also where no edge leads there.

use super::diff::each_word;
use super::mention_files::read_indexed;
use rayon::prelude::*;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// More test files are not read for one reply.
const MOST_FILES: usize = 4_000;

/// More words of a change are not looked for: those on most lines count.
const MOST_WORDS: usize = 1_000;

/// How many of the shared words are told.
const MOST_TOLD: usize = 3;

/// A file of this many words is neither short nor long.
const USUAL_WORDS: f32 = 2_000.0;

/// After this many uses in a file of usual length, more say little.
const SATURATION: f32 = 3.0;

/// What a test file shares with a change.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SharedWords {
    /// How much, as a share of what the best test file has.
    pub(super) share: f32,
    /// The words that say most.
    pub(super) words: Vec<String>,
}

/// How often a test file has each word of the change, by the number of the word.
struct WordCounts {
    counts: HashMap<usize, f32>,
    all: f32,
}

/// For each test file that shares words with the change, how much. `words` has the number of changed lines of each.
pub(super) fn share_words(root: &Path, tests: &[&str], words: &BTreeMap<String, u32>) -> BTreeMap<String, SharedWords> {
    let mut wanted: Vec<(&str, u32)> = words.iter().map(|(word, lines)| (word.as_str(), *lines)).collect();
    wanted.sort_by_key(|(word, lines)| (std::cmp::Reverse(*lines), *word));
    wanted.truncate(MOST_WORDS);
    let numbers: HashMap<&[u8], usize> = wanted.iter().map(|(word, _)| word.as_bytes()).zip(0..).collect();
    let tests = &tests[..tests.len().min(MOST_FILES)];
    let counted: Vec<WordCounts> =
        tests.par_iter().map(|path| count_words(&read_indexed(root, path), &numbers)).collect();
    let weights: Vec<f32> = wanted
        .iter()
        .enumerate()
        .map(|(number, (_, lines))| {
            let files = counted.iter().filter(|test| test.counts.contains_key(&number)).count() as f32;
            // A word of nearly all tests says nothing, and one of a single test most.
            let rarity = ((tests.len() as f32 + 1.0) / (files + 0.5)).ln().max(0.0);
            rarity * ((*lines).min(3) as f32).sqrt()
        })
        .collect();
    let scored: Vec<(f32, Vec<String>)> = counted.iter().map(|test| score_test(test, &weights, &wanted)).collect();
    let best = scored.iter().map(|(score, _)| *score).fold(0.0, f32::max);
    let shared = tests.iter().zip(scored).filter(|(_, (score, _))| *score > 0.0);
    shared.map(|(path, (score, words))| ((*path).to_owned(), SharedWords { share: score / best, words })).collect()
}

fn count_words(text: &[u8], numbers: &HashMap<&[u8], usize>) -> WordCounts {
    let mut counts = HashMap::new();
    let mut all = 0.0;
    for word in each_word(text) {
        all += 1.0;
        if let Some(number) = numbers.get(word) {
            *counts.entry(*number).or_default() += 1.0;
        }
    }
    WordCounts { counts, all }
}

/// The score of a test file, and the words that it comes from.
fn score_test(test: &WordCounts, weights: &[f32], wanted: &[(&str, u32)]) -> (f32, Vec<String>) {
    let saturation = SATURATION * ((test.all + 1.0) / USUAL_WORDS).sqrt();
    let mut parts: Vec<(f32, usize)> = test
        .counts
        .iter()
        .map(|(number, count)| (weights[*number] * count / (count + saturation), *number))
        .filter(|(part, _)| *part > 0.0)
        .collect();
    // The map has no order, and sums of floats depend on the order.
    parts.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let told = parts.iter().take(MOST_TOLD).map(|(_, number)| wanted[*number].0.to_owned()).collect();
    (parts.iter().map(|(part, _)| part).sum(), told)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_words_count_and_words_of_every_test_do_not() {
        let home = tempfile::tempdir().expect("a temporary directory");
        let root = fs_err::canonicalize(home.path()).expect("a path");
        let texts = [("a.py", "assert retry(3)\nassert run"), ("b.py", "assert run"), ("c.py", "assert")];
        for (path, text) in texts {
            fs_err::write(root.join(path), text).expect("a file");
        }
        let words = ["assert", "retry", "run", "absent"].map(|word| (word.to_owned(), 1)).into();
        let shared = share_words(&root, &["a.py", "b.py", "c.py"], &words);
        let told: Vec<(&str, bool, &[String])> =
            shared.iter().map(|(path, shared)| (path.as_str(), shared.share > 0.9, shared.words.as_slice())).collect();
        let [retry, run, assert] = ["retry", "run", "assert"].map(str::to_owned);
        assert_eq!(
            told,
            [
                ("a.py", true, [retry, run.clone(), assert.clone()].as_slice()),
                ("b.py", false, [run, assert.clone()].as_slice()),
                ("c.py", false, [assert].as_slice())
            ]
        );
    }
}
