//! The MCP door over stdio: the real binary, spoken to line by line in both eras, and once by the SDK's own client.

mod process;

mod bad_input;
mod calls;
mod declared;
mod eras;
mod floods;
mod foreign;
mod ledger;
mod long_work;
mod memory;
mod once;
mod over_http;
mod profiles;
mod repeatable;
mod resources;
mod sdk;
mod seen;
mod sessions;
mod watching;
