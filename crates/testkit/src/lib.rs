//! Test helpers for several crates: temporary directories with files, a private PostgreSQL server, a pooler in
//! front of one, a TCP proxy that cuts a database connection at a COMMIT, a hostile repository, and a corpus of made-up secrets.
//!
//! Everything here is a real thing, small and private to one test. What is missing from the machine makes a test fail
//! and say what to install; only what needs the pooler is skipped, with a word, where there is none.

pub mod hostile;
pub mod pooler;
pub mod postgres;
pub mod proxy;
pub mod secrets;
mod tree;

pub use tree::fixture_tree;

/// The folders in which programs are looked for, for a test that starts one with an environment of its own.
#[expect(clippy::disallowed_methods, reason = "the programs of the machine that runs the tests")]
pub fn search_path() -> std::ffi::OsString {
    std::env::var_os("PATH").unwrap_or_default()
}
