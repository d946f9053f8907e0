//! Shortens the JSON schema of a reply to an MCP tool's output schema: names and types without descriptions, nested
//! objects only while a token limit allows. A client needs the schema to read a reply, and every session pays for it,
//! whether or not it reads one. What is left out is in the reference: a reply is valid against both, because an outline
//! only ever asks for less.

use serde_json::{Map, Value};

/// Keywords that describe an object and may be left out; its type stays.
const OBJECT_SCHEMA_KEYWORDS: [&str; 3] = ["properties", "required", "additionalProperties"];

/// The outline of a schema. Lists and objects are opened in the order of their depth while the outline `fits`: objects
/// with all of their fields, or else with the names of those that are always there.
pub(super) fn outline_schema(mut schema: Value, fits: impl Fn(&Value) -> bool) -> Value {
    strip_schema(&mut schema, FieldPresence::Always);
    let mut outline = open_schema(&schema);
    for place in nested_pointers(&schema) {
        // Fields of an object that stayed closed are not in the outline.
        if outline.pointer(&place).is_none() {
            continue;
        }
        let whole = schema.pointer(&place).expect("the places are those of the schema");
        // With all fields if there is room, otherwise with the names that are always there: a client needs those first.
        for open in [open_schema(whole), keep_names(whole)] {
            let mut longer = outline.clone();
            *longer.pointer_mut(&place).expect("it was there just now") = open;
            if fits(&longer) {
                outline = longer;
                break;
            }
        }
    }
    outline
}

/// Alternatives of objects that a field tells apart, as one object that has this field: which other fields belong to
/// each, an error says to the caller that gets it wrong.
pub(super) fn join_alternatives(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            if let Some((tag, words)) = map.get("oneOf").and_then(find_tag) {
                map.shift_remove("oneOf");
                map.insert("type".to_owned(), "object".into());
                map.insert("properties".to_owned(), serde_json::json!({ &tag: { "type": "string", "enum": words } }));
                map.insert("required".to_owned(), serde_json::json!([tag]));
            }
            map.values_mut().for_each(join_alternatives);
        }
        Value::Array(items) => items.iter_mut().for_each(join_alternatives),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The field that tells objects apart, and its words.
fn find_tag(alternatives: &Value) -> Option<(String, Vec<Value>)> {
    let alternatives = alternatives.as_array()?;
    let constant = |schema: &Value| {
        let fields = schema.get("properties")?.as_object()?;
        fields.iter().find_map(|(name, field)| Some((name.clone(), field.get("const")?.clone())))
    };
    let constants: Vec<(String, Value)> = alternatives.iter().map(constant).collect::<Option<_>>()?;
    let (tag, _) = constants.first()?.clone();
    // Alternatives without a common tag stay as they are: joining them would accept what is refused later.
    let is_one = constants.iter().all(|(name, _)| *name == tag);
    is_one.then(|| (tag, constants.into_iter().map(|(_, word)| word).collect()))
}

/// Whether a reply always has a field.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FieldPresence {
    Always,
    Sometimes,
}

/// Takes out what checks nothing. A field that a reply may leave out is left out where it has no value, and so is never
/// `null`.
fn strip_schema(schema: &mut Value, presence: FieldPresence) {
    let Value::Object(map) = schema else { return };
    // Words for people, and bounds that a reply of ours never breaks: every session would pay tokens for them.
    for word in ["description", "minimum", "default"] {
        map.shift_remove(word);
    }
    if presence == FieldPresence::Sometimes {
        super::schema::drop_null(map);
    }
    let required = map.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    for (word, value) in map.iter_mut() {
        match (word.as_str(), value) {
            ("properties", Value::Object(fields)) => {
                for (name, field) in fields {
                    let is_required = required.iter().any(|required| required == name);
                    strip_schema(field, if is_required { FieldPresence::Always } else { FieldPresence::Sometimes });
                }
            }
            // Presence is a matter of fields; an alternative or an element that is there is never `null`.
            ("anyOf" | "oneOf", Value::Array(schemas)) => {
                for schema in schemas {
                    strip_schema(schema, FieldPresence::Always);
                }
            }
            ("items" | "additionalProperties", schema) => strip_schema(schema, FieldPresence::Always),
            _ => {}
        }
    }
}

/// The object that a schema is, or that each of a list is.
fn object_of(schema: &mut Value) -> Option<&mut Map<String, Value>> {
    let has_fields = |schema: &Value| schema.get("properties").is_some();
    let object = if has_fields(schema) { schema } else { schema.get_mut("items").filter(|items| has_fields(items))? };
    object.as_object_mut()
}

fn is_openable(schema: &Value) -> bool {
    ["properties", "items"].iter().any(|word| schema.get(word).is_some())
}

/// An object or a list of objects with its own fields, each of them closed; any other list with what it is of.
fn open_schema(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if let Some(object) = object_of(&mut schema) {
        let fields = object.get_mut("properties").and_then(Value::as_object_mut);
        fields.into_iter().flat_map(Map::values_mut).for_each(close_schema);
    } else if let Some(items) = schema.get_mut("items") {
        close_schema(items);
    }
    schema
}

