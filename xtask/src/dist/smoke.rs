//! Installs each package of a folder into an empty directory, without network and without Rust, and does with it what a
//! first user does: connect an agent, ask, let a hook speak, disconnect. Packages for other systems are named and left out.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};

use super::binary_format::ProgramFormat;
use super::libraries;
use super::platform::ReleasePlatform;
use super::product::Product;
use crate::browser::fresh_folder;
use crate::process::{self, command_in};
use crate::repository;

/// The agent whose files are written, whether it is installed or not.
const AGENT: &str = "claude-code";
const SPOKEN: &str = "prices are whole cents";

/// How one kind of package gets into a folder; gives the command that a user would type.
type Installer = fn(&Sandbox, &Product, &Path) -> Result<PathBuf>;

/// Each kind with what `epitome upgrade` has to call it. A Debian package is only unpacked here, so the database of the
/// system does not know it.
const KINDS: [(&str, Installer, &str); 4] = [
    ("archive", install_archive, "archive"),
    ("npm", install_npm, "npm"),
    ("wheel", install_wheel, "pip"),
    ("debian", install_debian, "archive"),
];

/// A home, a project and a place to install to.
struct Sandbox {
    home: PathBuf,
    project: PathBuf,
    installed: PathBuf,
    path: String,
    /// What cuts a command off from the network; empty where the system has nothing.
    cut_off: &'static [&'static str],
}

/// Tries every package of this system.
pub(super) fn check_packages(product: &Product, folder: &Path) -> Result<()> {
    // This program was built for the same system.
    let platform = ReleasePlatform::find(&ProgramFormat::read(&process::own_program()?)?)?;
    let root = repository::target_directory()?.join("dist-smoke");
    let mut tried = 0;
    for (kind, install, source) in KINDS {
        let Some(package) = find_package(product, platform, folder, kind)? else {
            println!("{kind:8} left out: {} has none for {}", folder.display(), platform.triple);
            continue;
        };
        if let Some(tool) = missing_tool(kind) {
            println!("{kind:8} left out: there is no {tool} to install it with");
            continue;
        }
        let sandbox = Sandbox::new(&root.join(kind))?;
        let program = install(&sandbox, product, &package).with_context(|| format!("cannot install the {kind}"))?;
        sandbox.use_program(product, &program, source).with_context(|| format!("the program of the {kind} fails"))?;
        match kind {
            "npm" => use_node_library(&sandbox, product, &package, &program),
            "wheel" => use_python_library(&sandbox, product, &package, &program),
            _ => Ok(()),
        }
        .context("the library beside it fails")?;
        let network = if sandbox.cut_off.is_empty() { "with a network, which could not be cut" } else { "no network" };
        println!("{kind:8} passed ({network}): {}", package.file_name().unwrap_or_default().to_string_lossy());
        tried += 1;
    }
    ensure!(tried > 0, "{} has no package for {}", folder.display(), platform.triple);
    if root.exists() {
        fs_err::remove_dir_all(&root)?;
    }
    check_sums(folder)
}

/// What the package is installed with, where that is not there.
fn missing_tool(kind: &str) -> Option<&'static str> {
    let lacks = |program| process::find_program(program).is_none().then_some(program);
    match kind {
        "npm" => lacks("npm"),
        "debian" => lacks("dpkg-deb"),
        "wheel" => {
            // Distributions keep these modules in a package of their own.
            let asked = command_in(repository::root(), "python3", &["-c", "import venv, ensurepip"]);
            process::read_output(asked).is_err().then_some("Python with venv")
        }
        _ => None,
    }
}

fn find_package(product: &Product, platform: &ReleasePlatform, folder: &Path, kind: &str) -> Result<Option<PathBuf>> {
    let mut names: Vec<String> = Vec::new();
    for entry in fs_err::read_dir(folder)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    let version = &product.version;
    let wheel = format!("{}-{version}-py3-none-", Product::PYTHON_NAME.replace('-', "_"));
    // The part of the tag before the version of the library, and that behind it.
    let (tag, machine) = platform.wheel_tag.split_once("{glibc}").unwrap_or((platform.wheel_tag, ""));
    let fits = |name: &&String| match kind {
        "archive" => **name == platform.archive_file(product),
        "npm" => **name == format!("{}-{version}.tgz", platform.npm_name(product)),
        "wheel" => name
            .strip_prefix(&wheel)
            .is_some_and(|rest| rest.starts_with(tag) && rest.ends_with(&format!("{machine}.whl"))),
        _ => platform.debian.is_some_and(|it| **name == format!("{}_{version}_{it}.deb", product.name)),
    };
    Ok(names.iter().find(fits).map(|name| folder.join(name)))
}

fn check_sums(folder: &Path) -> Result<()> {
    if process::find_program("sha256sum").is_some() {
        process::read_output(command_in(folder, "sha256sum", &["--check", "--strict", "SHA256SUMS"]))?;
        println!("sums     passed: every package is the one that SHA256SUMS names");
    }
    Ok(())
}

