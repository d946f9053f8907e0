//! What links of entities join: an entity, a symbol or file of the code, a requirement, or an id that leads nowhere any
//! more. Finds what a text means, and names what was found.

use super::entity_table::EntityTable;
use crate::Engine;
use crate::base::{Error, Project, Result};
use crate::code::graph::{Graph, find_node};
use crate::code::graph_load::load_graph;
use crate::code::relate::{DocumentTable, LinkEnd, load_documents, place_of};
use model::{EntityId, LineRange};
use std::sync::Arc;

/// One end.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum GraphEnd {
    Entity(EntityId),
    Code(LinkEnd),
    /// What was linked is not there any more: a file that was deleted, a symbol that was renamed.
    Gone(String),
}

/// One end as replies show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedEnd {
    /// Its id.
    pub id: String,
    /// Its type, as a word; `gone` where it leads nowhere.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// Its file, where it has one.
    pub path: Option<String>,
    /// Its lines in the file.
    pub lines: Option<LineRange>,
}

/// Everything that an end can be.
pub(super) struct EndFinder<'a> {
    project: &'a Project,
    pub(super) table: Arc<EntityTable>,
    pub(super) graph: Arc<Graph>,
    pub(super) documents: Arc<DocumentTable>,
}

impl<'a> EndFinder<'a> {
    pub(super) async fn load(engine: &Engine, project: &'a Project, table: Arc<EntityTable>) -> Result<Self> {
        let graph = load_graph(&engine.code, project).await?;
        let documents = load_documents(&engine.code, project, &graph).await?;
        Ok(Self { project, table, graph, documents })
    }

    /// What a text means: an entity before a requirement, a requirement before a symbol.
    pub(super) fn find_end(&self, field: &'static str, text: &str) -> Result<GraphEnd> {
        if text.trim().is_empty() {
            return Err(Error::Parameter { field, reason: "is empty".to_owned() });
        }
        if let Some(id) = self.table.find_entity(field, text)? {
            return Ok(GraphEnd::Entity(id));
        }
        if let Some(item) = self.documents.find_item(text) {
            return Ok(GraphEnd::Code(LinkEnd::Item(item)));
        }
        match find_node(&self.graph, self.project, text) {
            Ok(node) => Ok(GraphEnd::Code(LinkEnd::Node(node))),
            // Links of what is gone can still be shown and removed.
            Err(_) if self.table.links_of(text.trim()).next().is_some() => Ok(GraphEnd::Gone(text.trim().to_owned())),
            Err(Error::NotFound { id, hint, .. }) => {
                Err(Error::NotFound { what: "entity, requirement or symbol", id, hint })
            }
            Err(Error::Parameter { reason, .. }) => Err(Error::Parameter { field, reason }),
            Err(other) => Err(other),
        }
    }

    /// What an id in a link leads to now.
    pub(super) fn end_of_id(&self, id: &str) -> GraphEnd {
        self.find_end("id", id).unwrap_or_else(|_| GraphEnd::Gone(id.to_owned()))
    }

    /// The id under which links keep an end.
    pub(super) fn end_id(&self, end: &GraphEnd) -> String {
        match end {
            GraphEnd::Entity(id) => id.to_string(),
            GraphEnd::Code(LinkEnd::Node(node)) => self.graph.id(*node),
            GraphEnd::Code(LinkEnd::Item(at)) => self.documents.items[*at].id.clone(),
            GraphEnd::Gone(id) => id.clone(),
        }
    }

    pub(super) fn name_end(&self, end: &GraphEnd) -> NamedEnd {
        match end {
            GraphEnd::Entity(id) => {
                let entity = self.table.entity(id);
                NamedEnd {
                    id: id.to_string(),
                    kind: entity.map_or("gone", |entity| entity.kind.as_str()),
                    name: entity.map_or_else(|| id.to_string(), |entity| entity.name.clone()),
                    path: entity.and_then(|entity| entity.file.clone()),
                    lines: None,
                }
            }
            GraphEnd::Code(end) => {
                let named = place_of(&self.documents, *end, 0, 1.0).named;
                let name = match end {
                    LinkEnd::Node(node) => self.graph.name(*node).to_owned(),
                    LinkEnd::Item(at) => self.documents.items[*at].text.clone(),
                };
                NamedEnd {
                    kind: named.kind.map(model::SymbolKind::as_str).or(named.item).unwrap_or("file"),
                    id: named.id,
                    name,
                    path: Some(named.path),
                    lines: Some(named.lines),
                }
            }
            GraphEnd::Gone(id) => NamedEnd { id: id.clone(), kind: "gone", name: id.clone(), path: None, lines: None },
        }
    }
}
