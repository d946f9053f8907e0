//! Conformance tests that every store backend must pass, for `MemoryStore::find_messages`: the search of all messages
//! by terms, time and a caller's matcher.

use super::sample::{build_append, conversation_id, parts_row, text_row};
use super::{StoreCase, StorePair, cases};
use crate::{ContentMatcher, MatchOutcome, MessageFilter, MessageMatches, MessageQuery, Store, StoreCursor};
use model::{ConversationId, EventTime, MessagePart, Timestamp, terms};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

cases! {
    looking_visits_every_message_once_newest_first,
    looking_may_stay_in_one_conversation,
    looking_may_continue_behind_a_place,
    a_judge_sees_every_content_and_decides,
    a_judge_may_stop_and_what_was_looked_at_has_no_gap,
    bounds_count_by_when_it_happened_else_by_when_it_was_stored,
    terms_lead_to_exactly_the_messages_that_hold_all_of_them,
    knowing_where_terms_stand_changes_nothing_that_is_found,
    a_word_of_the_query_language_is_only_a_word,
    what_is_no_term_is_held_by_no_message,
    terms_are_found_in_every_kind_of_part,
}

/// The matches, as conversation and seq.
async fn find_places(store: &dyn Store, find: MessageQuery, judge: Option<ContentMatcher>) -> Vec<(String, u64)> {
    let found = store.find_messages(find, judge).await.expect("looks");
    assert!(found.cursors().is_sorted_by(|a, b| a > b), "newest first: {found:?}");
    assert_eq!(found.end, None, "nobody stopped it");
    let messages = store.messages_numbered(&found.cursors()).await.expect("reads");
    let place =
        |message: Option<model::Message>| message.map(|message| (message.conversation.to_string(), message.seq));
    messages.into_iter().map(|message| place(message).expect("what was found is there")).collect()
}

async fn find_seqs(store: &dyn Store, find: MessageQuery) -> Vec<u64> {
    find_places(store, find, None).await.into_iter().map(|(_, seq)| seq).collect()
}

