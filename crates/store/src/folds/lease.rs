//! Leases: who works on a conversation's context or a job. A holder that died is noticed within seconds, and never by
//! the clock of a client, which may be wrong: where one server keeps the data, its clock says when a lease ends unless
//! it is renewed; where the data is in files, a lock on a file ends with the process that holds it.

use super::Fence;
use model::Timestamp;
use std::fmt;
use std::time::Duration;

/// A lease that was taken. A holder that drops it without giving it back has died as far as others can see.
pub struct Lease {
    /// The number under which its holder writes.
    pub fence: Fence,
    /// What keeps others away while it lives; none where time does.
    _guard: Option<Box<dyn Send + Sync>>,
}

impl Lease {
    /// A lease that ends by the clock of the store.
    #[cfg(feature = "postgres")]
    pub(crate) fn timed(fence: Fence) -> Self {
        Self { fence, _guard: None }
    }

    /// A lease that ends with its guard.
    #[cfg(feature = "sqlite")]
    pub(crate) fn guarded(fence: Fence, guard: impl Send + Sync + 'static) -> Self {
        Self { fence, _guard: Some(Box::new(guard)) }
    }
}

impl fmt::Debug for Lease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lease").field("fence", &self.fence).finish_non_exhaustive()
    }
}

/// What asking for a lease gives.
#[derive(Debug)]
pub enum LeaseOutcome {
    /// The caller has it.
    Taken(Lease),
    /// Another worker has it.
    Busy(LeaseEnd),
}

impl LeaseOutcome {
    /// The lease, unless another worker has it.
    pub fn taken(self) -> Option<Lease> {
        match self {
            Self::Taken(lease) => Some(lease),
            Self::Busy(_) => None,
        }
    }
}

/// Until when another worker has a lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeaseEnd {
    /// When it ends unless its holder renews it, by the clock of the store; none where it ends with its holder.
    pub until: Option<Timestamp>,
    /// After how long asking again makes sense.
    pub ask_again: Duration,
}

/// After how long it makes sense to ask again for what ends with its holder.
#[cfg(feature = "sqlite")]
pub(crate) const ASK_AGAIN_AFTER: Duration = Duration::from_secs(5);
