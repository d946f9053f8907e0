//! The engine crate: `Engine` has one method for each operation of the product (index, search, recall, import, …).
//! **API boundary**: doors (CLI, MCP, HTTP) convert a request, call one method of [`Engine`], and convert the reply.
//!
//! The engine knows no transport, vendor or database; it reads no environment, home, working directory or clock. What
//! it needs of the world arrives as values in [`Engine::new`] and in each request.

mod across;
mod base;
mod code;
mod conversations;
mod entities;
mod feedback;
mod ledger;
mod memory;
mod project_index;
mod projects;
mod retrieve;
mod status;
mod suggest;
mod upkeep;

pub use across::{
    AskedProject, OfProject, RelationsInProject, analyze_impact_in, build_answer_in, find_relations_in,
    find_symbols_in, search_in,
};
pub use base::{
    Author, BudgetWriter, Clock, Error, ErrorKind, NullObserver, Observer, Project, Result, SeenFinder, SeenRegion,
    SeenReport, SeenTexts, WithheldText,
};
pub use code::critique::{ClaimKind, ClaimSupport, DraftClaim, DraftIssue, IssueKind, IssueSeverity};
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
    AffectedSymbol, AmbiguousReference, CoverageReport, CoverageRequest, CoveredRequirement, DocumentLine,
    DocumentList, DocumentReport, ExportLine, ExportPlace, GraphNeighbour, ImpactReport, ImpactRequest, LinkedPlace,
    LinkedRequirement, MentionKind, NameMention, NamedNode, RelationDirection, RelationKind, RelationsRequest,
    StatedLink, SymbolHit, SymbolRelations, SymbolReport, SymbolRequest, TestFile, TestReason, UnboundTest,
    UnlinkedMentions,
};
pub use code::search::{
    EncodeReport, HitPreview, HitRelation, NameCorrection, QuestionIntent, RankStrategy, RelatedKind, ScorePart,
    SearchFilters, SearchHit, ShownLine,
};
pub use code::symbol_summaries::SummarizeReport;
pub use code::watch::ProjectWatch;
pub use conversations::{LayeredQuery, LayeredRecall, OrientationRequest};
pub use entities::{
    Entity, EntityFilter, EntityLink, EntityLinkRequest, EntityList, EntityRelation, EntityRelations, EntityRequest,
    EntityView, EntityWalkRequest, KeptEntity, KeptLink, NamedEnd, RemovedEntity,
};
pub use ledger::embed::{EmbedRequest, TextCoverage, TextEmbeddings};
pub use ledger::{
    CallFacts, CallInitiative, CallNote, CallSource, Degradation, InjectedText, InjectionLevel, LedgerReport,
    ModeArmReport, ModeReset, ModeSlotReport, ModesReport, OF_EVENT, PriceRow, PriceTable, ProviderSet, ProviderSpend,
    ReplacedText, ReturnsReport, SessionValue, ShownFile, SpendPolicy, SpendReport, SpendSwitch, TokenPrice,
    ValueFormula, ValueGrouping, ValueRequest, ValueTotals, ValuedModel,
};
pub use memory::{
    AcceptedFiles, ArtifactPage, AssembleRequest, AssembledContext, AssembledItem, Checkpoint, CheckpointAction,
    CheckpointReport, CheckpointRequest, CheckpointState, CheckpointTrigger, CompactEffect, CompactReport,
    CompactRequest, CompactRun, ContentSpan, ConversationList, ConversationListing, ConversationSelection,
    CopiedMessages, Decision, DecisionReport, DecisionRequest, DecisionStatus, DescribedFact, DescribedItem,
    DuplicateGroup, EventCoverage, EventDeadlines, EventDeduper, EventFate, EventMessage, EventMoment, ExpandRequest,
    ExpandedItem, ExpandedKind, Expansion, ExportedTranscript, FailureRequest, FoldCheck, FoldMode, FoldPrice,
    FoldProblem, FoldRecord, FoldRemedy, FoundMemory, GrantRequest, GrepFound, GrepMatch, GrepMode, GrepReport,
    GrepRequest, GrepScope, HistoryReport, HistoryRequest, ImportMode, ImportReport, ImportRequest, ImportedTranscript,
    IngestOutcome, IngestRequest, IntegrityReport, JobOutcome, KnowledgeAction, KnowledgeFile, KnowledgeReport,
    KnowledgeStanding, ListRequest, ListedMemory, MemoriesRequest, MemoryAudience, MemoryListing, MemoryLookup,
    MemorySettings, MemoryStats, NewCheckpoint, NewReflection, NewSubscription, NewTierItem, OmittedRange, OnDisk,
    OriginCount, PatternKind, PlanStep, ProjectionFactory, PromoteReport, PromoteRequest, PromotedMemory,
    PromptRequest, RESTORED_HEADING, RULES_HEADING, ReadableTranscript, RecallReport, RecallRequest, RecallScope,
    RecalledFact, RecalledMessage, RecalledNeighbour, RecalledRule, RecalledThread, Reflection, ReflectionAction,
    ReflectionFilter, ReflectionOutcome, ReflectionReport, ReflectionRequest, ReflectionSummary, RememberOutcome,
    RememberRequest, RememberedText, RepairEffect, RepairReport, RepairRequest, RepairedProblem, ReplacedLine,
    ReplacedSecrets, RestoredFacts, ResultLayout, ScoreParts, SecretPurge, SecretScan, SessionAction, SessionListing,
    SessionReport, SessionState, SharedDecision, SharedItem, SilentTranscript, SkippedConversations, SkippedFold,
    SourceCheck, StatsScope, StoredOrigin, StoredSecret, Subscription, SubscriptionAction, SubscriptionReport,
    SubscriptionRequest, SubscriptionStatus, Suggestion, SuggestionAction, SuggestionItem, SuggestionReport,
    SuggestionRequest, SuggestionStatus, SummaryForm, TeamAction, TeamFilter, TeamReport, ThreadStep, TierAction,
    TierItem, TierReport, TierRequest, TierSettings, TierTotal, TranscriptLag, TranscriptStatus, TriggerKind,
    VerificationProblem, VerifyReport, WrittenAnswer, WrittenFile, WrittenStanding, event_message_id, event_messages,
    marks_checkpoint, message_id, messages_have_event, name_in_project, shorten_output, transcript_has_event,
};
pub use project_index::{EmbedReport, IndexReport, IndexRequest, SummarizeRequest};
pub use projects::{
    ConversationTotals, IndexAge, ProjectLink, ProjectList, ProjectListing, ProjectLookup, ProjectPresence,
    ProjectReach, ProjectSetting, SelectedProject, SharedEntity,
};
pub use retrieve::{
    AnswerFormat, AnswerItem, AnswerQuery, ConsultOutcome, ConsultTask, ConversationFilter, CritiqueReport,
    CritiqueRequest, GateDecision, ItemOrigin, ItemPlace, NoteDetail, PackedAnswer, SearchReport, SearchRequest,
    entity_lines, note_lines,
};
pub use status::{ImportLag, ProjectMemory, ProjectStatus};
pub use suggest::ChangeBaseline;

