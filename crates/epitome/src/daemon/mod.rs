//! The daemon: a background process that stays for a while after an agent called a hook, stores what waits in the
//! spool, and answers hooks that need the store, which it has open already. No hook needs it: one that finds no daemon
//! does the work itself and starts one for the next. So the daemon may be killed at any moment, and exits by itself:
//! when idle, when its directory or its program is gone, and when a newer program asks.

mod app_cache;
mod lock;
mod server;

pub(crate) use lock::DaemonLock;
pub(crate) use server::run;
