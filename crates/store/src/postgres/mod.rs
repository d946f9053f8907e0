//! `PostgresStore`, the store for teams: the store traits on PostgreSQL, shared by many processes and many tenants.
//!
//! Every row belongs to a tenant, and the database itself keeps tenants apart: a transaction names its tenant first,
//! and row-level security hides and refuses all other rows. Statements here never mention a tenant. Connecting never
//! changes the schema; `init` does, run by the owner of the database.

mod archive;
mod artifact;
mod code;
mod database;
mod failure;
mod feedback;
mod folds;
mod init;
mod key;
mod ledger;
mod memory;
mod rows;
mod schema;
mod text;

pub use init::{AppRole, InitReport};

use crate::{Error, Result, Store};
use database::{AccessMode, PostgresDatabase, TenantTransaction};
use deadpool_postgres::Client;
use failure::PostgresFailure;
use model::DigestBuilder;
use std::sync::Arc;

/// The tenant of those who have only one.
const DEFAULT_TENANT: &str = "default";

/// The store in a PostgreSQL database, as one tenant sees it. Clones share their connections.
#[derive(Clone)]
pub struct PostgresStore {
    database: Arc<PostgresDatabase>,
    version: Arc<str>,
    tenant: Arc<str>,
}

impl PostgresStore {
    /// Connects to a database that [`PostgresStore::init`] made ready, with at most `pool_size` connections.
    pub async fn connect(url: &str, pool_size: usize) -> Result<Self> {
        let database = PostgresDatabase::new(url, pool_size)?;
        let client = database.acquire_connection().await.map_err(|failure| failure.into_error(database.name()))?;
        let version = schema::check_server(&client, database.name()).await?;
        schema::check_schema(&client, database.name()).await?;
        // Given back before the store exists: with a pool of one connection the first method would wait for it.
        drop(client);
        Ok(Self { database: Arc::new(database), version: version.into(), tenant: DEFAULT_TENANT.into() })
    }

    /// The same store for another tenant; any name but the empty one.
    pub fn for_tenant(&self, tenant: &str) -> Result<Self> {
        // Row-level security compares with the tenant's name; an empty setting means that none was named, and finds no
        // rows.
        if tenant.is_empty() {
            let reason = "a tenant needs a name".to_owned();
            return Err(Error::Unavailable { database: self.database.name().to_owned(), reason });
        }
        Ok(Self { tenant: tenant.into(), ..self.clone() })
    }

    async fn acquire_connection(&self) -> Result<Client, PostgresFailure> {
        self.database.acquire_connection().await
    }

    async fn begin_transaction<'a>(
        &self,
        client: &'a mut Client,
        access: AccessMode,
    ) -> Result<TenantTransaction<'a>, PostgresFailure> {
        TenantTransaction::begin(client, &self.tenant, access).await
    }

    /// Keeps other writers of one thing out until the transaction ends.
    async fn acquire_lock(
        &self,
        transaction: &TenantTransaction<'_>,
        what: &str,
        id: &str,
    ) -> Result<(), PostgresFailure> {
        let key = number_of(
            DigestBuilder::new("lock")
                // The tenant is part of the lock, so that tenants do not wait for each other and cannot see each
                // other's activity.
                .add_field(what.as_bytes())
                .add_field(self.tenant.as_bytes())
                .add_field(id.as_bytes()),
        );
        // The lock ends with its transaction, so a process that dies leaves none behind and a pooler can switch
        // connections.
        transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&key]).await?;
        Ok(())
    }
}

/// The first eight bytes of a digest as a number the database can compare.
fn number_of(digest: DigestBuilder) -> i64 {
    let hash = digest.finish();
    let (first, _) = hash.as_bytes().split_first_chunk().expect("a hash has 32 bytes");
    i64::from_le_bytes(*first)
}

impl Store for PostgresStore {
    fn describe(&self) -> String {
        format!("PostgreSQL {} at {}, tenant {}", self.version, self.database.name(), self.tenant)
    }
}
