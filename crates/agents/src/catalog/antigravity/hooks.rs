//! How Antigravity's hooks differ from the usual: they read nothing back, but every hook event expects a JSON answer
//! (`{}`).

use crate::HookTraits;

pub(super) const HOOKS: HookTraits = HookTraits { empty_answer: Some("{}"), ..HookTraits::USUAL };
