//! The command `cargo xtask provision`: installs what the tests need on the machine: PostgreSQL, Node with the MCP
//! conformance suite, Chromium with what drives it, what the extension is packed with, the crates. Says what it found; installs only what is missing, and only where it may (root with
//! apt-get for packages, npm into the target directory for Node's).

use std::path::Path;

use anyhow::{Result, bail};

use crate::process::{self, cargo_command, command_in};
use crate::{refuse_arguments, repository};

pub(crate) mod browser_tools;
pub(crate) mod editor_tools;
pub(crate) mod node_tools;
pub(crate) mod postgres;

/// The `provision` command.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    refuse_arguments(arguments)?;
    provision_machine()
}

/// Leaves the machine able to run every stage of `ci`, or says what is missing.
pub(crate) fn provision_machine() -> Result<()> {
    println!("postgresql   {}", postgres::ensure_programs()?.display());
    println!("pgbouncer    {}", postgres::ensure_pooler());
    let tools = node_tools::ensure_tools()?;
    println!("node         {} ({})", tools.node.display(), tools.version);
    println!("conformance  {}", tools.conformance.display());
    println!("browser      {}", browser_tools::ensure_tools()?.chromium.display());
    editor_tools::ensure_build_tools()?;
    println!("editor       {}", editor_tools::extension_folder().display());
    // For every platform, not only this one: the licence check reads the whole graph, offline.
    process::run_command(cargo_command(repository::root(), &["fetch", "--locked", "--quiet"]))?;
    println!("crates       fetched");
    let nextest = if has_nextest() { "cargo-nextest" } else { "cargo test (cargo-nextest is not installed)" };
    println!("tests        run by {nextest}");
    Ok(())
}

pub(crate) fn has_nextest() -> bool {
    process::find_program("cargo-nextest").is_some()
}

/// Installs Debian packages, or says which are needed and why we cannot.
fn install_packages(packages: &[&str], purpose: &str) -> Result<()> {
    let names = packages.join(" ");
    if process::find_program("apt-get").is_none() || !is_root()? {
        bail!(
            "{purpose} is missing\nhint: install it (on Debian and Ubuntu: apt-get install {names}), then run `cargo xtask provision` again"
        );
    }
    println!("installing   {names}");
    process::run_command(apt_get(&["update", "-qq"]))?;
    let mut arguments = vec!["install", "-y", "-qq", "--no-install-recommends"];
    arguments.extend(packages);
    process::run_command(apt_get(&arguments))
}

fn apt_get(arguments: &[&str]) -> std::process::Command {
    let mut apt_get = command_in(Path::new("/"), "apt-get", arguments);
    // Run level 1 is maintenance: packages put their files in place and start no service.
    apt_get.env("DEBIAN_FRONTEND", "noninteractive").env("RUNLEVEL", "1");
    apt_get
}

fn is_root() -> Result<bool> {
    Ok(process::read_output(command_in(Path::new("/"), "id", &["-u"]))?.trim() == "0")
}
