//! The planner of compaction: decides, by sizes alone, which range of messages or summaries of a conversation's context
//! is replaced by a summary next. The `compact` module carries the plan out.

mod outline;
mod plan;
mod tail;
#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) use outline::MessageVoice;
pub(crate) use outline::safe_cuts;
pub(crate) use outline::{FENCE, FoldItem, FoldNode, FoldOutliner, total_cost};
pub use plan::FoldMode;
pub(crate) use plan::{FoldProgress, FoldRules, FoldStep, next_step};
pub(crate) use tail::find_protected;
