//! The conversation half: messages in, messages out, and the proof that none is missing.

mod active_context;
mod archive;
mod artifact;
mod assemble;
mod compact;
#[cfg(test)]
mod conversation_builder;
mod damage;
mod describe;
mod expand;
mod explore;
mod export;
mod fact;
mod fold;
#[cfg(test)]
mod generated_conversation;
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
pub use fact::{announces_step, is_told, without_label};
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
pub use settings::MemorySettings;
pub(crate) use verify::verify;
pub use verify::{OnDisk, SourceCheck, VerificationProblem, VerifyReport};

use model::{ConversationId, DigestBuilder, MessageId};

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
