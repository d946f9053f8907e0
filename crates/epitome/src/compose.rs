//! The one place that knows which store and which clock run.

use crate::config::{Config, Directories, Loaded};
use crate::errors::Problem;
use engine::{Clock, Engine, Project, Settings};
use model::Timestamp;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use store::Store;
use store::postgres::PostgresStore;
pub(crate) use store::postgres::{AppRole, Initialized};
use store::sqlite::SqliteStore;

/// What every door works with, for one tenant.
pub(crate) struct App {
    pub(crate) engine: Engine,
    pub(crate) config: Config,
    pub(crate) directories: Directories,
    /// The project this process was started for.
    pub(crate) project: Project,
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
    let Loaded { config, directories, .. } = loaded;
    let database = match config.database.url.postgres() {
        None => {
            Database::Embedded(Arc::new(SqliteStore::open(&directories.data, &directories.cache).map_err(problem)?))
        }
        Some(url) => {
            let connections = config.database.pool_size as usize;
            Database::Server(PostgresStore::connect(url, connections).await.map_err(problem)?)
        }
    };
    let engine = engine(database.of_tenant(&config.database.tenant)?, &config);
    Ok(App { engine, config, directories, project, database })
}

impl App {
    /// The same, as another tenant sees it.
    pub(crate) fn for_tenant(&self, tenant: &str) -> Result<Self, Problem> {
        Ok(Self {
            engine: engine(self.database.of_tenant(tenant)?, &self.config),
            config: self.config.clone(),
            directories: self.directories.clone(),
            project: self.project.clone(),
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

fn engine(store: Arc<dyn Store>, config: &Config) -> Engine {
    let settings = Settings {
        max_file_bytes: config.index.max_file_bytes,
        ignore: config.index.ignore.clone(),
        include: config.index.include.clone(),
        languages: config.index.languages.clone(),
        depth: config.index.depth.into(),
    };
    Engine::new(store, Arc::new(SystemClock(Instant::now())), settings)
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
