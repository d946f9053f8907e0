//! The tools of other systems as HTTP routes: `POST /v1/lcm_grep` takes the parameters of the tool and gives its reply,
//! for programs that know the names and do not speak MCP.

use super::parameter_mapping::ParameterMapping;
use super::profile::{ProfileAction, all_tools};
use super::reply_mapping::ReplyMapping;
use crate::errors::{AppError, ErrorClass};
use crate::ops::{AnyOperation, OperationAnswer};
use serde_json::Value;

/// A tool of another system that one operation honours.
#[derive(Clone, Copy)]
pub(crate) struct RenamedRoute {
    /// The operation.
    pub(crate) operation: &'static dyn AnyOperation,
    parameters: &'static ParameterMapping,
    reply: &'static ReplyMapping,
}

/// The tool of that name, whichever profile has it.
pub(crate) fn find_renamed(name: &str) -> Option<RenamedRoute> {
    all_tools().find(|tool| tool.name == name).and_then(|tool| match &tool.action {
        ProfileAction::Renamed(operation, parameters, reply) => {
            Some(RenamedRoute { operation: *operation, parameters, reply })
        }
        ProfileAction::Run(_) | ProfileAction::Command(_) | ProfileAction::Any => None,
    })
}

/// The names of these tools.
pub(crate) fn renamed_names() -> impl Iterator<Item = &'static str> {
    let is_renamed = |action: &ProfileAction| matches!(action, ProfileAction::Renamed(..));
    all_tools().filter(move |tool| is_renamed(&tool.action)).map(|tool| tool.name.as_str())
}

impl RenamedRoute {
    /// Our parameters for theirs.
    pub(crate) fn map_params(&self, given: Value) -> Result<Value, AppError> {
        if let Value::Object(given) = given {
            return self.parameters.map_arguments(given);
        }
        let message = format!("the parameters are {given}: expected an object");
        Err(AppError::new(ErrorClass::Usage, "invalid_parameters", message))
    }

    /// Their reply, or what went wrong in their words.
    pub(crate) fn map_outcome(&self, outcome: Result<OperationAnswer, AppError>) -> Result<OperationAnswer, AppError> {
        outcome.map(|answer| self.reply.map_answer(answer)).map_err(|problem| self.parameters.map_error(problem))
    }
}
