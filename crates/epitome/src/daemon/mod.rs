//! The daemon: one process of ours that stays for a while after an agent called a hook.
//!
//! It takes in what waits in the spool, and answers hooks that need the store, which it has open already. No hook
//! needs it: one that finds no daemon does the work itself and starts one for the next. So it may be killed at any
//! moment, and it leaves by itself: when nothing happens, when its place or its program is gone, and when a newer
//! program asks.

mod app_cache;
mod lock;
mod server;

pub(crate) use lock::DaemonLock;
pub(crate) use server::run;
