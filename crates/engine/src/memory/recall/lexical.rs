//! Words: where those of a question stand, and what each is worth.

use super::corpus::{Corpus, Part};
use super::places::{Places, Posted};
use super::question::Question;
use super::scope::Scope;
use foldhash::{HashMap, HashMapExt};
use store::Postings;

/// Where each word of a question stands.
pub(super) type Found = Vec<Places>;

/// Where the words of a question stand in a scope.
pub(super) fn find(corpus: &Corpus, scope: &Scope, question: &Question, postings: &[Postings]) -> Found {
    places(corpus, scope, &question.terms(), postings)
}

/// Where terms stand in a scope.
pub(super) fn places(corpus: &Corpus, scope: &Scope, terms: &[String], postings: &[Postings]) -> Vec<Places> {
    let mut stored: HashMap<(i64, &str), &[u8]> = HashMap::with_capacity(postings.len());
    stored.extend(postings.iter().map(|posting| ((posting.segment, &*posting.term), &*posting.bytes)));
    let places = |term: &String| {
        let mut segments: Vec<Posted<'_>> = Vec::new();
        for segment in &corpus.segments {
            segments.extend(bytes(&stored, &segment.part, term).map(|bytes| (bytes, &*segment.runs)));
        }
        Places::new(&segments, scope, corpus.of.len())
    };
    terms.iter().map(places).collect()
}

/// The postings of a term in a segment.
fn bytes<'a>(stored: &HashMap<(i64, &str), &'a [u8]>, part: &'a Part, term: &str) -> Option<&'a [u8]> {
    match part {
        Part::Stored { number, .. } => stored.get(&(*number, term)).copied(),
        Part::Held(built) => {
            let at = built.postings.binary_search_by(|posting| posting.term.as_str().cmp(term)).ok()?;
            Some(&built.postings[at].bytes)
        }
    }
}

/// What each word of a question is worth: the rarer the more.
pub(super) fn rarities(scope: &Scope, question: &Question, found: &Found) -> Vec<f32> {
    let rarity = |held: f32| (1.0 + (scope.passages as f32 - held + 0.5) / (held + 0.5)).ln();
    question.words.iter().zip(found).map(|(word, held)| word.weight * rarity(held.len() as f32)).collect()
}
