//! The `read` operation (command, MCP tool, HTTP route): its parameters and its reply; the engine makes the answer. It
//! returns files, line ranges and symbols as they are on disk: exact, shortened, as a skeleton or as a map.

use crate::ops::{CommandExit, CommandGroup, DataSource, Operation, OperationCall, OperationKind, OperationReply};
use clap::{Args, ValueEnum};
use engine::{BudgetWriter, ModeChoice, OmissionReason, SeenReport};
use model::{TokenCount, show_name};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) struct ReadOperation;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadParams {
    /// What to read: `path`, `path:10-20`, a symbol id such as `src/lib.rs#Session.login`, its handle or its name
    #[arg(required = true, value_name = "TARGET")]
    targets: Vec<String>,
    /// How to show it (default: `read.mode`, or raw)
    #[arg(long, value_enum)]
    mode: Option<ReadModeParam>,
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
enum ReadModeParam {
    /// Byte for byte
    Raw,
    /// Long comments shortened, blank lines joined
    Lightweight,
    /// Without comments, most imports and function bodies
    Aggressive,
    /// Signatures with line ranges
    Map,
    /// By size
    Auto,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct ReadOperationReply {
    items: Vec<ReadReplyItem>,
    /// Targets that are not among the items
    omitted: Vec<ReadOmission>,
    /// Tokens of all texts
    tokens: u32,
    #[serde(skip)]
    budget: Option<TokenCount>,
    #[serde(skip)]
    original_tokens: u64,
    #[serde(skip)]
    seen: SeenReport,
}

#[derive(Serialize, JsonSchema)]
struct ReadReplyItem {
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
    /// How many symbols have the name it was asked for by, where there are several
    #[serde(skip_serializing_if = "Option::is_none")]
    one_of: Option<usize>,
    #[serde(skip)]
    written: String,
    #[serde(skip)]
    lossy_note: &'static str,
}

#[derive(Serialize, JsonSchema)]
struct ReadOmission {
    /// What to ask for again
    id: String,
    reason: String,
    /// Whether it could not be read, rather than not fit
    failed: bool,
}

impl Operation for ReadOperation {
    const NAME: &'static str = "read";
    const SUMMARY: &'static str = "Read files, line ranges or symbols: exactly, shortened, as skeleton or as map";
    const KIND: OperationKind = OperationKind::Read;
    const READS: DataSource = DataSource::Code;
    const GROUP: CommandGroup = CommandGroup::Ask;
    const HELP: &'static str = "\
A target is a path, `path:10-40`, `path#Symbol`, a handle or a unique name. `raw` gives the exact bytes; the other \
modes mark every line range that they leave out, so that it can be read with the next call.

Examples:
  epitome read src/lib.rs --mode map              the signatures, with line ranges
  epitome read src/lib.rs:10-40
  epitome read 'src/lib.rs#Session.login'";
    type Params = ReadParams;
    type Reply = ReadOperationReply;

    async fn run(call: &OperationCall<'_>, params: ReadParams) -> Result<ReadOperationReply, engine::Error> {
        let budget = params.budget.map(TokenCount);
        let request = engine::ReadRequest {
            targets: params.targets,
            mode: params.mode.map(ModeChoice::from),
            default_mode: call.config.read.mode,
            budget,
            depth: params.depth,
            seen: call.seen.clone(),
        };
        Ok(ReadOperationReply::new(call.engine.read(call.project, request).await?, budget))
    }
}

impl From<ReadModeParam> for ModeChoice {
    fn from(mode: ReadModeParam) -> Self {
        match mode {
            ReadModeParam::Raw => Self::Fixed(engine::ViewMode::Raw),
            ReadModeParam::Lightweight => Self::Fixed(engine::ViewMode::Lightweight),
            ReadModeParam::Aggressive => Self::Fixed(engine::ViewMode::Aggressive),
            ReadModeParam::Map => Self::Fixed(engine::ViewMode::Map),
            ReadModeParam::Auto => Self::Auto,
        }
    }
}

impl ReadOperationReply {
    fn new(reply: engine::ReadReply, budget: Option<TokenCount>) -> Self {
        Self {
            budget,
            original_tokens: reply.original_tokens(),
            seen: reply.seen_report(),
            tokens: reply.items.iter().map(|item| item.tokens).sum::<TokenCount>().0,
            items: reply.items.into_iter().map(ReadReplyItem::from).collect(),
            omitted: reply.omitted.into_iter().map(ReadOmission::from).collect(),
        }
    }
}

impl From<engine::ReadItem> for ReadReplyItem {
    fn from(item: engine::ReadItem) -> Self {
        let compressed_bytes = item.text.len() as u64;
        let written = item.render_text();
        let lossy_note = item.lossy_note();
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
            // An empty file has a ratio of 1, not a division by zero, which JSON cannot hold.
            ratio: if item.original_bytes == 0 { 1.0 } else { compressed_bytes as f64 / item.original_bytes as f64 },
            tokens: item.tokens.0,
            relation,
            of,
            moved_from: item.moved_from,
            one_of: item.one_of.map(|(_, count)| count),
            written,
            lossy_note,
        }
    }
}

impl From<engine::OmittedTarget> for ReadOmission {
    fn from(omitted: engine::OmittedTarget) -> Self {
        let (reason, failed) = match omitted.why {
            OmissionReason::Budget { tokens } => (format!("over the budget: {tokens} tokens at its shortest"), false),
            OmissionReason::More { count } => (format!("{count} more dependencies; relations lists them"), false),
            OmissionReason::Failed(error) => (error.to_string(), true),
        };
        Self { id: omitted.id, reason, failed }
    }
}

/// What is kept free to count what is left out.
const FOOTER: TokenCount = TokenCount(8);

impl OperationReply for ReadOperationReply {
    /// One item is shown as it is, so that `epitome read FILE` can be piped; several get headings.
    fn to_text(&self) -> String {
        // A file that moved needs its heading, or the reader would take it for the one asked for.
        if let ([item @ ReadReplyItem { moved_from: None, .. }], []) = (self.items.as_slice(), self.omitted.as_slice())
        {
            return format!("{}{}", item.text, item.lossy_note);
        }
        let mut page = BudgetWriter::new(self.budget);
        let mut left_out = Vec::new();
        for item in &self.items {
            if !page.add(&item.written, FOOTER) {
                left_out.push(item.id.clone());
            }
        }
        for ReadOmission { id, reason, .. } in &self.omitted {
            let line = format!("[… {id} is left out: {reason}]");
            if !page.add(&format!("{}\n", show_name(&line)), FOOTER) {
                left_out.push(id.clone());
            }
        }
        page.add_names("left out for the budget", &left_out, usize::MAX);
        page.finish()
    }

    fn is_exact(&self) -> bool {
        true
    }

    fn original_tokens(&self) -> Option<u64> {
        Some(self.original_tokens)
    }

    fn seen_report(&self) -> SeenReport {
        let SeenReport { shown, withheld } = self.seen.clone();
        // Of several texts within a budget the page may leave some out.
        let is_shown = self.budget.is_none() || self.items.len() == 1;
        SeenReport { shown: if is_shown { shown } else { Vec::new() }, withheld }
    }

    fn command_exit(&self) -> CommandExit {
        if self.omitted.iter().any(|omitted| omitted.failed) { CommandExit::Refused } else { CommandExit::Ok }
    }
}
