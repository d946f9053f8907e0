//! The `impact` operation (command, MCP tool, HTTP route): its parameters and its reply; the engine makes the answer.
//! It lists what a change of symbols or a git diff affects (callers, subtypes, importers), the tests to run, and the
//! mentions of changed names that are linked to nothing.

use super::relations::render_lines;
use super::unlinked_mentions::UnlinkedReply;
use crate::ops::wire::{SymbolLocation, round_hundredths, show_place};
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
    /// Most affected symbols to return (default: 30)
    #[arg(long)]
    limit: Option<u32>,
    /// Most test files to return (default: 12)
    #[arg(long)]
    tests: Option<u32>,
    /// Most lines to list that mention a changed name and are not linked (default: 5)
    #[arg(long)]
    mentions: Option<u32>,
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

#[derive(Serialize, JsonSchema)]
pub(crate) struct ImpactReply {
    changed: Vec<SymbolLocation>,
    /// How many more symbols have a name that was asked for: name one by its id
    #[serde(skip_serializing_if = "is_zero")]
    more: usize,
    /// Nearest and surest first
    affected: Vec<ImpactSymbol>,
    /// How many affected symbols are left out; `limit` asks for more
    omitted: usize,
    /// Test files to run, sure ones first
    tests: Vec<ImpactTestFile>,
    /// How many test files with weaker reasons are left out; `tests` asks for more
    omitted_tests: usize,
    /// Files of what is changed and affected
    files: Vec<ImpactFile>,
    /// Lines that mention a changed name and are linked to nothing
    unlinked: UnlinkedReply,
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
    /// As in `relations`: 1 is certain; over several steps the product
    confidence: f64,
    /// How many steps away
    distance: u32,
    /// `calls`, `uses`, `extends`, `implements` or `imports`
    how: &'static str,
    /// What it leans on
    through: String,
    /// The lines of its file that say so
    lines: Vec<u32>,
}

#[derive(Serialize, JsonSchema)]
struct ImpactTestFile {
    /// Its project, where several are asked
    #[serde(default, skip_serializing_if = "Option::is_none")]
    project: Option<String>,
    path: String,
    /// Why, the surest reason first
    reasons: Vec<ImpactTestReason>,
    /// Its tests that reach the change by relations
    #[serde(skip_serializing_if = "Vec::is_empty")]
    symbols: Vec<ImpactSymbol>,
    /// How many more do
    #[serde(skip_serializing_if = "is_zero")]
    omitted: usize,
}

/// Why a test file is named
#[derive(Serialize, JsonSchema)]
#[serde(tag = "why", rename_all = "snake_case")]
enum ImpactTestReason {
    /// It is changed itself
    Changed,
    /// Relations lead from it to the change
    Reaches { confidence: f64, distance: u32 },
    /// It imports a changed file, itself or through others
    Imports { path: String, distance: u32 },
    /// It has the name of a changed file
    NamedAfter { path: String },
    /// It has the name of a changed symbol, or of another name on a changed line
    NamedAfterSymbol { name: String },
    /// It changed with a changed file in `together` of `of` commits
    ChangedWith { path: String, together: u32, of: u32 },
    /// It mentions a changed name on so many lines that are not linked
    Mentions { name: String, lines: usize },
    /// It has rare words of the changed lines
    SharesWords { words: Vec<String> },
}

#[derive(Serialize, JsonSchema)]
struct ImpactFile {
    /// Its project, where several are asked
    #[serde(default, skip_serializing_if = "Option::is_none")]
    project: Option<String>,
    path: String,
    confidence: f64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape serde asks for")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

const DEFAULT_DEPTH: u32 = 3;
const DEFAULT_CONFIDENCE: f32 = 0.5;
const DEFAULT_LIMIT: u32 = 30;
const DEFAULT_TESTS: u32 = 12;
const DEFAULT_MENTIONS: u32 = 5;

impl Operation for ImpactOperation {
    const NAME: &'static str = "impact";
    const SUMMARY: &'static str = "Show what a change touches, tests included";
    const KIND: OperationKind = OperationKind::Read;
    const READS: DataSource = DataSource::Code;
    const GROUP: CommandGroup = CommandGroup::Ask;
    const HELP: &'static str = "\
Follows callers, subtypes and importers of what changes, and names the test files to run: those that reach the change, \
import a changed file, have its name, changed with it before, mention a changed name, or share rare words with it. `--diff` takes the changed \
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
            tests: params.tests.unwrap_or(DEFAULT_TESTS) as usize,
            mentions: params.mentions.unwrap_or(DEFAULT_MENTIONS) as usize,
        };
        let reached = call.reach_projects(&params.projects).await?;
        let found = engine::analyze_impact_in(&call.ask(&reached), request).await?;
        let mut replies = found.into_iter().map(|it| ImpactReply::of_project(it.project.as_deref(), it.found));
        let first = replies.next().expect("a change that no project has is an error of the engine");
        Ok(replies.fold(first, ImpactReply::join))
    }
}

