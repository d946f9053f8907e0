//! Qwen Code took over the hooks of Claude Code. It keeps long outputs in files, and says so inside of what it shows.

use crate::HookTraits;
use crate::hook_traits::{OutputPlace, ShownPart, TruncationNotice};

pub(super) const HOOKS: HookTraits = HookTraits {
    truncation: Some(TruncationNotice {
        beginning: "Tool output was too large and has been truncated.",
        label: "The full output has been saved to: ",
        lies: OutputPlace::In(".qwen/tmp"),
        shows: ShownPart::Other,
    }),
    ..HookTraits::READING
};
