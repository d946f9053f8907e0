//! Commands that start or control a long-running process, or that agents call: `mcp`, `serve`, `dashboard`, `daemon`,
//! `watch` and `hook`.

pub(super) mod daemon;
pub(super) mod dashboard;
pub(crate) mod hook;
pub(super) mod mcp;
pub(super) mod serve;
pub(super) mod watch;
