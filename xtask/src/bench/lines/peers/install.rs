//! Installs the tools that the product is compared with from their registries, each in a fixed version, so that a run can
//! be repeated. semble is a Python package of the Python that asks it (`BENCH_PYTHON`) and is not installed here.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::process::{self, command_in};
use crate::provision::node_tools;
use crate::repository;

/// What npm installs.
const PACKAGES: [&str; 2] = ["@colbymchenry/codegraph@1.6.1", "@vscode/ripgrep@1.18.0"];

/// A package that has its programs inside and needs none of what it depends on to search. The one for musl runs with any C
/// library.
const PROBE: &str = "@probelabs/probe@0.6.0-rc325";
const PROBE_PROGRAM: &str = "probe-v0.6.0-rc325-x86_64-unknown-linux-musl";

/// Where the programs are.
pub(super) struct InstalledPeers {
    pub(super) node: PathBuf,
    /// A script of Node.
    pub(super) codegraph: PathBuf,
    pub(super) probe: PathBuf,
    pub(super) ripgrep: PathBuf,
}

pub(super) fn install_peers() -> Result<InstalledPeers> {
    let folder = repository::target_directory()?.join("peers");
    fs_err::create_dir_all(&folder)?;
    let (node, _) = node_tools::ensure_node(&folder)?;
    let options = ["install", "--no-save", "--ignore-scripts", "--no-fund", "--no-audit", "--silent"];
    let mut npm = command_in(&folder, "npm", &options);
    npm.args(PACKAGES);
    process::run_command(npm)?;
    let modules = folder.join("node_modules");
    Ok(InstalledPeers {
        node,
        codegraph: modules.join("@colbymchenry/codegraph/npm-shim.js"),
        probe: unpack_probe(&folder)?,
        ripgrep: modules.join("@vscode/ripgrep-linux-x64/bin/rg"),
    })
}

fn unpack_probe(folder: &Path) -> Result<PathBuf> {
    let program = folder.join(PROBE_PROGRAM).join("probe");
    if !program.exists() {
        let packed = process::read_output(command_in(folder, "npm", &["pack", "--silent", PROBE]))?;
        let packed = packed.lines().last().context("npm packed nothing")?;
        process::run_command(command_in(folder, "tar", &["xzf", packed]))?;
        let inner = format!("package/bin/binaries/{PROBE_PROGRAM}.tar.gz");
        process::run_command(command_in(folder, "tar", &["xzf", &inner]))?;
    }
    Ok(program)
}

/// Runs some Python that sees the package semble, without a network.
pub(super) fn semble_command(folder: &Path, script: &str) -> Command {
    let python = std::env::var_os("BENCH_PYTHON").unwrap_or_else(|| "python3".into());
    let mut command = command_in(folder, python, &["-c", script]);
    command.env("HF_HUB_OFFLINE", "1");
    command
}
