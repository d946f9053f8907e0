//! Entities that people and agents name (a concept, a person, a decision), and links between them and symbols, files and
//! requirements: added, listed, shown and removed. Stored are statements, of which the newest counts (`entity_table`);
//! `entity_walk` goes over their links, those of documents and the edges of the code as over one graph.

mod entity_detail;
mod entity_end;
mod entity_kinds;
mod entity_table;
mod entity_view;
mod entity_walk;
mod found_entities;
mod linked_entities;
mod memory_end;

pub use entity_end::NamedEnd;
pub(crate) use entity_table::EntityCache;
pub use entity_table::{Entity, EntityLink};
pub use entity_view::EntityView;
pub use entity_walk::{EntityRelation, EntityRelations, EntityWalkRequest};
pub(crate) use linked_entities::{export_graph, find_entities, find_linked, find_relations, text_of};

use crate::Engine;
use crate::base::{Error, Project, Result};
use entity_end::EndFinder;
use entity_kinds::{WantedKind, read_kind, read_relationship};
use entity_table::EntityTable;
use found_entities::list_found;
use model::scrub::RuleName;
use model::{EntityLinkStatement, EntityState, EntityStatement};
use std::sync::Arc;
use store::EntityStatements;

/// Bytes of a name, and of what is kept with it, at most.
const MAX_NAME_BYTES: usize = 300;
const MAX_TEXT_BYTES: usize = 32_000;

/// An entity to add, or to say more of.
#[derive(Clone, Debug, Default)]
pub struct EntityRequest {
    /// What it is, as a word.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// What is known of it.
    pub content: Option<String>,
    /// The same in short.
    pub summary: Option<String>,
    /// What else is kept with it, as a JSON object.
    pub metadata: Option<String>,
    /// The file it is about.
    pub file: Option<String>,
}

/// A link to make.
#[derive(Clone, Debug, Default)]
pub struct EntityLinkRequest {
    /// Where it starts: the id or name of an entity, a symbol, a file or a requirement.
    pub source: String,
    /// Where it leads.
    pub target: String,
    /// How the two are related, as a word.
    pub relationship: String,
    /// How sure that is; certain where nothing is said.
    pub weight: Option<f32>,
    /// What else is kept with it, as a JSON object.
    pub metadata: Option<String>,
}

/// What became of an entity.
#[derive(Clone, Debug)]
pub struct KeptEntity {
    /// As it is now.
    pub entity: Entity,
    /// Whether it was not there before.
    pub is_new: bool,
    /// The rules by which secrets were replaced in it, one for each secret.
    pub secrets: Vec<RuleName>,
}

/// What became of a link.
#[derive(Clone, Debug)]
pub struct KeptLink {
    /// As it is now.
    pub link: EntityLink,
    /// Where it starts.
    pub source: NamedEnd,
    /// Where it leads.
    pub target: NamedEnd,
    /// Whether it was not there before.
    pub is_new: bool,
}

/// Entities of a project.
#[derive(Clone, Debug)]
pub struct EntityList {
    /// By kind, then name; those that nobody had to name behind those that somebody named.
    pub entities: Vec<EntityView>,
    /// How many there are.
    pub total: usize,
}

/// Which entities.
#[derive(Clone, Debug, Default)]
pub struct EntityFilter {
    /// Only of this type; then also those of code, documents and conversations, which nobody had to name.
    pub kind: Option<String>,
    /// Only those whose name, content or summary has this text.
    pub text: Option<String>,
    /// So many are left out at the front.
    pub skip: usize,
    /// How many at most.
    pub limit: usize,
}

/// What was removed.
#[derive(Clone, Debug)]
pub enum RemovedEntity {
    /// An entity, with so many links.
    Entity(Entity, usize),
    /// A link.
    Link(EntityLink),
}

