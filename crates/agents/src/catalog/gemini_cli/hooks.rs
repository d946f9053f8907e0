//! Gemini CLI reads what hooks tell it, and hands it over together with the prompt at the next event.

use crate::HookTraits;

pub(super) const HOOKS: HookTraits = HookTraits::READING;
