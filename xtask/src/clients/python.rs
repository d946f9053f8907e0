//! Writes the module `epitome.operations` of the Python library: a `TypedDict` for every object of a reply, and a class
//! with a method for every operation.

use super::api::{ApiField, ApiObject, ApiOperation, ClientApi, FieldKind};

/// Words that cannot be the name of a field in the body of a class, as far as the API has them.
const KEYWORDS: &[&str] = &["for", "from", "in", "is", "not", "or", "and", "class", "def", "import", "with", "as"];

pub(super) fn write_module(api: &ClientApi) -> String {
    let mut text = format!(
        "\"\"\"Operations of Epitome {} and the types of their replies.\n\nWritten by `cargo xtask clients`; \
         change the program, not this file.\n\"\"\"\n\nfrom __future__ import annotations\n\n\
         from typing import Any, Literal, NotRequired, Optional, Protocol, TypedDict\n\n",
        api.version
    );
    for object in &api.objects {
        text += &write_object(object);
    }
    text += "\nclass Transport(Protocol):\n    \"\"\"A way to run an operation in the program.\"\"\"\n\n    def call(self, operation: str, parameters: dict[str, Any]) -> Any:\n        ...\n\n    def close(self) -> None:\n        ...\n\n";
    text += "\nclass Operations:\n    \"\"\"Every operation of the program as a method. A parameter that is None is not sent.\"\"\"\n\n    def __init__(self, transport: Transport) -> None:\n        self._transport = transport\n\n    def _call(self, operation: str, parameters: dict[str, Any]) -> Any:\n        given = {name: value for name, value in parameters.items() if value is not None}\n        return self._transport.call(operation, given)\n";
    for operation in &api.operations {
        text += &write_method(operation);
    }
    text
}

fn write_object(object: &ApiObject) -> String {
    let has_keyword = object.fields.iter().any(|field| KEYWORDS.contains(&field.name.as_str()));
    if has_keyword {
        // A class body cannot have such a name; the form that is a call can.
        let fields: String =
            object.fields.iter().map(|field| format!("    \"{}\": \"{}\",\n", field.name, field_type(field))).collect();
        return format!("\n{0} = TypedDict(\"{0}\", {{\n{fields}}})\n\n", object.name);
    }
    let mut text = format!("\nclass {}(TypedDict):\n", object.name);
    for field in &object.fields {
        text += &format!("    {}: {}\n", field.name, field_type(field));
        if !field.meaning.is_empty() {
            text += &format!("    {}\n", doc_string(&field.meaning));
        }
    }
    if object.fields.is_empty() {
        text += "    pass\n";
    }
    text + "\n"
}

fn field_type(field: &ApiField) -> String {
    let kind = write_kind(&field.kind);
    if field.is_required { kind } else { format!("NotRequired[{kind}]") }
}

fn write_method(operation: &ApiOperation) -> String {
    let argument_name = |name: &str| if KEYWORDS.contains(&name) { format!("{name}_") } else { name.to_owned() };
    let mut arguments = vec!["self".to_owned()];
    let first_optional = operation.parameters.iter().position(|parameter| !parameter.is_required);
    for (index, parameter) in operation.parameters.iter().enumerate() {
        // Only what is required has a place; the others could change theirs with a release.
        if first_optional == Some(index) {
            arguments.push("*".to_owned());
        }
        let name = argument_name(&parameter.name);
        arguments.push(match (parameter.is_required, &parameter.kind) {
            (true, kind) => format!("{name}: {}", write_kind(kind)),
            (false, kind @ FieldKind::Nullable(_)) => format!("{name}: {} = None", write_kind(kind)),
            (false, kind) => format!("{name}: Optional[{}] = None", write_kind(kind)),
        });
    }
    let mut doc = format!("{}.", operation.summary);
    for parameter in &operation.parameters {
        doc += &format!("\n\n        {}: {}", argument_name(&parameter.name), parameter.meaning);
    }
    if !operation.parameters.is_empty() {
        doc += "\n        ";
    }
    let pairs: Vec<String> = operation
        .parameters
        .iter()
        .map(|field| format!("\"{}\": {}", field.name, argument_name(&field.name)))
        .collect();
    format!(
        "\n    def {method}({arguments}) -> {reply}:\n        {doc}\n        reply: {reply} = self._call(\"{name}\", \
         {{{pairs}}})\n        return reply\n",
        method = argument_name(&operation.name),
        arguments = arguments.join(", "),
        reply = operation.reply,
        doc = doc_string(&doc),
        name = operation.name,
        pairs = pairs.join(", "),
    )
}

fn doc_string(text: &str) -> String {
    format!("\"\"\"{}\"\"\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn write_kind(kind: &FieldKind) -> String {
    match kind {
        FieldKind::Text => "str".to_owned(),
        FieldKind::Integer => "int".to_owned(),
        FieldKind::Number => "float".to_owned(),
        FieldKind::Boolean => "bool".to_owned(),
        FieldKind::Words(words) => {
            let words: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
            format!("Literal[{}]", words.join(", "))
        }
        FieldKind::List(of) => format!("list[{}]", write_kind(of)),
        FieldKind::Object(name) => name.clone(),
        FieldKind::Map(of) => format!("dict[str, {}]", write_kind(of)),
        FieldKind::Any => "Any".to_owned(),
        FieldKind::Nullable(of) => format!("Optional[{}]", write_kind(of)),
    }
}
