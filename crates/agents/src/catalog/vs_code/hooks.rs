//! How VS Code's hooks differ from the default (`HookTraits::LISTEN_ONLY`): it runs the hooks registered for Copilot CLI and
//! for Claude Code as its own.

use crate::HookTraits;
use crate::hook_traits::{AnswerForm, BorrowedHooks, ContextMoment};

pub(super) const HOOKS: HookTraits = HookTraits {
    // VS Code runs the hooks of Copilot in its own words. Where it reads those of Claude Code, too, the session
    // must be injected once.
    reads_context: ContextMoment::FreshStartNamed("sessionStart"),
    // It knows only its own word for it.
    answer_form: AnswerForm::SpecificAs("SessionStart"),
    // Only it writes the time as a date.
    borrowed: Some(BorrowedHooks { of: &["claude-code", "copilot-cli"], is_own: |body| body["timestamp"].is_string() }),
    ..HookTraits::LISTEN_ONLY
};
