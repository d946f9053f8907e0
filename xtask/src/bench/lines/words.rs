//! Tokenizes code and questions into stemmed words and ranks by BM25: the baseline of the retrieval benchmark that
//! every search has to beat.

use std::collections::{HashMap, HashSet};

const BM25_K1: f64 = 1.2;
const BM25_B: f64 = 0.75;

/// Words that stand in every question, without their endings.
const STOP_WORDS: &str = " a an and are as at be but by can do doe for from has have how i if in is it its not of on or \
    so that the their then there thi to was we what when where which will with you ";

const ENDINGS: [&str; 4] = ["ing", "ed", "es", "s"];

/// The words of a text: parts of names without endings, and names of several parts whole.
pub(super) fn split_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for name in text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
        let name = name.trim_start_matches(|c: char| c.is_ascii_digit());
        let parts = name_parts(name);
        if parts.len() > 1 {
            words.push(name.to_ascii_lowercase());
        }
        words.extend(parts.iter().map(|part| without_ending(&part.to_ascii_lowercase()).to_owned()));
    }
    words
}

/// `parseHTTPHeader2` as `parse`, `HTTP`, `Header`, `2`.
fn name_parts(name: &str) -> Vec<&str> {
    let bytes = name.as_bytes();
    let mut parts = Vec::new();
    let mut start = 0;
    for at in 1..=bytes.len() {
        let ends = at == bytes.len() || {
            // Bytes suffice: `split_words` cuts at everything that is not ASCII.
            let before = bytes[at - 1];
            let here = bytes[at];
            let next_is_lower = bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase);
            before.is_ascii_digit() != here.is_ascii_digit()
                || (before == b'_') != (here == b'_')
                || (before.is_ascii_lowercase() && here.is_ascii_uppercase())
                || (before.is_ascii_uppercase() && here.is_ascii_uppercase() && next_is_lower)
        };
        if ends {
            parts.push(&name[start..at]);
            start = at;
        }
    }
    parts.retain(|part| !part.starts_with('_'));
    parts
}

fn without_ending(word: &str) -> &str {
    let mut cut = ENDINGS.iter().filter_map(|ending| word.strip_suffix(ending)).filter(|rest| rest.len() >= 3);
    cut.next().unwrap_or(word)
}

/// How often each word stands in a text, and how many words there are.
#[derive(Clone, Default)]
pub(super) struct WordBag {
    counts: HashMap<String, u32>,
    size: u32,
}

impl WordBag {
    pub(super) fn from_text(text: &str) -> Self {
        let mut bag = Self::default();
        for word in split_words(text) {
            *bag.counts.entry(word).or_default() += 1;
            bag.size += 1;
        }
        bag
    }
}

/// Numbers of the bags that share a word with a question, best first; equals in their order.
pub(super) fn rank_bags(bags: &[&WordBag], question: &str) -> Vec<usize> {
    let is_telling = |word: &String| word.len() > 1 && !STOP_WORDS.contains(&format!(" {word} "));
    let asked: HashSet<String> = split_words(question).into_iter().filter(is_telling).collect();
    // Sorted, because sums of floats depend on their order and a run has to be repeatable.
    let mut asked: Vec<String> = asked.into_iter().collect();
    asked.sort();
    let size = bags.iter().map(|bag| f64::from(bag.size)).sum::<f64>() / bags.len().max(1) as f64;
    let mut scores = vec![0.0; bags.len()];
    for word in asked {
        let holding: Vec<(usize, f64)> =
            bags.iter().enumerate().filter_map(|(at, bag)| Some((at, f64::from(*bag.counts.get(&word)?)))).collect();
        let all = bags.len() as f64;
        let with = holding.len() as f64;
        let rarity = (1.0 + (all - with + 0.5) / (with + 0.5)).ln();
        for (at, count) in holding {
            let length = 1.0 - BM25_B + BM25_B * f64::from(bags[at].size) / size;
            scores[at] += rarity * count * (BM25_K1 + 1.0) / (count + BM25_K1 * length);
        }
    }
    let mut found: Vec<usize> = (0..bags.len()).filter(|at| scores[*at] > 0.0).collect();
    found.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart_and_kept() {
        assert_eq!(
            split_words("parseHTTPHeaders(x_y, retries)"),
            ["parsehttpheaders", "parse", "http", "header", "x_y", "x", "y", "retri"]
        );
        assert_eq!(split_words("_private 2nd utf8"), ["private", "nd", "utf8", "utf", "8"]);
    }

    #[test]
    fn a_rare_word_in_a_short_text_comes_first() {
        let texts = ["open the file and close the file", "open a socket", "close a socket and the port of the socket"];
        let bags: Vec<WordBag> = texts.iter().map(|text| WordBag::from_text(text)).collect();
        let bags: Vec<&WordBag> = bags.iter().collect();
        assert_eq!(rank_bags(&bags, "which port does the socket have"), [2, 1]);
        assert!(rank_bags(&bags, "the").is_empty());
    }
}
