//! Builds the running application (`App`) from the configuration: opens the store and puts engine, providers and clock
//! together. No other file knows which of them run.

mod other_projects;
mod providers;

use crate::config::{AppDirectories, Config, LoadedConfig, schema};
use crate::errors::{AppError, ErrorClass};
use crate::ops::OperationCall;
use crate::transcripts::LocalTranscripts;
use ::providers::BuiltinEncoder;
use ::providers::vendors::builtin::BuiltinEmbedder;
use engine::{
    Author, Clock, Engine, EngineSettings, IndexSettings, Observer, PriceRow, PriceTable, Project, ProviderSet,
    SeenFinder, SpendPolicy,
};
use model::Timestamp;
pub(crate) use other_projects::{OtherProjects, ReachedProject};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use store::postgres::PostgresStore;
pub(crate) use store::postgres::{AppRole, InitReport};
use store::sqlite::{SalvageSink, SqliteStore, UnreadableItem, salvage_files};
use store::{BackupRecord, SpendAmount, SpendLimits, Store};

/// What every door works with, for one tenant.
pub(crate) struct App {
    pub(crate) engine: Engine,
    pub(crate) config: Config,
    pub(crate) directories: AppDirectories,
    /// The project this process was started for.
    pub(crate) project: Project,
    /// Whom the engine may ask, in order.
    pub(crate) providers: ProviderSet,
    /// Transcripts to import on this machine; `None` for callers from other machines.
    transcripts: Option<Arc<LocalTranscripts>>,
    /// The other projects that a question may name.
    others: Arc<OtherProjects>,
    database: StoreBackend,
}

/// The store that runs, before a tenant is chosen. Clones share connections.
#[derive(Clone)]
enum StoreBackend {
    /// One file is one tenant.
    Embedded(Arc<SqliteStore>),
    Server(PostgresStore),
}

/// Opens the configured store and puts the engine on it.
pub(crate) async fn open_app(loaded: LoadedConfig, project: Project) -> Result<App, AppError> {
    let LoadedConfig { config, directories, credentials, environment, .. } = loaded;
    #[cfg(debug_assertions)]
    // Only tests set it: the process stops at a point in the middle of a write, and the test kills it there.
    if let Some(point) = environment.nonempty_variable("EPITOME_HOLD") {
        let armed = store::failpoints::arm_failpoint(&point.to_string_lossy());
        armed.map_err(|why| AppError::new(ErrorClass::Usage, "hold", format!("cannot hold the process: {why}")))?;
    }
    let database = match config.database.url.postgres_url() {
        None => {
            let folder = config.database.embedded_folder(&directories.data);
            let opened = SqliteStore::open_anchored(folder, &directories.cache, &directories.state);
            StoreBackend::Embedded(Arc::new(opened.map_err(store_error)?))
        }
        Some(url) => {
            let connections = config.database.pool_size as usize;
            let connected = PostgresStore::connect(url, connections).await.map_err(store_error)?;
            let anchored = connected.anchored_in(&directories.state);
            StoreBackend::Server(match config.database.owner_url.postgres_url() {
                Some(owner) => anchored.with_owner(owner).map_err(store_error)?,
                None => anchored,
            })
        }
    };
    let started = Instant::now();
    // A monotonic clock, since the pauses of providers must not end early when the wall clock is set back.
    let ticks: ::providers::MonotonicClock = Arc::new(move || started.elapsed());
    let providers = providers::build_providers(&config.providers, &credentials, &ticks);
    let engine = build_engine(database.for_tenant(&config.database.tenant)?, &config, &directories, providers.clone());
    let others = Arc::new(OtherProjects::new(environment.clone()));
    let transcripts = Some(Arc::new(LocalTranscripts::new(directories.clone(), environment)));
    Ok(App { engine, config, directories, project, providers, transcripts, others, database })
}

impl App {
    /// The context of a call to an operation.
    pub(crate) fn build_call<'a>(&'a self, observer: &'a dyn Observer) -> OperationCall<'a> {
        let engine = &self.engine;
        let project = &self.project;
        let config = &self.config;
        let transcripts = self.transcripts.as_deref();
        let others = &*self.others;
        OperationCall { engine, project, config, transcripts, others, observer, seen: SeenFinder::default() }
    }

    /// The same for callers over the network, who may not read files of this machine.
    /// They may name no project besides this one, unless it lies in one of `served`.
    pub(crate) fn for_remote_callers(self, served: Vec<PathBuf>) -> Self {
        let others = Arc::new(self.others.limited_to(served));
        Self { transcripts: None, others, ..self }
    }

