//! Torture scenario: flips one byte of the database; each reply must be right or an error, and `verify` must find
//! damage that no hash covers.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use super::fold;
use super::home::TortureHome;
use super::{ScenarioRound, TortureScenario, TortureSetup, copy_folder};

pub(super) const BIT_FLIP_SCENARIO: TortureScenario = TortureScenario {
    name: "flips",
    what: "flipped bytes",
    rounds: 500,
    least: 50,
    prepare: Some(prepare),
    run,
    beside: 2,
};

/// A question, and where its answer is kept.
const QUESTIONS: [(&str, &[&str]); 4] = [
    ("history", &["history", "--conversation", "c", "--limit", "1000", "--json"]),
    ("grep", &["grep", "a", "--scope", "messages", "--within", "all", "--limit", "1000", "--json"]),
    ("export", &["export", "claude-code:s"]),
    ("assemble", &["assemble", "c", "--json"]),
];

/// Of an answer without a hash over all of it only `verify` can say that it is wrong: facts, sizes, and what is folded.
const UNHASHED_QUESTION: &str = "assemble";

/// A folded conversation, an archived transcript, and what is said of them.
fn prepare(place: &TortureSetup) -> Result<()> {
    // The folded conversation of the other scenario, so that one round can be run alone.
    if !place.base_folder("fold").exists() {
        fold::prepare(place)?;
    }
    let folder = place.base_folder("flips");
    copy_folder(&place.base_folder("fold").join("whole"), &folder.join("home"))?;
    let home = TortureHome::new(&place.binary, folder.join("home"));
    let transcript = folder.join("s.jsonl");
    fs_err::write(&transcript, (0..60).map(transcript_line).collect::<String>())?;
    home.read_output(&["import", &transcript.display().to_string(), "--agent", "claude-code"])?;
    for (name, question) in QUESTIONS {
        let told = read_answer(&home, question)?.with_context(|| format!("a whole database answers {name}"))?;
        fs_err::write(folder.join(name), told)?;
    }
    Ok(())
}

/// A line of a transcript.
fn transcript_line(number: u64) -> String {
    let content = format!("step {number}: {}", "what was done and why. ".repeat(20));
    let message = json!({ "role": "user", "content": content });
    json!({ "type": "user", "uuid": format!("u{number}"), "sessionId": "s", "cwd": "/p", "message": message })
        .to_string()
        + "\n"
}

fn run(round: &mut ScenarioRound<'_>) -> Result<u64> {
    let base = round.place.base_folder("flips");
    let home = round.new_home("home");
    copy_folder(&base.join("home"), &home.folder)?;
    let file = find_database(&home.folder)?;
    let mut bytes = fs_err::read(&file)?;
    let at = round.chance.number_below(bytes.len() as u64) as usize;
    bytes[at] ^= 1 << round.chance.number_below(8);
    fs_err::write(&file, bytes)?;
    // Asked before the other questions: `verify` has to find the flip by itself.
    let found = !home.run(&["verify", "--json"])?.status.success();
    for (name, question) in QUESTIONS {
        let Some(told) = read_answer(&home, question)? else { continue };
        let is_right = told == fs_err::read_to_string(base.join(name))?;
        let is_named = found && name == UNHASHED_QUESTION;
        ensure!(is_right || is_named, "byte {at} of {} is flipped, and {name} differs with exit 0", file.display());
    }
    Ok(1)
}

/// The answer without fields that no hash covers; `None` if it is an error or reports damage.
fn read_answer(home: &TortureHome, question: &[&str]) -> Result<Option<String>> {
    let output = home.run(question)?;
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    // Refused is right: the product said that something is wrong.
    if !output.status.success() {
        return Ok(None);
    }
    let Ok(mut answer) = serde_json::from_str::<Value>(&printed) else { return Ok(Some(printed)) };
    if answer.get("degraded").is_some() {
        return Ok(None);
    }
    for message in answer.get_mut("messages").and_then(Value::as_array_mut).into_iter().flatten() {
        let Some(message) = message.as_object_mut() else { continue };
        message.remove("tokens");
        // The time of receipt is the store's own, and no part of the message.
        if message.get("received").is_some_and(|received| *received == true) {
            message.remove("at");
        }
    }
    Ok(Some(answer.to_string()))
}

/// The largest database of a home: the one with conversations.
fn find_database(folder: &Path) -> Result<PathBuf> {
    let mut found: Option<(u64, PathBuf)> = None;
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs_err::read_dir(folder)? {
            let entry = entry?;
            let path = entry.path();
            let metadata = entry.metadata()?;
            if metadata.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "db")
                && found.as_ref().is_none_or(|(size, _)| metadata.len() > *size)
            {
                found = Some((metadata.len(), path));
            }
        }
    }
    Ok(found.context("the home has no database")?.1)
}