use base::StoreScrubber;
use code::{CodeContext, orient, read, relate, search, watch};
use ledger::{ClosedDays, LedgerContext, LedgerNotes};
use memory::MemoryContext;
use model::scrub::UserRule;
pub use model::{EntityState, ProjectId, SymbolKind};
use providers::{LocalEmbedder, TextEncoder};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use store::Store;
pub use store::{
    CallDoor, CallFigures, CallQuestion, CallTotal, CallWatch, FileIdentity, ModeSlot, RewriteReason, RewriteRecord,
    ToolCall,
};
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
    /// The model whose price spared tokens are counted at, as `vendor/model`.
    pub priced_model: String,
    /// Whether view modes are chosen by what was learned.
    pub adaptive_modes: bool,
    /// Within so many turns a wider reading of the same file takes back what the first one spared.
    pub window_turns: u64,
    /// What is secret besides what the built-in rules find.
    pub sensitive: Vec<UserRule>,
    /// How conversations are folded and shown.
    pub memory: MemorySettings,
    /// Who works with it.
    pub author: Author,
    /// Whether what is used of answers is noted.
    pub feedback: bool,
    /// The folder of files that processes of one user share instead of loading the index each for itself; without it, each
    /// process loads its own. What is in it can be made again.
    pub images: Option<PathBuf>,
}