impl ImpactReply {
    fn of_project(project: Option<&str>, reply: engine::ImpactReport) -> Self {
        let file = |(path, confidence): (String, model::Confidence)| ImpactFile {
            project: project.map(str::to_owned),
            path,
            confidence: round_hundredths(confidence.get()),
        };
        let located = |it: engine::NamedNode| SymbolLocation::from(it).of_project(project);
        let affected = |it: engine::AffectedSymbol| {
            let it = ImpactSymbol::from(it);
            ImpactSymbol { named: it.named.of_project(project), ..it }
        };
        let test = |it: engine::TestFile| ImpactTestFile { project: project.map(str::to_owned), ..it.into() };
        // A path without its project would be looked for in that of the caller.
        let told = |path: String| project.map_or_else(|| path.clone(), |project| format!("{project}:{path}"));
        Self {
            changed: reply.changed.into_iter().map(located).collect(),
            more: reply.more,
            affected: reply.affected.into_iter().map(affected).collect(),
            omitted: reply.omitted,
            tests: reply.tests.into_iter().map(test).collect(),
            omitted_tests: reply.omitted_tests,
            files: reply.files.into_iter().map(file).collect(),
            unlinked: reply.unlinked.into(),
            unknown: reply.unknown.into_iter().map(told).collect(),
            not_compared: reply.not_compared.into_iter().map(told).collect(),
        }
    }

    /// What two projects say; unlinked lines are those of the first.
    fn join(mut self, more: Self) -> Self {
        self.changed.extend(more.changed);
        self.more += more.more;
        self.affected.extend(more.affected);
        self.omitted += more.omitted;
        self.tests.extend(more.tests);
        self.omitted_tests += more.omitted_tests;
        self.files.extend(more.files);
        self.unknown.extend(more.unknown);
        self.not_compared.extend(more.not_compared);
        self
    }
}

impl From<engine::AffectedSymbol> for ImpactSymbol {
    fn from(affected: engine::AffectedSymbol) -> Self {
        Self {
            named: affected.named.into(),
            confidence: round_hundredths(affected.confidence.get()),
            distance: affected.distance,
            how: affected.how,
            through: affected.through,
            lines: affected.lines,
        }
    }
}

impl From<engine::TestFile> for ImpactTestFile {
    fn from(test: engine::TestFile) -> Self {
        Self {
            project: None,
            path: test.path,
            reasons: test.reasons.into_iter().map(Into::into).collect(),
            symbols: test.symbols.into_iter().map(Into::into).collect(),
            omitted: test.omitted,
        }
    }
}

