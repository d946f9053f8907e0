//! The conversation half of the engine: stores messages and transcripts of agents, searches them, extracts facts,
//! compacts old messages into summaries, and verifies that no message is missing. Defines `MemoryContext`, which its
//! operations share.

mod active_context;
mod archive;
mod artifact;
mod assemble;
mod checkpoints;
mod compact;
mod copied_history;
mod current_session;
mod damage;
mod decisions;
mod describe;
mod durable;
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
mod knowledge;
mod left_steps;
mod lifecycle;
mod list;
mod naming;
mod project_memory;
mod recall;
mod repair;
mod scrub;
mod secret_purge;
mod secret_scan;
mod session;
mod session_lines;
mod settings;
mod stats;
mod subscriptions;
mod summarize;
mod team;
#[cfg(test)]
mod tests;
mod verify;
mod written_answer;

pub use artifact::ArtifactPage;
pub(crate) use assemble::assemble_context;
pub use assemble::{AssembleRequest, AssembledContext, AssembledItem, OmittedRange, SummaryForm};
pub use checkpoints::{
    Checkpoint, CheckpointAction, CheckpointReport, CheckpointRequest, CheckpointState, CheckpointTrigger, EventMoment,
    NewCheckpoint, PlanStep, marks_checkpoint,
};
pub(crate) use checkpoints::{checkpoint_line, manage_checkpoints, note_event};
pub use compact::{
    CompactEffect, CompactReport, CompactRequest, CompactRun, ConversationSelection, FoldPrice, FoldRecord, SkippedFold,
};
pub(crate) use compact::{LeaseTimes, compact_conversations};
pub use copied_history::CopiedMessages;
pub(crate) use decisions::find_decisions;
pub use decisions::{Decision, DecisionReport, DecisionRequest, DecisionStatus, SharedDecision};
pub(crate) use describe::describe_item;
pub use describe::{DescribedFact, DescribedItem};
pub use durable::{
    FoundMemory, ListedMemory, MemoriesRequest, MemoryAudience, MemoryListing, MemoryLookup, NewReflection,
    NewTierItem, PromoteReport, PromoteRequest, PromotedMemory, Reflection, ReflectionAction, ReflectionFilter,
    ReflectionOutcome, ReflectionReport, ReflectionRequest, ReflectionSummary, RememberOutcome, RememberRequest,
    RememberedText, TierAction, TierItem, TierReport, TierRequest, TierSettings, TierTotal,
};
pub(crate) use durable::{
    RecalledMemories, count_memories, flush_recalled, forget_memory, list_memories, lookup_memories,
    manage_reflections, manage_tiers, note_recalled, promote_facts, remember_text, told_words,
};
pub(crate) use expand::expand;
pub use expand::{ExpandRequest, ExpandedItem, ExpandedKind, Expansion};
pub(crate) use export::export_transcript;
pub use export::{ExportedTranscript, ReplacedLine};
pub use fact::SkippedConversations;
pub(crate) use fact::{current_facts as facts_of, renew_facts};
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
pub use ingest::{HistoryReport, HistoryRequest, IngestOutcome, IngestRequest};
pub(crate) use ingest::{ingest_messages, load_history};
pub use integrity::{FoldCheck, FoldProblem, FoldRemedy};
pub use jobs::{IntegrityReport, JobOutcome};
pub(crate) use jobs::{request_folding, request_integrity_check, run_next_job};
pub(crate) use knowledge::manage_knowledge;
pub use knowledge::{
    AcceptedFiles, KnowledgeAction, KnowledgeFile, KnowledgeReport, KnowledgeStanding, WrittenFile, WrittenStanding,
};
pub use lifecycle::{SessionAction, SessionListing, SessionReport};
pub(crate) use lifecycle::{archive_idle_conversations, manage_session, open_question};
pub(crate) use list::list_conversations;
pub use list::{ConversationList, ConversationListing, ListRequest};
use naming::find_conversation;
pub use naming::name_in_project;
pub use recall::{
    ContentSpan, RULES_HEADING, RecallReport, RecallRequest, RecallScope, RecalledFact, RecalledMessage,
    RecalledNeighbour, RecalledRule, RecalledThread, ScoreParts, ThreadStep,
};
pub(crate) use recall::{MessageVectors, RecallCache, embed_messages, prepare_recall, recall_messages};
pub(crate) use repair::repair;
pub use repair::{RepairEffect, RepairReport, RepairRequest, RepairedProblem};
pub use secret_purge::SecretPurge;
pub(crate) use secret_purge::purge_secrets;
pub(crate) use secret_scan::scan_secrets;
pub use secret_scan::{OriginCount, SecretScan, StoredOrigin, StoredSecret};
pub use session::{
    DuplicateGroup, EventCoverage, EventDeadlines, EventDeduper, EventFate, EventMessage, FailureRequest,
    PromptRequest, RESTORED_HEADING, RestoredFacts, ResultLayout, SessionState, event_message_id, event_messages,
    messages_have_event, shorten_output, transcript_has_event,
};
pub(crate) use session::{
    OrientationPacker, SessionBriefing, compare_compaction, ingest_event, load_session_memory, recall_for_failure,
    recall_for_prompt,
};
pub use settings::MemorySettings;
pub(crate) use stats::memory_stats;
pub use stats::{MemoryStats, ReplacedSecrets, StatsScope};
pub use subscriptions::{
    NewSubscription, PatternKind, Subscription, SubscriptionAction, SubscriptionReport, SubscriptionRequest,
    SubscriptionStatus, Suggestion, SuggestionAction, SuggestionItem, SuggestionReport, SuggestionRequest,
    SuggestionStatus, TriggerKind,
};
pub(crate) use subscriptions::{
    NewSuggestion, active_subscriptions, add_suggestion, deliver_suggestions, load_suggestions_after,
    manage_subscriptions, manage_suggestions, newest_suggestion_time, subscription_weight,
};
pub(crate) use summarize::find_unsupported;
pub(crate) use team::manage_team;
pub use team::{SharedItem, TeamAction, TeamFilter, TeamReport};
pub use verify::{OnDisk, SourceCheck, VerificationProblem, VerifyReport};
pub(crate) use verify::{accept_restored, verify};
pub use written_answer::WrittenAnswer;
pub(crate) use written_answer::{has_writer, material_budget, write_answer};

