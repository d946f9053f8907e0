//! The lease of a context, held while it is folded.

use crate::{Engine, Error, Result};
use model::{ConversationId, Timestamp};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use store::Fence;

/// A worker that does not come back for so long has lost its lease.
const LASTS: Duration = Duration::from_mins(2);

pub(in crate::memory) struct Lease<'a> {
    engine: &'a Engine,
    id: &'a ConversationId,
    fence: Fence,
    /// When it was last prolonged, in milliseconds of the clock that only runs forward.
    renewed: AtomicU64,
}

impl<'a> Lease<'a> {
    /// Takes the lease of a conversation's context, or says that somebody else has it.
    pub(in crate::memory) async fn take(engine: &'a Engine, id: &'a ConversationId) -> Result<Self> {
        let fence = engine.store.lease_context(id, None, engine.clock.now(), end(engine)).await?;
        let fence = fence.ok_or_else(|| held(id))?;
        Ok(Self { engine, id, fence, renewed: AtomicU64::new(ticks(engine)) })
    }

    pub(in crate::memory) fn fence(&self) -> Fence {
        self.fence
    }

    /// Prolongs it when a good part of its time is over.
    pub(in crate::memory) async fn renew(&self) -> Result<()> {
        let now = ticks(self.engine);
        if now.saturating_sub(self.renewed.load(Ordering::Relaxed)) < LASTS.as_millis() as u64 / 4 {
            return Ok(());
        }
        let (engine, until) = (self.engine, end(self.engine));
        let kept = engine.store.lease_context(self.id, Some(self.fence), engine.clock.now(), until).await?;
        self.renewed.store(now, Ordering::Relaxed);
        kept.map(drop).ok_or_else(|| held(self.id))
    }

    /// Gives it back, and says up to which message the context was looked at.
    pub(in crate::memory) async fn release(self, seen_to: u64) -> Result<()> {
        Ok(self.engine.store.release_context(self.id, self.fence, seen_to).await?)
    }
}

fn end(engine: &Engine) -> Timestamp {
    Timestamp(engine.clock.now().0.saturating_add(LASTS.as_millis() as i64))
}

fn ticks(engine: &Engine) -> u64 {
    engine.clock.ticks().as_millis() as u64
}

fn held(id: &ConversationId) -> Error {
    Error::Held { what: "conversation", id: id.to_string() }
}
