//! OpenCode keeps long outputs in files; what it shows of one begins with a note and has the end of it.

use crate::HookTraits;
use crate::hook_traits::{OutputPlace, ShownPart, TruncationNotice};

pub(super) const HOOKS: HookTraits = HookTraits {
    truncation: Some(TruncationNotice {
        beginning: "...output truncated...",
        label: "Full output saved to: ",
        lies: OutputPlace::In("opencode/tool-output"),
        shows: ShownPart::End,
    }),
    ..HookTraits::USUAL
};
