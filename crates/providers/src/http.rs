//! The HTTP client for model vendors: one request to one configured address, bounded in time and in size.
//!
//! Vendors say what to send and what an answer means; how it travels is decided here, once. No redirect is followed
//! and no proxy is used: either would take the connection to an address that was never checked.

mod address;
mod endpoint;
mod ip_scope;
mod resolver;
mod retry_after;

pub use address::{Address, AddressError, NetworkReach};
pub use endpoint::VendorConnection;
pub(crate) use endpoint::{EndpointCall, VendorEndpoint};
