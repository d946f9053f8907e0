//! Coerces the JSON arguments of an MCP tool call to the types of the tool's schema, where the caller's intention is
//! plain. Models write numbers as strings, one value for a list, a list as its JSON text, `null` for omitted ones,
//! words in capitals, and names of other tools. Each can be read in one way only, and refusing it costs a round trip.
//! What is ambiguous stays as it is, and is refused by its name.

use serde_json::{Map, Value};

/// Arguments as the schema has them, as far as there is no doubt about them.
pub(super) fn coerce_to_schema(schema: &Map<String, Value>, arguments: Map<String, Value>) -> Map<String, Value> {
    let Some(Value::Object(properties)) = schema.get("properties") else { return arguments };
    let given: Vec<String> = arguments.keys().cloned().collect();
    let mut read = Map::new();
    for (name, value) in arguments {
        // Models write `null` for a parameter that they leave out.
        if value.is_null() {
            continue;
        }
        let ours = if properties.contains_key(&name) { None } else { find_parameter(&name, properties, &given) };
        // A second name for a parameter that is given already is ambiguous, so it stays and is refused by its name.
        let name = ours.filter(|ours| !read.contains_key(*ours)).map_or(name, str::to_owned);
        let value = match properties.get(&name) {
            Some(schema) => coerce_value(schema, value),
            None => value,
        };
        read.insert(name, value);
    }
    join_line_range(properties, &mut read);
    read
}

/// Names for the first line of a stretch, in letters alone, and for the last; `limit` beside `offset` counts lines.
const FIRST_LINE_NAMES: [&str; 4] = ["startline", "linestart", "offset", "line"];
const LAST_LINE_NAMES: [&str; 2] = ["endline", "lineend"];

/// Lines that stand beside the one thing to read become part of its name: `path:10-20`.
fn join_line_range(properties: &Map<String, Value>, read: &mut Map<String, Value>) {
    let Some(target) = ["/targets/0", "/symbol_id"].into_iter().find(|place| takes_lines(properties, place)) else {
        return;
    };
    let beside = |names: &[&str]| {
        let is_one = |name: &&String| !properties.contains_key(*name) && names.contains(&&*normalize_name(name));
        read.keys().find(is_one).cloned()
    };
    let first = beside(&FIRST_LINE_NAMES);
    let last = beside(&LAST_LINE_NAMES);
    let limit = beside(&["limit"]);
    let number = |name: &Option<String>| whole_of(read.get(name.as_ref()?)?);
    let Some(start) = number(&first) else { return };
    // Lines beside several targets leave open which one they belong to.
    let end = number(&last).or_else(|| Some(start.saturating_add(number(&limit)?).saturating_sub(1))).unwrap_or(start);
    let is_alone = read.get("targets").and_then(Value::as_array).is_none_or(|targets| targets.len() == 1);
    let mut whole = Value::Object(read.clone());
    if let Some(Value::String(place)) = whole.pointer_mut(target)
        && is_alone
        && 0 < start
        && start <= end
    {
        *place = format!("{place}:{start}-{end}");
        *read = if let Value::Object(map) = whole { map } else { Map::new() };
        for name in [first, last, limit].into_iter().flatten() {
            read.shift_remove(&name);
        }
    }
}

/// Whether a tool reads what is at a place of its arguments.
fn takes_lines(properties: &Map<String, Value>, place: &str) -> bool {
    let name = place.split('/').nth(1).unwrap_or_default();
    properties.contains_key(name) && properties.contains_key("mode")
}

