//! The engine crate: `Engine` has one method for each operation of the product (index, search, recall, import, …).
//! **API boundary**: doors (CLI, MCP, HTTP) convert a request, call one method of [`Engine`], and convert the reply.
//!
//! The engine knows no transport, vendor or database; it reads no environment, home, working directory or clock. What
//! it needs of the world arrives as values in [`Engine::new`] and in each request.

mod base;
mod code;
mod feedback;
mod ledger;
mod memory;
mod project_index;
mod retrieve;
mod status;
mod upkeep;

pub use base::{BudgetWriter, Clock, Error, ErrorKind, NullObserver, Observer, Project, Result, beginning_within};
pub use code::git::git_command;
pub use code::index::{IndexDepth, IndexOverrides, IndexSettings, SkippedFile};
pub use code::orient::{
    BriefingRequest, EntryPoint, LanguageShare, ProjectBriefing, ProjectCommand, ProjectTree, SkeletonEfficiency,
    TokenSaving, TreeCaps, TreeMode, TreeRequest,
};
pub use code::read::{
    Freshness, ModeChoice, OmissionReason, OmittedTarget, ReadItem, ReadReply, ReadRequest, ViewMode,
};
pub use code::relate::{
    AffectedSymbol, AmbiguousReference, ExportLine, ExportPlace, GraphNeighbour, ImpactReport, ImpactRequest,
    NamedNode, RelationDirection, RelationKind, RelationsRequest, SymbolHit, SymbolRelations, SymbolReport,
    SymbolRequest,
};
pub use code::search::{
    EncodeReport, HitPreview, HitRelation, NameCorrection, QuestionIntent, RankStrategy, RelatedKind, ScorePart,
    SearchFilters, SearchHit, ShownLine,
};
pub use code::symbol_summaries::SummarizeReport;
pub use code::watch::ProjectWatch;
pub use ledger::embed::{EmbedRequest, TextCoverage, TextEmbeddings};
pub use ledger::{
    CallInitiative, Degradation, InjectedText, LedgerReport, OF_EVENT, PriceRow, PriceTable, ProviderSet,
    ProviderSpend, SpendPolicy, SpendReport, SpendSwitch, TokenPrice, ValueRequest,
};
pub use memory::{
    ArtifactPage, AssembleRequest, AssembledContext, AssembledItem, CompactEffect, CompactReport, CompactRequest,
    CompactRun, ContentSpan, ConversationList, ConversationListing, ConversationSelection, Decision, DecisionReport,
    DecisionRequest, DecisionStatus, DescribedFact, DescribedItem, DuplicateGroup, EventCoverage, EventDeadlines,
    EventDeduper, EventFate, EventMessage, ExpandRequest, ExpandedItem, ExpandedKind, Expansion, ExportedTranscript,
    FoldCheck, FoldMode, FoldPrice, FoldProblem, FoldRecord, FoldRemedy, FoundMemory, GrantRequest, GrepFound,
    GrepMatch, GrepMode, GrepReport, GrepRequest, GrepScope, HistoryRequest, ImportMode, ImportReport, ImportRequest,
    ImportedTranscript, IngestOutcome, IngestRequest, IntegrityReport, JobOutcome, ListRequest, ListedMemory,
    MemoriesRequest, MemoryAudience, MemoryListing, MemoryLookup, MemorySettings, MemoryStats, OmittedRange, OnDisk,
    OriginCount, ProjectionFactory, PromoteReport, PromoteRequest, PromotedMemory, PromptRequest, RESTORED_HEADING,
    RULES_HEADING, ReadableTranscript, RecallReport, RecallRequest, RecallScope, RecalledFact, RecalledMessage,
    RecalledNeighbour, RecalledRule, RecalledThread, RememberOutcome, RememberRequest, RememberedText, RepairEffect,
    RepairReport, RepairRequest, RepairedProblem, ReplacedLine, RestoredFacts, ResultLayout, ScoreParts, SecretPurge,
    SecretScan, SessionAction, SessionListing, SessionReport, SessionState, SilentTranscript, SkippedFold, SourceCheck,
    StoredOrigin, StoredSecret, SummaryForm, ThreadStep, TranscriptLag, TranscriptStatus, VerificationProblem,
    VerifyReport, event_message_id, event_messages, message_id, messages_have_event, name_in_project, shorten_output,
    transcript_has_event,
};
pub use project_index::{EmbedReport, IndexReport, IndexRequest, SummarizeRequest};
pub use retrieve::{
    AnswerFormat, AnswerItem, AnswerQuery, ConsultOutcome, ConsultTask, ConversationFilter, GateDecision, ItemOrigin,
    ItemPlace, NoteDetail, PackedAnswer, SearchReport, SearchRequest, note_lines,
};
pub use status::{ImportLag, ProjectStatus};