fn terms_of(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Five messages in three conversations, in the order they are appended.
async fn fill_conversations(store: &dyn Store) -> Vec<(String, u64)> {
    let mut order = Vec::new();
    for (name, seq) in [("a", 1), ("b", 1), ("a", 2), ("c", 1), ("a", 3)] {
        store.append_messages(build_append(name, vec![text_row(&format!("{name} hi {seq}"))])).await.expect("appends");
        order.push((conversation_id(name).to_string(), seq));
    }
    order
}

async fn looking_visits_every_message_once_newest_first(stores: &StorePair) {
    let store = &*stores.first;
    assert_eq!(find_places(store, MessageQuery::default(), None).await, []);
    let mut wanted = fill_conversations(store).await;
    wanted.reverse();
    assert_eq!(find_places(&*stores.second, MessageQuery::default(), None).await, wanted);
    assert_eq!(
        find_places(store, MessageQuery { terms: terms_of(&["hi"]), ..MessageQuery::default() }, None).await,
        wanted
    );
    let missing = store.messages_numbered(&[StoreCursor(i64::MAX), StoreCursor(-1)]).await.expect("reads");
    assert_eq!(missing, [None, None]);
}

async fn looking_may_stay_in_one_conversation(stores: &StorePair) {
    let store = &*stores.first;
    fill_conversations(store).await;
    let within = |name: &str, words: &[&str]| MessageQuery {
        conversation: Some(conversation_id(name)),
        terms: terms_of(words),
        ..MessageQuery::default()
    };
    assert_eq!(find_seqs(store, within("a", &[])).await, [3, 2, 1]);
    assert_eq!(find_seqs(store, within("a", &["hi"])).await, [3, 2, 1]);
    assert_eq!(find_seqs(store, within("b", &["a"])).await, [0; 0]);
    assert_eq!(find_seqs(store, within("nobody", &[])).await, [0; 0]);
}

async fn looking_may_continue_behind_a_place(stores: &StorePair) {
    let store = &*stores.first;
    // More than a batch of either store reads at once, so that the borders between batches are crossed.
    let texts = (1..=1_300).map(|n| text_row(if n % 3 == 0 { "fizz" } else { "plain" })).collect();
    store.append_messages(build_append("c", texts)).await.expect("appends");
    for conversation in [None, Some(conversation_id("c"))] {
        for terms in [vec![], terms_of(&["fizz"])] {
            let find = MessageQuery { conversation: conversation.clone(), terms, ..MessageQuery::default() };
            let all = store.find_messages(find.clone(), None).await.expect("looks").cursors();
            assert_eq!(all.len(), if find.terms.is_empty() { 1_300 } else { 433 });
            for at in [0, 7, all.len() - 1] {
                let behind = MessageQuery { before: Some(all[at]), ..find.clone() };
                assert_eq!(store.find_messages(behind, None).await.expect("looks").cursors(), all[at + 1..]);
            }
        }
    }
}

async fn knowing_where_terms_stand_changes_nothing_that_is_found(stores: &StorePair) {
    let store = &*stores.first;
    let texts = |of: usize| (1..=600).map(move |n| text_row(if n % of == 0 { "fizz" } else { "plain" })).collect();
    store.append_messages(build_append("a", texts(50))).await.expect("appends");
    store.append_messages(build_append("b", texts(70))).await.expect("appends");
    let version = store.memory_version().await.expect("asks");
    // More places than hold it, in any order, and some that there are not.
    let places = |name: &'static str, of: u64| {
        (1..=601).rev().filter(move |n| n % of == 0).map(move |n| (conversation_id(name), n))
    };
    let places: Vec<_> = places("a", 25).chain(places("b", 35)).chain([(conversation_id("nobody"), 1)]).collect();
    // Appended after `version`: places are only known up to there, and later messages must still be looked at.
    store.append_messages(build_append("a", texts(90))).await.expect("appends");
    let places: Vec<_> = places.into_iter().chain((601..=1_200).map(|seq| (conversation_id("a"), seq))).collect();
    for conversation in [None, Some(conversation_id("a")), Some(conversation_id("b"))] {
        let find =
            MessageQuery { conversation: conversation.clone(), terms: terms_of(&["fizz"]), ..MessageQuery::default() };
        let is_meant = |(id, _): &&(ConversationId, u64)| conversation.as_ref().is_none_or(|wanted| wanted == id);
        let among = MessageFilter { places: places.iter().filter(is_meant).cloned().collect(), version };
        let all = store.find_messages(find.clone(), None).await.expect("looks").cursors();
        assert!(!all.is_empty());
        for before in all.iter().map(|at| Some(*at)).chain([None]) {
            let find = MessageQuery { before, ..find.clone() };
            let wanted = store.find_messages(find.clone(), None).await.expect("looks");
            let found =
                store.find_messages(MessageQuery { among: Some(among.clone()), ..find }, None).await.expect("looks");
            // The place of nobody's message is a gap where places are known, and only there.
            assert_eq!(MessageMatches { has_gaps: wanted.has_gaps, ..found }, wanted);
        }
        let asked = AtomicUsize::new(0);
        let soon: ContentMatcher = Arc::new(move |_| {
            if asked.fetch_add(1, Ordering::Relaxed) < 3 { MatchOutcome::Matches } else { MatchOutcome::Stop }
        });
        let find = MessageQuery { among: Some(among), ..find };
        let found = store.find_messages(find.clone(), Some(soon)).await.expect("looks");
        let rest = store.find_messages(MessageQuery { before: found.end, ..find }, None).await.expect("looks");
        assert_eq!([found.cursors(), rest.cursors()].concat(), all, "what was looked at has no gap");
    }
}

