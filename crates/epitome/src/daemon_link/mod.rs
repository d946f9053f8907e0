//! How hooks and commands speak with the daemon: `wire` is what is said, `client` says it. The daemon itself is in
//! `daemon`, and answers.

mod client;
mod wire;

pub(crate) use client::{DaemonAnswer, DaemonProcess, ping_daemon, request_answer, request_drain, stop_daemon};
pub(crate) use wire::{AnswerRequest, DaemonCommand, DaemonOutcome, DaemonReply, ParsedRequest, socket_path};

/// The version that both ends tell each other.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");
