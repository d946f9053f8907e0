//! Conformance tests that every store backend must pass, for `MemoryStore`: appending messages to conversations and
//! reading them back.

use super::sample::{
    ODD_TEXTS, build_append, conversation_id, expect_ack, long_text, parts_row, project_id, text_row, text_row_as,
};
use super::{StoreCase, StorePair, cases};
use crate::{AppendOutcome, MemoryTotals, MessageAck, MessageWindow, NewRow, Store};
use model::{ChainHash, EventTime, Message, MessagePart, MessageRole, Timestamp, TokenCount, message_id};

cases! {
    append_is_gapless_and_chained,
    the_same_id_and_content_is_known,
    other_content_under_a_taken_id_conflicts_and_the_rest_is_stored,
    every_part_comes_back,
    every_field_comes_back,
    numbers_come_back_at_their_limits,
    an_id_may_be_longer_than_an_index_entry,
    windows_cut_where_they_say,
    messages_come_from_the_places_asked_for,
    every_append_makes_another_version,
    an_unknown_conversation_is_none,
    a_conversation_keeps_its_first_name_and_project,
    conversations_come_ordered_by_id,
    totals_add_up,
    what_one_handle_stored_the_other_sees,
    a_sound_store_finds_no_fault,
    the_scrub_key_is_made_once,
}

const ALL_MESSAGES: MessageWindow = MessageWindow::After { seq: 0, limit: u32::MAX };

async fn load_stored(store: &dyn Store, name: &str) -> Vec<Message> {
    store.load_messages(&conversation_id(name), ALL_MESSAGES).await.expect("reads")
}

async fn append_rows(store: &dyn Store, name: &str, rows: Vec<NewRow>) -> Vec<AppendOutcome> {
    store.append_messages(build_append(name, rows)).await.expect("appends")
}

async fn append_is_gapless_and_chained(stores: &StorePair) {
    let store = &*stores.first;
    let mut acks: Vec<MessageAck> = Vec::new();
    // An empty append in between must not use up a number: the chain has no gaps.
    for rows in [vec![text_row("one"), text_row_as("x", "two")], vec![], vec![text_row("one")]] {
        acks.extend(append_rows(store, "c", rows).await.iter().map(|appended| expect_ack(appended).clone()));
    }
    let messages = load_stored(store, "c").await;
    let id = conversation_id("c");
    let mut hash = ChainHash::for_conversation(&id);
    for (seq, (message, ack)) in (1..).zip(messages.iter().zip(&acks)) {
        hash = hash.next_link(seq, message.body.content_hash());
        let wanted = MessageAck { message: message_id(&id, seq, message.body.external_id.as_deref()), seq, hash };
        assert_eq!(*ack, wanted);
        assert_eq!(MessageAck { message: message.id.clone(), seq: message.seq, hash: message.hash }, wanted);
        assert_eq!((&message.conversation, message.stored), (&id, Timestamp(1_000)));
    }
    let texts: Vec<_> = messages.iter().map(|message| message.body.content()).collect();
    assert_eq!(texts, ["one", "two", "one"]);
    let conversation = store.load_conversation(&id).await.expect("reads").expect("it was made");
    assert_eq!((conversation.messages, conversation.tokens, conversation.head), (3, TokenCount(3), hash));
}

async fn the_same_id_and_content_is_known(stores: &StorePair) {
    let store = &*stores.first;
    // Two equal texts without ids are two messages: a person may well say the same thing twice.
    let first = append_rows(store, "c", vec![text_row_as("x", "hi"), text_row_as("x", "hi"), text_row("hi")]).await;
    let [AppendOutcome::New(x), AppendOutcome::Known(again), AppendOutcome::New(_)] = &first[..] else {
        panic!("{first:?}")
    };
    assert_eq!(x, again);
    assert_eq!(append_rows(store, "c", vec![text_row_as("x", "hi")]).await, [AppendOutcome::Known(x.clone())]);
    assert_eq!(load_stored(store, "c").await.len(), 2);
    let elsewhere = append_rows(store, "d", vec![text_row_as("x", "hi")]).await;
    assert!(matches!(elsewhere[..], [AppendOutcome::New(_)]), "an id is unique in its conversation only");
}

