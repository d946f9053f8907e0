//! Maps the parameters of another system's MCP tools to those of our operations: renamed, wrapped into lists, joined,
//! defaulted or fixed. A value's target is a JSON pointer, one rule for all cases: `/budget` renames, `/targets/0`
//! makes a list of one, `/messages/0/content` builds the message around it.

use super::schema;
use crate::errors::{AppError, ErrorClass};
use crate::suggestion::nearest_word;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The parameters of one renamed tool.
pub(super) struct ParameterMapping {
    parameters: BTreeMap<String, MovedParameter>,
    switches: BTreeMap<String, SwitchParameter>,
    known: BTreeMap<String, String>,
    fixed: BTreeMap<String, Value>,
    /// Parameters of which at least one has to be given.
    one_of: Vec<String>,
}

/// The mapping of a parameter.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum ParameterRule {
    Moved(MovedParameter),
    Switch(SwitchParameter),
    Known(IgnoredParameter),
}

/// A parameter that maps to a pointer in our parameters.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MovedParameter {
    to: String,
    #[serde(default)]
    required: bool,
    /// Used when the caller gives none.
    default: Option<Value>,
    /// Whether its words are added to a text that is there already.
    #[serde(default)]
    joins: bool,
    /// The least and the greatest number; what is beyond is taken for the nearest of them, as the other system does.
    clamp: Option<(i64, i64)>,
    /// What stands before a number that is given in the place of a text: other systems number what we name.
    numbered: Option<String>,
}

impl MovedParameter {
    /// The parameter of ours that it goes into.
    fn own_name(&self) -> &str {
        self.to.split('/').nth(1).unwrap_or_default()
    }

    fn adapt_number(&self, value: Value) -> Value {
        match (self.clamp, &self.numbered, value.as_i64()) {
            (Some((least, most)), _, Some(number)) => Value::from(number.clamp(least, most)),
            (None, Some(before), Some(number)) => Value::from(format!("{before}{number}")),
            _ => value,
        }
    }
}

/// A yes-or-no parameter that sets other parameters of ours, unless they are given themselves.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SwitchParameter {
    about: String,
    #[serde(default)]
    yes: BTreeMap<String, Value>,
    #[serde(default)]
    no: BTreeMap<String, Value>,
}

/// A parameter that we do not need: it may be given, and its value is ignored.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct IgnoredParameter {
    /// Its description for callers.
    known: String,
}

impl ParameterMapping {
    pub(super) fn new(
        parameters: BTreeMap<String, ParameterRule>,
        fixed: BTreeMap<String, Value>,
        one_of: Vec<String>,
    ) -> Self {
        let mut moved = BTreeMap::new();
        let mut switches = BTreeMap::new();
        let mut known = BTreeMap::new();
        for (name, parameter) in parameters {
            match parameter {
                ParameterRule::Moved(parameter) => _ = moved.insert(name, parameter),
                ParameterRule::Switch(switch) => _ = switches.insert(name, switch),
                ParameterRule::Known(IgnoredParameter { known: why }) => _ = known.insert(name, why),
            }
        }
        Self { parameters: moved, switches, known, fixed, one_of }
    }

    /// Our parameters for theirs.
    pub(super) fn map_arguments(&self, mut given: Map<String, Value>) -> Result<Value, AppError> {
        // An empty value is how some clients leave a parameter out.
        let is_given = |name: &String| given.get(name).is_some_and(|value| !is_empty(value));
        if !self.one_of.is_empty() && !self.one_of.iter().any(is_given) {
            let names: Vec<String> = self.one_of.iter().map(|name| format!("`{name}`")).collect();
            return Err(invalid_parameters(format!("missing parameter {}", names.join(" or "))));
        }
        let mut ours = json!({});
        for (name, parameter) in &self.parameters {
            let value = given.shift_remove(name).or_else(|| parameter.default.clone());
            match value {
                Some(value) => {
                    let value = parameter.adapt_number(value);
                    let before = ours.pointer(&parameter.to).filter(|_| parameter.joins).and_then(Value::as_str);
                    let value = match (before, &value) {
                        // Some systems split a question over two parameters, which our operation takes as one text.
                        (Some(before), Value::String(more)) => Value::from(format!("{before} {more}")),
                        _ => value,
                    };
                    set_pointer(&mut ours, &parameter.to, value);
                }
                None if parameter.required => return Err(invalid_parameters(format!("missing parameter `{name}`"))),
                None => {}
            }
        }
        for (name, switch) in &self.switches {
            let sets = match given.shift_remove(name) {
                None => continue,
                Some(Value::Bool(true)) => &switch.yes,
                Some(Value::Bool(false)) => &switch.no,
                Some(other) => return Err(invalid_parameters(format!("`{name}` is {other}: true or false"))),
            };
            for (pointer, value) in
                // A parameter that was given explicitly wins over what a switch implies.
                sets.iter().filter(|(pointer, _)| ours.pointer(pointer).is_none()).collect::<Vec<_>>()
            {
                set_pointer(&mut ours, pointer, value.clone());
            }
        }
        // Parameters that the other system has and that mean nothing here are accepted without effect.
        given.retain(|name, _| !self.known.contains_key(name));
        if let Some(name) = given.keys().next() {
            return Err(self.unknown_parameter(name));
        }
        // Last, so that no argument can override what the profile fixes.
        for (pointer, value) in &self.fixed {
            set_pointer(&mut ours, pointer, value.clone());
        }
        Ok(ours)
    }

