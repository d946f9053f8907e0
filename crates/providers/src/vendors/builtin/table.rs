//! `TokenTable`, a zero-copy reader of the built-in embedder's model file: a weight and a row of small integers for
//! every token.
//!
//! Nothing is copied or converted ahead: the file stays in the binary's pages, and only rows that are used are read.

use super::ModelFileError;
use super::vocabulary::TokenId;

/// How many numbers a row has. Fixed, so that the loop over a row compiles to straight vector code.
pub(super) const DIMENSIONS: usize = 256;

const MAGIC: &[u8] = b"SEMB";
const VERSION: u32 = 1;
const HEADER: usize = 32;

/// The token vectors.
pub(super) struct TokenTable {
    /// Repeated tokens count less than their number: `count.powf(damping)`.
    pub(super) damping: f32,
    weights: &'static [[u8; 4]],
    rows: &'static [[u8; DIMENSIONS]],
}

impl TokenTable {
    /// Takes a file in the format of the model card apart.
    pub(super) fn new(file: &'static [u8]) -> Result<Self, ModelFileError> {
        let (header, body) =
            file.split_at_checked(HEADER).ok_or(ModelFileError::Size { found: file.len(), wanted: HEADER })?;
        let (fields, _) = header.as_chunks::<4>();
        let number = |field: usize| u32::from_le_bytes(fields[field]);
        if fields[0] != MAGIC || number(1) != VERSION {
            return Err(ModelFileError::Format);
        }
        let tokens = number(2) as usize;
        let dimensions = number(3) as usize;
        if dimensions != DIMENSIONS {
            return Err(ModelFileError::Dimensions { found: dimensions });
        }
        let wanted = HEADER + tokens * (4 + DIMENSIONS);
        // The file is part of the binary, so a wrong size is an error of the build: it is found here, not as wrong
        // vectors.
        if file.len() != wanted {
            return Err(ModelFileError::Size { found: file.len(), wanted });
        }
        let (weights, rows) = body.split_at(tokens * 4);
        Ok(Self { damping: f32::from_le_bytes(fields[4]), weights: weights.as_chunks().0, rows: rows.as_chunks().0 })
    }

    pub(super) fn token_count(&self) -> usize {
        self.rows.len()
    }

    /// Adds the row of `token`, found `count` times, to `sum`.
    pub(super) fn add_row(&self, token: TokenId, count: u32, sum: &mut [f32; DIMENSIONS]) {
        let token = usize::from(token);
        // A word that occurs often says little more each time, so its count is damped.
        let weight = f32::from_le_bytes(self.weights[token]) * (count as f32).powf(self.damping);
        for (sum, number) in sum.iter_mut().zip(&self.rows[token]) {
            *sum += weight * f32::from(number.cast_signed());
        }
    }
}
