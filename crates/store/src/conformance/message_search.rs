//! Promises about looking through all messages.

use super::sample::{append, conversation, message, said};
use super::{Case, Stores, cases};
use crate::{Among, Cursor, Find, Judge, Store, Verdict};
use model::{ConversationId, EventTime, Part, Timestamp, terms};
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

/// What is found, as conversation and seq.
async fn find_places(store: &dyn Store, find: Find, judge: Option<Judge>) -> Vec<(String, u64)> {
    let found = store.find_messages(find, judge).await.expect("looks");
    assert!(found.matches.is_sorted_by(|a, b| a > b), "newest first: {found:?}");
    assert_eq!(found.end, None, "nobody stopped it");
    let messages = store.messages_numbered(&found.matches).await.expect("reads");
    let place =
        |message: Option<model::Message>| message.map(|message| (message.conversation.to_string(), message.seq));
    messages.into_iter().map(|message| place(message).expect("what was found is there")).collect()
}

async fn find_seqs(store: &dyn Store, find: Find) -> Vec<u64> {
    find_places(store, find, None).await.into_iter().map(|(_, seq)| seq).collect()
}

fn terms_of(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Five messages in three conversations, in the order they are appended.
async fn fill_conversations(store: &dyn Store) -> Vec<(String, u64)> {
    let mut order = Vec::new();
    for (name, seq) in [("a", 1), ("b", 1), ("a", 2), ("c", 1), ("a", 3)] {
        store.append_messages(append(name, vec![said(&format!("{name} hi {seq}"))])).await.expect("appends");
        order.push((conversation(name).to_string(), seq));
    }
    order
}

async fn looking_visits_every_message_once_newest_first(stores: &Stores) {
    let store = &*stores.first;
    assert_eq!(find_places(store, Find::default(), None).await, []);
    let mut wanted = fill_conversations(store).await;
    wanted.reverse();
    assert_eq!(find_places(&*stores.second, Find::default(), None).await, wanted);
    assert_eq!(find_places(store, Find { terms: terms_of(&["hi"]), ..Find::default() }, None).await, wanted);
    let missing = store.messages_numbered(&[Cursor(i64::MAX), Cursor(-1)]).await.expect("reads");
    assert_eq!(missing, [None, None]);
}

async fn looking_may_stay_in_one_conversation(stores: &Stores) {
    let store = &*stores.first;
    fill_conversations(store).await;
    let within = |name: &str, words: &[&str]| Find {
        conversation: Some(conversation(name)),
        terms: terms_of(words),
        ..Find::default()
    };
    assert_eq!(find_seqs(store, within("a", &[])).await, [3, 2, 1]);
    assert_eq!(find_seqs(store, within("a", &["hi"])).await, [3, 2, 1]);
    assert_eq!(find_seqs(store, within("b", &["a"])).await, [0; 0]);
    assert_eq!(find_seqs(store, within("nobody", &[])).await, [0; 0]);
}

async fn looking_may_continue_behind_a_place(stores: &Stores) {
    let store = &*stores.first;
    let texts = (1..=1_300).map(|n| said(if n % 3 == 0 { "fizz" } else { "plain" })).collect();
    store.append_messages(append("c", texts)).await.expect("appends");
    for conversation in [None, Some(conversation("c"))] {
        for terms in [vec![], terms_of(&["fizz"])] {
            let find = Find { conversation: conversation.clone(), terms, ..Find::default() };
            let all = store.find_messages(find.clone(), None).await.expect("looks").matches;
            assert_eq!(all.len(), if find.terms.is_empty() { 1_300 } else { 433 });
            for at in [0, 7, all.len() - 1] {
                let behind = Find { before: Some(all[at]), ..find.clone() };
                assert_eq!(store.find_messages(behind, None).await.expect("looks").matches, all[at + 1..]);
            }
        }
    }
}

async fn knowing_where_terms_stand_changes_nothing_that_is_found(stores: &Stores) {
    let store = &*stores.first;
    let texts = |of: usize| (1..=600).map(move |n| said(if n % of == 0 { "fizz" } else { "plain" })).collect();
    store.append_messages(append("a", texts(50))).await.expect("appends");
    store.append_messages(append("b", texts(70))).await.expect("appends");
    let version = store.memory_version().await.expect("asks");
    // More places than hold it, in any order, and some that there are not.
    let places = |name: &'static str, of: u64| {
        (1..=601).rev().filter(move |n| n % of == 0).map(move |n| (conversation(name), n))
    };
    let places: Vec<_> = places("a", 25).chain(places("b", 35)).chain([(conversation("nobody"), 1)]).collect();
    store.append_messages(append("a", texts(90))).await.expect("appends");
    let places: Vec<_> = places.into_iter().chain((601..=1_200).map(|seq| (conversation("a"), seq))).collect();
    for conversation in [None, Some(conversation("a")), Some(conversation("b"))] {
        let find = Find { conversation: conversation.clone(), terms: terms_of(&["fizz"]), ..Find::default() };
        let is_meant = |(id, _): &&(ConversationId, u64)| conversation.as_ref().is_none_or(|wanted| wanted == id);
        let among = Among { places: places.iter().filter(is_meant).cloned().collect(), version };
        let all = store.find_messages(find.clone(), None).await.expect("looks").matches;
        assert!(!all.is_empty());
        for before in all.iter().map(|at| Some(*at)).chain([None]) {
            let find = Find { before, ..find.clone() };
            let wanted = store.find_messages(find.clone(), None).await.expect("looks");
            let found = store.find_messages(Find { among: Some(among.clone()), ..find }, None).await.expect("looks");
            assert_eq!(found, wanted);
        }
        let asked = AtomicUsize::new(0);
        let soon: Judge =
            Arc::new(move |_| if asked.fetch_add(1, Ordering::Relaxed) < 3 { Verdict::Matches } else { Verdict::Stop });
        let find = Find { among: Some(among), ..find };
        let found = store.find_messages(find.clone(), Some(soon)).await.expect("looks");
        let rest = store.find_messages(Find { before: found.end, ..find }, None).await.expect("looks");
        assert_eq!([found.matches, rest.matches].concat(), all, "what was looked at has no gap");
    }
}