impl Default for EngineSettings {
    fn default() -> Self {
        Self {
            index: IndexSettings::default(),
            spend: SpendPolicy::default(),
            session: None,
            sensitive: Vec::new(),
            memory: MemorySettings::default(),
            author: Author::default(),
            feedback: true,
            images: None,
            ledger_retention: Duration::from_hours(30 * 24),
            priced_model: "anthropic/claude-sonnet-5".to_owned(),
            adaptive_modes: false,
            window_turns: 5,
        }
    }
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
    entities: entities::EntityCache,
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
            priced_model: settings.priced_model.clone(),
            adaptive_modes: settings.adaptive_modes,
            window_turns: settings.window_turns,
            providers: providers.clone(),
            scrubber: Arc::clone(&scrubber),
            notes: LedgerNotes::default(),
            closed_days: ClosedDays::default(),
        });
        let code = CodeContext::new(
            &ledger,
            settings.index.clone(),
            embedder.clone(),
            encoder.clone(),
            settings.images.clone(),
        );
        let memory = MemoryContext::new(&ledger, settings.memory, settings.author.clone(), embedder.clone());
        let feedback = feedback::FeedbackLog::default();
        let entities = entities::EntityCache::default();
        Engine {
            store,
            clock,
            settings,
            providers,
            embedder,
            encoder,
            scrubber,
            ledger,
            code,
            memory,
            feedback,
            entities,
        }
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

    /// Drops what is kept in memory of worktrees that no question asked about for ten minutes (catalogs, graphs); the next
    /// question loads it again. Says how many values were dropped. For processes that live long, every now and then.
    pub fn release_idle(&self) -> usize {
        self.code.release_idle()
    }

    /// Waits for what is written behind the answers: files that other processes read instead of loading the index. For a
    /// process that ends after one answer.
    pub async fn finish_writes(&self) {
        if let Some(images) = &self.code.images {
            images.finish_writes().await;
        }
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

    /// Compares what a draft claims with the project, and has a model correct it where that is asked for.
    pub async fn critique_draft(&self, project: &Project, request: CritiqueRequest) -> Result<CritiqueReport> {
        retrieve::critique_draft(self, project, request).await
    }

    /// What the code contradicts of a text: each claim, with what shows it. No model is asked.
    pub async fn find_contradicted(&self, project: &Project, text: &str) -> Result<Vec<(String, String)>> {
        retrieve::find_contradicted(self, project, text).await
    }

    /// Reads files, ranges and symbols of a project.
    pub async fn read(&self, project: &Project, request: ReadRequest) -> Result<ReadReply> {
        let reply = read::run(&self.code, project, request).await?;
        feedback::note_read(self, project, &reply).await;
        Ok(reply)
    }

    /// Where a name is defined.
    pub async fn find_symbols(&self, project: &Project, request: SymbolRequest) -> Result<SymbolReport> {
        relate::find_symbols(&self.code, project, request).await
    }

    /// What a symbol is related to and linked with, or how it is joined to another.
    pub async fn find_relations(&self, project: &Project, request: RelationsRequest) -> Result<SymbolRelations> {
        entities::find_relations(self, project, request).await
    }

    /// The documents of a project whose path contains a text: `limit` of them behind the first `skip`.
    pub async fn list_documents(
        &self,
        project: &Project,
        path: Option<&str>,
        skip: usize,
        limit: usize,
    ) -> Result<DocumentList> {
        relate::list_documents(&self.code, project, path, skip, limit).await
    }

    /// What a document says, as it is on disk now, and what it leads to.
    pub async fn describe_document(&self, project: &Project, path: &str) -> Result<DocumentReport> {
        relate::describe_document(&self.code, project, path).await
    }

    /// Which requirements have code and tests.
    pub async fn check_coverage(&self, project: &Project, request: CoverageRequest) -> Result<CoverageReport> {
        relate::check_coverage(&self.code, project, request).await
    }

    /// Keeps an entity that somebody names, or more of one that is known.
    pub async fn add_entity(&self, project: &Project, request: EntityRequest) -> Result<KeptEntity> {
        entities::add_entity(self, project, request).await
    }

    /// Links entities with each other, or with symbols, files and requirements.
    pub async fn link_entities(&self, project: &Project, request: EntityLinkRequest) -> Result<KeptLink> {
        entities::link_entities(self, project, request).await
    }

    /// The entities of a project.
    pub async fn list_entities(&self, project: &Project, filter: EntityFilter) -> Result<EntityList> {
        entities::list_entities(self, project, filter).await
    }

    /// What hangs together with an entity, a symbol, a file or a requirement.
    pub async fn walk_entities(&self, project: &Project, request: EntityWalkRequest) -> Result<EntityRelations> {
        entities::walk_entities(self, project, request).await
    }

    /// Puts an entity with its links, or one link, aside: what was stated is kept, and counts no more.
    pub async fn remove_entity(&self, project: &Project, name: &str) -> Result<RemovedEntity> {
        entities::remove_entity(self, project, name).await
    }

    /// Hands every definition, edge, entity and link of a project to `take` until it has enough.
    pub async fn export_graph(
        &self,
        project: &Project,
        take: &mut (dyn FnMut(ExportLine) -> ControlFlow<()> + Send),
    ) -> Result<()> {
        entities::export_graph(self, project, take).await
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

    /// Notes a dispatch of an operation in the ledger; it costs the caller next to nothing and is written later.
    pub fn note_call(&self, note: CallNote) {
        ledger::note_call(&self.ledger, note);
    }

    /// Notes in the ledger what was injected into a session.
    pub fn note_told(&self, project: &Project, told: InjectedText<'_>) {
        ledger::note_told(&self.ledger, project, told);
    }

    /// How much a session is told without asking, by what it cost and spared lately, and what that comes to in tokens.
    pub async fn injection_level(&self, project: &Project, session: &str) -> Result<(InjectionLevel, i64)> {
        ledger::find_injection_level(&self.ledger, &project.id, session).await
    }

    /// Waits until something is noted that [`Engine::flush_pending`] would write.
    pub async fn wait_for_notes(&self) {
        ledger::wait_for_notes(&self.ledger).await;
    }

    /// What the calls of one session add up to, with the newest of them.
    pub async fn session_value(&self, session: &str, limit: u32) -> Result<SessionValue> {
        ledger::build_session_value(&self.ledger, session, limit).await
    }

    /// Dispatches that were recorded behind a number, by number; the newest where there are more than `limit`.
    pub async fn tool_calls_after(&self, number: i64, limit: u32) -> Result<Vec<ToolCall>> {
        Ok(self.store.tool_calls_after(number, limit).await?)
    }

    /// A watch that notices dispatches of any process.
    pub async fn watch_tool_calls(&self) -> Result<Box<dyn CallWatch>> {
        Ok(self.store.watch_tool_calls().await?)
    }

    /// What was learned of view modes.
    pub async fn modes_report(&self) -> Result<ModesReport> {
        ledger::modes::build_modes_report(&self.ledger).await
    }

    /// Forgets what was learned of view modes.
    pub async fn reset_modes(&self, reset: ModeReset) -> Result<ModesReport> {
        ledger::modes::reset_modes(&self.ledger, reset).await
    }

    /// Writes what was noted for the ledger, and of answers; for doors, when no caller waits for an answer.
    pub async fn flush_pending(&self) {
        // All wait for a quiet moment: a disk sync for each answer would make quick answers slow.
        ledger::flush_notes(&self.ledger).await;
        memory::flush_recalled(&self.memory).await;
        feedback::flush_answers(self).await;
    }

    /// The projects that have an index or conversations, the one that was worked in last first.
    pub async fn list_projects(&self, lookup: ProjectLookup) -> Result<ProjectList> {
        projects::list_projects(self, lookup).await
    }

    /// Keeps what somebody says of a project: what it is called, what it is.
    pub async fn say_of_project(&self, project: &Project, setting: ProjectSetting) -> Result<()> {
        projects::say_of_project(self, project, setting).await
    }

    /// Keeps that a project depends on another, or takes that back. Returns whether anything
    /// changed by it.
    pub async fn link_projects(&self, source: &ProjectId, target: &ProjectId, state: EntityState) -> Result<bool> {
        projects::link_projects(self, source, target, state).await
    }

    /// The links of a listed project through packages: a manifest of one needs what another one publishes.
    pub async fn package_links(&self, list: &ProjectList, project: &ProjectId) -> Result<Vec<ProjectLink>> {
        projects::find_package_links(self, list, project).await
    }

    /// Entities of a project that other projects name, too.
    pub async fn shared_entities(&self, project: &ProjectId) -> Result<Vec<SharedEntity>> {
        projects::shared_entities(self, project).await
    }

    /// The projects of those names, ids or paths; `all` stands for every one that is there.
    pub async fn select_projects(
        &self,
        current: &Project,
        names: &[String],
        reach: &ProjectReach,
    ) -> Result<Vec<SelectedProject>> {
        projects::select_projects(self, current, names, reach).await
    }

    /// An engine with other settings on the same store: for another project, whose own settings say what is indexed of it.
    #[must_use]
    pub fn with_settings(&self, settings: EngineSettings) -> Self {
        let (store, clock, providers) = (Arc::clone(&self.store), Arc::clone(&self.clock), self.providers.clone());
        let (embedder, encoder) = (self.embedder.clone(), self.encoder.clone());
        EngineParts { store, clock, settings, providers, embedder, encoder }.assemble()
    }

    /// What is indexed and stored; `on_disk` are the transcripts that could be imported.
    pub async fn project_status(
        &self,
        project: &Project,
        on_disk: Vec<Arc<dyn ReadableTranscript>>,
    ) -> Result<ProjectStatus> {
        status::collect_status(self, project, on_disk).await
    }
}
