//! Test helpers for several crates: temporary directories with files, a private PostgreSQL server, and a TCP proxy
//! that cuts a database connection at a COMMIT.
//!
//! Everything here is a real thing, small and private to one test. What is missing from the machine makes a test fail
//! and say what to install; nothing is skipped.

pub mod postgres;
pub mod proxy;
mod tree;

pub use tree::fixture_tree;