    /// The schema of their parameters, cut from the schema of ours.
    pub(super) fn map_schema(&self, of_operation: &Value) -> Value {
        let mut properties = Map::new();
        for (name, parameter) in &self.parameters {
            let mut property = schema::schema_at(of_operation, &parameter.to).cloned().unwrap_or_else(|| json!({}));
            if let (Some(default), Some(property)) = (&parameter.default, property.as_object_mut()) {
                // The description names our own default, which is not that of the other system.
                if let Some(Value::String(told)) = property.get_mut("description") {
                    told.truncate(told.find(" (default:").unwrap_or(told.len()));
                }
                property.insert("default".to_owned(), default.clone());
            }
            if let (Some(_), Some(property)) = (&parameter.numbered, property.as_object_mut()) {
                property.insert("type".to_owned(), json!(["string", "integer"]));
            }
            properties.insert(name.clone(), property);
        }
        for (name, switch) in &self.switches {
            properties.insert(name.clone(), json!({ "type": "boolean", "description": switch.about }));
        }
        for (name, why) in &self.known {
            let any = json!({ "type": ["string", "integer", "boolean"], "description": why });
            properties.insert(name.clone(), any);
        }
        let required: Vec<&String> =
            self.parameters.iter().filter(|(_, parameter)| parameter.required).map(|(name, _)| name).collect();
        let mut schema = json!({ "type": "object", "properties": properties, "additionalProperties": false });
        if !required.is_empty() {
            schema["required"] = json!(required);
        }
        schema
    }

    /// A problem in their words: what is wrong with a parameter of ours is wrong with the one that went there.
    pub(super) fn map_error(&self, mut problem: AppError) -> AppError {
        let told = self.parameters.iter().find_map(|(theirs, parameter)| {
            let rest = problem.message.strip_prefix(&format!("`{}`", parameter.own_name()))?;
            Some(format!("`{theirs}`{rest}"))
        });
        problem.message = told.unwrap_or(problem.message);
        problem
    }

    fn unknown_parameter(&self, name: &str) -> AppError {
        let others = || self.switches.keys().chain(self.known.keys());
        let names = || self.parameters.keys().chain(others()).map(String::as_str);
        let problem = invalid_parameters(format!("unknown parameter `{name}`"));
        match nearest_word(name, names()) {
            Some(meant) => problem.with_hint(format!("did you mean `{meant}`?")),
            None if names().next().is_none() => problem.with_hint("it takes none"),
            None => problem.with_hint(format!("it takes {}", names().collect::<Vec<_>>().join(", "))),
        }
    }
}

#[cfg(test)]
impl ParameterMapping {
    /// Every place in our parameters that is filled.
    pub(super) fn pointers(&self) -> impl Iterator<Item = &str> {
        let set = self.switches.values().flat_map(|switch| switch.yes.keys().chain(switch.no.keys()));
        let moved = self.parameters.values().map(|parameter| parameter.to.as_str());
        moved.chain(self.fixed.keys().chain(set).map(String::as_str))
    }

    /// The pointers that are filled whatever the caller gives.
    pub(super) fn always(&self) -> impl Iterator<Item = &str> {
        let given = self.parameters.values().filter(|parameter| parameter.required || parameter.default.is_some());
        given.map(|parameter| parameter.to.as_str()).chain(self.fixed.keys().map(String::as_str))
    }