    /// The same for an agent on this machine, which may have transcripts imported from the folders that it is allowed.
    pub(crate) fn for_agents(self) -> Self {
        let transcripts =
            self.transcripts.as_ref().map(|known| Arc::new(known.for_agents(&self.config.import.folders)));
        Self { transcripts, ..self }
    }

    /// The transcripts of this machine, where its callers are on it.
    pub(crate) fn local_transcripts(&self) -> Option<Arc<LocalTranscripts>> {
        self.transcripts.clone()
    }

    /// Whether its callers are on other machines.
    pub(crate) fn is_for_remote_callers(&self) -> bool {
        self.transcripts.is_none()
    }

    /// Whether this is what those settings lead to.
    pub(crate) fn uses_database(&self, database: &schema::DatabaseConfig) -> bool {
        let ours = &self.config.database;
        (&ours.url, &ours.tenant, &ours.folder) == (&database.url, &database.tenant, &database.folder)
    }

    /// Another project with its settings, on the same store.
    pub(crate) fn for_project(&self, loaded: LoadedConfig, project: Project) -> Result<Self, AppError> {
        let LoadedConfig { config, directories, environment, .. } = loaded;
        let engine = build_engine(
            self.database.for_tenant(&config.database.tenant)?,
            &config,
            &directories,
            self.providers.clone(),
        );
        let others = Arc::new(OtherProjects::new(environment.clone()));
        let transcripts = Some(Arc::new(LocalTranscripts::new(directories.clone(), environment)));
        let providers = self.providers.clone();
        let database = self.database.clone();
        Ok(Self { engine, config, directories, project, providers, transcripts, others, database })
    }

    /// The same, as a member of a tenant sees it; without a name, what they keep is for all of the tenant.
    pub(crate) fn for_tenant(&self, tenant: &str, member: &str) -> Result<Self, AppError> {
        let mut config = self.config.clone();
        member.clone_into(&mut config.memory.author);
        Ok(Self {
            engine: build_engine(self.database.for_tenant(tenant)?, &config, &self.directories, self.providers.clone()),
            config,
            directories: self.directories.clone(),
            project: self.project.clone(),
            providers: self.providers.clone(),
            transcripts: self.transcripts.clone(),
            // Engines of one tenant must not answer another.
            others: Arc::new(self.others.emptied()),
            database: self.database.clone(),
        })
    }
}

impl StoreBackend {
    fn for_tenant(&self, tenant: &str) -> Result<Arc<dyn Store>, AppError> {
        Ok(match self {
            Self::Embedded(store) => Arc::clone(store) as Arc<dyn Store>,
            Self::Server(store) => Arc::new(store.for_tenant(tenant).map_err(store_error)?),
        })
    }
}

fn store_error(error: store::Error) -> AppError {
    AppError::from(engine::Error::from(error))
}

/// Hands out what can be read of a damaged embedded store, and returns what cannot.
pub(crate) fn salvage_store(
    loaded: &LoadedConfig,
    take: &mut SalvageSink<'_>,
) -> Result<Vec<UnreadableItem>, AppError> {
    if loaded.config.database.url.postgres_url().is_some() {
        let message = "salvage reads the files of the embedded store; this store is PostgreSQL";
        return Err(AppError::new(ErrorClass::Usage, "salvage", message)
            .with_hint("pg_dump and the recovery tools of PostgreSQL read a damaged server"));
    }
    let folder = loaded.config.database.embedded_folder(&loaded.directories.data);
    salvage_files(folder, &loaded.directories.state, take).map_err(|error| {
        AppError::new(ErrorClass::Unavailable, "salvage", format!("cannot salvage {}: {error}", folder.display()))
    })
}

impl App {
    /// Writes a backup of everything that is stored into a new file.
    pub(crate) async fn write_backup(&self, file: &Path) -> Result<BackupRecord, AppError> {
        match &self.database {
            StoreBackend::Embedded(store) => {
                let program = env!("CARGO_PKG_VERSION");
                store.write_backup(file, program, current_time()).await.map_err(store_error)
            }
            StoreBackend::Server(store) => {
                let store = store.for_tenant(&self.config.database.tenant).map_err(store_error)?;
                store.write_backup(file, env!("CARGO_PKG_VERSION"), current_time()).await.map_err(store_error)
            }
        }
    }
}

