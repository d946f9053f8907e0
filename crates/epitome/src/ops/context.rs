//! `context`: a question answered with what fits a budget.

use super::{Call, Exit, Kind, Operation, Reply};
use clap::Args;
use model::Tokens;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

pub(crate) struct Context;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// The question
    query: String,
    /// Most tokens to return (default: `context.budget`)
    #[arg(long)]
    budget: Option<u32>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct ContextReply {
    /// Best first
    items: Vec<Item>,
    /// Tokens of all items
    tokens: u32,
    /// Places that would come next
    omitted: Vec<String>,
    /// What did not run, and how to have it
    degraded: Vec<String>,
    gate: Gate,
}

#[derive(Serialize, JsonSchema)]
struct Item {
    /// `path:start-end`
    source: String,
    text: String,
    tokens: u32,
    why: String,
}

#[derive(Serialize, JsonSchema)]
struct Gate {
    /// Whether anything was looked up
    retrieve: bool,
    reason: String,
}

impl Operation for Context {
    const NAME: &'static str = "context";
    const SUMMARY: &'static str = "Answer a question about the project with cited source text that fits a token budget";
    const KIND: Kind = Kind::Read;
    type Params = Params;
    type Reply = ContextReply;

    async fn run(call: &Call<'_>, params: Params) -> Result<ContextReply, engine::Error> {
        let budget = params.budget.map_or(call.config.context.budget, Tokens);
        let request = engine::ContextRequest { query: params.query, budget };
        let context = call.engine.context(call.project, request).await?;
        let items = context.items.into_iter().map(|item| Item {
            source: item.source,
            text: item.text,
            tokens: item.tokens.0,
            why: item.why,
        });
        Ok(ContextReply {
            items: items.collect(),
            tokens: context.tokens.0,
            omitted: context.omitted,
            degraded: context.degraded,
            gate: Gate { retrieve: context.gate.retrieve, reason: context.gate.reason },
        })
    }
}

impl Reply for ContextReply {
    fn text(&self) -> String {
        if self.items.is_empty() && self.omitted.is_empty() {
            return "nothing found\n".to_owned();
        }
        let mut text = String::new();
        for item in &self.items {
            let newline = if item.text.ends_with('\n') { "" } else { "\n" };
            let _ = writeln!(text, "## {} ({})\n{}{newline}", item.source, item.why, item.text);
        }
        let _ = writeln!(text, "{} tokens", self.tokens);
        if !self.omitted.is_empty() {
            let _ = writeln!(text, "left out for the budget: {}", self.omitted.join(", "));
        }
        for reason in &self.degraded {
            let _ = writeln!(text, "degraded: {reason}");
        }
        text
    }

    fn exit(&self) -> Exit {
        if self.items.is_empty() { Exit::NothingFound } else { Exit::Ok }
    }
}
