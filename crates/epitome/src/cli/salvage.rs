//! The command `epitome salvage`: writes everything that can be read of a damaged embedded store into a directory, and
//! a list of what cannot. It reads the files themselves, page by page, and changes nothing.

use super::CommandSetup;
use super::output::TerminalOutput;
use crate::compose;
use crate::errors::{AppError, ErrorClass};
use clap::{Arg, ArgMatches, Command, ValueHint};
use fs_err as fs;
use model::{Message, MessagePart, NewMessage, PartMark, show_name};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use store::sqlite::{SalvagedItem, UnreadableItem};

/// The list of conversations with their names.
const NAMES: &str = "CONVERSATIONS.txt";

/// The list of what cannot be read.
const LIST: &str = "UNREADABLE.txt";

pub(super) fn build_command() -> Command {
    Command::new("salvage")
        .about("Write what can be read of a damaged store into a directory, with a list of what cannot")
        .arg(
            Arg::new("out")
                .long("out")
                .value_name("DIR")
                .required(true)
                .value_parser(clap::value_parser!(PathBuf))
                .value_hint(ValueHint::DirPath)
                .help("Where to write; it must not exist, or be empty"),
        )
        .after_help(
            "Writes conversations/ID.jsonl (messages that have their hash; `epitome ingest` takes them again),\n\
             CONVERSATIONS.txt (their names), transcripts/ (as `epitome export` would), artifacts/, texts/ (summaries\n\
             and memories), and UNREADABLE.txt. Exit status 5: something could not be read, and is listed.",
        )
}

pub(super) fn run(start: &CommandSetup, arguments: &ArgMatches, output: &TerminalOutput) -> Result<u8, AppError> {
    let out = arguments.get_one::<PathBuf>("out").cloned().unwrap_or_default();
    let failed =
        |error: io::Error| AppError::new(ErrorClass::Unavailable, "salvage", format!("cannot salvage: {error}"));
    if fs::read_dir(&out).is_ok_and(|mut entries| entries.next().is_some()) {
        let message = format!("{} is not empty", out.display());
        return Err(AppError::new(ErrorClass::Usage, "salvage", message).with_hint("name a directory that is new"));
    }
    crate::atomic::create_private_folder(&out).map_err(failed)?;
    let mut writer = SalvageWriter { out: out.clone(), counts: HashMap::new(), names: BTreeMap::new() };
    let unreadable = compose::salvage_store(&start.loaded, &mut |item| writer.write_item(item))?;
    write_list(&out, &unreadable).map_err(failed)?;
    let names: String = writer.names.iter().map(|(id, name)| format!("{id}\t{}\n", show_name(name))).collect();
    fs::write(out.join(NAMES), names).map_err(failed)?;
    let count = |kind: &str| writer.counts.get(kind).copied().unwrap_or_default();
    let reply = json!({
        "out": out.display().to_string(),
        "messages": count("messages"),
        "transcripts": count("transcripts"),
        "artifacts": count("artifacts"),
        "texts": count("texts"),
        "unreadable": unreadable.iter().map(|it| json!({ "subject": it.subject, "what": it.what })).collect::<Vec<_>>(),
    });
    let mut text = format!(
        "wrote {} messages, {} transcripts, {} artifacts and {} summaries and memories to {}\n",
        count("messages"),
        count("transcripts"),
        count("artifacts"),
        count("texts"),
        out.display()
    );
    if !unreadable.is_empty() {
        text.push_str(&format!("{} things could not be read: {}\n", unreadable.len(), out.join(LIST).display()));
    }
    output.write_reply(&reply, &text)?;
    Ok(if unreadable.is_empty() { 0 } else { 5 })
}

fn write_list(out: &Path, unreadable: &[UnreadableItem]) -> io::Result<()> {
    let lines: String =
        unreadable.iter().map(|item| format!("{}: {}\n", show_name(&item.subject), show_name(&item.what))).collect();
    fs::write(out.join(LIST), lines)
}

