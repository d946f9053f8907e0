//! Conformance tests that every store backend must pass, for `SessionStore` and what conversations say of themselves:
//! titles, times, states, texts that sum up a conversation, and metadata of messages.

use super::folds::take_lease;
use super::sample::{ODD_TEXTS, build_append, build_summary, conversation_id, parts_row, project_id, text_row};
use super::{StoreCase, StorePair, cases};
use crate::{
    AppendBatch, Conversation, LastActivity, MemoryBatch, MessageQuery, MessageWindow, NewFold, NewRow, StateChange,
    Store,
};
use model::{
    ConversationState, EventTime, MessagePart, NewMemory, PartMark, PartMarks, SessionSummary, SummaryMethod, Timestamp,
};

cases! {
    metadata_comes_back_and_is_part_of_the_hash,
    marks_of_parts_come_back_and_are_part_of_the_hash,
    conversations_keep_their_numbers,
    the_newest_title_that_says_anything_is_kept,
    times_are_those_of_the_first_and_the_newest_message,
    a_clock_that_jumped_moves_no_conversation,
    a_state_is_set_unless_somebody_spoke_meanwhile,
    a_new_message_makes_a_conversation_active_and_a_known_one_does_not,
    session_summaries_are_added_and_the_newest_counts,
    summaries_are_counted_by_conversation,
    the_last_activity_is_that_of_the_project,
    ids_are_found_by_their_beginning,
    messages_are_found_within_a_project_and_with_their_time,
}

/// A moment that sources of messages may name.
const NOW: i64 = 1_767_225_600_000;
const CENTURY: i64 = 100 * 365 * 24 * 60 * 60 * 1_000;

fn row_at(text: &str, at: i64) -> NewRow {
    let mut row = text_row(text);
    row.body.at = Some(EventTime { text: format!("{at} by its clock"), instant: Some(Timestamp(at)) });
    row
}

fn append_at(name: &str, rows: Vec<NewRow>, now: i64) -> AppendBatch {
    AppendBatch { now: Timestamp(now), ..build_append(name, rows) }
}

async fn load(store: &dyn Store, name: &str) -> Conversation {
    store.load_conversation(&conversation_id(name)).await.expect("reads").expect("it is there")
}

async fn metadata_comes_back_and_is_part_of_the_hash(stores: &StorePair) {
    let mut rows: Vec<NewRow> = ODD_TEXTS.iter().map(|_| text_row("the same words")).collect();
    for (row, odd) in rows.iter_mut().zip(ODD_TEXTS) {
        row.body.metadata = Some(format!("{{\"model\":\"{odd}\"}}"));
    }
    rows.push(text_row("the same words"));
    let wanted: Vec<Option<String>> = rows.iter().map(|row| row.body.metadata.clone()).collect();
    stores.first.append_messages(build_append("c", rows)).await.expect("appends");
    let window = MessageWindow::After { seq: 0, limit: 100 };
    let kept = stores.second.load_messages(&conversation_id("c"), window).await.expect("reads");
    assert_eq!(kept.iter().map(|message| message.body.metadata.clone()).collect::<Vec<_>>(), wanted);
    let [first, .., last] = &kept[..] else { panic!("there are several") };
    assert_ne!(first.body.content_hash(), last.body.content_hash());
}

