//! Types of the fake model's script: for each prompt of the scenario, the steps (texts, tool calls) that the model
//! answers with.

use serde_json::{Value, json};

/// One step of the model.
#[derive(Clone, Debug)]
pub(in crate::hosts) enum ScriptStep {
    /// Says something and ends the turn.
    Say(&'static str),
    /// Reads a file of the project.
    Read(&'static str),
    /// Runs a command.
    Run(String),
    /// Replaces a line of a file of the project.
    Edit { path: &'static str, old: &'static str, new: &'static str },
    /// Writes down what is still to do.
    Plan(&'static str),
    /// Calls a tool of ours.
    Ask { tool: &'static str, arguments: Value },
}

/// In the arguments of a call: the last message id that a tool gave back.
pub(in crate::hosts) const MESSAGE: &str = "@message";

/// A prompt, and what the model does with it.
#[derive(Clone, Debug)]
pub(in crate::hosts) struct ScriptTurn {
    pub(in crate::hosts) name: &'static str,
    pub(in crate::hosts) prompt: String,
    pub(in crate::hosts) steps: Vec<ScriptStep>,
}

impl ScriptStep {
    pub(in crate::hosts) fn ask_operation(operation: &str, arguments: &Value) -> Self {
        Self::Ask { tool: "epitome", arguments: json!({ "operation": operation, "arguments": arguments }) }
    }
}

impl ScriptTurn {
    /// The model's text at its end.
    pub(in crate::hosts) fn last_words(&self) -> Option<&'static str> {
        self.steps.iter().rev().find_map(|step| if let ScriptStep::Say(words) = step { Some(*words) } else { None })
    }
}
