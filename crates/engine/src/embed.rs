//! Vectors of texts: asked for once in each model, kept by what they are of, never of two models in one answer.
//!
//! A text that was embedded before is not embedded again, wherever it stands now. Another model begins with nothing and
//! is filled as texts are asked for, a batch at a time, each kept as soon as it is paid for: a run that was stopped goes
//! on where it ended. What the model before made stays until the new one has everything.

use crate::ledger::{Degraded, Initiative, Purpose, Refused, chosen, embed};
use crate::{Engine, Error, Observer, Project, Result};
use model::ContentHash;
use providers::{Embedder, Failure, Spent, Vector, Vendor};
use std::collections::HashMap;
use std::sync::Arc;
use store::Space;

/// Texts to embed.
#[derive(Clone, Debug)]
pub struct EmbedRequest {
    /// The texts.
    pub texts: Vec<String>,
    /// Whether there are others.
    pub extent: Extent,
    /// Who embeds, as `vendor` or `vendor/model`; none for whoever is configured.
    pub provider: Option<String>,
    /// Who wants it.
    pub initiative: Initiative,
}

/// Whether texts are all that a project has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// There may be others.
    Some,
    /// These are all: once they have their vectors, those of other texts and other models are dropped.
    All,
}

/// Vectors, all of one model.
#[derive(Clone, Debug)]
pub struct Embeddings {
    /// The model.
    pub space: Space,
    /// One per text, in their order; none where the model has nothing to say about a text.
    pub vectors: Vec<Option<Vector>>,
    /// Texts that were embedded before.
    pub known: u64,
    /// Texts that were embedded now.
    pub embedded: u64,
    /// Vectors that were dropped.
    pub dropped: u64,
    /// What did not run as it should have: models that were to be asked and gave nothing, texts they do not take.
    pub degraded: Vec<Degraded>,
}

/// Texts of one call: small enough that little is lost with one, and that the ceiling of a call has room for it.
const TEXTS: usize = 64;
const BYTES: usize = 48 << 10;
/// Vectors looked up at a time.
const LOOKED_UP: usize = 1_000;

pub(crate) async fn run(
    engine: &Engine,
    project: &Project,
    request: EmbedRequest,
    observer: &dyn Observer,
) -> Result<Embeddings> {
    let embedders = in_order(engine, request.provider.as_deref())?;
    let mut degraded = match request.provider {
        Some(_) => Vec::new(),
        None => engine.providers.unusable_embedders.clone(),
    };
    let purpose =
        Purpose { operation: "embed", project: Some(&project.id), session: None, initiative: request.initiative };
    for embedder in embedders {
        let run = Run { engine, project, purpose, embedder: &*embedder, observer };
        match run.all(&request.texts).await? {
            Ok(mut whole) => {
                // Vectors of a model that could not be asked today are still good tomorrow.
                if request.extent == Extent::All && degraded.is_empty() {
                    let keys = keys(&request.texts);
                    whole.dropped = engine.store.keep_vectors(&project.id, &whole.space, &keys).await?;
                }
                degraded.append(&mut whole.degraded);
                return Ok(Embeddings { degraded, ..whole });
            }
            Err(refused) => degraded.push(Degraded::from(&refused)),
        }
    }
    let reasons: Vec<String> = degraded.into_iter().map(|degraded| degraded.reason).collect();
    let reason = format!("leaves nobody who embeds: {}", reasons.join("; "));
    Err(Error::Parameter { field: "provider", reason })
}

/// Whoever is named, or configured; the one inside the program after them.
fn in_order(engine: &Engine, choice: Option<&str>) -> Result<Vec<Arc<dyn Embedder>>> {
    let all = &engine.providers.embedders;
    let mut embedders = chosen(all, choice, |embedder| (embedder.vendor(), embedder.model().name.to_string()))?;
    let is_builtin = |embedder: &&Arc<dyn Embedder>| embedder.vendor() == Vendor::Builtin;
    if embedders.iter().find(is_builtin).is_none() {
        embedders.extend(all.iter().find(is_builtin).cloned());
    }
    Ok(embedders)
}

/// One model embeds.
struct Run<'a> {
    engine: &'a Engine,
    project: &'a Project,
    purpose: Purpose<'a>,
    embedder: &'a dyn Embedder,
    observer: &'a dyn Observer,
}

