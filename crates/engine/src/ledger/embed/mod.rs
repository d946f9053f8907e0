//! Embeds texts through an embedding model and caches the vectors in the store, by model and hash of the text: no text
//! is paid for twice, and no answer mixes two models. A new model is filled batch by batch, each stored as soon as it
//! is paid for, so a stopped run continues where it ended; vectors of the old model stay until the new one has all.
//! Secrets do not leave the machine: an external model gets texts in the form in which they would be stored.

mod progress;
mod vector_source;

pub(crate) use progress::EmbedProgress;
pub(crate) use vector_source::{
    EmbeddingRole, LONGEST_TEXT, MOST_AT_QUESTION, VectorSource, embed_question, tell_fallback, with_prefix,
};

use crate::base::{Error, Observer, Project, Result};
use crate::ledger::LedgerContext;
use crate::ledger::{CallInitiative, CallPurpose, CallRefusal, Degradation, call_embedder, select_providers};
use model::{ContentHash, ProjectId};
use providers::{Embedder, EmbeddingModel, FailureCost, ProviderFailure, Vector, Vendor};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;
use store::VectorSpace;

/// Texts to embed.
#[derive(Clone, Debug)]
pub struct EmbedRequest {
    /// The texts.
    pub texts: Vec<String>,
    /// Whether the project has other texts.
    pub extent: TextCoverage,
    /// The provider, as `vendor` or `vendor/model`; none for the configured one.
    pub provider: Option<String>,
    /// Who wants it.
    pub initiative: CallInitiative,
}

/// Whether the texts are all that a project has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextCoverage {
    /// There may be others.
    Some,
    /// These are all: once they have their vectors, those of other texts and other models are dropped.
    All,
}

/// Vectors, all of one model.
#[derive(Clone, Debug)]
pub struct TextEmbeddings {
    /// The model.
    pub space: VectorSpace,
    /// One per text, in their order; `None` where the model has no vector for a text.
    pub vectors: Vec<Option<Vector>>,
    /// Texts that were embedded before.
    pub known: u64,
    /// Texts that were embedded now.
    pub embedded: u64,
    /// Vectors that were dropped.
    pub dropped: u64,
    /// Problems: models that gave nothing, and texts that a model does not accept.
    pub degraded: Vec<Degradation>,
}

/// Limits of one call: small enough that little is lost with one, and that the ceiling of a call has room for it.
const TEXTS: usize = 64;
const BYTES: usize = 48 << 10;
/// How many vectors are looked up at a time.
const LOOKED_UP: usize = 1_000;

pub(crate) async fn embed_texts(
    ledger: &LedgerContext,
    project: &Project,
    request: EmbedRequest,
    observer: &dyn Observer,
) -> Result<TextEmbeddings> {
    let embedders = in_order(ledger, request.provider.as_deref())?;
    // A caller that names a provider does not care about the others of the fallback list.
    let mut degraded = match request.provider {
        Some(_) => Vec::new(),
        None => ledger.providers.unusable_embedders.clone(),
    };
    let purpose =
        CallPurpose { operation: "embed", project: Some(&project.id), session: None, initiative: request.initiative };
    for embedder in embedders {
        let run = EmbedRun { ledger, project: &project.id, purpose, embedder: &*embedder, observer };
        match run.embed_all(&request.texts).await? {
            Ok(mut whole) => {
                // A model that failed today keeps its vectors for tomorrow.
                if request.extent == TextCoverage::All && degraded.is_empty() {
                    let keys = content_keys(&request.texts);
                    whole.dropped = ledger.store.keep_vectors(&project.id, &whole.space, &keys).await?;
                }
                degraded.append(&mut whole.degraded);
                return Ok(TextEmbeddings { degraded, ..whole });
            }
            Err(refused) => degraded.push(Degradation::from(&refused)),
        }
    }
    let reasons: Vec<String> = degraded.into_iter().map(|degraded| degraded.reason).collect();
    let reason = format!("leaves no model that can embed: {}", reasons.join("; "));
    Err(Error::Parameter { field: "provider", reason })
}

/// The named or configured embedders, with the built-in one after them.
fn in_order(ledger: &LedgerContext, choice: Option<&str>) -> Result<Vec<Arc<dyn Embedder>>> {
    let all = &ledger.providers.embedders;
    let mut embedders =
        select_providers(all, choice, |embedder| (embedder.vendor(), embedder.model().name.to_string()))?;
    let is_builtin = |embedder: &&Arc<dyn Embedder>| embedder.vendor() == Vendor::Builtin;
    if embedders.iter().find(is_builtin).is_none() {
        embedders.extend(all.iter().find(is_builtin).cloned());
    }
    Ok(embedders)
}

