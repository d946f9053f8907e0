//! The `project` operation (command, MCP tool, HTTP route): its parameters and its reply; the engine does the work. It lists
//! the projects that have an index, conversations or a name, says what they are called, and links them.

use super::project_wire::{ProjectLine, ProjectLinkLine, ProjectTotals, SharedEntity};
use crate::ops::{CommandExit, CommandGroup, DataSource, Operation, OperationCall, OperationKind, OperationReply};
use clap::{Arg, ArgAction, Args, ValueEnum};
use engine::{EntityState, Error, Project, ProjectList, ProjectListing, ProjectSetting};
use model::show_name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) struct ProjectOperation;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProjectParams {
    /// What to do
    #[arg(value_enum, default_value = "list")]
    #[serde(default)]
    action: ProjectAction,
    /// Name, id or path (default: this project)
    #[arg(value_name = "PROJECT")]
    which: Option<String>,
    /// The project that it depends on
    target: Option<String>,
    /// What to call it
    #[arg(long)]
    name: Option<String>,
    /// What it is
    #[arg(long)]
    description: Option<String>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ProjectAction {
    /// List projects
    #[default]
    List,
    /// Show one with its links and shared entities
    Show,
    /// Say what one is called, or what it is
    Set,
    /// Say that one depends on another
    Link,
    /// Take that back
    Unlink,
    // Only on the command line: no agent removes what is stored.
    #[serde(skip)]
    #[value(help = "Remove its conversations, transcripts, memories and index for good (--data --yes)")]
    Forget,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct ProjectReply {
    /// The one that was worked in last first
    projects: Vec<ProjectLine>,
    /// Of all conversations, those of no project included
    totals: ProjectTotals,
    /// Which projects depend on which others
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    cross_project_links: Vec<ProjectLinkLine>,
    /// Of `show`: entities that other projects name, too
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    shared_entities: Vec<SharedEntity>,
    /// `linked`, `unlinked` or `known`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    outcome: Option<&'static str>,
}

impl Operation for ProjectOperation {
    const NAME: &'static str = "project";
    const SUMMARY: &'static str = "List, show, name or link the projects that are indexed or spoken about";
    const KIND: OperationKind = OperationKind::Write;
    const READS: DataSource = DataSource::Both;
    const GROUP: CommandGroup = CommandGroup::LookAfter;
    const HELP: &'static str = "\
Each project has a name that no other has: the one that `set` gives it, else that of its folder. Shown are where it is, \
when it was indexed and at which commit, what its index holds and what is stored of its conversations, the one that was \
worked in last first. A project that was moved is known where it is now once something is asked there; one that is gone is \
`missing`. `link` says that one depends on another. Questions reach other projects by these names: `--projects`. \
`forget` removes what is stored of a project for good, not the files of the project or the transcripts of agents; \
`epitome verify` names what was removed.

Examples:
  epitome project
  epitome project set --name shop --description \"The web shop\"
  epitome project show shop
  epitome project link shop accounts
  epitome project forget --data --yes
  epitome project forget shop --data --yes";
    type Params = ProjectParams;
    type Reply = ProjectReply;

    fn extend_command(command: clap::Command) -> clap::Command {
        let flag =
            |name: &'static str, help: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue).help(help);
        command
            .arg(flag("data", "With forget: all of its data; there is nothing else to forget yet"))
            .arg(flag("yes", "With forget: do it; without this, say what would go and change nothing"))
    }

    async fn run(call: &OperationCall<'_>, params: ProjectParams) -> Result<ProjectReply, Error> {
        let lookup = call.others.lookup();
        let list = call.engine.list_projects(lookup).await?;
        match params.action {
            ProjectAction::List => Ok(ProjectReply::from_list(call, list)),
            ProjectAction::Show => {
                let id = find_listing(&list, call.project, params.which.as_deref(), "which")?.id.clone();
                let shared = call.engine.shared_entities(&id).await?;
                let shared_entities = shared.into_iter().map(SharedEntity::from).collect();
                let mut list = list;
                let by_packages = call.engine.package_links(&list, &id).await?;
                list.links.extend(by_packages);
                Ok(ProjectReply { shared_entities, ..ProjectReply::of_one(call, list, &id) })
            }
            ProjectAction::Set => {
                let setting = ProjectSetting { name: params.name, description: params.description };
                let project = if params.which.is_none() {
                    call.project.clone()
                } else {
                    let listing = find_listing(&list, call.project, params.which.as_deref(), "which")?;
                    // What was said is kept with the place; a project without one keeps what it had.
                    let root = listing.path.clone().unwrap_or_default().into();
                    Project { id: listing.id.clone(), root }
                };
                call.engine.say_of_project(&project, setting).await?;
                let list = call.engine.list_projects(lookup).await?;
                Ok(ProjectReply::of_one(call, list, &project.id))
            }
            ProjectAction::Link | ProjectAction::Unlink => {
                let wanted = params.target.as_deref().zip(params.which.as_deref());
                let (target, source) = wanted.ok_or_else(|| Error::Parameter {
                    field: "target",
                    reason: "is needed to link two projects: the one that depends, then the one it depends on"
                        .to_owned(),
                })?;
                let source = find_listing(&list, call.project, Some(source), "which")?.id.clone();
                let target = find_listing(&list, call.project, Some(target), "target")?.id.clone();
                let is_link = params.action == ProjectAction::Link;
                let state = if is_link { EntityState::Stated } else { EntityState::Removed };
                let is_new = call.engine.link_projects(&source, &target, state).await?;
                let list = call.engine.list_projects(lookup).await?;
                let outcome = match (is_new, is_link) {
                    (false, _) => "known",
                    (true, true) => "linked",
                    (true, false) => "unlinked",
                };
                Ok(ProjectReply { outcome: Some(outcome), ..ProjectReply::of_one(call, list, &source) })
            }
            ProjectAction::Forget => Err(Error::Parameter {
                field: "action",
                reason: "is `forget`, which only `epitome project forget` does".to_owned(),
            }),
        }
    }
}

/// The project that a caller means: its own where nothing is said.
pub(crate) fn find_listing<'l>(
    list: &'l ProjectList,
    own: &Project,
    which: Option<&str>,
    field: &'static str,
) -> Result<&'l ProjectListing, Error> {
    let Some(which) = which.map(str::trim) else {
        let hint = Some("epitome index, or `epitome project set --name NAME`, makes it known".to_owned());
        let found = list.projects.iter().find(|listing| listing.id == own.id);
        return found.ok_or_else(|| Error::NotFound { what: "project", id: own.id.to_string(), hint });
    };
    let is_meant = |listing: &&ProjectListing| {
        listing.name.to_lowercase() == which.to_lowercase()
            || listing.id.as_str() == which
            || listing.path.as_deref() == Some(which)
            || listing.former.iter().any(|root| root == which)
    };
    list.projects.iter().find(is_meant).ok_or_else(|| {
        let names: Vec<_> = list.projects.iter().map(|listing| show_name(&listing.name)).collect();
        let hint = Some(format!("known are {}", names.join(", ")));
        let what = if field == "target" { "target project" } else { "project" };
        Error::NotFound { what, id: which.to_owned(), hint }
    })
}

