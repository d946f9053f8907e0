//! Operations on the state of Epitome itself: what is stored (`status`), whether it is intact (`verify`, `repair`),
//! what it cost (`value`).

pub(crate) mod repair;
pub(crate) mod status;
pub(crate) mod value;
pub(crate) mod verify;
