//! What was said of projects themselves: a name, a description, links to others. It is kept as statements, like entities, of
//! which the newest counts; a project about which nothing was said is called like its folder.

use crate::Engine;
use crate::base::{Error, Project, Result};
use model::{EdgeKind, EntityKind, EntityLinkStatement, EntityState, EntityStatement, ProjectId, Timestamp};
use std::collections::{BTreeMap, HashMap};
use store::EntityStatements;

/// Bytes of a name and of a description, at most.
const MAX_NAME_BYTES: usize = 100;
const MAX_DESCRIPTION_BYTES: usize = 2_000;

/// The word that stands for every project where projects are named.
pub(super) const ALL_PROJECTS: &str = "all";

/// What is said of a project from now on; what is not said stays as it was.
#[derive(Clone, Debug, Default)]
pub struct ProjectSetting {
    /// What it is called.
    pub name: Option<String>,
    /// What it is, in a sentence; empty for none.
    pub description: Option<String>,
}

/// A link from one project to another that somebody made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StatedProjectLink {
    pub(super) source: ProjectId,
    pub(super) target: ProjectId,
    pub(super) relationship: EdgeKind,
    /// In hundredths.
    pub(super) weight: u32,
    pub(super) created: Timestamp,
}

/// What was said of one project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StatedProject {
    /// None where its name was taken back.
    pub(super) name: Option<String>,
    pub(super) description: Option<String>,
    /// Where it was when that was said.
    pub(super) path: Option<String>,
    pub(super) created: Timestamp,
    pub(super) updated: Timestamp,
}

/// All that was said of projects.
#[derive(Debug, Default)]
pub(super) struct ProjectRegistry {
    pub(super) projects: BTreeMap<ProjectId, StatedProject>,
    pub(super) links: Vec<StatedProjectLink>,
}

impl ProjectRegistry {
    pub(super) async fn load(engine: &Engine) -> Result<Self> {
        Ok(Self::from_statements(engine.store.project_statements().await?))
    }

    fn from_statements(statements: EntityStatements) -> Self {
        let mut registry = Self::default();
        for it in statements.entities {
            let known = registry.projects.remove(&it.project);
            let created = known.as_ref().map_or(it.at, |known| known.created);
            let stated = match it.state {
                EntityState::Stated => StatedProject {
                    name: Some(it.name),
                    description: it.content,
                    path: it.file,
                    created,
                    updated: it.at,
                },
                // A new name takes the place of an old one, which is taken back before.
                EntityState::Removed => StatedProject {
                    name: known.as_ref().and_then(|known| known.name.clone()).filter(|name| *name != it.name),
                    description: known.as_ref().and_then(|known| known.description.clone()),
                    path: known.and_then(|known| known.path),
                    created,
                    updated: it.at,
                },
            };
            registry.projects.insert(it.project, stated);
        }
        for it in statements.links {
            let Ok(target) = ProjectId::parse(&it.target) else { continue };
            let known =
                registry.links.iter().position(|known| (&known.source, &known.target) == (&it.project, &target));
            let known = known.map(|at| registry.links.remove(at));
            if it.state == EntityState::Stated {
                registry.links.push(StatedProjectLink {
                    created: known.map_or(it.at, |known| known.created),
                    source: it.project,
                    target,
                    relationship: it.relationship,
                    weight: it.weight,
                });
            }
        }
        registry
    }

    /// A name for each project, no two of which are equal: the one that was given to it, else that of its folder, else its
    /// id. Folders of one name get a part of the id behind it.
    pub(super) fn name_projects(&self, folders: &[(ProjectId, Option<String>)]) -> HashMap<ProjectId, String> {
        let stated = |id: &ProjectId| self.projects.get(id).and_then(|stated| stated.name.clone());
        let mut uses: HashMap<String, usize> = HashMap::new();
        let folder = |id: &ProjectId, folder: &Option<String>| {
            folder.as_deref().and_then(usable_name).unwrap_or_else(|| id.to_string())
        };
        for (id, root) in folders {
            *uses.entry(stated(id).unwrap_or_else(|| folder(id, root)).to_lowercase()).or_default() += 1;
        }
        let named = folders.iter().map(|(id, root)| {
            let name = match stated(id) {
                // Two that were given the same name at once are told apart, too.
                Some(name) if uses[&name.to_lowercase()] == 1 || self.is_first_of_name(id, &name) => name,
                Some(name) => with_id(&name, id),
                None => {
                    let name = folder(id, root);
                    if uses[&name.to_lowercase()] == 1 { name } else { with_id(&name, id) }
                }
            };
            (id.clone(), name)
        });
        named.collect()
    }

