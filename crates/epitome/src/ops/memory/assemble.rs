//! The `assemble` operation (command, MCP tool, HTTP route): its parameters and its reply; the engine makes the answer.
//! It builds the context of a conversation for a model within a token budget: summaries, facts and the newest messages.

mod text;
mod vendor_shapes;

use crate::ops::{
    CommandExit, CommandGroup, DataSource, MeasureKind, Operation, OperationCall, OperationKind, OperationReply,
};
use clap::{Args, ValueEnum};
use engine::{AssembleRequest, AssembledItem, SummaryForm};
use model::{MessageRole, TokenCount};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(crate) struct AssembleOperation;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct AssembleParams {
    /// The conversation's name or id
    conversation: String,
    /// Most tokens to return (default: `memory.context_tokens`, 200000 unless set)
    #[arg(long)]
    budget: Option<u32>,
    /// What it is about, where summaries have to be chosen between
    #[arg(long)]
    query: Option<String>,
    /// Also give the items as a vendor's messages
    #[arg(long, value_enum, default_value = "plain")]
    #[serde(default)]
    shape: AssembleShape,
    /// How summaries are set off from messages (default: `xml` in the shape of Anthropic, else `fence`)
    #[arg(long, value_enum)]
    #[serde(default)]
    form: Option<AssembleForm>,
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
enum AssembleShape {
    /// Only the items
    #[default]
    Plain,
    /// Messages of the Anthropic API, with `system`
    Anthropic,
    /// Messages of the OpenAI chat API
    #[value(name = "openai")]
    #[serde(rename = "openai")]
    OpenAi,
}

#[derive(Clone, Copy, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
enum AssembleForm {
    /// Between two lines in brackets
    Fence,
    /// As elements `<summary>` with their ids, depth and times
    Xml,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct AssembleReply {
    /// In the order in which a model reads them
    items: Vec<AssembleItem>,
    tokens: u32,
    /// What did not fit
    #[serde(skip_serializing_if = "Vec::is_empty")]
    omitted: Vec<AssembleOmission>,
    /// Instructions, in the shape of the Anthropic API
    #[serde(skip_serializing_if = "Option::is_none")]
    system: Option<String>,
    /// The items as the vendor's messages
    #[serde(skip_serializing_if = "Option::is_none")]
    messages: Option<Vec<Value>>,
    #[serde(skip)]
    budget: Option<TokenCount>,
}

#[derive(Serialize, JsonSchema)]
struct AssembleItem {
    /// `message`, `thread`, `summary`, `facts` or `gap`
    #[serde(rename = "type")]
    kind: &'static str,
    id: String,
    role: &'static str,
    text: String,
    tokens: u32,
    #[serde(skip)]
    heading: String,
}

#[derive(Serialize, JsonSchema)]
struct AssembleOmission {
    first_seq: u64,
    last_seq: u64,
    /// The summary that expands to them
    #[serde(skip_serializing_if = "Option::is_none")]
    summary_id: Option<String>,
}

impl Operation for AssembleOperation {
    const NAME: &'static str = "assemble";
    const SUMMARY: &'static str =
        "Give the context of a conversation within a budget: summaries, facts, newest messages";
    const KIND: OperationKind = OperationKind::Read;
    const READS: DataSource = DataSource::Conversations;
    const GROUP: CommandGroup = CommandGroup::Plumbing;
    const MEASURE: MeasureKind = MeasureKind::Assembly;
    const HELP: &'static str = "\
The newest messages are given word for word, older ones as summaries, within the budget: first the goal, the rules and \
where the work stands, then summaries, which are shortened before one is left out, then facts. `--shape` writes the \
messages as an API of a model takes them, `--form xml` the summaries as XML.

Examples:
  epitome assemble latest --budget 8000
  epitome assemble latest --shape anthropic --json
  epitome assemble latest --form xml";
    type Params = AssembleParams;
    type Reply = AssembleReply;

    async fn run(call: &OperationCall<'_>, params: AssembleParams) -> Result<AssembleReply, engine::Error> {
        let conversation = call.conversation_name(&params.conversation);
        let budget = params.budget.map(TokenCount);
        let query = params.query;
        let form = match (params.form, params.shape) {
            (Some(AssembleForm::Xml), _) | (None, AssembleShape::Anthropic) => SummaryForm::Xml,
            (Some(AssembleForm::Fence), _) | (None, AssembleShape::Plain | AssembleShape::OpenAi) => SummaryForm::Fence,
        };
        let assembled = call.engine.assemble_context(AssembleRequest { conversation, budget, query, form }).await?;
        let shaped = match params.shape {
            AssembleShape::Plain => vendor_shapes::VendorMessages::default(),
            AssembleShape::Anthropic => vendor_shapes::to_anthropic(&assembled.items),
            AssembleShape::OpenAi => vendor_shapes::to_openai(&assembled.items),
        };
        let conversation = assembled.conversation.to_string();
        let omitted = assembled.left_out.into_iter().map(|left| AssembleOmission {
            first_seq: left.range.first,
            last_seq: left.range.last,
            summary_id: left.summary.map(|id| id.to_string()),
        });
        Ok(AssembleReply {
            tokens: assembled.tokens.0,
            omitted: omitted.collect(),
            items: assembled.items.into_iter().map(|item| AssembleItem::new(item, &conversation)).collect(),
            system: shaped.system,
            messages: shaped.messages,
            budget,
        })
    }
}

impl AssembleItem {
    fn new(item: AssembledItem, conversation: &str) -> Self {
        let tokens = item.token_count().0;
        let heading = item.render_heading();
        // A quotation of the past is never an instruction, so it comes under the user's role.
        let role = MessageRole::User.as_str();
        match item {
            AssembledItem::Message(message) => Self {
                kind: "message",
                id: message.id.to_string(),
                role: message.body.role.as_str(),
                text: message.body.content(),
                tokens,
                heading,
            },
            AssembledItem::Summary { summary, text, .. } => {
                Self { kind: "summary", id: summary.id.to_string(), role, text, tokens, heading }
            }
            AssembledItem::Thread { text, .. } => {
                Self { kind: "thread", id: conversation.to_owned(), role, text, tokens, heading }
            }
            AssembledItem::Gap { text, .. } => {
                Self { kind: "gap", id: conversation.to_owned(), role, text, tokens, heading }
            }
            AssembledItem::Facts { text, .. } => {
                Self { kind: "facts", id: conversation.to_owned(), role, text, tokens, heading }
            }
        }
    }
}

impl AssembleOmission {
    fn to_text(&self) -> String {
        let expand = self.summary_id.as_ref().map(|id| format!(" (expand {id})")).unwrap_or_default();
        format!("messages {}-{}{expand}", self.first_seq, self.last_seq)
    }
}

impl OperationReply for AssembleReply {
    fn to_text(&self) -> String {
        text::render_items(&self.items, &self.omitted, self.budget)
    }

    fn command_exit(&self) -> CommandExit {
        if self.items.is_empty() { CommandExit::NothingFound } else { CommandExit::Ok }
    }
}
