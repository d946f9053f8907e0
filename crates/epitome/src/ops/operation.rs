//! The trait of an operation (`Operation`: name, parameters, reply, kind), and its object-safe form without types
//! (`AnyOperation`), so that command line, MCP and HTTP can hold a list of operations.

use super::style::TextStyle;
use super::text_layout::wrap_report;
use crate::booking::describe_reply;
use crate::compose::{OtherProjects, ReachedProject};
use crate::config::Config;
use crate::transcripts::LocalTranscripts;
use async_trait::async_trait;
use clap::{ArgMatches, Args, FromArgMatches};
use engine::{CallFacts, Engine, Observer, Project, SeenFinder, SeenReport};
use futures::FutureExt;
use schemars::JsonSchema;
use schemars::generate::{Contract, SchemaSettings};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::borrow::Cow;
use std::future::Future;
use std::marker::PhantomData;
use std::panic::AssertUnwindSafe;

/// What an operation does to what is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OperationKind {
    /// Nothing anyone could notice: the index may be refreshed.
    Read,
    /// Refreshes what can be rebuilt; repeating it changes nothing.
    Refresh,
    /// Adds to what is kept.
    Write,
}

/// The argument that names a project, on a command that takes one without `--project`.
pub(crate) const PROJECT_PATH: &str = "project_path";

/// Which stored data an operation answers from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DataSource {
    Code,
    Conversations,
    Both,
}

impl DataSource {
    /// Whether records of hooks that wait in the spool belong to the answer.
    pub(crate) fn has_conversations(self) -> bool {
        matches!(self, Self::Conversations | Self::Both)
    }
}

/// Under which heading `epitome --help` lists a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CommandGroup {
    /// Questions about code and conversations.
    Ask,
    /// What is kept of conversations and for later sessions.
    Remember,
    /// How everything stands, and what keeps it well.
    LookAfter,
    /// Agents, editors and other programs.
    Connect,
    /// What other programs call.
    Plumbing,
}

impl CommandGroup {
    /// Every group with its heading, in the order in which help shows them.
    pub(crate) const ALL: [(Self, &'static str); 5] = [
        (Self::Ask, "Ask"),
        (Self::Remember, "Remember"),
        (Self::LookAfter, "Look after"),
        (Self::Connect, "Connect"),
        (Self::Plumbing, "Plumbing"),
    ];
}

/// What a serving process counts of an operation besides its requests and their time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MeasureKind {
    /// Nothing more.
    Requests,
    /// Time, among those of searches.
    Search,
    /// Time, among those of expansions.
    Expansion,
    /// The tokens of the context that it assembled.
    Assembly,
    /// The summaries that it made.
    Compaction,
}

/// What a caller brings besides parameters.
pub(crate) struct OperationCall<'a> {
    pub(crate) engine: &'a Engine,
    pub(crate) project: &'a Project,
    pub(crate) config: &'a Config,
    /// What there is to import on this machine; not for callers from elsewhere.
    pub(crate) transcripts: Option<&'a LocalTranscripts>,
    /// The other projects that a question may name.
    pub(crate) others: &'a OtherProjects,
    pub(crate) observer: &'a dyn Observer,
    /// Who knows what the caller's model has in its context for certain: nobody but over MCP.
    pub(crate) seen: SeenFinder,
}

impl OperationCall<'_> {
    /// A conversation as the caller names it: `latest` and `current` are those of the project.
    pub(crate) fn conversation_name(&self, name: &str) -> String {
        engine::name_in_project(self.project, name)
    }

    /// The projects that a question is asked about: this one, or those that it names.
    pub(crate) async fn reach_projects(&self, names: &[String]) -> Result<Vec<ReachedProject>, engine::Error> {
        if names.is_empty() {
            return Ok(vec![ReachedProject { name: None, project: self.project.clone(), engine: None }]);
        }
        let selected = self.engine.select_projects(self.project, names, self.others.reach()).await?;
        let reached = selected.into_iter().map(|it| {
            let is_own = it.project == *self.project;
            let engine = if is_own { None } else { Some(self.others.open(self.engine, &it)?) };
            Ok(ReachedProject { name: Some(it.name), project: it.project, engine })
        });
        reached.collect()
    }

    /// The same as the engine asks them.
    pub(crate) fn ask<'r>(&'r self, reached: &'r [ReachedProject]) -> Vec<engine::AskedProject<'r>> {
        let asked = |it: &'r ReachedProject| engine::AskedProject {
            name: it.name.as_deref(),
            project: &it.project,
            engine: it.engine.as_deref().unwrap_or(self.engine),
        };
        reached.iter().map(asked).collect()
    }
}

