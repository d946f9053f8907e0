//! What the engine does with conversations: the methods of `Engine` that store, import, list, recall, fold, expand and
//! remember.

use crate::base::budget::check_budget;
use crate::memory::{
    AssembleRequest, AssembledContext, CheckpointReport, CheckpointRequest, CompactReport, CompactRequest,
    ConversationList, DecisionReport, DecisionRequest, DescribedItem, EventMessage, EventMoment, ExpandRequest,
    Expansion, ExportedTranscript, FailureRequest, FoundMemory, GrantRequest, GrepReport, GrepRequest, HistoryReport,
    HistoryRequest, ImportReport, ImportRequest, IngestOutcome, IngestRequest, JobOutcome, KnowledgeAction,
    KnowledgeReport, ListRequest, MemoriesRequest, MemoryListing, MemoryLookup, MemoryStats, ProjectionFactory,
    PromoteReport, PromoteRequest, PromptRequest, ReadableTranscript, RecallReport, RecallRequest, ReflectionReport,
    ReflectionRequest, RememberRequest, RememberedText, SessionAction, SessionReport, SessionState, SilentTranscript,
    SkippedConversations, StatsScope, SubscriptionReport, SubscriptionRequest, Suggestion, SuggestionReport,
    SuggestionRequest, TeamAction, TeamReport, TierReport, TierRequest, TranscriptLag, WrittenAnswer,
};
use crate::{BriefingRequest, Engine, Observer, Project, Result, feedback, ledger, memory};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

/// A question to both layers of what is kept: messages, and memories.
#[derive(Clone, Debug)]
pub struct LayeredQuery {
    /// The question to messages, where they are asked.
    pub messages: Option<RecallRequest>,
    /// The question to memories, where they are asked.
    pub memories: Option<MemoryLookup>,
    /// Whether a model shall write an answer from the messages, within their budget.
    pub writes_answer: bool,
}

/// What both layers hold of a question.
#[derive(Clone, Debug, Default)]
pub struct LayeredRecall {
    /// Messages.
    pub messages: RecallReport,
    /// Memories, the best first.
    pub memories: Vec<FoundMemory>,
    /// What was written, where that was asked for.
    pub answer: Option<WrittenAnswer>,
}

/// What a session is to begin with.
#[derive(Clone, Debug)]
pub struct OrientationRequest {
    /// The conversation of the session, of which nothing needs to be told.
    pub conversation: String,
    /// Whether the session goes on where it was: it still has what it was told when it began.
    pub is_resumed: bool,
    /// What is wrong with us, if anything.
    pub health: Option<String>,
    /// What the answer may cost; 0 tells nothing.
    pub tokens: u32,
}

impl Engine {
    /// Stores messages of a conversation, durable when this returns.
    pub async fn ingest_messages(&self, request: IngestRequest) -> Result<Vec<IngestOutcome>> {
        memory::ingest_messages(&self.memory, request).await
    }

    /// Takes transcripts of agents into the archive and their messages into conversations.
    pub async fn import_transcripts(&self, request: ImportRequest, observer: &dyn Observer) -> Result<ImportReport> {
        memory::import(&self.memory, request, observer).await
    }

    /// Which of these transcripts have more than was imported of them.
    pub async fn find_lagging_transcripts(
        &self,
        transcripts: Vec<Arc<dyn ReadableTranscript>>,
    ) -> Result<Vec<TranscriptLag>> {
        memory::find_lagging_transcripts(&self.memory, transcripts).await
    }

    /// Which archived transcripts gave no message.
    pub async fn find_silent_transcripts(&self) -> Result<Vec<SilentTranscript>> {
        memory::find_silent_transcripts(&self.memory).await
    }

    /// Builds the messages of all archived transcripts again, with the projections of this version.
    pub async fn rebuild_messages(
        &self,
        reader: &ProjectionFactory<'_>,
        observer: &dyn Observer,
    ) -> Result<ImportReport> {
        memory::rebuild_messages(&self.memory, reader, observer).await
    }

