//! Folding: which stretch of a context becomes a summary next.

mod outline;
mod plan;
mod tail;
#[cfg(test)]
mod tests;

pub(crate) use outline::{Item, Node, Outliner, cost};
pub(crate) use plan::{Mode, Progress, Rules, next};
