//! Parses the text of a question (`CodeQuestion`): its stemmed terms, the names it spells, and whether it asks for
//! tests or documents.
//!
//! A term is the stem of a piece of a word, as the index keeps it. A **key** is a whole name without case and
//! underscores, so that `rate_limit`, `RateLimit` and `ratelimit` are one.

use super::test_intent::asks_tests;
use super::word_forms::other_forms;
use model::{is_compound, terms::each_term};
use search::StemRules;

/// A question, taken apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct CodeQuestion {
    /// Its terms, each once, in order.
    pub(crate) terms: Vec<QuestionTerm>,
    /// The terms and, as wholes, the names of several words: regions are compared by all of these, files only by the
    /// rarest terms.
    pub(crate) region_terms: Vec<QuestionTerm>,
    /// Keys of the words that look like names in code.
    pub(crate) keys: Vec<String>,
    /// The keys that are in its first line.
    pub(crate) title_keys: Vec<String>,
    /// Keys of all words that say something.
    pub(crate) words: Vec<String>,
    /// Keys of neighbouring words written together, with how many words they are.
    pub(crate) joins: Vec<(String, u8)>,
    /// Names with their separators, as they stand: `src/http/mod.rs`, `http.client.get`.
    pub(crate) joined_names: Vec<String>,
    /// How long it is.
    pub(crate) length: QuestionLength,
    /// Whether it asks for tests.
    pub(crate) asks_tests: bool,
    /// Whether it asks for examples or documents.
    pub(crate) asks_documents: bool,
}

/// How long a question is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum QuestionLength {
    /// As people ask.
    #[default]
    Question,
    /// It describes something at length.
    Description,
    /// A report or a trace.
    Report,
}

/// A word of a question as the index keeps it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct QuestionTerm {
    /// Its stem.
    pub(crate) stem: String,
    /// As it was written first, in lower case.
    pub(crate) written: String,
    /// How much it counts, 1 at most.
    pub(crate) weight: f32,
    /// How often it occurs, at most twice: more often is a trace, not emphasis.
    pub(crate) count: u8,
    /// Whether it is part of a name.
    pub(crate) named: bool,
    /// Whether it stands in the first line.
    pub(crate) in_title: bool,
    /// Stems of its other forms: `cfg` of the configuration.
    pub(crate) forms: &'static [String],
}

/// The weight of the pieces of a compound that people read as one word: `git` and `hub` of `GitHub`.
const PIECE_OF_COMPOUND: f32 = 0.4;

/// A question with more terms is a report or a trace: only its most telling terms are looked up.
pub(crate) const MOST_TERMS: usize = 24;

/// A question with more terms is a description.
const MOST_ASKED: usize = 14;

/// Terms of longer questions are taken from their beginning.
const MOST_READ: usize = 400;

/// Questions are read up to here: a longer text was not written as a question, and parsing it takes time.
const MAX_QUESTION_BYTES: usize = 16 << 10;

/// How many terms at the start of a long question say what it is about.
const TITLE: usize = 20;

