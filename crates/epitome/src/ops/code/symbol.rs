//! The `symbol` operation (command, MCP tool, HTTP route): its parameters and its reply; the engine makes the answer.
//! It finds where a name is defined.

use crate::ops::wire::SymbolLocation;
use crate::ops::{CommandExit, CommandGroup, DataSource, Operation, OperationCall, OperationKind, OperationReply};
use clap::Args;
use model::show_name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) struct SymbolOperation;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct SymbolParams {
    /// A name, a qualified name such as `Session.login`, an id, the beginning of a name, or one with a typing error
    name: String,
    /// Only this kind: function, method, class, struct, enum, interface, trait, type, constant, field, macro, module, section
    #[arg(long)]
    kind: Option<String>,
    /// Only files whose path contains this
    #[arg(long)]
    path: Option<String>,
    /// Most results to return (default: 10)
    #[arg(long)]
    limit: Option<u32>,
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
pub(crate) struct SymbolReply {
    /// Best first
    symbols: Vec<SymbolMatch>,
    /// How many more fit
    omitted: usize,
    /// Where nothing is called so: files that could not be parsed in places, which may define it
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unparsed: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct SymbolMatch {
    #[serde(flatten)]
    named: SymbolLocation,
    name: String,
    /// `exact`, `prefix`, `part` or `near`
    fit: &'static str,
    signature: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    modifiers: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parameters: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    returns: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    doc: Option<String>,
    /// What a model says it does (`index --summarize`)
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    container: Option<String>,
}

const DEFAULT_LIMIT: u32 = 10;

impl Operation for SymbolOperation {
    const NAME: &'static str = "symbol";
    const SUMMARY: &'static str = "Find where a name is defined";
    const KIND: OperationKind = OperationKind::Read;
    const READS: DataSource = DataSource::Code;
    const GROUP: CommandGroup = CommandGroup::Ask;
    const HELP: &'static str = "\
Every definition of the name is listed, definitions in product code before those in tests. A near spelling is used \
where no symbol has the name, and the reply says so.

Examples:
  epitome symbol Session.login
  epitome symbol 'parse_*' --kind function";
    type Params = SymbolParams;
    type Reply = SymbolReply;

    async fn run(call: &OperationCall<'_>, params: SymbolParams) -> Result<SymbolReply, engine::Error> {
        let kind = params
            .kind
            .as_deref()
            // In any case, so that `Class` or `FUNCTION` from an agent is no error.
            .map(|word| engine::SymbolKind::parse(&word.to_lowercase()).ok_or_else(|| unknown_kind(word)));
        let request = engine::SymbolRequest {
            name: params.name,
            kinds: kind.transpose()?.into_iter().collect(),
            path: params.path,
            limit: params.limit.unwrap_or(DEFAULT_LIMIT) as usize,
        };
        let reached = call.reach_projects(&params.projects).await?;
        let (reply, projects) = engine::find_symbols_in(&call.ask(&reached), request).await?;
        let symbols = reply.hits.into_iter().zip(projects).map(|(hit, project)| SymbolMatch {
            named: SymbolLocation::from(hit.named).of_project(project.as_deref()),
            name: hit.name,
            fit: hit.fit,
            signature: hit.signature,
            modifiers: hit.parts.modifiers,
            parameters: hit.parts.parameters,
            returns: hit.parts.returns,
            doc: hit.doc,
            summary: hit.summary,
            container: hit.container,
        });
        Ok(SymbolReply { symbols: symbols.collect(), omitted: reply.omitted, unparsed: reply.unparsed })
    }
}

fn unknown_kind(word: &str) -> engine::Error {
    let words: Vec<&str> = engine::SymbolKind::ALL.iter().map(|(_, word)| *word).collect();
    engine::Error::Parameter { field: "kind", reason: format!("is `{word}`, which is none of {}", words.join(", ")) }
}

impl OperationReply for SymbolReply {
    fn to_text(&self) -> String {
        let mut text = String::new();
        for hit in &self.symbols {
            let near = if hit.fit == "near" { ", another name that is near the one asked for" } else { "" };
            text.push_str(&format!("{}{near}\n    {}\n", hit.named.to_line(), hit.signature.replace('\n', "\n    ")));
            if let Some(line) = hit.doc.as_ref().and_then(|doc| doc.lines().next()) {
                text.push_str(&format!("    {line}\n"));
            }
            if let Some(summary) = &hit.summary {
                text.push_str(&format!("    {}\n", summary.replace('\n', "\n    ")));
            }
        }
        if self.omitted > 0 {
            text.push_str(&format!("… {} more\n", self.omitted));
        }
        if text.is_empty() {
            text.push_str("nothing found\n");
        }
        for told in &self.unparsed {
            text.push_str(&format!("{}\n", show_name(told)));
        }
        text
    }

    fn command_exit(&self) -> CommandExit {
        if self.symbols.is_empty() { CommandExit::NothingFound } else { CommandExit::Ok }
    }
}