async fn marks_of_parts_come_back_and_are_part_of_the_hash(stores: &StorePair) {
    let flags = [None, Some(true), Some(false)];
    let texts = ODD_TEXTS.iter().map(|odd| Some(format!("{{\"note\":\"{odd}\"}}"))).chain([None]);
    let marks: Vec<PartMark> = texts
        .enumerate()
        .map(|(number, metadata)| PartMark {
            is_ignored: flags[number % 3],
            is_synthetic: flags[number / 3 % 3],
            metadata,
        })
        .collect();
    // On the one part of a plain text, which both stores keep in a shorter form, and on the second of two.
    let alone = marks.iter().map(|mark| (text_row("the same words"), 0, mark));
    let words = || MessagePart::Text { text: "the same words".to_owned() };
    let second = marks.iter().map(|mark| (parts_row(vec![words(), words()]), 1, mark));
    let mut rows: Vec<NewRow> = Vec::new();
    for (mut row, place, mark) in alone.chain(second) {
        row.body.part_marks = PartMarks::from_iter([(place, mark.clone())]);
        rows.push(row);
    }
    rows.push(text_row("the same words"));
    let wanted: Vec<PartMarks> = rows.iter().map(|row| row.body.part_marks.clone()).collect();
    stores.first.append_messages(build_append("c", rows)).await.expect("appends");
    let window = MessageWindow::After { seq: 0, limit: 100 };
    let kept = stores.second.load_messages(&conversation_id("c"), window).await.expect("reads");
    assert_eq!(kept.iter().map(|message| message.body.part_marks.clone()).collect::<Vec<_>>(), wanted);
    let [first, .., last] = &kept[..] else { panic!("there are several") };
    assert_ne!(first.body.content_hash(), last.body.content_hash());
}

async fn conversations_keep_their_numbers(stores: &StorePair) {
    for name in ["c", "d"] {
        stores.first.append_messages(build_append(name, vec![text_row("hi")])).await.expect("appends");
    }
    let (first, second) = (load(&*stores.second, "c").await.number, load(&*stores.second, "d").await.number);
    assert!(0 < first && first < second, "{first} {second}");
    stores.first.append_messages(build_append("c", vec![text_row("more")])).await.expect("appends");
    assert_eq!(load(&*stores.second, "c").await.number, first);
    let mut listed = stores.second.list_conversations().await.expect("reads");
    listed.sort_by_key(|conversation| conversation.number);
    assert_eq!(listed.iter().map(|conversation| conversation.number).collect::<Vec<_>>(), [first, second]);
}

async fn the_newest_title_that_says_anything_is_kept(stores: &StorePair) {
    for (title, expected) in
        [(None, None), (Some("first"), Some("first")), (None, Some("first")), (Some("\0 odd"), Some("\0 odd"))]
    {
        let append = AppendBatch { title: title.map(str::to_owned), ..build_append("c", vec![text_row("hi")]) };
        stores.first.append_messages(append).await.expect("appends");
        assert_eq!(load(&*stores.second, "c").await.title.as_deref(), expected);
    }
}

async fn times_are_those_of_the_first_and_the_newest_message(stores: &StorePair) {
    let store = &*stores.first;
    let times = async || {
        let known = load(&*stores.second, "c").await;
        (known.created.0 - NOW, known.updated.0 - NOW)
    };
    store.append_messages(append_at("c", vec![], NOW)).await.expect("appends");
    assert_eq!(times().await, (0, 0), "it was made then");
    store
        .append_messages(append_at("c", vec![row_at("a", NOW - 50), row_at("b", NOW - 20)], NOW))
        .await
        .expect("appends");
    assert_eq!(times().await, (-50, -20));
    store
        .append_messages(append_at("c", vec![row_at("c", NOW - 90), row_at("d", NOW - 10)], NOW))
        .await
        .expect("appends");
    assert_eq!(times().await, (-90, -10));
    store.append_messages(append_at("c", vec![text_row("says no time")], NOW + 5)).await.expect("appends");
    assert_eq!(times().await, (-90, 5));
}

async fn a_clock_that_jumped_moves_no_conversation(stores: &StorePair) {
    let rows = vec![row_at("now", NOW - 10), row_at("later", NOW + CENTURY), row_at("earlier", NOW - CENTURY)];
    stores.first.append_messages(append_at("c", rows, NOW)).await.expect("appends");
    let known = load(&*stores.second, "c").await;
    assert_eq!((known.created, known.updated), (Timestamp(NOW - 10), Timestamp(NOW)));
    let window = MessageWindow::After { seq: 0, limit: 9 };
    let said = stores.second.load_messages(&conversation_id("c"), window).await.expect("reads");
    assert_eq!(
        said[1].body.at.as_ref().and_then(|at| at.instant),
        Some(Timestamp(NOW + CENTURY)),
        "kept as it was said"
    );
}

