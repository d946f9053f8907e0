//! The one place that knows which store and which clock run.

use crate::config::{Config, Directories, Loaded};
use crate::errors::Problem;
use engine::{Clock, Engine, Project, Settings};
use model::Timestamp;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use store::Store;
use store::postgres::PostgresStore;
pub(crate) use store::postgres::{AppRole, Initialized};
use store::sqlite::SqliteStore;

/// What every door works with.
pub(crate) struct App {
    pub(crate) engine: Engine,
    pub(crate) config: Config,
    pub(crate) directories: Directories,
    /// The project this process was started for.
    pub(crate) project: Project,
}

/// Opens the store and puts the engine on it.
pub(crate) async fn app(loaded: Loaded, project: Project) -> Result<App, Problem> {
    let Loaded { config, directories, .. } = loaded;
    let store = open_store(&config, &directories, &config.database.tenant).await?;
    Ok(App { engine: engine(store, &config), config, directories, project })
}

/// Opens the configured store for one tenant.
pub(crate) async fn open_store(
    config: &Config,
    directories: &Directories,
    tenant: &str,
) -> Result<Arc<dyn Store>, Problem> {
    let opened: store::Result<Arc<dyn Store>> = match config.database.url.postgres() {
        None => SqliteStore::open(&directories.data, &directories.cache).map(|store| Arc::new(store) as Arc<dyn Store>),
        Some(url) => match PostgresStore::connect(url, config.database.pool_size as usize).await {
            Ok(store) => store.for_tenant(tenant).map(|store| Arc::new(store) as Arc<dyn Store>),
            Err(error) => Err(error),
        },
    };
    opened.map_err(|error| Problem::from(engine::Error::from(error)))
}

/// Makes a PostgreSQL database ready for a role with few rights, and gives the URL to connect with.
pub(crate) async fn init_database(admin_url: &str, role: AppRole) -> Result<Initialized, Problem> {
    PostgresStore::init(admin_url, &role).await.map_err(|error| Problem::from(engine::Error::from(error)))
}

/// Puts an engine on a store.
pub(crate) fn engine(store: Arc<dyn Store>, config: &Config) -> Engine {
    let settings = Settings {
        max_file_bytes: config.index.max_file_bytes,
        ignore: config.index.ignore.clone(),
        languages: config.index.languages.clone(),
    };
    Engine::new(store, Arc::new(SystemClock), settings)
}

struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one clock of the process; everything else is handed its time")]
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        Timestamp(since.map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX)))
    }
}
