//! Index builder: counts stemmed terms per document and field (`TermCounter`), and turns the counts of all texts of a
//! segment into postings (`SegmentTerms`).
//!
//! Every word of a project or a conversation passes through here. So the terms of a word are computed once for a
//! segment by each thread that reads its texts, and counts refer to terms by number until the segment is written.

use super::EncodedTerm;
use crate::StemRules;
use crate::postings::{FieldCounts, PostingsWriter};
use foldhash::HashMap;
use model::terms::{each_term, each_word};
use rayon::prelude::*;
use std::sync::{Mutex, PoisonError};

/// The words of a segment. Texts are read by several threads at once, each with a vocabulary of its own.
pub struct SegmentTerms<const FIELDS: usize> {
    rules: StemRules,
    vocabularies: Mutex<VocabularyPool>,
}

#[derive(Default)]
struct VocabularyPool {
    made: usize,
    idle: Vec<SegmentVocabulary>,
}

/// Words that were seen, and their terms.
#[derive(Default)]
struct SegmentVocabulary {
    /// Its number in the segment.
    number: usize,
    /// Every word as written, with the range of its terms in `meant`.
    words: HashMap<Box<str>, (u32, u32)>,
    /// Numbers of terms.
    meant: Vec<u32>,
    numbers: HashMap<Box<str>, u32>,
    /// For each term the index of its newest entry in the text where it was last seen.
    newest: Vec<u32>,
    /// A buffer for one term.
    room: String,
}

/// A text of one or more documents whose words are being counted.
pub struct TermCounter<const FIELDS: usize> {
    rules: StemRules,
    vocabulary: SegmentVocabulary,
    counted: CountedText<FIELDS>,
}

/// The counts of one text.
pub struct CountedText<const FIELDS: usize> {
    /// The vocabulary that its entries refer to.
    vocabulary: usize,
    entries: Vec<TermCount<FIELDS>>,
    /// How many terms each field of its documents holds.
    pub lengths: Vec<FieldCounts<FIELDS>>,
}

/// How often a term occurs in a document. Entries of one term come in the order of documents.
struct TermCount<const FIELDS: usize> {
    term: u32,
    document: u32,
    counts: FieldCounts<FIELDS>,
}

impl<const FIELDS: usize> SegmentTerms<FIELDS> {
    /// A segment whose words are stemmed by these rules.
    pub fn new(rules: StemRules) -> Self {
        Self { rules, vocabularies: Mutex::default() }
    }

    /// Starts a text.
    pub fn start_text(&self) -> TermCounter<FIELDS> {
        let mut vocabularies = self.vocabularies.lock().unwrap_or_else(PoisonError::into_inner);
        // A vocabulary belongs to one text at a time, so threads share none and lock twice a text.
        let vocabulary = vocabularies.idle.pop().unwrap_or_else(|| {
            vocabularies.made += 1;
            SegmentVocabulary { number: vocabularies.made - 1, ..SegmentVocabulary::default() }
        });
        let counted = CountedText { vocabulary: vocabulary.number, entries: Vec::new(), lengths: Vec::new() };
        TermCounter { rules: self.rules, vocabulary, counted }
    }

    /// Ends a text.
    pub fn finish_text(&self, text: TermCounter<FIELDS>) -> CountedText<FIELDS> {
        self.vocabularies.lock().unwrap_or_else(PoisonError::into_inner).idle.push(text.vocabulary);
        text.counted
    }

    /// All postings, ordered by term. Documents are numbered through the texts in their order; all of them were counted
    /// here.
    pub fn into_postings(self, texts: &[CountedText<FIELDS>]) -> Vec<EncodedTerm> {
        let mut vocabularies = self.vocabularies.into_inner().unwrap_or_else(PoisonError::into_inner).idle;
        // Threads return vocabularies in any order, and `places` is indexed by their numbers.
        vocabularies.sort_unstable_by_key(|vocabulary| vocabulary.number);
        let mut terms: Vec<(Box<str>, usize, u32)> = Vec::new();
        let mut places: Vec<Vec<u32>> = Vec::new();
        for vocabulary in vocabularies {
            places.push(vec![0; vocabulary.numbers.len()]);
            terms.extend(vocabulary.numbers.into_iter().map(|(term, number)| (term, vocabulary.number, number)));
        }
        terms.par_sort_unstable_by(|a, b| a.0.cmp(&b.0));
        // The same term has one place, whichever vocabulary it is in.
        let mut postings: Vec<EncodedTerm> = Vec::new();
        for (term, vocabulary, number) in terms {
            if postings.last().is_none_or(|last| *last.term != *term) {
                postings.push(EncodedTerm { term: term.into_string(), bytes: Vec::new() });
            }
            places[vocabulary][number as usize] = postings.len() as u32 - 1;
        }
        // Counted first, so that each list is allocated once.
        let mut counts = vec![0; postings.len()];
        for text in texts {
            text.entries.iter().for_each(|entry| counts[places[text.vocabulary][entry.term as usize] as usize] += 1);
        }
        let mut writers: Vec<PostingsWriter<FIELDS>> = counts.into_iter().map(PostingsWriter::with_capacity).collect();
        let mut first_document = 0;
        for text in texts {
            let places = &places[text.vocabulary];
            for TermCount { term, document, counts } in &text.entries {
                writers[places[*term as usize] as usize].push(first_document + document, counts);
            }
            first_document += text.lengths.len() as u32;
        }
        for (posting, writer) in postings.iter_mut().zip(writers) {
            posting.bytes = writer.into_bytes();
        }
        postings
    }
}

