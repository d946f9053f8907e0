//! `BuiltinEncoder`, a transformer of three layers inside the binary that turns texts into embedding vectors.
//!
//! The transformer reads words in their order, where the table of [`vendors::builtin`](crate::vendors::builtin) sees a
//! bag of them: slower by a thousand times, and better at telling functions apart. Its file, origin and figures are in
//! `model/`; what trained it is `tools/encoder`. The pass runs on the caller's thread, with nothing shared but the
//! weights.

mod forward;
mod kernel;
mod simd;
mod weights;

use std::borrow::Cow;
use std::sync::OnceLock;

use self::weights::{DIMENSIONS, EncoderWeights, POSITIONS};
use crate::vendors::builtin::{TokenId, split_words};
use crate::{EmbeddingModel, TextEncoder, Vector};

/// The transformer inside the program. Nothing of it is read before the first text.
pub struct BuiltinEncoder;

/// So many tokens of a text are read: more gained nothing.
const MOST_TOKENS: usize = 128;

impl TextEncoder for BuiltinEncoder {
    fn model(&self) -> &EmbeddingModel {
        &MODEL
    }

    fn encode_text(&self, text: &str) -> Option<Vector> {
        RegionEncoder::built_in().encode(text, MOST_TOKENS)
    }
}

/// The weights with what reads a text by them.
struct RegionEncoder {
    weights: EncoderWeights,
}

/// Processors round differently, so the same version gives the same vector to five places.
static MODEL: EmbeddingModel = EmbeddingModel {
    name: Cow::Borrowed("builtin/regions"),
    // A hash of the file, written down because taking it would read all of it; a test compares.
    version: Cow::Borrowed("f7bc335b5d6a9b21"),
    dimensions: DIMENSIONS,
};

static FILE: &[u8] = include_bytes!("../model/encoder.bin");

// The first three of the vocabulary: marks around every text, and the token for a word in another script.
const START_TOKEN: TokenId = 0;
const END_TOKEN: TokenId = 1;
const UNKNOWN_TOKEN: TokenId = 2;

impl RegionEncoder {
    /// The one inside the program. The first call indexes its vocabulary (a few milliseconds, about one megabyte);
    /// the weights are used where they lie, in pages of the binary.
    fn built_in() -> &'static Self {
        static ENCODER: OnceLock<RegionEncoder> = OnceLock::new();
        ENCODER
            .get_or_init(|| Self { weights: EncoderWeights::from_bytes(FILE).expect("a test has read the same file") })
    }

    /// The vector of the first tokens of a text, of length one; `None` where it has no words of English letters or
    /// digits.
    ///
    /// Of `most_tokens` two mark start and end; fewer than 3 are taken as 3, more than 256 as 256.
    fn encode(&self, text: &str, most_tokens: usize) -> Option<Vector> {
        let tokens = self.tokens_of(text, most_tokens);
        // A text of unknown words would give a vector of nothing but its length.
        let has_words = tokens.iter().any(|token| ![START_TOKEN, END_TOKEN, UNKNOWN_TOKEN].contains(token));
        has_words.then(|| Vector::new(&simd::run_simd(&self.weights, &tokens)))?
    }

    fn tokens_of(&self, text: &str, most: usize) -> Vec<TokenId> {
        let before_end = most.clamp(3, POSITIONS) - 1;
        let mut tokens = vec![START_TOKEN];
        for word in split_words(text) {
            let before = tokens.len();
            self.weights.vocabulary.each_token(word, |token| tokens.push(token));
            if tokens.len() == before {
                // An unknown word keeps its place, since the model reads words in their order.
                tokens.push(UNKNOWN_TOKEN);
            }
            if tokens.len() >= before_end {
                tokens.truncate(before_end);
                break;
            }
        }
        tokens.push(END_TOKEN);
        tokens
    }
}

#[cfg(test)]
mod tests;
