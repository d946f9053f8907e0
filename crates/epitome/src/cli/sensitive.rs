//! The command `epitome sensitive`: lists the rules that detect secrets, which are taken out of everything that is
//! stored, adds and removes rules of the user's own, and tests a text against them. `sensitive scan` and
//! `sensitive purge`, which need the store, are in files of their own.

use super::CommandSetup;
use super::output::TerminalOutput;
use crate::config::{PROJECT_FILE, patterns};
use crate::errors::{AppError, ErrorClass};
use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint, value_parser};
use model::scrub::{self, ScrubKey, Scrubber, SecretPattern, UserRule};
use serde_json::{Value, json};
use std::fmt::Write;
use std::io::Read;
use std::path::PathBuf;

/// Exit status when a text holds secrets.
pub(super) const FINDINGS: u8 = 6;

pub(super) fn build_command() -> Command {
    let name = || {
        Arg::new("name").value_name("NAME").required(true).help("The rule's name: small letters, digits and hyphens")
    };
    let for_project = || {
        Arg::new("for-project")
            .long("for-project")
            .action(ArgAction::SetTrue)
            .help("In the project's file, for everybody who works on it, instead of the user's")
    };
    Command::new("sensitive")
        .about("Show and change what counts as a secret and is never stored")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(Command::new("list").about("Show the rules in force"))
        .subcommand(
            Command::new("add")
                .about("Add a rule: what its pattern fits is replaced before anything is stored")
                .arg(name())
                .arg(
                    Arg::new("pattern")
                        .value_name("PATTERN")
                        .required(true)
                        .allow_hyphen_values(true)
                        .help("A regular expression, for example 'EMP-[0-9]{6}'"),
                )
                .arg(for_project()),
        )
        .subcommand(Command::new("remove").about("Take a rule away again").arg(name()).arg(for_project()))
        .subcommand(
            Command::new("test")
                .about(
                    "Show what would be replaced in a text, without storing it; exit status 6 when there is something",
                )
                .arg(
                    Arg::new("text")
                        .value_name("TEXT")
                        .allow_hyphen_values(true)
                        .help("The text (default: standard input)"),
                )
                .arg(
                    Arg::new("file")
                        .long("file")
                        .value_name("FILE")
                        .value_parser(value_parser!(PathBuf))
                        .value_hint(ValueHint::FilePath)
                        .conflicts_with("text")
                        .help("A file to look at instead"),
                ),
        )
        .subcommand(super::sensitive_scan::build_command())
        .subcommand(super::sensitive_purge::build_command())
}

/// Whether the subcommand reads or changes what is stored.
pub(super) fn needs_store(arguments: &ArgMatches) -> bool {
    super::sensitive_scan::is_chosen(arguments) || super::sensitive_purge::is_chosen(arguments)
}

pub(super) fn run(start: &CommandSetup, arguments: &ArgMatches, output: &TerminalOutput) -> Result<u8, AppError> {
    let (name, arguments) = arguments.subcommand().unwrap_or(("list", arguments));
    match name {
        "add" => add_rule(start, arguments, output),
        "remove" => remove_rule(start, arguments, output),
        "test" => test_text(start, arguments, output),
        _ => list_rules(start, output),
    }
}

fn user_file(start: &CommandSetup) -> PathBuf {
    start.loaded.directories.user_file()
}

fn project_file(start: &CommandSetup) -> PathBuf {
    start.project.root.join(PROJECT_FILE)
}

fn chosen_file(start: &CommandSetup, arguments: &ArgMatches) -> PathBuf {
    if arguments.get_flag("for-project") { project_file(start) } else { user_file(start) }
}

fn string_argument<'a>(arguments: &'a ArgMatches, name: &str) -> &'a str {
    arguments.get_one::<String>(name).map_or("", String::as_str)
}

fn add_rule(start: &CommandSetup, arguments: &ArgMatches, output: &TerminalOutput) -> Result<u8, AppError> {
    let name = string_argument(arguments, "name");
    let file = chosen_file(start, arguments);
    let usage = |message: String| AppError::new(ErrorClass::Usage, "invalid_rule", message);
    // Checked before the file is touched: a pattern that does not compile would make every later command fail.
    let pattern = SecretPattern::parse(string_argument(arguments, "pattern"))
        .map_err(|error| usage(format!("cannot add the rule `{name}`: its pattern {error}")))?;
    let rule = UserRule::new(name, pattern).map_err(|error| usage(format!("cannot add the rule: {error}")))?;
    // Two rules of one name would give the same placeholder for different secrets.
    if patterns::read_rules(&file)?.iter().any(|known| known.name == rule.name) {
        return Err(usage(format!("cannot add the rule `{name}`: {} has one of that name", file.display()))
            .with_hint(format!("epitome sensitive remove {name} takes it away")));
    }
    patterns::add_rule(&file, &rule)?;
    output.write_reply(&json!({ "file": file, "name": name }), &format!("added to {}\n", file.display()))?;
    Ok(0)
}

