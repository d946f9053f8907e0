//! Helpers for the tests of several crates: fixture trees, a PostgreSQL of their own, a connection that breaks on
//! order.
//!
//! Everything here is a real thing, small and private to one test. What is missing from the machine makes a test
//! fail and say what to install; nothing is skipped.

pub mod postgres;
pub mod proxy;
mod tree;

pub use tree::fixture_tree;
