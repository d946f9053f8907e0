//! The command `epitome init`: connects the agents that are installed on this machine by writing into their settings
//! files, after showing exactly what it would write.

mod plan_text;

use crate::cli::CommandSetup;
use crate::cli::output::TerminalOutput;
use crate::connect::{self, ConnectionRegistry, InstallSource, UserHome};
use crate::detach::spawn_detached;
use crate::errors::{AppError, ErrorClass};
use crate::mcp;
use crate::suggestion::nearest_word;
use agents::CONNECTORS;
use agents::connectors::{ConnectPlan, Connector, HomeSnapshot, Program, by_hand};
use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::ffi::OsStr;
use std::io::{BufRead as _, IsTerminal as _};

const ABOUT_TEXT: &str = "Connect the coding agents that are installed here, after showing what will be written";

const LONG_ABOUT: &str = "\
Connect the coding agents that are installed here, after showing what will be written

Each agent gets the MCP server, and hooks where it has them, in its own files; comments and order stay as they are. \
Claude Code asks before it calls a tool; rules that let it call those that only read are written if you say so. \
`epitome disconnect` takes all of it out again. The project around you is indexed in the background.";

/// Hooks that cannot be started are lost without an error that anyone sees.
const CACHE_WARNING: &str = "this program lies in the cache of npx, which npm may empty: agents would then lose their hooks \
                             and their server; `npm install --global epitome`, then `epitome init` once more, keeps it";

pub(in crate::cli) fn build_command() -> Command {
    Command::new("init")
        .about(ABOUT_TEXT)
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
pub(super) fn named_agents(arguments: &ArgMatches) -> Result<Vec<&'static Connector>, AppError> {
    let names = arguments.get_many::<String>("agent").into_iter().flatten().filter(|name| *name != "generic");
    let find = |name: &String| {
        let known = || CONNECTORS.iter().map(|connector| connector.name).chain(["generic"]);
        Connector::from_name(name).ok_or_else(|| {
            let problem = AppError::new(ErrorClass::Usage, "unknown_agent", format!("there is no agent `{name}`"));
            match nearest_word(name, known()) {
                Some(meant) => problem.with_hint(format!("did you mean `{meant}`?")),
                None => problem.with_hint(format!("there are {}", known().collect::<Vec<_>>().join(", "))),
            }
        })
    };
    names.map(find).collect()
}

pub(in crate::cli) fn run(
    start: &CommandSetup,
    arguments: &ArgMatches,
    output: &TerminalOutput,
) -> Result<u8, AppError> {
    let disk = |error: std::io::Error| AppError::new(ErrorClass::Unavailable, "disk", error.to_string());
    let program = connect::program_path(&start.loaded.environment).map_err(disk)?;
    if InstallSource::find(&program) == InstallSource::NpmCache {
        output.print_warning(CACHE_WARNING);
    }
    let program = Program::from_path(program.to_string_lossy());
    let generic = arguments.get_many::<String>("agent").is_some_and(|mut names| names.any(|name| name == "generic"));
    if generic {
        // Only printed: an unknown agent's files are not ours to guess.
        return output.write_text(&by_hand(&program)).map(|()| 0);
    }
    let machine = UserHome::from_environment(&start.loaded.environment).ok_or_else(|| {
        AppError::new(ErrorClass::Usage, "home", "cannot tell where agents keep their files: HOME is not set")
    })?;
    let mut connections = ConnectionRegistry::open(&start.loaded.directories.data).map_err(disk)?;
    let named = named_agents(arguments)?;
    let chosen: Vec<&'static Connector> = machine.with_snapshot(|snapshot| {
        let installed = CONNECTORS.iter().copied().filter(|connector| connector.is_installed(snapshot));
        if named.is_empty() { installed.collect() } else { named }
    });
    let mut plans = plan_connections(&machine, &chosen, &program, &connections);
    let dry = arguments.get_flag("dry-run");
    let count =
        |plans: &[ConnectPlan]| plans.iter().flat_map(|plan| &plan.files).filter(|file| !file.is_done()).count();
    // Planned again after the answer, so that the text the user confirms is exactly what is written.
    if ask_permission(arguments, &plans, count(&plans)) {
        plans = plan_connections(&machine, &chosen, &program.clone().with_allowed(mcp::reading_tools()), &connections);
    }
    let pending = count(&plans);
    let is_refused = plans.iter().any(|plan| !plan.refused.is_empty());
    let mut reply = json!({ "agents": plans.iter().map(plan_text::json_of).collect::<Vec<_>>() });
    let text = plan_text::text_of(&plans, &program);
    let mut troubles: Vec<Value> = Vec::new();
    if pending > 0 && !dry {
        // A person reads the plan before saying yes; a program gets one object at the end.
        output.print_note(&text);
        ask_consent(arguments)?;
        for plan in plans {
            for file in plan.files.into_iter().filter(|file| !file.is_done()) {
                let path = file.record.path.clone();
                // One file that cannot be written does not keep the other agents from being connected.
                if let Err(trouble) = connect::apply_plan(&mut connections, file) {
                    output.print_labelled("error", "31", &format!("{}: {trouble}", path.display()));
                    troubles.push(json!({ "path": path, "reason": trouble.to_string() }));
                }
            }
        }
    }
    // In the background, because the first index of a large repository takes longer than a user waits.
    let indexing = !dry && index_in_background(start);
    reply["applied"] = json!(!dry && troubles.is_empty());
    reply["troubles"] = json!(troubles);
    reply["undo"] = json!("epitome disconnect");
    let told = match (pending, dry) {
        (0, _) => format!("{text}nothing to write\n"),
        (_, true) => format!("{text}nothing was written\n"),
        (written, false) => format!(
            "wrote {}; `epitome disconnect` undoes it\n{}",
            crate::ops::render_count((written - troubles.len()) as u64, "file"),
            if indexing { "indexing this project in the background\n" } else { "" }
        ),
    };
    output.write_reply(&reply, &told)?;
    Ok(u8::from(is_refused || !troubles.is_empty()))
}

