//! The one place that knows which store, which providers and which clock run.

mod providers;

use crate::config::{Config, Directories, Loaded, typed};
use crate::errors::Problem;
use crate::ops::Call;
use crate::transcripts::Transcripts;
use ::providers::BuiltinEncoder;
use ::providers::vendors::builtin::Builtin;
use engine::{Clock, Engine, Observer, PriceRow, Prices, Project, Providers, Settings, Spend};
use model::Timestamp;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use store::postgres::PostgresStore;
pub(crate) use store::postgres::{AppRole, Initialized};
use store::sqlite::SqliteStore;
use store::{Amount, Limits, Store};

/// What every door works with, for one tenant.
pub(crate) struct App {
    pub(crate) engine: Engine,
    pub(crate) config: Config,
    pub(crate) directories: Directories,
    /// The project this process was started for.
    pub(crate) project: Project,
    /// Whom the engine may ask, in order.
    pub(crate) providers: Providers,
    /// What there is to import on this machine; none for those who ask from elsewhere.
    transcripts: Option<Arc<Transcripts>>,
    database: Database,
}

/// The store that runs, before a tenant is chosen. Clones share connections.
#[derive(Clone)]
enum Database {
    /// One file is one tenant.
    Embedded(Arc<SqliteStore>),
    Server(PostgresStore),
}

/// Opens the configured store and puts the engine on it.
pub(crate) async fn app(loaded: Loaded, project: Project) -> Result<App, Problem> {
    let Loaded { config, directories, credentials, environment, .. } = loaded;
    #[cfg(debug_assertions)]
    if let Some(point) = environment.filled("EPITOME_HOLD") {
        let armed = store::hold::arm(&point.to_string_lossy());
        armed.map_err(|why| {
            Problem::new(crate::errors::Class::Usage, "hold", format!("cannot hold the process: {why}"))
        })?;
    }
    let database = match config.database.url.postgres() {
        None => {
            Database::Embedded(Arc::new(SqliteStore::open(&directories.data, &directories.cache).map_err(problem)?))
        }
        Some(url) => {
            let connections = config.database.pool_size as usize;
            Database::Server(PostgresStore::connect(url, connections).await.map_err(problem)?)
        }
    };
    let started = Instant::now();
    let ticks: ::providers::Ticks = Arc::new(move || started.elapsed());
    let providers = providers::chain(&config.providers, &credentials, &ticks);
    let engine = engine(database.of_tenant(&config.database.tenant)?, &config, providers.clone());
    let transcripts = Some(Arc::new(Transcripts::new(directories.clone(), environment)));
    Ok(App { engine, config, directories, project, providers, transcripts, database })
}

impl App {
    /// What an operation is called with.
    pub(crate) fn call<'a>(&'a self, observer: &'a dyn Observer) -> Call<'a> {
        let (engine, project, config) = (&self.engine, &self.project, &self.config);
        Call { engine, project, config, transcripts: self.transcripts.as_deref(), observer }
    }

    /// The same for callers who ask over the network: the files of this machine are not theirs to read.
    pub(crate) fn for_callers_from_elsewhere(self) -> Self {
        Self { transcripts: None, ..self }
    }

    /// Whether this is what those settings lead to.
    pub(crate) fn is_of(&self, database: &typed::Database) -> bool {
        self.config.database.url == database.url && self.config.database.tenant == database.tenant
    }

    /// Another project with its settings, on the same store.
    pub(crate) fn for_project(&self, loaded: Loaded, project: Project) -> Result<Self, Problem> {
        let Loaded { config, directories, environment, .. } = loaded;
        let engine = engine(self.database.of_tenant(&config.database.tenant)?, &config, self.providers.clone());
        let transcripts = Some(Arc::new(Transcripts::new(directories.clone(), environment)));
        let (providers, database) = (self.providers.clone(), self.database.clone());
        Ok(Self { engine, config, directories, project, providers, transcripts, database })
    }

    /// The same, as another tenant sees it.
    pub(crate) fn for_tenant(&self, tenant: &str) -> Result<Self, Problem> {
        Ok(Self {
            engine: engine(self.database.of_tenant(tenant)?, &self.config, self.providers.clone()),
            config: self.config.clone(),
            directories: self.directories.clone(),
            project: self.project.clone(),
            providers: self.providers.clone(),
            transcripts: self.transcripts.clone(),
            database: self.database.clone(),
        })
    }
}

impl Database {
    fn of_tenant(&self, tenant: &str) -> Result<Arc<dyn Store>, Problem> {
        Ok(match self {
            Self::Embedded(store) => Arc::clone(store) as Arc<dyn Store>,
            Self::Server(store) => Arc::new(store.for_tenant(tenant).map_err(problem)?),
        })
    }
}

fn problem(error: store::Error) -> Problem {
    Problem::from(engine::Error::from(error))
}

/// Makes a PostgreSQL database ready for a role with few rights, and gives the URL to connect with.
pub(crate) async fn init_database(admin_url: &str, role: AppRole) -> Result<Initialized, Problem> {
    PostgresStore::init(admin_url, &role).await.map_err(problem)
}

fn engine(store: Arc<dyn Store>, config: &Config, providers: Providers) -> Engine {
    let settings = Settings {
        max_file_bytes: config.index.max_file_bytes,
        ignore: config.index.ignore.clone(),
        include: config.index.include.clone(),
        languages: config.index.languages.clone(),
        depth: config.index.depth.into(),
        spend: spend(&config.spend),
        session: Some(config.ledger.session.clone()).filter(|session| !session.is_empty()),
        ledger_retention: Duration::from_secs(u64::from(config.ledger.retention_days) * 24 * 60 * 60),
        sensitive: config.sensitive.patterns.clone(),
        memory: (&config.memory).into(),
        feedback: config.search.feedback,
    };
    let engine = Engine::new(store, Arc::new(SystemClock(Instant::now())), settings)
        .with_providers(providers)
        .with_embedder(Arc::new(Builtin));
    if config.context.encoder { engine.with_encoder(Arc::new(BuiltinEncoder)) } else { engine }
}

fn spend(config: &typed::Spend) -> Spend {
    let amount = |tokens: u32, money| Amount { tokens: i64::from(tokens), money };
    let rows = config.prices.iter().filter_map(|row| PriceRow::parse(row)).collect();
    Spend {
        limits: Limits {
            call: amount(config.call_tokens, config.call_dollars),
            session: amount(config.session_tokens, config.session_dollars),
            day: amount(config.day_tokens, config.day_dollars),
            concurrent: config.concurrent,
        },
        background: config.background,
        prices: Prices::default().with(rows),
    }
}

/// The time, for what is no business of the engine.
pub(crate) fn now() -> Timestamp {
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

    fn ticks(&self) -> Duration {
        self.0.elapsed()
    }
}
