//! How Copilot CLI's hooks differ from the default (`HookTraits::LISTEN_ONLY`): when answers are read, their form, how long
//! outputs are truncated, and the session log. Only the event at the end of a turn names the transcript, and none names
//! the call it is the result of: both are read from the session log, `events.jsonl`.

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
    ..HookTraits::LISTEN_ONLY
};
