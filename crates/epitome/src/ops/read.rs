//! `read`: files, ranges and symbols, as they are on disk, at the size that is wanted.

use super::{Call, Exit, Kind, Operation, Reply};
use clap::{Args, ValueEnum};
use engine::{ModeChoice, Omission};
use model::Tokens;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

pub(crate) struct Read;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// What to read: `path`, `path:10-20`, a symbol id such as `src/lib.rs#Session.login` or its handle
    #[arg(required = true, value_name = "TARGET")]
    targets: Vec<String>,
    /// How to show it (default: `read.mode`, or raw)
    #[arg(long, value_enum)]
    mode: Option<Mode>,
    /// Most tokens to return; what does not fit is shown shorter, or named
    #[arg(long)]
    budget: Option<u32>,
    /// Steps to follow what symbols depend on: types first, then what is called
    #[arg(long, default_value_t = 0)]
    #[serde(default)]
    depth: u32,
}

#[derive(Clone, Copy, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "lowercase")]
enum Mode {
    /// Byte for byte
    Raw,
    /// Long comments shortened
    Lightweight,
    /// Without function bodies
    Aggressive,
    /// Signatures with line ranges
    Map,
    /// By size
    Auto,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct ReadReply {
    items: Vec<Item>,
    /// Targets that are not among the items
    omitted: Vec<Omitted>,
    tokens: u32,
}

#[derive(Serialize, JsonSchema)]
struct Item {
    /// The target it answers
    id: String,
    path: String,
    /// 0 for an empty file and for bytes
    start_line: u32,
    end_line: u32,
    /// A line `…:12-40` stands for lines left out: read `path:12-40`
    text: String,
    mode: &'static str,
    /// `fresh`: as indexed; `edited`: not as indexed, read from disk; `stale`: from the index, not on disk;
    /// `unindexed`: not in the index
    freshness: &'static str,
    /// Whether some bytes are not UTF-8 and stand as a replacement character in the text
    lossy: bool,
    original_bytes: u64,
    compressed_bytes: u64,
    /// Compressed to original, 1 for raw
    ratio: f64,
    tokens: u32,
    /// For what was not asked for: how it relates (`type`, `callee`, `supertype`)…
    #[serde(skip_serializing_if = "Option::is_none")]
    relation: Option<&'static str>,
    /// …and to what
    #[serde(skip_serializing_if = "Option::is_none")]
    of: Option<String>,
    /// The id it was asked for by, where it was renamed or moved since
    #[serde(skip_serializing_if = "Option::is_none")]
    moved_from: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Omitted {
    /// What to ask for again
    id: String,
    reason: String,
    /// Whether it could not be read, rather than not fit
    failed: bool,
}

impl Operation for Read {
    const NAME: &'static str = "read";
    const SUMMARY: &'static str = "Read files, line ranges or symbols: exactly, shortened, as skeleton or as map";
    const KIND: Kind = Kind::Read;
    type Params = Params;
    type Reply = ReadReply;

    async fn run(call: &Call<'_>, params: Params) -> Result<ReadReply, engine::Error> {
        let request = engine::ReadRequest {
            targets: params.targets,
            mode: params.mode.map(ModeChoice::from),
            default_mode: call.config.read.mode,
            budget: params.budget.map(Tokens),
            depth: params.depth,
        };
        Ok(call.engine.read(call.project, request).await?.into())
    }
}

impl From<Mode> for ModeChoice {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Raw => Self::Fixed(engine::Mode::Raw),
            Mode::Lightweight => Self::Fixed(engine::Mode::Lightweight),
            Mode::Aggressive => Self::Fixed(engine::Mode::Aggressive),
            Mode::Map => Self::Fixed(engine::Mode::Map),
            Mode::Auto => Self::Auto,
        }
    }
}

impl From<engine::ReadReply> for ReadReply {
    fn from(reply: engine::ReadReply) -> Self {
        Self {
            tokens: reply.items.iter().map(|item| item.tokens).sum::<Tokens>().0,
            items: reply.items.into_iter().map(Item::from).collect(),
            omitted: reply.omitted.into_iter().map(Omitted::from).collect(),
        }
    }
}

impl From<engine::ReadItem> for Item {
    fn from(item: engine::ReadItem) -> Self {
        let compressed_bytes = item.text.len() as u64;
        let (relation, of) = item.relation.map(|(relation, of)| (relation.as_str(), of)).unzip();
        Self {
            id: item.id,
            path: item.path,
            start_line: item.lines.map_or(0, |lines| lines.start),
            end_line: item.lines.map_or(0, |lines| lines.end),
            text: item.text,
            mode: item.mode.as_str(),
            freshness: item.freshness.as_str(),
            lossy: item.lossy,
            original_bytes: item.original_bytes,
            compressed_bytes,
            ratio: if item.original_bytes == 0 { 1.0 } else { compressed_bytes as f64 / item.original_bytes as f64 },
            tokens: item.tokens.0,
            relation,
            of,
            moved_from: item.moved_from,
        }
    }
}

impl From<engine::Omitted> for Omitted {
    fn from(omitted: engine::Omitted) -> Self {
        let (reason, failed) = match omitted.why {
            Omission::Budget { tokens } => (format!("over the budget: {tokens} tokens at its shortest"), false),
            Omission::More { count } => (format!("{count} more dependencies; relations lists them"), false),
            Omission::Failed(error) => (error.to_string(), true),
        };
        Self { id: omitted.id, reason, failed }
    }
}

impl Reply for ReadReply {
    /// One item is shown as it is, so that `epitome read FILE` can be piped; several get headings.
    fn text(&self) -> String {
        let mark = |item: &Item| if item.lossy { engine::LOSSY } else { "" };
        if let ([item @ Item { moved_from: None, .. }], []) = (self.items.as_slice(), self.omitted.as_slice()) {
            return format!("{}{}", item.text, mark(item));
        }
        let mut text = String::new();
        for item in &self.items {
            let newline = if item.text.ends_with('\n') { "" } else { "\n" };
            let why = match (item.relation, &item.of, &item.moved_from) {
                (Some(relation), Some(of), _) => format!(" ({relation} of {of})"),
                (_, _, Some(was)) => format!(" (moved from {was})"),
                _ => String::new(),
            };
            let _ = write!(text, "## {}{why}\n{}{newline}{}", item.id, item.text, mark(item));
        }
        for Omitted { id, reason, .. } in &self.omitted {
            let _ = writeln!(text, "[… {id} is left out: {reason}]");
        }
        text
    }

    fn exit(&self) -> Exit {
        if self.omitted.iter().any(|omitted| omitted.failed) { Exit::Refused } else { Exit::Ok }
    }
}
