//! Implements `AnchorStore` for `PostgresStore`. The anchor lies with the process that was given the acknowledgement, in
//! its state directory, one file for each tenant: a server that lost what it had acknowledged is found out by those it
//! had told. The sums over PostgreSQL's tables are not in it: servers write at once, and none knows the others' commits.

use super::PostgresStore;
use super::database::AccessMode;
use super::rewrite::{AnchorChange, put_removal};
use super::rows::{maybe_text, read_text};
use crate::anchor::AnchorFile;
use crate::{
    AcceptedRestore, AnchorEntry, AnchorHead, AnchorLog, AnchorPoint, AnchorStore, AnchoredState, AppendOutcome,
    ArchiveOutcome, CountedRows, DataRemoval, DatabaseFault, Error, FaultKind, RemovedSubject, Result,
};
use async_trait::async_trait;
use model::{ConversationId, DigestBuilder, Timestamp};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The anchors of all tenants that this process serves.
pub(super) struct TenantAnchors {
    directory: PathBuf,
    opened: Mutex<HashMap<String, Arc<AnchorFile>>>,
    /// Tenants whose key is in their anchor.
    keyed: Mutex<HashSet<String>>,
}

impl TenantAnchors {
    pub(super) fn new(state: &Path) -> Self {
        Self { directory: state.join("anchors"), opened: Mutex::default(), keyed: Mutex::default() }
    }

    fn of_tenant(&self, database: &str, tenant: &str) -> Arc<AnchorFile> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let open = || {
            let place = DigestBuilder::new("anchor").add_field(database.as_bytes()).add_field(tenant.as_bytes());
            let digest = place.finish().to_string();
            Arc::new(AnchorFile::new(self.directory.join(format!("{}.log", &digest[..16]))))
        };
        Arc::clone(opened.entry(tenant.to_owned()).or_insert_with(open))
    }
}

impl PostgresStore {
    /// The same store with its anchors below `state`. Without them nothing outside of the database is compared.
    #[must_use]
    pub fn anchored_in(self, state: &Path) -> Self {
        Self { anchors: Some(Arc::new(TenantAnchors::new(state))), ..self }
    }

    fn anchor_file(&self) -> Option<Arc<AnchorFile>> {
        self.anchors.as_ref().map(|anchors| anchors.of_tenant(self.database.name(), &self.tenant))
    }

    /// Adds an entry. A failure is no reason to fail what is committed: the anchor is behind.
    pub(super) fn follow_commit(&self, points: Vec<AnchorPoint>) {
        if points.is_empty() {
            return;
        }
        if let Some(file) = self.anchor_file()
            && let Err(error) = file.append(&[AnchorEntry::State(self.anchored_state(points))])
        {
            tracing::warn!(%error, path = %file.path().display(), "the anchor stays behind");
        }
    }

    fn anchored_state(&self, points: Vec<AnchorPoint>) -> AnchoredState {
        AnchoredState { number: 0, database: self.database.name().to_owned(), digest: String::new(), points }
    }