fn remove_rule(start: &CommandSetup, arguments: &ArgMatches, output: &TerminalOutput) -> Result<u8, AppError> {
    let name = string_argument(arguments, "name");
    let file = chosen_file(start, arguments);
    let known = patterns::read_rules(&file)?.into_iter().find(|rule| rule.name.as_str() == name);
    let Some(rule) = known else {
        let message = format!("rule `{name}` is not in {}", file.display());
        return Err(AppError::new(ErrorClass::NotFound, "not_found", message)
            .with_hint("epitome sensitive list shows all rules"));
    };
    patterns::remove_rule(&file, &rule.name)?;
    output.write_reply(&json!({ "file": file, "name": name }), &format!("removed from {}\n", file.display()))?;
    Ok(0)
}

fn list_rules(start: &CommandSetup, output: &TerminalOutput) -> Result<u8, AppError> {
    let built_in: Vec<&str> = scrub::built_in_rules().map(scrub::RuleName::as_str).collect();
    // Rules are read from the files again, since the loaded settings hold all layers joined and no longer say where a
    // rule came from.
    let user = patterns::read_rules(&user_file(start))?;
    let project = patterns::read_rules(&project_file(start))?;
    let named = |rules: &[UserRule], rule: &UserRule| rules.iter().any(|known| known.name == rule.name);
    let from = |rule: &UserRule| match rule {
        rule if named(&user, rule) => "user",
        rule if named(&project, rule) => "project",
        // Rules from the environment or `--set` are in neither file.
        _ => "settings",
    };
    let own = &start.loaded.config.sensitive.patterns;
    let json: Vec<Value> = own
        .iter()
        .map(|rule| json!({ "name": rule.name.as_str(), "pattern": rule.pattern.as_str(), "from": from(rule) }))
        .collect();
    let mut text = String::new();
    for rule in own {
        let _ = writeln!(text, "{}: {}  # {}", rule.name, rule.pattern.as_str(), from(rule));
    }
    let own_rules = if own.is_empty() { "no rules of your own, " } else { "" };
    let _ = writeln!(text, "{own_rules}and {} built-in rules: {}", built_in.len(), built_in.join(", "));
    output.write_reply(&json!({ "rules": json, "built_in": built_in }), &text)?;
    Ok(0)
}

fn test_text(start: &CommandSetup, arguments: &ArgMatches, output: &TerminalOutput) -> Result<u8, AppError> {
    let text = read_input(arguments)?;
    // Not the key of the store: the placeholders shown here must not help to guess what is hidden there.
    let rules = Scrubber::new(ScrubKey::new([0; 32]), &start.loaded.config.sensitive.patterns);
    let scrubbed = rules.scrub(&text);
    if scrubbed.is_left_out {
        output
            .print_warning("rules of the project were not followed where they would replace more than half of a text");
    }
    let found: Vec<Value> = scrubbed
        .found
        .iter()
        .map(|found| {
            let before = &text[..found.span.to_range().start];
            let line = before.split(|byte| *byte == b'\n').count();
            let column = before.iter().rev().take_while(|byte| **byte != b'\n').count() + 1;
            json!({ "rule": found.rule.as_str(), "line": line, "column": column, "bytes": found.span.len() })
        })
        .collect();
    let shown = String::from_utf8_lossy(&scrubbed.bytes).into_owned();
    let end = if shown.ends_with('\n') { "" } else { "\n" };
    output.write_reply(&json!({ "found": found, "text": shown }), &format!("{shown}{end}"))?;
    for found in &found {
        output.print_note(&format!(
            "{} at {}:{}, {} bytes",
            found["rule"].as_str().unwrap_or_default(),
            found["line"],
            found["column"],
            found["bytes"]
        ));
    }
    // A status of its own, so that a script can refuse to commit a file.
    Ok(if found.is_empty() { 0 } else { FINDINGS })
}

fn read_input(arguments: &ArgMatches) -> Result<Vec<u8>, AppError> {
    let unreadable = |error: std::io::Error| AppError::new(ErrorClass::Usage, "input", error.to_string());
    if let Some(file) = arguments.get_one::<PathBuf>("file") {
        return fs_err::read(file).map_err(unreadable);
    }
    if let Some(text) = arguments.get_one::<String>("text") {
        return Ok(text.clone().into_bytes());
    }
    let mut text = Vec::new();
    std::io::stdin().lock().read_to_end(&mut text).map_err(unreadable)?;
    Ok(text)
}
