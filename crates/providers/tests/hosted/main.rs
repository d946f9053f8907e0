//! The vendors behind HTTP, against a server on this machine that plays them.

mod dialects;
mod embedders;
mod faults;
mod requests;
mod stage;
mod statuses;
