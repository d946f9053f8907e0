//! Scores how informative a sentence is, by word frequencies, and finds the topics of a range of messages, for the
//! built-in summarizer.
//!
//! Words are counted within the range itself: a frequent word that is no everyday word is what it is about. Names
//! (paths, identifiers, numbers) count for more, because nothing else says the same.

use model::terms;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::LazyLock;

/// How often each word came up.
#[derive(Default)]
pub(crate) struct TopicVocabulary {
    words: HashMap<String, u32>,
    /// Names as they were written, with how often.
    names: BTreeMap<String, u32>,
}

/// Longer texts are read up to here: the rest does not change their topic.
const MAX_READ_BYTES: usize = 20_000;

impl TopicVocabulary {
    pub(crate) fn add_text(&mut self, text: &str) {
        let text = limit_text(text);
        terms::each_term(text, |term| {
            if term.len() > 2 && !is_everyday(term) {
                match self.words.get_mut(term) {
                    Some(count) => *count += 1,
                    None => drop(self.words.insert(term.to_owned(), 1)),
                }
            }
        });
        for name in find_names(text) {
            *self.names.entry(name.to_owned()).or_default() += 1;
        }
    }

    /// How telling a sentence is: what its words come to, long sentences not favoured for being long.
    pub(crate) fn sentence_weight(&self, sentence: &str) -> f64 {
        let mut sum = 0.0;
        let mut count = 0_u32;
        let mut seen = HashSet::new();
        terms::each_term(sentence, |term| {
            count += 1;
            if let Some(times) = self.words.get(term)
                && seen.insert(term.to_owned())
            {
                sum += f64::from(*times).ln_1p();
            }
        });
        // Divided by the root of the length: the sum alone prefers long sentences, the mean prefers exclamations.
        let named = find_names(sentence).count() as f64;
        if count == 0 { 0.0 } else { (sum + named * 1.5) / f64::from(count).sqrt() }
    }

    /// Names and words to look for, the most frequent first.
    pub(crate) fn top_topics(&self, most: usize) -> Vec<String> {
        let mut names: Vec<(&String, u32)> = self.names.iter().map(|(name, times)| (name, *times)).collect();
        names.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
        let mut words: Vec<(&String, u32)> = self.words.iter().map(|(word, times)| (word, *times)).collect();
        words.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
        let plain = |word: &str| word.chars().all(char::is_alphabetic);
        let words = words.into_iter().filter(|(word, times)| *times > 1 && word.chars().count() > 3 && plain(word));
        let mut topics: Vec<String> = Vec::new();
        let names = names.into_iter().map(|(name, _)| name).take(most * 2 / 3 + 1);
        for topic in names.chain(words.map(|(word, _)| word).take(most)) {
            let lower = topic.to_lowercase();
            // `store.rs` adds nothing beside `src/store.rs`.
            if topics.len() < most && !topics.iter().any(|known| known.to_lowercase().contains(&lower)) {
                topics.push(topic.clone());
            }
        }
        topics
    }
}

fn limit_text(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_READ_BYTES)]
}

/// The words of a text that name one thing: paths, identifiers, versions.
pub(crate) fn find_names(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || "\"'`()[]{}<>,;|".contains(c))
        .map(|word| word.trim_matches(['.', ':', '!', '?', '*', '=', '&', '+', '-', '#']))
        .filter(|word| is_name(word))
}

fn is_name(word: &str) -> bool {
    if !(4..=80).contains(&word.len()) || !word.bytes().any(|byte| byte.is_ascii_alphabetic()) {
        return false;
    }
    if !word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-./:@~".contains(&byte)) {
        return false;
    }
    let bytes = word.as_bytes();
    let inside = |mark: u8| bytes[1..bytes.len() - 1].contains(&mark);
    let humped = bytes.windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    let address = word.contains("://");
    // Hashes and ids name things that users do not search for by name.
    let opaque = digits * 2 > word.len() || (word.len() >= 24 && !word.contains(['/', '_', '.', ':']));
    !address && !opaque && (inside(b'_') || inside(b'/') || inside(b'.') || word.contains("::") || humped)
}

/// Words of every conversation about code.
fn is_everyday(word: &str) -> bool {
    EVERYDAY.contains(word)
}

static EVERYDAY: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    "about add added after again all also and any are because been before being both but can change changes check \
     code could did does doing done each edit even every file files find first fix for from get going good had has \
     have here how into its just know last let like line lines look looks make many may might more most much must \
     need needs new not now okay old one only other our out over please read really right run same see set she should \
     some still such sure take than thank thanks that the their them then there these they thing things think this \
     those time too two under update updated use used using very want was way well were what when where which while \
     who why will with work works would yes yet you your"
        .split(' ')
        .collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_from_words() {
        let text = "Look at `src/lib.rs`, fold_plan and HttpClient (v1.2.3): e.g. https://x.y, 2026-01-02, \
                    deadbeefdeadbeefdeadbeefdeadbeef, well-known std::fs.";
        assert_eq!(
            find_names(text).collect::<Vec<_>>(),
            ["src/lib.rs", "fold_plan", "HttpClient", "v1.2.3", "std::fs"]
        );
    }

    #[test]
    fn a_sentence_about_the_matter_weighs_more() {
        let mut vocabulary = TopicVocabulary::default();
        for text in ["the cache evicts entries", "cache eviction in src/cache.rs", "entries of the cache"] {
            vocabulary.add_text(text);
        }
        let about = "The cache evicts entries in src/cache.rs.";
        let beside = "I will have a look at it now, thanks.";
        assert!(vocabulary.sentence_weight(about) > vocabulary.sentence_weight(beside));
        assert_eq!(vocabulary.top_topics(3), ["src/cache.rs", "entries"]);
    }
}
