//! Operations on the state of Epitome itself: what is stored (`status`) and of which projects (`project`), whether it is
//! intact (`verify`, `repair`), what memory holds (`stats`), what it cost (`value`), how files are best shown (`modes`).

pub(crate) mod modes;
pub(crate) mod project;
mod project_wire;
pub(crate) mod repair;
pub(crate) mod stats;
pub(crate) mod status;
pub(crate) mod value;
pub(crate) mod verify;
