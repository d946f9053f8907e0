//! Folding: which stretch of a context becomes a summary next.

mod outline;
mod plan;
mod tail;
#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) use outline::Voice;
pub(crate) use outline::safe_cuts;
pub(crate) use outline::{FENCE, Item, Node, Outliner, cost};
pub use plan::Mode;
pub(crate) use plan::{Progress, Rules, Step, next};
pub(crate) use tail::protected;