    /// Whether no project was given that name before.
    fn is_first_of_name(&self, id: &ProjectId, name: &str) -> bool {
        let same = |other: &StatedProject| {
            other.name.as_deref().is_some_and(|other| other.to_lowercase() == name.to_lowercase())
        };
        let others = self.projects.iter().filter(|(_, other)| same(other));
        others.min_by_key(|(id, other)| (other.created, (*id).clone())).is_some_and(|(first, _)| first == id)
    }
}

/// A name with enough of the id behind it to be told from others.
fn with_id(name: &str, id: &ProjectId) -> String {
    let digits: String = id.as_str().chars().skip_while(|c| *c != '_').skip(1).take(6).collect();
    format!("{name}-{digits}")
}

/// The name of a folder as a name of a project; none where it could not be one.
fn usable_name(folder: &str) -> Option<String> {
    let name: String = folder.chars().map(|c| if c == ',' || c.is_control() { '_' } else { c }).collect();
    let name = name.trim().to_owned();
    check_name(&name).is_ok().then_some(name)
}

fn check_name(name: &str) -> Result<()> {
    let refuse = |reason: &str| Err(Error::Parameter { field: "name", reason: reason.to_owned() });
    if name.is_empty() || name.len() > MAX_NAME_BYTES {
        return refuse("must be between 1 and 100 bytes long");
    }
    if name.chars().any(|c| c.is_control() || matches!(c, ',' | '/' | '\\' | ':')) {
        return refuse("must be one line without `,`, `/`, `\\` and `:`, which stand between names and paths");
    }
    if name.eq_ignore_ascii_case(ALL_PROJECTS) || ProjectId::parse(name).is_ok() {
        return refuse("means something else where projects are named: choose another");
    }
    Ok(())
}

/// Keeps what is said of a project.
pub(super) async fn set_project(engine: &Engine, project: &Project, setting: ProjectSetting) -> Result<()> {
    let registry = ProjectRegistry::load(engine).await?;
    let known = registry.projects.get(&project.id);
    let scrubber = engine.scrubber.load().await?;
    let clean = |text: String| scrubber.scrub_text(text.trim()).0.into_owned();
    let name = match setting.name.map(clean) {
        Some(name) => {
            check_name(&name)?;
            name
        }
        None => match known.and_then(|known| known.name.clone()) {
            Some(name) => name,
            None => super::project_name(engine, project).await?,
        },
    };
    let taken = |(id, other): &(&ProjectId, &StatedProject)| {
        **id != project.id && other.name.as_deref().is_some_and(|other| other.to_lowercase() == name.to_lowercase())
    };
    if let Some((id, _)) = registry.projects.iter().find(taken) {
        return Err(Error::Parameter { field: "name", reason: format!("is `{name}`, the name of the project {id}") });
    }
    let description = match setting.description.map(clean) {
        Some(text) if text.len() > MAX_DESCRIPTION_BYTES => {
            let reason = format!("is longer than {MAX_DESCRIPTION_BYTES} bytes");
            return Err(Error::Parameter { field: "description", reason });
        }
        Some(text) => Some(text).filter(|text| !text.is_empty()),
        None => known.and_then(|known| known.description.clone()),
    };
    let statement = EntityStatement {
        project: project.id.clone(),
        state: EntityState::Stated,
        kind: EntityKind::Project,
        name,
        content: description,
        summary: None,
        metadata: None,
        file: Some(project.root_text()),
        at: engine.clock.now(),
    };
    let is_said_again = known.is_some_and(|known| {
        (&known.name, &known.description, &known.path)
            == (&Some(statement.name.clone()), &statement.content, &statement.file)
    });
    if is_said_again {
        return Ok(());
    }
    let before = known.and_then(|known| known.name.clone()).filter(|before| *before != statement.name);
    let taken_back = before.map(|name| EntityStatement {
        name,
        state: EntityState::Removed,
        content: None,
        file: None,
        ..statement.clone()
    });
    let entities = taken_back.into_iter().chain([statement]).collect();
    Ok(engine.store.write_entities(EntityStatements { entities, links: Vec::new() }).await?)
}

