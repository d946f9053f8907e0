//! What links of entities join: an entity, a symbol or file of the code, a requirement, something of a conversation, or an id
//! that leads nowhere any more. Finds what a text means, and names what was found.

use super::entity_table::EntityTable;
use super::entity_view::EntityView;
use super::memory_end::MemoryEnd;
use crate::Engine;
use crate::base::{Error, Project, Result};
use crate::code::graph::{Graph, NodeId, find_node};
use crate::code::graph_load::load_graph;
use crate::code::relate::{DocumentTable, LinkEnd, load_documents, place_of};
use crate::memory::MemoryContext;
use model::{EntityId, LineRange};
use std::sync::Arc;

/// One end.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum GraphEnd {
    Entity(EntityId),
    Code(LinkEnd),
    Memory(MemoryEnd),
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

impl NamedEnd {
    pub(super) fn gone(id: &str) -> Self {
        Self { id: id.to_owned(), kind: "gone", name: id.to_owned(), path: None, lines: None }
    }
}

/// Everything that an end can be.
pub(super) struct EndFinder<'a> {
    pub(super) project: &'a Project,
    pub(super) memory: &'a MemoryContext,
    pub(super) table: Arc<EntityTable>,
    pub(super) graph: Arc<Graph>,
    pub(super) documents: Arc<DocumentTable>,
}

impl<'a> EndFinder<'a> {
    pub(super) async fn load(engine: &'a Engine, project: &'a Project, table: Arc<EntityTable>) -> Result<Self> {
        let graph = load_graph(&engine.code, project).await?;
        let documents = load_documents(&engine.code, project, &graph).await?;
        Ok(Self { project, memory: &engine.memory, table, graph, documents })
    }

    /// What a text means: an entity before a requirement, a requirement before a symbol.
    pub(super) async fn find_end(&self, field: &'static str, text: &str) -> Result<GraphEnd> {
        let text = text.trim();
        if text.is_empty() {
            return Err(Error::Parameter { field, reason: "is empty".to_owned() });
        }
        if let Some(id) = self.table.find_entity(field, text)? {
            return Ok(GraphEnd::Entity(id));
        }
        let found = match MemoryEnd::find(self.memory, text).await {
            Ok(Some(end)) => return Ok(GraphEnd::Memory(end)),
            Ok(None) => self.find_code(text),
            Err(error) => Err(error),
        };
        match found {
            // Links of what is gone can still be shown and removed.
            Err(_) if self.table.links_of(text).next().is_some() => Ok(GraphEnd::Gone(text.to_owned())),
            Err(Error::NotFound { id, hint, .. }) => {
                Err(Error::NotFound { what: "entity, requirement or symbol", id, hint })
            }
            Err(Error::Parameter { reason, .. }) => Err(Error::Parameter { field, reason }),
            found => found,
        }
    }

    fn find_code(&self, text: &str) -> Result<GraphEnd> {
        let end = match self.documents.find_item(text) {
            Some(item) => LinkEnd::Item(item),
            None => LinkEnd::Node(find_node(&self.graph, self.project, text)?),
        };
        Ok(GraphEnd::Code(end))
    }

    /// What an id in a link leads to now. Ids only: an entity that is called like a symbol does not take its place.
    pub(super) fn end_of_id(&self, id: &str) -> GraphEnd {
        if let Ok(entity) = EntityId::parse(id) {
            return match self.table.entity(&entity) {
                Some(_) => GraphEnd::Entity(entity),
                None => GraphEnd::Gone(id.to_owned()),
            };
        }
        match MemoryEnd::of_id(id) {
            Some(end) => GraphEnd::Memory(end),
            None => self.find_code(id).unwrap_or_else(|_| GraphEnd::Gone(id.to_owned())),
        }
    }

    /// The id under which links keep an end.
    pub(super) fn end_id(&self, end: &GraphEnd) -> String {
        match end {
            GraphEnd::Entity(id) => id.to_string(),
            GraphEnd::Code(LinkEnd::Node(node)) => self.graph.id(*node),
            GraphEnd::Code(LinkEnd::Item(at)) => self.documents.items[*at].id.clone(),
            GraphEnd::Memory(end) => end.id().to_owned(),
            GraphEnd::Gone(id) => id.clone(),
        }
    }

    pub(super) async fn name_end(&self, end: &GraphEnd) -> Result<NamedEnd> {
        Ok(match end {
            GraphEnd::Entity(id) => match self.table.entity(id) {
                Some(entity) => NamedEnd {
                    id: id.to_string(),
                    kind: entity.kind.as_str(),
                    name: entity.name.clone(),
                    path: entity.file.clone(),
                    lines: None,
                },
                None => NamedEnd::gone(id.as_str()),
            },
            GraphEnd::Code(end) => {
                let view = self.view_of_code(*end);
                NamedEnd { id: view.id, kind: view.kind, name: view.name, path: view.file, lines: view.lines }
            }
            GraphEnd::Memory(end) => end.name(self.memory).await?,
            GraphEnd::Gone(id) => NamedEnd::gone(id),
        })
    }

    /// A symbol, file, section or item, as far as it is known without a look at its file.
    pub(super) fn view_of_code(&self, end: LinkEnd) -> EntityView {
        let named = place_of(&self.documents, end, 0, 1.0).named;
        let (kind, name) = match end {
            LinkEnd::Node(node) => (self.kind_of_node(node), self.graph.name(node).to_owned()),
            LinkEnd::Item(at) => {
                let item = &self.documents.items[at];
                (item.kind, item.text.clone())
            }
        };
        EntityView { file: Some(named.path), lines: Some(named.lines), ..EntityView::new(named.id, kind, name) }
    }

    pub(super) fn kind_of_node(&self, node: NodeId) -> &'static str {
        match self.graph.kind(node) {
            Some(kind) => kind.as_str(),
            None if self.documents.find_file(node).is_some_and(|read| read.facts.is_document) => "document",
            None => "file",
        }
    }
}
