//! The background worker that encodes regions of code into transformer vectors: one thread of low priority for each
//! watched project, first the regions that questions found, then the rest. Vectors are stored as they are made, so a
//! process that starts after one was stopped goes on where that one ended.

use super::region_texts::{MOST_REGIONS, RegionText, places_to_encode, texts_of};
use crate::base::run_blocking;
use crate::base::{Clock, Project, Result};
use crate::code::CodeContext;
use crate::code::search::catalog::Catalog;
use crate::code::watch::WatchedProject;
use crate::ledger::embed::space_of;
use model::ContentHash;
use providers::{TextEncoder, Vector};
use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use store::{Store, VectorSpace};

/// The queues of regions to encode, by the root of the project.
#[derive(Default)]
pub(crate) struct EncoderQueue(Mutex<HashMap<PathBuf, EncodeBacklog>>);

/// The regions of one project that wait to be encoded.
#[derive(Default)]
struct EncodeBacklog {
    /// Regions that questions found.
    found: VecDeque<RegionText>,
    /// The catalog whose regions are encoded in order, and the regions that are left.
    catalog: Weak<Catalog>,
    rest: VecDeque<(u32, Option<u32>)>,
    is_running: bool,
}

impl EncoderQueue {
    fn lock_queue(&self) -> MutexGuard<'_, HashMap<PathBuf, EncodeBacklog>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Encodes texts and keeps their vectors.
pub(super) struct EncodeWorker {
    store: Arc<dyn Store>,
    encoder: Arc<dyn TextEncoder>,
    space: VectorSpace,
    project: Project,
    clock: Arc<dyn Clock>,
}

impl EncodeWorker {
    pub(super) fn new(code: &CodeContext, encoder: &Arc<dyn TextEncoder>, project: &Project) -> Self {
        Self {
            store: Arc::clone(&code.store),
            encoder: Arc::clone(encoder),
            space: space_of(encoder.model()),
            project: project.clone(),
            clock: Arc::clone(&code.clock),
        }
    }

    /// The texts that have no vector yet.
    pub(super) async fn missing_texts(&self, texts: Vec<RegionText>) -> Result<Vec<RegionText>> {
        let keys: Vec<_> = texts.iter().map(|text| text.key).collect();
        let known = self.store.load_vectors(&self.project.id, &self.space, &keys).await?;
        Ok(texts.into_iter().zip(known).filter(|(_, known)| known.is_none()).map(|(text, _)| text).collect())
    }

    /// Keeps vectors.
    pub(super) async fn write_vectors(&self, vectors: Vec<TextVector>) -> Result<()> {
        if vectors.is_empty() {
            return Ok(());
        }
        Ok(self.store.write_vectors(&self.project.id, &self.space, vectors, self.clock.now()).await?)
    }

