//! The `epitome` binary: configuration, wiring, and three doors (command line, MCP, HTTP) to the same operations.

mod atomic;
mod behind;
mod cli;
mod compose;
mod config;
mod connect;
mod errors;
mod follow;
mod http;
mod mcp;
mod nearest;
mod ops;
mod transcripts;
mod worker;

use mimalloc::MiMalloc;
use std::process::ExitCode;

/// Indexing makes and drops many small texts on all threads, where the system's allocator takes a tenth of the time.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    cli::main()
}
