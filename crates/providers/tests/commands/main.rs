//! Integration tests of the vendors that are command-line programs (`claude`, `codex`), with a shell script as a stub
//! of each.

mod errands;
mod stage;
