//! The vendors that are commands, played by a script.

mod errands;
mod stage;
