//! `epitome init`: connects the agents that are installed here, after showing exactly what it would write.

mod shown;

use super::Start;
use super::output::Output;
use crate::behind::leave_behind;
use crate::connect::{self, Connections, Machine};
use crate::errors::{Class, Problem};
use crate::mcp;
use crate::nearest::nearest;
use agents::connectors::{CONNECTORS, Connector, Plan, Program, Snapshot, by_hand};
use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::ffi::OsStr;
use std::io::{BufRead as _, IsTerminal as _};

const ABOUT: &str = "Connect the coding agents that are installed here, after showing what will be written";

const LONG_ABOUT: &str = "\
Connect the coding agents that are installed here, after showing what will be written

Each agent gets the MCP server, and hooks where it has them, in its own files; comments and order stay as they are. \
Claude Code asks before it calls a tool; rules that let it call those that only read are written if you say so. \
`epitome disconnect` takes all of it out again. The project around you is indexed in the background.";

pub(super) fn command() -> Command {
    Command::new("init")
        .about(ABOUT)
        .long_about(LONG_ABOUT)
        .arg(agent_argument("Only this agent, whether it was found or not; `generic` prints what to add by hand"))
        .arg(Arg::new("yes").long("yes").short('y').action(ArgAction::SetTrue).help("Write without asking"))
        .arg(
            Arg::new("allow-reading")
                .long("allow-reading")
                .action(ArgAction::SetTrue)
                .help("Let agents call the tools that only read without asking each time, where they can be told so"),
        )
        .arg(Arg::new("dry-run").long("dry-run").action(ArgAction::SetTrue).help("Show what would be written, and end"))
}

pub(super) fn agent_argument(help: &'static str) -> Arg {
    Arg::new("agent").long("agent").value_name("NAME").action(ArgAction::Append).help(help)
}

/// The agents that the command line names.
pub(super) fn named(arguments: &ArgMatches) -> Result<Vec<&'static Connector>, Problem> {
    let names = arguments.get_many::<String>("agent").into_iter().flatten().filter(|name| *name != "generic");
    let find = |name: &String| {
        let known = || CONNECTORS.iter().map(|connector| connector.name).chain(["generic"]);
        Connector::named(name).ok_or_else(|| {
            let problem = Problem::new(Class::Usage, "unknown_agent", format!("there is no agent `{name}`"));
            match nearest(name, known()) {
                Some(meant) => problem.hint(format!("did you mean `{meant}`?")),
                None => problem.hint(format!("there are {}", known().collect::<Vec<_>>().join(", "))),
            }
        })
    };
    names.map(find).collect()
}

