//! The `relations` operation (command, MCP tool, HTTP route): its parameters and its reply; the engine makes the
//! answer. It lists a symbol's edges in the symbol graph (callers, callees, types, imports, hierarchy), or the shortest
//! path to another symbol.

use super::unlinked_mentions::UnlinkedReply;
use crate::ops::wire::{SymbolLocation, round_hundredths};
use crate::ops::{CommandExit, CommandGroup, DataSource, Operation, OperationCall, OperationKind, OperationReply};
use clap::{Args, ValueEnum};
use model::show_name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) struct RelationsOperation;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct RelationsParams {
    /// The symbol, file or requirement: id, path, `path:line` or name
    symbol: String,
    /// Only these (default: all but members and container)
    #[arg(long, value_enum, value_delimiter = ',')]
    #[serde(default)]
    only: Vec<RelationFilter>,
    /// Which way (default: both)
    #[arg(long, value_enum, help = "What uses it, what it uses, or both (default: both)")]
    direction: Option<RelationsDirection>,
    /// How many steps away, 1 to 10 (default: 1)
    #[arg(long)]
    depth: Option<u32>,
    /// 0 to 1 (default: 0.5)
    #[arg(long, help = "Leave out what is less sure, 0 to 1 (default: 0.5)")]
    min_confidence: Option<f32>,
    /// Most relations (default: 50)
    #[arg(long)]
    limit: Option<u32>,
    /// Most symbols of that name (default: 5)
    #[arg(long)]
    matches: Option<u32>,
    /// Most unlinked mentions (default: 10)
    #[arg(long)]
    mentions: Option<u32>,
    /// Show the shortest way to this symbol instead
    #[arg(long)]
    to: Option<String>,
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "NAMES",
        help = "Ask these projects (`epitome project`) instead of the one around you, or `all` of them"
    )]
    #[serde(default)]
    projects: Vec<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "lowercase")]
enum RelationFilter {
    /// Who calls it
    Callers,
    /// What it calls
    Callees,
    /// The types it names, and who names it as a type
    Types,
    /// What it imports, and who imports it
    Imports,
    /// What it is made from, and what is made from it
    Hierarchy,
    /// The same member in supertypes and subtypes
    Overrides,
    /// What stands in it
    Members,
    /// What it stands in
    Container,
    /// Requirements and documents that name it, and what they name
    Documents,
}