impl CodeQuestion {
    /// Takes a question apart; one without a single letter or digit has no terms.
    pub(crate) fn new(text: &str) -> Self {
        let text = clip_question(text);
        // A question of one word is a name, however common the word: `get`, `use` and `new` are looked for, not
        // dropped.
        let single = !text.trim().contains(char::is_whitespace);
        let mut question = Self::default();
        let mut content: Vec<String> = Vec::new();
        let mut wholes: Vec<QuestionTerm> = Vec::new();
        let title_end =
            title_of(text).map_or(text.len(), |title| title.as_ptr() as usize - text.as_ptr() as usize + title.len());
        for piece in text.split_whitespace() {
            let in_title = (piece.as_ptr() as usize - text.as_ptr() as usize) < title_end;
            let words: Vec<&str> = split_words(piece).collect();
            let joined = words.len() > 1 && is_joined(piece);
            if joined {
                question.joined_names.push(piece.trim_matches(|c: char| !is_word(c)).to_owned());
                let last_two = &words[words.len() - 2..];
                // `http.client` is also how the file `http_client.py` is asked for.
                push_once(&mut question.joins, (last_two.iter().map(|word| name_key(word)).collect(), 2));
            }
            for word in words {
                let named = joined || single || looks_named(word);
                let lower = word.to_lowercase();
                if named {
                    push_once(&mut question.keys, name_key(word));
                    if in_title {
                        push_once(&mut question.title_keys, name_key(word));
                    }
                }
                let is_stop = !single && is_stop_word(&lower);
                if !is_stop {
                    content.push(name_key(word));
                }
                let written = WordTraits { named, single, is_stop, in_title };
                question.add_word(word, written);
                add_whole(&mut wholes, word, written);
                question.asks_documents |= DOCUMENTS.contains(&&*lower);
            }
        }
        question.add_joins(&content);
        question.asks_tests = asks_tests(&split_words(text).collect::<Vec<_>>());
        if question.terms.is_empty() {
            // "what is it" has nothing but stop words; then they are what there is to search for.
            let written = WordTraits { single: true, in_title: true, ..WordTraits::default() };
            split_words(text).for_each(|word| question.add_word(word, written));
        }
        // Taken before `keep_best_terms` drops any: regions are compared by all terms.
        question.region_terms = question.terms.iter().chain(&wholes).cloned().collect();
        question.length = match question.terms.len() {
            terms if terms > MOST_TERMS => QuestionLength::Report,
            terms if terms > MOST_ASKED => QuestionLength::Description,
            _ => QuestionLength::Question,
        };
        question
    }

    /// Puts another name in the place of one that nothing is called.
    pub(super) fn read_as(&mut self, given: &str, meant: &str) {
        self.keys.retain(|key| key != given);
        let known = self.terms.len();
        push_once(&mut self.keys, name_key(meant));
        self.add_word(meant, WordTraits { named: true, single: true, is_stop: false, in_title: true });
        // The stems of the mistyped word stay in both lists: a piece of it may be right (`chek_password`).
        self.region_terms.extend_from_slice(&self.terms[known..]);
    }

    /// Keeps the most telling terms, by how rare each is; terms that no file uses are dropped.
    pub(crate) fn keep_best_terms(&mut self, rarity: impl Fn(&QuestionTerm) -> f32) {
        // A person chose each word of a short question; in a trace of hundreds most words are noise.
        if self.length < QuestionLength::Report {
            return;
        }
        let score = |(at, term): (usize, &QuestionTerm)| {
            // The beginning of a report says what it is about, and counts like a word that is repeated.
            let often = if at < TITLE { 2.0 } else { f32::from(term.count) };
            let named = if term.named { 1.5 } else { 1.0 };
            rarity(term) * often.sqrt() * named * term.weight
        };
        let mut scored: Vec<(f32, usize)> = self
            .terms
            .iter()
            .enumerate()
            .map(|(at, term)| (score((at, term)), at))
            // A rarity of 0 is a term that stands in no file.
            .filter(|(score, _)| *score > 0.0)
            .collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        scored.truncate(MOST_TERMS);
        let best = scored.first().map_or(1.0, |(score, _)| *score);
        // Back in the order of the question: sums are made in this order, and equal files must get equal scores.
        scored.sort_by_key(|(_, at)| *at);
        let kept = scored
            .into_iter()
            // Not less than 0.3: the last of 24 terms was still chosen among hundreds.
            .map(|(score, at)| QuestionTerm { weight: 0.3 + 0.7 * score / best, ..self.terms[at].clone() });
        self.terms = kept.collect();
    }

