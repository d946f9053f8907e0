//! The tool `epitome`: any operation by name, so that a short list of tools leaves nothing out of reach.

use super::schema;
use crate::errors::{Class, Problem};
use crate::http::metrics::{Door, counted};
use crate::nearest::nearest;
use crate::ops::{self, Answer, AnyOperation, Call, Exit};
use serde::Deserialize;
use serde_json::{Map, Value, json};

pub(super) const NAME: &str = "epitome";
pub(super) const SUMMARY: &str = "Run any operation by name; `help` lists them";

/// The name that is no operation's.
const HELP: &str = "help";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    operation: Option<String>,
    #[serde(default)]
    arguments: Map<String, Value>,
}

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
pub(super) async fn run(call: &Call<'_>, params: Value) -> Result<Answer, Problem> {
    let Params { operation, arguments } = serde_json::from_value(params).map_err(|error| invalid(error.to_string()))?;
    match operation.as_deref() {
        None if arguments.is_empty() => Ok(list()),
        None => Err(invalid("missing field `operation`").hint("it names the operation that takes these arguments")),
        Some(HELP) => help(&arguments),
        Some(name) => counted(Door::Mcp, find(name)?, call, Value::Object(arguments)).await,
    }
}

fn help(arguments: &Map<String, Value>) -> Result<Answer, Problem> {
    let mut names = arguments.iter();
    match (names.next(), names.next()) {
        (None, _) => Ok(list()),
        (Some((key, Value::String(name))), None) if key == "operation" => Ok(describe(find(name)?)),
        _ => Err(invalid("help takes the name of an operation: {\"operation\": NAME}, or nothing")),
    }
}

fn list() -> Answer {
    let width = ops::names().map(str::len).max().unwrap_or(0);
    let lines = ops::ALL.iter().map(|operation| format!("{:width$}  {}\n", operation.name(), operation.summary()));
    let operations = ops::ALL.iter().map(|it| json!({ "name": it.name(), "summary": it.summary() }));
    Answer { text: lines.collect(), json: json!({ "operations": operations.collect::<Vec<_>>() }), exit: Exit::Ok }
}

fn describe(operation: &dyn AnyOperation) -> Answer {
    let parameters = schema::compact(operation.params_schema());
    Answer {
        text: format!("{}: {}\nparameters: {parameters}\n", operation.name(), operation.summary()),
        json: json!({ "name": operation.name(), "summary": operation.summary(), "parameters": parameters }),
        exit: Exit::Ok,
    }
}

fn find(name: &str) -> Result<&'static dyn AnyOperation, Problem> {
    ops::find(name).ok_or_else(|| {
        let names = ops::names().collect::<Vec<_>>().join(", ");
        let meant = nearest(name, ops::names()).map(|meant| format!("did you mean `{meant}`? ")).unwrap_or_default();
        Problem::new(Class::Usage, "unknown_operation", format!("unknown operation `{name}`"))
            .hint(format!("{meant}there are {names}"))
    })
}

fn invalid(message: impl Into<String>) -> Problem {
    Problem::new(Class::Usage, "invalid_parameters", message)
}
