//! The source of the vectors that meaning is compared by in place of those of the index.
//!
//! A source is an [`Embedder`]: its model (name, version, dimensions) is its id, and `embed` gives one vector for each text.
//! There are two kinds. An external one is a vendor's: it costs, so it is asked for users alone unless they allow more, and
//! an answer without it says so. A local one runs inside the program: it is free, so its vectors are made whenever the index
//! is, and until all are there the index's own answer, as if it were not there. To add a local one, implement `Embedder` for
//! it with `Vendor::Builtin` and put it into `Providers::embedders`; all else follows from here.

use super::{EmbedRun, space_of};
use crate::ledger::{self, Degraded, Initiative, Purpose};
use crate::retrieve::LONGEST_TEXT;
use crate::{Engine, Observer, Result};
use model::ProjectId;
use providers::{Embedder, Vector, Vendor};
use std::borrow::Cow;
use std::sync::Arc;
use store::Space;

/// So many texts are embedded at most while somebody waits for an answer, and more are left to the index: of an external
/// model one call, of a local one what takes no longer.
const EXTERNAL_AT_QUESTION: usize = 64;
const LOCAL_AT_QUESTION: usize = 8;

/// A model whose vectors meaning is compared by.
#[derive(Clone)]
pub(crate) struct VectorSource {
    embedder: Arc<dyn Embedder>,
}

impl VectorSource {
    /// The source of vectors of code, or why it cannot be used; none where those of the index are meant.
    pub(crate) fn chosen(engine: &Engine, initiative: Initiative) -> Option<Result<Self, Degraded>> {
        // What somebody configured is not replaced by what nobody did.
        let providers = &engine.providers;
        let is_configured = !providers.unusable_embedders.is_empty() || providers.embedders.iter().any(is_external);
        if is_configured { Self::external(engine, initiative) } else { Self::local(engine).map(Ok) }
    }

    /// The external source that the user configured, where it may be asked on this initiative, or why it cannot be.
    pub(crate) fn external(engine: &Engine, initiative: Initiative) -> Option<Result<Self, Degraded>> {
        if initiative == Initiative::Background && !engine.settings.spend.background {
            return None;
        }
        let providers = &engine.providers;
        let external = providers.embedders.iter().find(|embedder| is_external(embedder));
        let unusable = || providers.unusable_embedders.first().cloned().map(Err);
        external.map(|embedder| Ok(Self { embedder: Arc::clone(embedder) })).or_else(unusable)
    }

    /// A local model that is not the static one of the index.
    fn local(engine: &Engine) -> Option<Self> {
        let own = engine.embedder.as_ref()?;
        let is_other = |embedder: &&Arc<dyn Embedder>| !is_external(embedder) && embedder.model() != own.model();
        let local = engine.providers.embedders.iter().find(is_other)?;
        Some(Self { embedder: Arc::clone(local) })
    }

    /// What its vectors are kept under.
    pub(crate) fn id(&self) -> Space {
        space_of(&*self.embedder)
    }

    /// Whether it is part of the program: nobody is told when its vectors are not there yet.
    pub(crate) fn is_local(&self) -> bool {
        !is_external(&self.embedder)
    }

    /// How many texts it embeds at most while somebody waits for an answer.
    pub(crate) fn most_at_question(&self) -> usize {
        if self.is_local() { LOCAL_AT_QUESTION } else { EXTERNAL_AT_QUESTION }
    }

    /// It, at work.
    pub(crate) fn run<'a>(
        &'a self,
        engine: &'a Engine,
        project: &'a ProjectId,
        purpose: Purpose<'a>,
        observer: &'a dyn Observer,
    ) -> EmbedRun<'a> {
        EmbedRun { engine, project, purpose, embedder: &*self.embedder, observer }
    }
}

fn is_external(embedder: &Arc<dyn Embedder>) -> bool {
    embedder.vendor() != Vendor::Builtin
}

/// What is said of an answer that the configured model has no part in.
pub(crate) fn tell_fallback(missed: &Degraded) -> String {
    format!("meaning is compared by the built-in model: {missed}")
}

/// Whether a text is looked for or looked with: some models were taught to be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextRole {
    Document,
    Question,
}

/// A text as a model was taught to be shown it.
pub(crate) fn with_prefix<'t>(embedder: &dyn Embedder, role: TextRole, text: &'t str) -> Cow<'t, str> {
    if !embedder.model().name.contains("nomic-embed") {
        return Cow::Borrowed(text);
    }
    let prefix = match role {
        TextRole::Document => "search_document: ",
        TextRole::Question => "search_query: ",
    };
    Cow::Owned(format!("{prefix}{text}"))
}

/// The vectors of a question and of what goes with it in one call, or why there are none.
pub(crate) async fn embed_question(
    run: &EmbedRun<'_>,
    texts: &[&str],
) -> Result<Result<Vec<Option<Vector>>, Degraded>> {
    let shortened = |text: &&str| {
        let text = &text[..text.floor_char_boundary(LONGEST_TEXT)];
        with_prefix(run.embedder, TextRole::Question, text).into_owned()
    };
    let texts: Vec<String> = texts.iter().map(shortened).collect();
    if run.embedder.vendor() == Vendor::Builtin {
        // To embed it again costs less than to keep it.
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let embedded = ledger::embed(run.engine, run.purpose, run.embedder, &texts).await?;
        return Ok(embedded.map(|embedded| embedded.vectors).map_err(|refused| Degraded::from(&refused)));
    }
    Ok(match run.all(&texts).await? {
        Ok(embeddings) => Ok(embeddings.vectors),
        Err(refused) => Err(Degraded::from(&refused)),
    })
}
