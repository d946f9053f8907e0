//! The only MCP prompt of a profile: its instructions, for clients that show prompts to the model and ignore server
//! instructions.

use super::profile::ToolProfile;
use rmcp::model::{GetPromptResult, Prompt, PromptMessage, Role};

pub(super) fn profile_prompts(profile: &ToolProfile) -> Vec<Prompt> {
    vec![Prompt::new(profile.prompt_name(), Some("How to work with what is offered here"), None)]
}

/// The prompt of that name, if it is the one.
pub(super) fn find_prompt(profile: &ToolProfile, name: &str) -> Option<GetPromptResult> {
    let message = || PromptMessage::new_text(Role::User, profile.instructions.clone());
    (name == profile.prompt_name()).then(|| GetPromptResult::new(vec![message()]))
}
