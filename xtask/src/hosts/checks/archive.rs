//! Assertions of the end-to-end tests on the stored conversations: every message once, no secret, no text of ours, only
//! facts the user stated, every byte of the transcript.

use anyhow::{Context as _, Result};
use serde_json::Value;

use super::{DayCounts, DayEvidence, HostCheck, build_check, check_where};
use crate::hosts::day::{PLANTED_FACTS, planted_secrets};
use crate::hosts::sandbox::visit_files;

pub(super) fn check_archive(evidence: &DayEvidence, counts: &mut DayCounts) -> Vec<HostCheck> {
    let has_file = evidence.host.transcript.is_some();
    vec![
        build_check("every message is kept once", wrong_messages(evidence, counts)),
        build_check("only what the user said is a fact", junk_facts(evidence, counts)),
        build_check("a failed command is kept", missing_failure(evidence)),
        build_check("no word of ours came back", echoed_message(evidence)),
        build_check("no secret is kept", leaked_secret(evidence)),
        check_where(has_file, "it keeps no file to compare with", "an export is the agent's own file", || {
            export_difference(evidence)
        }),
        build_check("verify finds nothing wrong", verify_problem(evidence)),
    ]
}

fn text_of(message: &Value) -> String {
    message["content"].as_str().unwrap_or_default().trim().to_owned()
}

/// Every message is in the archive once, with its author. Secrets are removed from both sides before comparing.
fn wrong_messages(evidence: &DayEvidence, counts: &mut DayCounts) -> Result<Option<String>> {
    let mut kept = evidence.read_messages(0)?;
    kept.extend(evidence.read_messages(1)?);
    let mut wrong = Vec::new();
    for turn in &evidence.played.turns {
        let said = [("user", Some(turn.prompt.as_str())), ("assistant", turn.last_words())];
        for (role, words) in said.into_iter().filter_map(|(role, words)| Some((role, words?))) {
            let times = kept.iter().filter(|message| message["role"] == role && is_said(message, words)).count();
            // An agent may ask the model to go on, and it says the same again.
            let most = match role {
                "user" => evidence.played.turns.iter().filter(|turn| turn.prompt == words).count(),
                _ => evidence.played.exchanges.iter().filter(|exchange| exchange.reply == words).count(),
            };
            if times == 0 {
                counts.messages_missing += 1;
                wrong.push(format!("missing ({role}): {words}"));
            } else if times > most {
                counts.messages_doubled += 1;
                wrong.push(format!("{times} times ({role}): {words}"));
            }
        }
    }
    Ok((!wrong.is_empty()).then(|| wrong.join("; ")))
}

/// Whether a message is exactly the given words. Some agents put a prompt from the command line in quotes.
fn is_said(message: &Value, words: &str) -> bool {
    let text = without_hashes(&text_of(message));
    text.trim_matches('"') == words.replace(&planted_secrets()[0], "[secret]")
}

/// Facts that bind the work although the script of the day did not plant them.
fn junk_facts(evidence: &DayEvidence, counts: &mut DayCounts) -> Result<Option<String>> {
    const BINDING_FACT_KINDS: [&str; 4] = ["rule", "correction", "decision", "todo"];
    let mut junk = Vec::new();
    for number in 0..2 {
        let described = evidence.stage.read_json(&["describe", &evidence.conversation_id(number)])?;
        for fact in described["facts"].as_array().into_iter().flatten() {
            let kind = fact["kind"].as_str().unwrap_or_default();
            let subject = fact["subject"].as_str().unwrap_or_default();
            // Only what the script planted may bind the work: a fact that the user never stated is the worst kind of
            // error.
            let is_planted = PLANTED_FACTS.iter().any(|(words, _)| subject.contains(words));
            if BINDING_FACT_KINDS.contains(&kind) && fact["told"] == true && !is_planted {
                junk.push(format!("{kind}: {subject}"));
            }
        }
    }
    counts.junk_facts = junk.len();
    Ok((!junk.is_empty()).then(|| junk.join("; ")))
}