impl ProjectReply {
    fn from_list(call: &OperationCall<'_>, list: ProjectList) -> Self {
        let line = |listing: ProjectListing| {
            let config = match (listing.presence, &listing.path) {
                (engine::ProjectPresence::Here, Some(path)) => call.others.own_settings(path.as_ref()),
                _ => std::collections::BTreeMap::new(),
            };
            let is_own = listing.id == call.project.id;
            ProjectLine::from(listing).seen_from(is_own, config)
        };
        Self {
            projects: list.projects.into_iter().map(line).collect(),
            totals: list.totals.into(),
            cross_project_links: list.links.into_iter().map(ProjectLinkLine::from).collect(),
            shared_entities: Vec::new(),
            outcome: None,
        }
    }

    /// One project with its own links.
    fn of_one(call: &OperationCall<'_>, mut list: ProjectList, id: &engine::ProjectId) -> Self {
        list.projects.retain(|listing| listing.id == *id);
        let name = list.projects.first().map(|listing| listing.name.clone()).unwrap_or_default();
        list.links.retain(|link| link.source == name || link.target == name);
        Self::from_list(call, list)
    }
}

impl OperationReply for ProjectReply {
    fn is_report(&self) -> bool {
        true
    }

    fn to_text(&self) -> String {
        if self.projects.is_empty() {
            return "no project yet: `index` and `import` make some\n".to_owned();
        }
        let mut text: String = self.outcome.map(|outcome| format!("{outcome}: ")).unwrap_or_default();
        for project in &self.projects {
            text += &project.to_text();
            let links = self.cross_project_links.iter();
            text.extend(links.filter(|link| link.starts_at(project)).map(ProjectLinkLine::to_text));
        }
        if let [only] = self.projects.as_slice() {
            let links = self.cross_project_links.iter();
            text.extend(links.filter(|link| !link.starts_at(only)).map(ProjectLinkLine::to_incoming_text));
        }
        for shared in &self.shared_entities {
            text += &format!("  shared       {} {}: {}\n", shared.r#type, show_name(&shared.name), shared.listed());
        }
        text
    }

    fn command_exit(&self) -> CommandExit {
        if self.projects.is_empty() { CommandExit::NothingFound } else { CommandExit::Ok }
    }
}
