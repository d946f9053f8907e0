//! How Gemini CLI's hooks differ from the default (`HookTraits::LISTEN_ONLY`): text that a hook returns reaches the model,
//! together with the prompt of the next event.

use crate::HookTraits;

pub(super) const HOOKS: HookTraits = HookTraits::CONTEXT_READING;
