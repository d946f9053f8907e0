//! The terms of a file, unit by unit, and of a batch of files.
//!
//! This is where most words of a project pass through, so a word is cut down to its stem once per file, and what is
//! counted lies in one list instead of one for each term.

use super::postings::{Counts, Field, Lengths, Writer};
use foldhash::HashMap;
use model::stem;
use model::terms::each_term;
use store::TermPostings;

/// Terms of the units of one file, as they are gathered.
#[derive(Default)]
pub(super) struct FileTerms {
    /// Every word that was met, with the number of its term.
    words: HashMap<String, u32>,
    numbers: HashMap<String, u32>,
    /// For each term the place of its newest entry.
    newest: Vec<u32>,
    entries: Vec<Entry>,
    /// Field lengths of each unit.
    pub(super) lengths: Vec<Lengths>,
    /// Room for one term.
    room: String,
}

/// How often a term occurs in a unit. Entries of one term come in the order of units.
struct Entry {
    term: u32,
    unit: u32,
    counts: Counts,
}

impl FileTerms {
    /// Starts the next unit of the file.
    pub(super) fn start_unit(&mut self) {
        self.lengths.push(Lengths::default());
    }

    /// Adds a text to the unit that was started last.
    pub(super) fn add(&mut self, field: Field, text: &str) {
        let Self { words, numbers, newest, entries, lengths, room } = self;
        let Some(unit) = lengths.len().checked_sub(1) else { return };
        let (unit, field) = (unit as u32, field as usize);
        each_term(text, |word| {
            lengths[unit as usize][field] += 1;
            // Looked up by reference first: most words of a file were met before, and need no copy.
            let term = if let Some(term) = words.get(word) {
                *term
            } else {
                stem(word, room);
                let next = numbers.len() as u32;
                let term = match numbers.get(room.as_str()) {
                    Some(term) => *term,
                    None => *numbers.entry(room.clone()).or_insert(next),
                };
                words.insert(word.to_owned(), term);
                term
            };
            if term as usize == newest.len() {
                newest.push(u32::MAX);
            }
            let at = &mut newest[term as usize];
            match entries.get_mut(*at as usize) {
                Some(entry) if entry.unit == unit => entry.counts[field] += 1,
                _ => {
                    *at = entries.len() as u32;
                    let mut counts = Counts::default();
                    counts[field] = 1;
                    entries.push(Entry { term, unit, counts });
                }
            }
        });
    }
}

/// Postings of a batch, as its files come in.
#[derive(Default)]
pub(super) struct BatchTerms {
    numbers: HashMap<String, u32>,
    writers: Vec<Writer>,
}

impl BatchTerms {
    /// Adds a file whose units are numbered from `first_unit` on; files come in the order of their units.
    pub(super) fn add(&mut self, file: FileTerms, first_unit: u32) {
        let mut numbers = vec![0; file.numbers.len()];
        for (term, number) in file.numbers {
            let next = self.writers.len() as u32;
            let known = *self.numbers.entry(term).or_insert(next);
            if known == next {
                self.writers.push(Writer::default());
            }
            numbers[number as usize] = known;
        }
        for Entry { term, unit, counts } in file.entries {
            let writer = &mut self.writers[numbers[term as usize] as usize];
            writer.push(first_unit + unit, &counts);
        }
    }

    /// All postings, ordered by term.
    pub(super) fn finish(mut self) -> Vec<TermPostings> {
        let mut bytes = |number: u32| std::mem::take(&mut self.writers[number as usize].bytes);
        let mut postings: Vec<TermPostings> =
            self.numbers.into_iter().map(|(term, number)| TermPostings { term, bytes: bytes(number) }).collect();
        postings.sort_unstable_by(|a, b| a.term.cmp(&b.term));
        postings
    }
}

#[cfg(test)]
mod tests {
    use super::super::postings::each_posting;
    use super::*;

    #[test]
    fn terms_are_counted_by_unit_and_field_over_all_files() {
        let mut batch = BatchTerms::default();
        for (number, texts) in [["grows trees", "tree, growing trees"], ["oak", "a tree"]].iter().enumerate() {
            let mut file = FileTerms::default();
            for text in texts {
                file.start_unit();
                file.add(Field::Name, text);
                file.add(Field::Body, "tree");
            }
            assert_eq!(file.lengths[0][Field::Body as usize], 1);
            batch.add(file, number as u32 * 2);
        }
        let told: Vec<String> = batch
            .finish()
            .iter()
            .map(|TermPostings { term, bytes }| {
                let mut told = term.clone();
                each_posting(bytes, |unit, counts| told += &format!(" {unit}:{}+{}", counts[0], counts[4]));
                told
            })
            .collect();
        assert_eq!(told, ["a 3:1+0", "grow 0:1+0 1:1+0", "oak 2:1+0", "tre 0:1+1 1:2+1 2:0+1 3:1+1"]);
    }
}
