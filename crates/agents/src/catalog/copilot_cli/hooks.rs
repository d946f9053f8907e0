//! Copilot CLI tells hooks neither the transcript, but at the end of a turn, nor the call that an event is the result of.
//! Both are in the log of the session.

use crate::HookTraits;
use crate::hook_traits::{AnswerForm, ContextMoment, OutputPlace, ShownPart, TruncationNotice};

pub(super) const HOOKS: HookTraits = HookTraits {
    reads_context: ContextMoment::FreshStart,
    answer_form: AnswerForm::Bare,
    truncation: Some(TruncationNotice {
        beginning: "Output too large to read at once",
        label: "Saved to: ",
        lies: OutputPlace::Among("-copilot-tool-output-"),
        shows: ShownPart::Beginning(" chars):\n"),
    }),
    session_log: Some(|folder, session| folder.join(session).join("events.jsonl")),
    ..HookTraits::USUAL
};
