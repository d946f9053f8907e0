//! Parses the weight file of the built-in transformer, embedded in the binary, into `EncoderWeights` without copying
//! the quantized matrices; `tools/encoder/int8_file.py` writes the file and says how.
//!
//! Small integers stay in the binary's pages, in the order in which they are used; only floats and the index of the
//! vocabulary are in memory of their own, about one megabyte.

use super::kernel::COLUMNS;
use crate::vendors::builtin::{self, TokenVocabulary};

/// The numbers of a token, between layers.
pub(super) const WIDTH: usize = 384;
/// Numbers in the middle of a layer.
pub(super) const HIDDEN_WIDTH: usize = 1536;
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
pub(super) enum EncoderFileError {
    #[error("not an encoder in format {VERSION}")]
    Format,
    #[error("the encoder's file ends too early")]
    Short,
    #[error("the encoder's file goes on for {0} bytes after its end")]
    Long(usize),
    #[error("the encoder has a shape that is not supported")]
    Shape,
    #[error(transparent)]
    Vocabulary(#[from] builtin::ModelFileError),
}

/// The whole model.
pub(super) struct EncoderWeights {
    pub(super) vocabulary: TokenVocabulary,
    pub(super) tokens: QuantizedTable,
    pub(super) positions: QuantizedTable,
    pub(super) norm: LayerNorm,
    pub(super) layers: Vec<TransformerLayer>,
    /// Onto fewer numbers: the directions in which texts differ most, a row each.
    pub(super) projection: Vec<f32>,
}

/// A row of numbers for each token or place.
pub(super) struct QuantizedTable {
    pub(super) scales: Vec<f32>,
    pub(super) rows: &'static [[u8; WIDTH]],
}

/// A matrix and what is added to its products.
pub(super) struct LinearLayer {
    pub(super) inputs: usize,
    pub(super) scales: Vec<f32>,
    pub(super) bias: Vec<f32>,
    /// Panels of as many outputs as are summed at a time; in a panel, for each input the weights of its outputs.
    pub(super) panels: &'static [[u8; COLUMNS]],
}

/// Scale and shift of a layer normalisation, applied after numbers are brought to mean 0 and variance 1.
pub(super) struct LayerNorm {
    pub(super) weight: Vec<f32>,
    pub(super) bias: Vec<f32>,
}

/// One step of the network.
pub(super) struct TransformerLayer {
    pub(super) query_key_value: LinearLayer,
    pub(super) output: LinearLayer,
    pub(super) output_norm: LayerNorm,
    pub(super) wide: LinearLayer,
    pub(super) narrow: LinearLayer,
    pub(super) narrow_norm: LayerNorm,
}

impl EncoderWeights {
    pub(super) fn from_bytes(file: &'static [u8]) -> Result<Self, EncoderFileError> {
        let mut reader = WeightsReader(file);
        if reader.take_bytes(MAGIC.len())? != MAGIC || reader.read_number()? != VERSION {
            return Err(EncoderFileError::Format);
        }
        let tokens = reader.read_number()?;
        let width = reader.read_number()?;
        let layers = reader.read_number()?;
        let heads = reader.read_number()?;
        let hidden = reader.read_number()?;
        let positions = reader.read_number()?;
        let letters = reader.read_number()?;
        let dimensions = reader.read_number()?;
        // The shapes are constants of the code, so that the loops compile to straight vector code.
        if (width, heads, hidden, positions, dimensions) != (WIDTH, HEADS, HIDDEN_WIDTH, POSITIONS, DIMENSIONS) {
            return Err(EncoderFileError::Shape);
        }
        let vocabulary = std::str::from_utf8(reader.take_bytes(letters)?).map_err(|_| EncoderFileError::Format)?;
        let weights = Self {
            vocabulary: TokenVocabulary::new(vocabulary, tokens)?,
            tokens: reader.read_table(tokens)?,
            positions: reader.read_table(POSITIONS)?,
            norm: reader.read_norm()?,
            layers: (0..layers).map(|_| reader.read_layer()).collect::<Result<_, _>>()?,
            projection: reader.read_floats(DIMENSIONS * WIDTH)?,
        };
        // Bytes that are left over mean that the file and this reader disagree about the format.
        if reader.0.is_empty() { Ok(weights) } else { Err(EncoderFileError::Long(reader.0.len())) }
    }
}

/// The rest of the file.
struct WeightsReader(&'static [u8]);

impl WeightsReader {
    fn take_bytes(&mut self, count: usize) -> Result<&'static [u8], EncoderFileError> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(EncoderFileError::Short)?;
        self.0 = rest;
        Ok(taken)
    }

    fn read_number(&mut self) -> Result<usize, EncoderFileError> {
        let bytes = self.take_bytes(4)?.first_chunk().ok_or(EncoderFileError::Short)?;
        Ok(u32::from_le_bytes(*bytes) as usize)
    }

    fn read_floats(&mut self, count: usize) -> Result<Vec<f32>, EncoderFileError> {
        Ok(self.take_bytes(count * 4)?.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
    }

    fn read_table(&mut self, rows: usize) -> Result<QuantizedTable, EncoderFileError> {
        Ok(QuantizedTable { scales: self.read_floats(rows)?, rows: self.take_bytes(rows * WIDTH)?.as_chunks().0 })
    }

    fn read_norm(&mut self) -> Result<LayerNorm, EncoderFileError> {
        Ok(LayerNorm { weight: self.read_floats(WIDTH)?, bias: self.read_floats(WIDTH)? })
    }

    fn read_linear(&mut self, inputs: usize, outputs: usize) -> Result<LinearLayer, EncoderFileError> {
        let scales = self.read_floats(outputs)?;
        let bias = self.read_floats(outputs)?;
        Ok(LinearLayer { inputs, scales, bias, panels: self.take_bytes(inputs * outputs)?.as_chunks().0 })
    }

    fn read_layer(&mut self) -> Result<TransformerLayer, EncoderFileError> {
        Ok(TransformerLayer {
            query_key_value: self.read_linear(WIDTH, 3 * WIDTH)?,
            output: self.read_linear(WIDTH, WIDTH)?,
            output_norm: self.read_norm()?,
            wide: self.read_linear(WIDTH, HIDDEN_WIDTH)?,
            narrow: self.read_linear(HIDDEN_WIDTH, WIDTH)?,
            narrow_norm: self.read_norm()?,
        })
    }
}
