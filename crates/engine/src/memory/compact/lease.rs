//! The lease on a conversation's context: a lock with an expiry in the store that is taken, prolonged and released
//! while the conversation is compacted, so that two processes do not compact it at once.

use crate::base::{Error, Result};
use crate::memory::MemoryContext;
use model::{ConversationId, Timestamp};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use store::Fence;

/// A worker that does not come back for so long has lost its lease.
const LASTS: Duration = Duration::from_mins(2);

pub(in crate::memory) struct ContextLease<'a> {
    memory: &'a MemoryContext,
    id: &'a ConversationId,
    fence: Fence,
    /// When it was last prolonged, in milliseconds of the clock that only runs forward.
    renewed: AtomicU64,
}

impl<'a> ContextLease<'a> {
    /// Takes the lease of a conversation's context, or fails where another process has it.
    pub(in crate::memory) async fn acquire(memory: &'a MemoryContext, id: &'a ConversationId) -> Result<Self> {
        let fence = memory.store.lease_context(id, None, memory.clock.now(), lease_end(memory)).await?;
        // Not waited for: the process that holds the lease does the same work.
        let fence = fence.ok_or_else(|| lease_held_error(id))?;
        Ok(Self { memory, id, fence, renewed: AtomicU64::new(clock_millis(memory)) })
    }

    pub(in crate::memory) fn fence(&self) -> Fence {
        self.fence
    }

    /// Prolongs it when a good part of its time is over.
    pub(in crate::memory) async fn renew(&self) -> Result<()> {
        let now = clock_millis(self.memory);
        // Renewed after a quarter of its time, so that a slow step does not lose it; a short fold writes nothing extra.
        if now.saturating_sub(self.renewed.load(Ordering::Relaxed)) < LASTS.as_millis() as u64 / 4 {
            return Ok(());
        }
        let memory = self.memory;
        let until = lease_end(self.memory);
        let kept = memory.store.lease_context(self.id, Some(self.fence), memory.clock.now(), until).await?;
        self.renewed.store(now, Ordering::Relaxed);
        kept.map(drop).ok_or_else(|| lease_held_error(self.id))
    }

    /// Releases the lease, and notes up to which message the context was read.
    pub(in crate::memory) async fn release(self, seen_to: u64) -> Result<()> {
        Ok(self.memory.store.release_context(self.id, self.fence, seen_to).await?)
    }
}

fn lease_end(memory: &MemoryContext) -> Timestamp {
    Timestamp(memory.clock.now().0.saturating_add(LASTS.as_millis() as i64))
}

fn clock_millis(memory: &MemoryContext) -> u64 {
    memory.clock.monotonic_time().as_millis() as u64
}

fn lease_held_error(id: &ConversationId) -> Error {
    Error::Held { what: "conversation", id: id.to_string() }
}