use base::StoreScrubber;
use code::{CodeContext, orient, read, relate, search, watch};
use ledger::{LedgerContext, LedgerNotes};
use memory::MemoryContext;
pub use model::SymbolKind;
use model::scrub::UserRule;
use providers::{LocalEmbedder, TextEncoder};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;
use store::Store;
pub use store::{FileIdentity, RewriteReason, RewriteRecord};
pub use upkeep::ForgottenProject;

/// A language whose files are parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedLanguage {
    /// Its name.
    pub name: String,
    /// How its files are called, as patterns.
    pub files: Vec<String>,
}

/// Every language whose files are parsed, by name.
pub fn parsed_languages() -> Vec<ParsedLanguage> {
    let describe = |language: &syntax::Language| ParsedLanguage {
        name: language.name().to_owned(),
        files: language.file_extensions().map(|extension| format!("`*.{extension}`")).collect(),
    };
    syntax::all_languages().map(describe).collect()
}

/// Settings of the engine.
#[derive(Clone, Debug)]
pub struct EngineSettings {
    /// Which files are indexed, and how.
    pub index: IndexSettings,
    /// What model calls may cost.
    pub spend: SpendPolicy,
    /// The conversation, or the run of an agent, that calls and entries of the ledger belong to.
    pub session: Option<String>,
    /// How long entries of the ledger are kept; their totals stay.
    pub ledger_retention: Duration,
    /// What is secret besides what the built-in rules find.
    pub sensitive: Vec<UserRule>,
    /// How conversations are folded and shown.
    pub memory: MemorySettings,
    /// Whether what is used of answers is noted.
    pub feedback: bool,
}

impl Default for EngineSettings {
    fn default() -> Self {
        Self {
            index: IndexSettings::default(),
            spend: SpendPolicy::default(),
            session: None,
            sensitive: Vec::new(),
            memory: MemorySettings::default(),
            feedback: true,
            ledger_retention: Duration::from_hours(30 * 24),
        }
    }
}

/// A question to both layers of what is kept: messages, and memories.
#[derive(Clone, Debug)]
pub struct LayeredQuery {
    /// The question to messages, where they are asked.
    pub messages: Option<RecallRequest>,
    /// The question to memories, where they are asked.
    pub memories: Option<MemoryLookup>,
}

/// What both layers hold of a question.
#[derive(Clone, Debug, Default)]
pub struct LayeredRecall {
    /// Messages.
    pub messages: RecallReport,
    /// Memories, the best first.
    pub memories: Vec<FoundMemory>,
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

/// The product. One value serves any number of callers at once.
pub struct Engine {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    settings: EngineSettings,
    providers: ProviderSet,
    embedder: Option<Arc<dyn LocalEmbedder>>,
    encoder: Option<Arc<dyn TextEncoder>>,
    scrubber: Arc<StoreScrubber>,
    ledger: Arc<LedgerContext>,
    code: CodeContext,
    memory: MemoryContext,
    feedback: feedback::FeedbackLog,
}

/// What an engine is put together from.
struct EngineParts {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    settings: EngineSettings,
    providers: ProviderSet,
    embedder: Option<Arc<dyn LocalEmbedder>>,
    encoder: Option<Arc<dyn TextEncoder>>,
}

impl EngineParts {
    /// Gives every layer what it works with.
    fn assemble(self) -> Engine {
        let Self { store, clock, settings, providers, embedder, encoder } = self;
        let scrubber = Arc::new(StoreScrubber::new(Arc::clone(&store), settings.sensitive.clone()));
        let ledger = Arc::new(LedgerContext {
            store: Arc::clone(&store),
            clock: Arc::clone(&clock),
            spend: settings.spend.clone(),
            session: settings.session.clone(),
            retention: settings.ledger_retention,
            providers: providers.clone(),
            scrubber: Arc::clone(&scrubber),
            notes: LedgerNotes::default(),
        });
        let code = CodeContext::new(&ledger, settings.index.clone(), embedder.clone(), encoder.clone());
        let memory = MemoryContext::new(&ledger, settings.memory, embedder.clone());
        let feedback = feedback::FeedbackLog::default();
        Engine { store, clock, settings, providers, embedder, encoder, scrubber, ledger, code, memory, feedback }
    }
}

impl Engine {
    /// Puts an engine together.
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>, settings: EngineSettings) -> Self {
        let providers = ProviderSet::default();
        EngineParts { store, clock, settings, providers, embedder: None, encoder: None }.assemble()
    }

