//! Notices calls that any process records in PostgreSQL, by LISTEN on a connection of its own. Behind a pooler that hands
//! every transaction to another connection no notice arrives; then the caller's own patience decides how often it looks.

use crate::Result;
use crate::postgres::database::PostgresDatabase;
use crate::postgres::failure::PostgresFailure;
use crate::tool_calls::CallWatch;
use async_trait::async_trait;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio_postgres::Client;

pub(super) struct PostgresCallWatch {
    /// The connection ends with it.
    _client: Client,
    noticed: Arc<Notify>,
    reading: JoinHandle<()>,
}

impl PostgresCallWatch {
    pub(super) async fn open(database: &PostgresDatabase, channel: &str) -> Result<Self, PostgresFailure> {
        let noticed = Arc::new(Notify::new());
        let (client, reading) = database.connect_listening(Arc::clone(&noticed)).await?;
        client.batch_execute(&format!("LISTEN {channel}")).await?;
        Ok(Self { _client: client, noticed, reading })
    }
}

impl Drop for PostgresCallWatch {
    fn drop(&mut self) {
        self.reading.abort();
    }
}

#[async_trait]
impl CallWatch for PostgresCallWatch {
    async fn wait_for_calls(&mut self, patience: Duration) -> Result<()> {
        // A permit of a notice that came between two waits is kept, so none is missed.
        let _ = tokio::time::timeout(patience, self.noticed.notified()).await;
        Ok(())
    }
}
