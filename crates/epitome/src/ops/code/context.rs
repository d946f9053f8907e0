//! The `context` operation (command, MCP tool, HTTP route): its parameters and its reply; the engine makes the answer.
//! It answers a question with text of code, documents and conversations, best first, up to a token budget.

use super::search_wire::{GateReply, ModelConsultation, QueryCorrection, RelatedParam, is_zero};
use crate::config::schema::{GateMode, StrategyChoice};
use crate::ops::filters::{FilteredQuery, parse_filters};
use crate::ops::{CommandExit, CommandGroup, DataSource, Operation, OperationCall, OperationKind, OperationReply};
use clap::{Args, ValueEnum};
use engine::{AnswerFormat, ItemOrigin, SeenReport};
use model::TokenCount;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) struct ContextOperation;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct ContextParams {
    /// The question; `path:`, `lang:` and `kind:` narrow the code, `role:`, `since:` and `until:` the conversations
    query: String,
    /// Most tokens to return (default: `context.budget`, 4000 unless set)
    #[arg(long)]
    budget: Option<u32>,
    /// How the answer is written
    #[arg(long, value_enum, default_value = "markdown")]
    #[serde(default)]
    format: ContextFormat,
    /// Look even if nothing seems to be needed
    #[arg(long)]
    #[serde(default)]
    anyway: bool,
    /// How files are ranked
    #[arg(long, value_enum)]
    strategy: Option<StrategyChoice>,
    /// What to show beside each place
    #[arg(long, value_enum, value_delimiter = ',')]
    #[serde(default)]
    expand: Vec<RelatedParam>,
    /// Steps to follow calls (0 to 3)
    #[arg(long, help = "Steps to follow calls, 0 to 3 (default: 1 for a question of one line from 3,000 tokens on)")]
    depth: Option<u32>,
    /// Have a model guess an answer to search with
    #[arg(long)]
    #[serde(default)]
    hyde: bool,
    /// Other projects to ask, by name; `all`
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "NAMES",
        help = "Ask these projects (`epitome project`) instead of the one around you, or `all` of them"
    )]
    #[serde(default)]
    projects: Vec<String>,
}

// Only people get a description of each value: agents pay for every word of a schema.
#[derive(Clone, Copy, Default, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
enum ContextFormat {
    #[default]
    #[value(help = "Headings and fenced text")]
    Markdown,
    #[serde(alias = "plain")]
    #[value(alias = "plain", help = "Places and text between lines of `=`")]
    Text,
    #[value(help = "One element for each item")]
    Xml,
    #[serde(skip)]
    #[value(help = "The same as --json")]
    Json,
}

