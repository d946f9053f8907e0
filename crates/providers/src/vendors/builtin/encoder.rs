//! From a text to its vector: the sum of its tokens' rows, each weighted by how often the token occurs.

use super::Defect;
use super::table::{DIMENSIONS, Table};
use super::vocabulary::{TokenId, Vocabulary};
use super::words::words;
use crate::Vector;

/// The model, ready for use.
pub(super) struct Encoder {
    table: Table,
    vocabulary: Vocabulary,
}

impl Encoder {
    pub(super) fn new(table: &'static [u8], vocabulary: &'static str) -> Result<Self, Defect> {
        let table = Table::new(table)?;
        let vocabulary = Vocabulary::new(vocabulary, table.tokens())?;
        Ok(Self { table, vocabulary })
    }

    /// A bag to count in, for as many texts as the caller has.
    pub(super) fn bag(&self) -> Bag<'_> {
        Bag { encoder: self, counts: vec![0; self.table.tokens()], seen: Vec::new() }
    }

    pub(super) fn each_token(&self, text: &str, mut emit: impl FnMut(TokenId)) {
        words(text).for_each(|word| self.vocabulary.each_token(word, &mut emit));
    }
}

/// The tokens of a text with their counts; empty between texts.
pub(super) struct Bag<'a> {
    encoder: &'a Encoder,
    counts: Vec<u32>,
    /// In order of first occurrence, so that the sum is taken in the same order every time.
    seen: Vec<TokenId>,
}

impl Bag<'_> {
    pub(super) fn encode(&mut self, text: &str) -> Option<Vector> {
        let Self { encoder, counts, seen } = self;
        encoder.each_token(text, |token| {
            let count = &mut counts[usize::from(token)];
            if *count == 0 {
                seen.push(token);
            }
            *count += 1;
        });
        let mut sum = [0.0; DIMENSIONS];
        for token in seen.drain(..) {
            encoder.table.add(token, std::mem::take(&mut counts[usize::from(token)]), &mut sum);
        }
        Vector::new(&sum)
    }
}