#[derive(Clone, Copy, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "lowercase")]
enum RelationsDirection {
    #[serde(alias = "incoming")]
    In,
    #[serde(alias = "outgoing")]
    Out,
    Both,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct RelationsReply {
    symbol: SymbolLocation,
    /// Nearest first; with `to` the way, step by step
    relations: Vec<RelationsNeighbour>,
    /// How many more there are; `limit` asks for more
    omitted: usize,
    /// How many are left out as less sure than `min_confidence`
    #[serde(skip_serializing_if = "is_zero")]
    less_sure: usize,
    /// Lines that mention the name and are linked to nothing; not there where only what the symbol uses was asked for
    #[serde(skip_serializing_if = "Option::is_none")]
    unlinked: Option<UnlinkedReply>,
    /// Uses inside of it that may lead to several symbols
    unresolved: Vec<RelationsAmbiguity>,
    /// The same for each other symbol of the name, where nothing says which is meant
    #[serde(skip_serializing_if = "Vec::is_empty")]
    others: Vec<RelationsGroup>,
    /// How many more symbols have the name; `matches` asks for more
    #[serde(skip_serializing_if = "is_zero")]
    more: usize,
    /// What somebody linked to it (`entity`)
    #[serde(skip_serializing_if = "Vec::is_empty")]
    linked: Vec<LinkedLine>,
}

/// A link that somebody made
#[derive(Serialize, JsonSchema)]
struct LinkedLine {
    link_id: String,
    relationship: &'static str,
    /// `out` where it starts at the symbol
    direction: &'static str,
    weight: f64,
    entity_id: String,
    r#type: &'static str,
    name: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape serde asks for")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// Another symbol of the same name.
#[derive(Serialize, JsonSchema)]
struct RelationsGroup {
    symbol: SymbolLocation,
    relations: Vec<RelationsNeighbour>,
    omitted: usize,
    #[serde(skip_serializing_if = "is_zero")]
    less_sure: usize,
    unresolved: Vec<RelationsAmbiguity>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    linked: Vec<LinkedLine>,
}

#[derive(Serialize, JsonSchema)]
struct RelationsNeighbour {
    /// `caller`, `callee`, `type`, `type_user`, `import`, `importer`, `supertype`, `subtype`, `override`, `overridden`, `definition`, `declaration`, `member`, `container`, `requirement`, `document`, `code` or `test`
    relation: &'static str,
    #[serde(flatten)]
    named: SymbolLocation,
    /// The line that says so, in the file of the one that uses
    line: u32,
    /// All such lines, where there are several
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lines: Vec<u32>,
    /// 1 is certain, 0.5 to 0.9 inferred
    confidence: f64,
    distance: u32,
    /// What is before it on the way, where it is farther than one step
    #[serde(skip_serializing_if = "Option::is_none")]
    through: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct RelationsAmbiguity {
    name: String,
    line: u32,
    candidates: Vec<String>,
}

const DEFAULT_LIMIT: u32 = 50;
const DEFAULT_CONFIDENCE: f32 = 0.5;
const DEFAULT_MATCHES: u32 = 5;
const DEFAULT_MENTIONS: u32 = 10;

impl Operation for RelationsOperation {
    const NAME: &'static str = "relations";
    const SUMMARY: &'static str =
        "Show callers, callees, types, imports and hierarchy of a symbol, or the way to another";
    const KIND: OperationKind = OperationKind::Read;
    const READS: DataSource = DataSource::Code;
    const GROUP: CommandGroup = CommandGroup::Ask;
    const HELP: &'static str = "\
Every edge has its call sites and a confidence between 0 and 1. Lines that mention the name and that no edge explains \
are counted, and the likeliest listed: in dynamic code they may be uses. Requirements and documents that name a symbol are \
listed with it, and code and tests with a requirement: 1 is certain, 0.7 that only the name fits. With `--to` the shortest path between two symbols is \
shown. `--export` writes the whole graph as JSON lines.

Examples:
  epitome relations Session.login --only callers
  epitome relations Session.login --depth 2
  epitome relations docs/requirements.md#REQ-001
  epitome relations handle_request --to write_row";
    type Params = RelationsParams;
    type Reply = RelationsReply;

    fn extend_command(command: clap::Command) -> clap::Command {
        let symbol = |argument: clap::Arg| argument.required(false).required_unless_present("export");
        command.mut_arg("symbol", symbol).arg(
            clap::Arg::new("export")
                .long("export")
                .action(clap::ArgAction::SetTrue)
                .conflicts_with("symbol")
                .help("Print every definition, edge, entity and link of the project instead, one JSON line each"),
        )
    }

