//! Conformance tests that every store backend must pass, for `DurableStore`: memories, and what happened to them.

use super::sample::{ODD_TEXTS, conversation_id, long_text, project_id};
use super::{StoreCase, StorePair, cases};
use crate::{Error, MemoryBatch, MemoryScope};
use model::{
    DurableMemory, MemoryEvent, MemoryId, MemoryKind, MemoryNote, MemoryStatement, MemoryTier, MemoryVisibility,
    NewMemory, ProjectId, Timestamp,
};

cases![
    memories_come_back_with_all_that_is_noted_about_them,
    a_memory_of_the_same_words_is_there_once,
    a_project_has_its_memories_and_those_of_its_user,
    what_was_put_aside_stays_and_counts_again_when_it_is_stated,
    a_note_about_an_unknown_memory_is_refused_with_all_that_came_with_it,
    each_author_has_memories_of_their_own,
    what_is_shared_is_shared_until_that_is_taken_back,
    any_words_come_back_as_they_were,
    two_writers_of_one_memory_lose_nothing,
    the_version_moves_with_every_memory_and_every_note,
];

pub(super) fn new_memory(project: Option<ProjectId>, content: &str) -> NewMemory {
    let (kind, created) = (MemoryKind::Note, Timestamp(1));
    NewMemory { content: content.to_owned(), kind, project, author: None, conversation: None, depth: 0, created }
}

pub(super) fn stated(at: i64, sources: &[&str]) -> MemoryNote {
    let statement = MemoryStatement {
        certainty: 80,
        tags: vec!["a:b".to_owned(), format!("at-{at}")],
        sources: sources.iter().map(|source| (*source).to_owned()).collect(),
        metadata: None,
        said: Timestamp(at - 1),
    };
    MemoryNote { at: Timestamp(at), event: MemoryEvent::Stated(statement) }
}

fn note(at: i64, event: MemoryEvent) -> MemoryNote {
    MemoryNote { at: Timestamp(at), event }
}

async fn write(stores: &StorePair, memories: Vec<NewMemory>, notes: Vec<(MemoryId, MemoryNote)>) {
    stores.first.write_memories(MemoryBatch { memories, notes }).await.expect("writes");
}

async fn the_version_moves_with_every_memory_and_every_note(stores: &StorePair) {
    let version = async || stores.second.durable_version().await.expect("counts");
    let first = version().await;
    assert_eq!((first.memories, first.notes), (0, 0));
    let memory = new_memory(None, "whole cents");
    let id = memory.id();
    write(stores, vec![memory.clone()], Vec::new()).await;
    let second = version().await;
    assert_eq!(second, crate::DurableVersion { memories: 1, ..first });
    // The same words again are no other memory.
    write(stores, vec![memory], vec![(id, note(9, MemoryEvent::Recalled))]).await;
    assert_eq!(version().await, crate::DurableVersion { notes: 1, ..second });
}

async fn load(stores: &StorePair, id: &MemoryId) -> DurableMemory {
    stores.second.load_memory(id).await.expect("reads").expect("it is there")
}

