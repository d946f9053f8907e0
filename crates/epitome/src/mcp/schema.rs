//! Shortens the JSON schemas of tool parameters for MCP clients. An optional parameter may be left out, so its schema
//! need not allow `null` too; and a choice becomes an enum of words, not a list of schemas. Strict clients fail on the
//! longer forms.

use serde_json::{Map, Value};

/// The schema in its shortest form. For parameters only: a reply may well hold a `null`.
pub(super) fn compact_schema(mut schema: Value) -> Value {
    shorten_schema(&mut schema);
    schema
}

/// The same without descriptions of choices, for tools with many choices: their names say most of it.
pub(super) fn compact_choices(mut schema: Value) -> Value {
    forget_meanings(&mut schema);
    compact_schema(schema)
}

/// Descriptions of choices, and of the items of a list if the list describes them.
fn forget_meanings(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            if let Some(Value::Array(choices)) = map.get_mut("oneOf") {
                let constants =
                    choices.iter_mut().filter_map(Value::as_object_mut).filter(|it| it.contains_key("const"));
                constants.for_each(|choice| drop(choice.shift_remove("description")));
            }
            // The description of the list covers its items; the same words twice only cost tokens.
            let is_told = map.contains_key("description");
            if let Some(Value::Object(items)) = map.get_mut("items").filter(|_| is_told) {
                items.shift_remove("description");
            }
            map.values_mut().for_each(forget_meanings);
        }
        Value::Array(items) => items.iter_mut().for_each(forget_meanings),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The part of a schema that describes the value at a JSON pointer.
pub(super) fn schema_at<'a>(schema: &'a Value, pointer: &str) -> Option<&'a Value> {
    pointer.split('/').skip(1).try_fold(schema, |schema, step| match step.parse::<usize>() {
        Ok(_) => schema.get("items"),
        Err(_) => schema.get("properties")?.get(step),
    })
}

/// The schema of an object, as the SDK holds it.
pub(super) fn schema_object(schema: Value) -> Map<String, Value> {
    if let Value::Object(map) = schema { map } else { Map::new() }
}

fn shorten_schema(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            drop_null(map);
            list_choices(map);
            spell_anything(map);
            drop_obvious(map);
            map.values_mut().for_each(shorten_schema);
        }
        Value::Array(items) => items.iter_mut().for_each(shorten_schema),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The schema of a value that is never `null`.
pub(super) fn drop_null(map: &mut Map<String, Value>) {
    drop_null_type(map);
    drop_null_alternative(map);
    if let Some(Value::Array(words)) = map.get_mut("enum") {
        words.retain(|word| !word.is_null());
    }
}

/// Removes keywords that only say what a reader expects anyway.
fn drop_obvious(map: &mut Map<String, Value>) {
    let is_nothing = |value: &Value| value.is_null() || *value == false || value.as_array().is_some_and(Vec::is_empty);
    // A default of nothing, and a minimum of zero for a count, are what everybody expects.
    if map.get("default").is_some_and(is_nothing) {
        map.shift_remove("default");
    }
    if map.get("minimum").is_some_and(|least| *least == 0) {
        map.shift_remove("minimum");
    }
}

/// `"type": ["integer", "null"]` is `"type": "integer"`.
fn drop_null_type(map: &mut Map<String, Value>) {
    let Some(Value::Array(types)) = map.get_mut("type") else { return };
    types.retain(|name| name != "null");
    if let [only] = types.as_slice() {
        let only = only.clone();
        map.insert("type".to_owned(), only);
    }
}

/// `"anyOf": [X, {"type": "null"}]` is X; what stood beside it stays.
fn drop_null_alternative(map: &mut Map<String, Value>) {
    let Some(Value::Array(alternatives)) = map.get_mut("anyOf") else { return };
    alternatives.retain(|schema| schema.get("type").is_none_or(|name| name != "null"));
    if let [Value::Object(only)] = alternatives.as_slice() {
        let only = only.clone();
        map.shift_remove("anyOf");
        for (key, value) in only {
            map.entry(key).or_insert(value);
        }
    }
}

