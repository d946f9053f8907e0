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
mod model;
mod report;
mod stage;
mod talk;
mod texts;
mod witness;

use checks::Evidence;
use known::Host;
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
        repository::target_directory()?.join("debug").join("epitome")
    };
    play_all(&chosen, &binary, &wants)
}

#[derive(Default)]
struct Wants {
    record: bool,
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
    let root = std::env::temp_dir().join(format!("epitome-hosts-{}", std::process::id()));
    let mut days = Vec::new();
    for host in hosts {
        println!("\n== {} {}", host.title, host.version);
        days.push(play_one(host, &root.join(host.name), binary));
    }
    println!("{}", root.display());
    report::print(&days);
    Ok(())
}

fn play_one(host: &'static Host, root: &Path, binary: &Path) -> Result<report::Day> {
    let begun = Instant::now();
    let installed = install::install(host)?;
    let stage = Stage::new(root, binary, host, &installed)?;
    let played = day::play(host, &stage);
    let day = played.map(|played| {
        let (checks, counts) = checks::look(&Evidence { host, stage: &stage, played: &played });
        report::Day { host, checks, counts, seconds: begun.elapsed().as_secs_f64() }
    });
    // Whatever came of it: nothing that we started goes on.
    let _ = stage.epitome(&["daemon", "stop"]);
    day
}
