//! The `epitome` binary: configuration, wiring, and three doors (command line, MCP, HTTP) to the same operations.

mod cli;
mod compose;
mod config;
mod errors;
mod follow;
mod http;
mod mcp;
mod nearest;
mod ops;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
