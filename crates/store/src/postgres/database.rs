//! The PostgreSQL connection pool with retries, and `TenantTransaction`, a transaction that sets its tenant (for
//! row-level security), timeouts and durability before any other statement.
//!
//! All settings are made for one transaction, together with its tenant, so that a pooler between us and the server may
//! hand every transaction to another connection. For the same reason statements have no names (`parameters.rs`).

use super::address::{ServerAddress, name_of};
use super::failure::PostgresFailure;
use super::parameters::SqlParameters;
use super::tenant_access::TenantAccess;
use super::text::encode_text;
use super::tls::TlsConnector;
use crate::failpoints::{self, FailPoint};
use crate::{Error, Result};
use deadpool_postgres::{Client, Manager, ManagerConfig, Pool, Runtime};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Config, IsolationLevel, Row, RowStream};

/// How long to wait for a connection: to be made, or to be given back by another caller.
const PATIENCE_TO_CONNECT: Duration = Duration::from_secs(10);
const PATIENCE_TO_SHARE: Duration = Duration::from_secs(30);

/// Pauses before an attempt is repeated: three seconds in all, enough for a server to restart.
const PAUSES: [Duration; 6] = [
    Duration::from_millis(50),
    Duration::from_millis(100),
    Duration::from_millis(200),
    Duration::from_millis(400),
    Duration::from_millis(800),
    Duration::from_millis(1600),
];

/// What a transaction is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AccessMode {
    /// Looks at one consistent state.
    Read,
    /// Writes what must have reached the disk before it is acknowledged.
    Canonical,
    /// Writes what can be rebuilt.
    Derived,
    /// Changes what is kept, while no other writer of the tenant is at work.
    Rewrite,
}

impl AccessMode {
    /// How long to wait for another writer before saying "busy". A batch of files takes seconds to write; a message
    /// does not.
    fn lock_timeout(self) -> &'static str {
        match self {
            Self::Read | Self::Canonical => "5s",
            Self::Derived | Self::Rewrite => "30s",
        }
    }

    /// How long one statement may take: dropping the index of a large project is one.
    fn statement_timeout(self) -> &'static str {
        match self {
            Self::Read | Self::Canonical => "60s",
            Self::Derived | Self::Rewrite => "10min",
        }
    }

    /// How the tenant is locked. Those who write what is kept share the lock, so that they wait for nobody but a
    /// rewrite, which has it alone.
    fn tenant_lock(self) -> &'static str {
        match self {
            Self::Read | Self::Derived => "$6::bigint",
            Self::Canonical => "pg_advisory_xact_lock_shared($6)",
            Self::Rewrite => "pg_advisory_xact_lock($6)",
        }
    }
}

pub(super) struct PostgresDatabase {
    pool: Pool,
    /// How to connect outside of the pool.
    driver: Config,
    connector: TlsConnector,
    name: String,
    access: Option<TenantAccess>,
}

impl PostgresDatabase {
    /// Prepares a pool for the database at `url`; connects nowhere yet.
    pub(super) fn new(url: &str, pool_size: usize) -> Result<Self> {
        let ServerAddress { driver: mut config, tls, access, is_exposed } = ServerAddress::parse(url)?;
        let name = name_of(&config);
        if is_exposed {
            let mode = tls.mode.as_str();
            tracing::warn!("{name}: `sslmode={mode}` lets passwords and messages cross the network in clear");
        }
        // The administrator sees this name in `pg_stat_activity`; one that the URL gives is the user's choice.
        if config.get_application_name().is_none() {
            config.application_name("epitome");
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(PATIENCE_TO_CONNECT);
        }
        let connector =
            tls.build_connector().map_err(|reason| Error::Unavailable { database: name.clone(), reason })?;
        let pool = Pool::builder(Manager::from_connect(config.clone(), connector.clone(), ManagerConfig::default()))
            .max_size(pool_size.max(1))
            .wait_timeout(Some(PATIENCE_TO_SHARE))
            .create_timeout(Some(PATIENCE_TO_CONNECT))
            .runtime(Runtime::Tokio1)
            .build()
            .map_err(|error| Error::Unavailable { database: name.clone(), reason: error.to_string() })?;
        Ok(Self { pool, driver: config, connector, name, access })
    }

    /// What the URL gives to be let into tenants.
    pub(super) fn access(&self) -> Option<&TenantAccess> {
        self.access.as_ref()
    }

    /// Which database this is, without the password.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) async fn acquire_connection(&self) -> Result<Client, PostgresFailure> {
        Ok(self.pool.get().await?)
    }

    /// Makes a connection that is in no pool and tells of notices, and the task that reads it.
    pub(super) async fn connect_listening(
        &self,
        noticed: Arc<Notify>,
    ) -> Result<(tokio_postgres::Client, JoinHandle<()>), PostgresFailure> {
        Ok(self.connector.connect_listening(&self.driver, noticed).await?)
    }

    /// Makes an attempt, and makes it again while what went wrong may pass. Only for what may be done twice.
    pub(super) async fn with_retries<T, A>(&self, attempt: impl Fn() -> A) -> Result<T>
    where
        A: Future<Output = Result<T, PostgresFailure>>,
    {
        let mut attempts = RetryBackoff::default();
        loop {
            match attempt().await {
                Ok(done) => return Ok(done),
                // Every attempt is a whole transaction, so an attempt that failed left nothing behind.
                Err(failure) => {
                    attempts.pause_after(failure).await.map_err(|failure| failure.into_error(&self.name))?;
                }
            }
        }
    }
}

/// How often something was tried.
#[derive(Default)]
pub(super) struct RetryBackoff(usize);

