//! Auggie reads what a hook tells it when a session begins.

use crate::HookTraits;
use crate::hook_traits::ContextMoment;

pub(super) const HOOKS: HookTraits = HookTraits { reads_context: ContextMoment::FreshStart, ..HookTraits::USUAL };
