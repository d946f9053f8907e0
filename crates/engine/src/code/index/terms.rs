//! The terms of a file, unit by unit, and of a batch of files.
//!
//! Every word of a project passes through here. So the terms of a word are computed once for a batch by each thread
//! that reads its files, and counts refer to terms by number until the batch is written.

use super::postings::{FieldCounts, FieldLengths, TermField, UnitPostingsWriter};
use foldhash::HashMap;
use model::stem_word;
use model::terms::{each_term, each_word};
use rayon::prelude::*;
use std::sync::{Mutex, PoisonError};
use store::TermPostings;

/// The words of a batch. Files are read by several threads at once, each with a vocabulary of its own.
#[derive(Default)]
pub(super) struct BatchTerms {
    vocabularies: Mutex<VocabularyPool>,
}

#[derive(Default)]
struct VocabularyPool {
    made: usize,
    idle: Vec<BatchVocabulary>,
}

/// Words that were seen, and their terms.
#[derive(Default)]
struct BatchVocabulary {
    /// Its number in the batch.
    number: usize,
    /// Every word as written, with the range of its terms in `meant`.
    words: HashMap<Box<str>, (u32, u32)>,
    /// Numbers of terms.
    meant: Vec<u32>,
    numbers: HashMap<Box<str>, u32>,
    /// For each term the index of its newest entry in the file where it was last seen.
    newest: Vec<u32>,
    /// A buffer for one term.
    room: String,
}

/// A file whose words are being counted.
pub(super) struct TermCounter {
    vocabulary: BatchVocabulary,
    counted: FileTerms,
}

/// The counts of one file.
#[derive(Default)]
pub(super) struct FileTerms {
    /// The vocabulary that its entries refer to.
    vocabulary: usize,
    entries: Vec<TermCount>,
    /// Field lengths of each unit.
    pub(super) lengths: Vec<FieldLengths>,
}

/// How often a term occurs in a unit. Entries of one term come in the order of units.
struct TermCount {
    term: u32,
    unit: u32,
    counts: FieldCounts,
}

impl BatchTerms {
    /// Starts a file.
    pub(super) fn start_file(&self) -> TermCounter {
        let mut vocabularies = self.vocabularies.lock().unwrap_or_else(PoisonError::into_inner);
        // A vocabulary belongs to one file at a time, so threads share none and lock twice a file.
        let vocabulary = vocabularies.idle.pop().unwrap_or_else(|| {
            vocabularies.made += 1;
            BatchVocabulary { number: vocabularies.made - 1, ..BatchVocabulary::default() }
        });
        let counted = FileTerms { vocabulary: vocabulary.number, ..FileTerms::default() };
        TermCounter { vocabulary, counted }
    }

    /// Ends a file.
    pub(super) fn finish_file(&self, file: TermCounter) -> FileTerms {
        self.vocabularies.lock().unwrap_or_else(PoisonError::into_inner).idle.push(file.vocabulary);
        file.counted
    }

    /// All postings, ordered by term. Units are numbered through the files in their order; all of them were counted
    /// here.
    pub(super) fn into_postings(self, files: &[FileTerms]) -> Vec<TermPostings> {
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
        let mut postings: Vec<TermPostings> = Vec::new();
        for (term, vocabulary, number) in terms {
            if postings.last().is_none_or(|last| *last.term != *term) {
                postings.push(TermPostings { term: term.into_string(), bytes: Vec::new() });
            }
            places[vocabulary][number as usize] = postings.len() as u32 - 1;
        }
        // Counted first, so that each list is allocated once.
        let mut counts = vec![0; postings.len()];
        for file in files {
            file.entries.iter().for_each(|entry| counts[places[file.vocabulary][entry.term as usize] as usize] += 1);
        }
        let mut writers: Vec<UnitPostingsWriter> = counts.into_iter().map(UnitPostingsWriter::with_capacity).collect();
        let mut first_unit = 0;
        for file in files {
            let places = &places[file.vocabulary];
            for TermCount { term, unit, counts } in &file.entries {
                writers[places[*term as usize] as usize].push(first_unit + unit, counts);
            }
            first_unit += file.lengths.len() as u32;
        }
        for (posting, writer) in postings.iter_mut().zip(writers) {
            posting.bytes = writer.bytes;
        }
        postings
    }
}

impl TermCounter {
    /// Starts the next unit of the file.
    pub(super) fn start_unit(&mut self) {
        self.counted.lengths.push(FieldLengths::default());
    }

    /// Adds a text to the unit that was started last.
    pub(super) fn count_text(&mut self, field: TermField, text: &str) {
        let Self { vocabulary, counted: FileTerms { entries, lengths, .. } } = self;
        let Some(unit) = lengths.len().checked_sub(1) else { return };
        let unit = unit as u32;
        let field = field as usize;
        each_word(text, |word| {
            let (start, end) = vocabulary.meant_by(word);
            lengths[unit as usize][field] += end - start;
            let BatchVocabulary { meant, newest, .. } = &mut *vocabulary;
            for term in &meant[start as usize..end as usize] {
                let at = &mut newest[*term as usize];
                match entries.get_mut(*at as usize) {
                    // An index that another file left in `newest` cannot be that of an entry for the same term: such an
                    // entry would have replaced it.
                    Some(entry) if entry.term == *term && entry.unit == unit => entry.counts[field] += 1,
                    _ => {
                        *at = entries.len() as u32;
                        let mut counts = FieldCounts::default();
                        counts[field] = 1;
                        entries.push(TermCount { term: *term, unit, counts });
                    }
                }
            }
        });
    }
}

impl BatchVocabulary {
    /// The range of the terms of a word.
    fn meant_by(&mut self, word: &str) -> (u32, u32) {
        // Most words repeat, and stemming costs far more than this lookup.
        if let Some(known) = self.words.get(word) {
            return *known;
        }
        let Self { words, meant, numbers, newest, room, .. } = self;
        let start = meant.len() as u32;
        each_term(word, |term| {
            stem_word(term, room);
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
    use super::super::postings::each_posting;
    use super::*;

    #[test]
    fn terms_are_counted_by_unit_and_field_over_all_files() {
        let batch = BatchTerms::default();
        // At once, so that each has a vocabulary of its own.
        let mut counting = [batch.start_file(), batch.start_file()];
        for (file, texts) in counting.iter_mut().zip([["grows trees", "tree, growing trees"], ["oak", "a tree"]]) {
            for text in texts {
                file.start_unit();
                file.count_text(TermField::Name, text);
                file.count_text(TermField::Body, "tree");
            }
        }
        let mut files: Vec<FileTerms> = counting.into_iter().map(|file| batch.finish_file(file)).collect();
        assert_eq!(files[0].lengths[0][TermField::Body as usize], 1);
        // Another file with words that were met.
        let mut file = batch.start_file();
        file.start_unit();
        file.count_text(TermField::Name, "oak tree");
        files.push(batch.finish_file(file));
        let told: Vec<String> = batch
            .into_postings(&files)
            .iter()
            .map(|TermPostings { term, bytes }| {
                let mut told = term.clone();
                each_posting(bytes, |unit, counts| told += &format!(" {unit}:{}+{}", counts[0], counts[4]));
                told
            })
            .collect();
        assert_eq!(told, ["a 3:1+0", "grow 0:1+0 1:1+0", "oak 2:1+0 4:1+0", "tre 0:1+1 1:2+1 2:0+1 3:1+1 4:1+0"]);
    }
}