/// A number, or a text that is one.
fn whole_of(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => whole_number(number),
        Value::String(text) => text.trim().parse().ok(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Names that other tools have for a parameter, in letters alone; ours is the last.
const PARAMETER_ALIASES: &[&[&str]] = &[
    &["question", "q", "text", "prompt", "search", "pattern", "query"],
    &["regex", "regexp", "q", "text", "search", "query", "pattern"],
    &["maxtokens", "tokenbudget", "tokens", "tokencap", "budget"],
    &["maxresults", "topk", "k", "count", "limit"],
    &["path", "file", "filepath", "filename", "symbol", "symbolid", "name", "id", "uri", "source", "targets"],
    &["name", "symbolid", "id", "target", "entity", "path", "symbol"],
    &["name", "symbolid", "id", "target", "path", "file", "symbols"],
    &["symbol", "symbolid", "query", "name"],
    &["session", "sessionid", "conversationid", "conversation"],
    &["sessionid", "conversation", "conversationid", "session"],
    &["path", "file", "filepath", "symbol", "name", "id", "target", "symbolid"],
    &["session", "sessionid", "conversation", "conversationid"],
    &["summary", "summaryid", "message", "messageid", "nodeid", "artifact", "artifactid", "conversation", "fact", "id"],
    &["summary", "nodeid", "id", "summaryid"],
    &["depth", "maxdepth"],
    &["directory", "dir", "folder", "path"],
    &["after", "from", "since"],
    &["before", "to", "until"],
    &["force", "rebuild"],
];

/// The one parameter that an alias names, unless the parameter itself is given, too.
fn find_parameter<'a>(name: &str, properties: &'a Map<String, Value>, given: &[String]) -> Option<&'a str> {
    let wanted = normalize_name(name);
    let is_same = |known: &str| normalize_name(known) == wanted;
    let is_one_of =
        |known: &str| format!("{wanted}s") == normalize_name(known) || wanted == format!("{}s", normalize_name(known));
    let is_other = |known: &str| {
        PARAMETER_ALIASES.iter().any(|names| {
            let (ours, theirs) = names.split_last().expect("no row is empty");
            normalize_name(known) == *ours
                && theirs.iter().any(|their| *their == wanted || format!("{their}s") == wanted)
        })
    };
    let free = || properties.keys().map(String::as_str).filter(|known| !given.iter().any(|name| name == known));
    let only = |fits: &dyn Fn(&str) -> bool| {
        // Two parameters that fit leave open which one is meant, so neither is taken.
        let mut fitting = free().filter(|known| fits(known));
        fitting.next().filter(|_| fitting.next().is_none())
    };
    only(&is_same).or_else(|| only(&is_one_of)).or_else(|| only(&is_other))
}

