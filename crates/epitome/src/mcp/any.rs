//! The tool `epitome`: any operation by name, so that a short list of tools leaves nothing out of reach.

use super::meant::meant;
use super::schema;
use crate::errors::{Class, Problem};
use crate::metrics::{Door, counted};
use crate::nearest::nearest;
use crate::ops::{self, Answer, AnyOperation, Call, Exit};
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
pub(super) async fn run(call: &Call<'_>, given: Map<String, Value>) -> Result<Answer, Problem> {
    let Wanted { operation, arguments } = Wanted::read(given)?;
    match operation.as_deref() {
        None if arguments.is_empty() => Ok(list()),
        None => Err(invalid("missing field `operation`").hint("it names the operation that takes these arguments")),
        Some(HELP) => help(&arguments),
        Some(name) => {
            let operation = find(name)?;
            let arguments = meant(&schema::object(schema::compact(operation.params_schema())), arguments);
            counted(Door::Mcp, operation, call, Value::Object(arguments)).await
        }
    }
}

/// Which operation is wanted, and with what.
struct Wanted {
    operation: Option<String>,
    arguments: Map<String, Value>,
}

impl Wanted {
    /// Arguments may stand beside the operation, or be the text of their JSON: what is meant is the same.
    fn read(mut given: Map<String, Value>) -> Result<Self, Problem> {
        let operation = match given.shift_remove("operation") {
            None | Some(Value::Null) => None,
            Some(Value::String(name)) => Some(name.trim().to_lowercase()),
            Some(other) => return Err(invalid(format!("`operation` is {other}: write the name of one"))),
        };
        let mut arguments = match given.shift_remove("arguments") {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(arguments)) => arguments,
            Some(Value::String(text)) => serde_json::from_str(&text).map_err(|_| no_object(&Value::String(text)))?,
            Some(other) => return Err(no_object(&other)),
        };
        for (name, value) in given {
            if arguments.contains_key(&name) {
                return Err(invalid(format!("`{name}` stands in `arguments` and beside them")));
            }
            arguments.insert(name, value);
        }
        // `help grep` and `epitome search`, as they are written at a terminal.
        let operation = operation.map(|name| name.strip_prefix("epitome ").map_or(name.clone(), str::to_owned));
        if let Some(("help", of)) = operation.as_deref().and_then(|name| name.split_once(' ')) {
            arguments.insert("operation".to_owned(), Value::from(of));
            return Ok(Self { operation: Some(HELP.to_owned()), arguments });
        }
        Ok(Self { operation, arguments })
    }
}

fn no_object(given: &Value) -> Problem {
    invalid(format!("`arguments` is {given}: write an object, for example {{\"query\": \"retry policy\"}}"))
}

fn help(arguments: &Map<String, Value>) -> Result<Answer, Problem> {
    let mut names = arguments.values();
    match (names.next(), names.next()) {
        (None, _) => Ok(list()),
        (Some(Value::String(name)), None) => Ok(describe(find(name)?)),
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
