//! The `recall` operation (command, MCP tool, HTTP route): its parameters and its reply; the engine makes the answer.
//! It answers a question with messages of earlier conversations, verbatim.

use crate::ops::filters::{FilteredQuery, parse_filters};
use crate::ops::time_bounds::TimeBound;
use crate::ops::{
    CommandExit, CommandGroup, DataSource, MeasureKind, Operation, OperationCall, OperationKind, OperationReply,
    render_count, round_hundredths,
};
use clap::{Args, ValueEnum};
use engine::{BudgetWriter, RecallScope, RecalledMessage, RecalledNeighbour};
use model::{MessageRole, TokenCount};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) struct RecallOperation;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct RecallParams {
    /// What to look for: a question, words, identifiers; `role:`, `since:` and `until:` narrow it
    query: String,
    /// Only this conversation, by name or id, or `latest`
    #[arg(long, conflicts_with = "within")]
    conversation: Option<String>,
    /// Which conversations to search
    #[arg(long, value_enum, default_value = "all")]
    #[serde(default)]
    within: RecallScopeParam,
    /// Only what these summaries cover, by id
    #[arg(long = "summary", value_name = "SUMMARY", conflicts_with_all = ["conversation", "within"])]
    #[serde(default)]
    summaries: Vec<String>,
    /// Only messages of this role
    #[arg(long, value_enum)]
    role: Option<RecallRole>,
    /// Only messages from this time on: a day, or RFC 3339
    #[arg(long)]
    since: Option<String>,
    /// Only messages up to this time
    #[arg(long)]
    until: Option<String>,
    /// Most results to return
    #[arg(long, default_value_t = 10)]
    #[serde(default = "default_limit")]
    limit: u32,
    /// Most tokens to return (default: no bound but `limit`)
    #[arg(long)]
    budget: Option<u32>,
    /// Show what each score is made of
    #[arg(long)]
    #[serde(default)]
    explain: bool,
}

