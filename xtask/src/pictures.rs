//! The command `cargo xtask pictures`: takes the pictures of the dashboard that README and docs show, with the full store
//! of `browser`, and reduces their colours; and records a terminal. They change when the pages do; the browser stage does
//! not compare them, since fonts differ between machines.

mod ansi_text;
mod terminal_recording;

use anyhow::{Result, ensure};
use serde_json::json;

use crate::browser::{SampleStore, fresh_folder};
use crate::process::{self, cargo_command, command_in};
use crate::provision::browser_tools;
use crate::{refuse_arguments, repository};

/// A picture weighs less than this, or it does not belong into a repository.
const MAX_BYTES: u64 = 150_000;

/// The `pictures` command.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    refuse_arguments(arguments)?;
    let root = repository::root();
    process::run_command(cargo_command(root, &["build", "--workspace", "--all-targets", "--quiet"]))?;
    let tools = browser_tools::ensure_tools()?;
    let pngquant = browser_tools::ensure_picture_tools()?;
    let target = repository::target_directory()?;
    let folder = target.join("pictures");
    fresh_folder(&folder)?;
    let into = root.join("docs").join("pictures");
    fs_err::create_dir_all(&into)?;
    let program = target.join("debug").join("epitome");
    terminal_recording::record(&program, &folder.join("recorded"), &into.join("terminal.svg"))?;
    let store = SampleStore::make_full(&program, &folder.join("full"))?;
    let server = store.serve_pages()?;
    let plan = folder.join("plan.json");
    let described = store.describe(&server)?;
    fs_err::write(&plan, json!({ "chromium": tools.chromium, "store": described, "into": into }).to_string())?;
    let mut take = command_in(&tools.scripts, &tools.node, &["pictures.mjs"]);
    take.arg(&plan);
    process::run_command(take)?;
    for entry in fs_err::read_dir(&into)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        // Only what was taken now: reduced a second time, a picture would differ without a change of what it shows.
        if !(name.starts_with("dashboard-") && name.ends_with(".png")) {
            continue;
        }
        let mut reduce =
            command_in(root, &pngquant, &["--force", "--strip", "--ext", ".png", "--quality", "70-98", "128"]);
        reduce.arg(&path);
        process::run_command(reduce)?;
        let bytes = fs_err::metadata(&path)?.len();
        ensure!(bytes <= MAX_BYTES, "{} has {bytes} bytes, more than {MAX_BYTES}", path.display());
        println!("{:>7} bytes  {}", bytes, path.display());
    }
    Ok(())
}
