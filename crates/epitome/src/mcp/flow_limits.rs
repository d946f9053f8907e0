//! Bounds on what one MCP client can have under way: requests, their bytes, and answers that it has not read. A client that
//! sends more waits, because its next line is not read before there is room; nothing is refused or lost.

use rmcp::model::{ClientJsonRpcMessage, GetExtensions as _, JsonRpcMessage};
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How many bytes of requests may be under way: as many as the longest line has.
const MAX_REQUEST_BYTES: usize = super::stdio::MOST_BYTES;
/// How many requests may be under way.
const MAX_REQUESTS: usize = 32;
/// What a request counts at least, so that one count bounds both.
const MIN_REQUEST_WEIGHT: usize = MAX_REQUEST_BYTES / MAX_REQUESTS;
/// How many answers may wait for a client that does not read.
const MAX_ANSWERS: usize = 2 * MAX_REQUESTS;

/// The room that is left to one client. Clones share it.
#[derive(Clone)]
pub(super) struct FlowLimits {
    requests: Arc<Semaphore>,
    answers: Arc<Semaphore>,
}

/// The room that a request takes until its work is done.
#[derive(Clone)]
struct RequestRoom {
    _permit: Arc<OwnedSemaphorePermit>,
}

impl FlowLimits {
    pub(super) fn new() -> Self {
        Self { requests: Arc::new(Semaphore::new(MAX_REQUEST_BYTES)), answers: Arc::new(Semaphore::new(MAX_ANSWERS)) }
    }

    /// Waits for room. A request carries its room with it, to wherever the SDK takes it, and gives it back when it is
    /// dropped: answered, cancelled or forgotten.
    pub(super) async fn admit_message(&self, message: &mut ClientJsonRpcMessage, bytes: usize) {
        if let JsonRpcMessage::Request(request) = message {
            let weight = bytes.clamp(MIN_REQUEST_WEIGHT, MAX_REQUEST_BYTES) as u32;
            // The semaphores are never closed.
            if let Ok(permit) = Arc::clone(&self.requests).acquire_many_owned(weight).await {
                request.request.extensions_mut().insert(RequestRoom { _permit: Arc::new(permit) });
            }
            // Taken and given back at once: whether there is room for one more answer.
            drop(self.answers.acquire().await);
        }
    }

    /// The room of an answer until it is written. Taken without waiting, because the answer is there already: what keeps
    /// them few is that no request is admitted while there are too many.
    pub(super) fn hold_answer(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.answers).try_acquire_owned().ok()
    }
}
