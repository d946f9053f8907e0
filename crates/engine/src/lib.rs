//! Every decision the product makes. **API boundary**: doors convert a request, call one method of [`Engine`], and
//! convert the reply.
//!
//! The engine knows no transport, no vendor and no database; it reads no environment, home, working directory or
//! clock. What it needs of the world arrives as values in [`Engine::new`] and in each request.

mod base;
mod code;
mod feedback;
mod ledger;
mod memory;
mod retrieve;
mod status;

pub use base::{BudgetWriter, Clock, Error, ErrorKind, NullObserver, Observer, Project, Result, beginning_within};
pub use code::git::git_command;
pub use code::index::{EmbedReport, IndexOverrides, IndexReport, IndexRequest, SkippedFile, SummarizeRequest};
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
    EncodeReport, HitExpansion, HitPreview, HitRelation, NameCorrection, QuestionIntent, RankStrategy, ScorePart,
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
    CompactRun, ContentSpan, ConversationListing, ConversationSelection, DescribedItem, ExpandRequest, ExpandedItem,
    ExpandedKind, Expansion, ExportedTranscript, FoldCheck, FoldMode, FoldPrice, FoldProblem, FoldRecord, FoldRemedy,
    GrantRequest, GrepFound, GrepMatch, GrepMode, GrepReport, GrepRequest, GrepScope, HistoryRequest, ImportMode,
    ImportReport, ImportRequest, ImportedTranscript, IngestOutcome, IngestRequest, IntegrityReport, JobOutcome,
    MemorySettings, OmittedRange, OnDisk, ProjectMemory, ProjectMemoryRequest, ProjectionFactory, ReadableTranscript,
    RecallReport, RecallRequest, RecallScope, RecalledMessage, RecalledNeighbour, RepairEffect, RepairReport,
    RepairRequest, RepairedProblem, ReplacedLine, ScoreParts, SilentTranscript, SkippedFold, SourceCheck,
    TranscriptLag, TranscriptStatus, VerificationProblem, VerifyReport, announces_step, is_told, message_id,
    without_label,
};
pub use retrieve::{
    AnswerFormat, AnswerItem, ConsultOutcome, ConsultTask, ContextAnswer, ContextRequest, ConversationFilter,
    GateDecision, ItemOrigin, ItemPlace, NoteDetail, SearchReport, SearchRequest, note_lines,
};
pub use status::{ImportLag, ProjectStatus};

use code::{graph, index, orient, read, relate, search, watch};
pub use model::SymbolKind;
use model::scrub::{Scrubber, UserRule};
use providers::{LocalEmbedder, TextEncoder};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;
pub use store::FileIdentity;
use store::Store;
use tokio::sync::OnceCell;

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
    /// Larger files are found by path and by lines, not parsed.
    pub max_file_bytes: u64,
    /// Extra ignore patterns, in the syntax of `.gitignore`.
    pub ignore: Vec<String>,
    /// If not empty, only files that match one of these patterns are indexed.
    pub include: Vec<String>,
    /// Names of the languages to parse; empty means all.
    pub languages: Vec<String>,
    /// How much of each file is kept.
    pub depth: IndexDepth,
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
            max_file_bytes: 1 << 20,
            ignore: Vec::new(),
            include: Vec::new(),
            languages: Vec::new(),
            depth: IndexDepth::Full,
            spend: SpendPolicy::default(),
            session: None,
            sensitive: Vec::new(),
            memory: MemorySettings::default(),
            feedback: true,
            ledger_retention: Duration::from_hours(30 * 24),
        }
    }
}

/// How much of a file the index keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IndexDepth {
    /// Everything.
    #[default]
    Full,
    /// What it defines, with signatures, documentation, imports and hierarchy; not what its bodies say and call.
    Signatures,
}

/// The product. One value serves any number of callers at once.
pub struct Engine {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    settings: EngineSettings,
    watches: watch::WatchRegistry,
    kept: graph::GraphCaches,
    providers: ProviderSet,
    notes: ledger::LedgerNotes,
    feedback: feedback::FeedbackLog,
    recalls: memory::RecallCache,
    scrubber: OnceCell<Arc<Scrubber>>,
    catalogs: search::CatalogCache,
    enrichments: search::EnrichmentCache,
    message_vectors: memory::MessageVectors,
    embedder: Option<Arc<dyn LocalEmbedder>>,
    encoder: Option<Arc<dyn TextEncoder>>,
    encodings: Arc<search::EncoderQueue>,
}

