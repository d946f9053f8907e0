//! `expand`: a summary back to what it covers.

use super::{Call, Kind, Operation, Reply};
use clap::Args;
use engine::{ExpandRequest, Expanded};
use model::Tokens;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

pub(crate) struct Expand;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
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
    /// Most tokens of all items together (default: `memory.expand_tokens`, 4000 unless set)
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
    items: Vec<Item>,
    tokens: u32,
    /// Whether there is more
    truncated: bool,
    /// The id to expand for the rest
    continue_with: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Item {
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
    /// Where a piece of a long message begins, in bytes
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<usize>,
    /// How many bytes the whole message has
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<usize>,
}

impl Operation for Expand {
    const NAME: &'static str = "expand";
    const SUMMARY: &'static str = "Expand a summary to the summaries and messages it covers";
    const KIND: Kind = Kind::Read;
    type Params = Params;
    type Reply = ExpandReply;

    async fn run(call: &Call<'_>, params: Params) -> Result<ExpandReply, engine::Error> {
        let Params { id, depth, messages, budget, grant } = params;
        let request = ExpandRequest { id, depth, messages, budget: budget.map(Tokens), grant };
        let expansion = call.engine.expand(request).await?;
        Ok(ExpandReply {
            items: expansion.items.into_iter().map(Item::from).collect(),
            tokens: expansion.tokens.0,
            truncated: expansion.continue_with.is_some(),
            continue_with: expansion.continue_with,
        })
    }
}

impl From<Expanded> for Item {
    fn from(expanded: Expanded) -> Self {
        match expanded {
            Expanded::Summary(summary) => Self {
                kind: "summary",
                id: summary.id.to_string(),
                role: None,
                text: summary.content,
                tokens: summary.tokens.0,
                first_seq: summary.range.first,
                last_seq: summary.range.last,
                at: summary.from,
                start: None,
                total: None,
            },
            Expanded::Message { message, text, start, total, tokens } => {
                let whole = start == 0 && text.len() == total;
                Self {
                    kind: "message",
                    id: message.id.to_string(),
                    role: Some(message.body.role.as_str()),
                    text,
                    tokens: tokens.0,
                    first_seq: message.seq,
                    last_seq: message.seq,
                    at: message.body.at.map(|at| at.text),
                    start: (!whole).then_some(start),
                    total: (!whole).then_some(total),
                }
            }
        }
    }
}

impl Reply for ExpandReply {
    fn text(&self) -> String {
        let mut text = String::new();
        for item in &self.items {
            let places = if item.first_seq == item.last_seq {
                item.first_seq.to_string()
            } else {
                format!("{}-{}", item.first_seq, item.last_seq)
            };
            let piece = match (item.start, item.total) {
                (Some(start), Some(total)) => format!(" bytes {start}-{} of {total}", start + item.text.len()),
                _ => String::new(),
            };
            let who = item.role.unwrap_or(item.kind);
            let _ = writeln!(text, "[{places} {who} {}{piece}]\n{}\n", item.id, item.text);
        }
        if let Some(next) = &self.continue_with {
            let _ = writeln!(text, "… more: expand {next}");
        }
        text
    }
}