    async fn run(call: &OperationCall<'_>, params: RelationsParams) -> Result<RelationsReply, engine::Error> {
        let request = engine::RelationsRequest {
            symbol: params.symbol,
            only: params.only.into_iter().flat_map(RelationFilter::relation_kinds).copied().collect(),
            direction: params.direction.map_or(engine::RelationDirection::Both, Into::into),
            depth: params.depth.unwrap_or(1),
            min_confidence: params.min_confidence.unwrap_or(DEFAULT_CONFIDENCE),
            limit: params.limit.unwrap_or(DEFAULT_LIMIT) as usize,
            matches: params.matches.unwrap_or(DEFAULT_MATCHES) as usize,
            mentions: params.mentions.unwrap_or(DEFAULT_MENTIONS) as usize,
            to: params.to,
        };
        let reached = call.reach_projects(&params.projects).await?;
        let found = engine::find_relations_in(&call.ask(&reached), request).await?;
        let mut groups = Vec::new();
        let mut more = 0;
        let mut unlinked = None;
        for engine::RelationsInProject { project, found, elsewhere } in found {
            more += found.more;
            let own = engine::SymbolRelations { others: Vec::new(), unlinked: None, ..found };
            unlinked = unlinked.or(found.unlinked.map(UnlinkedReply::from));
            let of_project = |found| RelationsGroup::from(found).of_project(project.as_deref());
            let first = groups.len();
            groups.extend(std::iter::once(own).chain(found.others).map(of_project));
            let used = elsewhere.into_iter().map(|it| {
                let neighbour = RelationsNeighbour::from(it.found);
                RelationsNeighbour { named: neighbour.named.of_project(it.project.as_deref()), ..neighbour }
            });
            groups[first].relations.extend(used);
        }
        let mut groups = groups.into_iter();
        let first = groups.next().expect("a symbol that nobody has is an error of the engine");
        let others = groups.collect();
        let RelationsGroup { symbol, relations, omitted, less_sure, unresolved, linked } = first;
        Ok(RelationsReply { symbol, relations, omitted, less_sure, unlinked, unresolved, others, more, linked })
    }
}

impl From<engine::StatedLink> for LinkedLine {
    fn from(it: engine::StatedLink) -> Self {
        Self {
            link_id: it.link,
            relationship: it.relationship.as_str(),
            direction: if it.is_out { "out" } else { "in" },
            weight: f64::from(it.weight) / 100.0,
            entity_id: it.end,
            r#type: it.kind,
            name: it.name,
        }
    }
}

impl LinkedLine {
    fn to_text(&self) -> String {
        let sure = if self.weight < 1.0 { format!(" {:.2}", self.weight) } else { String::new() };
        let to = if self.direction == "out" { "" } else { " from" };
        let (end, name) = (show_name(&self.entity_id), show_name(&self.name));
        format!("  linked{to}, {}{sure}: {} {name} ({end})\n", self.relationship, self.r#type)
    }
}

impl From<engine::GraphNeighbour> for RelationsNeighbour {
    fn from(neighbour: engine::GraphNeighbour) -> Self {
        Self {
            relation: neighbour.relation.as_str(),
            named: neighbour.named.into(),
            line: neighbour.line,
            lines: if neighbour.lines.len() > 1 { neighbour.lines } else { Vec::new() },
            confidence: round_hundredths(neighbour.confidence.get()),
            distance: neighbour.distance,
            through: neighbour.through,
        }
    }
}

impl From<engine::SymbolRelations> for RelationsGroup {
    fn from(found: engine::SymbolRelations) -> Self {
        let unsure = |unsure: engine::AmbiguousReference| RelationsAmbiguity {
            name: unsure.name,
            line: unsure.line,
            candidates: unsure.candidates,
        };
        Self {
            symbol: found.symbol.into(),
            relations: found.neighbours.into_iter().map(RelationsNeighbour::from).collect(),
            omitted: found.omitted,
            less_sure: found.less_sure,
            unresolved: found.unsure.into_iter().map(unsure).collect(),
            linked: found.linked.into_iter().map(LinkedLine::from).collect(),
        }
    }
}

impl RelationsGroup {
    /// The same in a project, of which all neighbours are.
    fn of_project(self, project: Option<&str>) -> Self {
        Self { symbol: self.symbol.of_project(project), ..self }
    }
}

impl RelationFilter {
    fn relation_kinds(self) -> &'static [engine::RelationKind] {
        use engine::RelationKind as R;
        match self {
            Self::Callers => &[R::Caller],
            Self::Callees => &[R::Callee],
            Self::Types => &[R::Type, R::TypeUser],
            Self::Imports => &[R::Import, R::Importer],
            Self::Hierarchy => &[R::Supertype, R::Subtype, R::Definition, R::Declaration],
            Self::Overrides => &[R::Override, R::Overridden],
            Self::Members => &[R::Member],
            Self::Container => &[R::Container],
            Self::Documents => &[R::Requirement, R::Document, R::Code, R::Test],
        }
    }
}

impl From<RelationsDirection> for engine::RelationDirection {
    fn from(direction: RelationsDirection) -> Self {
        match direction {
            RelationsDirection::In => Self::In,
            RelationsDirection::Out => Self::Out,
            RelationsDirection::Both => Self::Both,
        }
    }
}

impl OperationReply for RelationsReply {
    fn to_text(&self) -> String {
        let Self { symbol, relations, omitted, less_sure, unlinked, unresolved, others, more, linked } = self;
        let mut text = render_relations(symbol, relations, (*omitted, *less_sure), unresolved);
        text.extend(linked.iter().map(LinkedLine::to_text));
        if !others.is_empty() {
            let count = others.len() + more + 1;
            text.insert_str(0, &format!("{count} symbols have this name, and nothing says which is meant:\n"));
        }
        for RelationsGroup { symbol, relations, omitted, less_sure, unresolved, linked } in others {
            text.push_str(&render_relations(symbol, relations, (*omitted, *less_sure), unresolved));
            text.extend(linked.iter().map(LinkedLine::to_text));
        }
        if *more > 0 {
            let all = others.len() + more + 1;
            text.push_str(&format!("… {more} more symbols of this name (--matches {all} answers for all)\n"));
        }
        if let Some(unlinked) = unlinked {
            text.push_str(&unlinked.to_text(if others.is_empty() { "  " } else { "" }));
        }
        text
    }

