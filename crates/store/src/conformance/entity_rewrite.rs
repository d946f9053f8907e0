//! Conformance tests that every store backend must pass, for `RewriteStore` with entities: what the owner of the
//! database purges or forgets.

use super::entities::{entity, link};
use super::sample::project_id;
use super::{StoreCase, StorePair, cases};
use crate::{EntityLinkRewrite, EntityRevision, EntityRewrite, EntityStatements, StoreRewrite};
use model::{EntityStatement, Timestamp};

cases![forgetting_a_project_forgets_its_entities, other_words_take_the_place_of_stored_ones];

const NOW: Timestamp = Timestamp(9_000);

async fn forgetting_a_project_forgets_its_entities(stores: &StorePair) {
    for of in ["p", "q"] {
        let statements = EntityStatements { entities: vec![entity(of, "a", None)], links: vec![link(of, "a", "b")] };
        stores.first.write_entities(statements).await.expect("writes");
    }
    stores.first.forget_project(&project_id("p"), NOW).await.expect("forgets");
    assert_eq!(
        stores.second.load_entities(&project_id("p"), EntityRevision::default()).await.expect("reads"),
        EntityStatements::default()
    );
    assert_eq!(
        stores.second.load_entities(&project_id("q"), EntityRevision::default()).await.expect("reads").links.len(),
        1
    );
}

async fn other_words_take_the_place_of_stored_ones(stores: &StorePair) {
    let (old, new) = (entity("p", "secret", Some("secret")), entity("p", "[gone]", Some("[gone]")));
    let joined = link("p", old.id().as_str(), "b");
    let statements = EntityStatements { entities: vec![old.clone()], links: vec![joined.clone()] };
    stores.first.write_entities(statements).await.expect("writes");
    let before = stores.second.entity_revision(&project_id("p")).await.expect("reads");
    let all = stores.second.all_entities().await.expect("reads");
    assert_eq!((&all.entities[0].1, &all.links[0].1), (&old, &joined));
    let relinked = link("p", new.id().as_str(), "b");
    let rewrite = |before: &EntityStatement| StoreRewrite {
        entities: vec![EntityRewrite { number: all.entities[0].0, before: before.id(), statement: new.clone() }],
        entity_links: vec![EntityLinkRewrite {
            number: all.links[0].0,
            before: joined.id(),
            statement: relinked.clone(),
        }],
        ..StoreRewrite::default()
    };
    let records = stores.first.rewrite_texts(rewrite(&old), NOW).await.expect("rewrites");
    assert_eq!(records.len(), 2);
    let now = stores.second.load_entities(&project_id("p"), EntityRevision::default()).await.expect("reads");
    assert_eq!((now.entities, now.links), (vec![new.clone()], vec![relinked.clone()]));
    assert_ne!(stores.second.entity_revision(&project_id("p")).await.expect("reads"), before);
    // What another process rewrote meanwhile is not rewritten once more.
    stores.first.rewrite_texts(rewrite(&old), NOW).await.expect_err("has other words by now");
    assert!(stores.first.check_canonical().await.expect("looks").is_empty(), "sums follow a purge");
}
