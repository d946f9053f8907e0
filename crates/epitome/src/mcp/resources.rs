//! MCP resources (`epitome://…` URIs): files, summaries and other things with an id or a path, for clients that attach
//! instead of calling tools. A URI leads to one call of an operation, so a resource never says anything that a tool
//! would not. There are too many to list: clients get URI templates, and ids from every reply.

use crate::booking::note_dispatch;
use crate::compose::App;
use crate::errors::AppError;
use crate::metrics::{Door, run_counted};
use crate::ops::{self, OperationAnswer};
use engine::{CallSource, NullObserver};
use rmcp::ErrorData;
use rmcp::model::{CacheScope, MetaObject, ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use serde_json::{Value, json};
use std::time::Instant;

/// One kind of resource: addresses have a common beginning and end with the name of the resource.
struct ResourceKind {
    name: &'static str,
    /// The name of the parameter at the end of the address.
    variable: &'static str,
    about: &'static str,
    operation: &'static str,
    parameters: fn(&str) -> Value,
}

const SHELVES: [ResourceKind; 5] = [
    ResourceKind {
        name: "summary",
        variable: "{id}",
        about: "A summary of a conversation, with what it covers",
        operation: "describe",
        parameters: by_id,
    },
    ResourceKind {
        name: "message",
        variable: "{id}",
        about: "A message, word for word",
        operation: "expand",
        parameters: by_id,
    },
    ResourceKind {
        name: "conversation",
        variable: "{id}",
        about: "A conversation: its summaries and facts",
        operation: "describe",
        parameters: by_id,
    },
    ResourceKind {
        name: "artifact",
        variable: "{id}",
        about: "Large content that is kept beside its message; ID:1000-2000 for some of its bytes",
        operation: "describe",
        parameters: by_id,
    },
    ResourceKind {
        name: "file",
        variable: "{+path}",
        about: "A file of the project, PATH:10-20 for some of its lines, or a symbol by its id",
        operation: "read",
        parameters: |path| json!({ "targets": [path], "mode": "raw" }),
    },
];

/// The resources of every project.
const PROJECT_RESOURCES: [(&str, &str, &str); 3] = [
    ("briefing", "briefing", "The project on one page"),
    ("tree", "tree", "The directories and files of the project"),
    (SUGGESTIONS, "suggestion", "What subscriptions led to and nobody was told yet; it can be subscribed to"),
];
/// The name of the resource of suggestions.
const SUGGESTIONS: &str = "suggestions";
/// Its address.
pub(super) const SUGGESTIONS_URI: &str = "epitome://suggestions";

const SCHEME: &str = "epitome://";

fn by_id(id: &str) -> Value {
    json!({ "id": id })
}

pub(super) fn fixed_resources() -> Vec<Resource> {
    let resource = |(name, _, about): &(&str, &str, &str)| {
        Resource::new(format!("{SCHEME}{name}"), *name).with_description(*about).with_mime_type("text/plain")
    };
    PROJECT_RESOURCES.iter().map(resource).collect()
}

pub(super) fn resource_templates() -> Vec<ResourceTemplate> {
    let template = |shelf: &ResourceKind| {
        let uri = format!("{SCHEME}{}/{}", shelf.name, shelf.variable);
        ResourceTemplate::new(uri, shelf.name).with_description(shelf.about)
    };
    SHELVES.iter().map(template).collect()
}

/// The contents at an address.
pub(super) async fn read_uri(app: &App, uri: &str, source: CallSource) -> Result<ReadResourceResult, ErrorData> {
    let nowhere = |message: String| ErrorData::resource_not_found(message, Some(json!({ "uri": uri })));
    let (operation, parameters) = resolve_uri(uri)
        .ok_or_else(|| nowhere("no such resource; resources/templates/list has their shapes".to_owned()))?;
    let operation = ops::find_operation(operation).expect("the table names operations that exist");
    let started = Instant::now();
    let answer = run_counted(Door::Mcp, operation, &app.build_call(&NullObserver), parameters).await;
    let mut answer = answer.map_err(|problem| match problem.exit_status() {
        // Wrong parameters and missing things both mean that the address leads nowhere.
        2 | 3 => nowhere(describe_error(&problem)),
        _ => ErrorData::internal_error(describe_error(&problem), None),
    })?;
    if let Some(reason) = answer.json.pointer("/omitted/0/reason").and_then(Value::as_str) {
        return Err(nowhere(reason.to_owned()));
    }
    let facts = std::mem::take(&mut answer.facts);
    note_dispatch(app, source, operation.name(), facts, answer.text.clone(), started.elapsed());
    // The text may differ the next time, so no client may cache it.
    let result = ReadResourceResult::new(vec![resource_contents(uri, answer)]);
    Ok(result.with_ttl_ms(0).with_cache_scope(CacheScope::Private))
}

fn describe_error(problem: &AppError) -> String {
    let hint = problem.hint.as_ref().map(|hint| format!("\nhint: {hint}")).unwrap_or_default();
    model::show_quoted(&format!("{}{hint}", problem.message)).into_owned()
}

/// The operation that an address leads to, and its parameters.
fn resolve_uri(uri: &str) -> Option<(&'static str, Value)> {
    let place = uri.strip_prefix(SCHEME)?;
    if let Some((_, operation, _)) = PROJECT_RESOURCES.iter().find(|(name, ..)| *name == place) {
        return Some((operation, json!({})));
    }
    let (name, thing) = place.split_once('/')?;
    let shelf = SHELVES.iter().find(|shelf| shelf.name == name)?;
    let thing = decode_percent(thing).filter(|thing| !thing.is_empty())?;
    Some((shelf.operation, (shelf.parameters)(&thing)))
}

/// A text without its `%20`; none where that is no text.
fn decode_percent(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        bytes.extend_from_slice(before.as_bytes());
        // A percent sign without two digits is no address; guessing would read another file.
        bytes.push(u8::from_str_radix(after.get(..2)?, 16).ok()?);
        rest = &after[2..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8(bytes).ok()
}

/// Exact bytes where the answer has them, and where to read on.
fn resource_contents(uri: &str, mut answer: OperationAnswer) -> ResourceContents {
    let text = |pointer: &str| answer.json.pointer(pointer).and_then(Value::as_str);
    let mime = text("/bytes/media_type").unwrap_or("text/plain").to_owned();
    let next = text("/bytes/continue_with").or_else(|| text("/continue_with")).map(str::to_owned);
    let blob = text("/bytes/base64").map(str::to_owned);
    let is_artifact = answer.json["type"] == "artifact";
    // The text form of an artifact has a heading, which is not part of its bytes.
    let exact = if is_artifact { answer.json["content"].take() } else { Value::Null };
    let contents = match (blob, exact) {
        (Some(blob), _) => ResourceContents::blob(blob, uri),
        (None, Value::String(exact)) => ResourceContents::text(exact, uri),
        (None, _) => ResourceContents::text(answer.text, uri),
    };
    let contents = contents.with_mime_type(mime);
    let Some(next) = next else { return contents };
    let shelf = uri.rsplit_once('/').map_or(uri, |(shelf, _)| shelf);
    let mut meta = MetaObject::new();
    meta.insert("continue_with".to_owned(), json!(format!("{shelf}/{next}")));
    contents.with_meta(meta)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_address_leads_to_an_operation_or_nowhere() {
        for shelf in &SHELVES {
            let operation = ops::find_operation(shelf.operation).expect("an operation");
            let named = (shelf.parameters)("x");
            let known = operation.params_schema();
            for name in named.as_object().expect("parameters").keys() {
                assert!(known["properties"].get(name).is_some(), "{}: {name}", shelf.name);
            }
        }
        let check =
            |uri: &str, expected: Option<(&'static str, Value)>| assert_eq!(resolve_uri(uri), expected, "{uri}");
        check("epitome://summary/sum_1", Some(("describe", json!({ "id": "sum_1" }))));
        check("epitome://tree", Some(("tree", json!({}))));
        let file = json!({ "targets": ["src/a b.rs:1-2"], "mode": "raw" });
        check("epitome://file/src/a%20b.rs:1-2", Some(("read", file)));
        for nowhere in ["epitome://summary/", "epitome://nothing/x", "file:///etc/passwd", "epitome://file/%zz"] {
            check(nowhere, None);
        }
    }
}