/// An object or a list of objects with nothing but the names that are always there.
fn keep_names(schema: &Value) -> Value {
    let mut schema = open_schema(schema);
    if let Some(object) = object_of(&mut schema) {
        object.retain(|word, _| !OBJECT_SCHEMA_KEYWORDS.contains(&word.as_str()) || word == "required");
    }
    schema
}

/// Takes out what lists and objects hold; that there is one stays.
fn close_schema(schema: &mut Value) {
    let Value::Object(map) = schema else { return };
    if map.contains_key("properties") {
        map.retain(|word, _| !OBJECT_SCHEMA_KEYWORDS.contains(&word.as_str()));
    }
    map.shift_remove("items");
    for (word, value) in map {
        match (word.as_str(), value) {
            ("anyOf" | "oneOf", Value::Array(schemas)) => schemas.iter_mut().for_each(close_schema),
            ("additionalProperties", schema) => close_schema(schema),
            _ => {}
        }
    }
}

/// Where lists and objects stand in a schema, as JSON pointers, the outer before the inner.
fn nested_pointers(schema: &Value) -> Vec<String> {
    let mut level = child_pointers(schema, "");
    let mut found = Vec::new();
    while !level.is_empty() {
        found.extend(level.iter().filter(|place| schema.pointer(place).is_some_and(is_openable)).cloned());
        level = level.iter().flat_map(|place| child_pointers(schema, place)).collect();
    }
    found
}

/// The places of the schemas that a schema is directly made of; of a list of objects those of their fields.
fn child_pointers(schema: &Value, place: &str) -> Vec<String> {
    let Some(Value::Object(map)) = schema.pointer(place) else { return Vec::new() };
    let mut places = Vec::new();
    for (word, value) in map {
        let inside = format!("{place}/{word}");
        match (word.as_str(), value) {
            ("properties", Value::Object(fields)) => {
                places.extend(fields.keys().map(|name| format!("{inside}/{name}")));
            }
            ("anyOf" | "oneOf", Value::Array(schemas)) => {
                places.extend((0..schemas.len()).map(|index| format!("{inside}/{index}")));
            }
            // A list of objects counts with its fields: opening the list alone would show nothing.
            ("items", items) if items.get("properties").is_some() => places.extend(child_pointers(schema, &inside)),
            ("items" | "additionalProperties", Value::Object(_)) => places.push(inside),
            _ => {}
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn schema() -> Value {
        json!({
            "type": "object",
            "description": "Words",
            "properties": {
                "count": { "type": "integer", "minimum": 0, "description": "Words" },
                "next": { "type": ["string", "null"] },
                "note": { "type": ["string", "null"] },
                "hits": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            "path": { "type": "string" },
                            "cost": { "type": ["object", "null"], "properties": { "ms": { "type": "integer" } } },
                        },
                        "required": ["path"],
                    },
                },
            },
            "required": ["count", "next", "hits"],
        })
    }

    #[test]
    fn an_outline_has_as_many_objects_as_fit() {
        let check = |most: usize, hits: Option<Value>| {
            let drawn = outline_schema(schema(), |outline| outline.to_string().len() <= most);
            assert_eq!(drawn.pointer("/properties/hits/items"), hits.as_ref(), "{most}");
            assert_eq!(drawn["properties"]["hits"]["type"], "array");
            assert!(most == 0 || drawn.to_string().len() <= most, "{drawn}");
            assert_eq!(drawn["properties"]["count"], json!({ "type": "integer" }));
            assert_eq!(drawn["required"], json!(["count", "next", "hits"]));
        };
        let path = json!({ "type": "string" });
        check(0, None);
        check(230, Some(json!({ "type": "object", "required": ["path"] })));
        let of = |cost: Value| json!({ "type": "object", "properties": { "path": path, "cost": cost }, "required": ["path"] });
        check(300, Some(of(json!({ "type": "object" }))));
        check(1_000, Some(of(json!({ "type": "object", "properties": { "ms": { "type": "integer" } } }))));
    }

    #[test]
    fn only_a_field_that_is_always_there_may_be_null() {
        let drawn = outline_schema(schema(), |_| true);
        assert_eq!(drawn["properties"]["next"], json!({ "type": ["string", "null"] }));
        assert_eq!(drawn["properties"]["note"], json!({ "type": "string" }));
    }

    #[test]
    fn alternatives_that_a_field_tells_apart_become_one_object() {
        let of = |kind: &str| json!({ "type": "object", "properties": { "type": { "const": kind }, "text": {} } });
        let mut schema = json!({ "items": { "oneOf": [of("text"), of("tool")] } });
        join_alternatives(&mut schema);
        let joined = json!({ "type": { "type": "string", "enum": ["text", "tool"] } });
        assert_eq!(schema, json!({ "items": { "type": "object", "properties": joined, "required": ["type"] } }));
        let mut other = json!({ "oneOf": [of("text"), { "type": "string" }] });
        let before = other.clone();
        join_alternatives(&mut other);
        assert_eq!(other, before);
    }
}