fn install_archive(sandbox: &Sandbox, product: &Product, package: &Path) -> Result<PathBuf> {
    // GNU's and BSD's programs read zip or tell the compression by themselves; a user types just this.
    run_quietly(sandbox.command("tar").args(["-xf"]).arg(package).arg("-C").arg(&sandbox.installed))?;
    let name = package.file_name().context("a package has a name")?.to_string_lossy().into_owned();
    let folder = name.trim_end_matches(".tar.gz").trim_end_matches(".zip");
    Ok(sandbox.installed.join(folder).join(&product.name))
}

fn install_npm(sandbox: &Sandbox, product: &Product, package: &Path) -> Result<PathBuf> {
    let chooser = package.with_file_name(format!("{}-{}.tgz", product.name, product.version));
    let mut npm = sandbox.command("npm");
    npm.args(["install", "--offline", "--no-audit", "--no-fund", "--loglevel=error", "--ignore-scripts", "--prefix"]);
    npm.arg(&sandbox.installed).arg(package).arg(chooser);
    run_quietly(&mut npm)?;
    Ok(sandbox.installed.join("node_modules").join(".bin").join(&product.name))
}

fn install_wheel(sandbox: &Sandbox, product: &Product, package: &Path) -> Result<PathBuf> {
    // The one that the search path leads to may be a script that needs the real home.
    let python = process::read_output(command_in(
        &sandbox.project,
        "python3",
        &["-c", "import sys; print(getattr(sys, '_base_executable', sys.executable))"],
    ))?;
    let environment = sandbox.installed.join("environment");
    run_quietly(sandbox.command(python.trim()).args(["-m", "venv"]).arg(&environment))?;
    let mut pip = sandbox.command(environment.join("bin").join("pip"));
    pip.args(["install", "--no-index", "--quiet", "--disable-pip-version-check"]).arg(package);
    run_quietly(&mut pip)?;
    Ok(environment.join("bin").join(&product.name))
}

/// Installs the library for Node beside the program, and asks through it.
fn use_node_library(sandbox: &Sandbox, product: &Product, package: &Path, program: &Path) -> Result<()> {
    let library = package.with_file_name(libraries::node_file(product));
    let mut npm = sandbox.command("npm");
    npm.args(["install", "--offline", "--no-audit", "--no-fund", "--loglevel=error", "--ignore-scripts", "--prefix"]);
    run_quietly(npm.arg(&sandbox.installed).arg(library))?;
    let script = sandbox.installed.join("ask.mjs");
    let text = "import { Epitome } from '@epitome/client';\n\
                const epitome = await Epitome.start({ program: process.argv[2] });\n\
                console.log((await epitome.symbol({ name: 'check_password' })).symbols[0].path);\nawait epitome.close();\n";
    fs_err::write(&script, text)?;
    let printed = run_quietly(sandbox.command("node").arg(script).arg(program))?;
    ensure!(printed.trim() == "server/auth.py", "it answers {printed}");
    Ok(())
}

/// The same for Python.
fn use_python_library(sandbox: &Sandbox, product: &Product, package: &Path, program: &Path) -> Result<()> {
    let library = package.with_file_name(libraries::python_file(product));
    let programs = sandbox.installed.join("environment").join("bin");
    let mut pip = sandbox.command(programs.join("pip"));
    run_quietly(pip.args(["install", "--no-index", "--quiet", "--disable-pip-version-check"]).arg(library))?;
    let script = sandbox.installed.join("ask.py");
    let text = "import sys\nfrom epitome import Epitome\nwith Epitome.start(program=sys.argv[1]) as epitome:\n    \
                print(epitome.symbol(name='check_password')['symbols'][0]['path'])\n";
    fs_err::write(&script, text)?;
    let printed = run_quietly(sandbox.command(programs.join("python3")).arg(script).arg(program))?;
    ensure!(printed.trim() == "server/auth.py", "it answers {printed}");
    Ok(())
}

fn install_debian(sandbox: &Sandbox, product: &Product, package: &Path) -> Result<PathBuf> {
    // Asks for what the package depends on, and changes nothing; only root may ask, and only where dpkg knows the system.
    let is_root = process::read_output(command_in(&sandbox.project, "id", &["-u"]))?.trim() == "0";
    if is_root && Path::new("/var/lib/dpkg/status").exists() {
        run_quietly(sandbox.command("dpkg").args(["--dry-run", "--install"]).arg(package))?;
    }
    run_quietly(sandbox.command("dpkg-deb").arg("--extract").arg(package).arg(&sandbox.installed))?;
    Ok(sandbox.installed.join("usr").join("bin").join(&product.name))
}

