//! Conformance tests that every store backend must pass, for `EntityStore`: entities and links that somebody named.

use super::sample::{ODD_TEXTS, project_id};
use super::{StoreCase, StorePair, cases};
use crate::{EntityRevision, EntityStatements};
use model::{EdgeKind, EntityKind, EntityLinkStatement, EntityState, EntityStatement, Timestamp};

cases![
    statements_come_back_as_they_were_in_their_order,
    the_revision_grows_with_every_statement_of_the_project,
    what_is_said_of_projects_is_found_among_all_statements,
];

const NOW: Timestamp = Timestamp(9_000);

pub(super) fn entity(of: &str, name: &str, text: Option<&str>) -> EntityStatement {
    let text = text.map(str::to_owned);
    EntityStatement {
        project: project_id(of),
        state: EntityState::Stated,
        kind: EntityKind::Concept,
        name: name.to_owned(),
        content: text.clone(),
        summary: text.clone(),
        metadata: text.clone(),
        file: text,
        at: NOW,
    }
}

pub(super) fn link(of: &str, source: &str, target: &str) -> EntityLinkStatement {
    EntityLinkStatement {
        project: project_id(of),
        state: EntityState::Stated,
        source: source.to_owned(),
        target: target.to_owned(),
        relationship: EdgeKind::DependsOn,
        weight: 70,
        metadata: Some(target.to_owned()),
        at: NOW,
    }
}

async fn statements_come_back_as_they_were_in_their_order(stores: &StorePair) {
    let mut written = EntityStatements::default();
    for odd in ODD_TEXTS {
        written.entities.push(entity("p", odd, Some(odd)));
        written.links.push(link("p", odd, odd));
    }
    written.entities.push(entity("p", "plain", None));
    written.entities.push(EntityStatement { state: EntityState::Removed, ..entity("p", "plain", None) });
    written.links.push(EntityLinkStatement { state: EntityState::Removed, metadata: None, ..link("p", "a", "b") });
    stores.first.write_entities(written.clone()).await.expect("writes");
    stores.first.write_entities(EntityStatements::default()).await.expect("writes nothing");
    let other = EntityStatements { entities: vec![entity("q", "plain", None)], links: Vec::new() };
    stores.first.write_entities(other.clone()).await.expect("writes");
    assert_eq!(stores.second.load_entities(&project_id("p"), EntityRevision::default()).await.expect("reads"), written);
    assert_eq!(stores.second.load_entities(&project_id("q"), EntityRevision::default()).await.expect("reads"), other);
    assert_eq!(
        stores.second.load_entities(&project_id("r"), EntityRevision::default()).await.expect("reads"),
        EntityStatements::default()
    );
}

async fn what_is_said_of_projects_is_found_among_all_statements(stores: &StorePair) {
    let about = |of: &str, name: &str| EntityStatement { kind: EntityKind::Project, ..entity(of, name, Some("text")) };
    let (p, q) = (project_id("p").to_string(), project_id("q").to_string());
    let written = EntityStatements {
        entities: vec![about("p", "shop"), entity("p", "shop", None), about("q", "tools"), about("p", "store")],
        links: vec![link("p", &p, &q), link("q", &p, &q), link("q", "ent_1", &q), link("q", &q, &p)],
    };
    stores.first.write_entities(written).await.expect("writes");
    let expected = EntityStatements {
        entities: vec![about("p", "shop"), about("q", "tools"), about("p", "store")],
        links: vec![link("p", &p, &q), link("q", &q, &p)],
    };
    assert_eq!(stores.second.project_statements().await.expect("reads"), expected);
}

async fn the_revision_grows_with_every_statement_of_the_project(stores: &StorePair) {
    let revision = async || stores.second.entity_revision(&project_id("p")).await.expect("reads");
    let empty = revision().await;
    assert_eq!((empty.entities, empty.links), (0, 0));
    let entities = EntityStatements { entities: vec![entity("p", "a", None)], links: Vec::new() };
    stores.first.write_entities(entities.clone()).await.expect("writes");
    let first = revision().await;
    stores.first.write_entities(entities).await.expect("writes");
    let second = revision().await;
    stores
        .first
        .write_entities(EntityStatements { entities: Vec::new(), links: vec![link("p", "a", "b")] })
        .await
        .expect("writes");
    let third = revision().await;
    stores
        .first
        .write_entities(EntityStatements { entities: vec![entity("q", "a", None)], links: Vec::new() })
        .await
        .expect("writes");
    assert!(
        first.entities > 0 && second.entities > first.entities && third.links > second.links,
        "{first:?} {second:?} {third:?}"
    );
    assert_eq!(revision().await, third);
    let behind = async |after| stores.second.load_entities(&project_id("p"), after).await.expect("reads");
    assert_eq!((behind(first).await.entities.len(), behind(second).await.links.len()), (1, 1), "what came later");
    assert_eq!(behind(third).await, EntityStatements::default());
}
