//! Renames the fields of our JSON replies to another system's names, for programs that read them by name. Only the JSON
//! is mapped, which is all that such a tool sends.

use super::render::ReplyForm;
use crate::ops::OperationAnswer;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// How a tool's reply is retold.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct ReplyMapping {
    /// Our names and theirs, at any depth; everything else stays.
    names: BTreeMap<String, String>,
    /// The fields of the reply: the other system's names, and the pointers to our values. `text` is the text of the
    /// reply, `/a/*/b` every `b` of a list, `?` behind a place whether there is anything, `#` how many
    /// there are, and of places with ` or ` between them the first where something is.
    fields: BTreeMap<String, String>,
    /// Whether names that are left are written as `firstSeq` in place of `first_seq`.
    camel_case: bool,
    /// Whether the other system's tool answers with a text for people, as ours has one; over HTTP it is the JSON all the
    /// same.
    as_text: bool,
    /// A field told twice, for entries of a list that are of one type.
    also: Option<RepeatedField>,
    /// Fields that are left out of replies of one kind.
    without: Option<LeftOutFields>,
}

/// Where the value at `place` is `is`, the reply has none of `fields`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LeftOutFields {
    place: String,
    is: String,
    fields: Vec<String>,
}

/// In entries of the list at `list` whose `type` is `of`, the field `from` is told as `name`, too.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RepeatedField {
    list: String,
    of: String,
    from: String,
    name: String,
}

impl ReplyMapping {
    /// The form in which an agent gets the reply.
    pub(super) fn reply_form(&self) -> ReplyForm {
        if self.as_text { ReplyForm::Text } else { ReplyForm::Json }
    }

    pub(super) fn map_answer(&self, answer: OperationAnswer) -> OperationAnswer {
        let mut answer = answer;
        if let Some(also) = &self.also {
            also.repeat_field(&mut answer.json);
        }
        let json = if self.fields.is_empty() { answer.json } else { self.collect_fields(&answer) };
        OperationAnswer { json: self.rename_fields(json), ..answer }
    }

    fn collect_fields(&self, answer: &OperationAnswer) -> Value {
        let left_out = self.without.as_ref().filter(|rule| answer.json.pointer(&rule.place) == Some(&json!(rule.is)));
        let is_told = |name: &str| left_out.is_none_or(|rule| !rule.fields.iter().any(|field| field == name));
        let told = self.fields.iter().filter(|(name, _)| is_told(name));
        let found = told.filter_map(|(name, place)| Some((name.clone(), value_at(answer, place)?)));
        Value::Object(found.collect())
    }

    fn rename_field(&self, name: String) -> String {
        match self.names.get(&name) {
            Some(theirs) => theirs.clone(),
            None if self.camel_case => camel_case(&name),
            None => name,
        }
    }

    fn rename_fields(&self, value: Value) -> Value {
        match value {
            Value::Object(map) => {
                let renamed: Map<String, Value> = map
                    .into_iter()
                    .map(|(name, value)| {
                        // The names in metadata and in the state of a checkpoint are those of their author.
                        let is_of_author = name == "metadata" || name == "state";
                        let value = if is_of_author { value } else { self.rename_fields(value) };
                        (self.rename_field(name), value)
                    })
                    .collect();
                Value::Object(renamed)
            }
            Value::Array(values) => Value::Array(values.into_iter().map(|value| self.rename_fields(value)).collect()),
            value @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => value,
        }
    }
}

/// `first_seq` as `firstSeq`.
fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |mut joined, word| {
        let mut letters = word.chars();
        joined.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
        joined.extend(letters);
        joined
    })
}

impl RepeatedField {
    fn repeat_field(&self, json: &mut Value) {
        let entries = json.pointer_mut(&self.list).and_then(Value::as_array_mut);
        for entry in entries.into_iter().flatten().filter(|entry| entry["type"] == self.of.as_str()) {
            if let Some(value) = entry.get(&self.from).cloned() {
                entry[self.name.as_str()] = value;
            }
        }
    }
}

/// The value at a pointer of a reply.
fn value_at(answer: &OperationAnswer, place: &str) -> Option<Value> {
    if let Some((first, other)) = place.split_once(" or ") {
        let found = value_at(answer, first).filter(is_something);
        return found.or_else(|| value_at(answer, other));
    }
    if let Some(place) = place.strip_suffix('#') {
        return answer.json.pointer(place).and_then(Value::as_array).map(|values| Value::from(values.len()));
    }
    if place == "text" {
        return Some(Value::from(answer.text.as_str()));
    }
    // A question mark asks only whether there is something, as the other system answers with true or false.
    if let Some(place) = place.strip_suffix('?') {
        return answer.json.pointer(place).map(|value| json!(is_something(value)));
    }
    match place.split_once("/*/") {
        None => answer.json.pointer(place).cloned(),
        Some((list, name)) => {
            let values = answer.json.pointer(list)?.as_array()?.iter();
            Some(values.filter_map(|value| value.get(name)).cloned().collect())
        }
    }
}

fn is_something(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(is) => *is,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(values) => !values.is_empty(),
        Value::Object(map) => !map.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::CommandExit;
    use expect_test::{Expect, expect};

    fn check(table: &str, expected: &Expect) {
        let mut json =
            json!({ "results": [{ "message_id": "a", "at": 1 }, { "message_id": "b" }], "omitted": 2, "rest": {} });
        if table.contains("/typed") {
            json["typed"] = json!([{ "type": "x", "id": 1 }, { "type": "y", "id": 2 }]);
        }
        let retelling: ReplyMapping = toml::from_str(table).expect("a table");
        let told = retelling.map_answer(OperationAnswer {
            json,
            text: "all of it".to_owned(),
            exit: CommandExit::Ok,
            is_escaped: false,
            facts: engine::CallFacts::default(),
        });
        expected.assert_eq(&told.json.to_string());
    }

    #[test]
    fn a_reply_is_told_under_other_names() {
        check("", &expect![[r#"{"results":[{"message_id":"a","at":1},{"message_id":"b"}],"omitted":2,"rest":{}}"#]]);
        check(
            "names = { at = 'createdAt', omitted = 'more' }",
            &expect![[r#"{"results":[{"message_id":"a","createdAt":1},{"message_id":"b"}],"more":2,"rest":{}}"#]],
        );
        check(
            "fields = { answer = 'text', citedIds = '/results/*/message_id', truncated = '/omitted?', gone = '/no' }",
            &expect![[r#"{"answer":"all of it","citedIds":["a","b"],"truncated":true}"#]],
        );
        check("fields = { empty = '/rest?' }", &expect![[r#"{"empty":false}"#]]);
        check(
            "also = { list = '/results', of = 'x', from = 'id', name = 'xId' }",
            &expect![[r#"{"results":[{"message_id":"a","at":1},{"message_id":"b"}],"omitted":2,"rest":{}}"#]],
        );
        check(
            "also = { list = '/typed', of = 'x', from = 'id', name = 'xId' }\nfields = { typed = '/typed' }",
            &expect![[r#"{"typed":[{"type":"x","id":1,"xId":1},{"type":"y","id":2}]}"#]],
        );
    }
}
