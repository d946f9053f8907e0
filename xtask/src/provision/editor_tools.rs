//! Installs what the extension for VS Code is made with, into its own folder as its lock file says, and the editor itself:
//! the server of code-server, which is VS Code for a browser, from npm. Nothing native is compiled for it: what it then
//! lacks (terminals, its log, a search with ripgrep) the extension does not use.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::node_tools;
use crate::process::{self, command_in};
use crate::repository;

const EDITOR: &str = "code-server";
/// Pinned: what the workbench looks like is part of what the test expects.
const EDITOR_VERSION: &str = "4.100.3";

/// The packages of the extension, and a Node.
pub(crate) fn ensure_build_tools() -> Result<PathBuf> {
    let (node, _) = node_tools::ensure_node(&repository::target_directory()?.join("node-tools"))?;
    install_packages_of(&extension_folder(), &["ci"], "package-lock.json")?;
    Ok(node)
}

/// The script that serves the workbench: `node SCRIPT --port …`.
pub(crate) fn ensure_workbench() -> Result<PathBuf> {
    let folder = repository::target_directory()?.join("editor-tools");
    node_tools::ensure_package(&folder, EDITOR, EDITOR_VERSION)?;
    let server = folder.join("node_modules").join(EDITOR).join("lib").join("vscode");
    // Not `ci`: its list and its manifest differ in what is for other systems.
    install_packages_of(&server, &["install", "--omit=dev"], "npm-shrinkwrap.json")?;
    let packed = server.join("node_modules.asar");
    if !packed.exists() {
        // It looks for some of its packages under this name.
        link_folder(&server.join("node_modules"), &packed)?;
    }
    Ok(server.join("out").join("server-main.js"))
}

pub(crate) fn extension_folder() -> PathBuf {
    repository::root().join("editors").join("vscode")
}

/// Sees that a folder has the packages of its lock file. No install script runs.
fn install_packages_of(folder: &Path, what: &[&str], lock: &str) -> Result<()> {
    let lock = fs_err::read_to_string(folder.join(lock))?;
    let mark = folder.join("node_modules").join("installed-lock.json");
    if fs_err::read_to_string(&mark).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    node_tools::ensure_npm()?;
    println!("installing   the packages of {}", folder.display());
    let quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    process::run_command(command_in(folder, "npm", &[what, &quiet].concat()))?;
    // Written last, so that an installation that was stopped is made again.
    Ok(fs_err::write(mark, lock)?)
}

#[cfg(unix)]
fn link_folder(from: &Path, to: &Path) -> Result<()> {
    Ok(fs_err::os::unix::fs::symlink(from, to)?)
}

#[cfg(not(unix))]
fn link_folder(_: &Path, _: &Path) -> Result<()> {
    anyhow::bail!("the workbench is served on Linux and macOS only")
}
