//! Writes the typed part of the Node library: a class with a method for every operation (`operations.js`), and its
//! declarations for TypeScript (`operations.d.ts`). Two files instead of a TypeScript source: whoever uses the library,
//! or works on it, needs no compiler.

use super::api::{ApiField, ApiOperation, ClientApi, FieldKind};

const NOTE: &str = "// Written by `cargo xtask clients`; change the program, not this file.\n";

pub(super) fn write_module(api: &ClientApi) -> String {
    let mut text = format!(
        "{NOTE}\n/** Every operation of the program as a method. */\nexport class Operations {{\n  #transport;\n\n  \
         constructor(transport) {{\n    this.#transport = transport;\n  }}\n"
    );
    for operation in &api.operations {
        text += &format!(
            "\n  /** {}. */\n  {}(parameters{}) {{\n    return this.#transport.call(\"{}\", parameters);\n  }}\n",
            operation.summary,
            operation.name,
            if takes_nothing_by_force(operation) { " = {}" } else { "" },
            operation.name,
        );
    }
    text + "}\n"
}

pub(super) fn write_declarations(api: &ClientApi) -> String {
    let mut text = NOTE.to_owned();
    for object in &api.objects {
        text += &write_interface(&object.name, &object.fields);
    }
    for operation in &api.operations {
        text += &write_interface(&params_name(operation), &operation.parameters);
    }
    text += "\n/** A way to run an operation in the program. */\nexport interface Transport {\n  call(operation: string, \
             parameters: object): Promise<any>;\n  close(): Promise<void>;\n}\n";
    text += "\n/** Every operation of the program as a method. */\nexport declare class Operations {\n  \
             constructor(transport: Transport);\n";
    for operation in &api.operations {
        let mark = if takes_nothing_by_force(operation) { "?" } else { "" };
        text += &format!(
            "  /** {}. */\n  {}(parameters{mark}: {}): Promise<{}>;\n",
            operation.summary,
            operation.name,
            params_name(operation),
            operation.reply
        );
    }
    text + "}\n"
}

fn takes_nothing_by_force(operation: &ApiOperation) -> bool {
    operation.parameters.iter().all(|parameter| !parameter.is_required)
}

/// `SearchReply` → `SearchParams`.
fn params_name(operation: &ApiOperation) -> String {
    format!("{}Params", operation.reply.trim_end_matches("Reply"))
}

fn write_interface(name: &str, fields: &[ApiField]) -> String {
    let mut text = format!("\nexport interface {name} {{\n");
    for field in fields {
        if !field.meaning.is_empty() {
            text += &format!("  /** {} */\n", field.meaning.replace("*/", "*\\/"));
        }
        let mark = if field.is_required { "" } else { "?" };
        text += &format!("  {}{mark}: {};\n", field.name, write_kind(&field.kind));
    }
    text + "}\n"
}

fn write_kind(kind: &FieldKind) -> String {
    match kind {
        FieldKind::Text => "string".to_owned(),
        FieldKind::Integer | FieldKind::Number => "number".to_owned(),
        FieldKind::Boolean => "boolean".to_owned(),
        FieldKind::Words(words) => words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" | "),
        FieldKind::List(of) => format!("Array<{}>", write_kind(of)),
        FieldKind::Object(name) => name.clone(),
        FieldKind::Map(of) => format!("Record<string, {}>", write_kind(of)),
        FieldKind::Any => "any".to_owned(),
        FieldKind::Nullable(of) => format!("{} | null", write_kind(of)),
    }
}