async fn a_judge_sees_every_content_and_decides(stores: &StorePair) {
    let store = &*stores.first;
    // More messages than one page, of growing length and with a NUL: each content must arrive whole.
    let texts: Vec<String> = (0..1_500).map(|n| format!("number {n}\0{}", "x".repeat(n * 7))).collect();
    store.append_messages(build_append("c", texts.iter().map(|text| text_row(text)).collect())).await.expect("appends");
    let expected = texts.clone();
    let seen = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&seen);
    let judge: ContentMatcher = Arc::new(move |content| {
        count.fetch_add(1, Ordering::Relaxed);
        let text = std::str::from_utf8(content).expect("text");
        let number: usize = text.split_once('\0').expect("a NUL").0[7..].parse().expect("a number");
        assert_eq!(text, expected[number]);
        if number.is_multiple_of(100) { MatchOutcome::Matches } else { MatchOutcome::Differs }
    });
    let places = find_places(store, MessageQuery::default(), Some(judge)).await;
    assert_eq!(seen.load(Ordering::Relaxed), 1_500);
    let wanted: Vec<u64> = (0..15).rev().map(|n| n * 100 + 1).collect();
    assert_eq!(places.into_iter().map(|(_, seq)| seq).collect::<Vec<_>>(), wanted);
}

async fn a_judge_may_stop_and_what_was_looked_at_has_no_gap(stores: &StorePair) {
    let store = &*stores.first;
    store
        .append_messages(build_append("c", (0..3_000).map(|n| text_row(&n.to_string())).collect()))
        .await
        .expect("appends");
    let all = store.find_messages(MessageQuery::default(), None).await.expect("looks").cursors();
    // The first, none, one in the middle and all but one: the end must be exact wherever a batch is cut.
    for most in [0, 1, 700, 2_999] {
        let left = Arc::new(AtomicUsize::new(most));
        let judge: ContentMatcher = Arc::new(move |_| {
            let taken = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
            if taken.is_ok() { MatchOutcome::Matches } else { MatchOutcome::Stop }
        });
        let found = store.find_messages(MessageQuery::default(), Some(judge)).await.expect("looks");
        let end = found.end.expect("it was stopped");
        assert!(found.matches.len() <= most);
        assert_eq!(found.cursors(), all[..found.matches.len()], "the newest, without a gap");
        let rest = store
            .find_messages(MessageQuery { before: Some(end), ..MessageQuery::default() }, None)
            .await
            .expect("looks");
        assert_eq!(rest.cursors(), all[found.matches.len()..], "all others come behind it");
    }
}

async fn bounds_count_by_when_it_happened_else_by_when_it_was_stored(stores: &StorePair) {
    let store = &*stores.first;
    let at = |instant: Option<i64>| {
        let mut row = text_row("hi");
        row.body.at = Some(EventTime { text: "then".to_owned(), instant: instant.map(Timestamp) });
        row
    };
    // Stored at 1,000.
    store
        // Imported messages keep the time at which they were said, possibly years before they were stored.
        .append_messages(build_append("c", vec![at(Some(10)), at(Some(5_000)), at(None), text_row("hi")]))
        .await
        .expect("appends");
    let bounds = |since: Option<i64>, until: Option<i64>| MessageQuery {
        since: since.map(Timestamp),
        until: until.map(Timestamp),
        ..MessageQuery::default()
    };
    for terms in [vec![], terms_of(&["hi"])] {
        let ask =
            async |since, until| find_seqs(store, MessageQuery { terms: terms.clone(), ..bounds(since, until) }).await;
        assert_eq!(ask(Some(1_000), None).await, [4, 3, 2]);
        assert_eq!(ask(None, Some(1_000)).await, [1]);
        assert_eq!(ask(Some(11), Some(5_000)).await, [4, 3]);
        assert_eq!(ask(Some(10), Some(10)).await, [0; 0]);
    }
}
/// Appends the texts to one conversation and checks which of them, by position, hold all the terms.
async fn check_terms(store: &dyn Store, texts: &[&str], queries: &[&[&str]]) {
    store.append_messages(build_append("c", texts.iter().map(|text| text_row(text)).collect())).await.expect("appends");
    for query in queries {
        let find = MessageQuery { terms: terms_of(query), ..MessageQuery::default() };
        let mut found: Vec<_> = find_seqs(store, find).await.into_iter().map(|seq| seq as usize - 1).collect();
        found.reverse();
        let holds = |text: &&str| {
            let held = terms::distinct_terms(text);
            query.iter().all(|term| held.iter().any(|held| held == term))
        };
        let wanted: Vec<_> = (0..texts.len()).filter(|place| holds(&texts[*place])).collect();
        assert_eq!(found, wanted, "{query:?}");
    }
}