/// How a command ends when nothing failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CommandExit {
    Ok,
    /// Some of the input was refused; the rest was done.
    Refused,
    NothingFound,
    Integrity,
}

/// A reply: a wire type that can also be read by people.
pub(crate) trait OperationReply: Serialize + JsonSchema + Send {
    /// The reply as compact text: what the terminal shows, and what an agent without structured content reads.
    fn to_text(&self) -> String;

    /// The same for a person at a terminal that can show more than text, with nothing in it that the terminal would obey
    /// but what is ours; `None` where the text is all there is.
    fn to_styled_text(&self, style: &TextStyle) -> Option<String> {
        let _ = style;
        None
    }

    /// Whether the text is a report in rows, whose long lines a terminal shows wrapped below where their value begins.
    fn is_report(&self) -> bool {
        false
    }

    /// Whether the text holds contents to the byte, which no character of may be written in another way.
    fn is_exact(&self) -> bool {
        false
    }

    /// Tokens of the files that were asked for, as they are; for operations that show files.
    fn original_tokens(&self) -> Option<u64> {
        None
    }

    /// Which texts of files the caller now has, and which it was not sent again.
    fn seen_report(&self) -> SeenReport {
        SeenReport::default()
    }

    /// How the command ends.
    fn command_exit(&self) -> CommandExit {
        CommandExit::Ok
    }
}

/// One thing Epitome can be asked to do.
pub(crate) trait Operation: Send + Sync + 'static {
    /// The name at every door.
    const NAME: &'static str;
    /// One line: imperative, no period.
    const SUMMARY: &'static str;
    /// What it does to what is stored.
    const KIND: OperationKind;
    /// Which stored data it answers from.
    const READS: DataSource;
    /// Where `epitome --help` lists it.
    const GROUP: CommandGroup;
    /// What is counted of it.
    const MEASURE: MeasureKind = MeasureKind::Requests;
    /// What its summary does not say, and examples: the end of its `--help`.
    const HELP: &'static str;
    /// Whether the command line adds `elapsed_ms` to the reply. Never at the other doors: replies to agents carry no
    /// value that differs between equal requests.
    const TIMED: bool = false;
    /// Flat parameters: scalars, enums, lists of scalars.
    type Params: DeserializeOwned + JsonSchema + Args + Send;
    /// The wire type of the reply.
    type Reply: OperationReply;

    /// Adds the arguments that only the command line has.
    fn extend_command(command: clap::Command) -> clap::Command {
        command
    }

    /// Calls the engine once.
    fn run(
        call: &OperationCall<'_>,
        params: Self::Params,
    ) -> impl Future<Output = Result<Self::Reply, engine::Error>> + Send;
}

/// Why an operation gave no reply.
#[derive(Debug)]
pub(crate) enum OperationFailure {
    /// The parameters do not have the right shape.
    Shape { reason: String },
    /// The engine said no.
    Engine(engine::Error),
    /// It panicked; the process lives on.
    Panicked,
}

/// A reply without its type.
#[derive(Debug)]
pub(crate) struct OperationAnswer {
    pub(crate) json: Value,
    pub(crate) text: String,
    pub(crate) exit: CommandExit,
    /// Whether the text would be exact somewhere else than on a terminal, which must not obey it.
    pub(crate) is_escaped: bool,
    /// What the ledger is told of it.
    pub(crate) facts: CallFacts,
}

/// An operation without its types.
#[async_trait]
pub(crate) trait AnyOperation: Send + Sync {
    fn name(&self) -> &'static str;
    fn summary(&self) -> &'static str;
    fn kind(&self) -> OperationKind;
    fn data_source(&self) -> DataSource;
    fn command_group(&self) -> CommandGroup;
    fn measure_kind(&self) -> MeasureKind;
    fn is_timed(&self) -> bool;
    fn params_schema(&self) -> Value;
    fn reply_schema(&self) -> Value;
    fn build_command(&self) -> clap::Command;
    async fn run_matches(
        &self,
        call: &OperationCall<'_>,
        matches: &ArgMatches,
        style: &TextStyle,
    ) -> Result<OperationAnswer, OperationFailure>;
    async fn run_json(&self, call: &OperationCall<'_>, params: Value) -> Result<OperationAnswer, OperationFailure>;
}

/// Makes an operation into a value that can stand in a list.
pub(crate) struct ErasedOperation<O>(PhantomData<fn() -> O>);

impl<O> ErasedOperation<O> {
    pub(crate) const NEW: Self = Self(PhantomData);
}

#[async_trait]
impl<O: Operation> AnyOperation for ErasedOperation<O> {
    fn name(&self) -> &'static str {
        O::NAME
    }

