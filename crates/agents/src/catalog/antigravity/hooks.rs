//! Antigravity's hooks listen, but it reads an answer in any case.

use crate::HookTraits;

pub(super) const HOOKS: HookTraits = HookTraits { empty_answer: Some("{}"), ..HookTraits::USUAL };
