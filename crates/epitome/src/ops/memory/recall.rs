//! The `recall` operation (command, MCP tool, HTTP route): its parameters and its reply; the engine makes the answer.
//! It answers a question with messages of earlier conversations, verbatim.

use super::memory_line::MemoryLine;
use crate::ops::filters::{FilteredQuery, parse_filters};
use crate::ops::search_scope::WithinParam;
use crate::ops::time_bounds::TimeBound;
use crate::ops::{
    CommandExit, CommandGroup, DataSource, MeasureKind, Operation, OperationCall, OperationKind, OperationReply,
    render_count, round_hundredths,
};
use clap::{Args, ValueEnum};
use engine::{
    BudgetWriter, LayeredQuery, LayeredRecall, MemoryLookup, RULES_HEADING, RecallScope, RecalledMessage,
    RecalledNeighbour, RecalledRule, RecalledThread, ThreadStep, WrittenAnswer,
};
use model::{MessageRole, TokenCount, show_quoted};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) struct RecallOperation;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct RecallParams {
    /// A question, words or identifiers
    query: String,
    /// Name, id or `latest`
    #[arg(long)]
    conversation: Option<String>,
    /// Where to search
    #[arg(long, value_enum, default_value = "project")]
    #[serde(default)]
    within: WithinParam,
    /// Only what these summaries cover
    #[arg(long = "summary", value_name = "SUMMARY", conflicts_with = "conversation")]
    #[serde(default)]
    summaries: Vec<String>,
    /// Only of this role
    #[arg(long, value_enum)]
    role: Option<RecallRole>,
    /// Only from this time on: a day, or RFC 3339
    #[arg(long)]
    since: Option<String>,
    /// Only up to this time
    #[arg(long)]
    until: Option<String>,
    /// Most results
    #[arg(long, default_value_t = 10)]
    #[serde(default = "default_limit")]
    limit: u32,
    /// Most tokens
    #[arg(long)]
    budget: Option<u32>,
    /// `messages` or `memories`
    #[arg(long = "layer", value_name = "LAYER")]
    #[serde(default)]
    layers: Vec<String>,
    /// Tags of memories
    #[arg(long = "tag", value_name = "TAG")]
    #[serde(default)]
    tags: Vec<String>,
    /// Have a model write the answer
    #[arg(long)]
    #[serde(default)]
    answer: bool,
    /// Show parts of scores
    #[arg(long)]
    #[serde(default)]
    explain: bool,
    /// Take messages that share no word with the question and are only near in meaning as an answer (exit status 0)
    #[arg(long)]
    // It decides the exit status only, which programs and agents do not see.
    #[serde(skip)]
    near: bool,
}

fn default_limit() -> u32 {
    10
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
    /// What is remembered about it, best first
    memories: Vec<MemoryLine>,
    /// What was written, where that was asked for
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<RecallAnswer>,
    /// Tokens of all results
    tokens: u32,
    /// How many more messages matched
    omitted: u64,
    /// Matches that say word for word what a better one says, left out
    #[serde(skip_serializing_if = "is_zero")]
    repeated: u64,
    /// Matches that answer nothing, left out: they only ask, or only say what comes next
    #[serde(skip_serializing_if = "is_zero")]
    unanswering: u64,
    /// What did not run, or that nothing matched and these are the newest messages, or are only near in meaning
    degraded: Vec<String>,
    /// Standing rules that concern the question and are no results themselves
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rules: Vec<RecallRule>,
    /// For a question for a list, an order, a summary or what is next: the course of a conversation
    #[serde(skip_serializing_if = "Option::is_none")]
    thread: Option<RecallThread>,
    #[serde(skip)]
    budget: Option<TokenCount>,
    /// Whether the results are an answer, for the exit status
    #[serde(skip)]
    is_answer: bool,
}

#[derive(Serialize, JsonSchema)]
struct RecallAnswer {
    /// By the model; absent where none is configured or none wrote what the messages support
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    /// Messages that it rests on
    cited: Vec<String>,
    /// Summaries that were expanded to them
    summaries: Vec<String>,
    /// Tokens of messages that were read
    source_tokens: u32,
    /// Whether the text was cut, or matches were left out
    truncated: bool,
}

