//! Antigravity's hooks only listen, but it expects a JSON answer to every one.

use crate::HookTraits;

pub(super) const HOOKS: HookTraits = HookTraits { empty_answer: Some("{}"), ..HookTraits::USUAL };
