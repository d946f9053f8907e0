//! Conformance tests that every store backend must pass, for `AnchorStore`: what is acknowledged is anchored before the
//! caller hears of it, and what is removed or restored on purpose ends what was anchored before.

use super::archive::{archive_frames, begin_target};
use super::durable::{new_memory, stated};
use super::entities::{entity, link};
use super::folds::{apply_fold, fill_conversation, take_lease};
use super::sample::{build_append, build_summary, conversation_id, text_row};
use super::{StoreCase, StorePair, cases};
use crate::{AnchorHead, AnchorPoint, DataRemoval, EntityStatements, MemoryBatch, RemovedSubject, Store};
use model::{EntityLinkStatement, EntityState, EntityStatement, Timestamp};
use std::collections::BTreeSet;

cases! {
    an_append_is_anchored_when_it_is_acknowledged,
    archives_summaries_and_memories_are_anchored,
    every_statement_about_an_entity_is_anchored,
    a_removal_ends_what_was_anchored_and_is_listed,
    an_accepted_backup_counts_from_what_there_is,
    points_that_the_anchor_lacks_are_added,
    what_is_anchored_is_found_whole,
}

async fn append(store: &dyn Store, name: &str, text: &'static str) -> AnchorHead {
    let put = store.append_messages(build_append(name, vec![text_row(text)])).await.expect("appends");
    let ack = put[0].ack().expect("it is stored");
    AnchorHead::new(ack.seq, ack.hash.0)
}

fn only(hash: &str) -> BTreeSet<String> {
    BTreeSet::from([hash.to_owned()])
}

async fn an_append_is_anchored_when_it_is_acknowledged(stores: &StorePair) {
    let first = append(&*stores.first, "c", "one").await;
    let second = append(&*stores.second, "c", "two").await;
    let log = stores.first.read_anchor().await.expect("reads");
    assert_eq!(log.faults, [""; 0]);
    let links = &log.conversations[conversation_id("c").as_str()];
    assert_eq!((&links[&1], &links[&2]), (&only(&first.hash), &only(&second.hash)));
    // What was known already is no news.
    let before = log.entry_count;
    stores.first.append_messages(build_append("c", Vec::new())).await.expect("appends nothing");
    let links = &stores.first.read_anchor().await.expect("reads").conversations[conversation_id("c").as_str()];
    assert_eq!(links.keys().next_back(), Some(&2), "{before} entries before");
}

async fn archives_summaries_and_memories_are_anchored(stores: &StorePair) {
    let store = &*stores.first;
    let generation = archive_frames(store, begin_target("/t", 0), &[b"one\n", b"two\n"]).await;
    fill_conversation(store, "folded", 4).await;
    let said = build_summary("folded", 1, 2, &[], "they talked");
    let fence = take_lease(store, "folded").await;
    apply_fold(store, &said, fence).await.expect("folds");
    let memory = new_memory(None, "six figs");
    let batch = MemoryBatch { notes: vec![(memory.id(), stated(1, &[]))], memories: vec![memory.clone()] };
    store.write_memories(batch).await.expect("writes");
    let log = stores.second.read_anchor().await.expect("reads");
    let key = (generation.source.agent.to_string(), generation.source.path.clone(), generation.number);
    assert_eq!(log.archives[&key][&generation.frames], only(&generation.checkpoint.hash.to_string()));
    assert!(log.rows["summaries"].contains(said.id.as_str()));
    assert!(log.rows["memories"].contains(memory.id().as_str()));
}