async fn other_content_under_a_taken_id_conflicts_and_the_rest_is_stored(stores: &StorePair) {
    let store = &*stores.first;
    append_rows(store, "c", vec![text_row_as("x", "hi")]).await;
    let mut reworded = text_row_as("x", "hi");
    // An empty speaker is not the same as none; the hash of the content sees the difference, so the store must too.
    reworded.body.speaker = Some(String::new());
    let answer = append_rows(
        store,
        "c",
        vec![text_row("before"), text_row_as("x", "ho"), reworded, text_row_as("y", "1"), text_row_as("y", "2")],
    );
    let answer = answer.await;
    let conflict = |id: &str| AppendOutcome::Conflict { external_id: id.to_owned() };
    assert_eq!((&answer[1], &answer[2], &answer[4]), (&conflict("x"), &conflict("x"), &conflict("y")));
    let texts: Vec<_> = load_stored(store, "c").await.iter().map(|message| message.body.content()).collect();
    assert_eq!(texts, ["hi", "before", "1"]);
}

/// Every kind of part, with `text` wherever text can be.
fn all_parts(text: &str) -> Vec<MessagePart> {
    let some = || Some(text.to_owned());
    vec![
        MessagePart::Text { text: text.to_owned() },
        MessagePart::Reasoning { text: text.to_owned() },
        MessagePart::Tool {
            call_id: some(),
            name: some(),
            status: some(),
            input: some(),
            output: some(),
            error: some(),
            title: some(),
        },
        // An empty name between others: a join and split of the list would lose it.
        MessagePart::Patch { hash: some(), files: vec![text.to_owned(), String::new(), text.to_owned()] },
        MessagePart::File { mime: some(), name: some(), url: some() },
        MessagePart::Subtask { prompt: some(), description: some(), agent: some() },
        MessagePart::Compaction { auto: text.is_empty() },
        MessagePart::StepStart,
        MessagePart::StepFinish { reason: some(), cost_micros: Some(-1), tokens_in: Some(0), tokens_out: Some(2) },
        MessagePart::Snapshot { hash: some() },
        MessagePart::Agent { name: some() },
        MessagePart::Retry { error: some() },
    ]
}

/// Every kind of part with all that may be absent absent.
fn bare_parts() -> Vec<MessagePart> {
    vec![
        MessagePart::Tool {
            call_id: None,
            name: None,
            status: None,
            input: None,
            output: None,
            error: None,
            title: None,
        },
        MessagePart::Patch { hash: None, files: Vec::new() },
        MessagePart::File { mime: None, name: None, url: None },
        MessagePart::Subtask { prompt: None, description: None, agent: None },
        MessagePart::StepFinish { reason: None, cost_micros: None, tokens_in: None, tokens_out: None },
        MessagePart::Snapshot { hash: None },
        MessagePart::Agent { name: None },
        MessagePart::Retry { error: None },
    ]
}

async fn every_part_comes_back(stores: &StorePair) {
    // A mebibyte, far above the page of either database.
    let big = "0123456789abcde\n".repeat(64 * 1024);
    let mut rows: Vec<NewRow> = bare_parts().into_iter().map(|part| parts_row(vec![part])).collect();
    rows.extend([parts_row(bare_parts()), parts_row(Vec::new()), text_row(&big)]);
    for text in ODD_TEXTS {
        rows.push(parts_row(all_parts(text)));
        rows.extend(all_parts(text).into_iter().map(|part| parts_row(vec![part])));
    }
    append_rows(&*stores.first, "c", rows.clone()).await;
    let found = load_stored(&*stores.second, "c").await;
    assert_eq!(found.len(), rows.len());
    for (found, row) in found.iter().zip(&rows) {
        assert_eq!(found.body, row.body);
        assert_eq!(found.tokens, row.tokens);
    }
}

async fn every_field_comes_back(stores: &StorePair) {
    let mut rows = Vec::new();
    for (text, (role, _)) in ODD_TEXTS.iter().zip(MessageRole::ALL.iter().cycle()) {
        let mut row = text_row_as(&format!("{text}id"), text);
        row.body.role = *role;
        row.body.speaker = Some((*text).to_owned());
        row.body.session = Some((*text).to_owned());
        row.body.at = Some(EventTime { text: (*text).to_owned(), instant: None });
        rows.push(row);
    }
    rows[1].body.at = Some(EventTime { text: "2026-01-01T00:00:00Z".to_owned(), instant: Some(Timestamp(-5)) });
    for text in ODD_TEXTS {
        let mut append = build_append(&format!("c{text}"), rows.clone());
        append.name = (*text).to_owned();
        let id = append.conversation.clone();
        stores.first.append_messages(append).await.expect("appends");
        let conversation = stores.second.load_conversation(&id).await.expect("reads").expect("it was made");
        assert_eq!(conversation.name, *text);
    }
    let found: Vec<_> = load_stored(&*stores.second, "c").await.into_iter().map(|message| message.body).collect();
    assert_eq!(found, rows.into_iter().map(|row| row.body).collect::<Vec<_>>());
}

