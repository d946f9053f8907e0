//! The MCP tool `epitome`: runs any operation by name, so that a short tool list leaves no operation out of reach.

use super::coerce_arguments::coerce_to_schema;
use super::schema;
use crate::errors::{AppError, ErrorClass};
use crate::metrics::{Door, run_counted};
use crate::ops::{self, AnyOperation, CommandExit, OperationAnswer, OperationCall};
use crate::suggestion::nearest_word;
use engine::CallFacts;
use serde_json::{Map, Value, json};

pub(super) const NAME: &str = "epitome";
pub(super) const SUMMARY: &str = "Run any operation by name: `recall` and `grep` what was said, `search`, `symbol`, \
                                  `relations`, `impact`, …; `help` lists them";

/// The name that is no operation's.
const HELP: &str = "help";

/// The schema of its parameters.
pub(super) fn params_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "operation": { "type": "string" },
            "arguments": { "type": "object", "description": "The operation's parameters" },
        },
        "additionalProperties": false,
    })
}

/// Runs the operation that the parameters name.
pub(super) async fn run(call: &OperationCall<'_>, given: Map<String, Value>) -> Result<OperationAnswer, AppError> {
    let OperationRequest { operation, arguments } = OperationRequest::from_arguments(given)?;
    match operation.as_deref() {
        None if arguments.is_empty() => Ok(list_operations()),
        None => Err(invalid_parameters("missing field `operation`")
            .with_hint("it names the operation that takes these arguments")),
        Some(HELP) => show_help(&arguments),
        Some(name) => {
            let operation = find_operation(name)?;
            // Models write arguments as loosely here as for any tool, so they are read as generously.
            let arguments =
                coerce_to_schema(&schema::schema_object(schema::compact_schema(operation.params_schema())), arguments);
            run_counted(Door::Mcp, operation, call, Value::Object(arguments)).await
        }
    }
}

/// Which operation is wanted, and with what.
struct OperationRequest {
    operation: Option<String>,
    arguments: Map<String, Value>,
}

impl OperationRequest {
    /// Arguments may stand beside the operation, or be the text of their JSON: what is meant is the same.
    fn from_arguments(mut given: Map<String, Value>) -> Result<Self, AppError> {
        let operation = match given.shift_remove("operation") {
            None | Some(Value::Null) => None,
            Some(Value::String(name)) => Some(name.trim().to_lowercase()),
            Some(other) => return Err(invalid_parameters(format!("`operation` is {other}: write the name of one"))),
        };
        let mut arguments = match given.shift_remove("arguments") {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(arguments)) => arguments,
            Some(Value::String(text)) => serde_json::from_str(&text).map_err(|_| no_object(&Value::String(text)))?,
            Some(other) => return Err(no_object(&other)),
        };
        for (name, value) in given {
            // Two values for one parameter leave open which one is meant.
            if arguments.contains_key(&name) {
                return Err(invalid_parameters(format!("`{name}` stands in `arguments` and beside them")));
            }
            arguments.insert(name, value);
        }
        // Models write `help grep` and `epitome search` as they would at a terminal.
        let operation = operation.map(|name| name.strip_prefix("epitome ").map_or(name.clone(), str::to_owned));
        if let Some(("help", of)) = operation.as_deref().and_then(|name| name.split_once(' ')) {
            arguments.insert("operation".to_owned(), Value::from(of));
            return Ok(Self { operation: Some(HELP.to_owned()), arguments });
        }
        Ok(Self { operation, arguments })
    }
}

fn no_object(given: &Value) -> AppError {
    invalid_parameters(format!("`arguments` is {given}: write an object, for example {{\"query\": \"retry policy\"}}"))
}

fn show_help(arguments: &Map<String, Value>) -> Result<OperationAnswer, AppError> {
    let mut names = arguments.values();
    match (names.next(), names.next()) {
        (None, _) => Ok(list_operations()),
        (Some(Value::String(name)), None) => Ok(describe_operation(find_operation(name)?)),
        _ => Err(invalid_parameters("help takes the name of an operation: {\"operation\": NAME}, or nothing")),
    }
}

fn list_operations() -> OperationAnswer {
    let width = ops::operation_names().map(str::len).max().unwrap_or(0);
    let lines =
        ops::ALL_OPERATIONS.iter().map(|operation| format!("{:width$}  {}\n", operation.name(), operation.summary()));
    let operations = ops::ALL_OPERATIONS.iter().map(|it| json!({ "name": it.name(), "summary": it.summary() }));
    OperationAnswer {
        text: lines.collect(),
        json: json!({ "operations": operations.collect::<Vec<_>>() }),
        exit: CommandExit::Ok,
        is_escaped: false,
        facts: CallFacts::default(),
    }
}

fn describe_operation(operation: &dyn AnyOperation) -> OperationAnswer {
    let parameters = schema::compact_schema(operation.params_schema());
    OperationAnswer {
        text: format!("{}: {}\nparameters: {parameters}\n", operation.name(), operation.summary()),
        json: json!({ "name": operation.name(), "summary": operation.summary(), "parameters": parameters }),
        exit: CommandExit::Ok,
        is_escaped: false,
        facts: CallFacts::default(),
    }
}

fn find_operation(name: &str) -> Result<&'static dyn AnyOperation, AppError> {
    ops::find_operation(name).ok_or_else(|| {
        let names = ops::operation_names().collect::<Vec<_>>().join(", ");
        let meant = nearest_word(name, ops::operation_names())
            .map(|meant| format!("did you mean `{meant}`? "))
            .unwrap_or_default();
        AppError::new(ErrorClass::Usage, "unknown_operation", format!("unknown operation `{name}`"))
            .with_hint(format!("{meant}there are {names}"))
    })
}

fn invalid_parameters(message: impl Into<String>) -> AppError {
    AppError::new(ErrorClass::Usage, "invalid_parameters", message)
}
