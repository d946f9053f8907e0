//! How OpenCode's hooks differ from the default (`HookTraits::LISTEN_ONLY`): a long tool output is kept in a file, and what
//! the model sees begins with a note and has the end of the output. Here is how that note is recognised and the file
//! found.

use crate::HookTraits;
use crate::hook_traits::{OutputPlace, ShownPart, TruncationNotice};

pub(super) const HOOKS: HookTraits = HookTraits {
    truncation: Some(TruncationNotice {
        beginning: "...output truncated...",
        label: "Full output saved to: ",
        lies: OutputPlace::In("opencode/tool-output"),
        shows: ShownPart::End,
    }),
    ..HookTraits::LISTEN_ONLY
};