fn change_to(name: &str, messages: u64, state: ConversationState) -> StateChange {
    StateChange { conversation: conversation_id(name), messages, state, now: Timestamp(NOW + 7) }
}

async fn a_state_is_set_unless_somebody_spoke_meanwhile(stores: &StorePair) {
    let store = &*stores.first;
    store.append_messages(append_at("c", vec![text_row("hi")], NOW)).await.expect("appends");
    assert_eq!(load(store, "c").await.state, ConversationState::Active);
    assert!(store.set_conversation_state(change_to("c", 1, ConversationState::Archived)).await.expect("sets"));
    let known = load(&*stores.second, "c").await;
    assert_eq!((known.state, known.state_set), (ConversationState::Archived, Timestamp(NOW + 7)));
    store.append_messages(append_at("c", vec![text_row("ho")], NOW)).await.expect("appends");
    assert!(!store.set_conversation_state(change_to("c", 1, ConversationState::Summarized)).await.expect("refuses"));
    assert_eq!(load(&*stores.second, "c").await.state, ConversationState::Active);
    assert!(store.set_conversation_state(change_to("nobody", 0, ConversationState::Archived)).await.is_err());
}

async fn a_new_message_makes_a_conversation_active_and_a_known_one_does_not(stores: &StorePair) {
    let store = &*stores.first;
    let known = super::sample::text_row_as("x", "hi");
    store.append_messages(append_at("c", vec![known.clone()], NOW)).await.expect("appends");
    store.set_conversation_state(change_to("c", 1, ConversationState::Archived)).await.expect("sets");
    store.append_messages(append_at("c", vec![known], NOW + 90)).await.expect("appends");
    let after = load(store, "c").await;
    assert_eq!((after.state, after.updated), (ConversationState::Archived, Timestamp(NOW)));
    store.append_messages(append_at("c", vec![text_row("again")], NOW + 99)).await.expect("appends");
    let after = load(store, "c").await;
    assert_eq!((after.state, after.state_set), (ConversationState::Active, Timestamp(NOW + 99)));
}

async fn session_summaries_are_added_and_the_newest_counts(stores: &StorePair) {
    let store = &*stores.first;
    store.append_messages(build_append("c", vec![text_row("hi")])).await.expect("appends");
    let id = conversation_id("c");
    assert_eq!(store.session_summary(&id).await.expect("reads"), None);
    for (number, text) in (0_u64..).zip(ODD_TEXTS) {
        let method = match number % 3 {
            0 => SummaryMethod::Extractive,
            1 => SummaryMethod::Fallback,
            _ => SummaryMethod::Model { model: format!("a/{text}"), prompt: format!("session@{text}") },
        };
        let content = (*text).to_owned();
        let summary =
            SessionSummary { conversation: id.clone(), last_seq: number, content, method, created: Timestamp(NOW) };
        store.add_session_summary(summary.clone()).await.expect("adds");
        assert_eq!(stores.second.session_summary(&id).await.expect("reads"), Some(summary));
    }
    assert_eq!(store.session_summary(&conversation_id("other")).await.expect("reads"), None);
}

async fn summaries_are_counted_by_conversation(stores: &StorePair) {
    let store = &*stores.first;
    for name in ["c", "d"] {
        store.append_messages(build_append(name, vec![text_row("a"), text_row("b")])).await.expect("appends");
    }
    let id = conversation_id("c");
    let fence = take_lease(store, "c").await;
    let expected = store.active_context(&id).await.expect("reads").version;
    let summary = build_summary("c", 1, 2, &[], "both");
    store.apply_fold(NewFold { summary, expected, fence }).await.expect("folds");
    let counted = stores.second.count_summaries(&[conversation_id("d"), id, conversation_id("e")]).await;
    assert_eq!(counted.expect("counts"), [0, 1, 0]);
}

