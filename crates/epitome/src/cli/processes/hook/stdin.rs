//! Reads the JSON body of a hook event from standard input with a time limit, because an agent may keep its end open
//! for ever.

use crate::hook::HookFailure;
use serde::de::IgnoredAny;
use std::io::Read as _;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// What came on standard input.
pub(super) struct HookInput {
    pub(super) body: Vec<u8>,
    /// Why it is not all that was to come, where it is not.
    pub(super) cut: Option<HookFailure>,
}

/// How much is read at a time; events are seldom longer.
const READ_CHUNK_BYTES: usize = 64 << 10;
/// How long an agent may take to write an event. It is part of [`HOOK_EVENT_TIMEOUT`](crate::hook::HOOK_EVENT_TIMEOUT).
const READ_TIMEOUT: Duration = Duration::from_secs(3);
/// When nothing came for so long, it may be that all has come, and that the agent does not close its end.
const IDLE_TIMEOUT: Duration = Duration::from_millis(20);

/// A longer body is not read to its end: it would be held in memory several times.
const MAX_BODY_BYTES: usize = 256 << 20;

impl HookInput {
    /// Reads until the end, however long that takes: the writer is a process of ours.
    pub(super) fn read_to_end() -> Self {
        let mut body = Vec::new();
        // The bytes that could be read before an error are kept.
        let _ = std::io::stdin().lock().read_to_end(&mut body);
        Self { body, cut: None }
    }

    /// Reads until the end, until there is a whole object and nothing follows it, or until the time is up.
    pub(super) fn read_stdin() -> Self {
        let (send, receive) = mpsc::channel();
        // A thread of its own, because a blocking read cannot be given a time limit.
        std::thread::spawn(move || {
            let mut input = std::io::stdin().lock();
            let mut chunk = vec![0; READ_CHUNK_BYTES];
            // The bytes that could be read before an error are kept; the parser finds out later that they are no whole
            // JSON.
            while let Ok(bytes @ 1..) = input.read(&mut chunk) {
                if send.send(chunk[..bytes].to_vec()).is_err() {
                    return;
                }
            }
        });
        let until = Instant::now() + READ_TIMEOUT;
        let mut body = Vec::new();
        let mut is_new = false;
        loop {
            match receive.recv_timeout(IDLE_TIMEOUT) {
                Ok(chunk) => {
                    body.extend(chunk);
                    is_new = true;
                }
                Err(RecvTimeoutError::Disconnected) => return Self { body, cut: None },
                Err(RecvTimeoutError::Timeout) => {
                    // Some agents never close their end of the pipe, so a whole object followed by silence counts as
                    // the end.
                    if is_new && is_whole(&body) {
                        return Self { body, cut: None };
                    }
                    is_new = false;
                }
            }
            // Checked while reading: a body without end must not fill the memory.
            if body.len() > MAX_BODY_BYTES {
                return Self { body, cut: Some(HookFailure::TooLong) };
            }
            if Instant::now() > until {
                let cut = (!is_whole(&body)).then_some(HookFailure::Unfinished);
                return Self { body, cut };
            }
        }
    }
}

fn is_whole(body: &[u8]) -> bool {
    body.trim_ascii().starts_with(b"{") && serde_json::from_slice::<IgnoredAny>(body).is_ok()
}
