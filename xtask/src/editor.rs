//! The command `cargo xtask editor`: checks the types of the extension for VS Code, packs it, installs the package into the
//! real workbench and uses every feature there, in Chromium, with the debug program. What must show is in
//! `editors/vscode/test/workbench.mjs`; a picture of each feature is left in `target/editor/pictures`.

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::json;

use crate::browser::{SampleStore, fresh_folder};
use crate::process::{self, cargo_command, command_in};
use crate::provision::{browser_tools, editor_tools};
use crate::repository;

const USAGE: &str = "cargo xtask editor [--pack]";
/// A busy machine takes its time to start an editor.
const READY_WITHIN: Duration = Duration::from_mins(1);

/// The `editor` command.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    match arguments {
        [] => {
            let build = ["build", "--workspace", "--all-targets", "--quiet"];
            process::run_command(cargo_command(repository::root(), &build))?;
            use_in_workbench(&pack()?)
        }
        [flag] if flag == "--pack" => {
            println!("packed {}", pack()?.display());
            Ok(())
        }
        _ => bail!("unexpected arguments `{}`\nhint: {USAGE}", arguments.join(" ")),
    }
}

/// What `ci` does: types and package. The workbench is for changes of the extension and for releases.
pub(crate) fn check() -> Result<()> {
    println!("editor: packed {}", pack()?.display());
    Ok(())
}

/// Makes the package that the marketplace takes.
fn pack() -> Result<PathBuf> {
    let node = editor_tools::ensure_build_tools()?;
    let (folder, root) = (editor_tools::extension_folder(), repository::root());
    let out = repository::target_directory()?.join("editor");
    fs_err::create_dir_all(&out)?;
    // What packages carry lies beside the manifest.
    fs_err::copy(root.join("LICENSE-MIT"), folder.join("LICENSE"))?;
    fs_err::copy(root.join("CHANGELOG.md"), folder.join("CHANGELOG.md"))?;
    let manifest: serde_json::Value = serde_json::from_str(&fs_err::read_to_string(folder.join("package.json"))?)?;
    let version = manifest["version"].as_str().context("the extension has no version")?;
    let package = out.join(format!("epitome-{version}.vsix"));
    let mut vsce = command_in(&folder, &node, &[]);
    // It checks the types and makes the one file first, as the manifest says.
    vsce.arg(folder.join("node_modules").join("@vscode").join("vsce").join("vsce"));
    // Everything is in one file, so no packages travel with it; the repository's own paths are not those of the package.
    vsce.args(["package", "--no-dependencies", "--out"]).arg(&package);
    process::read_output(vsce)?;
    Ok(package)
}

fn use_in_workbench(package: &Path) -> Result<()> {
    let node = editor_tools::ensure_build_tools()?;
    let script = editor_tools::ensure_workbench()?;
    let chromium = browser_tools::ensure_chromium()?;
    let target = repository::target_directory()?;
    let binary = target.join("debug").join("epitome");
    let folder = target.join("editor");
    // Outside of this repository, whose root would be the project otherwise.
    let stores = std::env::temp_dir().join(format!("epitome-editor-{}", std::process::id()));
    let (data, pictures) = (folder.join("data"), folder.join("pictures"));
    for fresh in [&stores, &data, &pictures] {
        fresh_folder(fresh)?;
    }
    let store = SampleStore::make_full(&binary, &stores)?;
    let settings = data.join("data").join("Machine").join("settings.json");
    fs_err::create_dir_all(settings.parent().expect("the settings are in a folder"))?;
    let values = json!({
        "epitome.program": binary,
        "workbench.startupEditor": "none",
        "telemetry.telemetryLevel": "off",
        "extensions.ignoreRecommendations": true,
        "extensions.autoCheckUpdates": false,
    });
    fs_err::write(&settings, values.to_string())?;
    let serve = |arguments: &[&str]| {
        let mut command = command_in(store.project(), &node, &[]);
        command.arg(&script).arg("--server-data-dir").arg(&data).arg("--accept-server-license-terms").args(arguments);
        store.give_homes(&mut command);
        command
    };
    process::read_output(serve(&["--install-extension", &package.to_string_lossy()]))?;
    let port = free_port()?;
    let log = folder.join("server.log");
    let address = ["--host", "127.0.0.1", "--port", &port.to_string(), "--without-connection-token"];
    let _server = WorkbenchServer::start(serve(&address), port, &log)?;
    let plan = folder.join("plan.json");
    let contents = json!({
        "chromium": chromium,
        "origin": format!("http://127.0.0.1:{port}"),
        "project": store.project(),
        "program": binary,
        "pictures": pictures,
        "settings": settings,
        "session": "The checkout takes two seconds",
        "memory": "prices are whole cents",
        "decision": "SQLite for sessions",
    });
    fs_err::write(&plan, contents.to_string())?;
    let mut look = command_in(&editor_tools::extension_folder().join("test"), &node, &["workbench.mjs"]);
    look.arg(&plan);
    store.give_homes(&mut look);
    process::run_command(look)?;
    // After a failure the store stays, to be looked at.
    Ok(fs_err::remove_dir_all(stores)?)
}

/// A port that was free a moment ago.
fn free_port() -> Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

/// The editor's server; it ends with this value, and what it started ends with it.
struct WorkbenchServer {
    child: Child,
}

impl WorkbenchServer {
    fn start(mut command: Command, port: u16, log: &Path) -> Result<WorkbenchServer> {
        let file = fs_err::File::create(log)?.into_file();
        command.stdout(file.try_clone()?).stderr(file);
        let mut server = WorkbenchServer { child: command.spawn().context("cannot start the editor")? };
        let end = Instant::now() + READY_WITHIN;
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            let ended = server.child.try_wait()?;
            let said = || fs_err::read_to_string(log).unwrap_or_default();
            ensure!(ended.is_none() && Instant::now() < end, "the editor did not start:\n{}", said());
            thread::sleep(Duration::from_millis(100));
        }
        Ok(server)
    }
}

impl Drop for WorkbenchServer {
    fn drop(&mut self) {
        // Asked, not killed: it ends the extension hosts, and they the program.
        let asked = Command::new("kill").arg(self.child.id().to_string()).status();
        if !asked.is_ok_and(|status| status.success()) {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}
