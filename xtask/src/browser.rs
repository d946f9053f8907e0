//! The command `cargo xtask browser`: opens every page of the dashboard in a real Chromium, with a full, an empty and a
//! hostile store. What must hold is in `tools/browser/check.mjs`: no error in the console, no request to elsewhere,
//! nothing wider than a window of 360 pixels, no serious finding of axe-core, and everything by keyboard.

use std::path::Path;

use anyhow::Result;
use serde_json::{Value, json};

use crate::process::{self, cargo_command, command_in};
use crate::provision::browser_tools;
use crate::served_process::ServedProcess;
use crate::{refuse_arguments, repository};

mod hostile_text;
mod sample_store;

pub(crate) use sample_store::SampleStore;

/// The `browser` command.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    refuse_arguments(arguments)?;
    // The same selection as the tests build, or half of the dependencies would be compiled twice.
    process::run_command(cargo_command(repository::root(), &["build", "--workspace", "--all-targets", "--quiet"]))?;
    check()
}

/// Looks at the pages of the program that is already built.
pub(crate) fn check() -> Result<()> {
    let tools = browser_tools::ensure_tools()?;
    let target = repository::target_directory()?;
    let binary = target.join("debug").join("epitome");
    let folder = target.join("browser");
    fresh_folder(&folder)?;
    let stores = [
        SampleStore::make_full(&binary, &folder.join("full"))?,
        SampleStore::make_empty(&binary, &folder.join("empty"))?,
        SampleStore::make_hostile(&binary, &folder.join("hostile"))?,
    ];
    let servers: Vec<ServedProcess> = stores.iter().map(SampleStore::serve_pages).collect::<Result<_>>()?;
    let described: Vec<Value> =
        stores.iter().zip(&servers).map(|(store, server)| store.describe(server)).collect::<Result<_>>()?;
    let plan = folder.join("plan.json");
    fs_err::write(&plan, json!({ "chromium": tools.chromium, "stores": described }).to_string())?;
    let mut look = command_in(&tools.scripts, &tools.node, &["check.mjs"]);
    look.arg(&plan);
    process::run_command(look)
}

/// An empty folder in the place of what was there.
pub(crate) fn fresh_folder(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs_err::remove_dir_all(folder)?;
    }
    fs_err::create_dir_all(folder)?;
    Ok(())
}