async fn a_judge_sees_every_content_and_decides(stores: &Stores) {
    let store = &*stores.first;
    let texts: Vec<String> = (0..1_500).map(|n| format!("number {n}\0{}", "x".repeat(n * 7))).collect();
    store.append_messages(append("c", texts.iter().map(|text| said(text)).collect())).await.expect("appends");
    let expected = texts.clone();
    let seen = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&seen);
    let judge: Judge = Arc::new(move |content| {
        count.fetch_add(1, Ordering::Relaxed);
        let text = std::str::from_utf8(content).expect("text");
        let number: usize = text.split_once('\0').expect("a NUL").0[7..].parse().expect("a number");
        assert_eq!(text, expected[number]);
        if number.is_multiple_of(100) { Verdict::Matches } else { Verdict::Differs }
    });
    let places = find_places(store, Find::default(), Some(judge)).await;
    assert_eq!(seen.load(Ordering::Relaxed), 1_500);
    let wanted: Vec<u64> = (0..15).rev().map(|n| n * 100 + 1).collect();
    assert_eq!(places.into_iter().map(|(_, seq)| seq).collect::<Vec<_>>(), wanted);
}

async fn a_judge_may_stop_and_what_was_looked_at_has_no_gap(stores: &Stores) {
    let store = &*stores.first;
    store.append_messages(append("c", (0..3_000).map(|n| said(&n.to_string())).collect())).await.expect("appends");
    let all = store.find_messages(Find::default(), None).await.expect("looks").matches;
    for most in [0, 1, 700, 2_999] {
        let left = Arc::new(AtomicUsize::new(most));
        let judge: Judge = Arc::new(move |_| {
            let taken = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
            if taken.is_ok() { Verdict::Matches } else { Verdict::Stop }
        });
        let found = store.find_messages(Find::default(), Some(judge)).await.expect("looks");
        let end = found.end.expect("it was stopped");
        assert!(found.matches.len() <= most);
        assert_eq!(found.matches, all[..found.matches.len()], "the newest, without a gap");
        let rest = store.find_messages(Find { before: Some(end), ..Find::default() }, None).await.expect("looks");
        assert_eq!(rest.matches, all[found.matches.len()..], "all others come behind it");
    }
}

