//! The one suite every store must pass.
