//! The sandbox of an end-to-end test: a temporary home and project directory with our program installed, and the
//! environment of the agent.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use super::agents::HostAgent;
use super::hook_recorder;
use super::install::InstalledHost;
use crate::process;

pub(super) struct HostSandbox {
    root: PathBuf,
    pub(super) home: PathBuf,
    pub(super) project: PathBuf,
    /// The folder on the search path of the agents.
    bin: PathBuf,
    binary: PathBuf,
    variables: Vec<(OsString, OsString)>,
}

const SOURCE: &str = "\"\"\"Prices in whole cents.\"\"\"


def add_tax(cents: int, rate: float) -> int:
    \"\"\"Adds the tax and rounds half up.\"\"\"
    return int(cents * (1 + rate) + 0.5)


def discount(cents: int, percent: int) -> int:
    return cents - cents * percent // 100


class Cart:
    def __init__(self):
        self.items = []

    def add(self, name, cents):
        self.items.append((name, cents))

    def total(self):
        return sum(cents for _, cents in self.items)
";

impl HostSandbox {
    /// Makes the home and the project below a folder that is there for this run only.
    pub(super) fn new(root: &Path, binary: &Path, host: &HostAgent, installed: &InstalledHost) -> Result<Self> {
        let under = |name: &str| root.join(name);
        let stage = Self {
            root: root.to_owned(),
            home: under("home"),
            project: under("prices"),
            bin: under("bin"),
            binary: binary.to_owned(),
            variables: environment_variables(&under("home"), &under("bin")),
        };
        for folder in [&stage.home, &stage.project.join("src"), &stage.bin, &stage.hook_folder()] {
            fs_err::create_dir_all(folder)?;
        }
        fs_err::os::unix::fs::symlink(&installed.node, stage.bin.join("node"))?;
        fs_err::os::unix::fs::symlink(&installed.program, stage.bin.join(host.command))?;
        fs_err::os::unix::fs::symlink(binary, stage.program_path())?;
        fs_err::write(stage.project.join("README.md"), "# Prices\n\nA small project. Prices are whole cents.\n")?;
        fs_err::write(stage.project.join("src").join("price.py"), SOURCE)?;
        let author = ["-c", "user.name=A Person", "-c", "user.email=person@example.com"];
        stage.run_git(&["init", "--quiet", "."])?;
        stage.run_git(&["add", "--all"])?;
        // Agents treat a repository without a commit differently from one with history.
        stage.run_git(&[&author[..], &["commit", "--quiet", "--message", "begin"]].concat())?;
        Ok(stage)
    }

    fn run_git(&self, arguments: &[&str]) -> Result<()> {
        process::run_command(self.build_command("git", arguments))
    }

    /// The place of our program, as agents know it.
    pub(super) fn program_path(&self) -> PathBuf {
        self.bin.join("epitome")
    }

    pub(super) fn hook_folder(&self) -> PathBuf {
        self.root.join("hooks")
    }

    pub(super) fn model_folder(&self) -> PathBuf {
        self.root.join("model")
    }

    /// Where the talk of the agent's processes goes.
    pub(super) fn talk_file(&self) -> PathBuf {
        self.root.join("talk.log")
    }

    /// From now on the witness stands in the place of our program.
    pub(super) fn install_recorder(&self) -> Result<()> {
        // The program itself may be built anew while a day is played.
        let witness = self.root.join("witness");
        fs_err::copy(crate::process::own_program()?, &witness)?;
        hook_recorder::stand_in(&self.program_path(), &witness, &self.binary, &self.hook_folder())
    }

    /// Our program is in its place again.
    pub(super) fn remove_recorder(&self) -> Result<()> {
        fs_err::remove_file(self.program_path())?;
        Ok(fs_err::os::unix::fs::symlink(&self.binary, self.program_path())?)
    }

