//! The conversation half of the engine: stores messages and transcripts of agents, searches them, extracts facts,
//! compacts old messages into summaries, and verifies that no message is missing. Defines `MemoryContext`, which its
//! operations share.

mod active_context;
mod archive;
mod artifact;
mod assemble;
mod compact;
mod damage;
mod describe;
mod expand;
mod explore;
mod export;
mod fact;
mod fold;
mod grant;
mod grep;
mod import;
mod ingest;
mod integrity;
mod jobs;
mod list;
mod naming;
mod project_memory;
mod recall;
mod repair;
mod scrub;
mod session;
mod settings;
mod summarize;
#[cfg(test)]
mod tests;
mod verify;

pub use artifact::ArtifactPage;
pub(crate) use assemble::assemble_context;
pub use assemble::{AssembleRequest, AssembledContext, AssembledItem, OmittedRange};
pub(crate) use compact::compact_conversations;
pub use compact::{
    CompactEffect, CompactReport, CompactRequest, CompactRun, ConversationSelection, FoldPrice, FoldRecord, SkippedFold,
};
pub use describe::DescribedItem;
pub(crate) use describe::describe_item;
pub(crate) use expand::expand;
pub use expand::{ExpandRequest, ExpandedItem, ExpandedKind, Expansion};
pub(crate) use export::export_transcript;
pub use export::{ExportedTranscript, ReplacedLine};
pub(crate) use fact::current_facts as facts_of;
pub use fact::is_told;
pub use fold::FoldMode;
pub use grant::GrantRequest;
pub(crate) use grant::grant;
pub(crate) use grep::grep;
pub use grep::{GrepFound, GrepMatch, GrepMode, GrepReport, GrepRequest, GrepScope};
pub use import::{
    ImportMode, ImportReport, ImportRequest, ImportedTranscript, ProjectionFactory, ReadableTranscript,
    SilentTranscript, TranscriptLag, TranscriptStatus,
};
pub(crate) use import::{find_lagging_transcripts, find_silent_transcripts, import, rebuild_messages};
pub use ingest::{HistoryRequest, IngestOutcome, IngestRequest};
pub(crate) use ingest::{ingest_messages, load_history};
pub use integrity::{FoldCheck, FoldProblem, FoldRemedy};
pub use jobs::{IntegrityReport, JobOutcome};
pub(crate) use jobs::{request_folding, request_integrity_check, run_next_job};
pub use list::ConversationListing;
pub(crate) use list::list_conversations;
use naming::find_conversation;
pub(crate) use project_memory::project_memory;
pub use project_memory::{ProjectMemory, ProjectMemoryRequest};
pub use recall::{
    ContentSpan, RecallReport, RecallRequest, RecallScope, RecalledMessage, RecalledNeighbour, ScoreParts,
};
pub(crate) use recall::{MessageVectors, RecallCache, embed_messages, recall_messages};
pub(crate) use repair::repair;
pub use repair::{RepairEffect, RepairReport, RepairRequest, RepairedProblem};
pub use session::{
    DuplicateGroup, EventCoverage, EventDeadlines, EventDeduper, EventFate, EventMessage, PromptRequest,
    RESTORED_HEADING, RestoredFacts, ResultLayout, SessionState, event_message_id, event_messages, messages_have_event,
    shorten_output, transcript_has_event,
};
pub(crate) use session::{SessionBriefing, compare_compaction, ingest_event, recall_for_prompt, render_orientation};
pub use settings::MemorySettings;
pub(crate) use verify::verify;
pub use verify::{OnDisk, SourceCheck, VerificationProblem, VerifyReport};

use crate::base::{Clock, StoreScrubber};
use crate::ledger::LedgerContext;
use model::{ConversationId, DigestBuilder, MessageId};
use providers::LocalEmbedder;
use std::sync::Arc;
use store::Store;

/// What the conversation half works with.
pub(crate) struct MemoryContext {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    /// What models are asked through.
    pub(crate) ledger: Arc<LedgerContext>,
    pub(crate) settings: MemorySettings,
    pub(crate) embedder: Option<Arc<dyn LocalEmbedder>>,
    pub(crate) scrubber: Arc<StoreScrubber>,
    pub(crate) recalls: RecallCache,
    pub(crate) message_vectors: MessageVectors,
}

impl MemoryContext {
    /// A context with nothing kept yet.
    pub(crate) fn new(
        ledger: &Arc<LedgerContext>,
        settings: MemorySettings,
        embedder: Option<Arc<dyn LocalEmbedder>>,
    ) -> Self {
        Self {
            store: Arc::clone(&ledger.store),
            clock: Arc::clone(&ledger.clock),
            ledger: Arc::clone(ledger),
            settings,
            embedder,
            scrubber: Arc::clone(&ledger.scrubber),
            recalls: RecallCache::default(),
            message_vectors: MessageVectors::default(),
        }
    }
}

/// The id of the conversation people call `name`.
pub(crate) fn conversation_id(name: &str) -> ConversationId {
    ConversationId::parse(name).unwrap_or_else(|_| {
        ConversationId::from_hash(DigestBuilder::new("conversation").add_field(name.as_bytes()).finish())
    })
}

/// The id that a message of its source's own id has, or will have, in the conversation people call `name`.
pub fn message_id(name: &str, external_id: &str) -> MessageId {
    model::message_id(&conversation_id(name), 0, Some(external_id))
}

/// The first characters of a text, with a mark where more were there.
fn truncate_text(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