/// The output that the model received is there; at least the call is.
fn missing_failure(evidence: &DayEvidence) -> Result<Option<String>> {
    let error = "No such file or directory";
    let words = if evidence.last_words("failure").contains(error) { error } else { "ls /no/such/folder" };
    Ok((evidence.stage.grep_count(words)? == 0).then(|| format!("not in the archive: {words}")))
}

/// Our injected texts become no messages, wherever the host writes them.
fn echoed_message(evidence: &DayEvidence) -> Result<Option<String>> {
    let ours = [
        "<epitome>",
        "&lt;epitome&gt;",
        "<hook_context>",
        "In force before the conversation was compacted",
        "Said before, word for word",
    ];
    for number in 0..2 {
        for message in evidence.read_messages(number)? {
            let text = text_of(&message);
            // A tool may have printed a file that holds our words; only what user and model said is looked at.
            if message["role"] != "tool" && ours.iter().any(|words| text.contains(words)) {
                return Ok(Some(format!("{} {}: {text}", message["message_id"], message["role"])));
            }
        }
    }
    Ok(None)
}

fn leaked_secret(evidence: &DayEvidence) -> Result<Option<String>> {
    let secrets = planted_secrets();
    let mut found = None;
    for folder in evidence.stage.own_folders() {
        visit_files(&folder, &mut |path| {
            let bytes = fs_err::read(path)?;
            // Bytes and not words: a secret in an index or a log would be found here, too.
            let holds = |secret: &String| bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
            if secrets.iter().any(holds) {
                found = Some(format!("in {}", path.display()));
            }
            Ok(())
        })?;
    }
    for secret in &secrets {
        if evidence.stage.grep_count(secret)? > 0 {
            found = Some("found by `grep`".to_owned());
        }
    }
    Ok(found)
}

/// Compares an export with the file of the agent; where the file has a secret, the export has a placeholder.
fn export_difference(evidence: &DayEvidence) -> Result<Option<String>> {
    // Agents go on writing after their last hook has run.
    evidence.stage.run_epitome(&["import"])?;
    for (number, session) in evidence.played.sessions.iter().enumerate() {
        let suffix = evidence.host.transcript.context("it has transcripts")?;
        let mut file = None;
        visit_files(&evidence.stage.home, &mut |path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if name.contains(session.as_str()) && name.ends_with(suffix) {
                file = Some(path.to_owned());
            }
            Ok(())
        })?;
        let file = file.with_context(|| format!("no file of session {session}"))?;
        let own = fs_err::read_to_string(&file)?;
        let export = evidence.stage.run_epitome(&["export", &evidence.conversation_id(number)])?;
        let mut plain = own;
        for secret in planted_secrets() {
            plain = plain.replace(&secret, "[secret]");
        }
        let export = without_hashes(&export);
        if let Some((line, (one, other))) =
            (1..).zip(plain.lines().zip(export.lines())).find(|(_, (one, other))| one != other)
        {
            let at = one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
            let near =
                |text: &str| text.get(at.saturating_sub(40)..(at + 80).min(text.len())).unwrap_or_default().to_owned();
            return Ok(Some(format!("line {line} of session {number}: {:?} is {:?}", near(one), near(other))));
        }
        // Equal lines are not enough: the last newline is a byte as well.
        if plain.len() != export.len() {
            return Ok(Some(format!("session {number}: {} bytes, exported {}", plain.len(), export.len())));
        }
    }
    Ok(None)
}

/// `[secret:RULE:HASH]` as `[secret]`.
fn without_hashes(text: &str) -> String {
    let mut parts = text.split("[secret:");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain += "[secret]";
        plain += part.split_once(']').map_or("", |(_, behind)| behind);
    }
    plain
}

fn verify_problem(evidence: &DayEvidence) -> Result<Option<String>> {
    let verified = evidence.stage.read_json(&["verify"])?;
    let is_whole = verified["ok"] == true && verified["gaps"] == 0;
    let quarantined = verified["sources"].as_array().into_iter().flatten().find(|source| source["quarantined"] != 0);
    Ok(match quarantined {
        _ if !is_whole => Some(verified.to_string()),
        Some(source) => Some(format!("{} lines of {} could not be read", source["quarantined"], source["path"])),
        None => None,
    })
}
