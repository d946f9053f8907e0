//! The `epitome` binary: configuration, wiring, and three doors (command line, MCP, HTTP) to the same operations.

mod atomic;
mod behind;
mod cli;
mod compose;
mod config;
mod connect;
mod daemon;
mod errors;
mod follow;
mod git_hooks;
mod heap;
mod hook;
mod http;
mod mcp;
mod nearest;
mod ops;
mod transcripts;
mod worker;

use heap::Heap;
use std::process::ExitCode;

/// Indexing makes and drops many small texts on all threads, where the system's allocator takes a tenth of the time.
#[global_allocator]
static HEAP: Heap = Heap::new();

fn main() -> ExitCode {
    // Agents wait for hooks: they do not pay for the rest of the command line.
    cli::hook::early().unwrap_or_else(|| {
        HEAP.close();
        cli::main()
    })
}
