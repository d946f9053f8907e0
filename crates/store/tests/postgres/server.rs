//! Test fixture for the PostgreSQL integration tests: `Server` starts a server with a database that
//! `PostgresStore::init` made ready, and connects stores and an administrator to it.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};
use store::postgres::{AppRole, PostgresStore};
use tempfile::TempDir;
use testkit::postgres::PostgresCluster;
use tokio_postgres::{Client, NoTls};

pub(crate) struct Server {
    pub(crate) cluster: PostgresCluster,
    /// The database, as its owner.
    pub(crate) admin_url: String,
    /// The database, as the role of the application.
    pub(crate) url: String,
    /// Where its stores have their anchors.
    state: TempDir,
}

impl Server {
    pub(crate) async fn start() -> Self {
        Self::on(PostgresCluster::start()).await
    }

    pub(crate) async fn on(cluster: PostgresCluster) -> Self {
        let admin_url = empty_database(&cluster).await;
        let ready = PostgresStore::init(&admin_url, &AppRole::default()).await.expect("makes the database ready");
        let state = TempDir::new().expect("the temporary directory is writable");
        Self { cluster, admin_url, url: ready.url, state }
    }

    pub(crate) async fn store(&self) -> PostgresStore {
        PostgresStore::connect(&self.url, 4).await.expect("connects").anchored_in(self.state.path())
    }

    /// A store that may purge and forget.
    pub(crate) async fn owned_store(&self) -> PostgresStore {
        self.store().await.with_owner(&self.admin_url).expect("the owner's URL can be used")
    }

    pub(crate) async fn admin(&self) -> Client {
        connect(&self.admin_url).await
    }

    /// A connection of the application's role that was let into a tenant.
    pub(crate) async fn tenant_client(&self, tenant: &str) -> Client {
        let sql = "SELECT epitome.tenant_key(secret, $1) FROM epitome.tenant_secret";
        let key: String = self.admin().await.query_one(sql, &[&tenant]).await.expect("asks").get(0);
        let client = connect(&self.url).await;
        let settings = format!("SET epitome.tenant = '{tenant}'; SET epitome.tenant_key = '{key}'");
        client.batch_execute(&settings).await.expect("sets");
        client
    }
}

/// A new database on a server, so that several tests can share one; its URL, as its owner. It goes with the server: one
/// that was only lent to us keeps it.
pub(crate) async fn empty_database(cluster: &PostgresCluster) -> String {
    let name = format!("epitome_test_{:016x}", RandomState::new().build_hasher().finish());
    connect(cluster.url()).await.batch_execute(&format!("CREATE DATABASE {name}")).await.expect("makes a database");
    in_database(cluster.url(), &name)
}

/// The URL of another database on the same server.
pub(crate) fn in_database(url: &str, name: &str) -> String {
    let (server, _) = url.rsplit_once('/').expect("the URL names a database");
    format!("{server}/{name}")
}

/// A URL without what only our store understands.
pub(crate) fn plain_url(url: &str) -> &str {
    url.split_once("?tenant_secret=").map_or(url, |(plain, _)| plain)
}

/// Connects with the bare driver, as `psql` would.
pub(crate) async fn connect(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(plain_url(url), NoTls).await.expect("connects");
    tokio::spawn(connection);
    client
}
