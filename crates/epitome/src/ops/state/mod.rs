//! Operations on the state of Epitome itself: what it holds, whether that is whole, what it cost.

pub(crate) mod repair;
pub(crate) mod status;
pub(crate) mod value;
pub(crate) mod verify;
