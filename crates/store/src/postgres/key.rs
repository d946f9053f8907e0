//! The key of placeholders, one row a tenant.

use super::PostgresStore;
use super::database::Access;
use super::failure::Failure;
use crate::{Error, Result};
use model::scrub::ScrubKey;

impl PostgresStore {
    /// The tenant's key; made when there is none.
    pub(super) async fn own_key(&self) -> Result<ScrubKey> {
        let made = crate::key::random().map_err(|error| Error::Unavailable {
            database: self.database.name().to_owned(),
            reason: format!("the system gives no random bytes: {error}"),
        })?;
        let insert = "INSERT INTO epitome.scrub_keys (key) VALUES ($1) ON CONFLICT (tenant_id) DO NOTHING";
        self.database
            .retry(|| async {
                let mut client = self.connection().await?;
                let transaction = self.begin(&mut client, Access::Canonical).await?;
                // Of several who make one at once, the first one's stays, and all are told that one.
                transaction.execute(insert, &[&&made.as_bytes()[..]]).await?;
                let row = transaction.one("SELECT key FROM epitome.scrub_keys", &[]).await?;
                let bytes: Vec<u8> = row.try_get(0)?;
                transaction.commit().await?;
                let what = format!("the key of a tenant has {} bytes", bytes.len());
                Ok(ScrubKey::new(bytes.try_into().map_err(|_| Failure::Damaged(what))?))
            })
            .await
    }
}