    /// Hands the bytes of the transcript that a conversation was imported from to `take` until it has enough.
    pub async fn export_transcript(
        &self,
        conversation: &str,
        take: &mut (dyn FnMut(&[u8]) -> ControlFlow<()> + Send),
    ) -> Result<ExportedTranscript> {
        memory::export_transcript(&self.memory, conversation, take).await
    }

    /// The newest messages of a conversation, oldest first.
    pub async fn load_history(&self, request: HistoryRequest) -> Result<HistoryReport> {
        memory::load_history(&self.memory, request).await
    }

    /// The conversations there are, newest first.
    pub async fn list_conversations(&self, request: ListRequest) -> Result<ConversationList> {
        memory::list_conversations(&self.memory, request).await
    }

    /// Decisions that were made in conversations, with reason, alternatives and whether they hold.
    pub async fn find_decisions(&self, request: DecisionRequest) -> Result<DecisionReport> {
        memory::find_decisions(&self.memory, request).await
    }

    /// Makes, shows, sums up, archives or resumes conversations as sessions of a project.
    pub async fn manage_session(&self, project: &Project, action: SessionAction) -> Result<SessionReport> {
        memory::manage_session(&self.memory, project, action).await
    }

    /// Archives conversations that were silent for as long as the settings say, and says how many.
    pub async fn archive_idle_conversations(&self, observer: &dyn Observer) -> Result<u64> {
        memory::archive_idle_conversations(&self.memory, observer).await
    }

    /// Finds the messages that a question is about.
    pub async fn recall_messages(&self, project: &Project, request: RecallRequest) -> Result<RecallReport> {
        memory::recall_messages(&self.memory, project, request).await
    }

    /// Indexes messages for recall where many were stored through this engine since the last question, so that the next
    /// one does not wait for it; whether there were as many.
    pub async fn prepare_recall(&self) -> Result<bool> {
        memory::prepare_recall(&self.memory).await
    }

    /// Finds the messages and the memories that a question is about; a layer that is not asked for is empty.
    pub async fn recall_layers(&self, project: &Project, request: LayeredQuery) -> Result<LayeredRecall> {
        let LayeredQuery { messages, memories, writes_answer } = request;
        let found = match memories {
            Some(lookup) => memory::lookup_memories(&self.memory, project, &lookup).await?,
            None => Vec::new(),
        };
        memory::note_recalled(&self.memory, found.iter().map(|found| &found.memory));
        let mut answer = None;
        let messages = match messages {
            Some(mut request) => {
                let length = request.budget;
                // Where a model writes, the budget is the answer's, and the messages it reads have their own.
                if writes_answer && memory::has_writer(&self.memory) {
                    check_budget(length)?;
                    request.budget = Some(memory::material_budget(&self.memory));
                }
                let mut report = self.recall_messages(project, request.clone()).await?;
                if writes_answer {
                    let written = memory::write_answer(&self.memory, project, &request, length, &mut report);
                    answer = Some(written.await?);
                }
                if report.results.is_empty() {
                    // Nothing is only an answer where nothing is missing. A hook, which says nothing in that case, does
                    // not wait for this.
                    self.memory.store.check_counts(store::CountedRows::Messages).await?;
                }
                report
            }
            None => RecallReport::default(),
        };
        Ok(LayeredRecall { messages, memories: found, answer })
    }

    /// What a session begins with: what its project's conversations left behind, memories, the project itself, and what
    /// is wrong with us. One that goes on is told only what it was not told before.
    pub async fn orient_session(
        &self,
        project: &Project,
        request: OrientationRequest,
        session: &mut SessionState,
    ) -> Result<Option<String>> {
        let OrientationRequest { conversation, is_resumed, health, tokens } = request;
        if tokens == 0 {
            return Ok(None);
        }
        let mut source = memory::load_session_memory(&self.memory, project, &conversation).await?;
        // Another session has its own work; it finds checkpoints by asking.
        if is_resumed {
            source.checkpoint = memory::checkpoint_line(&self.memory, project, &conversation).await?;
        }
        // Indexing is not done while an agent waits.
        let is_ready = self.project_status(project, Vec::new()).await?.index_ready();
        let has_briefing = is_ready && project.is_repository();
        let packer = memory::OrientationPacker::new(tokens, health.as_deref(), source, has_briefing);
        let digest = packer.digest();
        if is_resumed && (digest.is_none() || digest == session.oriented) {
            return Ok(None);
        }
        session.oriented = digest;
        session.injected.extend(packer.told_memories().iter().cloned());
        let briefing = if has_briefing {
            Some(self.build_briefing(project, BriefingRequest { budget: packer.briefing_budget() }).await?)
        } else {
            None
        };
        let page = briefing.as_ref().map(|page| memory::SessionBriefing { files: page.files, text: &page.text });
        Ok(packer.finish(page))
    }

