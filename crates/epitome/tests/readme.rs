//! What README shows is what the program prints.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("crates/epitome is two levels down").to_owned()
}

/// The fenced blocks of README in order: language and text. A fence may be longer than those in its text.
fn blocks(readme: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let mut open = None;
    let mut at = 0;
    for line in readme.split_inclusive('\n') {
        let end = at + line.len();
        let rest = line.trim_start_matches('`');
        let ticks = line.len() - rest.len();
        match open {
            None if ticks >= 3 => open = Some((ticks, rest.trim(), end)),
            Some((of, language, start)) if ticks >= of && rest.trim().is_empty() => {
                found.push((language, &readme[start..at]));
                open = None;
            }
            _ => {}
        }
        at = end;
    }
    found
}

/// Runs an `epitome …` line of README in the example, as a shell would.
fn run(home: &Path, arguments: &[&str], input: &str) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_epitome"))
        .args(arguments)
        .current_dir(repository())
        .env_clear()
        .env("EPITOME_HOME", home)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    child.stdin.take().expect("standard input").write_all(input.as_bytes()).expect("it reads");
    String::from_utf8(child.wait_with_output().expect("it ends").stdout).expect("UTF-8")
}

#[test]
fn the_output_in_readme_is_what_the_commands_print() {
    let readme = fs_err::read_to_string(repository().join("README.md")).expect("README.md");
    let home = tempfile::tempdir().expect("a temporary directory");
    let shown: Vec<&str> =
        blocks(&readme).into_iter().filter(|(kind, _)| *kind == "text").map(|(_, text)| text).collect();
    let question = ["--project", "examples/shop", "context", "how are passwords checked", "--budget", "200"];
    assert_eq!(run(home.path(), &question, ""), shown[0]);
    let search = ["--project", "examples/shop", "search", "discount for large orders", "--limit", "1"];
    assert_eq!(run(home.path(), &search, ""), shown[1]);
    let message = r#"{"role":"user","content":"prices are whole cents"}"#;
    assert_eq!(run(home.path(), &["ingest", "--conversation", "shop"], message), shown[2]);
    assert_eq!(run(home.path(), &["verify"], ""), shown[3]);
}

#[test]
fn every_command_in_readme_exists() {
    let readme = fs_err::read_to_string(repository().join("README.md")).expect("README.md");
    let lines = blocks(&readme).into_iter().filter(|(kind, _)| *kind == "sh").flat_map(|(_, text)| text.lines());
    let mut checked = 0;
    for line in lines {
        let Some((_, command)) = line.split_once("epitome ").filter(|_| !line.starts_with("claude")) else { continue };
        let words: Vec<&str> =
            command.split_whitespace().take_while(|word| !word.starts_with(['"', '#', '-'])).collect();
        let name = words.first().expect("a command");
        let status = Command::new(env!("CARGO_BIN_EXE_epitome")).args([*name, "--help"]).stdout(Stdio::null()).status();
        assert!(status.expect("the binary runs").success(), "{line}");
        checked += 1;
    }
    assert!(checked >= 8, "only {checked} commands found in README");
}
