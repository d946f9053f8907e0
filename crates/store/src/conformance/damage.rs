//! Conformance tests that every store backend must pass, for detecting corrupt rows: messages, summaries and frames
//! that something changed without the store.
//!
//! The trait has no method that changes a row, so the test that runs this hands over a function that executes an SQL
//! statement past all that forbids it. The statements are the same for both stores.

use super::StorePair;
use super::archive::{archive_frames, begin_target};
use super::durable::{new_memory, stated};
use super::folds::{apply_fold, fill_conversation, take_lease};
use super::records::new_record;
use super::sample::{build_append, build_summary, conversation_id, text_row};
use crate::{
    ContentMatcher, Error, MatchOutcome, MemoryBatch, MemoryScope, MessageMatches, MessageQuery, MessageWindow,
    RecordBatch, RecordFilter, StoreCursor,
};
use model::RecordKind;
use std::sync::Arc;

/// Checks that what was changed is refused and named, and that all else can be read. The stores must be empty.
pub async fn refuses_what_was_changed(stores: &StorePair, change: impl AsyncFn(&str)) {
    a_changed_message_is_refused_and_the_others_are_read(stores, &change).await;
    a_message_whose_hash_was_changed_is_refused(stores, &change).await;
    a_changed_summary_is_refused(stores, &change).await;
    a_changed_frame_is_refused(stores, &change).await;
    a_changed_memory_is_refused(stores, &change).await;
    a_changed_record_is_refused(stores, &change).await;
}

async fn a_changed_message_is_refused_and_the_others_are_read(stores: &StorePair, change: &impl AsyncFn(&str)) {
    let store = &*stores.first;
    let all = MessageWindow::Last(10);
    let texts = ["one apple", "two pears", "three plums"];
    let put = store.append_messages(build_append("c", texts.map(text_row).into())).await.expect("appends");
    let pears = put[1].ack().expect("it is stored").message.clone();
    store.append_messages(build_append("d", vec![text_row("four pears")])).await.expect("appends");
    change("UPDATE messages SET content = 'two bears' WHERE content = 'two pears'").await;

    let store = &*stores.second;
    let place = (conversation_id("c"), 2);
    let read = [
        store.load_messages(&conversation_id("c"), all).await.map(drop),
        store.load_messages(&conversation_id("c"), MessageWindow::After { seq: 1, limit: 1 }).await.map(drop),
        store.messages_at(std::slice::from_ref(&place)).await.map(drop),
        store.load_message(&pears).await.map(drop),
    ];
    for outcome in read {
        let Err(Error::DamagedMessage(damaged)) = outcome else { panic!("{outcome:?}") };
        let found = (damaged.id.as_str(), damaged.conversation.as_str(), damaged.seq);
        assert_eq!(found, (pears.as_str(), place.0.as_str(), 2));
        assert_eq!(damaged.what, "its content is not what was acknowledged");
    }
    assert_eq!(store.load_messages(&conversation_id("d"), all).await.expect("is whole").len(), 1);
    assert_eq!(
        store
            .load_messages(&conversation_id("c"), MessageWindow::After { seq: 2, limit: 9 })
            .await
            .expect("is whole")
            .len(),
        1
    );

    // A search neither finds content that was never appended, nor passes over in silence what it cannot judge.
    let found = find_words(stores, "ears").await;
    let places = store.messages_numbered(&found.cursors()).await.expect("reads");
    let texts: Vec<String> = places.into_iter().flatten().map(|message| message.body.content()).collect();
    assert_eq!(texts, ["four pears"]);
    let damaged: Vec<&str> = found.damaged.iter().map(|damaged| damaged.id.as_str()).collect();
    assert_eq!(damaged, [pears.as_str()]);
    change("UPDATE messages SET content = 'two pears' WHERE content = 'two bears'").await;
    assert_eq!(store.load_messages(&conversation_id("c"), all).await.expect("is whole again").len(), 3);
}

async fn find_words(stores: &StorePair, words: &'static str) -> MessageMatches {
    let judge: ContentMatcher = Arc::new(move |content: &[u8]| {
        let holds = content.windows(words.len()).any(|window| window == words.as_bytes());
        if holds { MatchOutcome::Matches } else { MatchOutcome::Differs }
    });
    let find = MessageQuery { before: Some(StoreCursor(i64::MAX)), ..MessageQuery::default() };
    stores.second.find_messages(find, Some(judge)).await.expect("looks")
}

