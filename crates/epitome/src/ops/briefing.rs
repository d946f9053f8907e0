//! `briefing`: one page about the project.

use super::{Call, CommandGroup, DataSource, Kind, Operation, Reply};
use clap::Args;
use model::Tokens;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) struct Briefing;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
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
    languages: Vec<Language>,
    /// Where it starts to run
    entry_points: Vec<EntryPoint>,
    /// What most of it leans on
    central: Vec<Central>,
    /// How it is built, tested and run, as its files say
    commands: Vec<Command>,
    /// Files that are tests
    tests: usize,
    tokens: u32,
    #[serde(skip)]
    text: String,
}

#[derive(Serialize, JsonSchema)]
struct Language {
    name: String,
    files: usize,
    lines: u64,
}

#[derive(Serialize, JsonSchema)]
struct EntryPoint {
    id: String,
    why: String,
}

#[derive(Serialize, JsonSchema)]
struct Central {
    path: String,
    defines: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct Command {
    command: String,
    source: String,
}

const BUDGET: u32 = 1_500;

impl Operation for Briefing {
    const NAME: &'static str = "briefing";
    const SUMMARY: &'static str = "Introduce the project on one page";
    const KIND: Kind = Kind::Read;
    const READS: DataSource = DataSource::Code;
    const GROUP: CommandGroup = CommandGroup::Code;
    const HELP: &'static str = "\
One page for somebody new: what the project is, its languages, its central files, how it is built and tested.

Examples:
  epitome briefing
  epitome briefing --budget 500";
    type Params = Params;
    type Reply = BriefingReply;

    async fn run(call: &Call<'_>, params: Params) -> Result<BriefingReply, engine::Error> {
        let request = engine::BriefingRequest { budget: Tokens(params.budget.unwrap_or(BUDGET)) };
        let page = call.engine.briefing(call.project, request).await?;
        let language =
            |share: engine::LanguageShare| Language { name: share.name, files: share.files, lines: share.lines };
        let entry = |entry: engine::EntryPoint| EntryPoint { id: entry.id, why: entry.why };
        let command = |command: engine::Command| Command { command: command.command, source: command.source };
        Ok(BriefingReply {
            about: page.about,
            languages: page.languages.into_iter().map(language).collect(),
            entry_points: page.entries.into_iter().map(entry).collect(),
            central: page.central.into_iter().map(|(path, defines)| Central { path, defines }).collect(),
            commands: page.commands.into_iter().map(command).collect(),
            tests: page.tests,
            tokens: page.tokens.0,
            text: page.text,
        })
    }
}

impl Reply for BriefingReply {
    fn text(&self) -> String {
        if self.text.is_empty() {
            "nothing to introduce: no file of the project is indexed\n".to_owned()
        } else {
            self.text.clone()
        }
    }
}