    /// What was said before about a prompt, as far as the session does not know it already.
    pub async fn recall_for_prompt(
        &self,
        project: &Project,
        request: PromptRequest,
        session: &mut SessionState,
    ) -> Result<Option<String>> {
        memory::recall_for_prompt(&self.memory, project, request, session).await
    }

    /// Remembers in a session which facts of its conversation the agent's own summary lost.
    pub async fn compare_compaction(
        &self,
        conversation: &str,
        summary: Option<&str>,
        session: &mut SessionState,
    ) -> Result<()> {
        memory::compare_compaction(&self.memory, conversation, summary, session).await
    }

    /// Stores what an event says, beside other words that are known under the same id.
    pub async fn ingest_event(&self, message: EventMessage) -> Result<()> {
        memory::ingest_event(&self.memory, message).await
    }

    /// Keeps a text for later sessions.
    pub async fn remember_text(&self, project: &Project, request: RememberRequest) -> Result<RememberedText> {
        memory::remember_text(&self.memory, project, request).await
    }

    /// The memories of a project and of its user.
    pub async fn list_memories(&self, project: &Project, request: MemoriesRequest) -> Result<MemoryListing> {
        memory::list_memories(&self.memory, project, request).await
    }

    /// Puts a memory aside, and says how it stood before.
    pub async fn forget_memory(&self, id: &str) -> Result<model::DurableMemory> {
        memory::forget_memory(&self.memory, id).await
    }

    /// Keeps, finds and counts lessons of earlier work.
    pub async fn manage_reflections(&self, project: &Project, request: ReflectionRequest) -> Result<ReflectionReport> {
        memory::manage_reflections(&self.memory, project, request).await
    }

    /// Lists what a team shares, shares memories and decisions, and takes that back.
    pub async fn manage_team(&self, project: &Project, action: TeamAction) -> Result<TeamReport> {
        memory::manage_team(&self.memory, project, action).await
    }

    /// Writes what is shared as files that version control can carry, and shows and accepts those of others.
    pub async fn manage_knowledge(&self, project: &Project, action: KnowledgeAction) -> Result<KnowledgeReport> {
        memory::manage_knowledge(&self.memory, project, action).await
    }

    /// Moves what sessions work with between tiers, and finds it.
    pub async fn manage_tiers(&self, project: &Project, request: TierRequest) -> Result<TierReport> {
        memory::manage_tiers(&self.memory, project, request).await
    }

    /// Keeps, shows, lists and prunes checkpoints of the work.
    pub async fn manage_checkpoints(&self, project: &Project, request: CheckpointRequest) -> Result<CheckpointReport> {
        memory::manage_checkpoints(&self.memory, project, request).await
    }

    /// Makes the checkpoint of an event of a session, where it is one that has one.
    pub async fn note_event(&self, project: &Project, moment: EventMoment<'_>) -> Result<()> {
        memory::note_event(&self.memory, &project.id, moment).await
    }

    /// Adds, lists, rests and ends what sessions want to be told of.
    pub async fn manage_subscriptions(
        &self,
        project: &Project,
        request: SubscriptionRequest,
    ) -> Result<SubscriptionReport> {
        memory::manage_subscriptions(&self.memory, project, request).await
    }

    /// Lists what sessions are to be told, and notes what became of it.
    pub async fn manage_suggestions(&self, project: &Project, request: SuggestionRequest) -> Result<SuggestionReport> {
        memory::manage_suggestions(&self.memory, project, request).await
    }