impl Sandbox {
    fn new(root: &Path) -> Result<Sandbox> {
        fresh_folder(root)?;
        let sandbox = Sandbox {
            home: root.join("home"),
            project: root.join("shop"),
            installed: root.join("installed"),
            path: search_path()?,
            cut_off: network_cutter(),
        };
        for folder in [&sandbox.home, &sandbox.project, &sandbox.installed] {
            fs_err::create_dir_all(folder)?;
        }
        fs_err::create_dir_all(sandbox.project.join("server"))?;
        let source = repository::root().join("examples").join("shop").join("server").join("auth.py");
        fs_err::copy(source, sandbox.project.join("server").join("auth.py"))?;
        Ok(sandbox)
    }

    /// A command with this home and nothing of the developer's environment.
    fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = match self.cut_off {
            [] => Command::new(program),
            [cutter, arguments @ ..] => {
                let mut command = Command::new(cutter);
                command.args(arguments).arg(program);
                command
            }
        };
        command.env_clear().env("HOME", &self.home).env("PATH", &self.path).env("LANG", "C.UTF-8");
        command.current_dir(&self.project).stdin(Stdio::null());
        command
    }

    fn use_program(&self, product: &Product, program: &Path, source: &str) -> Result<()> {
        let run = |arguments: &[&str]| run_quietly(self.command(program).args(arguments));
        let printed = run(&["--version"])?;
        ensure!(printed.trim() == format!("{} {}", product.name, product.version), "it calls itself {printed}");
        let told: serde_json::Value = serde_json::from_str(&run(&["upgrade", "--json"])?)?;
        ensure!(told["installed_by"] == source, "`upgrade` does not see that it was installed by {source}: {told}");
        let before = self.agent_files()?;
        run(&["init", "--agent", AGENT, "--yes"])?;
        let connected = self.agent_files()?;
        ensure!(connected != before, "connecting wrote nothing");
        self.check_written_program(&connected)?;
        let printed = run(&["context", "how are passwords checked", "--budget", "200"])?;
        ensure!(printed.contains("def check_password"), "the answer lacks the function: {printed}");
        let event = serde_json::json!({ "session_id": "smoke", "prompt": SPOKEN, "cwd": self.project });
        let mut hook = self.command(program);
        run_with_input(hook.args(["hook", "UserPromptSubmit", "--agent", AGENT]), &event.to_string())?;
        let printed = run(&["grep", SPOKEN])?;
        ensure!(printed.contains(SPOKEN), "what the hook was told is not found: {printed}");
        run(&["verify"])?;
        run(&["disconnect"])?;
        // Whether one was started depends on the machine; either way none stays.
        run(&["daemon", "stop"])?;
        ensure!(self.agent_files()? == before, "disconnecting left something of ours behind");
        Ok(())
    }

    /// What agents are told to start has to be there, and not the script of a package manager's cache.
    fn check_written_program(&self, files: &BTreeMap<PathBuf, String>) -> Result<()> {
        let servers = files.iter().find(|(path, _)| path.ends_with(".claude.json")).context("no list of servers")?.1;
        let servers: serde_json::Value = serde_json::from_str(servers)?;
        let program = servers["mcpServers"]["epitome"]["command"].as_str().context("no server is named")?;
        ensure!(Path::new(program).starts_with(&self.installed), "agents would start {program}");
        ensure!(Path::new(program).is_file(), "{program} is not there");
        Ok(())
    }

    /// The files of a home that agents read.
    fn agent_files(&self) -> Result<BTreeMap<PathBuf, String>> {
        let mut files = BTreeMap::new();
        for path in [".claude.json", ".claude/settings.json"].map(|path| self.home.join(path)) {
            if path.exists() {
                files.insert(path.clone(), fs_err::read_to_string(&path)?);
            }
        }
        Ok(files)
    }
}

/// Runs to a good end and gives what was printed.
fn run_quietly(command: &mut Command) -> Result<String> {
    run_with_input(command, "")
}

fn run_with_input(command: &mut Command, input: &str) -> Result<String> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    child.stdin.take().context("the input is piped")?.write_all(input.as_bytes())?;
    let output = child.wait_with_output()?;
    let (printed, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if !output.status.success() || said.contains("panicked") {
        bail!("{command:?} ({}): {said}{printed}", output.status);
    }
    Ok(printed.into_owned())
}

/// Where the system keeps its programs, without any folder that has Rust.
fn search_path() -> Result<String> {
    let node = process::find_program("npm").and_then(|npm| npm.parent().map(Path::to_owned));
    let folders = node.into_iter().chain(["/usr/bin", "/bin", "/usr/sbin", "/sbin"].map(PathBuf::from));
    let clean = folders.filter(|folder| !["cargo", "rustc"].iter().any(|program| folder.join(program).exists()));
    Ok(std::env::join_paths(clean)?.to_string_lossy().into_owned())
}

/// A namespace without devices, where this user may make one.
fn network_cutter() -> &'static [&'static str] {
    const CUTTERS: [&[&str]; 2] = [&["unshare", "--net"], &["unshare", "--net", "--map-root-user"]];
    let works = |cutter: &&&[&str]| {
        let mut command = Command::new(cutter[0]);
        command.args(&cutter[1..]).arg("true").stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    CUTTERS.iter().find(works).copied().unwrap_or_default()
}