async fn numbers_come_back_at_their_limits(stores: &StorePair) {
    let store = &*stores.first;
    let costs = [i64::MIN, i64::MAX].map(Some);
    let finish = |cost_micros| MessagePart::StepFinish {
        reason: None,
        cost_micros,
        tokens_in: Some(u32::MAX),
        tokens_out: Some(u32::MAX),
    };
    let mut row = parts_row(costs.map(finish).to_vec());
    row.tokens = TokenCount(u32::MAX);
    row.body.at = Some(EventTime { text: "long ago".to_owned(), instant: Some(Timestamp(i64::MIN)) });
    for _ in 0..2 {
        let mut append = build_append("c", vec![row.clone()]);
        append.now = Timestamp(i64::MAX);
        store.append_messages(append).await.expect("appends");
    }
    let found = load_stored(store, "c").await;
    assert_eq!((&found[1].body, found[1].tokens, found[1].stored), (&row.body, row.tokens, Timestamp(i64::MAX)));
    let conversation = store.load_conversation(&conversation_id("c")).await.expect("reads").expect("it was made");
    // The sum is shown, not billed, so it may stop at its limit instead of failing the append.
    assert_eq!(conversation.tokens, TokenCount(u32::MAX), "a sum too large for the type is its largest value");
    assert_eq!(store.memory_totals().await.expect("reads").tokens, 2 * u64::from(u32::MAX));
}

async fn an_id_may_be_longer_than_an_index_entry(stores: &StorePair) {
    let store = &*stores.first;
    let id = long_text("a");
    let other = long_text("b");
    let rows = || vec![text_row_as(&id, "hi"), text_row_as(&other, "hi")];
    let first = append_rows(store, "c", rows()).await;
    assert!(matches!(first[..], [AppendOutcome::New(_), AppendOutcome::New(_)]));
    assert!(matches!(append_rows(store, "c", rows()).await[..], [AppendOutcome::Known(_), AppendOutcome::Known(_)]));
    assert_eq!(load_stored(store, "c").await[0].body.external_id.as_ref(), Some(&id));
}

async fn windows_cut_where_they_say(stores: &StorePair) {
    let store = &*stores.first;
    append_rows(store, "c", (1..=5).map(|number| text_row(&number.to_string())).collect()).await;
    let check = async |window: MessageWindow, wanted: &[u64]| {
        let found = store.load_messages(&conversation_id("c"), window).await.expect("reads");
        assert_eq!(found.iter().map(|message| message.seq).collect::<Vec<_>>(), wanted, "{window:?}");
    };
    check(MessageWindow::Last(0), &[]).await;
    check(MessageWindow::Last(2), &[4, 5]).await;
    check(MessageWindow::Last(u32::MAX), &[1, 2, 3, 4, 5]).await;
    check(MessageWindow::After { seq: 0, limit: 2 }, &[1, 2]).await;
    check(MessageWindow::After { seq: 3, limit: 9 }, &[4, 5]).await;
    check(MessageWindow::After { seq: 3, limit: 0 }, &[]).await;
    check(MessageWindow::After { seq: 5, limit: 9 }, &[]).await;
    check(MessageWindow::After { seq: u64::MAX, limit: 9 }, &[]).await;
}

async fn messages_come_from_the_places_asked_for(stores: &StorePair) {
    let store = &*stores.first;
    append_rows(store, "c", vec![text_row("one"), parts_row(all_parts("two")), text_row("three")]).await;
    append_rows(store, "d", vec![text_row("four")]).await;
    let places = [("d", 1), ("c", 2), ("c", 9), ("c", 3), ("nobody", 1), ("c", 2), ("c", u64::MAX), ("c", 0)];
    let places = places.map(|(name, seq)| (conversation_id(name), seq));
    let found = store.messages_at(&places).await.expect("reads");
    let all: Vec<Message> = load_stored(store, "c").await.into_iter().chain(load_stored(store, "d").await).collect();
    let at = |place: &(model::ConversationId, u64)| {
        all.iter().find(|message| (&message.conversation, message.seq) == (&place.0, place.1)).cloned()
    };
    assert_eq!(found, places.iter().map(at).collect::<Vec<_>>());
    assert_eq!(found.iter().flatten().count(), 4);
    assert_eq!(store.messages_at(&[]).await.expect("reads"), []);
}