impl<const FIELDS: usize> TermCounter<FIELDS> {
    /// Starts the next document of the text.
    pub fn start_document(&mut self) {
        self.counted.lengths.push([0; FIELDS]);
    }

    /// Adds words to a field of the document that was started last; how many terms they are.
    pub fn count_text(&mut self, field: usize, text: &str) -> u32 {
        let Self { rules, vocabulary, counted: CountedText { entries, lengths, .. } } = self;
        let Some(document) = lengths.len().checked_sub(1) else { return 0 };
        let (document, length) = (document as u32, &mut lengths[document][field]);
        let before = *length;
        each_word(text, |word| {
            let (start, end) = vocabulary.meant_by(word, *rules);
            *length += end - start;
            let SegmentVocabulary { meant, newest, .. } = &mut *vocabulary;
            for term in &meant[start as usize..end as usize] {
                let at = &mut newest[*term as usize];
                match entries.get_mut(*at as usize) {
                    // An index that another text left in `newest` cannot be that of an entry for the same term: such
                    // an entry would have replaced it.
                    Some(entry) if entry.term == *term && entry.document == document => entry.counts[field] += 1,
                    _ => {
                        *at = entries.len() as u32;
                        let mut counts = [0; FIELDS];
                        counts[field] = 1;
                        entries.push(TermCount { term: *term, document, counts });
                    }
                }
            }
        });
        *length - before
    }
}

impl SegmentVocabulary {
    /// The range of the terms of a word.
    fn meant_by(&mut self, word: &str, rules: StemRules) -> (u32, u32) {
        // Most words repeat, and stemming costs far more than this lookup.
        if let Some(known) = self.words.get(word) {
            return *known;
        }
        let Self { words, meant, numbers, newest, room, .. } = self;
        let start = meant.len() as u32;
        each_term(word, |term| {
            rules.stem_word(term, room);
            let number = numbers.get(room.as_str()).copied().unwrap_or_else(|| {
                let next = newest.len() as u32;
                newest.push(u32::MAX);
                numbers.insert(room.as_str().into(), next);
                next
            });
            meant.push(number);
        });
        let known = (start, meant.len() as u32);
        words.insert(word.into(), known);
        known
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::each_posting;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[test]
    fn terms_are_counted_by_document_and_field_over_all_texts() {
        let segment = SegmentTerms::<2>::new(StemRules::Code);
        // At once, so that each has a vocabulary of its own.
        let mut counting = [segment.start_text(), segment.start_text()];
        for (text, documents) in counting.iter_mut().zip([["grows trees", "tree, growing trees"], ["oak", "a tree"]]) {
            for document in documents {
                text.start_document();
                text.count_text(0, document);
                assert_eq!(text.count_text(1, "tree"), 1);
            }
        }
        let mut texts: Vec<CountedText<2>> = counting.into_iter().map(|text| segment.finish_text(text)).collect();
        assert_eq!(texts[0].lengths, [[2, 1], [3, 1]]);
        // Another text with words that were met.
        let mut text = segment.start_text();
        text.start_document();
        text.count_text(0, "oak tree");
        texts.push(segment.finish_text(text));
        let told: Vec<String> = segment
            .into_postings(&texts)
            .iter()
            .map(|EncodedTerm { term, bytes }| {
                let mut told = term.clone();
                each_posting::<2>(bytes, |document, counts| {
                    told += &format!(" {document}:{}+{}", counts[0], counts[1]);
                });
                told
            })
            .collect();
        assert_eq!(told, ["a 3:1+0", "grow 0:1+0 1:1+0", "oak 2:1+0 4:1+0", "tre 0:1+1 1:2+1 2:0+1 3:1+1 4:1+0"]);
    }

    proptest! {
        /// What is counted is what counting every text alone with a map gives, by the rules of either kind of text.
        #[test]
        fn counts_are_those_of_a_map(texts in proptest::collection::vec("(tree|Trees|bought|parse_Tree|oak|, | ){0,9}", 1..12), is_code in any::<bool>()) {
            let rules = if is_code { StemRules::Code } else { StemRules::English };
            let segment = SegmentTerms::<1>::new(rules);
            let mut counter = segment.start_text();
            let mut wanted: BTreeMap<String, BTreeMap<u32, u32>> = BTreeMap::new();
            for (document, text) in (0..).zip(&texts) {
                counter.start_document();
                let mut terms = 0;
                each_term(text, |term| {
                    let mut stem = String::new();
                    rules.stem_word(term, &mut stem);
                    *wanted.entry(stem).or_default().entry(document).or_default() += 1;
                    terms += 1;
                });
                prop_assert_eq!(counter.count_text(0, text), terms);
            }
            let counted = segment.finish_text(counter);
            let mut found: BTreeMap<String, BTreeMap<u32, u32>> = BTreeMap::new();
            for EncodedTerm { term, bytes } in segment.into_postings(&[counted]) {
                let held = found.entry(term).or_default();
                each_posting::<1>(&bytes, |document, [count]| {
                    held.insert(document, *count);
                });
            }
            prop_assert_eq!(found, wanted);
        }
    }
}
