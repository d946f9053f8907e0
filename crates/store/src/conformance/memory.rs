//! Promises about appending and reading back.

use super::sample::{ODD, ack, append, conversation, long_text, message, project, said, said_as};
use super::{Case, Stores, cases};
use crate::{Ack, Appended, MemoryTotals, NewRow, Store, Window};
use model::{ChainHash, EventTime, Message, Part, Role, Timestamp, Tokens, message_id};

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

const ALL: Window = Window::After { seq: 0, limit: u32::MAX };

async fn load_stored(store: &dyn Store, name: &str) -> Vec<Message> {
    store.messages(&conversation(name), ALL).await.expect("reads")
}

async fn append_rows(store: &dyn Store, name: &str, rows: Vec<NewRow>) -> Vec<Appended> {
    store.append_messages(append(name, rows)).await.expect("appends")
}

async fn append_is_gapless_and_chained(stores: &Stores) {
    let store = &*stores.first;
    let mut acks: Vec<Ack> = Vec::new();
    for rows in [vec![said("one"), said_as("x", "two")], vec![], vec![said("one")]] {
        acks.extend(append_rows(store, "c", rows).await.iter().map(|appended| ack(appended).clone()));
    }
    let messages = load_stored(store, "c").await;
    let id = conversation("c");
    let mut hash = ChainHash::start(&id);
    for (seq, (message, ack)) in (1..).zip(messages.iter().zip(&acks)) {
        hash = hash.next(seq, message.body.hash());
        let wanted = Ack { message: message_id(&id, seq, message.body.external_id.as_deref()), seq, hash };
        assert_eq!(*ack, wanted);
        assert_eq!(Ack { message: message.id.clone(), seq: message.seq, hash: message.hash }, wanted);
        assert_eq!((&message.conversation, message.stored), (&id, Timestamp(1_000)));
    }
    let texts: Vec<_> = messages.iter().map(|message| message.body.content()).collect();
    assert_eq!(texts, ["one", "two", "one"]);
    let conversation = store.conversation(&id).await.expect("reads").expect("it was made");
    assert_eq!((conversation.messages, conversation.tokens, conversation.head), (3, Tokens(3), hash));
}

async fn the_same_id_and_content_is_known(stores: &Stores) {
    let store = &*stores.first;
    let first = append_rows(store, "c", vec![said_as("x", "hi"), said_as("x", "hi"), said("hi")]).await;
    let [Appended::New(x), Appended::Known(again), Appended::New(_)] = &first[..] else { panic!("{first:?}") };
    assert_eq!(x, again);
    assert_eq!(append_rows(store, "c", vec![said_as("x", "hi")]).await, [Appended::Known(x.clone())]);
    assert_eq!(load_stored(store, "c").await.len(), 2);
    let elsewhere = append_rows(store, "d", vec![said_as("x", "hi")]).await;
    assert!(matches!(elsewhere[..], [Appended::New(_)]), "an id is unique in its conversation only");
}

async fn other_content_under_a_taken_id_conflicts_and_the_rest_is_stored(stores: &Stores) {
    let store = &*stores.first;
    append_rows(store, "c", vec![said_as("x", "hi")]).await;
    let mut reworded = said_as("x", "hi");
    reworded.body.speaker = Some(String::new());
    let answer = append_rows(
        store,
        "c",
        vec![said("before"), said_as("x", "ho"), reworded, said_as("y", "1"), said_as("y", "2")],
    );
    let answer = answer.await;
    let conflict = |id: &str| Appended::Conflict { external_id: id.to_owned() };
    assert_eq!((&answer[1], &answer[2], &answer[4]), (&conflict("x"), &conflict("x"), &conflict("y")));
    let texts: Vec<_> = load_stored(store, "c").await.iter().map(|message| message.body.content()).collect();
    assert_eq!(texts, ["hi", "before", "1"]);
}