async fn bounds_count_by_when_it_happened_else_by_when_it_was_stored(stores: &Stores) {
    let store = &*stores.first;
    let at = |instant: Option<i64>| {
        let mut row = said("hi");
        row.body.at = Some(EventTime { text: "then".to_owned(), instant: instant.map(Timestamp) });
        row
    };
    // Stored at 1,000.
    store
        .append_messages(append("c", vec![at(Some(10)), at(Some(5_000)), at(None), said("hi")]))
        .await
        .expect("appends");
    let bounds = |since: Option<i64>, until: Option<i64>| Find {
        since: since.map(Timestamp),
        until: until.map(Timestamp),
        ..Find::default()
    };
    for terms in [vec![], terms_of(&["hi"])] {
        let ask = async |since, until| find_seqs(store, Find { terms: terms.clone(), ..bounds(since, until) }).await;
        assert_eq!(ask(Some(1_000), None).await, [4, 3, 2]);
        assert_eq!(ask(None, Some(1_000)).await, [1]);
        assert_eq!(ask(Some(11), Some(5_000)).await, [4, 3]);
        assert_eq!(ask(Some(10), Some(10)).await, [0; 0]);
    }
}
/// Appends the texts to one conversation and checks which of them, by position, hold all the terms.
async fn check_terms(store: &dyn Store, texts: &[&str], queries: &[&[&str]]) {
    store.append_messages(append("c", texts.iter().map(|text| said(text)).collect())).await.expect("appends");
    for query in queries {
        let find = Find { terms: terms_of(query), ..Find::default() };
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

async fn terms_lead_to_exactly_the_messages_that_hold_all_of_them(stores: &Stores) {
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

async fn a_word_of_the_query_language_is_only_a_word(stores: &Stores) {
    let texts = ["this AND that", "NOT this", "NEAR that OR this", "this NEAR", "terms", "rowid rank"];
    let queries: [&[&str]; 8] =
        [&["and"], &["not"], &["near", "this"], &["or"], &["this", "and", "that"], &["terms"], &["rowid"], &["rank"]];
    check_terms(&*stores.first, &texts, &queries).await;
}

async fn what_is_no_term_is_held_by_no_message(stores: &Stores) {
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

async fn terms_are_found_in_every_kind_of_part(stores: &Stores) {
    let store = &*stores.first;
    let tool = Part::Tool {
        call_id: None,
        name: Some("bash".to_owned()),
        status: None,
        input: Some("{\"command\":\"cargo test\"}".to_owned()),
        output: Some("a\0b".to_owned()),
        error: None,
        title: None,
    };
    let rows =
        vec![message(vec![tool]), message(vec![Part::Patch { hash: None, files: vec!["src/lib.rs".to_owned()] }])];
    store.append_messages(append("c", rows)).await.expect("appends");
    for (words, wanted) in [(&["bash", "cargo"][..], 1), (&["a", "b"], 1), (&["src", "lib"], 2), (&["bash", "src"], 0)]
    {
        let find = Find { terms: terms_of(words), ..Find::default() };
        let found: u64 = find_seqs(store, find).await.iter().sum();
        assert_eq!(found, wanted, "{words:?}");
    }
}
