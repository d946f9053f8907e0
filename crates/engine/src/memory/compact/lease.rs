//! The lease on a conversation's context, which is taken, renewed and released while the conversation is compacted, so
//! that two processes do not compact it at once. A holder that died is noticed within seconds.

use crate::base::{Error, Result};
use crate::memory::MemoryContext;
use model::ConversationId;
use std::future::Future;
use std::time::Duration;
use store::{Fence, Lease, LeaseEnd, LeaseOutcome};

/// How long a lease lasts, and how often its holder renews it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LeaseTimes {
    pub(crate) lasts: Duration,
    pub(crate) renewed_every: Duration,
}

impl Default for LeaseTimes {
    /// Two renewals may fail before the lease is lost.
    fn default() -> Self {
        Self { lasts: Duration::from_secs(15), renewed_every: Duration::from_secs(5) }
    }
}

pub(in crate::memory) struct ContextLease<'a> {
    memory: &'a MemoryContext,
    id: &'a ConversationId,
    lease: Lease,
}

impl<'a> ContextLease<'a> {
    /// Takes the lease of a conversation's context, or fails where another process has it.
    pub(in crate::memory) async fn acquire(memory: &'a MemoryContext, id: &'a ConversationId) -> Result<Self> {
        match memory.store.lease_context(id, memory.leases.lasts).await? {
            LeaseOutcome::Taken(lease) => Ok(Self { memory, id, lease }),
            // Not waited for: the process that holds the lease does the same work.
            LeaseOutcome::Busy(end) => Err(lease_held_error(id, end)),
        }
    }

    pub(in crate::memory) fn fence(&self) -> Fence {
        self.lease.fence
    }

    /// Does some work and renews the lease meanwhile: a model may take longer than the lease lasts. Where the lease is
    /// lost, the work is dropped.
    pub(in crate::memory) async fn renew_during<T>(&self, work: impl Future<Output = Result<T>>) -> Result<T> {
        let times = self.memory.leases;
        run_with_renewal(work, times.renewed_every, || async {
            match self.memory.store.renew_context(self.id, self.lease.fence, times.lasts).await {
                Err(store::Error::Conflict { .. }) => {
                    let end = LeaseEnd { until: None, ask_again: times.renewed_every };
                    Err(lease_held_error(self.id, end))
                }
                renewed => Ok(renewed?),
            }
        })
        .await
    }

    /// Releases the lease, and notes up to which message the context was read.
    pub(in crate::memory) async fn release(self, seen_to: u64) -> Result<()> {
        Ok(self.memory.store.release_context(self.id, self.lease.fence, seen_to).await?)
    }
}

fn lease_held_error(id: &ConversationId, end: LeaseEnd) -> Error {
    Error::Held { what: "conversation", id: id.to_string(), end }
}

/// Does some work, and renews a lease again and again meanwhile. Where the lease cannot be renewed, the work is dropped:
/// another worker may have it already.
pub(in crate::memory) async fn run_with_renewal<T, R>(
    work: impl Future<Output = Result<T>>,
    renewed_every: Duration,
    renew: impl Fn() -> R,
) -> Result<T>
where
    R: Future<Output = Result<()>>,
{
    let renewing = async {
        loop {
            tokio::time::sleep(renewed_every).await;
            if let Err(failure) = renew().await {
                return failure;
            }
        }
    };
    // Both are polled all the time: work that stood still in the middle of a transaction, for as long as a renewal runs,
    // would hold the row that the renewal waits for.
    tokio::select! {
        outcome = work => outcome,
        failure = renewing => Err(failure),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::sync::Mutex;

    #[tokio::test]
    async fn work_goes_on_while_a_renewal_waits_for_what_the_work_holds() {
        let row = Mutex::new(());
        let work = async {
            let _held = row.lock().await;
            tokio::time::sleep(Duration::from_millis(20)).await;
            Ok(7)
        };
        let renew = || async {
            let _held = row.lock().await;
            Ok(())
        };
        let outcome = run_with_renewal(work, Duration::from_millis(1), renew);
        let ended = tokio::time::timeout(Duration::from_mins(1), outcome).await.expect("neither waits forever");
        assert_eq!(ended.expect("the work ends"), 7);
    }

    #[tokio::test]
    async fn work_whose_lease_is_lost_is_dropped() {
        let renew = || async { Err(Error::Cancelled) };
        let outcome = run_with_renewal(std::future::pending::<Result<()>>(), Duration::from_millis(1), renew).await;
        assert!(matches!(outcome, Err(Error::Cancelled)));
    }
}