    /// Adds providers of models. Everything that needs no model works without them.
    pub fn with_providers(self, providers: ProviderSet) -> Self {
        EngineParts { providers, ..self.into_parts() }.assemble()
    }

    /// Adds a model that embeds texts, for search by meaning. Without it, search goes by words and names.
    #[must_use]
    pub fn with_embedder(self, embedder: Arc<dyn LocalEmbedder>) -> Self {
        EngineParts { embedder: Some(embedder), ..self.into_parts() }.assemble()
    }

    /// Lets it order the first regions of an answer by a slower and better model, too, which reads them in the background.
    #[must_use]
    pub fn with_encoder(self, encoder: Arc<dyn TextEncoder>) -> Self {
        EngineParts { encoder: Some(encoder), ..self.into_parts() }.assemble()
    }

    fn into_parts(self) -> EngineParts {
        let Self { store, clock, settings, providers, embedder, encoder, .. } = self;
        EngineParts { store, clock, settings, providers, embedder, encoder }
    }

    /// Has the encoder read the regions of a project now.
    pub async fn encode_project(&self, project: &Project, observer: &dyn Observer) -> Result<EncodeReport> {
        search::encode_project(&self.code, project, observer).await
    }

    /// Brings the index of a project up to date with the disk.
    pub async fn index_project(
        &self,
        project: &Project,
        request: IndexRequest,
        observer: &dyn Observer,
    ) -> Result<IndexReport> {
        project_index::index_project(self, project, request, observer).await
    }

    /// Watches a project, so that bringing its index up to date looks only at what changed.
    pub fn watch_project(&self, project: &Project) -> Result<ProjectWatch> {
        watch::start_watch(&self.code, project)
    }

    /// Waits until a project has a finished index, which it has already or a question makes.
    pub async fn wait_for_index(&self, project: &Project) -> Result<()> {
        watch::wait_for_index(&self.code, project).await
    }

    /// Finds the places of a project that a question is about.
    pub async fn search(&self, project: &Project, request: SearchRequest) -> Result<SearchReport> {
        retrieve::search_project(self, project, request).await
    }

    /// Answers a question with what fits a budget.
    pub async fn build_answer(&self, project: &Project, request: AnswerQuery) -> Result<PackedAnswer> {
        retrieve::build_answer(self, project, request).await
    }

    /// Reads files, ranges and symbols of a project.
    pub async fn read(&self, project: &Project, request: ReadRequest) -> Result<ReadReply> {
        let reply = read::run(&self.code, project, request).await?;
        let (shown, raw) = reply.view_tokens();
        ledger::note_view(&self.ledger, project, shown, raw).await;
        feedback::note_read(self, project, &reply).await;
        Ok(reply)
    }

    /// Where a name is defined.
    pub async fn find_symbols(&self, project: &Project, request: SymbolRequest) -> Result<SymbolReport> {
        relate::find_symbols(&self.code, project, request).await
    }

