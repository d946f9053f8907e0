//! One file per vendor, one line each here.

#[cfg(feature = "builtin")]
pub mod builtin;
