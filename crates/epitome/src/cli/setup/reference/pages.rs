//! Generates the Markdown of the reference pages from the operations, the command tree, the configuration keys and the
//! languages.

use crate::cli::command_tree;
use crate::config::listing;
use crate::ops::{self, AnyOperation, OperationKind};
use serde_json::Value;
use std::fmt::Write;

/// File name and text of every page.
pub(super) fn all_pages() -> Vec<(&'static str, String)> {
    vec![
        ("operations.md", operations_page()),
        ("command-line.md", command_line()),
        ("configuration.md", configuration_page()),
        ("languages.md", languages_page()),
    ]
}

const NOTE: &str = "<!-- Written by `epitome reference`; change the code, not this page. -->\n\n";

fn operations_page() -> String {
    let mut page = format!(
        "# Operations\n\n{NOTE}Each operation is a command (`epitome NAME`), an MCP tool (`NAME`) and an HTTP route \
         (`POST /v1/NAME`), with the same parameters and the same reply.\n"
    );
    for operation in ops::ALL_OPERATIONS {
        let _ = write!(
            page,
            "\n## {}\n\n{}.\n\n{}.\n",
            operation.name(),
            operation.summary(),
            describe_effect(operation.kind())
        );
        write_fields(&mut page, "Parameters", *operation, &operation.params_schema());
        write_fields(&mut page, "Reply", *operation, &operation.reply_schema());
    }
    page
}

fn describe_effect(kind: OperationKind) -> &'static str {
    match kind {
        OperationKind::Read => "Reads only; may refresh the index",
        OperationKind::Refresh => "Refreshes what can be rebuilt; repeating it changes nothing",
        OperationKind::Write => "Adds to what is kept",
    }
}

fn write_fields(page: &mut String, title: &str, operation: &dyn AnyOperation, schema: &Value) {
    let Some(properties) = schema["properties"].as_object().filter(|properties| !properties.is_empty()) else {
        return;
    };
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let _ = write!(page, "\n{title}:\n\n| name | type | meaning |\n|---|---|---|\n");
    for (name, property) in properties {
        let mark = if title == "Parameters" && required.contains(&name.as_str()) { " (required)" } else { "" };
        let meaning = property["description"].as_str().unwrap_or_default().replace('\n', " ");
        let _ = writeln!(page, "| `{name}` | {}{mark} | {meaning} |", kind_of(property));
    }
    if operation.is_timed() && title == "Reply" {
        let _ = writeln!(page, "| `elapsed_ms` | integer | On the command line only |");
    }
}

/// The type of a property in words: `integer`, `list of string`, `raw or map`, `list of {path, reason}`.
fn kind_of(schema: &Value) -> String {
    if let Some(choices) = describe_choices(schema) {
        return choices;
    }
    let names: Vec<&str> = match &schema["type"] {
        Value::String(name) => vec![name],
        // `null` only says that the field may be missing, which the table shows otherwise.
        Value::Array(names) => names.iter().filter_map(Value::as_str).filter(|name| *name != "null").collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => vec![],
    };
    match names.first() {
        Some(&"array") => format!("list of {}", kind_of(&schema["items"])),
        Some(&"object") => match schema["properties"].as_object() {
            Some(properties) => format!("{{{}}}", properties.keys().cloned().collect::<Vec<_>>().join(", ")),
            None => "object".to_owned(),
        },
        Some(name) => (*name).to_owned(),
        None => "any".to_owned(),
    }
}

fn describe_choices(schema: &Value) -> Option<String> {
    let list = |key: &str| schema[key].as_array();
    if let Some(values) = list("enum") {
        return Some(values.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "));
    }
    let branches = list("oneOf").or_else(|| list("anyOf"))?;
    let words =
        branches.iter().filter(|branch| branch["type"] != "null").map(|branch| match branch["const"].as_str() {
            Some(word) => word.to_owned(),
            None => kind_of(branch),
        });
    Some(words.collect::<Vec<_>>().join(" or "))
}

fn command_line() -> String {
    let mut page = format!("# Command line\n\n{NOTE}");
    // A fixed width, or the page would depend on the terminal of the person who writes it.
    let mut root = command_tree::root_command().term_width(100);
    let _ = write!(page, "```text\n{}```\n", clean_help(&root.render_long_help().to_string()));
    let names: Vec<String> = root
        .get_subcommands()
        .filter(|command| !command.is_hide_set())
        .map(|command| command.get_name().to_owned())
        .collect();
    root.build();
    for name in names {
        if let Some(command) = root.find_subcommand_mut(&name) {
            let help = command.clone().term_width(100).render_long_help().to_string();
            let _ = write!(page, "\n## epitome {name}\n\n```text\n{}```\n", clean_help(&help));
        }
    }
    page
}

/// No trailing blanks, one newline at the end.
fn clean_help(help: &str) -> String {
    help.trim_end().lines().fold(String::new(), |text, line| text + line.trim_end() + "\n")
}

fn configuration_page() -> String {
    let mut page = format!(
        "# Configuration\n\n{NOTE}Values come from, in rising order: the defaults below, the user file, the project \
         file `.epitome.toml` (which may only narrow), the environment, `--set KEY=VALUE`. `epitome config list` shows \
         each value with where it comes from.\n\n| key | default | environment | meaning |\n|---|---|---|---|\n"
    );
    for entry in listing::list_references() {
        let _ = writeln!(
            page,
            "| `{}` | `{}` | {} | {} |",
            entry.key,
            entry.value,
            entry.variables.join(", "),
            entry.about
        );
    }
    page
}

fn languages_page() -> String {
    let mut page = format!(
        "# Languages\n\n{NOTE}Files of these languages are parsed into symbols. Other text files are found by their \
         words.\n\n| language | files |\n|---|---|\n"
    );
    for language in engine::parsed_languages() {
        let _ = writeln!(page, "| {} | {} |", language.name, language.files.join(", "));
    }
    page
}
