//! The protocol between hooks or commands and the daemon: `wire` defines the messages, `client` sends them. The daemon
//! itself, which answers, is in `daemon`.

mod client;
mod wire;

pub(crate) use client::{DaemonAnswer, DaemonProcess, ping_daemon, request_answer, request_drain, stop_daemon};
pub(crate) use wire::{AnswerRequest, DaemonCommand, DaemonOutcome, DaemonReply, ParsedRequest, socket_path};

/// The version that both ends tell each other.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");