/// Puts a backup in the place of the embedded store, where what is there already is moved aside if that is allowed, or
/// into an empty tenant of a PostgreSQL database. Gives what the backup is, and where the store that was there is now.
pub(crate) async fn unpack_backup(
    loaded: &LoadedConfig,
    file: &Path,
    replaces: bool,
) -> Result<(BackupRecord, Option<PathBuf>), AppError> {
    let database = &loaded.config.database;
    if let Some(url) = database.url.postgres_url() {
        let mut store = PostgresStore::connect(url, 1).await.map_err(store_error)?;
        if let Some(owner) = database.owner_url.postgres_url() {
            store = store.with_owner(owner).map_err(store_error)?;
        }
        let store = store.for_tenant(&database.tenant).map_err(store_error)?;
        return Ok((store.load_backup(file).await.map_err(store_error)?, None));
    }
    let data = loaded.config.database.embedded_folder(&loaded.directories.data);
    // Read first: a file that is no backup must not move anything aside.
    SqliteStore::check_backup(file).map_err(store_error)?;
    let aside = if data.join("epitome.db").exists() {
        if !replaces {
            let message = format!("there is a store already in {}", data.display());
            return Err(AppError::new(ErrorClass::Usage, "store_exists", message)
                .with_hint("--replace moves it aside, whole, and puts the backup in its place"));
        }
        let name = format!("replaced-{}", current_time().0);
        Some(SqliteStore::set_aside(data, &name).map_err(store_error)?)
    } else {
        None
    };
    Ok((SqliteStore::unpack_backup(file, data).map_err(store_error)?, aside))
}

/// Makes a PostgreSQL database ready for a role with few rights, and gives the URL to connect with.
pub(crate) async fn init_database(admin_url: &str, role: AppRole) -> Result<InitReport, AppError> {
    PostgresStore::init(admin_url, &role).await.map_err(store_error)
}

/// The URL for one tenant of a PostgreSQL database, which opens no other.
pub(crate) async fn tenant_url(admin_url: &str, role: AppRole, tenant: &str) -> Result<String, AppError> {
    PostgresStore::tenant_url(admin_url, &role, tenant).await.map_err(store_error)
}

fn build_engine(
    store: Arc<dyn Store>,
    config: &Config,
    directories: &AppDirectories,
    providers: ProviderSet,
) -> Engine {
    let settings = engine_settings(config, directories);
    let engine = Engine::new(store, Arc::new(SystemClock(Instant::now())), settings)
        .with_providers(providers)
        .with_embedder(Arc::new(BuiltinEmbedder));
    // The encoder costs CPU time on every question, so it is there only if `context.encoder` is on.
    if config.context.encoder { engine.with_encoder(Arc::new(BuiltinEncoder)) } else { engine }
}

fn engine_settings(config: &Config, directories: &AppDirectories) -> EngineSettings {
    // One line, and not a long one: it stands in lines of lists.
    let name: String = config.memory.author.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(64).collect();
    let author = Author {
        name: Some(name).filter(|name| !name.is_empty()),
        shares_store: config.database.url.postgres_url().is_some(),
    };
    EngineSettings {
        index: IndexSettings {
            max_file_bytes: config.index.max_file_bytes,
            ignore: config.index.ignore.clone(),
            include: config.index.include.clone(),
            languages: config.index.languages.clone(),
            depth: config.index.depth.into(),
            nested_repositories: config.index.nested_repositories,
        },
        spend: spend_policy(&config.spend),
        // An empty word in the settings means that no session is named, not a session with an empty name.
        session: Some(config.ledger.session.clone()).filter(|session| !session.is_empty()),
        ledger_retention: Duration::from_secs(u64::from(config.ledger.retention_days) * 24 * 60 * 60),
        priced_model: config.ledger.model.clone(),
        adaptive_modes: config.read.adaptive,
        window_turns: u64::from(config.ledger.window_turns),
        sensitive: config.sensitive.patterns.clone(),
        memory: (&config.memory).into(),
        author,
        feedback: config.search.feedback,
        images: Some(directories.cache.join("images")),
    }
}

fn spend_policy(config: &schema::SpendConfig) -> SpendPolicy {
    let amount = |tokens: u32, money| SpendAmount { tokens: i64::from(tokens), money };
    let rows = config.prices.iter().filter_map(|row| PriceRow::parse(row)).collect();
    SpendPolicy {
        limits: SpendLimits {
            call: amount(config.call_tokens, config.call_dollars),
            session: amount(config.session_tokens, config.session_dollars),
            day: amount(config.day_tokens, config.day_dollars),
            concurrent: config.concurrent,
        },
        background: config.background,
        prices: PriceTable::default().with_rows(rows),
    }
}

/// The time, for what is no business of the engine.
pub(crate) fn current_time() -> Timestamp {
    SystemClock(Instant::now()).now()
}

/// Wall clock, and the moment from which ticks are counted.
struct SystemClock(Instant);

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one clock of the process; everything else is handed its time")]
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        Timestamp(since.map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX)))
    }

    fn monotonic_time(&self) -> Duration {
        self.0.elapsed()
    }
}
