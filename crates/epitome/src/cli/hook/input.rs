//! Standard input of a hook, which an agent may keep open for ever.

use serde::de::IgnoredAny;
use std::io::Read as _;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// What came on standard input.
pub(super) struct Input {
    pub(super) body: Vec<u8>,
    /// Whether it was still open, and no whole object had come.
    pub(super) is_unfinished: bool,
}

/// How much is read at a time; events are seldom longer.
const EXPECTED: usize = 64 << 10;
/// How long an agent may take to write an event. It is part of [`KEEPING`](crate::hook::KEEPING).
const READING: Duration = Duration::from_secs(3);
/// When nothing came for so long, it may be that all has come, and that the agent does not close its end.
const PAUSE: Duration = Duration::from_millis(20);

impl Input {
    /// Reads until the end, until there is a whole object and nothing follows it, or until the time is up.
    pub(super) fn read() -> Self {
        let (send, receive) = mpsc::channel();
        std::thread::spawn(move || {
            let mut input = std::io::stdin().lock();
            let mut chunk = vec![0; EXPECTED];
            // What could be read before an error is kept; it is found to be no JSON later.
            while let Ok(bytes @ 1..) = input.read(&mut chunk) {
                if send.send(chunk[..bytes].to_vec()).is_err() {
                    return;
                }
            }
        });
        let until = Instant::now() + READING;
        let (mut body, mut is_new) = (Vec::new(), false);
        loop {
            match receive.recv_timeout(PAUSE) {
                Ok(chunk) => {
                    body.extend(chunk);
                    is_new = true;
                }
                Err(RecvTimeoutError::Disconnected) => return Self { body, is_unfinished: false },
                Err(RecvTimeoutError::Timeout) => {
                    if is_new && is_whole(&body) {
                        return Self { body, is_unfinished: false };
                    }
                    is_new = false;
                }
            }
            if Instant::now() > until {
                let is_unfinished = !is_whole(&body);
                return Self { body, is_unfinished };
            }
        }
    }
}

fn is_whole(body: &[u8]) -> bool {
    body.trim_ascii().starts_with(b"{") && serde_json::from_slice::<IgnoredAny>(body).is_ok()
}
