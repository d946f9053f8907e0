//! Operations on the state of Epitome itself: what is stored (`status`), whether it is intact (`verify`, `repair`),
//! what memory holds (`stats`), what it cost (`value`).

pub(crate) mod repair;
pub(crate) mod stats;
pub(crate) mod status;
pub(crate) mod value;
pub(crate) mod verify;
