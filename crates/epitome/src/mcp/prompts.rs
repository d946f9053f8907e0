//! The one prompt of a profile: its instructions, for clients that put prompts before the model and read no others.

use super::profile::Profile;
use rmcp::model::{GetPromptResult, Prompt, PromptMessage, Role};

pub(super) fn listed(profile: &Profile) -> Vec<Prompt> {
    vec![Prompt::new(profile.prompt_name(), Some("How to work with what is offered here"), None)]
}

/// The prompt of that name, if it is the one.
pub(super) fn filled(profile: &Profile, name: &str) -> Option<GetPromptResult> {
    let message = || PromptMessage::new_text(Role::User, profile.instructions.clone());
    (name == profile.prompt_name()).then(|| GetPromptResult::new(vec![message()]))
}
