//! The `expand` operation (command, MCP tool, HTTP route): its parameters and its reply; the engine makes the answer.
//! It returns the summaries and messages that a summary covers.

use crate::ops::{CommandGroup, DataSource, MeasureKind, Operation, OperationCall, OperationKind, OperationReply};
use clap::Args;
use engine::{ExpandRequest, ExpandedItem, ExpandedKind};
use model::TokenCount;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) struct ExpandOperation;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExpandParams {
    /// Summary or message by id, message by its place (`conversation#8`), or the handle in `continue_with` of an earlier reply
    id: String,
    /// Levels to go down
    #[arg(long, default_value_t = 1)]
    #[serde(default = "default_depth")]
    depth: u32,
    /// Give the messages of every leaf that is reached, word for word
    #[arg(long)]
    #[serde(default)]
    messages: bool,
    /// Most tokens to return (default: `memory.expand_tokens`, 4000 unless set)
    #[arg(long)]
    budget: Option<u32>,
    /// Grant that allows it, where somebody was given one
    #[arg(long)]
    grant: Option<String>,
}

fn default_depth() -> u32 {
    1
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct ExpandReply {
    /// In order
    items: Vec<ExpandItem>,
    /// Tokens of the items as they are written, headings included
    tokens: u32,
    /// Whether there is more
    truncated: bool,
    /// The id to expand for the rest
    continue_with: Option<String>,
    #[serde(skip)]
    text: String,
}

#[derive(Serialize, JsonSchema)]
struct ExpandItem {
    /// `summary` or `message`
    #[serde(rename = "type")]
    kind: &'static str,
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'static str>,
    text: String,
    tokens: u32,
    first_seq: u64,
    last_seq: u64,
    /// When it happened, in its source's words
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<String>,
    /// Where a piece of a long text begins, in bytes
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<usize>,
    /// How many bytes all of it has
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<usize>,
}

impl Operation for ExpandOperation {
    const NAME: &'static str = "expand";
    const SUMMARY: &'static str = "Expand a summary to the summaries and messages it covers";
    const KIND: OperationKind = OperationKind::Read;
    const READS: DataSource = DataSource::Conversations;
    const GROUP: CommandGroup = CommandGroup::Ask;
    const MEASURE: MeasureKind = MeasureKind::Expansion;
    const HELP: &'static str = "\
A summary gives the summaries or messages it covers; a message gives itself whole, with its neighbours. Where the budget \
ends, the reply says how to go on.

Examples:
  epitome expand sum_0f3a2b1c4d5e6f70
  epitome expand sum_0f3a2b1c4d5e6f70 --messages --depth 3
  epitome expand 'latest#8'";
    type Params = ExpandParams;
    type Reply = ExpandReply;

    async fn run(call: &OperationCall<'_>, params: ExpandParams) -> Result<ExpandReply, engine::Error> {
        let ExpandParams { id, depth, messages, budget, grant } = params;
        let id = call.conversation_name(&id);
        let request = ExpandRequest { id, depth, messages, budget: budget.map(TokenCount), grant };
        let expansion = call.engine.expand_summary(request).await?;
        let written = expansion.items.iter().map(ExpandedItem::render_item).chain(expansion.continuation_line());
        Ok(ExpandReply {
            text: written.collect(),
            items: expansion.items.into_iter().map(ExpandItem::from).collect(),
            tokens: expansion.tokens.0,
            truncated: expansion.continue_with.is_some(),
            continue_with: expansion.continue_with,
        })
    }
}

impl From<ExpandedItem> for ExpandItem {
    fn from(expanded: ExpandedItem) -> Self {
        let is_whole = expanded.is_whole();
        let ExpandedItem { of, text, start, total, tokens } = expanded;
        // Absent for a whole text: an agent that sees `total` would ask for a next page that does not exist.
        let start = (!is_whole).then_some(start);
        let total = (!is_whole).then_some(total);
        let tokens = tokens.0;
        match of {
            ExpandedKind::Summary(summary) => Self {
                kind: "summary",
                id: summary.id.to_string(),
                role: None,
                text,
                tokens,
                first_seq: summary.range.first,
                last_seq: summary.range.last,
                at: summary.from,
                start,
                total,
            },
            ExpandedKind::Message(message) => Self {
                kind: "message",
                id: message.id.to_string(),
                role: Some(message.body.role.as_str()),
                text,
                tokens,
                first_seq: message.seq,
                last_seq: message.seq,
                at: message.body.at.map(|at| at.display_text()),
                start,
                total,
            },
        }
    }
}

impl OperationReply for ExpandReply {
    fn to_text(&self) -> String {
        self.text.clone()
    }

    fn is_exact(&self) -> bool {
        true
    }
}
