//! The `coverage` operation (command, MCP tool, HTTP route): its parameters and its reply; the engine makes the answer. It
//! says which requirements have code and tests, and which tests have no requirement.

use super::document_wire::{PlaceLine, RequirementLine};
use crate::ops::wire::read_cursor;
use crate::ops::{
    CommandExit, CommandGroup, DataSource, Operation, OperationCall, OperationKind, OperationReply, render_count,
};
use clap::Args;
use engine::{CoverageRequest, Error};
use model::show_name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) struct CoverageOperation;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct CoverageParams {
    /// Only requirements of documents whose path contains this
    path: Option<String>,
    /// Also sentences without a key
    #[arg(long)]
    #[serde(default)]
    sentences: bool,
    /// Only requirements that lack code or tests
    #[arg(long)]
    #[serde(default)]
    missing: bool,
    /// Most requirements, and most tests (default: 50)
    #[arg(long)]
    limit: Option<u32>,
    /// Continue where an earlier reply ended: its `cursor`
    #[arg(long)]
    cursor: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct CoverageReply {
    /// How many requirements were looked at
    total: usize,
    with_code: usize,
    with_tests: usize,
    requirements: Vec<CoverageLine>,
    /// How many more there are; `cursor` continues
    omitted: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
    /// How many tests there are
    tests: usize,
    /// How many of them belong to no requirement
    unbound_tests: usize,
    /// The first of those
    unbound: Vec<UnboundLine>,
}

#[derive(Serialize, JsonSchema)]
struct CoverageLine {
    #[serde(flatten)]
    requirement: RequirementLine,
    path: String,
    code: Vec<PlaceLine>,
    tests: Vec<PlaceLine>,
}

#[derive(Serialize, JsonSchema)]
struct UnboundLine {
    id: String,
    line: u32,
}

const DEFAULT_LIMIT: u32 = 50;

impl Operation for CoverageOperation {
    const NAME: &'static str = "coverage";
    const SUMMARY: &'static str = "Say which requirements have code and tests, and which tests have no requirement";
    const KIND: OperationKind = OperationKind::Read;
    const READS: DataSource = DataSource::Code;
    const GROUP: CommandGroup = CommandGroup::Ask;
    const HELP: &'static str = "\
Code and tests belong to a requirement where a comment, a docstring or the name of a test has its key, and where the \
requirement names them. Tests that call its code are listed with 0.5. Only requirements with a key count, unless \
`--sentences` asks for all. Exit status 3: nothing is required.

Examples:
  epitome coverage
  epitome coverage docs/requirements.md --missing";
    type Params = CoverageParams;
    type Reply = CoverageReply;

    async fn run(call: &OperationCall<'_>, params: CoverageParams) -> Result<CoverageReply, Error> {
        let skip = read_cursor(params.cursor.as_deref())?;
        let request = CoverageRequest {
            path: params.path,
            sentences: params.sentences,
            missing: params.missing,
            skip,
            limit: params.limit.unwrap_or(DEFAULT_LIMIT) as usize,
        };
        let found = call.engine.check_coverage(call.project, request).await?;
        let end = skip + found.requirements.len();
        let line = |it: engine::CoveredRequirement| CoverageLine {
            requirement: it.requirement.into(),
            path: it.path,
            code: it.code.into_iter().map(PlaceLine::from).collect(),
            tests: it.tests.into_iter().map(PlaceLine::from).collect(),
        };
        Ok(CoverageReply {
            total: found.total,
            with_code: found.with_code,
            with_tests: found.with_tests,
            requirements: found.requirements.into_iter().map(line).collect(),
            omitted: found.omitted,
            cursor: (found.omitted > 0).then(|| end.to_string()),
            tests: found.tests,
            unbound_tests: found.unbound_tests,
            unbound: found.unbound.into_iter().map(|it| UnboundLine { id: it.id, line: it.line }).collect(),
        })
    }
}

impl OperationReply for CoverageReply {
    fn is_report(&self) -> bool {
        true
    }

    fn to_text(&self) -> String {
        if self.total == 0 {
            return "no requirements found: a document states one with a key such as REQ-12\n".to_owned();
        }
        let requirements = render_count(self.total as u64, "requirement");
        let mut text = format!("{requirements}, {} with code, {} with tests\n", self.with_code, self.with_tests);
        for it in &self.requirements {
            text += &format!("{}\n", it.requirement.to_line());
            let kinds = [("code", &it.code), ("test", &it.tests)];
            for (kind, places) in kinds {
                text.extend(places.iter().map(|place| format!("  {kind}: {}\n", place.to_line())));
                if places.is_empty() {
                    text += &format!("  no {kind}\n");
                }
            }
        }
        if let Some(cursor) = &self.cursor {
            text += &format!("… {} more (--cursor {cursor} continues)\n", self.omitted);
        }
        let tests = render_count(self.tests as u64, "test");
        text += &format!("{} of {tests} without a requirement\n", self.unbound_tests);
        text.extend(self.unbound.iter().map(|it| format!("  {}, line {}\n", show_name(&it.id), it.line)));
        if let Some(more @ 1..) = self.unbound_tests.checked_sub(self.unbound.len()) {
            text += &format!("  … {more} more (--limit lists more)\n");
        }
        text
    }

    fn command_exit(&self) -> CommandExit {
        if self.total == 0 { CommandExit::NothingFound } else { CommandExit::Ok }
    }
}
