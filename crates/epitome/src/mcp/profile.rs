//! Tool profiles of the MCP server: which tools an agent is offered, under which names, and with which instructions.
//! Profiles are data (`profiles.toml`), so that serving another system's names is a table to extend and not code to
//! write.

use super::parameter_mapping::{ParameterMapping, ParameterRule};
use super::reply_mapping::ReplyMapping;
use crate::errors::{AppError, ErrorClass};
use crate::ops::{self, AnyOperation, OperationKind};
use crate::suggestion::nearest_word;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// A choice of tools and the instructions that go with them.
pub(crate) struct ToolProfile {
    name: String,
    pub(super) instructions: String,
    pub(super) output_schemas: bool,
    /// In the order in which they are listed.
    pub(super) offers: Vec<ProfileTool>,
}

/// One tool of a profile.
pub(super) struct ProfileTool {
    pub(super) name: String,
    pub(super) summary: String,
    pub(super) action: ProfileAction,
    /// Whether the result says how many bytes a shorter view spared its reader.
    pub(super) tells_avoided: bool,
}

/// The action of a tool.
#[expect(clippy::large_enum_variant, reason = "a profile has a few dozen tools, made once")]
pub(super) enum ProfileAction {
    /// Runs an operation with the parameters as they are.
    Run(&'static dyn AnyOperation),
    /// Runs an operation with another system's parameters.
    Renamed(&'static dyn AnyOperation, Box<ParameterMapping>, ReplyMapping),
    /// Runs a command of ours that is no operation, and gives its JSON.
    Command(Vec<String>),
    /// Runs the operation that the parameters name.
    Any,
}

impl ProfileTool {
    /// The operation that a call with these arguments runs.
    pub(super) fn operation_name(&self, arguments: Option<&serde_json::Map<String, Value>>) -> String {
        match &self.action {
            ProfileAction::Run(operation) | ProfileAction::Renamed(operation, ..) => operation.name().to_owned(),
            ProfileAction::Command(words) => words.first().cloned().unwrap_or_default(),
            ProfileAction::Any => {
                let named = arguments.and_then(|given| given.get("operation")).and_then(Value::as_str);
                // Only names of operations: what else a caller writes there is no name of ours.
                let known = named.and_then(|name| ops::find_operation(&name.trim().to_lowercase()));
                known.map_or("epitome", |operation| operation.name()).to_owned()
            }
        }
    }
}

/// The profile that agents get unless the command line names another.
pub(crate) const DEFAULT_PROFILE: &str = "core";

/// The tools of that profile that change nothing; without the router, which can run any operation.
pub(crate) fn reading_tools() -> impl Iterator<Item = String> {
    let offers = PROFILES.iter().filter(|profile| profile.name == DEFAULT_PROFILE).flat_map(|profile| &profile.offers);
    offers
        .filter(
            // Tools that write, and the one that runs any operation, keep asking the user.
            |offer| matches!(offer.action, ProfileAction::Run(operation) if operation.kind() == OperationKind::Read),
        )
        .map(|offer| offer.name.clone())
}

/// The profile of that name.
pub(crate) fn find_profile(name: &str) -> Result<&'static ToolProfile, AppError> {
    PROFILES.iter().find(|profile| profile.name == name).ok_or_else(|| {
        let names = || PROFILES.iter().map(|profile| profile.name.as_str());
        let problem = AppError::new(ErrorClass::Usage, "unknown_profile", format!("unknown profile `{name}`"));
        problem.with_hint(match nearest_word(name, names()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("there are {}", names().collect::<Vec<_>>().join(", ")),
        })
    })
}

/// Every tool of every profile.
pub(super) fn all_tools() -> impl Iterator<Item = &'static ProfileTool> {
    PROFILES.iter().flat_map(|profile| &profile.offers)
}

impl ToolProfile {
    /// The name of its prompt, as the system calls it whose tool names it serves.
    pub(super) fn prompt_name(&self) -> String {
        let name = if self.is_own() { env!("CARGO_PKG_NAME") } else { self.name.as_str() };
        format!("{name}-system")
    }

    /// Whether its tools have our names, and not those of another system.
    pub(super) fn is_own(&self) -> bool {
        !self.offers.iter().any(|offer| matches!(offer.action, ProfileAction::Renamed(..)))
    }
}

static PROFILES: LazyLock<Vec<ToolProfile>> = LazyLock::new(|| {
    let file: ProfileFile =
        toml::from_str(include_str!("profiles.toml")).expect("profiles.toml has the shape of `File`");
    file.profile.into_iter().map(ToolProfile::from).collect()
});

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProfileFile {
    profile: Vec<ProfileEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProfileEntry {
    name: String,
    instructions: String,
    #[serde(default)]
    operations: OperationSelection,
    #[serde(default)]
    router: bool,
    #[serde(default)]
    output_schemas: bool,
    #[serde(default)]
    tool: Vec<RenamedTool>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OperationSelection {
    Named(Vec<String>),
    All(AllKeyword),
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum AllKeyword {
    All,
}

impl Default for OperationSelection {
    fn default() -> Self {
        Self::Named(Vec::new())
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RenamedTool {
    name: String,
    /// The operation's own summary when absent.
    summary: Option<String>,
    #[serde(default)]
    operation: String,
    #[serde(default)]
    command: Vec<String>,
    #[serde(default)]
    parameters: BTreeMap<String, ParameterRule>,
    #[serde(default)]
    fixed: BTreeMap<String, Value>,
    /// Parameters of which at least one has to be given.
    #[serde(default)]
    one_of: Vec<String>,
    #[serde(default)]
    reply: ReplyMapping,
    #[serde(default)]
    tells_avoided: bool,
}

impl From<ProfileEntry> for ToolProfile {
    fn from(entry: ProfileEntry) -> Self {
        let selected = |name: &str| match &entry.operations {
            OperationSelection::Named(names) => names.iter().any(|given| given == name),
            OperationSelection::All(AllKeyword::All) => true,
        };
        let plain =
            ops::ALL_OPERATIONS.iter().filter(|operation| selected(operation.name())).map(|operation| ProfileTool {
                name: operation.name().to_owned(),
                summary: operation.summary().to_owned(),
                action: ProfileAction::Run(*operation),
                tells_avoided: false,
            });
        let mut offers: Vec<ProfileTool> = plain.collect();
        offers.extend(entry.tool.into_iter().map(ProfileTool::from));
        if entry.router {
            offers.push(ProfileTool {
                name: super::any_operation::NAME.to_owned(),
                summary: super::any_operation::SUMMARY.to_owned(),
                action: ProfileAction::Any,
                tells_avoided: false,
            });
        }
        let ProfileEntry { name, instructions, output_schemas, .. } = entry;
        Self { name, instructions, output_schemas, offers }
    }
}

impl From<RenamedTool> for ProfileTool {
    fn from(tool: RenamedTool) -> Self {
        if !tool.command.is_empty() {
            let summary = tool.summary.expect("profiles.toml says what a command does");
            return Self {
                name: tool.name,
                summary,
                action: ProfileAction::Command(tool.command),
                tells_avoided: false,
            };
        }
        let operation = ops::find_operation(&tool.operation).expect("profiles.toml names operations that exist");
        Self {
            name: tool.name,
            summary: tool.summary.unwrap_or_else(|| operation.summary().to_owned()),
            action: ProfileAction::Renamed(
                operation,
                Box::new(ParameterMapping::new(tool.parameters, tool.fixed, tool.one_of)),
                tool.reply,
            ),
            tells_avoided: tool.tells_avoided,
        }
    }
}

#[cfg(test)]
mod tests;