async fn memories_come_back_with_all_that_is_noted_about_them(stores: &StorePair) {
    let conversation = Some(conversation_id("c"));
    let of = NewMemory { kind: MemoryKind::Decision, conversation, depth: 2, ..new_memory(None, "cents are whole") };
    let by = DurableMemory::id_of(None, "other");
    let mut first = stated(7, &["msg_1", "sum_2"]);
    let MemoryEvent::Stated(statement) = &mut first.event else { panic!("it is a statement") };
    statement.metadata = Some("{\"a\":1}".to_owned());
    let notes = [
        first,
        note(9, MemoryEvent::Recalled),
        note(10, MemoryEvent::Placed(Some(MemoryTier::Hot))),
        note(10, MemoryEvent::Used),
        note(10, MemoryEvent::Placed(None)),
        note(10, MemoryEvent::Placed(Some(MemoryTier::Warm))),
        stated(11, &["msg_1", "msg_3"]),
        note(12, MemoryEvent::Archived),
        note(13, MemoryEvent::Superseded { by: by.clone() }),
    ];
    write(stores, vec![of.clone()], notes.iter().map(|note| (of.id(), note.clone())).collect()).await;
    let found = load(stores, &of.id()).await;
    let mut expected = DurableMemory::new(of);
    for note in notes {
        expected.add_note(found.last_note, note);
    }
    assert_eq!(found, expected);
    assert_eq!((found.stated, found.recalled, found.said.0, found.last_seen.0), (2, 1, 10, 11));
    assert_eq!((found.used, found.tier), (1, Some(MemoryTier::Warm)));
    assert_eq!(found.sources, ["msg_1", "sum_2", "msg_3"]);
    assert_eq!((found.archived, found.superseded_by), (Some(Timestamp(13)), Some(by)));
    let unknown = DurableMemory::id_of(None, "nothing of the kind");
    assert_eq!(stores.second.load_memory(&unknown).await.expect("reads"), None);
}

async fn a_memory_of_the_same_words_is_there_once(stores: &StorePair) {
    let memory = new_memory(None, "once");
    let again = NewMemory { kind: MemoryKind::Rule, created: Timestamp(99), ..memory.clone() };
    write(stores, vec![memory.clone()], vec![(memory.id(), stated(1, &["msg_1"]))]).await;
    write(stores, vec![again.clone(), again], vec![(memory.id(), stated(2, &["msg_2"]))]).await;
    let all = stores.second.load_memories(MemoryScope::All).await.expect("reads");
    assert_eq!(all.len(), 1);
    assert_eq!((&all[0].body, all[0].stated, all[0].sources.join(" ")), (&memory, 2, "msg_1 msg_2".to_owned()));
}

async fn a_project_has_its_memories_and_those_of_its_user(stores: &StorePair) {
    let memories = [
        new_memory(Some(project_id("p")), "of p"),
        new_memory(Some(project_id("q")), "of q"),
        new_memory(None, "of me"),
    ];
    let notes = memories.iter().map(|memory| (memory.id(), stated(1, &[]))).collect();
    write(stores, memories.to_vec(), notes).await;
    let told = async |scope| {
        let found = stores.second.load_memories(scope).await.expect("reads");
        found.into_iter().map(|memory| memory.body.content).collect::<Vec<_>>()
    };
    assert_eq!(told(MemoryScope::All).await, ["of p", "of q", "of me"]);
    assert_eq!(told(MemoryScope::Project(project_id("p"))).await, ["of p", "of me"]);
    assert_eq!(told(MemoryScope::Project(project_id("nowhere"))).await, ["of me"]);
}

async fn what_was_put_aside_stays_and_counts_again_when_it_is_stated(stores: &StorePair) {
    let memory = new_memory(None, "tabs win");
    write(stores, vec![memory.clone()], vec![(memory.id(), stated(5, &[]))]).await;
    let before = load(stores, &memory.id()).await.last_note;
    write(stores, Vec::new(), vec![(memory.id(), note(3, MemoryEvent::Archived))]).await;
    let found = load(stores, &memory.id()).await;
    assert_eq!((found.is_active(), found.archived, found.last_note), (false, Some(Timestamp(3)), before));
    // The clock went back: the order of notes counts, not their time.
    write(stores, Vec::new(), vec![(memory.id(), stated(2, &[]))]).await;
    let found = load(stores, &memory.id()).await;
    assert!(found.is_active() && found.last_seen == Timestamp(2) && found.last_note > before, "{found:?}");
}