pub(crate) async fn add_entity(engine: &Engine, project: &Project, request: EntityRequest) -> Result<KeptEntity> {
    let kind = read_kind(&request.kind)?;
    let scrubber = engine.scrubber.load().await?;
    let mut secrets = Vec::new();
    let mut scrub = |field: &'static str, text: Option<String>, most: usize| -> Result<Option<String>> {
        let Some(text) = text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()) else {
            return Ok(None);
        };
        let (clean, found) = scrubber.scrub_text(&text);
        secrets.extend(found.into_iter().map(|found| found.rule));
        if clean.len() > most {
            return Err(Error::Parameter { field, reason: format!("is longer than {most} bytes") });
        }
        Ok(Some(clean.into_owned()))
    };
    let name = scrub("name", Some(request.name), MAX_NAME_BYTES)?;
    let name = name.filter(|name| !name.contains('\n')).ok_or_else(|| {
        let reason = "is empty or has several lines: an entity is known by a name".to_owned();
        Error::Parameter { field: "name", reason }
    })?;
    let content = scrub("content", request.content, MAX_TEXT_BYTES)?;
    let summary = scrub("summary", request.summary, MAX_TEXT_BYTES)?;
    let metadata = scrub("metadata", request.metadata, MAX_TEXT_BYTES)?;
    let file = scrub("file", request.file, MAX_NAME_BYTES)?;
    let statement = EntityStatement {
        project: project.id.clone(),
        state: EntityState::Stated,
        kind,
        name,
        content,
        summary,
        metadata,
        file,
        at: engine.clock.now(),
    };
    let id = statement.id();
    let before = load_table(engine, project).await?.entity(&id).cloned();
    // What is not said again stays as it was.
    let statement = match &before {
        Some(known) => EntityStatement {
            content: statement.content.or_else(|| known.content.clone()),
            summary: statement.summary.or_else(|| known.summary.clone()),
            metadata: statement.metadata.or_else(|| known.metadata.clone()),
            file: statement.file.or_else(|| known.file.clone()),
            ..statement
        },
        None => statement,
    };
    let is_said_again = before.as_ref().is_some_and(|known| {
        let said = (&statement.content, &statement.summary, &statement.metadata, &statement.file);
        (&known.content, &known.summary, &known.metadata, &known.file) == said
    });
    if !is_said_again {
        let statements = EntityStatements { entities: vec![statement], links: Vec::new() };
        engine.store.write_entities(statements).await?;
    }
    let table = load_table(engine, project).await?;
    let entity = table.entity(&id).cloned();
    let entity = entity.ok_or_else(|| Error::NotFound { what: "entity", id: id.to_string(), hint: None })?;
    Ok(KeptEntity { entity, is_new: before.is_none(), secrets })
}

pub(crate) async fn link_entities(engine: &Engine, project: &Project, request: EntityLinkRequest) -> Result<KeptLink> {
    let relationship = read_relationship("relationship", &request.relationship)?;
    let weight = request.weight.unwrap_or(1.0);
    if !(0.0..=1.0).contains(&weight) {
        return Err(Error::Parameter { field: "weight", reason: format!("is {weight}: from 0 to 1") });
    }
    let metadata = match request.metadata {
        Some(metadata) if metadata.len() > MAX_TEXT_BYTES => {
            return Err(Error::Parameter {
                field: "metadata",
                reason: format!("is longer than {MAX_TEXT_BYTES} bytes"),
            });
        }
        Some(metadata) => Some(engine.scrubber.load().await?.scrub_text(&metadata).0.into_owned()),
        None => None,
    };
    let table = load_table(engine, project).await?;
    let finder = EndFinder::load(engine, project, Arc::clone(&table)).await?;
    let source = finder.find_end("source", &request.source).await?;
    let target = finder.find_end("target", &request.target).await?;
    let statement = EntityLinkStatement {
        project: project.id.clone(),
        state: EntityState::Stated,
        source: finder.end_id(&source),
        target: finder.end_id(&target),
        relationship,
        weight: (weight * 100.0).round() as u32,
        metadata,
        at: engine.clock.now(),
    };
    if statement.source == statement.target {
        let reason = format!("is `{}`, where the link starts: a link joins two things", statement.target);
        return Err(Error::Parameter { field: "target", reason });
    }
    let id = statement.id();
    let before = table.link(&id).cloned();
    let is_said_again = before.as_ref().is_some_and(|known| {
        known.weight == statement.weight && (statement.metadata.is_none() || known.metadata == statement.metadata)
    });
    let (source, target) = (finder.name_end(&source).await?, finder.name_end(&target).await?);
    // The table is brought up to date in place, where nobody holds it.
    drop((finder, table));
    if !is_said_again {
        engine.store.write_entities(EntityStatements { entities: Vec::new(), links: vec![statement] }).await?;
    }
    let table = load_table(engine, project).await?;
    let link = table.link(&id).cloned();
    let link = link.ok_or_else(|| Error::NotFound { what: "link", id: id.to_string(), hint: None })?;
    Ok(KeptLink { link, source, target, is_new: before.is_none() })
}

