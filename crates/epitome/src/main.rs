//! Entry point of the `epitome` binary: loads the configuration, builds the application, and runs one of four
//! interfaces: command line, MCP and HTTP for the same operations, and the hooks of agents.

mod allocator;
mod atomic;
mod background;
mod booking;
mod cli;
mod compactions;
mod compose;
mod config;
mod connect;
mod daemon;
mod daemon_link;
mod detach;
mod errors;
mod git_hooks;
mod hook;
mod http;
mod mcp;
mod metrics;
mod ops;
mod own_command;
mod spool;
mod suggestion;
mod transcripts;

use allocator::BumpAllocator;
use std::process::ExitCode;

/// Indexing makes and drops many small texts on all threads, where the system's allocator takes a tenth of the time.
#[global_allocator]
static HEAP: BumpAllocator = BumpAllocator::new();

fn main() -> ExitCode {
    disable_huge_pages();
    // An agent waits for its hook, which therefore does not pay for the rest of the command line.
    // Nor does a person who only asks for the version pay for an allocator that is made for long work.
    cli::processes::hook::run_early().unwrap_or_else(|| cli::main(|| HEAP.close_arena()))
}

/// Keeps this process, and those it starts, from being given pages of 2 MB where the system gives them unasked: few bytes
/// of each are used, and clearing them is most of what a short command does. The allocator is built not to ask for them.
fn disable_huge_pages() {
    // If the system has no such switch, the process only takes more memory.
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::disable_transparent_huge_pages(true);
}