    /// Pending suggestions for a session, to be told at once: they are noted as told.
    pub async fn deliver_suggestions(&self, project: &Project, session: &str, tokens: u32) -> Result<Option<String>> {
        memory::deliver_suggestions(&self.memory, project, session, tokens).await
    }

    /// Suggestions of a project that were made behind a place, in order.
    pub async fn suggestions_after(&self, project: &Project, number: i64, limit: u32) -> Result<Vec<Suggestion>> {
        memory::load_suggestions_after(&self.memory, &project.id, number, limit).await
    }

    /// What was tried before about an error that a tool met, as far as the session does not know it already.
    pub async fn recall_for_failure(
        &self,
        project: &Project,
        request: FailureRequest,
        session: &mut SessionState,
    ) -> Result<Option<String>> {
        memory::recall_for_failure(&self.memory, project, request, session).await
    }

    /// Makes facts of conversations memories.
    pub async fn promote_facts(
        &self,
        project: &Project,
        request: PromoteRequest,
        observer: &dyn Observer,
    ) -> Result<PromoteReport> {
        memory::promote_facts(&self.memory, project, request, observer).await
    }

    /// Folds conversations: summaries take the place of older messages.
    pub async fn compact_conversations(
        &self,
        request: CompactRequest,
        observer: &dyn Observer,
    ) -> Result<CompactReport> {
        memory::compact_conversations(&self.memory, request, observer).await
    }

    /// What a model is shown of a conversation, within a budget.
    pub async fn assemble_context(&self, request: AssembleRequest) -> Result<AssembledContext> {
        memory::assemble_context(&self.memory, request).await
    }

    /// What a summary covers, down to the exact words.
    pub async fn expand_summary(&self, request: ExpandRequest) -> Result<Expansion> {
        let (id, expansion) = memory::expand(&self.memory, request).await?;
        feedback::note_id(self, "expand", &id).await;
        // A text that was shown in brief and read in full after all has saved nothing, and the ledger takes the saving
        // back.
        for (conversation, shown) in expansion.outputs_of_events() {
            // The cost counts even if the conversation cannot be loaded.
            let of = self.store.load_conversation(conversation).await.ok().flatten();
            let (project, session) = of.map(|of| (of.project, of.name)).unzip();
            ledger::note_again(&self.ledger, project.flatten().as_ref(), session, shown);
        }
        Ok(expansion)
    }

    /// One thing of a conversation by its id.
    pub async fn describe_item(&self, id: &str) -> Result<DescribedItem> {
        memory::describe_item(&self.memory, id).await
    }

    /// Leave for a delegate to expand: gives, shows or takes it back.
    pub async fn manage_grant(&self, request: GrantRequest) -> Result<store::ExpansionGrant> {
        memory::grant(&self.memory, request).await
    }

    /// Asks for the folding of every conversation that holds too much, and says how many they are.
    pub async fn request_folding(&self) -> Result<u64> {
        memory::request_folding(&self.memory).await
    }

    /// Reads conversations of projects for facts whose facts are outdated, a few at once, and says how many it read.
    pub async fn renew_facts(&self, skipped: &mut SkippedConversations, observer: &dyn Observer) -> Result<usize> {
        memory::renew_facts(&self.memory, skipped, observer).await
    }

    /// Requests a check of summaries, contexts and facts, some time from now.
    pub async fn request_look(&self, mode: store::IntegrityMode, from_now: Duration) -> Result<()> {
        memory::request_integrity_check(&self.memory, mode, from_now).await
    }

    /// Does the next job that is due; none when nothing is due.
    pub async fn run_next_job(&self, observer: &dyn Observer) -> Result<Option<JobOutcome>> {
        memory::run_next_job(&self.memory, observer).await
    }

    /// Finds messages by pattern or by words.
    pub async fn grep_messages(&self, request: GrepRequest) -> Result<GrepReport> {
        memory::grep(&self.memory, request).await
    }

    /// What memory holds, how much shorter folding made it, and what it spared readers.
    pub async fn memory_stats(&self, scope: StatsScope) -> Result<MemoryStats> {
        memory::memory_stats(&self.memory, scope).await
    }
}
