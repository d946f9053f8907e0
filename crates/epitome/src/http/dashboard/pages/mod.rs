//! The pages of the dashboard, a file each: what a page asks for, and how it shows the replies.

pub(super) mod checkpoints;
pub(super) mod documents;
pub(super) mod graph;
pub(super) mod health;
pub(super) mod memory;
mod message;
pub(super) mod modes;
pub(super) mod overview;
pub(super) mod projects;
pub(super) mod search;
pub(super) mod session;
pub(super) mod sessions;
pub(super) mod suggestions;
pub(super) mod summary;
pub(super) mod tiers;
pub(super) mod value;
