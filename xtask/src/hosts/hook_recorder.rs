//! A wrapper program that `epitome init` registers in place of `epitome`: records what an agent passes to each hook and
//! what it is answered, and otherwise runs the real program.

use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::texts::told_in;

/// The flag that makes us the witness: `--witness PROGRAM FOLDER ARGUMENT…`.
pub(super) const FLAG: &str = "--witness";

/// One call of a hook.
#[derive(Clone, Debug)]
pub(super) struct HookCall {
    /// Nanoseconds since 1970.
    pub(super) at: u128,
    pub(super) event: String,
    pub(super) answer: String,
    pub(super) talk: String,
    pub(super) code: i64,
    pub(super) milliseconds: f64,
}

impl HookCall {
    /// The texts that the agent received.
    pub(super) fn told_texts(&self) -> Vec<String> {
        let answer: Value = serde_json::from_str(&self.answer).unwrap_or_default();
        told_in(&super::texts::words_of(&answer))
    }
}

/// Puts the witness in the place of a program.
pub(super) fn stand_in(place: &Path, witness: &Path, program: &Path, folder: &Path) -> Result<()> {
    fs_err::create_dir_all(folder)?;
    fs_err::remove_file(place)?;
    // A script stands in for the program, since agents were given its path.
    let words = [witness, program, folder].map(|path| format!("'{}'", path.display()));
    let [witness, program, folder] = words;
    fs_err::write(place, format!("#!/bin/sh\nexec {witness} hosts {FLAG} {program} {folder} \"$@\"\n"))?;
    Ok(fs_err::set_permissions(place, std::fs::Permissions::from_mode(0o755))?)
}

/// Is the witness.
pub(super) fn run(arguments: &[String]) -> Result<()> {
    let [program, folder, rest @ ..] = arguments else { anyhow::bail!("the witness wants a program and a folder") };
    // Everything but a hook is the program itself, with the same input and output.
    if rest.first().map(String::as_str) != Some("hook") {
        return Err(Command::new(program).args(rest).exec()).with_context(|| format!("cannot start {program}"));
    }
    let mut body = Vec::new();
    std::io::stdin().read_to_end(&mut body)?;
    let at = SystemTime::now().duration_since(UNIX_EPOCH)?.as_nanos();
    let begun = Instant::now();
    let rest: Vec<OsString> = rest.iter().map(OsString::from).collect();
    let mut child = Command::new(program)
        .args(&rest)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    if let Some(mut input) = child.stdin.take() {
        // A program that does not want all of its input says so by its exit status.
        let _ = input.write_all(&body);
    }
    let output = child.wait_with_output()?;
    let milliseconds = begun.elapsed().as_secs_f64() * 1_000.0;
    let [answer, talk] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    let code = output.status.code().unwrap_or(-1);
    let call = json!({
        "arguments": rest.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>(),
        "body": serde_json::from_slice::<Value>(&body).unwrap_or_default(),
        "answer": answer, "talk": talk, "code": code, "milliseconds": milliseconds,
    });
    // The time is the name: hooks of one agent run side by side.
    let file = Path::new(folder).join(format!("{at}-{}.json", std::process::id()));
    fs_err::write(file, serde_json::to_string_pretty(&call)?)?;
    std::io::stdout().write_all(&output.stdout)?;
    std::io::stderr().write_all(&output.stderr)?;
    anyhow::ensure!(code == 0, "the hook ended with {code}");
    Ok(())
}

/// Every call so far, in the order of time.
pub(super) fn read_calls(folder: &Path) -> Result<Vec<HookCall>> {
    let mut calls = Vec::new();
    for entry in fs_err::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        // Each call is a file of its own, named by time: hooks of parallel tools overlap and would mix their lines in
        // one file.
        let at = name.split('-').next().and_then(|at| at.parse().ok()).context("a call without a time")?;
        let call: Value = serde_json::from_slice(&fs_err::read(&path)?)?;
        let text = |name: &str| call[name].as_str().unwrap_or_default().to_owned();
        calls.push(HookCall {
            at,
            event: call["arguments"][1].as_str().unwrap_or_default().to_owned(),
            answer: text("answer"),
            talk: text("talk"),
            code: call["code"].as_i64().unwrap_or(-1),
            milliseconds: call["milliseconds"].as_f64().unwrap_or_default(),
        });
    }
    calls.sort_by_key(|call| call.at);
    Ok(calls)
}
