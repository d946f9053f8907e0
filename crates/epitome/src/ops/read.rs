//! `read`: files, ranges and symbols, as they are on disk.

use super::{Call, Kind, Operation, Reply};
use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

pub(crate) struct Read;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// What to read: `path`, `path:10-20` or a symbol id such as `src/lib.rs#Session.login`
    #[arg(required = true, value_name = "TARGET")]
    targets: Vec<String>,
    /// How to show it (default: raw)
    #[arg(long, value_enum)]
    mode: Option<Mode>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "lowercase")]
enum Mode {
    /// Byte for byte
    Raw,
    /// Signatures with line ranges
    Map,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct ReadReply {
    items: Vec<Item>,
}

#[derive(Serialize, JsonSchema)]
struct Item {
    /// The target it answers
    id: String,
    path: String,
    /// 0 for an empty file
    start_line: u32,
    end_line: u32,
    text: String,
    mode: &'static str,
    /// Whether some bytes are not UTF-8 and stand as a replacement character in the text
    lossy: bool,
    original_bytes: u64,
    compressed_bytes: u64,
    /// Compressed to original, 1 for raw
    ratio: f64,
    tokens: u32,
}

impl Operation for Read {
    const NAME: &'static str = "read";
    const SUMMARY: &'static str = "Read files, line ranges or symbols, exactly or as a map of signatures";
    const KIND: Kind = Kind::Read;
    type Params = Params;
    type Reply = ReadReply;

    async fn run(call: &Call<'_>, params: Params) -> Result<ReadReply, engine::Error> {
        let mode = match params.mode {
            Some(Mode::Raw) | None => engine::Mode::Raw,
            Some(Mode::Map) => engine::Mode::Map,
        };
        let items = call.engine.read(call.project, engine::ReadRequest { targets: params.targets, mode }).await?;
        Ok(ReadReply { items: items.into_iter().map(Item::from).collect() })
    }
}

impl From<engine::ReadItem> for Item {
    fn from(item: engine::ReadItem) -> Self {
        let compressed_bytes = item.text.len() as u64;
        Self {
            id: item.id,
            path: item.path,
            start_line: item.lines.map_or(0, |lines| lines.start),
            end_line: item.lines.map_or(0, |lines| lines.end),
            text: item.text,
            mode: item.mode.as_str(),
            lossy: item.lossy,
            original_bytes: item.original_bytes,
            compressed_bytes,
            ratio: if item.original_bytes == 0 { 1.0 } else { compressed_bytes as f64 / item.original_bytes as f64 },
            tokens: item.tokens.0,
        }
    }
}

impl Reply for ReadReply {
    /// One item is shown as it is, so that `epitome read FILE` can be piped; several get headings.
    fn text(&self) -> String {
        let mark = |item: &Item| if item.lossy { engine::LOSSY } else { "" };
        if let [item] = self.items.as_slice() {
            return format!("{}{}", item.text, mark(item));
        }
        let mut text = String::new();
        for item in &self.items {
            let newline = if item.text.ends_with('\n') { "" } else { "\n" };
            let _ = write!(text, "## {}\n{}{newline}{}", item.id, item.text, mark(item));
        }
        text
    }
}