/// Every kind of part, with `text` wherever text can be.
fn all_parts(text: &str) -> Vec<Part> {
    let some = || Some(text.to_owned());
    vec![
        Part::Text { text: text.to_owned() },
        Part::Reasoning { text: text.to_owned() },
        Part::Tool {
            call_id: some(),
            name: some(),
            status: some(),
            input: some(),
            output: some(),
            error: some(),
            title: some(),
        },
        Part::Patch { hash: some(), files: vec![text.to_owned(), String::new(), text.to_owned()] },
        Part::File { mime: some(), name: some(), url: some() },
        Part::Subtask { prompt: some(), description: some(), agent: some() },
        Part::Compaction { auto: text.is_empty() },
        Part::StepStart,
        Part::StepFinish { reason: some(), cost_micros: Some(-1), tokens_in: Some(0), tokens_out: Some(2) },
        Part::Snapshot { hash: some() },
        Part::Agent { name: some() },
        Part::Retry { error: some() },
    ]
}

/// Every kind of part with all that may be absent absent.
fn bare_parts() -> Vec<Part> {
    vec![
        Part::Tool { call_id: None, name: None, status: None, input: None, output: None, error: None, title: None },
        Part::Patch { hash: None, files: Vec::new() },
        Part::File { mime: None, name: None, url: None },
        Part::Subtask { prompt: None, description: None, agent: None },
        Part::StepFinish { reason: None, cost_micros: None, tokens_in: None, tokens_out: None },
        Part::Snapshot { hash: None },
        Part::Agent { name: None },
        Part::Retry { error: None },
    ]
}

async fn every_part_comes_back(stores: &Stores) {
    let big = "0123456789abcde\n".repeat(64 * 1024);
    let mut rows: Vec<NewRow> = bare_parts().into_iter().map(|part| message(vec![part])).collect();
    rows.extend([message(bare_parts()), message(Vec::new()), said(&big)]);
    for text in ODD {
        rows.push(message(all_parts(text)));
        rows.extend(all_parts(text).into_iter().map(|part| message(vec![part])));
    }
    append_rows(&*stores.first, "c", rows.clone()).await;
    let found = load_stored(&*stores.second, "c").await;
    assert_eq!(found.len(), rows.len());
    for (found, row) in found.iter().zip(&rows) {
        assert_eq!(found.body, row.body);
        assert_eq!(found.tokens, row.tokens);
    }
}

async fn every_field_comes_back(stores: &Stores) {
    let mut rows = Vec::new();
    for (text, (role, _)) in ODD.iter().zip(Role::ALL.iter().cycle()) {
        let mut row = said_as(&format!("{text}id"), text);
        row.body.role = *role;
        row.body.speaker = Some((*text).to_owned());
        row.body.session = Some((*text).to_owned());
        row.body.at = Some(EventTime { text: (*text).to_owned(), instant: None });
        rows.push(row);
    }
    rows[1].body.at = Some(EventTime { text: "2026-01-01T00:00:00Z".to_owned(), instant: Some(Timestamp(-5)) });
    for text in ODD {
        let mut append = append(&format!("c{text}"), rows.clone());
        append.name = (*text).to_owned();
        let id = append.conversation.clone();
        stores.first.append_messages(append).await.expect("appends");
        let conversation = stores.second.conversation(&id).await.expect("reads").expect("it was made");
        assert_eq!(conversation.name, *text);
    }
    let found: Vec<_> = load_stored(&*stores.second, "c").await.into_iter().map(|message| message.body).collect();
    assert_eq!(found, rows.into_iter().map(|row| row.body).collect::<Vec<_>>());
}

