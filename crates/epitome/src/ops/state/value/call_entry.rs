//! The wire form of one dispatch in the ledger: an entry of the `value` operation's reply, a row of a session over HTTP,
//! and the event `tool_call_recorded`.

use model::show_name;
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Serialize, JsonSchema)]
pub(crate) struct CallEntry {
    /// Rises with every call
    pub(crate) id: i64,
    pub(crate) at: String,
    /// `cli`, `mcp`, `http` or `hook`
    pub(crate) door: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) session: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) project: Option<String>,
    /// As the client names itself
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) agent: Option<String>,
    /// The name that was called
    pub(crate) tool: String,
    pub(crate) operation: String,
    /// How the file was shown
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mode: Option<String>,
    /// The path or symbol that was asked for
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) language: Option<String>,
    /// `S`, `M`, `L` or `XL`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) size_bucket: Option<String>,
    /// What counted it: `value --formulas` explains each
    pub(crate) formula: String,
    /// `measured`, or `estimated` by the formula
    pub(crate) certainty: &'static str,
    pub(crate) bytes_raw: i64,
    pub(crate) bytes_shown: i64,
    /// Below 0 where the reader read more for our sake
    pub(crate) bytes_avoided: i64,
    pub(crate) tokens_raw: i64,
    pub(crate) tokens_shown: i64,
    pub(crate) tokens_avoided: i64,
    pub(crate) dollars_avoided: f64,
    pub(crate) elapsed_ms: f64,
    /// Which call of its session it is
    pub(crate) turn: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) query: Option<String>,
    /// What the question was taken to ask for
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) intent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) strategy: Option<String>,
    /// `retrieve` or `skip`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) gate: Option<String>,
    /// How many results the reply had
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) results: Option<u64>,
    /// How many of the places listed were read afterwards
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) used: Option<u64>,
}

impl CallEntry {
    /// One line of a list of calls.
    pub(super) fn to_line(&self) -> String {
        let Self { at, door, tool, formula, certainty, tokens_shown, tokens_avoided, elapsed_ms, .. } = self;
        let tool = show_name(tool);
        let who = self.agent.as_deref().map(|agent| format!(" by {}", show_name(agent))).unwrap_or_default();
        if let Some(query) = &self.query {
            let words = [&self.intent, &self.strategy, &self.gate].map(Option::as_deref);
            let words: Vec<&str> = words.into_iter().flatten().collect();
            let results = self.results.unwrap_or_default();
            let used = self.used.map(|used| format!(", {used} used")).unwrap_or_default();
            let query = show_name(query);
            return format!(
                "{at} {door} {tool}{who} \"{query}\" [{}] {results} results{used}, {tokens_shown} tokens, {elapsed_ms:.1} ms\n",
                words.join(" ")
            );
        }
        let place = self.path.as_deref().map(|path| format!(" {}", show_name(path))).unwrap_or_default();
        format!(
            "{at} {door} {tool}{who}{place} {tokens_shown} shown, {tokens_avoided} avoided ({formula}, {certainty}), {elapsed_ms:.1} ms\n"
        )
    }

    pub(crate) fn new(call: engine::ToolCall, used: Option<u64>) -> Self {
        let engine::ToolCall { number, call } = call;
        let figures = call.figures;
        let results = call.question.as_ref().map(|question| question.results);
        let question = call.question.unwrap_or_default();
        Self {
            id: number,
            at: call.at.to_string(),
            door: call.door.as_str(),
            session: call.session,
            project: call.project.map(|project| project.to_string()),
            agent: call.agent,
            tool: call.tool,
            operation: call.operation,
            mode: call.mode,
            path: call.place,
            language: call.language,
            size_bucket: call.size_bucket,
            formula: call.formula,
            certainty: call.certainty.as_str(),
            bytes_raw: figures.bytes_raw,
            bytes_shown: figures.bytes_shown,
            bytes_avoided: figures.bytes_avoided,
            tokens_raw: figures.tokens_raw,
            tokens_shown: figures.tokens_shown,
            tokens_avoided: figures.tokens_avoided,
            dollars_avoided: figures.money_avoided.to_dollars(),
            elapsed_ms: call.elapsed_us as f64 / 1_000.0,
            turn: call.turn,
            query: Some(question.query).filter(|query| !query.is_empty()),
            intent: question.intent,
            strategy: question.strategy,
            gate: question.gate,
            results,
            used,
        }
    }
}
