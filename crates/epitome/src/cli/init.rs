//! `epitome init`: connects the agents that are installed here, after showing exactly what it would write.

use super::Start;
use super::output::Output;
use crate::behind::leave_behind;
use crate::connect::{self, Connections, Machine};
use crate::errors::{Class, Problem};
use crate::nearest::nearest;
use agents::connectors::{CONNECTORS, Connector, FilePlan, Plan, Program, by_hand};
use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::{Value, json};
use similar::TextDiff;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::io::{BufRead as _, IsTerminal as _};

const ABOUT: &str = "Connect the coding agents that are installed here, after showing what will be written";

const LONG_ABOUT: &str = "\
Connect the coding agents that are installed here, after showing what will be written

Each agent gets the MCP server, and hooks where it has them, in its own files; comments and order stay as they are. \
`epitome disconnect` takes all of it out again. The project around you is indexed in the background.";

pub(super) fn command() -> Command {
    Command::new("init")
        .about(ABOUT)
        .long_about(LONG_ABOUT)
        .arg(agent_argument("Only this agent, whether it was found or not; `generic` prints what to add by hand"))
        .arg(Arg::new("yes").long("yes").short('y').action(ArgAction::SetTrue).help("Write without asking"))
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
    let mut plans: Vec<Plan> = machine.look(|snapshot| {
        let installed = CONNECTORS.iter().copied().filter(|connector| connector.is_installed(snapshot));
        let chosen = if named.is_empty() { installed.collect() } else { named };
        chosen.into_iter().map(|connector| connector.plan(snapshot, &program, &connections.records())).collect()
    });
    // Two agents may read one file; it is written once.
    let mut seen = HashSet::new();
    for plan in &mut plans {
        plan.files.retain(|file| seen.insert(file.record.path.clone()));
    }
    let files = |plan: &Plan| plan.files.iter().filter(|file| !file.is_done()).count();
    let pending: usize = plans.iter().map(files).sum();
    let is_refused = plans.iter().any(|plan| !plan.refused.is_empty());
    let mut reply = json!({ "agents": plans.iter().map(json_of).collect::<Vec<_>>() });
    let text = text_of(&plans, &program);
    let dry = arguments.get_flag("dry-run");
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

/// Asks where somebody can answer.
fn consent(arguments: &ArgMatches) -> Result<(), Problem> {
    if arguments.get_flag("yes") {
        return Ok(());
    }
    let refused =
        || Problem::new(Class::Usage, "not_confirmed", "nothing was written").hint("epitome init --yes writes it");
    if !std::io::stdin().is_terminal() {
        return Err(refused());
    }
    let _ = std::io::Write::write_all(&mut std::io::stderr(), b"write this? [y/N] ");
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    match answer.trim() {
        "y" | "Y" | "yes" if read.is_ok() => Ok(()),
        _ => Err(refused()),
    }
}

/// Leaves a process behind that indexes the project; whether it did. A directory that nobody keeps under version control
/// may be a whole home: that is only indexed when somebody asks.
fn index_in_background(start: &Start) -> bool {
    let [index, quiet, project] = ["index", "--quiet", "--project"].map(OsStr::new);
    start.project.is_repository() && leave_behind(&[index, quiet, project, start.project.root.as_os_str()], None)
}

fn standing(file: &FilePlan) -> &'static str {
    match &file.now {
        _ if file.is_done() => "same",
        None => "new",
        Some(_) if file.next.is_none() => "removed",
        Some(_) => "changed",
    }
}

fn diff(file: &FilePlan) -> String {
    let now = file.now.as_deref().unwrap_or_default();
    let name = file.record.path.display().to_string();
    let header = |side: &Option<String>| if side.is_some() { name.clone() } else { "/dev/null".to_owned() };
    let next = file.next.as_deref().unwrap_or_default();
    let (before, after) = (header(&file.now), header(&file.next));
    TextDiff::from_lines(now, next).unified_diff().context_radius(2).header(&before, &after).to_string()
}

fn json_of(plan: &Plan) -> Value {
    let file = |file: &FilePlan| json!({ "path": file.record.path, "standing": standing(file), "diff": diff(file) });
    let refused = plan.refused.iter().map(|(path, trouble)| json!({ "path": path, "reason": trouble.to_string() }));
    json!({
        "agent": plan.connector.name,
        "title": plan.connector.title,
        "files": plan.files.iter().map(file).collect::<Vec<_>>(),
        "refused": refused.collect::<Vec<_>>(),
        "note": plan.connector.note,
        "by_plugin": plan.by_plugin,
    })
}

fn text_of(plans: &[Plan], program: &Program) -> String {
    if plans.is_empty() {
        return format!(
            "no agent was found here; any that speaks MCP wants this in its settings:\n{}",
            by_hand(program)
        );
    }
    let mut text = String::new();
    for plan in plans {
        let done = plan.files.iter().all(FilePlan::is_done);
        let standing = match (plan.by_plugin, done) {
            (false, _) if plan.files.is_empty() && !plan.refused.is_empty() => ": not connected",
            (true, true) => ": connected by our plugin, which brings the server and the hooks",
            (true, false) => ": connected by our plugin; what was written before it came goes",
            (false, true) => ": connected",
            (false, false) => "",
        };
        let _ = writeln!(text, "{}{standing}", plan.connector.title);
        plan.files.iter().filter(|file| !file.is_done()).for_each(|file| text.push_str(&diff(file)));
        for (path, trouble) in &plan.refused {
            let _ = writeln!(text, "left alone: {}: {trouble}", path.display());
        }
        if let (Some(note), false) = (plan.connector.note, done) {
            let _ = writeln!(text, "note: {note}");
        }
    }
    text
}