async fn every_statement_about_an_entity_is_anchored(stores: &StorePair) {
    let (first, said_otherwise) = (entity("p", "a\0\t", Some("one")), entity("p", "a\0\t", Some("two\n\0")));
    let gone = EntityStatement { state: EntityState::Removed, ..first.clone() };
    let (joined, heavier) = (link("p", "a", "b"), EntityLinkStatement { weight: 71, ..link("p", "a", "b") });
    let entities = vec![first, said_otherwise, gone];
    let ids = |ids: &[String]| ids.iter().cloned().collect::<BTreeSet<_>>();
    let wanted = ids(&entities.iter().map(EntityStatement::statement_id).collect::<Vec<_>>());
    let wanted_links = ids(&[joined.statement_id(), heavier.statement_id()]);
    assert_eq!((wanted.len(), wanted_links.len()), (3, 2), "what says something else is another statement");
    stores.first.write_entities(EntityStatements { entities, links: vec![joined] }).await.expect("writes");
    let later = EntityStatements { entities: Vec::new(), links: vec![heavier] };
    stores.second.write_entities(later).await.expect("writes");
    let log = stores.second.read_anchor().await.expect("reads");
    assert_eq!((&log.rows["entities"], &log.rows["entity_links"]), (&wanted, &wanted_links));
    let points = stores.first.all_entities().await.expect("reads").anchor_points();
    let found = points.into_iter().map(|point| match point {
        AnchorPoint::Row { id, .. } => id,
        AnchorPoint::Conversation { .. } | AnchorPoint::Archive { .. } => panic!("{point:?}"),
    });
    assert_eq!(found.collect::<BTreeSet<_>>(), &wanted | &wanted_links, "as they are read");
}

async fn a_removal_ends_what_was_anchored_and_is_listed(stores: &StorePair) {
    let head = append(&*stores.first, "c", "to be removed").await;
    append(&*stores.first, "d", "stays").await;
    let id = conversation_id("c").to_string();
    let new = AnchorHead { count: 1, hash: "ab".repeat(32) };
    let removal = DataRemoval {
        subject: RemovedSubject::Conversation { id: id.clone() },
        reason: "a secret\nwas in it\0".to_owned(),
        at: Timestamp(5),
        old: Some(head),
        new: Some(new.clone()),
    };
    stores.first.record_removal(removal.clone()).await.expect("records");
    assert_eq!(stores.second.list_removals().await.expect("lists"), std::slice::from_ref(&removal));
    let log = stores.second.read_anchor().await.expect("reads");
    assert_eq!(log.conversations[&id].iter().collect::<Vec<_>>(), [(&1, &only(&new.hash))]);
    assert_eq!(log.conversations.len(), 2);
    assert_eq!(log.removals.into_iter().map(|(_, removal)| removal).collect::<Vec<_>>(), [removal]);
}

async fn an_accepted_backup_counts_from_what_there_is(stores: &StorePair) {
    append(&*stores.first, "c", "given up").await;
    let kept = AnchorPoint::Conversation {
        id: conversation_id("d").to_string(),
        head: append(&*stores.first, "d", "kept").await,
    };
    stores.first.accept_restored("backup of Monday", Timestamp(7), vec![kept]).await.expect("accepts");
    append(&*stores.second, "d", "goes on").await;
    let log = stores.first.read_anchor().await.expect("reads");
    assert_eq!(log.conversations.keys().collect::<Vec<_>>(), [conversation_id("d").as_str()]);
    assert_eq!(log.conversations[conversation_id("d").as_str()].len(), 2);
    let names: Vec<_> = log.restores.iter().map(|restore| (restore.name.as_str(), restore.at)).collect();
    assert_eq!(names, [("backup of Monday", Timestamp(7))]);
}

async fn points_that_the_anchor_lacks_are_added(stores: &StorePair) {
    append(&*stores.first, "c", "one").await;
    let id = "art_0123456789abcdef".to_owned();
    let point = AnchorPoint::Row { table: "artifacts".to_owned(), id: id.clone() };
    stores.first.catch_up_anchor(vec![point]).await.expect("adds");
    let log = stores.second.read_anchor().await.expect("reads");
    assert!(log.rows["artifacts"].contains(&id));
    assert_eq!(log.faults, [""; 0]);
}

async fn what_is_anchored_is_found_whole(stores: &StorePair) {
    stores.first.scrub_key().await.expect("a key");
    for text in ["one", "two", "three"] {
        append(&*stores.first, "c", text).await;
        append(&*stores.second, "d", text).await;
    }
    stores.first.recount_derived().await.expect("counts");
    assert_eq!(stores.second.check_canonical().await.expect("checks"), []);
}
