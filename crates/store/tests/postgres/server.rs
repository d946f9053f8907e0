//! Test fixture for the PostgreSQL integration tests: `Server` starts a server with a database that
//! `PostgresStore::init` made ready, and connects stores and an administrator to it.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};
use store::postgres::{AppRole, PostgresStore};
use testkit::postgres::PostgresCluster;
use tokio_postgres::{Client, NoTls};

pub(crate) struct Server {
    pub(crate) cluster: PostgresCluster,
    /// The database, as its owner.
    pub(crate) admin_url: String,
    /// The database, as the role of the application.
    pub(crate) url: String,
}

impl Server {
    pub(crate) async fn start() -> Self {
        Self::on(PostgresCluster::start()).await
    }

    pub(crate) async fn on(cluster: PostgresCluster) -> Self {
        let admin_url = empty_database(&cluster).await;
        let ready = PostgresStore::init(&admin_url, &AppRole::default()).await.expect("makes the database ready");
        Self { cluster, admin_url, url: ready.url }
    }

    pub(crate) async fn store(&self) -> PostgresStore {
        PostgresStore::connect(&self.url, 4).await.expect("connects")
    }

    pub(crate) async fn admin(&self) -> Client {
        connect(&self.admin_url).await
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

pub(crate) async fn connect(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.expect("connects");
    tokio::spawn(connection);
    client
}
