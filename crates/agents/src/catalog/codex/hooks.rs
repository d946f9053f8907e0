//! Codex took over the hooks of Claude Code, and lets none replace an output.

use crate::HookTraits;

pub(super) const HOOKS: HookTraits = HookTraits::READING;
