//! Entities that several projects name: the same type and the same name, whatever each says of it.

use super::known_projects;
use crate::Engine;
use crate::base::Result;
use model::{EntityKind, EntityState, ProjectId};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// An entity that several projects name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedEntity {
    /// What it is.
    pub kind: EntityKind,
    /// Its name, as the project that was asked about has it.
    pub name: String,
    /// The other projects that name it.
    pub projects: Vec<String>,
}

pub(crate) async fn shared_entities(engine: &Engine, project: &ProjectId) -> Result<Vec<SharedEntity>> {
    // By kind and name in any case; of each project the newest statement counts.
    let mut named: BTreeMap<(EntityKind, String), BTreeMap<ProjectId, Option<String>>> = BTreeMap::new();
    for (_, it) in engine.store.all_entities().await?.entities {
        if it.kind != EntityKind::Project {
            let name = (it.state == EntityState::Stated).then(|| it.name.clone());
            named.entry((it.kind, it.name.to_lowercase())).or_default().insert(it.project, name);
        }
    }
    let mut shared = Vec::new();
    let mut others = BTreeSet::new();
    for ((kind, _), by_project) in named {
        let Some(Some(name)) = by_project.get(project) else { continue };
        let also = by_project.iter().filter(|(other, name)| *other != project && name.is_some());
        let also: Vec<ProjectId> = also.map(|(other, _)| other.clone()).collect();
        if !also.is_empty() {
            others.extend(also.iter().cloned());
            shared.push((kind, name.clone(), also));
        }
    }
    if others.is_empty() {
        return Ok(Vec::new());
    }
    let listed = known_projects(engine).await?.into_iter();
    let called: HashMap<ProjectId, String> = listed.map(|listing| (listing.id, listing.name)).collect();
    let name_of = |id: &ProjectId| called.get(id).cloned().unwrap_or_else(|| id.to_string());
    let shared = shared.into_iter().map(|(kind, name, also)| SharedEntity {
        kind,
        name,
        projects: also.iter().map(name_of).collect(),
    });
    Ok(shared.collect())
}
