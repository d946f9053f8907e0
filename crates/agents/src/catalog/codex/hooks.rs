//! How Codex's hooks differ from the default (`HookTraits::LISTEN_ONLY`): as in Claude Code, text that a hook returns reaches
//! the model, but no hook can replace a tool's output.

use crate::HookTraits;

pub(super) const HOOKS: HookTraits = HookTraits::CONTEXT_READING;
