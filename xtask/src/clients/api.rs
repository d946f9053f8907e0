//! Reads the description of the HTTP API into what a typed client needs: operations with parameters and replies, and a
//! name for every object in a reply.

use anyhow::{Context as _, Result};
use serde_json::{Map, Value};

/// What the clients are written from.
pub(super) struct ClientApi {
    pub(super) version: String,
    pub(super) operations: Vec<ApiOperation>,
    /// Each object before those that name it.
    pub(super) objects: Vec<ApiObject>,
}

pub(super) struct ApiOperation {
    pub(super) name: String,
    pub(super) summary: String,
    /// Those that are required first.
    pub(super) parameters: Vec<ApiField>,
    /// The name of an object.
    pub(super) reply: String,
}

pub(super) struct ApiObject {
    pub(super) name: String,
    pub(super) fields: Vec<ApiField>,
}

pub(super) struct ApiField {
    pub(super) name: String,
    pub(super) meaning: String,
    pub(super) kind: FieldKind,
    pub(super) is_required: bool,
}

/// The type of a field, before a language writes it in its own words.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum FieldKind {
    Text,
    Integer,
    Number,
    Boolean,
    /// One of these words.
    Words(Vec<String>),
    List(Box<FieldKind>),
    Object(String),
    /// Keys that are not known beforehand.
    Map(Box<FieldKind>),
    /// Anything that JSON can say.
    Any,
    Nullable(Box<FieldKind>),
}

impl ClientApi {
    /// Reads what `epitome reference --openapi` prints.
    pub(super) fn parse(document: &Value) -> Result<ClientApi> {
        let mut objects = Vec::new();
        let mut operations = Vec::new();
        let paths = document["paths"].as_object().context("the document has no paths")?;
        // Operations are what is posted; events and the pages of operators have their own forms.
        let posted = |(path, item): (&String, &'_ Value)| path.starts_with("/v1/") && item["post"].is_object();
        for item in paths.iter().filter(|entry| posted(*entry)).map(|(_, item)| &item["post"]) {
            let name = text_of(item, "operationId");
            let params = content_schema(&item["requestBody"]);
            let mut parameters = read_fields(params, &format!("{}Params", type_name(&name)), &mut objects);
            parameters.sort_by_key(|parameter| !parameter.is_required);
            let reply = format!("{}Reply", type_name(&name));
            let fields = read_fields(content_schema(&item["responses"]["200"]), &reply, &mut objects);
            objects.push(ApiObject { name: reply.clone(), fields });
            operations.push(ApiOperation { name, summary: text_of(item, "summary"), parameters, reply });
        }
        Ok(ClientApi { version: text_of(&document["info"], "version"), operations, objects })
    }
}

fn content_schema(body: &Value) -> &Value {
    &body["content"]["application/json"]["schema"]
}

fn read_fields(schema: &Value, owner: &str, objects: &mut Vec<ApiObject>) -> Vec<ApiField> {
    let empty = Map::new();
    let properties = schema["properties"].as_object().unwrap_or(&empty);
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let read_field = |(name, property): (&String, &Value)| ApiField {
        name: name.clone(),
        meaning: text_of(property, "description").replace('\n', " "),
        kind: read_kind(property, &format!("{owner}{}", type_name(name)), objects),
        is_required: required.contains(&name.as_str()),
    };
    properties.iter().map(read_field).collect()
}

/// `name` is what an object would be called that stands here.
fn read_kind(schema: &Value, name: &str, objects: &mut Vec<ApiObject>) -> FieldKind {
    let choices = schema["anyOf"].as_array().or(schema["oneOf"].as_array());
    if let Some(choices) = choices {
        return read_choice(choices, name, objects);
    }
    if let Some(words) = schema["enum"].as_array() {
        return FieldKind::Words(words.iter().filter_map(Value::as_str).map(str::to_owned).collect());
    }
    match &schema["type"] {
        Value::String(kind) => read_plain(kind, schema, name, objects),
        // `["string", "null"]` is how a schema says that a value may be missing.
        Value::Array(kinds) => {
            let words: Vec<&str> = kinds.iter().filter_map(Value::as_str).filter(|kind| *kind != "null").collect();
            let kind = match words[..] {
                [kind] => read_plain(kind, schema, name, objects),
                _ => FieldKind::Any,
            };
            if words.len() < kinds.len() { FieldKind::Nullable(Box::new(kind)) } else { kind }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => FieldKind::Any,
    }
}

fn read_choice(choices: &[Value], name: &str, objects: &mut Vec<ApiObject>) -> FieldKind {
    let words: Option<Vec<String>> = choices.iter().map(|choice| choice["const"].as_str().map(str::to_owned)).collect();
    if let Some(words) = words {
        return FieldKind::Words(words);
    }
    let others: Vec<&Value> = choices.iter().filter(|choice| choice["type"] != "null").collect();
    let kind = match others[..] {
        [only] => read_kind(only, name, objects),
        _ => FieldKind::Any,
    };
    if others.len() < choices.len() { FieldKind::Nullable(Box::new(kind)) } else { kind }
}

fn read_plain(kind: &str, schema: &Value, name: &str, objects: &mut Vec<ApiObject>) -> FieldKind {
    match kind {
        "string" => FieldKind::Text,
        "integer" => FieldKind::Integer,
        "number" => FieldKind::Number,
        "boolean" => FieldKind::Boolean,
        "array" => FieldKind::List(Box::new(read_kind(&schema["items"], &format!("{name}Item"), objects))),
        "object" if schema["properties"].is_object() => {
            let fields = read_fields(schema, name, objects);
            objects.push(ApiObject { name: name.to_owned(), fields });
            FieldKind::Object(name.to_owned())
        }
        "object" if schema["additionalProperties"].is_object() => {
            FieldKind::Map(Box::new(read_kind(&schema["additionalProperties"], &format!("{name}Value"), objects)))
        }
        _ => FieldKind::Any,
    }
}

fn text_of(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_default().to_owned()
}

/// `start_line` as part of a type's name: `StartLine`.
fn type_name(name: &str) -> String {
    let capitalize = |word: &str| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_ascii_uppercase().to_string() + letters.as_str()).unwrap_or_default()
    };
    name.split(['_', '-']).map(capitalize).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(schema: &Value, expected: &FieldKind) {
        assert_eq!(read_kind(schema, "Thing", &mut Vec::new()), *expected, "{schema}");
    }