async fn numbers_come_back_at_their_limits(stores: &Stores) {
    let store = &*stores.first;
    let costs = [i64::MIN, i64::MAX].map(Some);
    let finish = |cost_micros| Part::StepFinish {
        reason: None,
        cost_micros,
        tokens_in: Some(u32::MAX),
        tokens_out: Some(u32::MAX),
    };
    let mut row = message(costs.map(finish).to_vec());
    row.tokens = Tokens(u32::MAX);
    row.body.at = Some(EventTime { text: "long ago".to_owned(), instant: Some(Timestamp(i64::MIN)) });
    for _ in 0..2 {
        let mut append = append("c", vec![row.clone()]);
        append.now = Timestamp(i64::MAX);
        store.append_messages(append).await.expect("appends");
    }
    let found = load_stored(store, "c").await;
    assert_eq!((&found[1].body, found[1].tokens, found[1].stored), (&row.body, row.tokens, Timestamp(i64::MAX)));
    let conversation = store.conversation(&conversation("c")).await.expect("reads").expect("it was made");
    assert_eq!(conversation.tokens, Tokens(u32::MAX), "a sum too large for the type is its largest value");
    assert_eq!(store.memory_totals().await.expect("reads").tokens, 2 * u64::from(u32::MAX));
}

async fn an_id_may_be_longer_than_an_index_entry(stores: &Stores) {
    let store = &*stores.first;
    let (id, other) = (long_text("a"), long_text("b"));
    let rows = || vec![said_as(&id, "hi"), said_as(&other, "hi")];
    let first = append_rows(store, "c", rows()).await;
    assert!(matches!(first[..], [Appended::New(_), Appended::New(_)]));
    assert!(matches!(append_rows(store, "c", rows()).await[..], [Appended::Known(_), Appended::Known(_)]));
    assert_eq!(load_stored(store, "c").await[0].body.external_id.as_ref(), Some(&id));
}

async fn windows_cut_where_they_say(stores: &Stores) {
    let store = &*stores.first;
    append_rows(store, "c", (1..=5).map(|number| said(&number.to_string())).collect()).await;
    let check = async |window: Window, wanted: &[u64]| {
        let found = store.messages(&conversation("c"), window).await.expect("reads");
        assert_eq!(found.iter().map(|message| message.seq).collect::<Vec<_>>(), wanted, "{window:?}");
    };
    check(Window::Last(0), &[]).await;
    check(Window::Last(2), &[4, 5]).await;
    check(Window::Last(u32::MAX), &[1, 2, 3, 4, 5]).await;
    check(Window::After { seq: 0, limit: 2 }, &[1, 2]).await;
    check(Window::After { seq: 3, limit: 9 }, &[4, 5]).await;
    check(Window::After { seq: 3, limit: 0 }, &[]).await;
    check(Window::After { seq: 5, limit: 9 }, &[]).await;
    check(Window::After { seq: u64::MAX, limit: 9 }, &[]).await;
}

async fn messages_come_from_the_places_asked_for(stores: &Stores) {
    let store = &*stores.first;
    append_rows(store, "c", vec![said("one"), message(all_parts("two")), said("three")]).await;
    append_rows(store, "d", vec![said("four")]).await;
    let places = [("d", 1), ("c", 2), ("c", 9), ("c", 3), ("nobody", 1), ("c", 2), ("c", u64::MAX), ("c", 0)];
    let places = places.map(|(name, seq)| (conversation(name), seq));
    let found = store.messages_at(&places).await.expect("reads");
    let all: Vec<Message> = load_stored(store, "c").await.into_iter().chain(load_stored(store, "d").await).collect();
    let at = |place: &(model::ConversationId, u64)| {
        all.iter().find(|message| (&message.conversation, message.seq) == (&place.0, place.1)).cloned()
    };
    assert_eq!(found, places.iter().map(at).collect::<Vec<_>>());
    assert_eq!(found.iter().flatten().count(), 4);
    assert_eq!(store.messages_at(&[]).await.expect("reads"), []);
}

