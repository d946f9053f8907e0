//! Keeps the index of recall current, and caches it between questions: messages stored since the last question are
//! indexed before the next one is answered. A few new messages stay in memory, so that they can be recalled at once and
//! a question writes nothing. More of them become a segment in the store, and small segments are merged. Segments are
//! derived: those that do not fit the messages they claim to cover are made again.

use super::corpus::{Corpus, RecallSegment};
use super::coverage::SegmentCoverage;
use super::meaning::model_key;
use super::passage_indexer::{PassageIndexer, merge_small_segments};
use super::segment_metadata::SegmentMetadata;
use crate::base::{Error, Result, run_blocking};
use crate::memory::MemoryContext;
use model::ConversationId;
use providers::LocalEmbedder;
use search::{ViewLoader, ViewReading, load_view};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use store::{Conversation, MemoryVersion, Store};
use tokio::sync::Mutex;

/// The state that an engine keeps between questions.
#[derive(Default)]
pub(crate) struct RecallCache {
    state: Mutex<RecallState>,
    /// Messages that were stored through this engine since the index was last brought up to date.
    unindexed: AtomicU64,
}

impl RecallCache {
    /// Notes messages that the next question would have to index.
    pub(crate) fn add_unindexed(&self, messages: u64) {
        self.unindexed.fetch_add(messages, Ordering::Relaxed);
    }

    /// How many there are.
    pub(crate) fn unindexed_count(&self) -> u64 {
        self.unindexed.load(Ordering::Relaxed)
    }
}

/// The segments, and how they are laid out.
#[derive(Default)]
pub(super) struct RecallState {
    pub(super) parts: Vec<RecallSegment>,
    corpus: Option<Arc<Corpus>>,
    /// The model that embeds messages.
    pub(super) embedder: Option<Arc<dyn LocalEmbedder>>,
    /// The store takes no segments: all of them stay here.
    pub(super) is_read_only: bool,
    /// Conversations that could not be read to their end, and why.
    pub(super) damaged: Vec<(ConversationId, String)>,
}

/// Everything that can be recalled now.
pub(super) async fn current_corpus(memory: &MemoryContext) -> Result<Arc<Corpus>> {
    load_corpus(memory, KeptCorpus::Usable).await
}

/// The last corpus, if there is one; it may be older than the store.
pub(super) async fn last_corpus(memory: &MemoryContext) -> Option<Arc<Corpus>> {
    memory.recalls.state.lock().await.corpus.clone()
}

/// Builds the corpus again, after the store turned out to have unknown segments.
pub(super) async fn reload_corpus(memory: &MemoryContext) -> Result<Arc<Corpus>> {
    load_corpus(memory, KeptCorpus::Outdated).await
}

async fn load_corpus(memory: &MemoryContext, kept: KeptCorpus) -> Result<Arc<Corpus>> {
    // Held through the refresh: two questions at once must not both cut the same messages and store two segments of
    // them.
    let mut state = memory.recalls.state.lock().await;
    // Read before the store: a message that comes meanwhile stays counted.
    let unindexed = memory.recalls.unindexed_count();
    let corpus = load_view(CorpusLoader { memory, state: &mut state, kept, version: None }).await?;
    memory.recalls.unindexed.fetch_sub(unindexed, Ordering::Relaxed);
    Ok(corpus)
}

/// Whether what is kept may be the answer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum KeptCorpus {
    Usable,
    Outdated,
}

/// How the corpus is loaded.
struct CorpusLoader<'a> {
    memory: &'a MemoryContext,
    state: &'a mut RecallState,
    kept: KeptCorpus,
    /// Read first: a message that is stored during the reads makes another version, and the next question notices.
    version: Option<MemoryVersion>,
}

