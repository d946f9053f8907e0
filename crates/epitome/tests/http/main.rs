//! The HTTP door, asked over a socket: the real binary on a free port, and replies to the last byte.

mod client;
mod process;

mod admission;
mod bodies;
mod dashboard;
mod described;
mod fidelity;
mod floods;
mod folding;
mod foreign;
mod lifecycle;
mod mcp;
mod operations;
mod projects;
mod tenants;
mod tokens;
mod value;