impl From<WrittenAnswer> for RecallAnswer {
    fn from(answer: WrittenAnswer) -> Self {
        Self {
            text: answer.text,
            model: answer.model,
            cited: answer.cited.iter().map(ToString::to_string).collect(),
            summaries: answer.summaries.iter().map(ToString::to_string).collect(),
            source_tokens: answer.source_tokens.0,
            truncated: answer.is_truncated,
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct RecallRule {
    message_id: String,
    text: String,
    source: String,
    #[serde(skip)]
    line: String,
}

impl From<RecalledRule> for RecallRule {
    fn from(rule: RecalledRule) -> Self {
        Self {
            message_id: rule.message.id.to_string(),
            source: rule.source_citation(),
            line: rule.render_line(),
            text: rule.text,
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct RecallThread {
    conversation: String,
    /// The summary that covers most of it
    #[serde(skip_serializing_if = "Option::is_none")]
    summary_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
    /// In the order they were said
    steps: Vec<RecallThreadStep>,
    #[serde(skip)]
    rendered: String,
}

#[derive(Serialize, JsonSchema)]
struct RecallThreadStep {
    message_id: String,
    seq: u64,
    role: &'static str,
    /// Its beginning
    text: String,
}

impl From<RecalledThread> for RecallThread {
    fn from(thread: RecalledThread) -> Self {
        let rendered = thread.render_text();
        let step = |step: ThreadStep| RecallThreadStep {
            message_id: step.message.id.to_string(),
            seq: step.message.seq,
            role: step.message.body.role.as_str(),
            text: step.text,
        };
        Self {
            conversation: thread.conversation,
            summary_id: thread.digest.as_ref().map(|digest| digest.id.to_string()),
            digest: thread.digest.map(|digest| digest.content),
            steps: thread.steps.into_iter().map(step).collect(),
            rendered,
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct RecallFact {
    id: String,
    kind: &'static str,
    /// Whether nothing took it back and nothing came in its place
    holds: bool,
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
    /// The decision, rule or correction it states, where the question asks for a decision
    #[serde(skip_serializing_if = "Option::is_none")]
    fact: Option<RecallFact>,
    /// Messages beside it that hold words it lacks, and its reply where that lifted it
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

/// The last ten add up to the score; the first four are the points behind `lexical`
#[derive(Serialize, JsonSchema)]
struct RecallScoreParts {
    words: f64,
    length: f64,
    speaker: f64,
    reply: f64,
    lexical: f64,
    meaning: f64,
    time: f64,
    moment: f64,
    rule: f64,
    session: f64,
    opener: f64,
    part: f64,
    decision: f64,
    summary: f64,
}

impl Operation for RecallOperation {
    const NAME: &'static str = "recall";
    const SUMMARY: &'static str = "Answer a question with what was said, verbatim and with message ids";
    const KIND: OperationKind = OperationKind::Read;
    const READS: DataSource = DataSource::Conversations;
    const GROUP: CommandGroup = CommandGroup::Ask;
    const MEASURE: MeasureKind = MeasureKind::Search;
    const HELP: &'static str = "\
Finds what was said by words and by meaning, and quotes it word for word with its id. `epitome expand ID` shows the \
messages around it; `role:`, `since:` and `until:` in the question narrow it. `--answer` has the configured model \
write an answer from what was found, within the budget, with the ids of its messages. A question for a list, an \
order, a summary or what is next also gets the course of a conversation. Exit status 3: nothing fits, or no word of \
the question was said (`--near` takes what is near in meaning).

Examples:
  epitome recall \"which port does the proxy use\" --within all
  epitome recall \"decisions about retries\" --since 2026-01-01 --role user";
    type Params = RecallParams;
    type Reply = RecallReply;

    async fn run(call: &OperationCall<'_>, params: RecallParams) -> Result<RecallReply, engine::Error> {
        let FilteredQuery { query, said, .. } = parse_filters(&params.query)?;
        let layers = RecallLayers::parse(&params.layers)?;
        let request = engine::RecallRequest {
            query,
            scope: match (params.conversation, params.within) {
                // Named summaries narrow more than a conversation, so they win.
                _ if !params.summaries.is_empty() => RecallScope::Summaries(params.summaries),
                (Some(name), within) => RecallScope::Conversation(within.conversation_name(call, name)),
                (None, WithinParam::Project) => RecallScope::Project,
                (None, WithinParam::All) => RecallScope::Everywhere,
            },
            // A parameter wins over a filter that is written into the question.
            role: params.role.map(MessageRole::from).or(said.role),
            since: TimeBound::Since.parse(params.since)?.or(said.since),
            until: TimeBound::Until.parse(params.until)?.or(said.until),
            limit: params.limit,
            budget: params.budget.map(TokenCount),
            initiative: engine::CallInitiative::User,
        };
        let mut question = layers.build_query(request, params.tags);
        question.writes_answer = params.answer;
        let LayeredRecall { messages: reply, memories, answer } =
            call.engine.recall_layers(call.project, question).await?;
        let is_answer = params.near || !reply.is_only_near;
        Ok(RecallReply {
            memories: memories.iter().map(|found| MemoryLine::new(&found.memory, None)).collect(),
            results: reply.results.into_iter().map(|result| RecallHit::new(result, params.explain)).collect(),
            answer: answer.map(RecallAnswer::from),
            tokens: reply.tokens.0,
            omitted: reply.omitted,
            repeated: reply.repeated,
            unanswering: reply.unanswering,
            degraded: reply.degraded,
            rules: reply.rules.into_iter().map(RecallRule::from).collect(),
            thread: reply.thread.map(RecallThread::from),
            budget: params.budget.map(TokenCount),
            is_answer,
        })
    }
}

/// Which layers are asked.
struct RecallLayers {
    messages: bool,
    memories: bool,
    /// Whether the caller named them.
    is_named: bool,
}

impl RecallLayers {
    fn parse(named: &[String]) -> Result<Self, engine::Error> {
        let mut layers = Self { messages: named.is_empty(), memories: named.is_empty(), is_named: !named.is_empty() };
        for name in named {
            match name.trim().to_lowercase().as_str() {
                "messages" | "episodic" => layers.messages = true,
                "memories" | "promoted" => layers.memories = true,
                _ => {
                    let reason = format!("has `{name}`: there are `messages` and `memories`");
                    return Err(engine::Error::Parameter { field: "layers", reason });
                }
            }
        }
        Ok(layers)
    }

    /// The question to each layer. A question that is narrowed to some messages is none to memories, unless it names them.
    fn build_query(&self, request: engine::RecallRequest, tags: Vec<String>) -> LayeredQuery {
        let is_narrowed = request.role.is_some()
            || request.since.is_some()
            || request.until.is_some()
            || !matches!(request.scope, RecallScope::Everywhere | RecallScope::Project);
        let lookup = MemoryLookup {
            query: request.query.clone(),
            tags,
            everywhere: request.scope == RecallScope::Everywhere,
            limit: if self.is_named { request.limit } else { request.limit.min(MAX_LANE_MEMORIES) },
        };
        let asks_memories = self.memories && (self.is_named || !is_narrowed);
        let memories = asks_memories.then_some(lookup);
        LayeredQuery { messages: self.messages.then_some(request), memories, writes_answer: false }
    }
}

/// How many memories stand beside messages.
const MAX_LANE_MEMORIES: u32 = 3;

impl RecallHit {
    fn new(result: RecalledMessage, explain: bool) -> Self {
        let parts = &result.parts;
        let parts = explain.then(|| RecallScoreParts {
            words: round_hundredths(parts.words),
            length: round_hundredths(parts.length),
            speaker: round_hundredths(parts.speaker),
            reply: round_hundredths(parts.reply),
            lexical: round_hundredths(parts.lexical),
            meaning: round_hundredths(parts.meaning),
            time: round_hundredths(parts.time),
            moment: round_hundredths(parts.moment),
            rule: round_hundredths(parts.rule),
            session: round_hundredths(parts.session),
            opener: round_hundredths(parts.opener),
            part: round_hundredths(parts.part),
            decision: round_hundredths(parts.decision),
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
            fact: result.fact.map(|fact| RecallFact {
                id: fact.id.to_string(),
                kind: fact.kind.as_str(),
                holds: fact.holds(),
            }),
            parts,
        }
    }
}

impl OperationReply for RecallReply {
    fn to_text(&self) -> String {
        if let Some(RecallAnswer { text: Some(text), model: Some(model), cited, .. }) = &self.answer {
            // The messages are cited by id: all of their words beside the answer would be what it is to spare.
            let sources = cited.iter().filter_map(|id| self.results.iter().find(|hit| hit.message_id == *id));
            let sources: String = sources.map(|hit| format!("[{}] {}\n", hit.message_id, hit.source)).collect();
            return format!("{}\n\n{sources}written by {model}\n", show_quoted(text));
        }
        let mut page = BudgetWriter::new(self.budget);
        // Notes about a degraded search come first: a result that looks complete and is not misleads.
        let notes = self.degraded.iter().filter(|reason| !page.add(&format!("{reason}\n\n"), FOOTER)).count();
        // Before the messages: they are three lines at most, and a text that was kept on purpose is likely what is meant.
        let lane = self.render_memories();
        page.add(&lane, FOOTER);
        if let Some(thread) = &self.thread {
            page.add(&thread.rendered, FOOTER);
        }
        let hits = self.results.iter().filter(|hit| !page.add(&hit.to_text(), FOOTER)).count();
        let omitted = self.omitted + hits as u64;
        let unsaid = self.memories.len() - lane.lines().filter(|line| line.starts_with("- ")).count();
        let is_empty = self.results.is_empty() && self.memories.is_empty() && self.thread.is_none();
        if is_empty && self.degraded.is_empty() && omitted == 0 {
            page.add("nothing found\n", FOOTER);
        }
        if !self.rules.is_empty() {
            let rules: String = self.rules.iter().map(|rule| rule.line.as_str()).collect();
            page.add(&format!("{RULES_HEADING}{rules}\n"), FOOTER);
        }
        let mut below = Vec::new();
        if omitted > 0 {
            let how = if self.budget.is_some() { "the limit or the budget" } else { "the limit" };
            below.push(format!("… and {} more: raise {how} to see them", render_count(omitted, "message")));
        }
        if self.repeated > 0 {
            below.push(format!("{} said the same", render_count(self.repeated, "message")));
        }
        if self.unanswering > 0 {
            below.push(format!("{} left out as no answer", render_count(self.unanswering, "message")));
        }
        if unsaid > 0 {
            below.push(format!("{} that it is remembered by left out", render_count(unsaid as u64, "text")));
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
        let is_said = (!self.results.is_empty() || self.thread.is_some()) && self.is_answer;
        if is_said || !self.memories.is_empty() { CommandExit::Ok } else { CommandExit::NothingFound }
    }
}

impl RecallReply {
    /// The memories under their heading: as many as fit a quarter of the budget.
    fn render_memories(&self) -> String {
        let room = self.budget.map(|budget| TokenCount(budget.0 / 4));
        let mut lane = BudgetWriter::new(room);
        if !self.memories.is_empty() && lane.add("Remembered:\n", TokenCount(0)) {
            for memory in &self.memories {
                lane.add(&memory.to_short_text(), TokenCount(0));
            }
        }
        let text = lane.finish();
        if text.contains("\n- ") { format!("{text}\n") } else { String::new() }
    }
}

/// What the line below the results costs at most.
const FOOTER: TokenCount = TokenCount(24);

impl RecallHit {
    fn to_text(&self) -> String {
        let score = self.parts.as_ref().map(|parts| {
            format!(
                "score {}: lexical {} (words {}, length {}, speaker {}, reply {}), meaning {}, time {}, moment {}, \
                 rule {}, session {}, opener {}, part {}, decision {}, summary {}\n",
                self.score,
                parts.lexical,
                parts.words,
                parts.length,
                parts.speaker,
                parts.reply,
                parts.meaning,
                parts.time,
                parts.moment,
                parts.rule,
                parts.session,
                parts.opener,
                parts.part,
                parts.decision,
                parts.summary
            )
        });
        format!("{}{}{}", self.heading, score.unwrap_or_default(), self.body)
    }
}
