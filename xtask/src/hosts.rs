//! The command `cargo xtask hosts`: end-to-end tests with real agents and a scripted model. An agent is installed from
//! npm in its pinned version (`install`), runs in its own home and project with a recorder in place of our program
//! (`sandbox`), plays a `day` (turns, compactions, a resumption); then `checks` look at model requests, archive and
//! home. Nothing leaves the machine but what npm fetches. `HOSTS_BINARY` names a binary that is built already.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Result, bail};

use crate::process::{self, cargo_command};
use crate::repository;

mod agent_session;
mod agents;
mod checks;
mod day;
mod hook_recorder;
mod install;
mod measures;
mod model;
mod report;
mod sandbox;
mod texts;

use agents::HostAgent;
use checks::DayEvidence;
use report::DayReport;
use sandbox::HostSandbox;

/// The `hosts` command.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    // The recorder is this very program under another flag, so that hooks need no second binary.
    if let Some((first, rest)) = arguments.split_first()
        && first == hook_recorder::FLAG
    {
        return hook_recorder::run(rest);
    }
    let (flags, names): (Vec<&String>, Vec<&String>) = arguments.iter().partition(|word| word.starts_with("--"));
    let mut wants = HostOptions::default();
    for flag in flags {
        match flag.as_str() {
            "--record" => wants.record = true,
            "--keep" => wants.keep = true,
            _ => bail!("unexpected argument `{flag}`\nhint: cargo xtask hosts [NAME…] [--record] [--keep]"),
        }
    }
    let chosen = choose_hosts(&names)?;
    let binary = if let Some(built) = std::env::var_os("HOSTS_BINARY") {
        PathBuf::from(built)
    } else {
        // The same selection as the tests build, or half of the dependencies would be compiled twice.
        process::run_command(cargo_command(repository::root(), &["build", "--workspace", "--all-targets", "--quiet"]))?;
        debug_binary()?
    };
    play_all(&chosen, &binary, &wants)
}

/// The agents that are played with every change, and the program that is built already.
pub(crate) fn check() -> Result<()> {
    let chosen: Vec<&HostAgent> = agents::HOST_AGENTS.iter().filter(|host| host.is_in_ci).collect();
    play_all(&chosen, &debug_binary()?, &HostOptions::default())
}

fn debug_binary() -> Result<PathBuf> {
    Ok(repository::target_directory()?.join("debug").join("epitome"))
}

#[derive(Default)]
struct HostOptions {
    /// Write down what came of it.
    record: bool,
    /// Leave everything where it is, to be looked at.
    keep: bool,
}

fn choose_hosts(names: &[&String]) -> Result<Vec<&'static HostAgent>> {
    if let Some(unknown) = names.iter().find(|name| !agents::HOST_AGENTS.iter().any(|host| host.name == name.as_str()))
    {
        let all: Vec<&str> = agents::HOST_AGENTS.iter().map(|host| host.name).collect();
        bail!("no agent `{unknown}` is tried; there are: {}", all.join(", "));
    }
    let is_chosen = |host: &&HostAgent| names.is_empty() || names.iter().any(|name| host.name == name.as_str());
    Ok(agents::HOST_AGENTS.iter().filter(is_chosen).collect())
}

fn play_all(hosts: &[&'static HostAgent], binary: &Path, wants: &HostOptions) -> Result<()> {
    let binary = fs_err::canonicalize(binary)?;
    let root = std::env::temp_dir().join(format!("epitome-hosts-{}", std::process::id()));
    let mut days = Vec::new();
    let mut broken = Vec::new();
    for host in hosts {
        println!("{} {} …", host.title, host.pinned()?.version);
        match play_one(host, &root.join(host.name), &binary) {
            Ok(day) => days.push(day),
            // One agent that cannot be played does not keep the others from being tried.
            Err(error) => broken.push(format!("{}: {error:#}", host.title)),
        }
    }
    println!("\n{}", report::render_table(&days));
    // Recorded even if checks failed: the record is what the documents show.
    if wants.record {
        report::write_record(&days)?;
    }
    let failed = days.iter().map(|day| day.failed_checks().count()).sum::<usize>();
    if failed > 0 || !broken.is_empty() {
        let broken: String = broken.iter().map(|broken| format!("\n{broken}")).collect();
        bail!(
            "{failed} checks failed, {} days could not be played{broken}\nhint: what was said is in {}",
            hosts.len() - days.len(),
            root.display()
        );
    }
    if wants.keep {
        println!("kept in {}", root.display());
    } else {
        fs_err::remove_dir_all(&root)?;
    }
    Ok(())
}

fn play_one(host: &'static HostAgent, root: &Path, binary: &Path) -> Result<DayReport> {
    let begun = Instant::now();
    let installed = install::install_host(host)?;
    let stage = HostSandbox::new(root, binary, host, &installed)?;
    let day = day::play_day(host, &stage).map(|played| {
        let (checks, counts) = checks::run_checks(&DayEvidence { host, stage: &stage, played: &played });
        DayReport {
            host,
            checks,
            counts,
            measures: measures::day_measures(&played),
            seconds: begun.elapsed().as_secs_f64(),
        }
    });
    // Whatever came of the day, no process that was started goes on.
    let _ = stage.run_epitome(&["daemon", "stop"]);
    day
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_agents_and_flags_are_refused() {
        let refuse = |argument: &str| run(&[argument.to_owned()]).expect_err("refused").to_string();
        assert_eq!(
            refuse("emacs"),
            "no agent `emacs` is tried; there are: claude-code, codex, gemini-cli, qwen-code, opencode, \
             copilot-cli, goose"
        );
        assert_eq!(
            refuse("--fast"),
            "unexpected argument `--fast`\nhint: cargo xtask hosts [NAME…] [--record] [--keep]"
        );
    }
}