pub(super) fn run(start: &Start, arguments: &ArgMatches, output: &Output) -> Result<u8, Problem> {
    let disk = |error: std::io::Error| Problem::new(Class::Unavailable, "disk", error.to_string());
    let program = connect::program(&start.loaded.environment).map_err(disk)?;
    let program = Program::at(program.to_string_lossy());
    let generic = arguments.get_many::<String>("agent").is_some_and(|mut names| names.any(|name| name == "generic"));
    if generic {
        return output.data(&by_hand(&program)).map(|()| 0);
    }
    let machine = Machine::of(&start.loaded.environment).ok_or_else(|| {
        Problem::new(Class::Usage, "home", "cannot tell where agents keep their files: HOME is not set")
    })?;
    let mut connections = Connections::open(&start.loaded.directories.data).map_err(disk)?;
    let named = named(arguments)?;
    let chosen: Vec<&'static Connector> = machine.look(|snapshot| {
        let installed = CONNECTORS.iter().copied().filter(|connector| connector.is_installed(snapshot));
        if named.is_empty() { installed.collect() } else { named }
    });
    let mut plans = planned(&machine, &chosen, &program, &connections);
    let dry = arguments.get_flag("dry-run");
    let count = |plans: &[Plan]| plans.iter().flat_map(|plan| &plan.files).filter(|file| !file.is_done()).count();
    if permitted(arguments, &plans, count(&plans)) {
        plans = planned(&machine, &chosen, &program.clone().allowing(mcp::reading_tools()), &connections);
    }
    let pending = count(&plans);
    let is_refused = plans.iter().any(|plan| !plan.refused.is_empty());
    let mut reply = json!({ "agents": plans.iter().map(shown::json_of).collect::<Vec<_>>() });
    let text = shown::text_of(&plans, &program);
    let mut troubles: Vec<Value> = Vec::new();
    if pending > 0 && !dry {
        // A person reads the plan before saying yes; a program gets one object at the end.
        output.note(&text);
        consent(arguments)?;
        for plan in plans {
            for file in plan.files.into_iter().filter(|file| !file.is_done()) {
                let path = file.record.path.clone();
                if let Err(trouble) = connect::apply(&mut connections, file) {
                    output.talk("error", "31", &format!("{}: {trouble}", path.display()));
                    troubles.push(json!({ "path": path, "reason": trouble.to_string() }));
                }
            }
        }
    }
    let indexing = !dry && index_in_background(start);
    reply["applied"] = json!(!dry && troubles.is_empty());
    reply["troubles"] = json!(troubles);
    reply["undo"] = json!("epitome disconnect");
    let told = match (pending, dry) {
        (0, _) => format!("{text}nothing to write\n"),
        (_, true) => format!("{text}nothing was written\n"),
        (written, false) => format!(
            "wrote {}; `epitome disconnect` undoes it\n{}",
            crate::ops::count((written - troubles.len()) as u64, "file"),
            if indexing { "indexing this project in the background\n" } else { "" }
        ),
    };
    output.either(&reply, &told)?;
    Ok(u8::from(is_refused || !troubles.is_empty()))
}

/// What connecting these agents takes. Two of them may read one file; it is written once.
fn planned(machine: &Machine<'_>, chosen: &[&'static Connector], program: &Program, known: &Connections) -> Vec<Plan> {
    let plan = |snapshot: &Snapshot<'_>| {
        chosen.iter().map(|connector| connector.plan(snapshot, program, &known.records())).collect::<Vec<_>>()
    };
    let mut plans = machine.look(plan);
    let mut seen = HashSet::new();
    for plan in &mut plans {
        plan.files.retain(|file| seen.insert(file.record.path.clone()));
    }
    plans
}

/// Whether agents may call the tools that only read without asking. Only a person says so: by the flag, or asked about an
/// agent that is about to be connected.
fn permitted(arguments: &ArgMatches, plans: &[Plan], pending: usize) -> bool {
    if arguments.get_flag("allow-reading") {
        return true;
    }
    let asking: Vec<&str> = plans
        .iter()
        .filter(|plan| plan.connector.takes_permissions() && !plan.allows_tools())
        .map(|plan| plan.connector.title)
        .collect();
    let is_silent = arguments.get_flag("yes") || arguments.get_flag("dry-run") || !std::io::stdin().is_terminal();
    if pending == 0 || asking.is_empty() || is_silent {
        return false;
    }
    let tools = shown::reading_tools();
    ask(&format!("may {} call {tools}, which only read, without asking each time?", asking.join(" and ")))
}

/// Asks where somebody can answer.
fn consent(arguments: &ArgMatches) -> Result<(), Problem> {
    if arguments.get_flag("yes") {
        return Ok(());
    }
    if std::io::stdin().is_terminal() && ask("write this?") {
        return Ok(());
    }
    Err(Problem::new(Class::Usage, "not_confirmed", "nothing was written").hint("epitome init --yes writes it"))
}

/// Whether somebody at the terminal says yes.
fn ask(question: &str) -> bool {
    let _ = std::io::Write::write_all(&mut std::io::stderr(), format!("{question} [y/N] ").as_bytes());
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    read.is_ok() && matches!(answer.trim(), "y" | "Y" | "yes")
}

/// Leaves a process behind that indexes the project; whether it did. A directory that nobody keeps under version control
/// may be a whole home: that is only indexed when somebody asks.
fn index_in_background(start: &Start) -> bool {
    let [index, quiet, project] = ["index", "--quiet", "--project"].map(OsStr::new);
    start.project.is_repository() && leave_behind(&[index, quiet, project, start.project.root.as_os_str()], None)
}