    /// Lets the anchor follow an append.
    pub(super) fn anchor_append<'a>(
        &self,
        conversation: &ConversationId,
        outcomes: &[AppendOutcome],
        artifacts: impl Iterator<Item = &'a model::ArtifactId>,
    ) {
        let new = outcomes.iter().filter_map(|outcome| match outcome {
            AppendOutcome::New(ack) | AppendOutcome::Revised(ack) => Some(ack),
            AppendOutcome::Known(_) | AppendOutcome::Conflict { .. } => None,
        });
        let Some(last) = new.max_by_key(|ack| ack.seq) else { return };
        let head = AnchorHead::new(last.seq, last.hash.0);
        let mut points = vec![AnchorPoint::Conversation { id: conversation.to_string(), head }];
        points.extend(artifacts.map(|id| row_point("artifacts", id)));
        self.follow_commit(points);
    }

    /// Lets the anchor follow a batch of an archive.
    pub(super) fn anchor_archive(&self, outcome: &ArchiveOutcome) {
        let generation = &outcome.generation;
        self.follow_commit(vec![AnchorPoint::Archive {
            agent: generation.source.agent.to_string(),
            path: generation.source.path.clone(),
            generation: generation.number,
            head: AnchorHead::new(generation.frames, generation.checkpoint.hash),
        }]);
    }

    /// Lets the anchor follow rows that are never deleted.
    pub(super) fn anchor_rows(&self, table: &str, ids: impl Iterator<Item = impl ToString>) {
        self.follow_commit(ids.map(|id| row_point(table, &id)).collect());
    }

    /// Lets the anchor follow a change of what is kept. The database says it, too, so a failure is told and loses
    /// nothing.
    pub(super) fn anchor_change(&self, change: AnchorChange) -> Result<()> {
        let Some(file) = self.anchor_file() else { return Ok(()) };
        let mut entries: Vec<AnchorEntry> =
            change.removals.into_iter().map(|removal| AnchorEntry::Removed(0, removal)).collect();
        if !change.points.is_empty() {
            entries.push(AnchorEntry::State(self.anchored_state(change.points)));
        }
        file.append(&entries).map_err(|error| self.anchor_error(&error))
    }

    /// Keeps the fingerprint of the tenant's key, once in the life of this process.
    pub(super) fn anchor_key(&self, fingerprint: String) {
        let (Some(anchors), Some(file)) = (&self.anchors, self.anchor_file()) else { return };
        if !anchors.keyed.lock().unwrap_or_else(PoisonError::into_inner).insert(self.tenant.to_string()) {
            return;
        }
        if file.read().is_ok_and(|log| log.keys.is_empty())
            && let Err(error) = file.append(&[AnchorEntry::Key(fingerprint)])
        {
            tracing::warn!(%error, path = %file.path().display(), "the anchor stays behind");
        }
    }

    /// What the anchor itself says about the whole; what it says of conversations is compared where they are read.
    pub(super) async fn check_anchor(&self) -> Result<Vec<DatabaseFault>> {
        let log = self.read_anchor().await?;
        let lost = |what: String| DatabaseFault { what, kind: FaultKind::Lost };
        let mut faults: Vec<DatabaseFault> =
            log.faults.iter().map(|what| lost(format!("{what} in the anchor"))).collect();
        if !log.keys.is_empty() {
            let sql = "SELECT key FROM epitome.scrub_keys";
            let keys = self.query_rows(sql, &[], |row| Ok(row.try_get::<_, Vec<u8>>(0)?)).await?;
            let known = keys.into_iter().filter_map(|bytes| bytes.try_into().ok()).map(model::scrub::ScrubKey::new);
            if !known.into_iter().any(|key| log.keys.contains(&crate::key::fingerprint(&key))) {
                faults.push(lost("the key of placeholders is missing, or another one".to_owned()));
            }
        }
        Ok(faults)
    }

    fn anchor_error(&self, error: &std::io::Error) -> Error {
        Error::ReadOnly { database: format!("the anchor of {}", self.database.name()), reason: error.to_string() }
    }
}

fn row_point(table: &str, id: &impl ToString) -> AnchorPoint {
    AnchorPoint::Row { table: table.to_owned(), id: id.to_string() }
}

#[async_trait]
impl AnchorStore for PostgresStore {
    async fn read_anchor(&self) -> Result<AnchorLog> {
        let Some(file) = self.anchor_file() else { return Ok(AnchorLog::default()) };
        let read = tokio::task::spawn_blocking(move || file.read()).await.map_err(std::io::Error::other).flatten();
        read.map_err(|error| self.anchor_error(&error))
    }

    async fn catch_up_anchor(&self, points: Vec<AnchorPoint>) -> Result<()> {
        self.follow_commit(points);
        Ok(())
    }

    async fn list_removals(&self) -> Result<Vec<DataRemoval>> {
        let sql = "SELECT subject, reason, at, old_count, old_hash, new_count, new_hash
                   FROM epitome.removals ORDER BY number";
        self.query_rows(sql, &[], |row| {
            let head = |count: Option<i64>, hash: Option<String>| {
                count.zip(hash).map(|(count, hash)| AnchorHead { count: count as u64, hash })
            };
            let (old, new) = (head(row.try_get(3)?, maybe_text(row, 4)?), head(row.try_get(5)?, maybe_text(row, 6)?));
            let subject = RemovedSubject::from_line(&read_text(row, 0)?);
            let subject = subject.ok_or_else(|| {
                super::failure::PostgresFailure::Damaged("the subject of a removal cannot be read".to_owned())
            })?;
            Ok(DataRemoval { subject, reason: read_text(row, 1)?, at: Timestamp(row.try_get(2)?), old, new })
        })
        .await
    }

    async fn record_removal(&self, removal: DataRemoval) -> Result<()> {
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Canonical).await?;
                put_removal(&transaction, &removal).await?;
                transaction.commit().await
            })
            .await?;
        let Some(file) = self.anchor_file() else { return Ok(()) };
        file.append(&[AnchorEntry::Removed(0, removal)]).map_err(|error| self.anchor_error(&error))
    }

    async fn accept_restored(&self, name: &str, at: Timestamp, points: Vec<AnchorPoint>) -> Result<()> {
        self.recount_all().await?;
        let Some(file) = self.anchor_file() else { return Ok(()) };
        let restore = AcceptedRestore { name: name.to_owned(), at, state: self.anchored_state(points) };
        file.append(&[AnchorEntry::Restored(restore)]).map_err(|error| self.anchor_error(&error))
    }

    async fn check_counts(&self, which: CountedRows) -> Result<()> {
        self.compare_counts(which).await
    }

    async fn recount_derived(&self) -> Result<()> {
        self.recount_derived_rows().await
    }
}
