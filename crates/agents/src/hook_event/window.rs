//! What a hook event says about the window of its session: whose call it is, whether the tool is ours, which lines of a
//! file a tool of the agent showed, and what the transcript shows of what is still in the context.

use super::HookEvent;
use crate::catalog::ALL_AGENTS;
use crate::hook_traits::{ShownFileText, WindowTraits};
use std::collections::BTreeSet;

/// Under which names calls over MCP may have the agent's id of them, in their `_meta`.
pub fn call_keys() -> impl Iterator<Item = &'static str> {
    ALL_AGENTS.iter().filter_map(|agent| agent.hooks.window.as_ref().map(|window| window.call_key))
}

impl HookEvent {
    /// Whether one can know what is before the eyes of its agent's model.
    pub fn has_window(&self) -> bool {
        self.window().is_some()
    }

    /// The sub-agent that it is about; empty for the session itself.
    pub fn sub_agent(&self) -> &str {
        self.text_field(&["agent_id"]).unwrap_or_default()
    }

    /// Whether it is about a tool of ours.
    pub fn is_own_tool(&self) -> bool {
        self.window().zip(self.tool_name()).is_some_and(|(window, tool)| (window.is_own_tool)(tool))
    }

    /// Whether the call that it tells of the end of failed.
    pub fn is_failure(&self) -> bool {
        self.tool_error().is_some() || self.envelope.event.to_ascii_lowercase().contains("failure")
    }

    /// The lines of a file that the agent's own tool showed.
    pub fn shown_file(&self) -> Option<ShownFileText> {
        (self.window()?.shown_file)(self.tool_name()?, self.tool_output()?)
    }

    /// Whether a piece of its transcript says that texts were taken out of the context.
    pub fn is_emptied_in(&self, transcript: &[u8]) -> bool {
        self.window().is_none_or(|window| (window.is_emptied)(transcript))
    }

    /// The calls before the model's eyes, by the end of its transcript; none where that does not show the prompt that was
    /// written from a place in it on, if one was.
    pub fn calls_in_context(&self, transcript: &[u8], prompted_at: Option<usize>) -> Option<BTreeSet<String>> {
        (self.window()?.calls_in_context)(transcript, prompted_at)
    }

    fn window(&self) -> Option<&'static WindowTraits> {
        self.hook_traits().window.as_ref()
    }
}