use crate::base::{Author, Clock, StoreScrubber};
use crate::ledger::LedgerContext;
use current_session::RememberedSessions;
use durable::KnownMemories;
use fact::StatedFacts;
use model::{ConversationId, DigestBuilder, MessageId, ProjectId};
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
    /// Who works with it.
    pub(crate) author: Author,
    /// How long leases last.
    pub(crate) leases: LeaseTimes,
    pub(crate) embedder: Option<Arc<dyn LocalEmbedder>>,
    pub(crate) scrubber: Arc<StoreScrubber>,
    pub(crate) recalls: RecallCache,
    pub(crate) message_vectors: MessageVectors,
    /// Memories that were found and are not noted as such yet.
    pub(crate) recalled: RecalledMemories,
    pub(crate) sessions: RememberedSessions,
    /// What was stated in conversations, as far as they were read.
    pub(crate) stated: StatedFacts,
    /// All memories, as they were read last.
    pub(crate) memories: KnownMemories,
}

impl MemoryContext {
    /// A context with nothing kept yet.
    pub(crate) fn new(
        ledger: &Arc<LedgerContext>,
        settings: MemorySettings,
        author: Author,
        embedder: Option<Arc<dyn LocalEmbedder>>,
    ) -> Self {
        Self {
            store: Arc::clone(&ledger.store),
            clock: Arc::clone(&ledger.clock),
            ledger: Arc::clone(ledger),
            settings,
            author,
            leases: LeaseTimes::default(),
            embedder,
            scrubber: Arc::clone(&ledger.scrubber),
            recalls: RecallCache::default(),
            message_vectors: MessageVectors::default(),
            recalled: RecalledMemories::default(),
            sessions: RememberedSessions::default(),
            stated: StatedFacts::default(),
            memories: KnownMemories::default(),
        }
    }
}

impl MemoryContext {
    /// Fails where the user switched conversations off; `what` is what was to be done.
    fn check_enabled(&self, what: &'static str) -> crate::base::Result<()> {
        if self.settings.enabled {
            return Ok(());
        }
        Err(crate::base::Error::Disabled { what, setting: "memory.enabled" })
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

/// What to say where nothing of a project was found and there are other conversations: an answer that looks complete and
/// is not would be worse than none.
async fn note_elsewhere(memory: &MemoryContext, project: &ProjectId) -> crate::base::Result<Option<String>> {
    let known = memory.store.list_conversations().await?;
    let elsewhere = known.iter().filter(|one| one.project.as_ref() != Some(project) && one.messages > 0).count();
    let note =
        || format!("not looked through: {elsewhere} of other projects or of none (within `all` looks there, too)");
    Ok((elsewhere > 0).then(note))
}

/// The first characters of a text, with a mark where more were there.
fn truncate_text(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