impl ViewLoader for CorpusLoader<'_> {
    type View = Arc<Corpus>;
    /// The version, and the conversations that the segments cover by now.
    type Reading = (MemoryVersion, Vec<Conversation>);
    type Error = Error;

    async fn find_kept(&mut self) -> Result<Option<Arc<Corpus>>> {
        let version = self.memory.store.memory_version().await?;
        self.version = Some(version);
        let kept = self.state.corpus.as_ref().filter(|corpus| corpus.version == version);
        Ok(kept.filter(|_| self.kept == KeptCorpus::Usable).cloned())
    }

    async fn read_store(&mut self) -> Result<ViewReading<Self::Reading>> {
        let (Some(version), store) = (self.version, &self.memory.store) else { return Ok(ViewReading::Lost) };
        self.state.embedder.clone_from(&self.memory.embedder);
        let conversations = store.list_conversations().await?;
        match catch_up(&**store, self.state, &conversations).await {
            Ok(()) => Ok(ViewReading::Whole((version, conversations))),
            Err(RefreshStop::Failed(error)) => Err(error),
            Err(RefreshStop::Moved) => Ok(ViewReading::Lost),
            Err(RefreshStop::Stale) => {
                // Dropped in the store as well: segments are derived data, and every other process would find the stale
                // ones again.
                store.drop_passages().await?;
                self.state.parts.clear();
                Ok(ViewReading::Lost)
            }
        }
    }

    async fn build_view(&mut self, (version, conversations): Self::Reading) -> Result<Arc<Corpus>> {
        let (parts, damaged) = (self.state.parts.clone(), self.state.damaged.clone());
        let lay_out = move || {
            let mut corpus = Corpus::new(version, &parts, conversations);
            corpus.damaged = damaged;
            Arc::new(corpus)
        };
        run_blocking("laying out passages", lay_out).await
    }

    fn keep_view(&mut self, corpus: &Arc<Corpus>) {
        self.state.corpus = Some(Arc::clone(corpus));
    }

    fn conflict_error(&self) -> Error {
        store::Error::Conflict { what: "index", id: "conversations".to_owned() }.into()
    }
}

/// Why catching up did not get to its end.
pub(super) enum RefreshStop {
    /// Another process wrote segments, or messages came: read again.
    Moved,
    /// Segments are damaged, or of other messages: make all of them anew.
    Stale,
    Failed(Error),
}

impl From<Error> for RefreshStop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<store::Error> for RefreshStop {
    fn from(error: store::Error) -> Self {
        Self::Failed(error.into())
    }
}

async fn catch_up(
    store: &dyn Store,
    state: &mut RecallState,
    conversations: &[Conversation],
) -> std::result::Result<(), RefreshStop> {
    load_segments(store, state).await?;
    let covered = SegmentCoverage::from_segments(&mut state.parts, conversations).ok_or(RefreshStop::Stale)?;
    // Found again while reading: a message that was repaired since must not be reported any more.
    state.damaged.clear();
    let mut gathering = PassageIndexer::new(store, state);
    for conversation in conversations {
        gathering.read_conversation(conversation, covered.covered_end(&conversation.id)).await?;
    }
    gathering.finish().await?;
    merge_small_segments(store, state).await
}

/// Brings the list of stored segments up to date.
async fn load_segments(store: &dyn Store, state: &mut RecallState) -> std::result::Result<(), RefreshStop> {
    let known: Vec<i64> = state.parts.iter().filter_map(RecallSegment::store_number).collect();
    let listed = match store.passage_segments(&known).await {
        // Damaged segments are rebuilt from the messages without a word to the user: nothing of theirs was lost.
        Err(store::Error::Corrupt { .. }) => return Err(RefreshStop::Stale),
        listed => listed?,
    };
    state.parts.retain(|part| part.store_number().is_none_or(|number| listed.all.contains(&number)));
    // Segments with vectors of another model do not decode, and all of them are made anew.
    let model = model_key(state.embedder.as_deref());
    for segment in listed.new {
        let heads =
            SegmentMetadata::decode(&segment.heads, &model).filter(|heads| heads.passage_count() == segment.passages);
        state
            .parts
            .push(RecallSegment::Stored { number: segment.number, heads: Arc::new(heads.ok_or(RefreshStop::Stale)?) });
    }
    Ok(())
}