    /// What a symbol is related to, or how it is joined to another.
    pub async fn find_relations(&self, project: &Project, request: RelationsRequest) -> Result<SymbolRelations> {
        relate::find_relations(&self.code, project, request).await
    }

    /// Hands every definition and edge of a project to `take` until it has enough.
    pub async fn export_graph(
        &self,
        project: &Project,
        take: &mut (dyn FnMut(ExportLine) -> ControlFlow<()> + Send),
    ) -> Result<()> {
        relate::export_graph(&self.code, project, take).await
    }

    /// What a change touches.
    pub async fn analyze_impact(&self, project: &Project, request: ImpactRequest) -> Result<ImpactReport> {
        relate::analyze_impact(&self.code, project, request).await
    }

    /// The shape of a project.
    pub async fn build_tree(&self, project: &Project, request: TreeRequest) -> Result<ProjectTree> {
        orient::build_tree(&self.code, project, request).await
    }

    /// One page about a project.
    pub async fn build_briefing(&self, project: &Project, request: BriefingRequest) -> Result<ProjectBriefing> {
        orient::build_briefing(&self.code, project, request).await
    }

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
    pub async fn load_history(&self, request: HistoryRequest) -> Result<Vec<model::Message>> {
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

    /// Archives conversations in which nobody spoke for as long as the settings say, and says how many.
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
        let LayeredQuery { messages, memories } = request;
        let found = match memories {
            Some(lookup) => memory::lookup_memories(&self.memory, project, &lookup).await?,
            None => Vec::new(),
        };
        memory::note_recalled(&self.memory, found.iter().map(|found| &found.memory));
        let messages = match messages {
            Some(request) => {
                let report = self.recall_messages(project, request).await?;
                if report.results.is_empty() {
                    // Nothing is only an answer where nothing is missing. A hook, which says nothing in that case, does
                    // not wait for this.
                    self.memory.store.check_counts(store::CountedRows::Messages).await?;
                }
                report
            }
            None => RecallReport::default(),
        };
        Ok(LayeredRecall { messages, memories: found })
    }

    /// What a session begins with: what its project's conversations left behind, memories, the project itself, and what is
    /// wrong with us. One that goes on is told only what it was not told before.
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
        let source = memory::load_session_memory(&self.memory, project, &conversation).await?;
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
            ledger::note_again(&self.ledger, project.flatten().as_ref(), session, shown).await;
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

    /// The vectors of texts, all of one model.
    pub async fn embed_texts(
        &self,
        project: &Project,
        request: EmbedRequest,
        observer: &dyn Observer,
    ) -> Result<TextEmbeddings> {
        ledger::embed::embed_texts(&self.ledger, project, request, observer).await
    }

    /// What the ledger says was saved and spent, and what may be spent.
    pub async fn ledger_report(&self, request: ValueRequest) -> Result<LedgerReport> {
        ledger::build_ledger_report(&self.ledger, request).await
    }

    /// Stops all model calls of all users of this store, or allows them again.
    pub async fn switch_spending(&self, switch: SpendSwitch) -> Result<()> {
        ledger::switch_spending(&self.ledger, switch).await
    }

    /// Notes in the ledger what was injected into a session.
    pub async fn note_told(&self, project: &Project, told: InjectedText<'_>) {
        ledger::note_told(&self.ledger, project, told).await;
    }

    /// Writes what was noted for the ledger, and of answers; for doors, when no caller waits for an answer.
    pub async fn flush_pending(&self) {
        // All wait for a quiet moment: a disk sync for each answer would make quick answers slow.
        ledger::flush_notes(&self.ledger).await;
        memory::flush_recalled(&self.memory).await;
        feedback::flush_answers(self).await;
    }

    /// What is indexed and stored; `on_disk` are the transcripts that could be imported.
    pub async fn project_status(
        &self,
        project: &Project,
        on_disk: Vec<Arc<dyn ReadableTranscript>>,
    ) -> Result<ProjectStatus> {
        status::collect_status(self, project, on_disk).await
    }

    /// What memory holds, and how much shorter folding made it.
    pub async fn memory_stats(&self) -> Result<MemoryStats> {
        memory::memory_stats(&self.memory).await
    }
}