/// Writes what is got out.
struct SalvageWriter {
    out: PathBuf,
    counts: HashMap<&'static str, u64>,
    /// What conversations are called, by their ids.
    names: BTreeMap<String, String>,
}

impl SalvageWriter {
    fn write_item(&mut self, item: SalvagedItem) -> io::Result<()> {
        let (kind, name, bytes) = match item {
            SalvagedItem::Message { message, conversation_name } => {
                let line = message_line(&message).to_string() + "\n";
                let name = conversation_name.unwrap_or_default();
                self.names.insert(message.conversation.to_string(), name);
                ("messages", format!("conversations/{}.jsonl", message.conversation), line.into_bytes())
            }
            SalvagedItem::Transcript { path, generation, bytes } => {
                let name = path.rsplit('/').next().unwrap_or_default().replace(['\\', '\0'], "_");
                let digest = model::ContentHash::hash_bytes(path.as_bytes()).to_string();
                ("transcripts", format!("transcripts/{}-{generation}-{name}", &digest[..8]), bytes)
            }
            SalvagedItem::Artifact { id, bytes } => ("artifacts", format!("artifacts/{id}"), bytes),
            SalvagedItem::Text { id, text } => ("texts", format!("texts/{id}.txt"), text.into_bytes()),
        };
        *self.counts.entry(kind).or_default() += 1;
        let path = self.out.join(name);
        if let Some(folder) = path.parent() {
            crate::atomic::create_private_folder(folder)?;
        }
        fs::OpenOptions::new().create(true).append(true).open(path)?.write_all(&bytes)
    }
}

/// A message as `epitome ingest` takes it.
fn message_line(message: &Message) -> Value {
    let NewMessage { external_id, role, speaker, session, at, metadata, parts, part_marks } = &message.body;
    let mut line = json!({
        "role": role.as_str(),
        "speaker": speaker,
        "session": session,
        "at": at.as_ref().map(|at| &at.text),
        "id": external_id,
        "metadata": metadata.as_ref().and_then(|it| serde_json::from_str::<Value>(it).ok()),
    });
    match parts.as_slice() {
        [MessagePart::Text { text }] if part_marks.is_empty() => line["content"] = json!(text),
        parts => {
            let marked = |(place, part)| part_value(part, part_marks.get(place));
            line["parts"] = parts.iter().enumerate().map(marked).collect();
        }
    }
    if let Some(fields) = line.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
    line
}

fn part_value(part: &MessagePart, mark: Option<&PartMark>) -> Value {
    let mut value = match part {
        MessagePart::Text { text } | MessagePart::Reasoning { text } => json!({ "text": text }),
        MessagePart::Tool { call_id, name, status, input, output, error, title } => {
            json!({ "call_id": call_id, "name": name, "status": status, "input": input, "output": output,
                    "error": error, "title": title })
        }
        MessagePart::Patch { hash, files } => json!({ "hash": hash, "files": files }),
        MessagePart::File { mime, name, url } => json!({ "mime": mime, "name": name, "url": url }),
        MessagePart::Subtask { prompt, description, agent } => {
            json!({ "prompt": prompt, "description": description, "agent": agent })
        }
        MessagePart::Compaction { auto } => json!({ "auto": auto }),
        MessagePart::StepStart => json!({}),
        MessagePart::StepFinish { reason, cost_micros, tokens_in, tokens_out } => {
            json!({ "reason": reason, "cost_micros": cost_micros, "tokens_in": tokens_in, "tokens_out": tokens_out })
        }
        MessagePart::Snapshot { hash } => json!({ "hash": hash }),
        MessagePart::Agent { name } => json!({ "name": name }),
        MessagePart::Retry { error } => json!({ "error": error }),
    };
    value["type"] = json!(part.kind().as_str());
    if let Some(PartMark { is_ignored, is_synthetic, metadata }) = mark {
        value["is_ignored"] = json!(is_ignored);
        value["is_synthetic"] = json!(is_synthetic);
        value["metadata"] = json!(metadata.as_ref().and_then(|it| serde_json::from_str::<Value>(it).ok()));
    }
    if let Some(fields) = value.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
    value
}