impl Run<'_> {
    /// All texts, or why this model cannot embed them. What it did embed is kept.
    async fn all(&self, texts: &[String]) -> Result<Result<Embeddings, Refused>> {
        let space = self.space();
        let keys = keys(texts);
        let mut vectors = self.known(&space, &keys).await?;
        let missing: HashMap<ContentHash, &str> = keys
            .iter()
            .zip(texts)
            .filter(|(key, _)| !vectors.contains_key(*key))
            .map(|(key, text)| (*key, text.as_str()))
            .collect();
        let known = vectors.len() as u64;
        let mut missing: Vec<(ContentHash, &str)> = missing.into_iter().collect();
        // The same batches for the same texts, whatever the order of a map.
        missing.sort_unstable();
        let (total, mut embedded, mut too_long) = (missing.len(), 0, 0);
        // The batch to ask for next is the last.
        let mut batches = batches(&missing);
        batches.reverse();
        while let Some(batch) = batches.pop() {
            self.observer.progress("embedding", embedded + too_long, total as u64);
            if self.observer.cancelled() {
                return Err(Error::Cancelled);
            }
            match self.batch(&space, batch).await? {
                Ok(batch) => {
                    embedded += batch.len() as u64;
                    vectors.extend(batch);
                }
                Err(Refused::Provider(error)) if error.failure == Failure::TooLarge && batch.len() > 1 => {
                    let (one, other) = batch.split_at(batch.len() / 2);
                    batches.extend([other, one]);
                }
                // A text too long for the model has no vector there, and the others have theirs.
                Err(Refused::Provider(error)) if error.failure == Failure::TooLarge => too_long += 1,
                Err(refused) => return Ok(Err(refused)),
            }
        }
        let degraded = (too_long > 0).then(|| Degraded {
            reason: format!("{} has no vector for {too_long} of the texts: they are longer than it takes", space.model),
            fix: Some("choose a model with a longer context".to_owned()),
        });
        let degraded = degraded.into_iter().collect();
        let vectors = keys.iter().map(|key| vectors.get(key).cloned().flatten()).collect();
        Ok(Ok(Embeddings { space, vectors, known, embedded, dropped: 0, degraded }))
    }

    fn space(&self) -> Space {
        let model = self.embedder.model();
        Space {
            model: model.name.to_string(),
            version: model.version.to_string(),
            dimensions: u32::try_from(model.dimensions).unwrap_or(u32::MAX),
        }
    }

    /// What was embedded before.
    async fn known(&self, space: &Space, keys: &[ContentHash]) -> Result<HashMap<ContentHash, Option<Vector>>> {
        let mut known = HashMap::new();
        for keys in keys.chunks(LOOKED_UP) {
            let found = self.engine.store.vectors(&self.project.id, space, keys).await?;
            for (key, numbers) in keys.iter().zip(found).filter_map(|(key, found)| Some((*key, found?))) {
                // Numbers that are no vector any more are as good as none: they are asked for again.
                match (numbers.is_empty(), Vector::kept(numbers)) {
                    (false, None) => {}
                    (_, vector) => drop(known.insert(key, vector)),
                }
            }
        }
        Ok(known)
    }

    /// Embeds a batch under the contract, and keeps what it paid for.
    async fn batch(
        &self,
        space: &Space,
        batch: &[(ContentHash, &str)],
    ) -> Result<Result<Vec<(ContentHash, Option<Vector>)>, Refused>> {
        let texts: Vec<&str> = batch.iter().map(|(_, text)| *text).collect();
        let embedded = match embed(self.engine, self.purpose, self.embedder, &texts).await? {
            Ok(embedded) => embedded,
            Err(refused) => return Ok(Err(refused)),
        };
        let fits = |vector: &Option<Vector>| {
            vector.as_ref().is_none_or(|vector| vector.len() == self.embedder.model().dimensions)
        };
        if embedded.vectors.len() != batch.len() || !embedded.vectors.iter().all(fits) {
            let failure = Failure::Malformed { reason: "vectors that do not fit its model".to_owned() };
            let (vendor, spent) = (self.embedder.vendor(), Spent::Unknown);
            return Ok(Err(Refused::Provider(providers::Error { vendor, failure, spent })));
        }
        let vectors: Vec<_> = batch.iter().map(|(key, _)| *key).zip(embedded.vectors).collect();
        let numbers = |vector: &Option<Vector>| vector.as_deref().unwrap_or_default().to_vec();
        let kept = vectors.iter().map(|(key, vector)| (*key, numbers(vector))).collect();
        self.engine.store.write_vectors(&self.project.id, space, kept).await?;
        Ok(Ok(vectors))
    }
}

fn keys(texts: &[String]) -> Vec<ContentHash> {
    texts.iter().map(|text| ContentHash::of(text.as_bytes())).collect()
}

/// Cuts texts where a call has enough of them.
fn batches<'a, 'b>(texts: &'a [(ContentHash, &'b str)]) -> Vec<&'a [(ContentHash, &'b str)]> {
    let mut batches = Vec::new();
    let (mut start, mut bytes) = (0, 0);
    for (at, (_, text)) in texts.iter().enumerate() {
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