async fn the_last_activity_is_that_of_the_project(stores: &StorePair) {
    let store = &*stores.first;
    let (one, two) = (project_id("one"), project_id("two"));
    assert_eq!(stores.second.last_activity(None).await.expect("reads"), LastActivity::default());
    for (name, project, now) in [("c", Some(&one), NOW), ("d", None, NOW + 7)] {
        for row in ["a", "b"] {
            let append = AppendBatch { project: project.cloned(), ..append_at(name, vec![text_row(row)], now) };
            store.append_messages(append).await.expect("appends");
        }
    }
    // An append without a message stores nothing.
    store.append_messages(append_at("e", vec![], NOW + 9)).await.expect("appends");
    let fence = take_lease(store, "c").await;
    let expected = store.active_context(&conversation_id("c")).await.expect("reads").version;
    let summary = build_summary("c", 1, 2, &[], "both");
    let folded = Some(summary.created);
    store.apply_fold(NewFold { summary, expected, fence }).await.expect("folds");
    let cases = [
        (None, LastActivity { stored: Some(Timestamp(NOW + 7)), folded }),
        (Some(&one), LastActivity { stored: Some(Timestamp(NOW)), folded }),
        (Some(&two), LastActivity::default()),
    ];
    for (project, wanted) in cases {
        assert_eq!(stores.second.last_activity(project).await.expect("reads"), wanted, "{project:?}");
    }
}

async fn ids_are_found_by_their_beginning(stores: &StorePair) {
    let store = &*stores.first;
    let rows = (0..40).map(|number| text_row(&format!("row {number}"))).collect();
    let kept = store.append_messages(build_append("c", rows)).await.expect("appends");
    let mut ids: Vec<String> = kept.iter().map(|row| super::sample::expect_ack(row).message.to_string()).collect();
    ids.sort();
    let find = async |beginning: &str, limit| stores.second.ids_beginning(beginning, limit).await.expect("reads");
    assert_eq!(find("msg_", 100).await, ids);
    assert_eq!(find("msg_", 3).await, ids[..3]);
    for id in &ids {
        assert_eq!(find(id, 9).await, std::slice::from_ref(id));
        let alike: Vec<String> = ids.iter().filter(|other| other.starts_with(&id[..5])).cloned().collect();
        assert_eq!(find(&id[..5], 100).await, alike);
    }
    let memories: Vec<NewMemory> = ["a", "b"].map(|content| super::durable::new_memory(None, content)).to_vec();
    let mut ids: Vec<String> = memories.iter().map(|memory| memory.id().to_string()).collect();
    ids.sort();
    store.write_memories(MemoryBatch { memories, notes: Vec::new() }).await.expect("writes");
    assert_eq!(find("mem_", 100).await, ids);
    assert_eq!(find(&ids[1][..12], 100).await, ids[1..]);
    for nothing in ["", "msg", "sum_", "fact_", "art_", "msg_x", "msg_%", "conv_", "msg_' OR 1=1"] {
        assert_eq!(find(nothing, 100).await, Vec::<String>::new(), "{nothing}");
    }
}

async fn messages_are_found_within_a_project_and_with_their_time(stores: &StorePair) {
    let store = &*stores.first;
    for (name, project) in [("c", Some("p")), ("d", Some("q")), ("e", None)] {
        let append = append_at(name, vec![row_at("older", NOW - 9), row_at("wild", NOW + CENTURY)], NOW);
        store.append_messages(AppendBatch { project: project.map(project_id), ..append }).await.expect("appends");
    }
    let found = async |project: Option<&str>, terms: &[&str]| {
        let terms = terms.iter().map(|term| (*term).to_owned()).collect();
        let query = MessageQuery { project: project.map(project_id), terms, ..MessageQuery::default() };
        let found = store.find_messages(query, None).await.expect("looks");
        found.matches.iter().map(|place| place.happened.0 - NOW).collect::<Vec<_>>()
    };
    assert_eq!(found(Some("p"), &[]).await, [0, -9], "a time that cannot be is not believed");
    assert_eq!(found(Some("q"), &["older"]).await, [-9]);
    assert_eq!(found(Some("nobody"), &[]).await, [0_i64; 0]);
    assert_eq!(found(None, &["older"]).await, [-9, -9, -9]);
}
