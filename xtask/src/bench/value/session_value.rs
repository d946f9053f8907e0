//! What one session was billed, and what each of our parts adds to that or takes from it.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::billing::{BilledPlace, SessionBill};
use super::needed_rest::{ModelAnswer, needs_rest, next_answers};
use super::origins::TextCounts;
use super::prices::PriceTable;
use super::token_counter::TokenCounter;
use super::trace::{SessionTrace, TextOrigin};
use super::views::ShorterReads;
use crate::bench::replay::{HookTelling, ToldText};
use crate::bench::round_thousandths;

/// Tokens of a call that fetches an output again, as the model writes it.
const CALL_TOKENS: f64 = 60.0;

/// A part of what we add or spare, in tokens of the vendor.
#[derive(Clone, Copy, Default)]
pub(super) struct ValuePart {
    pub(super) texts: u64,
    /// In the context, once.
    pub(super) tokens: f64,
    /// In all requests.
    pub(super) billed: f64,
    pub(super) dollars: f64,
}

impl ValuePart {
    pub(super) fn add(&mut self, other: Self) {
        self.texts += other.texts;
        self.tokens += other.tokens;
        self.billed += other.billed;
        self.dollars += other.dollars;
    }

    pub(super) fn to_json(self) -> Value {
        json!({
            "texts": self.texts,
            "tokens": self.tokens.round(),
            "billed_tokens": self.billed.round(),
            "dollars": round_thousandths(self.dollars),
        })
    }
}

pub(super) struct SessionValue {
    id: String,
    model: String,
    has_tree: bool,
    requests: usize,
    subagents: u64,
    pub(super) scale: f64,
    /// Fresh input, cache reads, cache writes, output.
    pub(super) billed: [u64; 4],
    pub(super) dollars: f64,
    pub(super) output_dollars: f64,
    /// What we would have added and spared.
    pub(super) parts: BTreeMap<&'static str, ValuePart>,
    /// If whole files had been read in the mode `auto`.
    pub(super) views: ValuePart,
    pub(super) reads: [u64; 3],
    /// Dollars for input by where it came from.
    pub(super) origins: BTreeMap<String, f64>,
}

pub(super) struct ValueBuilder<'t> {
    value: SessionValue,
    bill: SessionBill<'t>,
    trace: &'t SessionTrace,
}

impl SessionValue {
    pub(super) fn begin<'t>(
        id: String,
        has_tree: bool,
        trace: &'t SessionTrace,
        counts: &TextCounts,
        prices: &PriceTable,
    ) -> Result<ValueBuilder<'t>> {
        let bill = SessionBill::new(&trace.requests, |model| prices.find_prices(model));
        let (input_dollars, output_dollars) = bill.total_dollars().context("a model without a price")?;
        let mut origins: BTreeMap<String, f64> = BTreeMap::new();
        for (text, tokens) in trace.texts.iter().zip(&counts.tokens) {
            let dollars = bill.bill_text(BilledPlace::Line(text.line)).dollars.unwrap_or_default();
            let name = match &text.origin {
                TextOrigin::Prompt => "prompts",
                TextOrigin::Model => "what the model said and called",
                TextOrigin::Output(tool) if tool.starts_with("mcp__") => "outputs of MCP tools",
                TextOrigin::Output(tool) => match tool.as_str() {
                    "Read" => "outputs of Read",
                    "Bash" => "outputs of Bash",
                    "Grep" | "Glob" => "outputs of Grep and Glob",
                    _ => "other outputs",
                },
            };
            *origins.entry(name.to_owned()).or_default() += dollars * *tokens as f64 * counts.scale / 1e6;
        }
        // The host's prompt and tools, its reminders, and what the scale is wrong by.
        let explained: f64 = origins.values().sum();
        origins.insert("the host's own prompt, tools and reminders".to_owned(), input_dollars - explained);
        let sum = |field: fn(&super::trace::BilledRequest) -> u64| trace.requests.iter().map(field).sum();
        let value = Self {
            id,
            model: trace.requests[0].model.clone(),
            has_tree,
            requests: trace.requests.len(),
            subagents: trace.subagents,
            scale: counts.scale,
            billed: [
                sum(|request| request.input),
                sum(|request| request.cache_read),
                sum(|request| request.short_writes + request.long_writes),
                sum(|request| request.output),
            ],
            dollars: input_dollars + output_dollars,
            output_dollars,
            parts: BTreeMap::new(),
            views: ValuePart::default(),
            reads: [0; 3],
            origins,
        };
        Ok(ValueBuilder { value, bill, trace })
    }

    /// All tokens that were billed.
    pub(super) fn tokens(&self) -> f64 {
        self.billed.iter().sum::<u64>() as f64
    }

    /// What all parts add; below zero where they spare.
    pub(super) fn change(&self) -> ValuePart {
        let mut sum = ValuePart::default();
        self.parts.values().for_each(|part| sum.add(*part));
        sum
    }

    /// Dollars with us to dollars without.
    pub(super) fn dollar_ratio(&self) -> f64 {
        1.0 + self.change().dollars / self.dollars
    }

    pub(super) fn token_ratio(&self) -> f64 {
        1.0 + self.change().billed / self.tokens()
    }

    /// The same if whole files had been read in the mode `auto`, too.
    pub(super) fn ratio_with_views(&self) -> f64 {
        self.dollar_ratio() + self.views.dollars / self.dollars
    }

    pub(super) fn describe(&self) -> String {
        format!("{} ({}): {:.2} $, × {:.3} with us", self.id, self.model, self.dollars, self.dollar_ratio())
    }

    pub(super) fn to_json(&self) -> Value {
        let [input, cache_reads, cache_writes, output] = self.billed;
        let [files, shown_whole, needed] = self.reads;
        let parts: BTreeMap<&str, Value> = self.parts.iter().map(|(name, part)| (*name, part.to_json())).collect();
        json!({
            "session": self.id,
            "model": self.model,
            "files_of_its_repository": self.has_tree,
            "requests": self.requests,
            "calls_of_subagents": self.subagents,
            "billed": { "input": input, "cache_reads": cache_reads, "cache_writes": cache_writes, "output": output },
            "dollars": round_thousandths(self.dollars),
            "billed_tokens_for_one_of_o200k": round_thousandths(self.scale),
            "parts": parts,
            "dollars_with_us_to_without": round_thousandths(self.dollar_ratio()),
            "tokens_with_us_to_without": round_thousandths(self.token_ratio()),
            "whole_files_read": {
                "files": files,
                "shown_whole_by_auto": shown_whole,
                "rest_was_needed": needed,
                "if_shorter": self.views.to_json(),
                "dollars_with_us_to_without": round_thousandths(self.ratio_with_views()),
            },
        })
    }
}

