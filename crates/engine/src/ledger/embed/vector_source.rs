//! `VectorSource`, the configured external embedding model ([`Embedder`]) whose vectors replace those of the index in
//! semantic search; its model (name, version, dimensions) is its id. Calls cost money, so only users' requests make
//! them unless users allow more, and an answer without the source says so. (The built-in transformer is no source: it
//! reorders regions that are found already; see `code/search/encoder`.)

use super::{EmbedRun, space_of};
use crate::base::{Observer, Result};
use crate::ledger::LedgerContext;
use crate::ledger::{self, CallInitiative, CallPurpose, Degradation};
use model::ProjectId;
use providers::{Embedder, Vector, Vendor};
use std::borrow::Cow;
use std::sync::Arc;
use store::VectorSpace;

/// How many texts are embedded at most while a question waits for its answer, which is one call; more are left to the
/// index.
pub(crate) const MOST_AT_QUESTION: usize = 64;

/// Longer texts are cut before embedding: the first page of a region says what it is about, and common models take no
/// more.
pub(crate) const LONGEST_TEXT: usize = 4 << 10;

/// A model whose vectors are compared for meaning.
#[derive(Clone)]
pub(crate) struct VectorSource {
    embedder: Arc<dyn Embedder>,
}

impl VectorSource {
    /// The configured source, if it may be used on this initiative, or why it cannot be used.
    pub(crate) fn select_source(
        ledger: &LedgerContext,
        initiative: CallInitiative,
    ) -> Option<Result<Self, Degradation>> {
        // No degradation: without the user's permission the vectors of the index are what is meant to be used.
        if initiative == CallInitiative::Background && !ledger.spend.background {
            return None;
        }
        let providers = &ledger.providers;
        let external = providers.embedders.iter().find(|embedder| embedder.vendor() != Vendor::Builtin);
        let unusable = || providers.unusable_embedders.first().cloned().map(Err);
        external.map(|embedder| Ok(Self { embedder: Arc::clone(embedder) })).or_else(unusable)
    }

    /// The space that its vectors are stored under.
    pub(crate) fn vector_space(&self) -> VectorSpace {
        space_of(self.embedder.model())
    }

    /// A run of this source.
    pub(crate) fn start_run<'a>(
        &'a self,
        ledger: &'a LedgerContext,
        project: &'a ProjectId,
        purpose: CallPurpose<'a>,
        observer: &'a dyn Observer,
    ) -> EmbedRun<'a> {
        EmbedRun { ledger, project, purpose, embedder: &*self.embedder, observer }
    }
}

/// The note of an answer to which the configured model did not contribute.
pub(crate) fn tell_fallback(missed: &Degradation) -> String {
    format!("meaning is compared by the built-in model: {missed}")
}

/// Whether a text is searched for or searched with: some models were trained to expect a prefix for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EmbeddingRole {
    Document,
    Question,
}

/// A text with the prefix that a model was trained on.
pub(crate) fn with_prefix<'t>(embedder: &dyn Embedder, role: EmbeddingRole, text: &'t str) -> Cow<'t, str> {
    // To a model that was not trained with these prefixes they would be part of the text.
    if !embedder.model().name.contains("nomic-embed") {
        return Cow::Borrowed(text);
    }
    let prefix = match role {
        EmbeddingRole::Document => "search_document: ",
        EmbeddingRole::Question => "search_query: ",
    };
    Cow::Owned(format!("{prefix}{text}"))
}

/// The vectors of a question and of the texts with it in one call, or the reason why there are none.
pub(crate) async fn embed_question(
    run: &EmbedRun<'_>,
    texts: &[&str],
) -> Result<Result<Vec<Option<Vector>>, Degradation>> {
    let shortened = |text: &&str| {
        let text = &text[..text.floor_char_boundary(LONGEST_TEXT)];
        with_prefix(run.embedder, EmbeddingRole::Question, text).into_owned()
    };
    let texts: Vec<String> = texts.iter().map(shortened).collect();
    if run.embedder.vendor() == Vendor::Builtin {
        // Embedding the question again costs less than storing it.
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let embedded = ledger::call_embedder(run.ledger, run.purpose, run.embedder, &texts).await?;
        return Ok(embedded.map(|embedded| embedded.vectors).map_err(|refused| Degradation::from(&refused)));
    }
    Ok(match run.embed_all(&texts).await? {
        Ok(embeddings) => Ok(embeddings.vectors),
        Err(refused) => Err(Degradation::from(&refused)),
    })
}
