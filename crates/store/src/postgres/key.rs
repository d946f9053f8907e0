//! Loads or creates the tenant's scrub key in PostgreSQL, one row a tenant. Placeholders of scrubbed secrets are
//! hashed with that key, and terms of messages with one that follows from it.

use super::PostgresStore;
use super::database::AccessMode;
use super::failure::PostgresFailure;
use crate::{Error, Result};
use model::scrub::ScrubKey;
use sha2::{Digest as _, Sha256};

/// What digests of a tenant's terms are made with. Migration 0014 makes the same in SQL.
#[derive(Clone)]
pub(super) struct TermKey(Sha256);

impl TermKey {
    pub(super) fn new(key: &ScrubKey) -> Self {
        let key = Sha256::new().chain_update(b"terms").chain_update(key.as_bytes()).finalize();
        Self(Sha256::new().chain_update(key))
    }

    /// The number under which a digest is stored.
    pub(super) fn number_of(&self, digest: i64) -> i64 {
        let hash = self.0.clone().chain_update(digest.to_be_bytes()).finalize();
        let (first, _) = hash.split_first_chunk().expect("a hash has 32 bytes");
        i64::from_be_bytes(*first)
    }
}

impl PostgresStore {
    /// What digests of the tenant's terms are made with.
    pub(super) async fn own_term_key(&self) -> Result<&TermKey> {
        self.term_key.get_or_try_init(|| async { Ok(TermKey::new(&self.own_key().await?)) }).await
    }

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
