//! The built-in embedder: a table of token vectors inside the binary, so that dense search works offline, at once,
//! without an account. The files, their origin and the method are in `model/`.
//!
//! No neural network runs: a text is cut into words, the words into tokens, and the tokens' rows are summed, on the
//! caller's thread. The first vector asked for indexes the vocabulary; until then nothing of the model is touched.

mod encoder;
mod table;
mod vocabulary;
mod words;

use std::borrow::Cow;
use std::cell::RefCell;
use std::sync::OnceLock;

use async_trait::async_trait;

use self::encoder::{BagEncoder, TokenBag};
pub(crate) use self::vocabulary::{TokenId, TokenVocabulary};
pub(crate) use self::words::split_words;
use crate::{
    Embedder, EmbeddingBatch, EmbeddingModel, LocalEmbedder, PartVectors, ProviderError, ProviderFailure, Result,
    Usage, Vector, Vendor,
};

/// The embedder every build can have: it needs no setting, and nothing from outside the binary.
#[derive(Debug, Clone, Copy)]
pub struct BuiltinEmbedder;

static MODEL: EmbeddingModel = EmbeddingModel {
    name: Cow::Borrowed("builtin"),
    // A hash of the files, written down because taking it would read all of them; a test compares.
    version: Cow::Borrowed("bbe972f9b6167270"),
    dimensions: table::DIMENSIONS,
};

static TABLE: &[u8] = include_bytes!("../../model/model.bin");
static VOCABULARY: &str = include_str!("../../model/vocab.txt");

#[async_trait]
impl Embedder for BuiltinEmbedder {
    fn model(&self) -> &EmbeddingModel {
        &MODEL
    }

    fn vendor(&self) -> Vendor {
        Vendor::Builtin
    }

    async fn embed(&self, texts: &[&str]) -> Result<EmbeddingBatch> {
        let mut bag = shared_encoder()?.new_bag();
        let vectors = texts.iter().map(|text| bag.encode(text)).collect();
        Ok(EmbeddingBatch { vectors, usage: Usage::default() })
    }
}

impl LocalEmbedder for BuiltinEmbedder {
    fn model(&self) -> &EmbeddingModel {
        &MODEL
    }

    fn embed_now(&self, text: &str) -> Result<Option<Vector>> {
        with_bag(|bag| bag.encode(text))
    }

    fn embed_parts(&self, head: &str, parts: &[&str]) -> Result<PartVectors> {
        with_bag(|bag| bag.encode_parts(head, parts))
    }
}

/// Bags are large and every thread needs one again and again.
fn with_bag<T>(work: impl FnOnce(&mut TokenBag<'static>) -> T) -> Result<T> {
    thread_local! {
        static BAG: RefCell<Option<TokenBag<'static>>> = const { RefCell::new(None) };
    }
    let encoder = shared_encoder()?;
    Ok(BAG.with_borrow_mut(|bag| work(bag.get_or_insert_with(|| encoder.new_bag()))))
}

/// The one encoder of this process, made when first asked for.
fn shared_encoder() -> Result<&'static BagEncoder> {
    static ENCODER: OnceLock<Result<BagEncoder, ModelFileError>> = OnceLock::new();
    // Only a damaged build fails here, and it fails the same way at every call.
    ENCODER.get_or_init(|| BagEncoder::new(TABLE, VOCABULARY)).as_ref().map_err(|defect| {
        ProviderError::without_cost(Vendor::Builtin, ProviderFailure::Malformed { reason: defect.to_string() })
    })
}

/// What keeps the files of a model from being one.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ModelFileError {
    #[error("not a table of token vectors in format 1")]
    Format,
    #[error("vectors of {found} dimensions, not {}", table::DIMENSIONS)]
    Dimensions { found: usize },
    #[error("the table has {found} bytes, not {wanted}")]
    Size { found: usize, wanted: usize },
    #[error("the vocabulary has {found} lines, the table {wanted} rows")]
    Lines { found: usize, wanted: usize },
    #[error("line {line} of the vocabulary is not a token of 1 to {} bytes", words::MAX_WORD_LENGTH)]
    Token { line: usize },
}

#[cfg(test)]
mod tests;
