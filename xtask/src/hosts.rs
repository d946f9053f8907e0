//! The real agents, driven by a scripted model: what hooks, server and archive do is looked at where users meet them.
//!
//! ```text
//! install   the agent in its pinned version, from npm into a cache
//! stage     a home and a project of their own, the witness in the place of our program
//! day       turns, compactions, a resumption, a second conversation
//! checks    what the model received, what the archive has, what is left in the home
//! ```
//! Nothing leaves the machine but what npm fetches. `HOSTS_BINARY` names a binary that is built already.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Result, bail};

use crate::process::{self, cargo};
use crate::repository;

mod checks;
mod day;
mod install;
mod known;
mod measures;
mod model;
mod report;
mod stage;
mod talk;
mod texts;
mod witness;

use checks::Evidence;
use known::Host;
use report::Day;
use stage::Stage;

/// The `hosts` command.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    if let Some((first, rest)) = arguments.split_first()
        && first == witness::FLAG
    {
        return witness::run(rest);
    }
    let (flags, names): (Vec<&String>, Vec<&String>) = arguments.iter().partition(|word| word.starts_with("--"));
    let mut wants = Wants::default();
    for flag in flags {
        match flag.as_str() {
            "--record" => wants.record = true,
            "--keep" => wants.keep = true,
            _ => bail!("unexpected argument `{flag}`\nhint: cargo xtask hosts [NAME…] [--record] [--keep]"),
        }
    }
    let chosen = choose(&names)?;
    let binary = if let Some(built) = std::env::var_os("HOSTS_BINARY") {
        PathBuf::from(built)
    } else {
        // The same selection as the tests build, or half the dependencies would be compiled twice.
        process::run(cargo(repository::root(), &["build", "--workspace", "--all-targets", "--quiet"]))?;
        built()?
    };
    play_all(&chosen, &binary, &wants)
}

/// The agents that are played with every change, and the program that is built already.
pub(crate) fn check() -> Result<()> {
    let chosen: Vec<&Host> = known::ALL.iter().filter(|host| host.is_in_ci).collect();
    play_all(&chosen, &built()?, &Wants::default())
}

fn built() -> Result<PathBuf> {
    Ok(repository::target_directory()?.join("debug").join("epitome"))
}

#[derive(Default)]
struct Wants {
    /// Write down what came of it.
    record: bool,
    /// Leave everything where it is, to be looked at.
    keep: bool,
}

fn choose(names: &[&String]) -> Result<Vec<&'static Host>> {
    if let Some(unknown) = names.iter().find(|name| !known::ALL.iter().any(|host| host.name == name.as_str())) {
        let all: Vec<&str> = known::ALL.iter().map(|host| host.name).collect();
        bail!("no agent `{unknown}` is tried; there are: {}", all.join(", "));
    }
    let is_chosen = |host: &&Host| names.is_empty() || names.iter().any(|name| host.name == name.as_str());
    Ok(known::ALL.iter().filter(is_chosen).collect())
}

fn play_all(hosts: &[&'static Host], binary: &Path, wants: &Wants) -> Result<()> {
    let binary = fs_err::canonicalize(binary)?;
    let root = std::env::temp_dir().join(format!("epitome-hosts-{}", std::process::id()));
    let (mut days, mut broken) = (Vec::new(), Vec::new());
    for host in hosts {
        println!("{} {} …", host.title, host.pinned()?.version);
        match play_one(host, &root.join(host.name), &binary) {
            Ok(day) => days.push(day),
            Err(error) => broken.push(format!("{}: {error:#}", host.title)),
        }
    }
    println!("\n{}", report::table(&days));
    if wants.record {
        report::record(&days)?;
    }
    let failed = days.iter().map(|day| day.failed().count()).sum::<usize>();
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

fn play_one(host: &'static Host, root: &Path, binary: &Path) -> Result<Day> {
    let begun = Instant::now();
    let installed = install::install(host)?;
    let stage = Stage::new(root, binary, host, &installed)?;
    let day = day::play(host, &stage).map(|played| {
        let (checks, counts) = checks::look(&Evidence { host, stage: &stage, played: &played });
        Day { host, checks, counts, measures: measures::of(&played), seconds: begun.elapsed().as_secs_f64() }
    });
    // Whatever came of it: nothing that we started goes on.
    let _ = stage.epitome(&["daemon", "stop"]);
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
