//! Writes the changed files of an index run to the store, batch by batch, each in one transaction: while one batch is
//! written, the next ones are read and parsed.

use super::IndexRun;
use super::fingerprint::Fingerprinter;
use super::plan::{self, IndexPlan};
use super::segment::{self, ExtractedBatch};
use super::walk::ScannedFile;
use crate::base::{Error, Observer, Project, Result, run_blocking};
use crate::code::CodeContext;
use futures::stream::{self, StreamExt};
use std::pin::pin;
use std::sync::Arc;
use store::{FileBatch, WorktreeId};
use tokio::sync::mpsc;

/// How much source one batch holds: large enough that files share the rows of terms, small enough for memory.
const BATCH_BYTES: u64 = 16 << 20;
const BATCH_FILES: usize = 2_000;

/// Batches in progress: while the last files of one are parsed or its terms merged, the other keeps the threads busy.
const AT_ONCE: usize = 2;

/// Where to write, and with which settings.
pub(super) struct IndexWriter<'a> {
    pub(super) code: &'a CodeContext,
    pub(super) project: &'a Project,
    pub(super) worktree: &'a WorktreeId,
    pub(super) making: Arc<Fingerprinter>,
}

impl IndexWriter<'_> {
    /// Writes all changes of a plan. Every batch is a transaction: one that was written stays, whatever comes after.
    pub(super) async fn write_changes(
        &self,
        plan: IndexPlan,
        run: &mut IndexRun,
        observer: &dyn Observer,
    ) -> Result<()> {
        let total = plan.changed.len() as u64;
        // One finished batch waits while another is written; more of them would only hold memory.
        let (hand_on, mut ready) = mpsc::channel(1);
        let batches = plan::split_batches(plan.changed, BATCH_FILES, BATCH_BYTES);
        let extracting = async move {
            let mut extracted = pin!(stream::iter(batches).map(|batch| self.extract_batch(batch)).buffered(AT_ONCE));
            while !observer.is_cancelled() {
                let Some(batch) = extracted.next().await else { return Ok(()) };
                // The writer stopped with an error, which `written` holds.
                if hand_on.send(batch?).await.is_err() {
                    return Ok(());
                }
            }
            Err(Error::Cancelled)
        };
        // A batch of its own, because a plan may remove files and change none.
        let removed = FileBatch { removed: plan.removed, ..FileBatch::default() };
        let writing = async move {
            self.write_batch(removed).await?;
            let mut done = 0;
            while let Some(ExtractedBatch { batch, skipped }) = ready.recv().await {
                run.indexed += batch.versions.len() as u64;
                run.skipped.extend(skipped);
                done += batch.versions.len() + batch.known.len() + batch.removed.len();
                self.write_batch(batch).await?;
                observer.report_progress("indexing", done as u64, total);
            }
            Ok(())
        };
        // No `try_join`: batches that were handed over are written even if extraction fails or is cancelled.
        let (extracted, written) = tokio::join!(extracting, writing);
        written.and(extracted)
    }

    async fn extract_batch(&self, batch: Vec<ScannedFile>) -> Result<ExtractedBatch> {
        let root = self.project.root.clone();
        let making = Arc::clone(&self.making);
        let now = self.code.clock.now();
        let read = run_blocking("reading files", move || plan::read_all(&root, batch, &making, now)).await?;
        // Content that the store has under this fingerprint (after a switch between branches) is not parsed again.
        let wanted: Vec<_> = read.files.iter().map(|file| (file.path.clone(), file.hash, file.made)).collect();
        let known = self.code.store.known_versions(self.worktree, &wanted).await?;
        let clock = Arc::clone(&self.code.clock);
        let making = Arc::clone(&self.making);
        run_blocking("parsing files", move || segment::build_batch(read, &known, &making, &*clock)).await
    }

    async fn write_batch(&self, batch: FileBatch) -> Result<()> {
        if batch.versions.is_empty() && batch.known.is_empty() && batch.removed.is_empty() {
            return Ok(());
        }
        Ok(self.code.store.write_files(self.worktree, batch).await?)
    }
}
