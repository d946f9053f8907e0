//! How Auggie's hooks differ from the default (`HookTraits::LISTEN_ONLY`): it passes text that a hook returns on to the model
//! only at the start of a session.

use crate::HookTraits;
use crate::hook_traits::ContextMoment;

pub(super) const HOOKS: HookTraits = HookTraits { reads_context: ContextMoment::FreshStart, ..HookTraits::LISTEN_ONLY };
