//! The `impact` operation (command, MCP tool, HTTP route): its parameters and its reply; the engine makes the answer.
//! It lists what a change of symbols or a git diff affects: callers, subtypes, importers and the tests that reach them.

use crate::ops::wire::{SymbolLocation, round_hundredths};
use crate::ops::{CommandGroup, DataSource, Operation, OperationCall, OperationKind, OperationReply, render_count};
use clap::Args;
use model::show_name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) struct ImpactOperation;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct ImpactParams {
    /// What is about to change: symbol ids, handles, paths, `path:line` or unique names
    #[arg(value_name = "SYMBOL")]
    #[serde(default)]
    symbols: Vec<String>,
    /// Take what differs from this git revision, or within a range such as main...HEAD
    #[arg(long, value_name = "REVISION", num_args = 0..=1, default_missing_value = "HEAD")]
    diff: Option<String>,
    /// How many steps away (default: 3)
    #[arg(long)]
    depth: Option<u32>,
    /// Leave out what is less sure, 0 to 1 (default: 0.5)
    #[arg(long)]
    min_confidence: Option<f32>,
    /// Most symbols, tests and files to return, each (default: 30)
    #[arg(long)]
    limit: Option<u32>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct ImpactReply {
    changed: Vec<SymbolLocation>,
    /// Most affected first
    affected: Vec<ImpactSymbol>,
    /// Tests to run, most affected first
    tests: Vec<ImpactSymbol>,
    files: Vec<ImpactFile>,
    /// How many symbols and tests are left out
    omitted: usize,
    /// Changed files that the index does not know
    unknown: Vec<String>,
    /// Files that may have changed, but whose content before is not in the repository (Git LFS, a partial clone)
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_compared: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct ImpactSymbol {
    #[serde(flatten)]
    named: SymbolLocation,
    /// From 1 towards 0
    score: f64,
    distance: u32,
    /// `calls`, `uses`, `extends`, `implements` or `imports`
    how: &'static str,
    /// What it leans on
    through: String,
}

#[derive(Serialize, JsonSchema)]
struct ImpactFile {
    path: String,
    score: f64,
}

const DEFAULT_DEPTH: u32 = 3;
const DEFAULT_CONFIDENCE: f32 = 0.5;
const DEFAULT_LIMIT: u32 = 30;

impl Operation for ImpactOperation {
    const NAME: &'static str = "impact";
    const SUMMARY: &'static str = "Show what a change touches, tests included";
    const KIND: OperationKind = OperationKind::Read;
    const READS: DataSource = DataSource::Code;
    const GROUP: CommandGroup = CommandGroup::Code;
    const HELP: &'static str = "\
Follows callers, subtypes and importers of what changes, and lists the tests that reach it. `--diff` takes the changed \
symbols from git: uncommitted changes, or those since a revision.

Examples:
  epitome impact Session.login
  epitome impact --diff                 what the uncommitted changes touch
  epitome impact --diff main --depth 3";
    type Params = ImpactParams;
    type Reply = ImpactReply;

    async fn run(call: &OperationCall<'_>, params: ImpactParams) -> Result<ImpactReply, engine::Error> {
        let request = engine::ImpactRequest {
            symbols: params.symbols,
            diff: params.diff,
            depth: params.depth.unwrap_or(DEFAULT_DEPTH),
            min_confidence: params.min_confidence.unwrap_or(DEFAULT_CONFIDENCE),
            limit: params.limit.unwrap_or(DEFAULT_LIMIT) as usize,
        };
        let reply = call.engine.analyze_impact(call.project, request).await?;
        let file = |(path, score)| ImpactFile { path, score: round_hundredths(score) };
        Ok(ImpactReply {
            changed: reply.changed.into_iter().map(Into::into).collect(),
            affected: reply.affected.into_iter().map(Into::into).collect(),
            tests: reply.tests.into_iter().map(Into::into).collect(),
            files: reply.files.into_iter().map(file).collect(),
            omitted: reply.omitted,
            unknown: reply.unknown,
            not_compared: reply.not_compared,
        })
    }
}

impl From<engine::AffectedSymbol> for ImpactSymbol {
    fn from(affected: engine::AffectedSymbol) -> Self {
        Self {
            named: affected.named.into(),
            score: round_hundredths(affected.score),
            distance: affected.distance,
            how: affected.how,
            through: affected.through,
        }
    }
}

impl OperationReply for ImpactReply {
    fn to_text(&self) -> String {
        // Files that could not be compared are no proof that nothing changed.
        if self.changed.is_empty() && self.unknown.is_empty() && self.not_compared.is_empty() {
            return "nothing changed\n".to_owned();
        }
        let mut text = String::new();
        for changed in &self.changed {
            text.push_str(&format!("changes {}\n", changed.to_line()));
        }
        for (title, list) in [("affected", &self.affected), ("tests", &self.tests)] {
            if !list.is_empty() {
                text.push_str(&format!("{title}:\n"));
            }
            for affected in list {
                let ImpactSymbol { named, score, how, through, .. } = affected;
                text.push_str(&format!("  {score:.2} {} {how} {}\n", named.to_line(), show_name(through)));
            }
        }
        if self.affected.is_empty() && self.tests.is_empty() {
            text.push_str("nothing leans on it\n");
        }
        if self.omitted > 0 {
            text.push_str(&format!("… {} more\n", self.omitted));
        }
        text.push_str(&format!("in {}\n", render_count(self.files.len() as u64, "file")));
        for path in &self.unknown {
            text.push_str(&format!("not in the index: {}\n", show_name(path)));
        }
        for path in &self.not_compared {
            let path = show_name(path);
            text.push_str(&format!("not compared, its content before is not in the repository: {path}\n"));
        }
        text
    }
}
