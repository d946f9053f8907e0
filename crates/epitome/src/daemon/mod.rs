//! The daemon: one process of ours that stays for a while after an agent called a hook.
//!
//! It takes in what waits in the spool, and answers hooks that need the store, which it has open already. Nobody needs
//! it: a hook that finds none does the work itself and leaves one behind for the next. So it may be killed at any moment,
//! and it leaves by itself: when nothing happens, when its place or its program is gone, and when a newer program asks.

mod client;
mod life;
mod open;
mod post;
mod wire;

pub(crate) use client::{Asked, Running, ask, look, poke, stop};
pub(crate) use life::run;
pub(crate) use post::Post;

/// The version that both ends tell each other.
const VERSION: &str = env!("CARGO_PKG_VERSION");