    /// A program with this home and this project, and nothing else of the environment.
    pub(super) fn build_command(&self, program: impl AsRef<std::ffi::OsStr>, arguments: &[&str]) -> Command {
        let mut command = process::command_in(&self.project, program, arguments);
        // Variables of the developer, such as a real key, must not reach the agent.
        command.env_clear().envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// The agent, by what it is called on the search path.
    pub(super) fn agent_command(&self, command: &str, arguments: &[&str]) -> Command {
        self.build_command(self.bin.join(command), arguments)
    }

    /// Runs our program to a good end and gives what it printed.
    pub(super) fn run_epitome(&self, arguments: &[&str]) -> Result<String> {
        let mut command = self.build_command(&self.binary, arguments);
        let output = command.stderr(Stdio::piped()).output().context("cannot start epitome")?;
        let said = String::from_utf8_lossy(&output.stderr);
        let printed = String::from_utf8_lossy(&output.stdout);
        // A panic is a failure even if the exit status is a good one.
        ensure!(!said.contains("panicked"), "epitome {}: {said}", arguments.join(" "));
        ensure!(output.status.success(), "epitome {} ({}): {said}{printed}", arguments.join(" "), output.status);
        Ok(printed.into_owned())
    }

    /// The same, read as JSON.
    pub(super) fn read_json(&self, arguments: &[&str]) -> Result<Value> {
        let arguments: Vec<&str> = arguments.iter().copied().chain(["--json"]).collect();
        serde_json::from_str(&self.run_epitome(&arguments)?).with_context(|| format!("epitome {}", arguments.join(" ")))
    }

    /// How many places of the archive have these words.
    pub(super) fn grep_count(&self, words: &str) -> Result<u64> {
        // Finding nothing is an exit status of its own.
        let output = self.build_command(&self.binary, &["grep", words, "--json"]).output()?;
        let reply: Value = serde_json::from_slice(&output.stdout).context("grep gave no JSON")?;
        reply["total"].as_u64().context("grep says no total")
    }

    /// Every file of the home but those of our own directories, with its bytes.
    pub(super) fn snapshot_home(&self) -> Result<BTreeMap<PathBuf, Vec<u8>>> {
        let mut files = BTreeMap::new();
        let own = self.own_folders();
        visit_files(&self.home, &mut |path| {
            // Our own folders change all the time, and are not what disconnecting has to restore.
            if !own.iter().any(|folder| path.starts_with(folder)) {
                files.insert(path.strip_prefix(&self.home)?.to_owned(), fs_err::read(path)?);
            }
            Ok(())
        })?;
        Ok(files)
    }

    /// The directories in which our program keeps what is its own.
    pub(super) fn own_folders(&self) -> Vec<PathBuf> {
        [".config", ".local/share", ".local/state", ".cache"].map(|of| self.home.join(of).join("epitome")).to_vec()
    }
}

/// Calls something with every plain file below a folder.
pub(super) fn visit_files(folder: &Path, visit: &mut impl FnMut(&Path) -> Result<()>) -> Result<()> {
    if !folder.is_dir() {
        return Ok(());
    }
    for entry in fs_err::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            visit_files(&entry.path(), visit)?;
        } else if kind.is_file() {
            visit(&entry.path())?;
        }
    }
    Ok(())
}

fn environment_variables(home: &Path, bin: &Path) -> Vec<(OsString, OsString)> {
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin", bin.display());
    let directory = |name: &str, folder: &str| (OsString::from(name), home.join(folder).into_os_string());
    let plain = [("PATH", path.as_str()), ("TERM", "dumb"), ("LANG", "C.UTF-8"), ("NO_COLOR", "1")];
    let mut variables = vec![
        ("HOME".into(), home.into()),
        directory("XDG_CONFIG_HOME", ".config"),
        directory("XDG_DATA_HOME", ".local/share"),
        directory("XDG_STATE_HOME", ".local/state"),
        directory("XDG_CACHE_HOME", ".cache"),
    ];
    variables.extend(plain.map(|(name, value)| (name.into(), value.into())));
    variables
}