/// `maxDepth`, `max-depth` and `max_depth` are one name.
fn normalize_name(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// A value in the shape that its schema asks for, where it can be brought into it.
fn coerce_value(schema: &Value, value: Value) -> Value {
    let takes = |name: &str| match &schema["type"] {
        Value::String(only) => only == name,
        Value::Array(types) => types.iter().any(|one| one == name),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
    };
    match value {
        Value::String(text) if takes("array") => coerce_list(schema, text),
        Value::Array(values) if takes("array") => {
            Value::Array(values.into_iter().map(|value| coerce_value(&schema["items"], value)).collect())
        }
        Value::Array(values) if takes("string") && matches!(values.as_slice(), [Value::String(_)]) => {
            values.into_iter().next().map_or(Value::Null, |value| coerce_value(schema, value))
        }
        Value::String(text) if takes("string") => Value::String(coerce_choice(schema, text)),
        Value::String(text) => coerce_scalar(&text, &takes).unwrap_or(Value::String(text)),
        // Ids of other systems are numbers, and a model passes them on as it got them.
        Value::Number(number) if takes("integer") => whole_number(&number).map_or(Value::Number(number), Value::from),
        Value::Number(number) if takes("string") && !takes("number") => Value::String(number.to_string()),
        value @ (Value::Bool(_) | Value::Number(_) | Value::Object(_)) if takes("array") => {
            Value::Array(vec![coerce_value(&schema["items"], value)])
        }
        value @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => value,
    }
}

/// A text where a list is wanted: the JSON of one, words of a choice, or its only element.
fn coerce_list(schema: &Value, text: String) -> Value {
    let items = &schema["items"];
    if text.trim_start().starts_with('[')
        && let Ok(Value::Array(values)) = serde_json::from_str(&text)
    {
        return Value::Array(values.into_iter().map(|value| coerce_value(items, value)).collect());
    }
    // A word of a choice never contains a comma; any other text may.
    let is_choice = items["enum"].is_array();
    let words = if is_choice { text.split(',').map(str::trim).map(str::to_owned).collect() } else { vec![text] };
    Value::Array(words.into_iter().map(|word| coerce_value(items, Value::String(word))).collect())
}

/// A word of a choice, however it is written.
fn coerce_choice(schema: &Value, text: String) -> String {
    let choices = schema["enum"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let mut fitting = choices.filter(|choice| normalize_name(choice) == normalize_name(&text));
    fitting.next().map_or(text, str::to_owned)
}

/// The value that a text contains, where the schema wants no text.
fn coerce_scalar(text: &str, takes: &dyn Fn(&str) -> bool) -> Option<Value> {
    // `True` and `NULL` are Python's; the text itself is tried as well, since lower case would change an object's
    // values.
    let text = text.trim();
    let value: Value = serde_json::from_str(&text.to_lowercase()).or_else(|_| serde_json::from_str(text)).ok()?;
    match value {
        Value::Number(number) if takes("integer") => whole_number(&number).map(Value::from),
        Value::Number(_) if takes("number") => Some(value),
        Value::Bool(_) if takes("boolean") => Some(value),
        Value::Object(_) if takes("object") => serde_json::from_str(text).ok(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// `100.0` is `100`.
fn whole_number(number: &serde_json::Number) -> Option<i64> {
    let exact = |number: f64| (number.fract() == 0.0 && number.abs() < 1e15).then_some(number as i64);
    number.as_i64().or_else(|| number.as_f64().and_then(exact))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::schema;
    use crate::ops;
    use expect_test::{Expect, expect};
    use serde_json::json;

    fn check(operation: &str, given: Value, expected: &Expect) {
        let operation = ops::find_operation(operation).expect("an operation");
        let schema = schema::schema_object(schema::compact_schema(operation.params_schema()));
        expected.assert_eq(&Value::Object(coerce_to_schema(&schema, schema::schema_object(given))).to_string());
    }

    #[test]
    fn what_has_one_reading_is_read_like_that() {
        check("read", json!({ "targets": "a.rs:1-2" }), &expect![[r#"{"targets":["a.rs:1-2"]}"#]]);
        check("read", json!({ "targets": "[\"a.rs\", \"b.rs\"]" }), &expect![[r#"{"targets":["a.rs","b.rs"]}"#]]);
        check("read", json!({ "file_path": "a.rs" }), &expect![[r#"{"targets":["a.rs"]}"#]]);
        check("read", json!({ "target": ["a.rs"], "mode": "MAP" }), &expect![[r#"{"targets":["a.rs"],"mode":"map"}"#]]);
        check(
            "context",
            json!({ "question": "why", "maxTokens": "500", "anyway": "True", "hyde": null }),
            &expect![[r#"{"query":"why","budget":500,"anyway":true}"#]],
        );
        check("context", json!({ "query": ["why"], "budget": 500.0 }), &expect![[r#"{"query":"why","budget":500}"#]]);
        check(
            "relations",
            json!({ "name": "login", "only": "Callers, types", "min-confidence": "0.7" }),
            &expect![[r#"{"symbol":"login","only":["callers","types"],"min_confidence":0.7}"#]],
        );
        check(
            "grep",
            json!({ "query": "x", "mode": "full-text" }),
            &expect![[r#"{"pattern":"x","mode":"full_text"}"#]],
        );
        check("read", json!({ "file_path": "a", "offset": 3, "limit": "2" }), &expect![[r#"{"targets":["a:3-4"]}"#]]);
        check("read", json!({ "path": "a", "start_line": 3, "endLine": 9 }), &expect![[r#"{"targets":["a:3-9"]}"#]]);
        check("read", json!({ "path": "a", "line": 3 }), &expect![[r#"{"targets":["a:3-3"]}"#]]);
        check("history", json!({ "sessionId": 7 }), &expect![[r#"{"conversation":"7"}"#]]);
        check(
            "ingest",
            json!({ "conversation": "x", "messages": { "role": "User", "content": "hi" } }),
            &expect![[r#"{"conversation":"x","messages":[{"role":"User","content":"hi"}]}"#]],
        );
    }

    #[test]
    fn what_may_mean_several_things_stays_as_it_is() {
        check("read", json!({ "targets": ["a"], "path": "b" }), &expect![[r#"{"targets":["a"],"path":"b"}"#]]);
        check("context", json!({ "query": "a", "budget": "a lot" }), &expect![[r#"{"query":"a","budget":"a lot"}"#]]);
        check("context", json!({ "query": "a", "budget": 0.5 }), &expect![[r#"{"query":"a","budget":0.5}"#]]);
        check("read", json!({ "path": "a", "file": "b" }), &expect![[r#"{"targets":["a"],"file":"b"}"#]]);
        check("read", json!({ "targets": ["a", "b"], "offset": 3 }), &expect![[r#"{"targets":["a","b"],"offset":3}"#]]);
        check("read", json!({ "path": "a", "offset": 0 }), &expect![[r#"{"targets":["a"],"offset":0}"#]]);
        check("tree", json!({ "path": "a", "mode": "tall" }), &expect![[r#"{"path":"a","mode":"tall"}"#]]);
        check("context", json!({ "query": "a", "colour": 1 }), &expect![[r#"{"query":"a","colour":1}"#]]);
    }
}
