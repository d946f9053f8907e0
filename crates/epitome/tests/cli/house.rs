//! A project and a home directory of its own for each test, and the real binary run in them.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use tempfile::TempDir;

pub(crate) struct House {
    project: TempDir,
    home: TempDir,
    /// `hooks.daemon_seconds` of every command.
    pub(crate) daemon_seconds: u32,
    /// Variables of every command.
    pub(crate) environment: Vec<(String, String)>,
}

/// How a command ended.
pub(crate) struct Ended {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl House {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let home = TempDir::with_prefix("epitome-home-").expect("a temporary directory");
        Self { project: testkit::fixture_tree(files), home, daemon_seconds: 0, environment: Vec::new() }
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.home.path().to_owned()
    }

    pub(crate) fn write(&self, path: &str, bytes: &[u8]) {
        fs_err::write(self.project.path().join(path), bytes).expect("a file");
    }

    pub(crate) fn write_home(&self, path: &str, bytes: &[u8]) {
        let path = self.home.path().join(path);
        fs_err::create_dir_all(path.parent().expect("a parent")).expect("directories");
        fs_err::write(path, bytes).expect("a file");
    }

    /// Runs a command to its end, with places and times that differ between runs replaced.
    pub(crate) fn run(&self, arguments: &[&str], input: &str) -> Ended {
        self.run_with(&[], arguments, input)
    }

    /// The same with variables of the environment.
    pub(crate) fn run_with(&self, environment: &[(&str, &str)], arguments: &[&str], input: &str) -> Ended {
        let mut child = self
            .command(arguments)
            .envs(environment.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        // A command that fails early does not read its input.
        let _ = child.stdin.take().expect("standard input").write_all(input.as_bytes());
        let output = child.wait_with_output().expect("the binary ends");
        Ended {
            status: output.status.code().unwrap_or(-1),
            stdout: self.filtered(&output.stdout),
            stderr: self.filtered(&output.stderr),
        }
    }

    /// A command to run in the project, with no environment but the home.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_epitome"));
        command.args(arguments).current_dir(self.project.path()).env_clear();
        // A home without agents, whoever runs the tests.
        command.env("HOME", self.home.path()).env("EPITOME_HOME", self.home.path());
        command.env("EPITOME_HOOKS_DAEMON_SECONDS", self.daemon_seconds.to_string());
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    fn filtered(&self, bytes: &[u8]) -> String {
        let real = |path: &std::path::Path| fs_err::canonicalize(path).expect("a path").display().to_string();
        let text = String::from_utf8_lossy(bytes)
            .replace(&real(self.project.path()), "PROJECT")
            .replace(&real(self.home.path()), "HOME");
        // A project without another name is called like its folder.
        let folder = self.project.path().file_name().expect("a name").to_string_lossy();
        let text = text.replace(&*folder, "PROJECT");
        let text = replace_age(&text, "last index     ");
        let text = replace_after(&text, "proj_", 16, "…");
        // The id of a memory holds that of its project, which holds its place.
        let text = replace_after(&text, "mem_", 16, "…");
        let text = replace_time(&text, " received ");
        let text = ["last ingest    ", "last compact   ", "last promote   "]
            .iter()
            .fold(text, |text, prefix| replace_time(&text, prefix));
        let text = replace_after(&text, "last seen ", 10, "DAY");
        let text = replace_after(&text, "put aside 20", 8, "…");
        let text = replace_number(&text, "\"elapsed_ms\":", "N");
        let text = replace_number(&text, "SQLite ", "N");
        let text = replace_number(&text, "this one knows ", "N");
        replace_number(&text, "took ", "N")
    }
}

impl Ended {
    /// All of it, for snapshots: standard output, then standard error marked with `!`, then the status.
    pub(crate) fn shown(&self) -> String {
        let errors = self.stderr.lines().fold(String::new(), |text, line| text + "! " + line + "\n");
        let status = if self.status == 0 { String::new() } else { format!("(exit {})\n", self.status) };
        format!("{}{errors}{status}", self.stdout)
    }
}

fn replace_after(text: &str, prefix: &str, length: usize, with: &str) -> String {
    let mut pieces = text.split(prefix);
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |done, piece| done + prefix + with + piece.get(length..).unwrap_or_default())
}

/// How long ago something was, behind a word.
fn replace_age(text: &str, prefix: &str) -> String {
    let mut pieces = text.split(prefix);
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |done, piece| match piece.split_once(" ago") {
        Some((_, rest)) => done + prefix + "AGE ago" + rest,
        None => done + prefix + piece,
    })
}

/// Times of today behind a word, up to the end of their line.
fn replace_time(text: &str, prefix: &str) -> String {
    let mut pieces = text.split(prefix);
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |done, piece| {
        let end = piece.find('\n').unwrap_or(piece.len());
        let is_time = piece[..end].ends_with('Z') && piece.starts_with("20");
        done + prefix + if is_time { "TIME" } else { &piece[..end] } + &piece[end..]
    })
}

fn replace_number(text: &str, prefix: &str, with: &str) -> String {
    let mut pieces = text.split(prefix);
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |done, piece| {
        let rest = piece.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        done + prefix + if rest.len() < piece.len() { with } else { "" } + rest
    })
}