async fn a_message_whose_hash_was_changed_is_refused(stores: &StorePair, change: &impl AsyncFn(&str)) {
    stores.first.append_messages(build_append("hash", vec![text_row("five kiwis")])).await.expect("appends");
    change("UPDATE messages SET content_hash = chain_hash WHERE content = 'five kiwis'").await;
    let outcome = stores.second.load_messages(&conversation_id("hash"), MessageWindow::Last(1)).await;
    assert!(matches!(outcome, Err(Error::DamagedMessage(_))), "{outcome:?}");
}

async fn a_changed_summary_is_refused(stores: &StorePair, change: &impl AsyncFn(&str)) {
    let store = &*stores.first;
    fill_conversation(store, "folded", 4).await;
    let said = build_summary("folded", 1, 2, &[], "they talked");
    let fence = take_lease(store, "folded").await;
    apply_fold(store, &said, fence).await.expect("folds");
    assert!(store.load_summary(&said.id).await.expect("is whole").is_some());
    change("UPDATE summaries SET content = 'they fought'").await;
    for outcome in [
        stores.second.load_summary(&said.id).await.map(drop),
        stores.second.summaries_at(&conversation_id("folded"), 1).await.map(drop),
    ] {
        let Err(Error::Corrupt { what, .. }) = outcome else { panic!("{outcome:?}") };
        assert!(what.contains(said.id.as_str()), "{what}");
    }
    // A scan for damage sees it.
    let scanned = stores.second.scan_summaries(None, None, 9).await.expect("reads");
    assert_eq!(scanned.iter().map(|(_, summary)| summary.is_intact()).collect::<Vec<_>>(), [false]);
}

async fn a_changed_frame_is_refused(stores: &StorePair, change: &impl AsyncFn(&str)) {
    let generation = archive_frames(&*stores.first, begin_target("/t", 0), &[b"one\n", b"two\n"]).await;
    assert_eq!(stores.second.load_frames(generation.id, 0, 9).await.expect("is whole").len(), 2);
    let hash = "(SELECT original_hash FROM frames ORDER BY original_hash DESC LIMIT 1)";
    change(&format!("UPDATE frames SET content_hash = {hash} WHERE original_hash <> {hash}")).await;
    let outcome = stores.second.load_frames(generation.id, 0, 9).await;
    assert!(matches!(outcome, Err(Error::Corrupt { .. })), "{outcome:?}");
}

async fn a_changed_record_is_refused(stores: &StorePair, change: &impl AsyncFn(&str)) {
    let record = new_record(RecordKind::Checkpoint, "s", "{\"query\":\"figs\"}", 1);
    let batch = RecordBatch { records: vec![record.clone()], notes: Vec::new() };
    stores.first.write_records(batch).await.expect("writes");
    assert!(stores.second.load_session_record(&record.id()).await.expect("is whole").is_some());
    change("UPDATE session_records SET step = 7 WHERE step = 2").await;
    let outcome = stores.second.load_session_record(&record.id()).await;
    let Err(Error::Corrupt { what, .. }) = outcome else { panic!("{outcome:?}") };
    assert!(what.contains(record.id().as_str()), "{what}");
    let all = stores.second.load_session_records(RecordFilter::default()).await.expect("reads");
    assert_eq!(all.iter().map(model::SessionRecord::is_intact).collect::<Vec<_>>(), [false]);
}

async fn a_changed_memory_is_refused(stores: &StorePair, change: &impl AsyncFn(&str)) {
    let memory = new_memory(None, "six figs");
    let batch = MemoryBatch { notes: vec![(memory.id(), stated(1, &[]))], memories: vec![memory.clone()] };
    stores.first.write_memories(batch).await.expect("writes");
    assert!(stores.second.load_memory(&memory.id()).await.expect("is whole").is_some());
    change("UPDATE memories SET content = 'six pigs' WHERE content = 'six figs'").await;
    let outcome = stores.second.load_memory(&memory.id()).await;
    let Err(Error::Corrupt { what, .. }) = outcome else { panic!("{outcome:?}") };
    assert!(what.contains(memory.id().as_str()), "{what}");
    // A scan for damage sees it.
    let all = stores.second.load_memories(MemoryScope::All).await.expect("reads");
    assert_eq!(all.iter().map(model::DurableMemory::is_intact).collect::<Vec<_>>(), [false]);
}
