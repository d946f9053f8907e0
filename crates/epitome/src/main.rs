//! x
mod config;
mod nearest;

fn main() {}
