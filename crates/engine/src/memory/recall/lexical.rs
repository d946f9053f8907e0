//! Looks up the postings of a question's words in all segments, stored or in memory, and computes the IDF weight of
//! each word.

use super::corpus::{Corpus, RecallSegment};
use super::posting_layout::{PlacedPostings, PostingLayout};
use super::question::RecallQuestion;
use super::scope::CorpusScope;
use crate::base::Result;
use foldhash::{HashMap, HashMapExt};
use search::DamagedImage;
use store::SegmentPostings;

/// Where each word of a question stands.
pub(super) type WordPostings = Vec<PostingLayout>;

/// Where the words of a question stand in a scope.
pub(super) fn find_words(
    corpus: &Corpus,
    scope: &CorpusScope,
    question: &RecallQuestion,
    postings: &[SegmentPostings],
) -> Result<WordPostings> {
    find_terms(corpus, scope, &question.search_terms(), postings)
}

/// Where terms stand in a scope.
pub(super) fn find_terms(
    corpus: &Corpus,
    scope: &CorpusScope,
    terms: &[String],
    postings: &[SegmentPostings],
) -> Result<Vec<PostingLayout>> {
    let mut stored: HashMap<(i64, &str), &[u8]> = HashMap::with_capacity(postings.len());
    // Keyed by segment and term: the store returns postings in its own order.
    stored.extend(postings.iter().map(|posting| ((posting.segment, &*posting.term), &*posting.bytes)));
    let places = |term: &String| {
        let mut segments: Vec<PlacedPostings<'_>> = Vec::new();
        for segment in &corpus.segments {
            segments.extend(posting_bytes(&stored, &segment.part, term)?.map(|bytes| (bytes, &*segment.groups)));
        }
        Ok(PostingLayout::new(&segments, scope, corpus.of.len()))
    };
    terms.iter().map(places).collect()
}

/// The postings of a term in a segment.
fn posting_bytes<'a>(
    stored: &HashMap<(i64, &str), &'a [u8]>,
    part: &'a RecallSegment,
    term: &str,
) -> Result<Option<&'a [u8]>> {
    match part {
        RecallSegment::Stored { number, .. } => Ok(stored.get(&(*number, term)).copied()),
        RecallSegment::Held(held) => held.find_term(term).map_err(|DamagedImage| {
            let what = format!("the postings of `{term}` in memory are not what was written");
            store::Error::Corrupt { database: "the index of conversations".to_owned(), what }.into()
        }),
    }
}

/// The weight of each word of a question: the rarer, the higher.
pub(super) fn idf_weights(scope: &CorpusScope, question: &RecallQuestion, found: &WordPostings) -> Vec<f32> {
    // Within the scope: a project's name is rare among all conversations and in every one of that project.
    let rarity = |held: &PostingLayout| search::idf(scope.passages as usize, held.len());
    question.words.iter().zip(found).map(|(word, held)| word.weight * rarity(held)).collect()
}