    fn summary(&self) -> &'static str {
        O::SUMMARY
    }

    fn kind(&self) -> OperationKind {
        O::KIND
    }

    fn data_source(&self) -> DataSource {
        O::READS
    }

    fn command_group(&self) -> CommandGroup {
        O::GROUP
    }

    fn measure_kind(&self) -> MeasureKind {
        O::MEASURE
    }

    fn is_timed(&self) -> bool {
        O::TIMED
    }

    fn params_schema(&self) -> Value {
        schema_of::<O::Params>(Contract::Deserialize)
    }

    fn reply_schema(&self) -> Value {
        schema_of::<O::Reply>(Contract::Serialize)
    }

    fn build_command(&self) -> clap::Command {
        let command = clap::Command::new(O::NAME).about(O::SUMMARY).after_help(O::HELP);
        O::extend_command(O::Params::augment_args(command))
    }

    async fn run_matches(
        &self,
        call: &OperationCall<'_>,
        matches: &ArgMatches,
        style: &TextStyle,
    ) -> Result<OperationAnswer, OperationFailure> {
        let params = O::Params::from_arg_matches(matches)
            .map_err(|error| OperationFailure::Shape { reason: error.to_string() })?;
        run_operation::<O>(call, params, style).await
    }

    async fn run_json(&self, call: &OperationCall<'_>, params: Value) -> Result<OperationAnswer, OperationFailure> {
        run_operation::<O>(call, decode_params(params)?, &TextStyle::default()).await
    }
}

async fn run_operation<O: Operation>(
    call: &OperationCall<'_>,
    params: O::Params,
    style: &TextStyle,
) -> Result<OperationAnswer, OperationFailure> {
    let work = async {
        let reply = O::run(call, params).await.map_err(OperationFailure::Engine)?;
        let json =
            serde_json::to_value(&reply).map_err(|error| OperationFailure::Shape { reason: error.to_string() })?;
        let (text, is_escaped) = render_reply(&reply, style);
        let mut facts = describe_reply(O::NAME, &json, reply.original_tokens(), &call.project.root);
        facts.note_seen(reply.seen_report());
        Ok(OperationAnswer { json, text, exit: reply.command_exit(), is_escaped, facts })
    };
    // A panic is one failed request, not a dead server.
    AssertUnwindSafe(work).catch_unwind().await.unwrap_or(Err(OperationFailure::Panicked))
}

/// The text of a reply, and whether it had to be written differently from what is exact. Here, for all doors, foreign text
/// loses what a terminal obeys and what no reader sees.
fn render_reply(reply: &impl OperationReply, style: &TextStyle) -> (String, bool) {
    if let Some(styled) = reply.to_styled_text(style) {
        return (styled, false);
    }
    let text = reply.to_text();
    if reply.is_exact() && !style.is_terminal {
        return (text, false);
    }
    if let (true, Some(columns)) = (reply.is_report(), style.columns) {
        return (wrap_report(&model::show_text(&text), columns), false);
    }
    match model::show_text(&text) {
        Cow::Borrowed(_) => (text, false),
        Cow::Owned(shown) => (shown, reply.is_exact()),
    }
}

/// Reads parameters, naming the one that has the wrong shape.
fn decode_params<T: DeserializeOwned>(params: Value) -> Result<T, OperationFailure> {
    serde_path_to_error::deserialize(params).map_err(|error| {
        let path = error.path().to_string();
        let cause = error.inner().to_string();
        // Some causes name the parameter themselves, and twice would read badly.
        let named = path == "." || cause.contains(&format!("`{path}`"));
        OperationFailure::Shape { reason: if named { cause } else { format!("`{path}`: {cause}") } }
    })
}

/// A schema as clients like it: no `$schema` line, no Rust number formats, no titles that repeat names. What a reply may
/// leave out is not required of it: some clients refuse a reply that is not as declared.
fn schema_of<T: JsonSchema>(contract: Contract) -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.contract = contract;
        // Some clients do not follow `$ref`, so every schema stands where it is used.
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    tidy_schema(&mut schema);
    schema
}

fn tidy_schema(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            if map.get("title").is_some_and(Value::is_string) {
                map.shift_remove("title");
            }
            // `uint32` and the like are formats of Rust's generator, which strict clients refuse.
            if map.get("format").and_then(Value::as_str).is_some_and(|format| {
                format.starts_with("uint") || format.starts_with("int") || matches!(format, "float" | "double")
            }) {
                map.shift_remove("format");
            }
            map.values_mut().for_each(tidy_schema);
        }
        Value::Array(items) => items.iter_mut().for_each(tidy_schema),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