    fn add_word(&mut self, word: &str, written: WordTraits) {
        let WordTraits { named, single, is_stop, in_title } = written;
        if is_stop || self.terms.len() >= MOST_READ {
            return;
        }
        let whole = name_key(word);
        let is_whole = is_compound(&whole);
        for piece in word_pieces(word) {
            // The `i` of a loop tells nothing; one letter of Chinese may be a word.
            if !single && (piece.chars().nth(1).is_none() && piece.is_ascii() || is_stop_word(&piece)) {
                continue;
            }
            let mut room = String::new();
            StemRules::Code.stem_word(&piece, &mut room);
            if let Some(known) = self.terms.iter_mut().find(|term| term.stem == room) {
                known.count = 2;
                known.named |= named;
                known.in_title |= in_title;
            } else {
                let weight = if is_whole && piece != whole { PIECE_OF_COMPOUND } else { 1.0 };
                let forms = other_forms(&room);
                self.terms.push(QuestionTerm { stem: room, written: piece, weight, count: 1, named, in_title, forms });
            }
        }
    }

    fn add_joins(&mut self, content: &[String]) {
        for word in content {
            push_once(&mut self.words, word.clone());
            if let Some(singular) = strip_plural(word) {
                push_once(&mut self.words, singular.to_owned());
            }
        }
        // "rate limit store" may ask for `ratelimit.rs` or for `ratelimitstore.go`.
        for size in [2, 3] {
            for together in content.windows(size) {
                push_once(&mut self.joins, (together.concat(), size as u8));
            }
        }
        let singulars: Vec<(String, u8)> =
            self.joins.iter().filter_map(|(join, words)| Some((strip_plural(join)?.to_owned(), *words))).collect();
        for join in singulars {
            push_once(&mut self.joins, join);
        }
    }
}

/// Adds a word of several pieces as the index keeps it whole.
fn add_whole(wholes: &mut Vec<QuestionTerm>, word: &str, written: WordTraits) {
    let mut found = Vec::new();
    each_term(word, |term| found.push(term.to_owned()));
    // A compound is a term of its own already.
    if found.len() < 2 || !is_whole(&found[0], word) || is_compound(&found[0]) || wholes.len() >= MOST_READ {
        return;
    }
    let whole = found.swap_remove(0);
    let mut room = String::new();
    StemRules::Code.stem_word(&whole, &mut room);
    match wholes.iter_mut().find(|term| term.stem == room) {
        Some(known) => known.in_title |= written.in_title,
        None => wholes.push(QuestionTerm {
            stem: room,
            written: whole,
            weight: 1.0,
            count: 1,
            named: true,
            in_title: written.in_title,
            forms: &[],
        }),
    }
}

/// Whether the first term of a word is the word itself: scripts without spaces give no whole.
fn is_whole(term: &str, word: &str) -> bool {
    term.chars().filter(|c| *c != '_').count() >= name_key(word).chars().count()
}

/// How a word of a question is written.
#[derive(Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "a word may be any of them at once")]
struct WordTraits {
    /// As names in code are.
    named: bool,
    /// Alone.
    single: bool,
    /// It is a stop word.
    is_stop: bool,
    /// In the first line.
    in_title: bool,
}

/// The first line of a question that has more: it says what the rest is about.
pub(crate) fn title_of(text: &str) -> Option<&str> {
    let text = text.trim();
    let (title, rest) = text.split_once('\n')?;
    (!rest.trim().is_empty() && split_words(title).nth(1).is_some()).then_some(title)
}

/// As much of a question as is read.
pub(crate) fn clip_question(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_QUESTION_BYTES)]
}

const DOCUMENTS: &[&str] = &[
    "example",
    "examples",
    "demo",
    "demos",
    "sample",
    "samples",
    "benchmark",
    "benchmarks",
    "doc",
    "docs",
    "documentation",
    "readme",
    "guide",
    "tutorial",
    "changelog",
    "fuzz",
    "script",
];

/// A name without case and underscores.
pub(crate) fn name_key(name: &str) -> String {
    name.chars().filter(|c| *c != '_').flat_map(char::to_lowercase).collect()
}

/// The pieces of a word, in lower case; of a word of one piece the word itself, and one that is one word to everybody as
/// well as its pieces.
pub(crate) fn word_pieces(word: &str) -> Vec<String> {
    let mut found = Vec::new();
    each_term(word, |term| found.push(term.to_owned()));
    // The whole comes before its pieces.
    if found.len() > 1 && is_whole(&found[0], word) && !is_compound(&found[0]) {
        found.remove(0);
    }
    found
}