/// The changes that connecting these agents takes. Two agents may read one file; it is written once.
fn plan_connections(
    machine: &UserHome<'_>,
    chosen: &[&'static Connector],
    program: &Program,
    known: &ConnectionRegistry,
) -> Vec<ConnectPlan> {
    let plan = |snapshot: &HomeSnapshot<'_>| {
        chosen
            .iter()
            .map(|connector| connector.plan_connection(snapshot, program, &known.connection_records()))
            .collect::<Vec<_>>()
    };
    let mut plans = machine.with_snapshot(plan);
    let mut seen = HashSet::new();
    for plan in &mut plans {
        // VS Code and Copilot CLI read the same file of hooks, which is planned for both and written once.
        plan.files.retain(|file| seen.insert(file.record.path.clone()));
    }
    plans
}

/// Whether agents may call the tools that only read without asking. Only a person says so: by the flag, or asked about an
/// agent that is about to be connected.
fn ask_permission(arguments: &ArgMatches, plans: &[ConnectPlan], pending: usize) -> bool {
    if arguments.get_flag("allow-reading") {
        return true;
    }
    let asking: Vec<&str> = plans
        .iter()
        .filter(|plan| plan.connector.takes_permissions() && !plan.allows_tools())
        .map(|plan| plan.connector.title)
        .collect();
    // Without a person to ask the answer is no: `--yes` agrees to the files shown, not to more rights.
    let is_silent = arguments.get_flag("yes") || arguments.get_flag("dry-run") || !std::io::stdin().is_terminal();
    if pending == 0 || asking.is_empty() || is_silent {
        return false;
    }
    let tools = plan_text::reading_tools();
    ask_user(&format!("may {} call {tools}, which only read, without asking each time?", asking.join(" and ")))
}

/// Asks the user where standard input is a terminal.
fn ask_consent(arguments: &ArgMatches) -> Result<(), AppError> {
    if arguments.get_flag("yes") {
        return Ok(());
    }
    // Input that is no terminal is a script, whose next line is not an answer.
    if std::io::stdin().is_terminal() && ask_user("write this?") {
        return Ok(());
    }
    Err(AppError::new(ErrorClass::Usage, "not_confirmed", "nothing was written")
        .with_hint("epitome init --yes writes it"))
}

/// Whether the user at the terminal says yes.
fn ask_user(question: &str) -> bool {
    let _ = std::io::Write::write_all(&mut std::io::stderr(), format!("{question} [y/N] ").as_bytes());
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    // Only a clear yes counts: an empty line or the end of input writes nothing.
    read.is_ok() && matches!(answer.trim(), "y" | "Y" | "yes")
}

/// Leaves a process behind that indexes the project; whether it did. A directory that is not under version control
/// may be a whole home: that is only indexed when the user or an agent asks.
fn index_in_background(start: &CommandSetup) -> bool {
    let [index, quiet, project] = ["index", "--quiet", "--project"].map(OsStr::new);
    start.project.is_repository() && spawn_detached(&[index, quiet, project, start.project.root.as_os_str()], None)
}
