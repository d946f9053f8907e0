//! Operations on the state of Epitome itself: what is stored (`status`) and of which projects (`project`), whether it is
//! intact (`verify`, `repair`), what memory holds (`stats`), what it cost (`value`), how files are best shown (`modes`), what is in
//! the context of an agent (`window`).

pub(crate) mod modes;
pub(crate) mod project;
mod project_wire;
pub(crate) mod repair;
pub(crate) mod stats;
pub(crate) mod status;
pub(crate) mod value;
pub(crate) mod verify;
pub(crate) mod window;