/// Keeps or takes back that one project depends on another.
pub(super) async fn state_link(
    engine: &Engine,
    source: &ProjectId,
    target: &ProjectId,
    state: EntityState,
) -> Result<()> {
    let statement = EntityLinkStatement {
        project: source.clone(),
        state,
        source: source.to_string(),
        target: target.to_string(),
        relationship: EdgeKind::DependsOn,
        weight: 100,
        metadata: None,
        at: engine.clock.now(),
    };
    Ok(engine.store.write_entities(EntityStatements { entities: Vec::new(), links: vec![statement] }).await?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::ContentHash;

    fn id(name: &str) -> ProjectId {
        ProjectId::from_hash(ContentHash::hash_bytes(name.as_bytes()))
    }

    fn says(of: &str, state: EntityState, name: &str, at: i64) -> EntityStatement {
        EntityStatement {
            project: id(of),
            state,
            kind: EntityKind::Project,
            name: name.to_owned(),
            content: None,
            summary: None,
            metadata: None,
            file: None,
            at: Timestamp(at),
        }
    }

    #[test]
    fn every_project_has_a_name_of_its_own() {
        let entities = vec![
            says("a", EntityState::Stated, "shop", 1),
            says("a", EntityState::Removed, "shop", 2),
            says("a", EntityState::Stated, "store", 2),
            says("b", EntityState::Stated, "Store", 3),
        ];
        let registry = ProjectRegistry::from_statements(EntityStatements { entities, links: Vec::new() });
        assert_eq!(registry.projects[&id("a")].created, Timestamp(1));
        let folder = |name: &str| Some(name.to_owned());
        let folders = [
            (id("a"), folder("x")),
            (id("b"), folder("x")),
            (id("c"), folder("app")),
            (id("d"), folder("App")),
            (id("e"), folder("all")),
            (id("f"), folder("a,b\n")),
            (id("g"), None),
        ];
        let named = registry.name_projects(&folders);
        let told: Vec<&str> = folders.iter().map(|(id, _)| named[id].as_str()).collect();
        let expected = [
            "store".to_owned(),
            with_id("Store", &id("b")),
            with_id("app", &id("c")),
            with_id("App", &id("d")),
            id("e").to_string(),
            "a_b_".to_owned(),
            id("g").to_string(),
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn a_name_that_would_be_read_as_something_else_is_refused() {
        let long = "x".repeat(101);
        let ours = id("a").to_string();
        for name in ["", "a,b", "a\nb", "a/b", "ALL", &ours, "a:b", &long] {
            assert!(check_name(name).is_err(), "{name:?}");
        }
        assert!(check_name("shop-2.0 (old)").is_ok());
    }

    #[test]
    fn a_link_that_was_taken_back_is_none() {
        let link = |state, at| EntityLinkStatement {
            project: id("a"),
            state,
            source: id("a").to_string(),
            target: id("b").to_string(),
            relationship: EdgeKind::DependsOn,
            weight: 100,
            metadata: None,
            at: Timestamp(at),
        };
        let links = vec![link(EntityState::Stated, 1), link(EntityState::Stated, 2)];
        let mut statements = EntityStatements { entities: Vec::new(), links };
        let found = ProjectRegistry::from_statements(statements.clone()).links;
        assert_eq!((found.len(), found[0].created), (1, Timestamp(1)));
        statements.links.push(link(EntityState::Removed, 3));
        assert_eq!(ProjectRegistry::from_statements(statements).links, []);
    }
}
