//! Finds the projects that a question names besides the one it is asked in.

use super::presence::folder_name;
use super::registry::ALL_PROJECTS;
use super::{KnownProject, ProjectPresence, known_projects};
use crate::Engine;
use crate::base::{Error, Project, Result};
use model::show_name;
use std::path::{Path, PathBuf};

/// Which projects callers may name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProjectReach {
    /// All that are on this machine: the caller is.
    Machine,
    /// Those in these directories, and the one that is served.
    Roots(Vec<PathBuf>),
}

/// A project that was named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectedProject {
    /// What it is called.
    pub name: String,
    /// Where it is.
    pub project: Project,
}

/// How many are asked at once at most: each has an index of its own to look at.
const MOST_PROJECTS: usize = 32;

pub(crate) async fn select_projects(
    engine: &Engine,
    current: &Project,
    names: &[String],
    reach: &ProjectReach,
) -> Result<Vec<SelectedProject>> {
    let mut known = known_projects(engine).await?;
    let own = known.iter().find(|listing| listing.id == current.id);
    let folder = || folder_name(&current.root_text()).unwrap_or_else(|| current.id.to_string());
    let here = SelectedProject { name: own.map_or_else(folder, |own| own.name.clone()), project: current.clone() };
    known.retain(|listing| listing.id != current.id && is_reached(listing, reach));
    let wants_all = names.iter().any(|name| name.trim() == ALL_PROJECTS);
    let mut selected: Vec<SelectedProject> = Vec::new();
    for name in names.iter().map(|name| name.trim()).filter(|name| !name.is_empty() && *name != ALL_PROJECTS) {
        let found = if means(name, &here.name, &current.id, &current.root) {
            here.clone()
        } else {
            let listing = known.iter().find(|listing| is_meant(name, listing));
            let listing = listing.ok_or_else(|| unknown_project(name, &here, &known))?;
            place_of(listing, reach)?
        };
        if !selected.contains(&found) {
            selected.push(found);
        }
    }
    if wants_all {
        // Those that are gone are no part of all; `project list` tells of them. Nor is a directory that nobody had indexed:
        // a question must not read all of it.
        let others =
            known.iter().filter(|listing| listing.is_indexed).filter_map(|listing| place_of(listing, reach).ok());
        for found in std::iter::once(here).chain(others) {
            if !selected.contains(&found) && selected.len() < MOST_PROJECTS {
                selected.push(found);
            }
        }
    }
    if selected.len() > MOST_PROJECTS {
        let reason = format!("names {} projects: at most {MOST_PROJECTS} are asked at once", selected.len());
        return Err(Error::Parameter { field: "projects", reason });
    }
    Ok(selected)
}

/// Whether callers may ask about a project. What others wrote into a store that several machines share leads nowhere that
/// the server was not started for.
fn is_reached(listing: &KnownProject, reach: &ProjectReach) -> bool {
    match reach {
        ProjectReach::Machine => true,
        ProjectReach::Roots(roots) => listing.roots.iter().any(|own| roots.iter().any(|root| root == Path::new(own))),
    }
}

fn is_meant(name: &str, listing: &KnownProject) -> bool {
    let root = listing.roots.first().map(String::as_str).unwrap_or_default();
    means(name, &listing.name, &listing.id, Path::new(root))
        || listing.roots.iter().any(|root| root == name.trim_end_matches('/'))
}

fn means(text: &str, name: &str, id: &model::ProjectId, root: &Path) -> bool {
    text.to_lowercase() == name.to_lowercase() || text == id.as_str() || Path::new(text) == root
}

/// The first of the directories of a project that is there and still holds it.
fn place_of(listing: &KnownProject, reach: &ProjectReach) -> Result<SelectedProject> {
    let roots = listing.roots.iter().map(Path::new);
    let allowed = |root: &&Path| match reach {
        ProjectReach::Machine => true,
        ProjectReach::Roots(roots) => roots.iter().any(|allowed| allowed == root),
    };
    for root in roots.filter(allowed).filter(|root| root.is_dir()) {
        if let Ok(project) = Project::from_directory(root)
            && project.id == listing.id
            && project.root == *root
        {
            return Ok(SelectedProject { name: listing.name.clone(), project });
        }
    }
    let (name, state) = (show_name(&listing.name), ProjectPresence::Missing.as_str());
    let reason = match listing.roots.first() {
        Some(path) => {
            format!("names `{name}`, which is {state}: it was in {}; index it where it is now", show_name(path))
        }
        None => format!("names `{name}`, of which no directory is known: run a question in it once"),
    };
    Err(Error::Parameter { field: "projects", reason })
}

fn unknown_project(name: &str, here: &SelectedProject, known: &[KnownProject]) -> Error {
    let names = std::iter::once(here.name.as_str()).chain(known.iter().map(|listing| listing.name.as_str()));
    let names: Vec<_> = names.take(MOST_PROJECTS).map(show_name).collect();
    let hint = format!("known are {}", names.join(", "));
    Error::NotFound { what: "project", id: name.to_owned(), hint: Some(hint) }
}
