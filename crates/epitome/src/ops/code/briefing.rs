//! The `briefing` operation (command, MCP tool, HTTP route): its parameters and its reply; the engine makes the answer.
//! It describes the project on one page: what it is, its languages, its central files, how it is built and tested.

use crate::ops::{CommandGroup, DataSource, Operation, OperationCall, OperationKind, OperationReply};
use clap::Args;
use model::TokenCount;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) struct BriefingOperation;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct BriefingParams {
    /// Tokens of the page (default: 1500)
    #[arg(long)]
    budget: Option<u32>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct BriefingReply {
    /// The first words of the README
    #[serde(skip_serializing_if = "Option::is_none")]
    about: Option<String>,
    /// Most lines first
    languages: Vec<BriefingLanguage>,
    /// Where it starts to run
    entry_points: Vec<BriefingEntryPoint>,
    /// What most of it leans on
    central: Vec<BriefingCentralFile>,
    /// How it is built, tested and run, as its files say
    commands: Vec<BriefingCommand>,
    /// Files that are tests
    tests: usize,
    tokens: u32,
    #[serde(skip)]
    text: String,
}

#[derive(Serialize, JsonSchema)]
struct BriefingLanguage {
    name: String,
    files: usize,
    lines: u64,
}

#[derive(Serialize, JsonSchema)]
struct BriefingEntryPoint {
    id: String,
    why: String,
}

#[derive(Serialize, JsonSchema)]
struct BriefingCentralFile {
    path: String,
    defines: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct BriefingCommand {
    command: String,
    source: String,
}

const DEFAULT_BUDGET: u32 = 1_500;

impl Operation for BriefingOperation {
    const NAME: &'static str = "briefing";
    const SUMMARY: &'static str = "Introduce the project on one page";
    const KIND: OperationKind = OperationKind::Read;
    const READS: DataSource = DataSource::Code;
    const GROUP: CommandGroup = CommandGroup::Ask;
    const HELP: &'static str = "\
One page for somebody new: what the project is, its languages, its central files, how it is built and tested.

Examples:
  epitome briefing
  epitome briefing --budget 500";
    type Params = BriefingParams;
    type Reply = BriefingReply;

    async fn run(call: &OperationCall<'_>, params: BriefingParams) -> Result<BriefingReply, engine::Error> {
        let request = engine::BriefingRequest { budget: TokenCount(params.budget.unwrap_or(DEFAULT_BUDGET)) };
        let page = call.engine.build_briefing(call.project, request).await?;
        let language = |share: engine::LanguageShare| BriefingLanguage {
            name: share.name,
            files: share.files,
            lines: share.lines,
        };
        let entry = |entry: engine::EntryPoint| BriefingEntryPoint { id: entry.id, why: entry.why };
        let command =
            |command: engine::ProjectCommand| BriefingCommand { command: command.command, source: command.source };
        Ok(BriefingReply {
            about: page.about,
            languages: page.languages.into_iter().map(language).collect(),
            entry_points: page.entries.into_iter().map(entry).collect(),
            central: page.central.into_iter().map(|(path, defines)| BriefingCentralFile { path, defines }).collect(),
            commands: page.commands.into_iter().map(command).collect(),
            tests: page.tests,
            tokens: page.tokens.0,
            text: page.text,
        })
    }
}

impl OperationReply for BriefingReply {
    fn to_text(&self) -> String {
        if self.text.is_empty() {
            "nothing to introduce: no file of the project is indexed\n".to_owned()
        } else {
            self.text.clone()
        }
    }
}