async fn every_append_makes_another_version(stores: &Stores) {
    let mut versions = Vec::new();
    for (name, rows) in
        [("c", vec![said("one")]), ("d", vec![said_as("x", "two"), said("three")]), ("c", vec![said("four")])]
    {
        append_rows(&*stores.first, name, rows).await;
        versions.push(stores.second.memory_version().await.expect("reads"));
    }
    append_rows(&*stores.first, "d", vec![said_as("x", "two")]).await;
    let unchanged = stores.second.memory_version().await.expect("reads");
    assert_eq!(versions.last(), Some(&unchanged), "what was known changes nothing");
    for (at, version) in versions.iter().enumerate() {
        assert!(!versions[..at].contains(version), "{versions:?}");
    }
}

async fn an_unknown_conversation_is_none(stores: &Stores) {
    let store = &*stores.first;
    assert_eq!(store.conversation(&conversation("c")).await.expect("reads"), None);
    assert_eq!(load_stored(store, "c").await, []);
    append_rows(store, "c", Vec::new()).await;
    let empty = store.conversation(&conversation("c")).await.expect("reads").expect("an append makes it");
    assert_eq!((empty.messages, empty.tokens, empty.head), (0, Tokens(0), ChainHash::start(&conversation("c"))));
    assert_eq!(load_stored(store, "c").await, []);
}

async fn a_conversation_keeps_its_first_name_and_project(stores: &Stores) {
    let store = &*stores.first;
    for (name, owner) in [("first", Some(project("p"))), ("second", None)] {
        let mut append = append("c", vec![said("hi")]);
        (append.name, append.project) = (name.to_owned(), owner);
        store.append_messages(append).await.expect("appends");
    }
    let found = store.conversation(&conversation("c")).await.expect("reads").expect("it was made");
    assert_eq!((found.name.as_str(), found.project), ("first", Some(project("p"))));
}

async fn conversations_come_ordered_by_id(stores: &Stores) {
    let names = ["a", "b", "c", "d", "e", "f"];
    for name in names {
        append_rows(&*stores.first, name, vec![said(name)]).await;
    }
    let found: Vec<_> = stores.first.conversations().await.expect("reads").into_iter().map(|c| c.id).collect();
    let mut wanted: Vec<_> = names.iter().map(|name| conversation(name)).collect();
    wanted.sort_unstable();
    assert_eq!(found, wanted);
}

async fn totals_add_up(stores: &Stores) {
    let store = &*stores.first;
    assert_eq!(store.memory_totals().await.expect("reads"), MemoryTotals::default());
    append_rows(store, "c", vec![said("one two"), said_as("x", "three"), said_as("x", "three")]).await;
    append_rows(store, "d", vec![said("four")]).await;
    let wanted = MemoryTotals { conversations: 2, messages: 3, tokens: 4 };
    assert_eq!(store.memory_totals().await.expect("reads"), wanted);
}

async fn what_one_handle_stored_the_other_sees(stores: &Stores) {
    for (number, (writer, reader)) in
        [(&stores.first, &stores.second), (&stores.second, &stores.first)].into_iter().cycle().take(6).enumerate()
    {
        append_rows(&**writer, "c", vec![said("hi")]).await;
        assert_eq!(load_stored(&**reader, "c").await.len(), number + 1);
    }
}

async fn a_sound_store_finds_no_fault(stores: &Stores) {
    append_rows(&*stores.first, "c", vec![said("hi"), message(all_parts("x"))]).await;
    assert_eq!(stores.first.check_canonical().await.expect("reads"), []);
}

/// However many ask for the key at once, all of them get the same, and the next one too.
async fn the_scrub_key_is_made_once(stores: &Stores) {
    let Stores { first, second } = stores;
    let asked = futures::future::join_all((0..8).map(|n| if n % 2 == 0 { first } else { second }.scrub_key()));
    let keys: Vec<_> = asked.await.into_iter().map(|key| key.expect("a key")).collect();
    assert!(keys.iter().all(|key| *key == keys[0]));
    assert_ne!(keys[0].as_bytes(), &[0; 32]);
    assert_eq!(second.scrub_key().await.expect("a key"), keys[0]);
}
