//! From a text to its vector: the sum of its tokens' rows, each weighted by how often the token occurs.

use super::Defect;
use super::table::{DIMENSIONS, Table};
use super::vocabulary::{TokenId, Vocabulary};
use super::words::words;
use crate::{Parts, Vector};

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
        Bag { encoder: self, counts: Counts::new(self), whole: Counts::new(self) }
    }

    pub(super) fn each_token(&self, text: &str, mut emit: impl FnMut(TokenId)) {
        words(text).for_each(|word| self.vocabulary.each_token(word, &mut emit));
    }
}

/// Tokens of texts; empty between them.
pub(super) struct Bag<'a> {
    encoder: &'a Encoder,
    counts: Counts,
    whole: Counts,
}

impl Bag<'_> {
    pub(super) fn encode(&mut self, text: &str) -> Option<Vector> {
        self.counts.add(self.encoder, text);
        self.counts.sum(self.encoder)
    }

    /// Each part with `head` before it, and all of them together.
    pub(super) fn encode_parts(&mut self, head: &str, parts: &[&str]) -> Parts {
        let Self { encoder, counts, whole } = self;
        let mut vectors = Vec::with_capacity(parts.len());
        for part in parts {
            counts.add(encoder, part);
            for token in &counts.seen {
                whole.put(*token, counts.of[usize::from(*token)]);
            }
            counts.add(encoder, head);
            vectors.push(counts.sum(encoder));
        }
        whole.add(encoder, head);
        Parts { parts: vectors, whole: whole.sum(encoder) }
    }
}

/// How often each token occurs.
struct Counts {
    of: Vec<u32>,
    /// In order of first occurrence, so that the sum is taken in the same order every time.
    seen: Vec<TokenId>,
}

impl Counts {
    fn new(encoder: &Encoder) -> Self {
        Self { of: vec![0; encoder.table.tokens()], seen: Vec::new() }
    }

    fn add(&mut self, encoder: &Encoder, text: &str) {
        encoder.each_token(text, |token| self.put(token, 1));
    }

    fn put(&mut self, token: TokenId, times: u32) {
        let count = &mut self.of[usize::from(token)];
        if *count == 0 {
            self.seen.push(token);
        }
        *count += times;
    }

    /// The vector of what was counted, which is forgotten.
    fn sum(&mut self, encoder: &Encoder) -> Option<Vector> {
        let mut sum = [0.0; DIMENSIONS];
        for token in self.seen.drain(..) {
            encoder.table.add(token, std::mem::take(&mut self.of[usize::from(token)]), &mut sum);
        }
        Vector::new(&sum)
    }
}