/// A run of one model.
pub(crate) struct EmbedRun<'a> {
    pub(crate) ledger: &'a LedgerContext,
    /// The project that the vectors are stored for.
    pub(crate) project: &'a ProjectId,
    pub(crate) purpose: CallPurpose<'a>,
    pub(crate) embedder: &'a dyn Embedder,
    pub(crate) observer: &'a dyn Observer,
}

/// The result for texts without a vector.
pub(crate) struct FillReport {
    /// Vectors of the texts that were embedded; `None` where the model has none for a text, or does not accept it.
    pub(crate) vectors: HashMap<ContentHash, Option<Vector>>,
    /// How many were longer than the model takes.
    pub(crate) too_long: u64,
    /// Why it stopped.
    pub(crate) refused: Option<CallRefusal>,
}

impl EmbedRun<'_> {
    /// All texts, or the reason why this model cannot embed them. Finished vectors are stored either way.
    async fn embed_all(&self, texts: &[String]) -> Result<Result<TextEmbeddings, CallRefusal>> {
        let space = self.vector_space();
        let keys = content_keys(texts);
        let mut vectors = self.load_known(&space, &keys).await?;
        // By key, so that equal texts are embedded once.
        let missing: HashMap<ContentHash, &str> = keys
            .iter()
            .zip(texts)
            .filter(|(key, _)| !vectors.contains_key(*key))
            .map(|(key, text)| (*key, text.as_str()))
            .collect();
        let known = vectors.len() as u64;
        let total = missing.len() as u64;
        let filled = self.embed_missing(missing.into_iter().collect(), |done| (done, total)).await?;
        if let Some(refused) = filled.refused {
            return Ok(Err(refused));
        }
        let too_long = filled.too_long;
        let embedded = filled.vectors.len() as u64 - too_long;
        vectors.extend(filled.vectors);
        let degraded = (too_long > 0).then(|| self.too_long(too_long));
        let degraded = degraded.into_iter().collect();
        let vectors = keys.iter().map(|key| vectors.get(key).cloned().flatten()).collect();
        Ok(Ok(TextEmbeddings { space, vectors, known, embedded, dropped: 0, degraded }))
    }

    /// The report about texts that the model does not accept.
    pub(crate) fn too_long(&self, texts: u64) -> Degradation {
        let model = &self.embedder.model().name;
        Degradation {
            reason: format!("{model} has no vector for {texts} of the texts: they are longer than it takes"),
            fix: Some("choose a model with a longer context".to_owned()),
        }
    }

    /// Embeds texts, each once, and stores the vectors as they arrive. `count` turns the number of finished texts into
    /// progress.
    pub(crate) async fn embed_missing(
        &self,
        mut missing: Vec<(ContentHash, &str)>,
        count: impl Fn(u64) -> (u64, u64) + Send,
    ) -> Result<FillReport> {
        let space = self.vector_space();
        // The same texts make the same batches, whatever their order.
        missing.sort_unstable();
        missing.dedup();
        let mut filled = FillReport { vectors: HashMap::new(), too_long: 0, refused: None };
        // Popped from the end, so the next batch is the last one.
        let mut batches = split_batches(&missing);
        batches.reverse();
        while let Some(batch) = batches.pop() {
            let (done, total) = count(filled.vectors.len() as u64);
            self.observer.report_progress("embedding", done, total);
            if self.observer.is_cancelled() {
                return Err(Error::Cancelled);
            }
            match self.embed_batch(&space, batch).await? {
                Ok(batch) => filled.vectors.extend(batch),
                // A single text, or the batch as a whole, is too large for the model: halving lets the others through.
                Err(CallRefusal::Provider(error)) if error.failure == ProviderFailure::TooLarge && batch.len() > 1 => {
                    let (one, other) = batch.split_at(batch.len() / 2);
                    batches.extend([other, one]);
                }
                // A text that is too long for the model has no vector there. The store records that, so that later runs
                // do not send it again.
                Err(CallRefusal::Provider(error)) if error.failure == ProviderFailure::TooLarge => {
                    let none = batch.iter().map(|(key, _)| (*key, Vec::new())).collect();
                    self.ledger.store.write_vectors(self.project, &space, none, self.ledger.clock.now()).await?;
                    filled.vectors.extend(batch.iter().map(|(key, _)| (*key, None)));
                    filled.too_long += 1;
                }
                Err(refused) => {
                    filled.refused = Some(refused);
                    break;
                }
            }
        }
        Ok(filled)
    }

    /// The space of the vectors.
    pub(crate) fn vector_space(&self) -> VectorSpace {
        space_of(self.embedder.model())
    }

    /// Vectors from earlier runs.
    pub(crate) async fn load_known(
        &self,
        space: &VectorSpace,
        keys: &[ContentHash],
    ) -> Result<HashMap<ContentHash, Option<Vector>>> {
        let mut known = HashMap::new();
        for keys in keys.chunks(LOOKED_UP) {
            let found = self.ledger.store.load_vectors(self.project, space, keys).await?;
            for (key, numbers) in keys.iter().zip(found).filter_map(|(key, found)| Some((*key, found?))) {
                // Stored numbers that are no valid vector are ignored, so the text is embedded again.
                match (numbers.is_empty(), Vector::from_stored(numbers)) {
                    (false, None) => {}
                    (_, vector) => drop(known.insert(key, vector)),
                }
            }
        }
        Ok(known)
    }

    /// Embeds a batch under the contract, and stores what was paid for.
    async fn embed_batch(
        &self,
        space: &VectorSpace,
        batch: &[(ContentHash, &str)],
    ) -> Result<Result<Vec<(ContentHash, Option<Vector>)>, CallRefusal>> {
        let texts = self.without_secrets(batch).await?;
        let texts: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
        let embedded = match call_embedder(self.ledger, self.purpose, self.embedder, &texts).await? {
            Ok(embedded) => embedded,
            Err(refused) => return Ok(Err(refused)),
        };
        let fits = |vector: &Option<Vector>| {
            vector.as_ref().is_none_or(|vector| vector.len() == self.embedder.model().dimensions)
        };
        // Vectors of another length are of another model and must not enter the space of this one.
        if embedded.vectors.len() != batch.len() || !embedded.vectors.iter().all(fits) {
            let failure = ProviderFailure::Malformed { reason: "vectors that do not fit its model".to_owned() };
            let vendor = self.embedder.vendor();
            let spent = FailureCost::Unknown;
            return Ok(Err(CallRefusal::Provider(providers::ProviderError { vendor, failure, spent })));
        }
        let vectors: Vec<_> = batch.iter().map(|(key, _)| *key).zip(embedded.vectors).collect();
        let numbers = |vector: &Option<Vector>| vector.as_deref().unwrap_or_default().to_vec();
        let kept = vectors.iter().map(|(key, vector)| (*key, numbers(vector))).collect();
        self.ledger.store.write_vectors(self.project, space, kept, self.ledger.clock.now()).await?;
        Ok(Ok(vectors))
    }

    /// Texts as they may be sent: to the local model unchanged, to an external one without secrets.
    async fn without_secrets<'t>(&self, batch: &[(ContentHash, &'t str)]) -> Result<Vec<Cow<'t, str>>> {
        if self.embedder.vendor() == Vendor::Builtin {
            return Ok(batch.iter().map(|(_, text)| Cow::Borrowed(*text)).collect());
        }
        let scrubber = self.ledger.scrubber.load().await?;
        Ok(batch.iter().map(|(_, text)| scrubber.scrub_text(text).0).collect())
    }
}

/// The space that the vectors of a model are stored under.
pub(crate) fn space_of(model: &EmbeddingModel) -> VectorSpace {
    VectorSpace {
        model: model.name.to_string(),
        version: model.version.to_string(),
        dimensions: model.dimensions.try_into().unwrap_or(u32::MAX),
    }
}

fn content_keys(texts: &[String]) -> Vec<ContentHash> {
    texts.iter().map(|text| ContentHash::hash_bytes(text.as_bytes())).collect()
}

/// Splits texts into batches for single calls.
fn split_batches<'a, 'b>(texts: &'a [(ContentHash, &'b str)]) -> Vec<&'a [(ContentHash, &'b str)]> {
    let mut batches = Vec::new();
    let mut start = 0;
    let mut bytes = 0;
    for (at, (_, text)) in texts.iter().enumerate() {
        // A text that is larger than the limit alone still makes a batch of its own.
        if at > start && (at - start == TEXTS || bytes + text.len() > BYTES) {
            batches.push(&texts[start..at]);
            (start, bytes) = (at, 0);
        }
        bytes += text.len();
    }
    if start < texts.len() {
        batches.push(&texts[start..]);
    }
    batches
}
