//! `PostgresStore`, the store for teams: the store traits on PostgreSQL, shared by many processes and many tenants.
//!
//! Every row belongs to a tenant, and the database itself keeps tenants apart: a transaction names its tenant first and
//! shows the key that belongs to it, and row-level security hides and refuses all other rows. Statements here never
//! mention a tenant. Connecting never changes the schema; `init` does, run by the owner of the database.

mod address;
mod anchor;
mod archive;
mod artifact;
mod backup;
mod code;
mod database;
mod durable;
mod entities;
mod failure;
mod feedback;
mod folds;
mod init;
mod key;
mod ledger;
mod memory;
mod parameters;
mod records;
mod rewrite;
mod rows;
mod schema;
mod sessions;
mod table_sums;
mod tenant_access;
mod text;
mod tls;
mod tls_verifier;
mod tool_calls;

pub use init::{AppRole, InitReport};

use crate::{Error, Result, Store};
use anchor::TenantAnchors;
use database::{AccessMode, PostgresDatabase, TenantProof, TenantTransaction};
use deadpool_postgres::Client;
use failure::PostgresFailure;
use key::TermKey;
use model::DigestBuilder;
use std::sync::Arc;
use text::encode_text;
use tokio::sync::OnceCell;

/// The tenant of those who have only one.
const DEFAULT_TENANT: &str = "default";

/// The store in a PostgreSQL database, as one tenant sees it. Clones share their connections.
#[derive(Clone)]
pub struct PostgresStore {
    database: Arc<PostgresDatabase>,
    version: Arc<str>,
    tenant: Arc<str>,
    anchors: Option<Arc<TenantAnchors>>,
    /// The owner's connection, where what is kept may be changed.
    owner: Option<Arc<PostgresDatabase>>,
    /// What proves the right to the tenant.
    tenant_key: Arc<str>,
    /// What digests of the tenant's terms are made with; read at first use.
    term_key: Arc<OnceCell<TermKey>>,
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
        if database.access().is_none() {
            let hint = "hint: run `epitome database init` as the owner, and use the URL that it prints";
            let reason = format!("its URL has neither `tenant_secret` nor `tenant_key`\n{hint}");
            return Err(Error::Unavailable { database: database.name().to_owned(), reason });
        }
        Ok(Self::build(Arc::new(database), version.into(), DEFAULT_TENANT))
    }

    fn build(database: Arc<PostgresDatabase>, version: Arc<str>, tenant: &str) -> Self {
        let key = database.access().map(|access| access.key_of(&encode_text(tenant))).unwrap_or_default();
        Self {
            database,
            version,
            tenant: tenant.into(),
            anchors: None,
            owner: None,
            tenant_key: key.into(),
            term_key: Arc::default(),
        }
    }

    /// The same store for another tenant; any name but the empty one. With the key of one tenant, every method for
    /// another is refused.
    pub fn for_tenant(&self, tenant: &str) -> Result<Self> {
        // Row-level security compares with the tenant's name; an empty setting means that none was named, and finds no
        // rows.
        if tenant.is_empty() {
            let reason = "a tenant needs a name".to_owned();
            return Err(Error::Unavailable { database: self.database.name().to_owned(), reason });
        }
        let store = Self::build(Arc::clone(&self.database), Arc::clone(&self.version), tenant);
        Ok(Self { anchors: self.anchors.clone(), owner: self.owner.clone(), ..store })
    }

    async fn acquire_connection(&self) -> Result<Client, PostgresFailure> {
        self.database.acquire_connection().await
    }

    async fn begin_transaction<'a>(
        &self,
        client: &'a mut Client,
        access: AccessMode,
    ) -> Result<TenantTransaction<'a>, PostgresFailure> {
        let lock = self.lock_number("tenant", "");
        let known_schema = schema::SCHEMA_VERSION;
        let tenant = TenantProof { name: &self.tenant, key: &self.tenant_key, lock, known_schema };
        TenantTransaction::begin(client, tenant, access).await
    }

    /// Keeps other writers of one thing out until the transaction ends.
    async fn acquire_lock(
        &self,
        transaction: &TenantTransaction<'_>,
        what: &str,
        id: &str,
    ) -> Result<(), PostgresFailure> {
        let key = self.lock_number(what, id);
        // The lock ends with its transaction, so a process that dies leaves none behind and a pooler can switch
        // connections.
        transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&key]).await?;
        Ok(())
    }

    fn lock_number(&self, what: &str, id: &str) -> i64 {
        number_of(
            DigestBuilder::new("lock")
                // The tenant is part of the lock, so that tenants do not wait for each other and cannot see each
                // other's activity.
                .add_field(what.as_bytes())
                .add_field(self.tenant.as_bytes())
                .add_field(id.as_bytes()),
        )
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