/// `"oneOf": [{"const": "a", "description": "…"}, …]` is `"enum": ["a", …]`, and the description tells what each means.
fn list_choices(map: &mut Map<String, Value>) {
    let Some(Value::Array(choices)) = map.get("oneOf") else { return };
    let words: Option<Vec<Value>> = choices.iter().map(|choice| choice.get("const").cloned()).collect();
    let Some(words) = words else { return };
    let meanings = choices.iter().filter_map(|choice| {
        Some(format!("`{}`: {}", choice.get("const")?.as_str()?, choice.get("description")?.as_str()?))
    });
    let purpose = map.get("description").and_then(Value::as_str).map(str::to_owned);
    let told: Vec<String> = purpose.into_iter().chain(meanings).collect();
    map.shift_remove("oneOf");
    map.insert("type".to_owned(), Value::from("string"));
    map.insert("enum".to_owned(), Value::from(words));
    if !told.is_empty() {
        map.insert("description".to_owned(), Value::from(told.join("; ")));
    }
}

/// A property that may be anything is `{}`; the shorthand `true` is not understood everywhere.
fn spell_anything(map: &mut Map<String, Value>) {
    let Some(Value::Object(properties)) = map.get_mut("properties") else { return };
    for property in properties.values_mut().filter(|property| **property == Value::Bool(true)) {
        *property = Value::Object(Map::new());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn parameters_allow_no_null_and_choices_are_words() {
        let rows = [
            (json!({ "type": ["integer", "null"], "minimum": 0 }), json!({ "type": "integer" })),
            (
                json!({ "type": "integer", "minimum": 1, "default": 0 }),
                json!({ "type": "integer", "minimum": 1, "default": 0 }),
            ),
            (json!({ "type": "boolean", "default": false }), json!({ "type": "boolean" })),
            (json!({ "type": "array", "default": [] }), json!({ "type": "array" })),
            (json!({ "type": ["string", "null"], "enum": ["in", null] }), json!({ "type": "string", "enum": ["in"] })),
            (json!({ "type": ["integer", "string", "null"] }), json!({ "type": ["integer", "string"] })),
            (
                json!({ "description": "how", "anyOf": [{ "enum": ["a"], "type": "string" }, { "type": "null" }] }),
                json!({ "description": "how", "enum": ["a"], "type": "string" }),
            ),
            (
                json!({ "description": "how", "oneOf": [{ "const": "a", "description": "x" }, { "const": "b" }] }),
                json!({ "description": "how; `a`: x", "type": "string", "enum": ["a", "b"] }),
            ),
            (
                json!({ "oneOf": [{ "const": "a" }, { "type": "integer" }] }),
                json!({ "oneOf": [{ "const": "a" }, { "type": "integer" }] }),
            ),
            (json!({ "properties": { "a": { "default": null } } }), json!({ "properties": { "a": {} } })),
            (json!({ "properties": { "a": true } }), json!({ "properties": { "a": {} } })),
            (json!({ "anyOf": [{ "type": "string" }, {}] }), json!({ "anyOf": [{ "type": "string" }, {}] })),
        ];
        for (schema, expected) in rows {
            assert_eq!(compact_schema(schema.clone()), expected, "{schema}");
        }
    }

    #[test]
    fn choices_without_their_meanings_keep_their_words_and_what_they_are_for() {
        let choice = json!({ "description": "how", "oneOf": [{ "const": "a", "description": "x" }, { "const": "b" }] });
        let words = json!({ "type": "string", "enum": ["a", "b"] });
        let list = json!({ "type": "array", "description": "which", "items": choice });
        assert_eq!(compact_choices(choice)["description"], "how");
        assert_eq!(compact_choices(list), json!({ "type": "array", "description": "which", "items": words }));
    }

    #[test]
    fn a_pointer_finds_its_part_of_a_schema() {
        let schema = json!({ "properties": { "a": { "items": { "properties": { "b": { "type": "string" } } } } } });
        assert_eq!(schema_at(&schema, "/a/0/b"), Some(&json!({ "type": "string" })));
        assert_eq!(schema_at(&schema, "/a/b"), None);
    }
}