    fn command_exit(&self) -> CommandExit {
        let is_empty = self.relations.is_empty()
            && self.linked.is_empty()
            && self.others.iter().all(|home| home.relations.is_empty());
        if is_empty { CommandExit::NothingFound } else { CommandExit::Ok }
    }
}

fn render_relations(
    symbol: &SymbolLocation,
    relations: &[RelationsNeighbour],
    (omitted, less_sure): (usize, usize),
    unresolved: &[RelationsAmbiguity],
) -> String {
    let mut text = format!("{}\n", symbol.to_line());
    for neighbour in relations {
        // Certain edges, the common case, get no number: it would cost tokens on every line.
        let sure = if neighbour.confidence < 1.0 { format!(" {:.2}", neighbour.confidence) } else { String::new() };
        let through = neighbour.through.as_ref().map(|id| format!(", through {}", show_name(id))).unwrap_or_default();
        let indent = "  ".repeat(neighbour.distance as usize);
        text.push_str(&format!(
            "{indent}{}{sure}: {}, {}{through}\n",
            neighbour.relation,
            neighbour.named.to_line(),
            render_lines(neighbour.line, &neighbour.lines)
        ));
    }
    if relations.is_empty() {
        text.push_str("  no relations found\n");
    }
    if omitted > 0 {
        let all = relations.len() + omitted;
        text.push_str(&format!("  … {omitted} more (--limit {all} lists them)\n"));
    }
    if less_sure > 0 {
        text.push_str(&format!("  … {less_sure} less sure (--min-confidence 0 lists them)\n"));
    }
    for unsure in unresolved {
        let candidates = match unsure.candidates.as_slice() {
            [] => "not in the project".to_owned(),
            candidates => candidates.join(" or "),
        };
        text.push_str(&format!("  not sure, line {}: {} ({candidates})\n", unsure.line, unsure.name));
    }
    text
}

/// How many lines of one relation are shown.
const MOST_LINES: usize = 12;

/// `line 4`, or all lines where there are several.
pub(super) fn render_lines(first: u32, all: &[u32]) -> String {
    if all.len() < 2 {
        return format!("line {first}");
    }
    let shown: Vec<String> = all.iter().take(MOST_LINES).map(u32::to_string).collect();
    match all.len().checked_sub(MOST_LINES) {
        Some(more @ 1..) => format!("lines {} and {more} more", shown.join(", ")),
        _ => format!("lines {}", shown.join(", ")),
    }
}
