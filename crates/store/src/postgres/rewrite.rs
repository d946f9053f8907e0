//! `RewriteStore` for `PostgresStore`: refused. The application's role may not change canonical rows, and a purge of a
//! team's database is the work of its owner.

use super::PostgresStore;
use crate::rewrite::{RewriteRecord, RewriteStore, StoreRewrite};
use crate::{Error, Result};
use async_trait::async_trait;
use model::{ProjectId, Timestamp};

impl PostgresStore {
    fn refuse_rewrite(&self) -> Error {
        let reason = "the role that Epitome connects as may add conversations and never change them: purging and \
                      forgetting work on the embedded store only";
        Error::Unavailable { database: self.database.name().to_owned(), reason: reason.to_owned() }
    }
}

#[async_trait]
impl RewriteStore for PostgresStore {
    async fn rewrite_texts(&self, _: StoreRewrite, _: Timestamp) -> Result<Vec<RewriteRecord>> {
        Err(self.refuse_rewrite())
    }

    async fn forget_project(&self, _: &ProjectId, _: Timestamp) -> Result<Vec<RewriteRecord>> {
        Err(self.refuse_rewrite())
    }

    async fn list_rewrites(&self) -> Result<Vec<RewriteRecord>> {
        Ok(Vec::new())
    }

    async fn erase_freed_pages(&self) -> Result<()> {
        Ok(())
    }
}
