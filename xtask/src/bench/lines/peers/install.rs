//! Installs the tools that the product is compared with from their registries, each in a fixed version, so that a run can
//! be repeated. semble is a Python package of the Python that asks it and is not installed here.

use std::path::PathBuf;

use anyhow::Result;

use crate::process::{self, command_in};
use crate::provision::node_tools;
use crate::repository;

/// What npm installs.
const PACKAGES: [&str; 3] = ["@colbymchenry/codegraph@1.6.1", "@buger/probe@0.5.0", "@vscode/ripgrep@1.18.0"];

/// Where the programs are.
pub(super) struct InstalledPeers {
    pub(super) node: PathBuf,
    /// A script of Node.
    pub(super) codegraph: PathBuf,
    /// `PEER_PROBE` names another program, for a system whose C library is older than the package wants.
    pub(super) probe: PathBuf,
    pub(super) ripgrep: PathBuf,
}

pub(super) fn install_peers() -> Result<InstalledPeers> {
    let folder = repository::target_directory()?.join("peers");
    fs_err::create_dir_all(&folder)?;
    let tools = node_tools::ensure_tools()?;
    let mut npm = command_in(&folder, "npm", &["install", "--no-save", "--no-fund", "--no-audit", "--silent"]);
    npm.args(PACKAGES);
    process::run_command(npm)?;
    let modules = folder.join("node_modules");
    let probe = modules.join("@buger/probe/bin/probe");
    Ok(InstalledPeers {
        node: tools.node,
        codegraph: modules.join("@colbymchenry/codegraph/npm-shim.js"),
        probe: std::env::var_os("PEER_PROBE").map_or(probe, PathBuf::from),
        ripgrep: modules.join("@vscode/ripgrep-linux-x64/bin/rg"),
    })
}