async fn every_append_makes_another_version(stores: &StorePair) {
    let mut versions = Vec::new();
    for (name, rows) in [
        ("c", vec![text_row("one")]),
        ("d", vec![text_row_as("x", "two"), text_row("three")]),
        ("c", vec![text_row("four")]),
    ] {
        append_rows(&*stores.first, name, rows).await;
        versions.push(stores.second.memory_version().await.expect("reads"));
    }
    append_rows(&*stores.first, "d", vec![text_row_as("x", "two")]).await;
    let unchanged = stores.second.memory_version().await.expect("reads");
    assert_eq!(versions.last(), Some(&unchanged), "what was known changes nothing");
    for (at, version) in versions.iter().enumerate() {
        assert!(!versions[..at].contains(version), "{versions:?}");
    }
}

async fn an_unknown_conversation_is_none(stores: &StorePair) {
    let store = &*stores.first;
    assert_eq!(store.load_conversation(&conversation_id("c")).await.expect("reads"), None);
    assert_eq!(load_stored(store, "c").await, []);
    // An append without rows still creates the conversation, so that its name and project are known.
    append_rows(store, "c", Vec::new()).await;
    let empty = store.load_conversation(&conversation_id("c")).await.expect("reads").expect("an append makes it");
    assert_eq!(
        (empty.messages, empty.tokens, empty.head),
        (0, TokenCount(0), ChainHash::for_conversation(&conversation_id("c")))
    );
    assert_eq!(load_stored(store, "c").await, []);
}

async fn a_conversation_keeps_its_first_name_and_project(stores: &StorePair) {
    let store = &*stores.first;
    // The first lines of a transcript may not say what it is about.
    for (name, owner) in [("first", None), ("second", Some("p")), ("third", None), ("fourth", Some("q"))] {
        let owner = owner.map(project_id);
        let mut append = build_append("c", vec![text_row("hi")]);
        (append.name, append.project) = (name.to_owned(), owner);
        append.author = (name != "third").then(|| name.to_owned());
        store.append_messages(append).await.expect("appends");
    }
    let found = store.load_conversation(&conversation_id("c")).await.expect("reads").expect("it was made");
    // Later appends come from hooks that may not know the project.
    assert_eq!((found.name.as_str(), found.project), ("first", Some(project_id("p"))));
    assert_eq!(found.author.as_deref(), Some("first"), "it is whose it was when it was made");
    append_rows(store, "d", vec![text_row("hi")]).await;
    let nobodys = store.load_conversation(&conversation_id("d")).await.expect("reads").expect("it was made");
    assert_eq!(nobodys.author, None);
}

async fn conversations_come_ordered_by_id(stores: &StorePair) {
    let names = ["a", "b", "c", "d", "e", "f"];
    for name in names {
        append_rows(&*stores.first, name, vec![text_row(name)]).await;
    }
    let found: Vec<_> = stores.first.list_conversations().await.expect("reads").into_iter().map(|c| c.id).collect();
    let mut wanted: Vec<_> = names.iter().map(|name| conversation_id(name)).collect();
    wanted.sort_unstable();
    assert_eq!(found, wanted);
}

async fn totals_add_up(stores: &StorePair) {
    let store = &*stores.first;
    assert_eq!(store.memory_totals().await.expect("reads"), MemoryTotals::default());
    append_rows(store, "c", vec![text_row("one two"), text_row_as("x", "three"), text_row_as("x", "three")]).await;
    append_rows(store, "d", vec![text_row("four")]).await;
    let wanted = MemoryTotals { conversations: 2, messages: 3, tokens: 4 };
    assert_eq!(store.memory_totals().await.expect("reads"), wanted);
}

async fn what_one_handle_stored_the_other_sees(stores: &StorePair) {
    for (number, (writer, reader)) in
        [(&stores.first, &stores.second), (&stores.second, &stores.first)].into_iter().cycle().take(6).enumerate()
    {
        append_rows(&**writer, "c", vec![text_row("hi")]).await;
        assert_eq!(load_stored(&**reader, "c").await.len(), number + 1);
    }
}

async fn a_sound_store_finds_no_fault(stores: &StorePair) {
    append_rows(&*stores.first, "c", vec![text_row("hi"), parts_row(all_parts("x"))]).await;
    assert_eq!(stores.first.check_canonical().await.expect("reads"), []);
}

/// However many ask for the key at once, all of them get the same, and the next one too.
async fn the_scrub_key_is_made_once(stores: &StorePair) {
    let StorePair { first, second } = stores;
    let asked = futures::future::join_all((0..8).map(|n| if n % 2 == 0 { first } else { second }.scrub_key()));
    let keys: Vec<_> = asked.await.into_iter().map(|key| key.expect("a key")).collect();
    assert!(keys.iter().all(|key| *key == keys[0]));
    assert_ne!(keys[0].as_bytes(), &[0; 32]);
    assert_eq!(second.scrub_key().await.expect("a key"), keys[0]);
}