/// Runs of letters, digits and underscores.
pub(crate) fn split_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_word(c)).filter(|word| word.contains(char::is_alphanumeric))
}

fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// Whether a word in lower case says nothing of what a question about code is about.
pub(crate) fn is_stop_word(word: &str) -> bool {
    search::is_stop_word(StemRules::Code, word)
}

/// Whether its words are joined the way code and paths join them: `a.b`, `a::b`, `a#b`, `a->b`, `a/b`.
fn is_joined(piece: &str) -> bool {
    let mut rest = piece;
    while let Some(at) = rest.find(['.', ':', '#', '/', '\\', '>']) {
        // Both sides must be words: the dot at the end of a sentence joins nothing.
        let before = rest[..at].chars().next_back().is_some_and(|c| is_word(c) || c == ':' || c == '-');
        let after = rest[at..].chars().nth(1).is_some_and(|c| is_word(c) || c == ':');
        if before && after {
            return true;
        }
        rest = &rest[at + 1..];
    }
    false
}

/// Whether a word is written as words of prose are not: `snake_case`, `camelCase`, `HTTPServer`.
fn looks_named(word: &str) -> bool {
    let inner = word.trim_matches('_');
    let bytes = inner.as_bytes();
    let pairs = || bytes.windows(2);
    inner.contains('_')
        || pairs().any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
        || bytes.windows(3).any(|three| {
            three[0].is_ascii_uppercase() && three[1].is_ascii_uppercase() && three[2].is_ascii_lowercase()
        })
}

fn strip_plural(word: &str) -> Option<&str> {
    word.strip_suffix('s').filter(|rest| rest.len() > 3)
}

fn push_once<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, terms: &[&str], keys: &[&str]) {
        let question = CodeQuestion::new(text);
        let stems: Vec<&str> = question.terms.iter().map(|term| term.stem.as_str()).collect();
        assert_eq!(stems, terms, "{text}");
        assert_eq!(question.keys, keys, "{text}");
    }

    #[test]
    fn a_question_is_its_telling_words_and_the_names_in_it() {
        check("how does the rate limiter work?", &["rat", "limit", "work"], &[]);
        check("parseHTTPHeader", &["pars", "http", "head"], &["parsehttpheader"]);
        check("where is http.client.get defined", &["http", "client", "defin"], &["http", "client", "get"]);
        check("the", &["the"], &["the"]);
        check(
            "RateLimit of src/limits/rate_limit.rs",
            &["rat", "limit", "src", "rs"],
            &["ratelimit", "src", "limits", "rs"],
        );
        check("the GitHub page", &["github", "git", "hub", "pag"], &["github"]);
        check("数据库 连接", &["数据", "据库", "连接"], &[]);
        check("?!", &[], &[]);
    }

    #[test]
    fn words_written_together_are_one_name() {
        let question = CodeQuestion::new("rate limits per user");
        assert!(question.joins.contains(&("ratelimits".to_owned(), 2)));
        assert!(question.joins.contains(&("ratelimit".to_owned(), 2)));
        assert!(question.joins.contains(&("ratelimitsper".to_owned(), 3)));
        assert!(question.words.contains(&"limit".to_owned()));
    }

    #[test]
    fn a_long_question_keeps_its_rarest_terms() {
        let text: Vec<String> = (0..60)
            .map(|number| {
                format!("word{}", char::from(b'a' + number % 26).to_string().repeat(2 + number as usize / 26))
            })
            .collect();
        let mut question = CodeQuestion::new(&text.join(" "));
        assert_eq!(question.length, QuestionLength::Report);
        question.keep_best_terms(|term| if term.stem.ends_with("zz") { 9.0 } else { 1.0 });
        assert_eq!(question.terms.len(), MOST_TERMS);
        assert!(question.terms.iter().any(|term| term.stem.ends_with("zz") && term.weight > 0.99));
    }
}
