//! Installs the agents under test from npm, in their pinned versions, into a cache outside of the tree: hundreds of
//! megabytes that every checkout can share.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use super::agents::{HostAgent, Pinned};
use crate::provision::node_tools;

/// An agent that can be started.
pub(super) struct InstalledHost {
    pub(super) program: PathBuf,
    pub(super) node: PathBuf,
}

/// Sees that an agent is there in the version that is pinned. One that cannot be installed is a failure.
pub(super) fn install_host(host: &HostAgent) -> Result<InstalledHost> {
    let Pinned { package, version } = host.pinned()?;
    let cache = cache_folder()?;
    let (node, _) = node_tools::ensure_node(&cache.join("node"))?;
    let folder = cache.join(format!("{}-{version}", host.name));
    let platform = platform_name()?;
    // Pinned, because a newer version may behave otherwise and the record has to name what was tried.
    node_tools::ensure_package(&folder, &package.replace("{platform}", platform), &version)
        .with_context(|| format!("{} {version} cannot be installed", host.title))?;
    let program = folder.join("node_modules").join(host.program.replace("{platform}", platform));
    if !program.is_file() {
        bail!("{} {version} has no program at {}", host.title, program.display());
    }
    Ok(InstalledHost { program, node })
}

fn cache_folder() -> Result<PathBuf> {
    let named = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache"));
    let cache = named.or_else(home).context("neither XDG_CACHE_HOME nor HOME says where agents can be installed")?;
    Ok(cache.join("epitome-hosts"))
}

/// As the packages of most agents are named.
fn platform_name() -> Result<&'static str> {
    Ok(match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => "linux-x64",
        ("linux", "aarch64") => "linux-arm64",
        ("macos", "x86_64") => "darwin-x64",
        ("macos", "aarch64") => "darwin-arm64",
        (system, machine) => bail!("the agents have no programs for {system} on {machine}"),
    })
}