async fn a_note_about_an_unknown_memory_is_refused_with_all_that_came_with_it(stores: &StorePair) {
    let memory = new_memory(None, "known");
    let unknown = DurableMemory::id_of(None, "unknown");
    let notes = vec![(memory.id(), stated(1, &[])), (unknown.clone(), note(2, MemoryEvent::Archived))];
    let refused = stores.first.write_memories(MemoryBatch { memories: vec![memory], notes }).await;
    let Err(Error::NotFound { what: "memory", id }) = refused else { panic!("{refused:?}") };
    assert_eq!(id, unknown.as_str());
    assert_eq!(stores.second.load_memories(MemoryScope::All).await.expect("reads"), []);
}

async fn each_author_has_memories_of_their_own(stores: &StorePair) {
    let of = |author: Option<&str>| NewMemory {
        author: author.map(str::to_owned),
        ..new_memory(Some(project_id("p")), "never push to main")
    };
    let memories = [of(None), of(Some("ana")), of(Some("Børge \u{1f980} ' -- "))];
    let notes = memories.iter().map(|memory| (memory.id(), stated(1, &[]))).collect();
    write(stores, memories.to_vec(), notes).await;
    write(stores, Vec::new(), vec![(memories[1].id(), note(2, MemoryEvent::Archived))]).await;
    let found = stores.second.load_memories(MemoryScope::Project(project_id("p"))).await.expect("reads");
    assert_eq!(found.iter().map(|memory| memory.body.clone()).collect::<Vec<_>>(), memories);
    assert!(found.iter().all(DurableMemory::is_intact));
    assert_eq!(found.iter().map(DurableMemory::is_active).collect::<Vec<_>>(), [true, false, true]);
}

async fn what_is_shared_is_shared_until_that_is_taken_back(stores: &StorePair) {
    let memory = NewMemory { author: Some("ana".to_owned()), ..new_memory(None, "prices are whole cents") };
    let id = memory.id();
    write(stores, vec![memory], vec![(id.clone(), stated(1, &[]))]).await;
    assert!(!load(stores, &id).await.is_shared(), "a memory is private until it is shared");
    for (at, visibility) in [(3, MemoryVisibility::Team), (4, MemoryVisibility::Private), (5, MemoryVisibility::Team)] {
        write(stores, Vec::new(), vec![(id.clone(), note(at, MemoryEvent::Shown(visibility)))]).await;
        let shared = (visibility == MemoryVisibility::Team).then_some(Timestamp(at));
        let found = load(stores, &id).await;
        assert_eq!((found.visibility, found.shared, found.is_shared()), (visibility, shared, shared.is_some()));
    }
}

async fn any_words_come_back_as_they_were(stores: &StorePair) {
    let long = long_text("memory");
    let texts: Vec<&str> = ODD_TEXTS.iter().copied().chain([long.as_str()]).collect();
    let memories: Vec<NewMemory> = texts.iter().map(|text| new_memory(Some(project_id("p")), text)).collect();
    let notes = memories.iter().map(|memory| (memory.id(), stated(i64::MIN + 1, &[]))).collect();
    write(stores, memories, notes).await;
    let found = stores.second.load_memories(MemoryScope::Project(project_id("p"))).await.expect("reads");
    assert_eq!(found.iter().map(|memory| memory.body.content.as_str()).collect::<Vec<_>>(), texts);
    assert!(found.iter().all(DurableMemory::is_intact));
}

async fn two_writers_of_one_memory_lose_nothing(stores: &StorePair) {
    let memory = new_memory(None, "both say it");
    let batch = |at: i64| {
        let source = format!("msg_{at}");
        MemoryBatch { memories: vec![memory.clone()], notes: vec![(memory.id(), stated(at, &[&source]))] }
    };
    let writes = (1..=20).map(|at| {
        let store = if at % 2 == 0 { &stores.first } else { &stores.second };
        store.write_memories(batch(at))
    });
    for written in futures::future::join_all(writes).await {
        written.expect("writes");
    }
    let found = load(stores, &memory.id()).await;
    assert_eq!((found.stated, found.sources.len()), (20, 20));
}