pub(crate) async fn list_entities(engine: &Engine, project: &Project, filter: EntityFilter) -> Result<EntityList> {
    let kind = filter.kind.as_deref().map(WantedKind::read).transpose()?;
    let table = load_table(engine, project).await?;
    let text = filter.text.map(|text| text.trim().to_lowercase()).filter(|text| !text.is_empty());
    let has_text = |entity: &EntityView| {
        text.as_ref().is_none_or(|text| {
            let texts = [Some(&entity.name), Some(&entity.id), entity.content.as_ref(), entity.summary.as_ref()];
            texts.into_iter().flatten().any(|own| own.to_lowercase().contains(text))
        })
    };
    let named = table.entities().filter(|entity| kind.is_none_or(|kind| kind.fits(entity.kind.as_str())));
    let mut entities: Vec<EntityView> = named.cloned().map(EntityView::from).filter(&has_text).collect();
    entities.sort_by(|a, b| (a.kind, &a.name).cmp(&(b.kind, &b.name)));
    if let Some(kind) = kind {
        let finder = EndFinder::load(engine, project, table).await?;
        entities.extend(list_found(&finder, kind, has_text).await?);
    }
    let total = entities.len();
    let entities = entities.into_iter().skip(filter.skip).take(filter.limit).collect();
    Ok(EntityList { entities, total })
}

pub(crate) async fn walk_entities(
    engine: &Engine,
    project: &Project,
    request: EntityWalkRequest,
) -> Result<EntityRelations> {
    let table = load_table(engine, project).await?;
    let finder = EndFinder::load(engine, project, table).await?;
    entity_walk::walk(&finder, &request).await
}

pub(crate) async fn remove_entity(engine: &Engine, project: &Project, name: &str) -> Result<RemovedEntity> {
    let table = load_table(engine, project).await?;
    let at = engine.clock.now();
    let removal = |link: &EntityLink| EntityLinkStatement {
        project: project.id.clone(),
        state: EntityState::Removed,
        source: link.source.clone(),
        target: link.target.clone(),
        relationship: link.relationship,
        weight: link.weight,
        metadata: None,
        at,
    };
    if let Some(link) = table.find_link(name) {
        let statements = EntityStatements { entities: Vec::new(), links: vec![removal(link)] };
        engine.store.write_entities(statements).await?;
        return Ok(RemovedEntity::Link(link.clone()));
    }
    let Some(id) = table.find_entity("name", name)? else {
        let hint = "`epitome entity list` shows what is there".to_owned();
        return Err(Error::NotFound { what: "entity", id: name.to_owned(), hint: Some(hint) });
    };
    let entity = table.entity(&id).cloned();
    let entity = entity.ok_or_else(|| Error::NotFound { what: "entity", id: id.to_string(), hint: None })?;
    let links: Vec<EntityLinkStatement> = table.links_of(id.as_str()).map(removal).collect();
    let count = links.len();
    let statement = EntityStatement {
        project: project.id.clone(),
        state: EntityState::Removed,
        kind: entity.kind,
        name: entity.name.clone(),
        content: None,
        summary: None,
        metadata: None,
        file: None,
        at,
    };
    engine.store.write_entities(EntityStatements { entities: vec![statement], links }).await?;
    Ok(RemovedEntity::Entity(entity, count))
}

async fn load_table(engine: &Engine, project: &Project) -> Result<Arc<EntityTable>> {
    engine.entities.load(&*engine.store, &project.id).await
}