impl ValueBuilder<'_> {
    /// Our tools and instructions.
    pub(super) fn add_fixed(&mut self, tokens: u64) {
        let part = self.bill_part(BilledPlace::Front, tokens as f64);
        self.add_part("schemas and instructions", part);
    }

    /// What a hook told the agent, or showed it in place of an output.
    pub(super) fn add_telling(
        &mut self,
        telling: &HookTelling,
        answers: &[ModelAnswer],
        counter: &mut TokenCounter,
    ) -> Result<()> {
        let place = BilledPlace::Line(telling.line);
        match &telling.text {
            ToldText::Added(text) => {
                // As the host shows it to the model.
                let event = telling.event;
                let shown = format!("<system-reminder>\n{event} hook additional context: {text}\n</system-reminder>");
                let part = self.bill_part(place, counter.count_text(&shown)? as f64);
                self.add_part(if event == "UserPromptSubmit" { "prompts" } else { "session starts" }, part);
            }
            ToldText::Shortened { whole, shown } => {
                let both = counter.count_texts(&[whole, shown])?;
                let (whole_tokens, shown_tokens) = (both[0] as f64, both[1] as f64);
                if needs_rest(whole, shown, next_answers(answers, telling.line), &self.trace.directory) {
                    // The whole is fetched with one more request, and the brief was for nothing.
                    let mut part = self.bill_part(place, shown_tokens + CALL_TOKENS);
                    let (context, dollars) = self.bill.further_request(telling.line, CALL_TOKENS);
                    part.billed += context as f64 + CALL_TOKENS;
                    part.dollars += dollars.unwrap_or_default();
                    self.add_part("outputs fetched again", part);
                } else {
                    let part = self.bill_part(place, shown_tokens - whole_tokens);
                    self.add_part("outputs in brief", part);
                }
            }
        }
        Ok(())
    }

    pub(super) fn add_views(&mut self, shorter: &ShorterReads, counter: &mut TokenCounter) -> Result<()> {
        for read in &shorter.reads {
            let both = counter.count_texts(&[&read.whole, &read.shown])?;
            let part = self.bill_part(BilledPlace::Line(read.line), both[1] as f64 - both[0] as f64);
            self.value.views.add(part);
        }
        self.value.reads = [shorter.files, shorter.shown_whole, shorter.needed];
        Ok(())
    }

    pub(super) fn finish(self) -> SessionValue {
        self.value
    }

    /// A text of so many tokens, or so many fewer, as the program counts them.
    fn bill_part(&self, place: BilledPlace, tokens: f64) -> ValuePart {
        let bill = self.bill.bill_text(place);
        let tokens = tokens * self.value.scale;
        ValuePart {
            texts: 1,
            tokens,
            billed: tokens * bill.times() as f64,
            dollars: tokens * bill.dollars.unwrap_or_default() / 1e6,
        }
    }

    fn add_part(&mut self, name: &'static str, part: ValuePart) {
        self.value.parts.entry(name).or_default().add(part);
    }
}