async fn terms_lead_to_exactly_the_messages_that_hold_all_of_them(stores: &StorePair) {
    // Terms have at most 64 characters; a longer word is no term, in the index as in the query.
    let longest = "x".repeat(64);
    let too_long = "y".repeat(65);
    let texts = [
        "fn parse_header(input: &str) -> Header",
        "parseHeader calls parse_header",
        "header and input",
        "数据库连接 parse",
        "数据",
        "it's \"quoted\" header",
        "Größe STRASSE straße",
        &longest,
        &too_long,
        "",
        "snake snake_case case",
    ];
    let queries: [&[&str]; 16] = [
        &["header"],
        &["parse_header"],
        &["parseheader"],
        &["parse", "header"],
        &["header", "input"],
        &["数据"],
        &["据库", "parse"],
        &["库"],
        &["quoted"],
        &["größe", "straße"],
        &["strasse"],
        &[&longest],
        &[&too_long],
        &["snake_case", "snake"],
        &["header", "header"],
        &["nowhere"],
    ];
    check_terms(&*stores.first, &texts, &queries).await;
}

async fn a_word_of_the_query_language_is_only_a_word(stores: &StorePair) {
    // Words of SQLite's full-text queries, and names of its columns.
    let texts = ["this AND that", "NOT this", "NEAR that OR this", "this NEAR", "terms", "rowid rank"];
    let queries: [&[&str]; 8] =
        [&["and"], &["not"], &["near", "this"], &["or"], &["this", "and", "that"], &["terms"], &["rowid"], &["rank"]];
    check_terms(&*stores.first, &texts, &queries).await;
}

async fn what_is_no_term_is_held_by_no_message(stores: &StorePair) {
    let texts = ["this and that", "a \"b\" c* ^d", "x:y"];
    let queries: [&[&str]; 10] = [
        &[""],
        &[" "],
        &["this and"],
        &["This"],
        &["AND"],
        &["\""],
        &["c*"],
        &["^d"],
        &["x:y"],
        &["this", "\"; DROP TABLE messages; --"],
    ];
    check_terms(&*stores.first, &texts, &queries).await;
}

async fn terms_are_found_in_every_kind_of_part(stores: &StorePair) {
    let store = &*stores.first;
    let tool = MessagePart::Tool {
        call_id: None,
        name: Some("bash".to_owned()),
        status: None,
        input: Some("{\"command\":\"cargo test\"}".to_owned()),
        output: Some("a\0b".to_owned()),
        error: None,
        title: None,
    };
    let rows = vec![
        parts_row(vec![tool]),
        parts_row(vec![MessagePart::Patch { hash: None, files: vec!["src/lib.rs".to_owned()] }]),
    ];
    store.append_messages(build_append("c", rows)).await.expect("appends");
    for (words, wanted) in [(&["bash", "cargo"][..], 1), (&["a", "b"], 1), (&["src", "lib"], 2), (&["bash", "src"], 0)]
    {
        let find = MessageQuery { terms: terms_of(words), ..MessageQuery::default() };
        let found: u64 = find_seqs(store, find).await.iter().sum();
        assert_eq!(found, wanted, "{words:?}");
    }
}
