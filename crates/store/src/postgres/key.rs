//! Loads or creates the tenant's scrub key in PostgreSQL, one row a tenant. Placeholders of scrubbed secrets are
//! hashed with that key.

use super::PostgresStore;
use super::database::AccessMode;
use super::failure::PostgresFailure;
use crate::{Error, Result};
use model::scrub::ScrubKey;

impl PostgresStore {
    /// The tenant's key; made when there is none.
    pub(super) async fn own_key(&self) -> Result<ScrubKey> {
        let made = crate::key::random_key().map_err(|error| Error::Unavailable {
            database: self.database.name().to_owned(),
            reason: format!("the system gives no random bytes: {error}"),
        })?;
        let insert = "INSERT INTO epitome.scrub_keys (key) VALUES ($1) ON CONFLICT (tenant_id) DO NOTHING";
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Canonical).await?;
                // Of several processes that make a key at once, the first one's stays and all of them read it: two keys
                // would give one secret two placeholders.
                transaction.execute(insert, &[&&made.as_bytes()[..]]).await?;
                let row = transaction.query_one("SELECT key FROM epitome.scrub_keys", &[]).await?;
                let bytes: Vec<u8> = row.try_get(0)?;
                transaction.commit().await?;
                let what = format!("the key of a tenant has {} bytes", bytes.len());
                Ok(ScrubKey::new(bytes.try_into().map_err(|_| PostgresFailure::Damaged(what))?))
            })
            .await
    }
}
