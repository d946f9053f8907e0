//! Writing what changed, batch by batch: while one is being written the next is read and parsed.

use super::made::Making;
use super::plan::{self, Plan};
use super::segment::{self, Extracted};
use super::walk::Found;
use super::{IndexReport, blocking};
use crate::{Engine, Error, Observer, Project, Result};
use std::sync::Arc;
use store::{FileBatch, WorktreeId};

/// How much source one batch may hold: large enough that a term's row is shared by many files, small enough for memory.
const BATCH_BYTES: u64 = 16 << 20;
const BATCH_FILES: usize = 2_000;

/// Where to write, and how what is written is made.
pub(super) struct Writing<'a> {
    pub(super) engine: &'a Engine,
    pub(super) project: &'a Project,
    pub(super) worktree: &'a WorktreeId,
    pub(super) making: Arc<Making>,
}

impl Writing<'_> {
    /// Writes all changes of a plan. Every batch is a transaction: one that was written stays, whatever comes after.
    pub(super) async fn changes(&self, plan: Plan, report: &mut IndexReport, observer: &dyn Observer) -> Result<()> {
        let (total, mut done) = (plan.changed.len() as u64, 0);
        let mut ready = FileBatch { removed: plan.removed, ..FileBatch::default() };
        for batch in plan::batches(plan.changed, BATCH_FILES, BATCH_BYTES) {
            if observer.cancelled() {
                self.write(ready).await?;
                return Err(Error::Cancelled);
            }
            done += batch.len() as u64;
            let (extracted, ()) = tokio::try_join!(self.extract(batch), self.write(ready))?;
            report.indexed += extracted.batch.versions.len() as u64;
            report.unchanged += extracted.batch.known.len() as u64;
            report.skipped.extend(extracted.skipped);
            ready = extracted.batch;
            observer.progress("indexing", done, total);
        }
        self.write(ready).await
    }

    async fn extract(&self, batch: Vec<Found>) -> Result<Extracted> {
        let (root, making, now) = (self.project.root.clone(), Arc::clone(&self.making), self.engine.clock.now());
        let read = blocking("reading files", move || plan::read_all(&root, batch, &making, now)).await?;
        let wanted: Vec<_> = read.files.iter().map(|file| (file.path.clone(), file.hash, file.made)).collect();
        let known = self.engine.store.known_versions(self.worktree, &wanted).await?;
        let (clock, making) = (Arc::clone(&self.engine.clock), Arc::clone(&self.making));
        blocking("parsing files", move || segment::build(read, &known, &making, &*clock)).await
    }

    async fn write(&self, batch: FileBatch) -> Result<()> {
        if batch.versions.is_empty() && batch.known.is_empty() && batch.removed.is_empty() {
            return Ok(());
        }
        Ok(self.engine.store.write_files(self.worktree, batch).await?)
    }
}