impl From<ContextFormat> for AnswerFormat {
    fn from(format: ContextFormat) -> Self {
        match format {
            // The JSON form has the tokens of the Markdown text that goes with it at the other doors.
            ContextFormat::Markdown | ContextFormat::Json => Self::Markdown,
            ContextFormat::Xml => Self::Xml,
            ContextFormat::Text => Self::Plain,
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct ContextReply {
    /// Code and documents best first, then conversations; the other way round for questions about what was said
    items: Vec<ContextReplyItem>,
    /// Tokens of the reply's text: all items as they are written, and what is told below them
    tokens: u32,
    /// Places that would come next
    omitted: Vec<String>,
    /// How many more places were considered and left out
    #[serde(default, skip_serializing_if = "is_zero")]
    omitted_more: usize,
    /// What did not run, and how to have it
    degraded: Vec<String>,
    gate: GateReply,
    /// What was asked for: `find`, `explain`, `list`, `compare`, `how`, `why` or `debug`
    intent: &'static str,
    /// The questions that the question is, where it is several
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    questions: Vec<String>,
    /// Names that nothing is called, and what they were read as
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    corrected: Vec<QueryCorrection>,
    /// Models that were asked
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    consulted: Vec<ModelConsultation>,
    #[serde(skip)]
    text: String,
    #[serde(skip)]
    seen: SeenReport,
}

#[derive(Serialize, JsonSchema)]
struct ContextReplyItem {
    /// Its project, where several are asked
    #[serde(default, skip_serializing_if = "Option::is_none")]
    project: Option<String>,
    /// `path:start-end`, or message id and `conversation#seq` (`:start-end/bytes` where only those are shown)
    source: String,
    /// `code`, `document` or `conversation`
    from: &'static str,
    text: String,
    tokens: u32,
    why: String,
    /// When it was said, in its source's words
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<String>,
    /// Whether it is what a model said about the place, because its lines do not fit
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    summary: bool,
}

impl Operation for ContextOperation {
    const NAME: &'static str = "context";
    const SUMMARY: &'static str = "Answer a question about the project with cited source text that fits a token budget";
    const KIND: OperationKind = OperationKind::Read;
    const READS: DataSource = DataSource::Both;
    const GROUP: CommandGroup = CommandGroup::Ask;
    const HELP: &'static str = "\
The answer holds whole functions, types and sections, best first, until the budget is full; what was left out is \
named. Conversations about the project are part of it. Exit status 3: nothing fits the question.

Examples:
  epitome context \"how are sessions renewed\"
  epitome context \"what did we decide about retries\" --budget 1000
  epitome context \"flow of a login\" --depth 1      with what the answer calls, in short";
    type Params = ContextParams;
    type Reply = ContextReply;

    async fn run(call: &OperationCall<'_>, params: ContextParams) -> Result<ContextReply, engine::Error> {
        let budget = params.budget.map_or(call.config.context.budget, TokenCount);
        let FilteredQuery { query, filters, said } = parse_filters(&params.query)?;
        let request = engine::AnswerQuery {
            query,
            budget,
            filters,
            said,
            // The user may switch the gate off for all questions; a single call can only do so for itself.
            anyway: params.anyway || call.config.context.gate == GateMode::Off,
            format: params.format.into(),
            strategy: params.strategy.unwrap_or(call.config.search.strategy).into(),
            with_related: params.expand.into_iter().map(engine::RelatedKind::from).collect(),
            depth: params.depth,
            hyde: params.hyde || call.config.search.hyde,
            model_gate: call.config.context.model_gate,
            initiative: engine::CallInitiative::User,
            seen: call.seen.clone(),
        };
        let reached = call.reach_projects(&params.projects).await?;
        let (context, projects) = engine::build_answer_in(&call.ask(&reached), request).await?;
        let items = context.items.into_iter().zip(projects);
        Ok(ContextReply {
            items: items.map(|(item, project)| ContextReplyItem { project, ..item.into() }).collect(),
            tokens: context.tokens.0,
            omitted: context.omitted,
            omitted_more: context.omitted_more,
            degraded: context.degraded,
            gate: context.gate.into(),
            intent: context.intent.as_str(),
            questions: context.questions,
            corrected: context.corrected.into_iter().map(QueryCorrection::from).collect(),
            consulted: context.consulted.into_iter().map(ModelConsultation::from).collect(),
            text: context.text,
            seen: context.seen,
        })
    }
}

impl From<engine::AnswerItem> for ContextReplyItem {
    fn from(item: engine::AnswerItem) -> Self {
        Self {
            project: None,
            source: item.source,
            from: match item.origin {
                ItemOrigin::Code => "code",
                ItemOrigin::Document => "document",
                ItemOrigin::Conversation => "conversation",
            },
            text: item.text,
            tokens: item.tokens.0,
            why: item.why,
            at: item.at,
            summary: item.is_summary,
        }
    }
}

impl OperationReply for ContextReply {
    fn to_text(&self) -> String {
        self.text.clone()
    }

    fn seen_report(&self) -> SeenReport {
        self.seen.clone()
    }

    fn command_exit(&self) -> CommandExit {
        if self.items.is_empty() && self.gate.retrieve { CommandExit::NothingFound } else { CommandExit::Ok }
    }
}