fn default_limit() -> u32 {
    10
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
enum RecallScopeParam {
    /// All of them
    #[default]
    All,
    /// Those of the project
    Project,
}

#[derive(Clone, Copy, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
enum RecallRole {
    System,
    User,
    Assistant,
    Tool,
}

impl From<RecallRole> for MessageRole {
    fn from(role: RecallRole) -> Self {
        match role {
            RecallRole::System => Self::System,
            RecallRole::User => Self::User,
            RecallRole::Assistant => Self::Assistant,
            RecallRole::Tool => Self::Tool,
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct RecallReply {
    /// Best first
    results: Vec<RecallHit>,
    /// Tokens of all results
    tokens: u32,
    /// How many more messages matched
    omitted: u64,
    /// Matches that say word for word what a better one says, left out
    #[serde(skip_serializing_if = "is_zero")]
    repeated: u64,
    /// What did not run, or that nothing matched and these are the newest messages
    degraded: Vec<String>,
    #[serde(skip)]
    budget: Option<TokenCount>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape serde asks for")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

#[derive(Serialize, JsonSchema)]
struct RecallHit {
    message_id: String,
    conversation_id: String,
    role: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    speaker: Option<String>,
    /// Comparable within one reply only
    score: f64,
    /// Verbatim; `source` says which bytes where it is not all
    text: String,
    /// When it happened, in its source's words
    at: Option<String>,
    /// `conversation#seq`, and `:start-end/bytes` where only those bytes of the content are shown
    source: String,
    why: String,
    /// Messages beside it that hold words it lacks
    #[serde(skip_serializing_if = "Vec::is_empty")]
    neighbours: Vec<RecallNeighbour>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parts: Option<RecallScoreParts>,
    #[serde(skip)]
    heading: String,
    #[serde(skip)]
    body: String,
}

#[derive(Serialize, JsonSchema)]
struct RecallNeighbour {
    message_id: String,
    role: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    speaker: Option<String>,
    text: String,
    source: String,
}

/// The last six add up to the score; the first three are the points behind `lexical`
#[derive(Serialize, JsonSchema)]
struct RecallScoreParts {
    words: f64,
    length: f64,
    speaker: f64,
    lexical: f64,
    meaning: f64,
    time: f64,
    rule: f64,
    session: f64,
    summary: f64,
}

impl Operation for RecallOperation {
    const NAME: &'static str = "recall";
    const SUMMARY: &'static str =
        "Answer a question with what was said in conversations, verbatim and with message ids";
    const KIND: OperationKind = OperationKind::Read;
    const READS: DataSource = DataSource::Conversations;
    const GROUP: CommandGroup = CommandGroup::Memory;
    const MEASURE: MeasureKind = MeasureKind::Search;
    const HELP: &'static str = "\
Finds what was said by words and by meaning, and quotes it word for word with its id. `epitome expand ID` shows the \
messages around it. Exit status 3: nothing fits.

Examples:
  epitome recall \"which port does the proxy use\" --within project
  epitome recall \"decisions about retries\" --since 2026-01-01 --role user";
    type Params = RecallParams;
    type Reply = RecallReply;

    async fn run(call: &OperationCall<'_>, params: RecallParams) -> Result<RecallReply, engine::Error> {
        let FilteredQuery { query, said, .. } = parse_filters(&params.query)?;
        let request = engine::RecallRequest {
            query,
            scope: match (params.conversation, params.within) {
                // Named summaries narrow more than a conversation, so they win.
                _ if !params.summaries.is_empty() => RecallScope::Summaries(params.summaries),
                (Some(conversation), _) => RecallScope::Conversation(conversation),
                (None, RecallScopeParam::Project) => RecallScope::Project,
                (None, RecallScopeParam::All) => RecallScope::Everywhere,
            },
            // A parameter wins over a filter that is written into the question.
            role: params.role.map(MessageRole::from).or(said.role),
            since: TimeBound::Since.parse(params.since)?.or(said.since),
            until: TimeBound::Until.parse(params.until)?.or(said.until),
            limit: params.limit,
            budget: params.budget.map(TokenCount),
            initiative: engine::CallInitiative::User,
        };
        let reply = call.engine.recall_messages(call.project, request).await?;
        Ok(RecallReply {
            results: reply.results.into_iter().map(|result| RecallHit::new(result, params.explain)).collect(),
            tokens: reply.tokens.0,
            omitted: reply.omitted,
            repeated: reply.repeated,
            degraded: reply.degraded,
            budget: params.budget.map(TokenCount),
        })
    }
}

impl RecallHit {
    fn new(result: RecalledMessage, explain: bool) -> Self {
        let parts = &result.parts;
        let parts = explain.then(|| RecallScoreParts {
            words: round_hundredths(parts.words),
            length: round_hundredths(parts.length),
            speaker: round_hundredths(parts.speaker),
            lexical: round_hundredths(parts.lexical),
            meaning: round_hundredths(parts.meaning),
            time: round_hundredths(parts.time),
            rule: round_hundredths(parts.rule),
            session: round_hundredths(parts.session),
            summary: round_hundredths(parts.summary),
        });
        let neighbour = |neighbour: &RecalledNeighbour| RecallNeighbour {
            message_id: neighbour.message.id.to_string(),
            role: neighbour.message.body.role.as_str(),
            speaker: neighbour.message.body.speaker.clone(),
            text: neighbour.text.clone(),
            source: result.source_of(neighbour),
        };
        Self {
            message_id: result.message.id.to_string(),
            conversation_id: result.message.conversation.to_string(),
            role: result.message.body.role.as_str(),
            score: round_hundredths(result.score),
            source: result.source_citation(),
            heading: result.render_heading(),
            body: result.render_body(),
            neighbours: result.neighbours.iter().map(neighbour).collect(),
            text: result.text,
            speaker: result.message.body.speaker,
            at: result.message.body.at.map(|at| at.display_text()),
            why: result.why,
            parts,
        }
    }
}

impl OperationReply for RecallReply {
    fn to_text(&self) -> String {
        let mut page = BudgetWriter::new(self.budget);
        // Notes about a degraded search come first: a result that looks complete and is not misleads.
        let notes = self.degraded.iter().filter(|reason| !page.add(&format!("{reason}\n\n"), FOOTER)).count();
        let hits = self.results.iter().filter(|hit| !page.add(&hit.to_text(), FOOTER)).count();
        let omitted = self.omitted + hits as u64;
        if self.results.is_empty() && self.degraded.is_empty() && omitted == 0 {
            return "nothing found\n".to_owned();
        }
        let mut below = Vec::new();
        if omitted > 0 {
            let how = if self.budget.is_some() { "the limit or the budget" } else { "the limit" };
            below.push(format!("… and {} more: raise {how} to see them", render_count(omitted, "message")));
        }
        if self.repeated > 0 {
            below.push(format!("{} said the same", render_count(self.repeated, "message")));
        }
        if notes > 0 {
            below.push(format!("{} left out", render_count(notes as u64, "note")));
        }
        if !below.is_empty() {
            page.add(&format!("{}\n", below.join("; ")), TokenCount(0));
        }
        page.finish()
    }

    fn command_exit(&self) -> CommandExit {
        if self.results.is_empty() { CommandExit::NothingFound } else { CommandExit::Ok }
    }
}

/// What the line below the results costs at most.
const FOOTER: TokenCount = TokenCount(24);

impl RecallHit {
    fn to_text(&self) -> String {
        let score = self.parts.as_ref().map(|parts| {
            format!(
                "score {}: lexical {} (words {}, length {}, speaker {}), meaning {}, time {}, rule {}, session {}, \
                 summary {}\n",
                self.score,
                parts.lexical,
                parts.words,
                parts.length,
                parts.speaker,
                parts.meaning,
                parts.time,
                parts.rule,
                parts.session,
                parts.summary
            )
        });
        format!("{}{}{}", self.heading, score.unwrap_or_default(), self.body)
    }
}