    /// Values that come from the table.
    pub(super) fn constants(&self) -> impl Iterator<Item = (&str, &Value)> {
        let defaults = self.parameters.values().filter_map(|it| Some((it.to.as_str(), it.default.as_ref()?)));
        let set = self.switches.values().flat_map(|switch| switch.yes.iter().chain(&switch.no));
        defaults.chain(self.fixed.iter().chain(set).map(|(pointer, value)| (pointer.as_str(), value)))
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(values) => values.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
    }
}

fn invalid_parameters(message: String) -> AppError {
    AppError::new(ErrorClass::Usage, "invalid_parameters", message)
}

/// Puts `value` at `pointer`, making the objects and lists on the way.
fn set_pointer(into: &mut Value, pointer: &str, value: Value) {
    let place = pointer.split('/').skip(1).fold(into, |place, step| {
        if let Ok(index) = step.parse::<usize>() {
            if !place.is_array() {
                *place = json!([]);
            }
            let list = place.as_array_mut().expect("made a list above");
            if list.len() <= index {
                list.resize(index + 1, Value::Null);
            }
            &mut list[index]
        } else {
            if !place.is_object() {
                *place = json!({});
            }
            place.as_object_mut().expect("made an object above").entry(step).or_insert(Value::Null)
        }
    });
    *place = value;
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn renaming() -> ParameterMapping {
        let parameters = toml::from_str(
            r##"
            session = { to = "/conversation", required = true }
            content = { to = "/messages/0/content" }
            role = { to = "/messages/0/role", default = "user" }
            repo = { known = "the project at hand" }
            topic = { to = "/messages/0/content", joins = true }
            most = { to = "/most", clamp = [1, 200] }
            talk = { to = "/talk", numbered = "#" }
            everywhere = { about = "all of them", no = { "/session" = "latest" } }
            "##,
        );
        ParameterMapping::new(
            parameters.expect("parameters"),
            BTreeMap::from([("/limit".to_owned(), json!(5))]),
            Vec::new(),
        )
    }

    fn check(given: Value, expected: &Expect) {
        let Value::Object(given) = given else { panic!("parameters are an object") };
        expected.assert_eq(&match renaming().map_arguments(given) {
            Ok(ours) => ours.to_string(),
            Err(problem) => format!("{}: {}", problem.message, problem.hint.unwrap_or_default()),
        });
    }

    #[test]
    fn parameters_go_where_they_belong_or_are_refused_by_name() {
        check(
            json!({ "session": "a", "content": "hello" }),
            &expect![[r#"{"messages":[{"content":"hello","role":"user"}],"conversation":"a","limit":5}"#]],
        );
        check(
            json!({ "session": "a", "repo": "whatever" }),
            &expect![[r#"{"messages":[{"role":"user"}],"conversation":"a","limit":5}"#]],
        );
        check(
            json!({ "session": "a", "content": "hello", "topic": "world", "everywhere": false }),
            &expect![[
                r#"{"messages":[{"content":"hello world","role":"user"}],"conversation":"a","session":"latest","limit":5}"#
            ]],
        );
        check(
            json!({ "session": "a", "everywhere": true }),
            &expect![[r#"{"messages":[{"role":"user"}],"conversation":"a","limit":5}"#]],
        );
        check(
            json!({ "session": "a", "everywhere": "perhaps" }),
            &expect![[r#"`everywhere` is "perhaps": true or false: "#]],
        );
        check(json!({ "role": "tool" }), &expect!["missing parameter `session`: "]);
        check(
            json!({ "session": "a", "talk": 12 }),
            &expect![[r##"{"messages":[{"role":"user"}],"conversation":"a","talk":"#12","limit":5}"##]],
        );
        check(
            json!({ "session": "a", "talk": "12" }),
            &expect![[r#"{"messages":[{"role":"user"}],"conversation":"a","talk":"12","limit":5}"#]],
        );
        check(
            json!({ "session": "a", "most": 900 }),
            &expect![[r#"{"most":200,"messages":[{"role":"user"}],"conversation":"a","limit":5}"#]],
        );
        check(json!({ "session": "a", "rôle": 1 }), &expect!["unknown parameter `rôle`: did you mean `role`?"]);
        check(
            json!({ "session": "a", "since": 1 }),
            &expect!["unknown parameter `since`: it takes content, most, role, session, talk, topic, everywhere, repo"],
        );
    }
}