    /// Encodes those of some texts that have no vector yet, on the thread that asks.
    async fn encode_missing(&self, texts: Vec<RegionText>) -> Result<()> {
        // Asked again just before encoding: another process may have encoded the same regions meanwhile.
        let lacking = self.missing_texts(texts).await?;
        self.write_vectors(lacking.iter().map(|text| encode_text(&*self.encoder, text)).collect()).await
    }
}

/// The vector of a text, by its digest.
pub(super) type TextVector = (ContentHash, Vec<f32>);

/// A text without a word gets a vector without numbers, and is not asked about again.
pub(super) fn encode_text(encoder: &dyn TextEncoder, text: &RegionText) -> TextVector {
    let vector = encoder.encode_text(&text.text);
    (text.key, vector.map_or_else(Vec::new, |vector: Vector| vector.to_vec()))
}

/// Texts that are encoded in the background together.
const BACKGROUND_BATCH_SIZE: usize = 16;

/// Queues regions for encoding, where this engine watches the project: a process that answers one question and ends
/// gets no thread.
pub(super) fn encode_later(code: &CodeContext, project: &Project, catalog: &Arc<Catalog>, found: Vec<RegionText>) {
    let (Some(encoder), Some(watched)) = (&code.encoder, code.watches.find_watch(project)) else { return };
    let mut queue = code.encodings.lock_queue();
    let waiting = queue.entry(project.root.clone()).or_default();
    // Backwards to the front of the queue: the newest question comes before older ones, its first region first.
    for text in found.into_iter().rev() {
        // A question that is asked twice before the thread gets to it must not be encoded twice.
        waiting.found.retain(|other| other.key != text.key);
        waiting.found.push_front(text);
    }
    // Another catalog has other unit numbers. The texts of the old one are known by their digest and are skipped later.
    if !Weak::ptr_eq(&waiting.catalog, &Arc::downgrade(catalog)) {
        waiting.catalog = Arc::downgrade(catalog);
        waiting.rest = places_to_encode(catalog).take(MOST_REGIONS).collect();
    }
    // Set under the lock: of two questions at once, one starts the thread.
    if std::mem::replace(&mut waiting.is_running, true) {
        return;
    }
    // The thread takes the same lock first thing, and spawning may take a while.
    drop(queue);
    let encoding = EncodeWorker::new(code, encoder, project);
    // Weak, so that the thread does not keep a project watched that the last client has left.
    let queue = Arc::clone(&code.encodings);
    let watched = Arc::downgrade(&watched);
    let runtime = tokio::runtime::Handle::current();
    let work = move || {
        lower_priority();
        runtime.block_on(run_worker(&encoding, &queue, &watched));
    };
    // Without a thread every question is answered without the encoder, so a failure here is a warning.
    if let Err(error) = std::thread::Builder::new().name("encoder".to_owned()).spawn(work) {
        tracing::warn!(%error, "regions are not encoded: there is no thread for it");
        code.encodings.lock_queue().remove(&project.root);
    }
}

/// Encodes until nothing is left, the project is not watched any more, or something fails.
async fn run_worker(encoding: &EncodeWorker, queue: &EncoderQueue, watched: &Weak<WatchedProject>) {
    // Checked between batches: a thread that outlives its project ends within 16 texts.
    while watched.strong_count() > 0 {
        let next = {
            let mut queue = queue.lock_queue();
            let waiting = queue.entry(encoding.project.root.clone()).or_default();
            let next = waiting.next_batch();
            // In the same lock as the empty queue: a question that comes right after it starts a new thread.
            waiting.is_running = next.is_some();
            next
        };
        let encoded = match next {
            None => return,
            Some(EncodeBatch::Found(texts)) => encoding.encode_missing(texts).await,
            Some(EncodeBatch::Rest(catalog, places)) => {
                let project = encoding.project.clone();
                let texts = run_blocking("reading files", move || texts_of(&project, &catalog, &places)).await;
                match texts {
                    Ok(texts) => encoding.encode_missing(texts).await,
                    Err(error) => Err(error),
                }
            }
        };
        if let Err(error) = encoded {
            tracing::warn!(%error, "regions are not encoded any more until the next question");
            break;
        }
    }
    queue.lock_queue().remove(&encoding.project.root);
}

enum EncodeBatch {
    Found(Vec<RegionText>),
    Rest(Arc<Catalog>, Vec<(u32, Option<u32>)>),
}

impl EncodeBacklog {
    fn next_batch(&mut self) -> Option<EncodeBatch> {
        if !self.found.is_empty() {
            let most = self.found.len().min(BACKGROUND_BATCH_SIZE);
            return Some(EncodeBatch::Found(self.found.drain(..most).collect()));
        }
        // A catalog that a newer one replaced is dropped, and the reference here is weak: the next question brings the
        // newer one.
        let catalog = self.catalog.upgrade()?;
        let most = self.rest.len().min(BACKGROUND_BATCH_SIZE);
        (most > 0).then(|| EncodeBatch::Rest(catalog, self.rest.drain(..most).collect()))
    }
}

/// Lowers the priority of this thread below everything else on the machine, where the system has priorities of threads.
fn lower_priority() {
    #[cfg(target_os = "linux")]
    rustix::process::setpriority_process(None, 19).ok();
}
