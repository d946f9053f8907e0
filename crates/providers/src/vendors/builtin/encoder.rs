//! `BagEncoder`, the bag-of-words encoder of the built-in embedder: a text's vector is the sum of its tokens' rows,
//! each weighted by how often the token occurs.

use super::ModelFileError;
use super::table::{DIMENSIONS, TokenTable};
use super::vocabulary::{TokenId, TokenVocabulary};
use super::words::split_words;
use crate::{PartVectors, Vector};

/// The model, ready for use.
pub(super) struct BagEncoder {
    table: TokenTable,
    vocabulary: TokenVocabulary,
}

impl BagEncoder {
    pub(super) fn new(table: &'static [u8], vocabulary: &'static str) -> Result<Self, ModelFileError> {
        let table = TokenTable::new(table)?;
        let vocabulary = TokenVocabulary::new(vocabulary, table.token_count())?;
        Ok(Self { table, vocabulary })
    }

    /// A bag to count in, for as many texts as the caller has.
    pub(super) fn new_bag(&self) -> TokenBag<'_> {
        TokenBag { encoder: self, counts: TokenCounts::new(self), whole: TokenCounts::new(self) }
    }

    pub(super) fn each_token(&self, text: &str, mut emit: impl FnMut(TokenId)) {
        split_words(text).for_each(|word| self.vocabulary.each_token(word, &mut emit));
    }
}

/// Tokens of texts; empty between them.
pub(super) struct TokenBag<'a> {
    encoder: &'a BagEncoder,
    counts: TokenCounts,
    whole: TokenCounts,
}

impl TokenBag<'_> {
    pub(super) fn encode(&mut self, text: &str) -> Option<Vector> {
        self.counts.add_text(self.encoder, text);
        self.counts.take_vector(self.encoder)
    }

    /// Each part with `head` before it, and all of them together.
    pub(super) fn encode_parts(&mut self, head: &str, parts: &[&str]) -> PartVectors {
        let Self { encoder, counts, whole } = self;
        let mut vectors = Vec::with_capacity(parts.len());
        for part in parts {
            counts.add_text(encoder, part);
            for token in &counts.seen {
                // Counted into the whole at the same time: cutting the text into tokens is most of the work.
                whole.add_token(*token, counts.of[usize::from(*token)]);
            }
            counts.add_text(encoder, head);
            vectors.push(counts.take_vector(encoder));
        }
        whole.add_text(encoder, head);
        PartVectors { parts: vectors, whole: whole.take_vector(encoder) }
    }
}

/// How often each token occurs.
struct TokenCounts {
    of: Vec<u32>,
    /// In order of first occurrence, so that the sum is taken in the same order every time.
    seen: Vec<TokenId>,
}

impl TokenCounts {
    fn new(encoder: &BagEncoder) -> Self {
        Self { of: vec![0; encoder.table.token_count()], seen: Vec::new() }
    }

    fn add_text(&mut self, encoder: &BagEncoder, text: &str) {
        encoder.each_token(text, |token| self.add_token(token, 1));
    }

    fn add_token(&mut self, token: TokenId, times: u32) {
        let count = &mut self.of[usize::from(token)];
        // Only tokens that occur are visited later, not the whole vocabulary.
        if *count == 0 {
            self.seen.push(token);
        }
        *count += times;
    }

    /// The vector of what was counted, which is forgotten.
    fn take_vector(&mut self, encoder: &BagEncoder) -> Option<Vector> {
        let mut sum = [0.0; DIMENSIONS];
        for token in self.seen.drain(..) {
            encoder.table.add_row(token, std::mem::take(&mut self.of[usize::from(token)]), &mut sum);
        }
        Vector::new(&sum)
    }
}