impl RetryBackoff {
    /// Waits before the next attempt, or gives the failure back when there should be none.
    pub(super) async fn pause_after(&mut self, failure: PostgresFailure) -> Result<(), PostgresFailure> {
        // A refusal by the server does not pass by waiting: a conflict, damage or a missing right goes to the caller at
        // once.
        let Some(pause) = PAUSES.get(self.0).filter(|_| failure.is_passing()) else { return Err(failure) };
        tracing::debug!(attempt = self.0, ?failure, "trying again");
        self.0 += 1;
        tokio::time::sleep(*pause).await;
        Ok(())
    }
}

/// A tenant, what proves the right to it, and who asks.
#[derive(Clone, Copy)]
pub(super) struct TenantProof<'a> {
    pub(super) name: &'a str,
    pub(super) key: &'a str,
    /// The number of the tenant's lock.
    pub(super) lock: i64,
    /// The newest schema that this build knows.
    pub(super) known_schema: u32,
}

/// An open transaction of one tenant. Dropping it rolls it back.
pub(super) struct TenantTransaction<'a>(deadpool_postgres::Transaction<'a>);

impl<'a> TenantTransaction<'a> {
    pub(super) async fn begin(
        client: &'a mut Client,
        tenant: TenantProof<'_>,
        access: AccessMode,
    ) -> Result<Self, PostgresFailure> {
        let builder = client.build_transaction();
        let transaction = match access {
            // Repeatable read makes all queries of a method see one state, as a read of the SQLite store does.
            AccessMode::Read => builder.isolation_level(IsolationLevel::RepeatableRead).read_only(true),
            // A lock protects rows that are read after it is taken, so each statement must see the newest committed
            // state.
            AccessMode::Canonical | AccessMode::Derived | AccessMode::Rewrite => {
                builder.isolation_level(IsolationLevel::ReadCommitted)
            }
        };
        let transaction = Self(transaction.start().await?);
        // Derived rows can be made again, so they need not wait for the disk; that is most of the time of an index run.
        let durable = if matches!(access, AccessMode::Canonical | AccessMode::Rewrite) { "on" } else { "off" };
        let sql = format!(
            // The column of the tenant refuses a wrong key here: later, a query over an empty table would not ask for it.
            // The lock comes behind it, when the limit on waiting is set and the tenant is proven.
            "SELECT set_config('epitome.tenant', $1, true),
               set_config('epitome.tenant_key', $5, true),
               set_config('lock_timeout', $2, true),
               set_config('statement_timeout', $4, true),
               set_config('idle_in_transaction_session_timeout', '60s', true),
               -- Stronger than `on` is the administrator's choice; weaker is ours to make.
               set_config('synchronous_commit', CASE WHEN $3 = 'off' OR current_setting('synchronous_commit')
                 IN ('off', 'local') THEN $3 ELSE current_setting('synchronous_commit') END, true),
               epitome.current_tenant(), {},
               -- Asked anew each time: a newer version may have changed the schema while we run.
               (SELECT max(version) FROM epitome.migrations)",
            access.tenant_lock()
        );
        let row = transaction
            // One statement sets everything, because each would be a trip to the server. `true` limits it to this
            // transaction: behind a pooler the connection serves another tenant next.
            .query_one(
                &sql,
                &[
                    &encode_text(tenant.name),
                    &access.lock_timeout(),
                    &durable,
                    &access.statement_timeout(),
                    &tenant.key,
                    &tenant.lock,
                ],
            )
            .await?;
        let found = row.try_get::<_, Option<i64>>(row.len() - 1)?.unwrap_or_default() as u32;
        if found > tenant.known_schema {
            return Err(PostgresFailure::Newer { found, known: tenant.known_schema });
        }
        Ok(transaction)
    }

    pub(super) async fn query_all(
        &self,
        sql: &str,
        parameters: SqlParameters<'_>,
    ) -> Result<Vec<Row>, PostgresFailure> {
        Ok(self.0.query_typed(sql, &typed(parameters)).await?)
    }

    pub(super) async fn query_one(&self, sql: &str, parameters: SqlParameters<'_>) -> Result<Row, PostgresFailure> {
        Ok(self.0.query_typed_one(sql, &typed(parameters)).await?)
    }

    pub(super) async fn query_optional(
        &self,
        sql: &str,
        parameters: SqlParameters<'_>,
    ) -> Result<Option<Row>, PostgresFailure> {
        Ok(self.0.query_typed_opt(sql, &typed(parameters)).await?)
    }

    /// The rows of a query as they come, for more of them than fit into memory.
    pub(super) async fn query_stream(&self, sql: &str) -> Result<RowStream, PostgresFailure> {
        let no_parameters: [(&(dyn ToSql + Sync), Type); 0] = [];
        Ok(self.0.query_typed_raw(sql, no_parameters).await?)
    }

    pub(super) async fn execute(&self, sql: &str, parameters: SqlParameters<'_>) -> Result<u64, PostgresFailure> {
        Ok(self.0.execute_typed(sql, &typed(parameters)).await?)
    }

    pub(super) async fn commit(self) -> Result<(), PostgresFailure> {
        failpoints::pass(FailPoint::Committing);
        let committed = self.0.commit().await;
        failpoints::pass(FailPoint::Committed);
        Ok(committed?)
    }
}

/// Parameters as the driver takes them.
fn typed(parameters: SqlParameters<'_>) -> Vec<(&(dyn ToSql + Sync), Type)> {
    parameters.iter().map(|parameter| (parameter.as_sql(), parameter.sql_type())).collect()
}