impl From<engine::TestReason> for ImpactTestReason {
    fn from(reason: engine::TestReason) -> Self {
        use engine::TestReason as R;
        match reason {
            R::Changed => Self::Changed,
            R::Reaches { confidence, distance } => {
                Self::Reaches { confidence: round_hundredths(confidence.get()), distance }
            }
            R::Imports { path, distance } => Self::Imports { path, distance },
            R::NamedAfter { path } => Self::NamedAfter { path },
            R::NamedAfterSymbol { name } => Self::NamedAfterSymbol { name },
            R::ChangedWith { path, together, of } => Self::ChangedWith { path, together, of },
            R::Mentions { name, lines } => Self::Mentions { name, lines },
            R::SharesWords { words } => Self::SharesWords { words },
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
        if self.more > 0 {
            text.push_str(&format!("… {} more symbols of this name: name one by its id\n", self.more));
        }
        text.push_str(&self.render_affected());
        text.push_str(&self.render_tests());
        text.push_str(&self.unlinked.to_text(""));
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

impl ImpactReply {
    /// What is affected, file by file, in the order of the best symbol of each.
    fn render_affected(&self) -> String {
        if self.affected.is_empty() {
            return "affected: nothing that the graph knows of\n".to_owned();
        }
        let mut text = "affected, nearest and surest first:\n".to_owned();
        let place = |affected: &ImpactSymbol| show_place(affected.named.project.as_deref(), &affected.named.path);
        let mut places: Vec<String> = Vec::new();
        for affected in &self.affected {
            if !places.contains(&place(affected)) {
                places.push(place(affected));
            }
        }
        for at in places {
            text.push_str(&format!("  {at}\n"));
            for affected in self.affected.iter().filter(|affected| place(affected) == at) {
                text.push_str(&format!("    {}\n", affected.to_line()));
            }
        }
        if self.omitted > 0 {
            let all = self.affected.len() + self.omitted;
            text.push_str(&format!("  … {} more (--limit {all} lists them)\n", self.omitted));
        }
        text
    }

    fn render_tests(&self) -> String {
        if self.tests.is_empty() {
            return "tests: none found\n".to_owned();
        }
        let mut text = format!("tests to run, {}, sure ones first:\n", render_count(self.tests.len() as u64, "file"));
        for test in &self.tests {
            let reasons: Vec<String> = test.reasons.iter().map(ImpactTestReason::to_words).collect();
            let path = show_place(test.project.as_deref(), &test.path);
            text.push_str(&format!("  {path}: {}\n", reasons.join("; ")));
            for symbol in &test.symbols {
                text.push_str(&format!("    {}\n", symbol.to_line()));
            }
            if test.omitted > 0 {
                text.push_str(&format!("    … {} more\n", test.omitted));
            }
        }
        if self.omitted_tests > 0 {
            let all = self.tests.len() + self.omitted_tests;
            let files = render_count(self.omitted_tests as u64, "more file");
            text.push_str(&format!("  … {files} with weaker reasons (--tests {all} lists them)\n"));
        }
        text
    }
}

impl ImpactSymbol {
    /// One line below the line of its file.
    fn to_line(&self) -> String {
        let Self { named, confidence, distance, how, through, lines } = self;
        let name = match &named.handle {
            // The path stands on the line above.
            Some(handle) => {
                let name = show_name(named.id.strip_prefix(&named.path).unwrap_or(&named.id));
                format!("{name} ({} {}-{} {handle})", named.kind, named.start_line, named.end_line)
            }
            None => "the file".to_owned(),
        };
        // Certain edges, the common case, get no number.
        let sure = if *confidence < 1.0 { format!(" {confidence:.2}") } else { String::new() };
        let steps = if *distance > 1 { format!(", {distance} steps away") } else { String::new() };
        let lines = lines.first().map(|first| format!(", {}", render_lines(*first, lines))).unwrap_or_default();
        format!("{name} {how}{sure} {}{lines}{steps}", show_name(through))
    }
}

impl ImpactTestReason {
    /// The reason in words.
    fn to_words(&self) -> String {
        match self {
            Self::Changed => "changed itself".to_owned(),
            Self::Reaches { confidence, distance } => {
                let sure = if *confidence < 1.0 { format!(" {confidence:.2}") } else { String::new() };
                format!("reaches it{sure} in {}", render_count(u64::from(*distance), "step"))
            }
            Self::Imports { path, distance: 1 } => format!("imports {}", show_name(path)),
            Self::Imports { path, .. } => format!("imports {} through another file", show_name(path)),
            Self::NamedAfter { path } => format!("named after {}", show_name(path)),
            Self::NamedAfterSymbol { name } => format!("named after {}", show_name(name)),
            Self::ChangedWith { path, together, of } => {
                format!("changed with {} in {together} of {of} commits", show_name(path))
            }
            Self::Mentions { name, lines } => {
                format!("mentions {} on {}", show_name(name), render_count(*lines as u64, "line"))
            }
            Self::SharesWords { words } => {
                let words: Vec<_> = words.iter().map(|word| show_name(word)).collect();
                format!("shares words with it: {}", words.join(", "))
            }
        }
    }
}
