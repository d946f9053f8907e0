//! Integration tests of the HTTP vendors' clients, against a scripted stub server on this machine.

mod dialects;
mod embedders;
mod faults;
mod requests;
mod stage;
mod statuses;
