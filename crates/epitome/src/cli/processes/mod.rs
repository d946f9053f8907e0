//! Commands that start a process which stays, or answer for one.

pub(super) mod daemon;
pub(crate) mod hook;
pub(super) mod mcp;
pub(super) mod serve;
pub(super) mod watch;
