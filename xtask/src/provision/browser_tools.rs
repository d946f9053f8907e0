//! Finds or installs a browser and what drives it: Chromium from the distribution, and the packages of `tools/browser` in
//! the versions of its lock file. npm downloads no browser: the library without one is taken.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use super::{install_packages, node_tools};
use crate::process::{self, command_in};
use crate::repository;

/// What distributions call the browser.
const PROGRAMS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// The programs that look at pages: `node SCRIPT`, with the scripts of `tools/browser` in a folder.
pub(crate) struct BrowserTools {
    pub(crate) node: PathBuf,
    pub(crate) chromium: PathBuf,
    /// The scripts, beside the packages that they import.
    pub(crate) scripts: PathBuf,
}

/// Finds the tools, installing what is missing.
pub(crate) fn ensure_tools() -> Result<BrowserTools> {
    let target = repository::target_directory()?;
    let (node, _) = node_tools::ensure_node(&target.join("node-tools"))?;
    let chromium = ensure_chromium()?;
    let scripts = target.join("browser-tools");
    install_locked(&repository::root().join("tools").join("browser"), &scripts)?;
    Ok(BrowserTools { node, chromium, scripts })
}

/// Makes pictures look and weigh as they do in the documentation: a font, and a program that reduces colours.
pub(crate) fn ensure_picture_tools() -> Result<PathBuf> {
    if let Some(found) = process::find_program("pngquant") {
        return Ok(found);
    }
    install_packages(&["pngquant", "fonts-inter"], "pngquant")?;
    process::find_program("pngquant").context("the package pngquant is installed, but not the program")
}

pub(crate) fn ensure_chromium() -> Result<PathBuf> {
    let find = || PROGRAMS.iter().find_map(|program| process::find_program(program));
    if let Some(found) = find() {
        return Ok(found);
    }
    install_packages(&["chromium"], "Chromium")?;
    find().context("the package chromium is installed, but not the program")
}

/// Copies the scripts and sees that the packages are those of the lock file. No install script runs.
fn install_locked(from: &Path, into: &Path) -> Result<()> {
    let lock = fs_err::read_to_string(from.join("package-lock.json"))?;
    let installed = fs_err::read_to_string(into.join("installed-lock.json")).unwrap_or_default();
    fs_err::create_dir_all(into)?;
    for entry in fs_err::read_dir(from)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            fs_err::copy(entry.path(), into.join(entry.file_name()))?;
        }
    }
    if installed != lock {
        node_tools::ensure_npm()?;
        println!("installing   the packages of {}", from.display());
        let arguments = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
        process::run_command(command_in(into, "npm", &arguments))?;
        // Written last, so that an installation that was stopped is made again.
        fs_err::write(into.join("installed-lock.json"), lock)?;
    }
    Ok(())
}
