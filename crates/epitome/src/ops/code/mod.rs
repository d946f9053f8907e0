//! Operations on the code of a project, one file each: `index`, `search`, `context`, `read`, `symbol`, `relations`,
//! `impact`, `critique`, `tree`, `briefing`, `document`, `coverage`.

pub(crate) mod briefing;
pub(crate) mod context;
pub(crate) mod coverage;
pub(crate) mod critique;
pub(crate) mod document;
mod document_wire;
pub(crate) mod impact;
pub(crate) mod index;
pub(crate) mod read;
pub(crate) mod relations;
pub(crate) mod search;
mod search_wire;
pub(crate) mod symbol;
pub(crate) mod tree;
mod unlinked_mentions;