impl Engine {
    /// Puts an engine together.
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>, settings: EngineSettings) -> Self {
        Self {
            store,
            clock,
            settings,
            watches: watch::WatchRegistry::default(),
            kept: graph::GraphCaches::default(),
            recalls: memory::RecallCache::default(),
            providers: ProviderSet::default(),
            notes: ledger::LedgerNotes::default(),
            feedback: feedback::FeedbackLog::default(),
            // Made on first use: its key comes from the store, and commands that store nothing do not need it.
            scrubber: OnceCell::new(),
            // One for each of a few worktrees that are worked on at once.
            catalogs: search::CatalogCache::new(4),
            enrichments: search::EnrichmentCache::new(4),
            message_vectors: memory::MessageVectors::default(),
            embedder: None,
            encoder: None,
            encodings: Arc::default(),
        }
    }

    /// Adds providers of models. Everything that needs no model works without them.
    pub fn with_providers(self, providers: ProviderSet) -> Self {
        Self { providers, ..self }
    }

    /// Adds a model that embeds texts, for search by meaning. Without it, search goes by words and names.
    #[must_use]
    pub fn with_embedder(self, embedder: Arc<dyn LocalEmbedder>) -> Self {
        Self { embedder: Some(embedder), ..self }
    }

    /// Lets it order the first regions of an answer by a slower and better model, too, which reads them in the background.
    #[must_use]
    pub fn with_encoder(self, encoder: Arc<dyn TextEncoder>) -> Self {
        Self { encoder: Some(encoder), ..self }
    }

    /// Has the encoder read the regions of a project now.
    pub async fn encode_project(&self, project: &Project, observer: &dyn Observer) -> Result<EncodeReport> {
        search::encode_project(self, project, observer).await
    }

    /// Brings the index of a project up to date with the disk.
    pub async fn index_project(
        &self,
        project: &Project,
        request: IndexRequest,
        observer: &dyn Observer,
    ) -> Result<IndexReport> {
        index::run(self, project, request, observer).await
    }

    /// Watches a project, so that bringing its index up to date looks only at what changed.
    pub fn watch_project(&self, project: &Project) -> Result<ProjectWatch> {
        watch::start_watch(self, project)
    }

    /// Waits until a project has a finished index, which it has already or a question makes.
    pub async fn wait_for_index(&self, project: &Project) -> Result<()> {
        watch::wait_for_index(self, project).await
    }

    /// Finds the places of a project that a question is about.
    pub async fn search(&self, project: &Project, request: SearchRequest) -> Result<SearchReport> {
        retrieve::search_project(self, project, request).await
    }

    /// Answers a question with what fits a budget.
    pub async fn build_context(&self, project: &Project, request: ContextRequest) -> Result<ContextAnswer> {
        retrieve::build_context(self, project, request).await
    }

    /// Reads files, ranges and symbols of a project.
    pub async fn read(&self, project: &Project, request: ReadRequest) -> Result<ReadReply> {
        read::run(self, project, request).await
    }

    /// Where a name is defined.
    pub async fn find_symbols(&self, project: &Project, request: SymbolRequest) -> Result<SymbolReport> {
        relate::find_symbols(self, project, request).await
    }

    /// What a symbol is related to, or how it is joined to another.
    pub async fn find_relations(&self, project: &Project, request: RelationsRequest) -> Result<SymbolRelations> {
        relate::find_relations(self, project, request).await
    }

    /// Hands every definition and edge of a project to `take` until it has enough.
    pub async fn export_graph(
        &self,
        project: &Project,
        take: &mut (dyn FnMut(ExportLine) -> ControlFlow<()> + Send),
    ) -> Result<()> {
        relate::export_graph(self, project, take).await
    }

    /// What a change touches.
    pub async fn analyze_impact(&self, project: &Project, request: ImpactRequest) -> Result<ImpactReport> {
        relate::analyze_impact(self, project, request).await
    }

    /// The shape of a project.
    pub async fn build_tree(&self, project: &Project, request: TreeRequest) -> Result<ProjectTree> {
        orient::build_tree(self, project, request).await
    }

    /// One page about a project.
    pub async fn build_briefing(&self, project: &Project, request: BriefingRequest) -> Result<ProjectBriefing> {
        orient::build_briefing(self, project, request).await
    }

    /// Stores messages of a conversation, durable when this returns.
    pub async fn ingest_messages(&self, request: IngestRequest) -> Result<Vec<IngestOutcome>> {
        memory::ingest_messages(self, request).await
    }

    /// Takes transcripts of agents into the archive and their messages into conversations.
    pub async fn import_transcripts(&self, request: ImportRequest, observer: &dyn Observer) -> Result<ImportReport> {
        memory::import(self, request, observer).await
    }

    /// Which of these transcripts have more than was imported of them.
    pub async fn find_lagging_transcripts(
        &self,
        transcripts: Vec<Arc<dyn ReadableTranscript>>,
    ) -> Result<Vec<TranscriptLag>> {
        memory::find_lagging_transcripts(self, transcripts).await
    }

    /// Which archived transcripts gave no message.
    pub async fn find_silent_transcripts(&self) -> Result<Vec<SilentTranscript>> {
        memory::find_silent_transcripts(self).await
    }

    /// Builds the messages of all archived transcripts again, with the projections of this version.
    pub async fn rebuild_messages(
        &self,
        reader: &ProjectionFactory<'_>,
        observer: &dyn Observer,
    ) -> Result<ImportReport> {
        memory::rebuild_messages(self, reader, observer).await
    }

    /// Hands the bytes of the transcript that a conversation was imported from to `take` until it has enough.
    pub async fn export_transcript(
        &self,
        conversation: &str,
        take: &mut (dyn FnMut(&[u8]) -> ControlFlow<()> + Send),
    ) -> Result<ExportedTranscript> {
        memory::export_transcript(self, conversation, take).await
    }

    /// The newest messages of a conversation, oldest first.
    pub async fn load_history(&self, request: HistoryRequest) -> Result<Vec<model::Message>> {
        memory::load_history(self, request).await
    }

    /// The conversations there are, newest first.
    pub async fn list_conversations(&self, limit: u32) -> Result<Vec<ConversationListing>> {
        memory::list_conversations(self, limit).await
    }

    /// Finds the messages that a question is about.
    pub async fn recall_messages(&self, project: &Project, request: RecallRequest) -> Result<RecallReport> {
        memory::recall_messages(self, project, request).await
    }

    /// What all conversations about a project hold for certain.
    pub async fn project_memory(
        &self,
        project: &Project,
        request: ProjectMemoryRequest,
    ) -> Result<Option<ProjectMemory>> {
        memory::project_memory(self, project, request).await
    }

    /// Folds conversations: summaries take the place of older messages.
    pub async fn compact_conversations(
        &self,
        request: CompactRequest,
        observer: &dyn Observer,
    ) -> Result<CompactReport> {
        memory::compact_conversations(self, request, observer).await
    }

    /// What a model is shown of a conversation, within a budget.
    pub async fn assemble_context(&self, request: AssembleRequest) -> Result<AssembledContext> {
        memory::assemble_context(self, request).await
    }

    /// What a summary covers, down to the exact words.
    pub async fn expand_summary(&self, request: ExpandRequest) -> Result<Expansion> {
        let expansion = memory::expand(self, request).await?;
        // A text that was shown in brief and read in full after all has saved nothing, and the ledger takes the saving
        // back.
        ledger::note_again(self, &expansion).await;
        Ok(expansion)
    }

    /// One thing of a conversation by its id.
    pub async fn describe_item(&self, id: &str) -> Result<DescribedItem> {
        memory::describe_item(self, id).await
    }

    /// Leave for a delegate to expand: gives, shows or takes it back.
    pub async fn manage_grant(&self, request: GrantRequest) -> Result<store::ExpansionGrant> {
        memory::grant(self, request).await
    }

    /// Asks for the folding of every conversation that holds too much, and says how many they are.
    pub async fn request_folding(&self) -> Result<u64> {
        memory::request_folding(self).await
    }

    /// Requests a check of summaries, contexts and facts, some time from now.
    pub async fn request_look(&self, mode: store::IntegrityMode, from_now: Duration) -> Result<()> {
        memory::request_integrity_check(self, mode, from_now).await
    }

    /// Does the next job that is due; none when nothing is due.
    pub async fn run_next_job(&self, observer: &dyn Observer) -> Result<Option<JobOutcome>> {
        memory::run_next_job(self, observer).await
    }

    /// Finds messages by pattern or by words.
    pub async fn grep_messages(&self, request: GrepRequest) -> Result<GrepReport> {
        memory::grep(self, request).await
    }

    /// The vectors of texts, all of one model.
    pub async fn embed_texts(
        &self,
        project: &Project,
        request: EmbedRequest,
        observer: &dyn Observer,
    ) -> Result<TextEmbeddings> {
        ledger::embed::embed_texts(self, project, request, observer).await
    }

    /// What the ledger says was saved and spent, and what may be spent.
    pub async fn ledger_report(&self, request: ValueRequest) -> Result<LedgerReport> {
        ledger::build_ledger_report(self, request).await
    }

    /// Stops all model calls of all users of this store, or allows them again.
    pub async fn switch_spending(&self, switch: SpendSwitch) -> Result<()> {
        ledger::switch_spending(self, switch).await
    }

    /// Notes in the ledger what was injected into a session.
    pub async fn note_told(&self, project: &Project, told: InjectedText<'_>) {
        ledger::note_told(self, project, told).await;
    }

    /// Writes what was noted for the ledger, and of answers; for doors, when no caller waits for an answer.
    pub async fn flush_pending(&self) {
        // Both wait for a quiet moment: a disk sync for each answer would make quick answers slow.
        ledger::flush_notes(self).await;
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

    /// Proves that nothing stored is missing or changed.
    pub async fn verify(&self, observer: &dyn Observer) -> Result<VerifyReport> {
        memory::verify(self, observer).await
    }

    /// Mends summaries, contexts and facts that do not fit together, or says how it would.
    pub async fn repair(&self, request: RepairRequest, observer: &dyn Observer) -> Result<RepairReport> {
        memory::repair(self, request, observer).await
    }
}
