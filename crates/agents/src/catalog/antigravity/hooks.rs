//! How Antigravity's hooks differ from the default (`HookTraits::LISTEN_ONLY`): they only listen, as usual, but Antigravity
//! expects a JSON answer (`{}`) to every hook event.

use crate::HookTraits;

pub(super) const HOOKS: HookTraits = HookTraits { empty_answer: Some("{}"), ..HookTraits::LISTEN_ONLY };