    #[test]
    fn types_of_a_schema_are_read_in_all_their_forms() {
        let nullable = |kind| FieldKind::Nullable(Box::new(kind));
        let words = FieldKind::Words(vec!["one".to_owned(), "two".to_owned()]);
        check(&json!({ "type": ["string", "null"] }), &nullable(FieldKind::Text));
        check(&json!({ "type": "string", "enum": ["one", "two"] }), &words);
        check(&json!({ "oneOf": [{ "const": "one" }, { "const": "two" }] }), &words);
        let choice = json!({ "anyOf": [{ "oneOf": [{ "const": "one" }, { "const": "two" }] }, { "type": "null" }] });
        check(&choice, &nullable(words));
        check(&json!({ "anyOf": [{ "type": "string" }, { "type": "integer" }] }), &FieldKind::Any);
        check(&json!(true), &FieldKind::Any);
    }

    #[test]
    fn an_object_stands_before_the_one_that_names_it() {
        let schema = json!({ "type": "object", "properties": {
            "rows": { "type": "array", "items": { "type": "object", "properties": { "id": { "type": "string" } } } },
        }});
        let mut objects = Vec::new();
        assert_eq!(read_kind(&schema, "Reply", &mut objects), FieldKind::Object("Reply".to_owned()));
        let names: Vec<&str> = objects.iter().map(|object| object.name.as_str()).collect();
        assert_eq!(names, ["ReplyRowsItem", "Reply"]);
    }
}
