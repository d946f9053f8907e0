//! What somebody linked to symbols, files and requirements, for the operations that answer about those: relations, search,
//! and the export of the graph.

use super::entity_end::{EndFinder, GraphEnd};
use super::entity_table::Entity;
use super::load_table;
use crate::Engine;
use crate::base::{Error, Project, Result};
use crate::code::graph::{NodeId, find_node};
use crate::code::graph_load::load_graph;
use crate::code::relate::{self, ExportLine, RelationsRequest, StatedLink, SymbolRelations};
use model::EdgeKind;
use std::ops::ControlFlow;

/// So many links are shown beside what the code says; `entity show` has all.
const MOST_LINKS: usize = 20;

/// The relations of a symbol, file or requirement with what somebody linked to it.
pub(crate) async fn find_relations(
    engine: &Engine,
    project: &Project,
    request: RelationsRequest,
) -> Result<SymbolRelations> {
    let is_part = request.to.is_some() || !request.only.is_empty();
    let asked = request.symbol.clone();
    let found = relate::find_relations(&engine.code, project, request).await;
    let table = load_table(engine, project).await?;
    let mut found = match found {
        Err(Error::NotFound { what, id, .. }) if matches!(table.find_entity("symbol", &asked), Ok(Some(_))) => {
            let hint = "it is an entity that somebody named: `epitome entity show` has what is linked to it".to_owned();
            return Err(Error::NotFound { what, id, hint: Some(hint) });
        }
        found => found?,
    };
    if is_part || table.is_empty() {
        return Ok(found);
    }
    let finder = EndFinder::load(engine, project, table).await?;
    found.linked = stated_links(&finder, &found.symbol.id).await?;
    for other in &mut found.others {
        other.linked = stated_links(&finder, &other.symbol.id).await?;
    }
    Ok(found)
}

async fn stated_links(finder: &EndFinder<'_>, id: &str) -> Result<Vec<StatedLink>> {
    let mut links = Vec::new();
    for link in finder.table.links_of(id).take(MOST_LINKS) {
        let is_out = link.source == id;
        let other = finder.end_of_id(if is_out { &link.target } else { &link.source });
        let end = finder.name_end(&other).await?;
        links.push(StatedLink {
            link: link.id.to_string(),
            is_out,
            relationship: link.relationship,
            weight: link.weight,
            end: end.id,
            kind: end.kind,
            name: end.name,
        });
    }
    Ok(links)
}

/// Entities that a question is about: all words of their name are in it, or most of its words are in them; best first.
pub(crate) async fn find_entities(
    engine: &Engine,
    project: &Project,
    question: &str,
    most: usize,
) -> Result<Vec<Entity>> {
    Ok(load_table(engine, project).await?.find_about(question, most))
}

/// What an entity or an item of a document says, by its id, key or name.
pub(crate) async fn text_of(engine: &Engine, project: &Project, id: &str) -> Result<Option<String>> {
    let finder = EndFinder::load(engine, project, load_table(engine, project).await?).await?;
    if let Some(item) = finder.documents.find_item(id) {
        return Ok(Some(finder.documents.items[item].text.clone()));
    }
    let entity = finder.table.find_entity("related", id)?.and_then(|id| finder.table.entity(&id));
    Ok(entity.map(|entity| {
        let texts = [Some(&entity.name), entity.summary.as_ref(), entity.content.as_ref()];
        texts.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join("\n")
    }))
}

/// Entities that are linked to something: what an id names, a place of the code, a symbol around it, its file.
pub(crate) async fn find_linked(engine: &Engine, project: &Project, place: &str, most: usize) -> Result<Vec<Entity>> {
    let table = load_table(engine, project).await?;
    if table.is_empty() {
        return Ok(Vec::new());
    }
    let graph = load_graph(&engine.code, project).await?;
    let mut ids = vec![place.trim().to_owned()];
    // What names nothing is told by the search itself.
    if let Ok(node) = find_node(&graph, project, place) {
        let around = std::iter::successors(Some(node), |node| graph.container(*node));
        ids.extend(around.chain([NodeId::File(node.file_number())]).map(|node| graph.id(node)));
    }
    let mut found: Vec<Entity> = Vec::new();
    for id in ids {
        for entity in table.entities_linked_to(&id) {
            if found.len() < most && !found.iter().any(|known| known.id == entity.id) {
                found.push(entity.clone());
            }
        }
    }
    Ok(found)
}

/// Hands the graph to `take` line by line: the code, then what documents say, then what somebody named and linked.
pub(crate) async fn export_graph(
    engine: &Engine,
    project: &Project,
    take: &mut (dyn FnMut(ExportLine) -> ControlFlow<()> + Send),
) -> Result<()> {
    let mut is_broken = false;
    relate::export_graph(&engine.code, project, &mut |line| {
        let flow = take(line);
        is_broken = flow.is_break();
        flow
    })
    .await?;
    if is_broken {
        return Ok(());
    }
    let finder = EndFinder::load(engine, project, load_table(engine, project).await?).await?;
    for line in entity_lines(&finder) {
        if take(line).is_break() {
            break;
        }
    }
    Ok(())
}

fn entity_lines<'f>(finder: &'f EndFinder<'_>) -> impl Iterator<Item = ExportLine> + 'f {
    let documents = &finder.documents;
    let items = documents.items.iter().map(|item| ExportLine::Entity {
        id: item.id.clone(),
        kind: item.kind,
        name: item.text.clone(),
    });
    let said = documents.links.iter().map(|link| ExportLine::Link {
        from: finder.end_id(&GraphEnd::Code(link.from)),
        to: finder.end_id(&GraphEnd::Code(link.to)),
        kind: EdgeKind::References,
        weight: (link.weight * 100.0).round() as u32,
    });
    let named = finder.table.entities().map(|entity| ExportLine::Entity {
        id: entity.id.to_string(),
        kind: entity.kind.as_str(),
        name: entity.name.clone(),
    });
    let linked = finder.table.links().map(|link| ExportLine::Link {
        from: link.source.clone(),
        to: link.target.clone(),
        kind: link.relationship,
        weight: link.weight,
    });
    items.chain(named).chain(said).chain(linked)
}
