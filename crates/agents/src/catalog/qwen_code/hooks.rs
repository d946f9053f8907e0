//! How Qwen Code's hooks, taken over from Claude Code, differ from the default (`HookTraits::LISTEN_ONLY`): text that a hook
//! returns reaches the model, also when a tool failed, and a long tool output is kept in a file, which a notice inside of the shown text names.
//! Here is how that notice is recognised and the file found.

use crate::HookTraits;
use crate::hook_traits::{OutputPlace, ShownPart, TruncationNotice};

pub(super) const HOOKS: HookTraits = HookTraits {
    truncation: Some(TruncationNotice {
        beginning: "Tool output was too large and has been truncated.",
        label: "The full output has been saved to: ",
        lies: OutputPlace::In(".qwen/tmp"),
        shows: ShownPart::Other,
    }),
    reads_failures: true,
    ..HookTraits::CONTEXT_READING
};
