//! The file of weights, viewed where it lies: `tools/encoder/int8_file.py` writes it and says how.
//!
//! Small integers stay in the binary's pages, in the order in which they are used; only floats and the index of the
//! vocabulary are in memory of their own, about one megabyte.

use super::kernel::COLUMNS;
use crate::vendors::builtin::{self, Vocabulary};

/// Numbers that stand for a token, between layers.
pub(super) const WIDTH: usize = 384;
/// Numbers in the middle of a layer.
pub(super) const HIDDEN: usize = 1536;
/// Ways in which a token looks at others, in each layer.
pub(super) const HEADS: usize = 12;
/// Tokens that a text can have.
pub(super) const POSITIONS: usize = 256;
/// Numbers of a finished vector.
pub(super) const DIMENSIONS: usize = 128;

const MAGIC: &[u8] = b"EPEN";
const VERSION: usize = 2;

/// What keeps a file from being an encoder.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Defect {
    #[error("not an encoder in format {VERSION}")]
    Format,
    #[error("the encoder's file ends too early")]
    Short,
    #[error("the encoder's file goes on for {0} bytes after its end")]
    Long(usize),
    #[error("the encoder has a shape that is not supported")]
    Shape,
    #[error(transparent)]
    Vocabulary(#[from] builtin::Defect),
}

/// All of it.
pub(super) struct Weights {
    pub(super) vocabulary: Vocabulary,
    pub(super) tokens: Table,
    pub(super) positions: Table,
    pub(super) norm: Norm,
    pub(super) layers: Vec<Layer>,
    /// Onto fewer numbers: the directions in which texts differ most, a row each.
    pub(super) projection: Vec<f32>,
}

/// A row of numbers for each token or place.
pub(super) struct Table {
    pub(super) scales: Vec<f32>,
    pub(super) rows: &'static [[u8; WIDTH]],
}

/// A matrix and what is added to its products.
pub(super) struct Product {
    pub(super) inputs: usize,
    pub(super) scales: Vec<f32>,
    pub(super) bias: Vec<f32>,
    /// Panels of as many outputs as are summed at a time; in a panel, for each input the weights of its outputs.
    pub(super) panels: &'static [[u8; COLUMNS]],
}

/// What numbers are multiplied with and what is added, after they are brought to mean 0 and variance 1.
pub(super) struct Norm {
    pub(super) weight: Vec<f32>,
    pub(super) bias: Vec<f32>,
}

/// One step of the network.
pub(super) struct Layer {
    pub(super) query_key_value: Product,
    pub(super) output: Product,
    pub(super) output_norm: Norm,
    pub(super) wide: Product,
    pub(super) narrow: Product,
    pub(super) narrow_norm: Norm,
}

impl Weights {
    pub(super) fn read(file: &'static [u8]) -> Result<Self, Defect> {
        let mut reader = Reader(file);
        if reader.take(MAGIC.len())? != MAGIC || reader.number()? != VERSION {
            return Err(Defect::Format);
        }
        let (tokens, width, layers) = (reader.number()?, reader.number()?, reader.number()?);
        let (heads, hidden, positions) = (reader.number()?, reader.number()?, reader.number()?);
        let (letters, dimensions) = (reader.number()?, reader.number()?);
        if (width, heads, hidden, positions, dimensions) != (WIDTH, HEADS, HIDDEN, POSITIONS, DIMENSIONS) {
            return Err(Defect::Shape);
        }
        let vocabulary = std::str::from_utf8(reader.take(letters)?).map_err(|_| Defect::Format)?;
        let weights = Self {
            vocabulary: Vocabulary::new(vocabulary, tokens)?,
            tokens: reader.table(tokens)?,
            positions: reader.table(POSITIONS)?,
            norm: reader.norm()?,
            layers: (0..layers).map(|_| reader.layer()).collect::<Result<_, _>>()?,
            projection: reader.floats(DIMENSIONS * WIDTH)?,
        };
        if reader.0.is_empty() { Ok(weights) } else { Err(Defect::Long(reader.0.len())) }
    }
}

/// What is left of the file.
struct Reader(&'static [u8]);

impl Reader {
    fn take(&mut self, count: usize) -> Result<&'static [u8], Defect> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(Defect::Short)?;
        self.0 = rest;
        Ok(taken)
    }

    fn number(&mut self) -> Result<usize, Defect> {
        let bytes = self.take(4)?.first_chunk().ok_or(Defect::Short)?;
        Ok(u32::from_le_bytes(*bytes) as usize)
    }

    fn floats(&mut self, count: usize) -> Result<Vec<f32>, Defect> {
        Ok(self.take(count * 4)?.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
    }

    fn table(&mut self, rows: usize) -> Result<Table, Defect> {
        Ok(Table { scales: self.floats(rows)?, rows: self.take(rows * WIDTH)?.as_chunks().0 })
    }

    fn norm(&mut self) -> Result<Norm, Defect> {
        Ok(Norm { weight: self.floats(WIDTH)?, bias: self.floats(WIDTH)? })
    }

    fn product(&mut self, inputs: usize, outputs: usize) -> Result<Product, Defect> {
        let (scales, bias) = (self.floats(outputs)?, self.floats(outputs)?);
        Ok(Product { inputs, scales, bias, panels: self.take(inputs * outputs)?.as_chunks().0 })
    }

    fn layer(&mut self) -> Result<Layer, Defect> {
        Ok(Layer {
            query_key_value: self.product(WIDTH, 3 * WIDTH)?,
            output: self.product(WIDTH, WIDTH)?,
            output_norm: self.norm()?,
            wide: self.product(WIDTH, HIDDEN)?,
            narrow: self.product(HIDDEN, WIDTH)?,
            narrow_norm: self.norm()?,
        })
    }
}
