//! Words: where those of a question stand, and what each is worth.

use super::corpus::{Corpus, Part, PlacedRun};
use super::postings::each_posting;
use super::question::Question;
use super::scope::Scope;
use foldhash::{HashMap, HashMapExt};
use store::Postings;

/// Where a word stands: passage and count in the order of passages, for each word of the question.
pub(super) type Found = Vec<Vec<(u32, u32)>>;

/// Where the words of a question stand in a scope.
pub(super) fn find(corpus: &Corpus, scope: &Scope, question: &Question, postings: &[Postings]) -> Found {
    let mut stored: HashMap<(i64, &str), &[u8]> = HashMap::with_capacity(postings.len());
    stored.extend(postings.iter().map(|posting| ((posting.segment, &*posting.term), &*posting.bytes)));
    question
        .words
        .iter()
        .map(|word| {
            let mut found = Vec::new();
            for segment in &corpus.segments {
                let Some(bytes) = bytes(&stored, &segment.part, &word.term) else { continue };
                // A posting takes at least a byte.
                found.reserve(bytes.len());
                place(bytes, &segment.runs, scope, &mut found);
            }
            // Segments are mostly in order already, and what is in order is only looked at.
            found.sort_by_key(|(passage, _)| *passage);
            found
        })
        .collect()
}

/// Adds the postings of a segment, by where its runs are; those that are nowhere or not searched are left out.
fn place(bytes: &[u8], runs: &[PlacedRun], scope: &Scope, found: &mut Vec<(u32, u32)>) {
    let mut runs = runs.iter();
    let (mut first, mut end, mut at, mut searched) = (0, 0, 0, false);
    each_posting(bytes, |passage, count| {
        while passage >= end {
            let Some(run) = runs.next() else { return };
            (first, end, at, searched) = (run.start, run.start + run.passages, run.at, scope.has(run.talk));
        }
        if searched && passage >= first {
            found.push((at + (passage - first), count));
        }
    });
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
