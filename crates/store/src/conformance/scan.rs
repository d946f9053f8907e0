//! Promises about looking through all messages.

use super::sample::{append, conversation, message, said};
use super::{Case, Stores, cases};
use crate::{Cursor, MessageScan, Store};
use model::{Part, terms};

cases! {
    a_scan_visits_every_message_once_newest_first,
    a_scan_may_stay_in_one_conversation,
    a_scan_finds_exactly_the_messages_that_hold_all_terms,
    a_word_of_the_query_language_is_only_a_word,
    what_is_no_term_is_held_by_no_message,
    terms_are_found_in_every_kind_of_part,
    a_scan_by_terms_pages_like_any_other,
}

/// All pages of a scan, as conversation and seq.
async fn pages(store: &dyn Store, mut scan: MessageScan) -> Vec<(String, u64)> {
    let mut found: Vec<(String, u64)> = Vec::new();
    loop {
        let page = store.scan_messages(scan.clone()).await.expect("scans");
        assert!(page.len() <= scan.limit as usize);
        let cursors: Vec<Cursor> = page.iter().map(|(cursor, _)| *cursor).collect();
        assert!(cursors.is_sorted_by(|a, b| a > b), "newest first: {cursors:?}");
        assert!(scan.before.is_none_or(|before| cursors.iter().all(|cursor| *cursor < before)));
        found.extend(page.iter().map(|(_, message)| (message.conversation.to_string(), message.seq)));
        let Some(last) = cursors.last() else { return found };
        scan.before = Some(*last);
    }
}

fn terms_of(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Five messages in three conversations, in the order they are appended.
async fn fill(store: &dyn Store) -> Vec<(String, u64)> {
    let mut order = Vec::new();
    for (name, seq) in [("a", 1), ("b", 1), ("a", 2), ("c", 1), ("a", 3)] {
        store.append_messages(append(name, vec![said(&format!("{name} hi"))])).await.expect("appends");
        order.push((conversation(name).to_string(), seq));
    }
    order
}

async fn a_scan_visits_every_message_once_newest_first(stores: &Stores) {
    let store = &*stores.first;
    assert_eq!(pages(store, MessageScan { limit: 3, ..MessageScan::default() }).await, []);
    let mut wanted = fill(store).await;
    wanted.reverse();
    for limit in [1, 2, 3, 5, 6, u32::MAX] {
        assert_eq!(pages(store, MessageScan { limit, ..MessageScan::default() }).await, wanted, "limit {limit}");
    }
    assert_eq!(pages(store, MessageScan::default()).await, [], "a limit of 0 gives nothing");
}

async fn a_scan_may_stay_in_one_conversation(stores: &Stores) {
    let store = &*stores.first;
    fill(store).await;
    let scan = |name: &str, words: &[&str]| MessageScan {
        conversation: Some(conversation(name)),
        terms: terms_of(words),
        limit: 2,
        ..MessageScan::default()
    };
    let seqs = async |scan| pages(store, scan).await.into_iter().map(|(_, seq)| seq).collect::<Vec<_>>();
    assert_eq!(seqs(scan("a", &[])).await, [3, 2, 1]);
    assert_eq!(seqs(scan("a", &["hi"])).await, [3, 2, 1]);
    assert_eq!(seqs(scan("b", &["a"])).await, [0; 0]);
    assert_eq!(seqs(scan("nobody", &[])).await, [0; 0]);
}

/// Appends the texts to one conversation and checks which of them, by position, hold all the terms.
async fn check_terms(store: &dyn Store, texts: &[&str], queries: &[&[&str]]) {
    store.append_messages(append("c", texts.iter().map(|text| said(text)).collect())).await.expect("appends");
    for query in queries {
        let scan = MessageScan { terms: terms_of(query), limit: 100, ..MessageScan::default() };
        let mut found: Vec<_> = pages(store, scan).await.into_iter().map(|(_, seq)| seq as usize - 1).collect();
        found.reverse();
        let holds = |text: &&str| {
            let held = terms::distinct_terms(text);
            query.iter().all(|term| held.iter().any(|held| held == term))
        };
        let wanted: Vec<_> = (0..texts.len()).filter(|place| holds(&texts[*place])).collect();
        assert_eq!(found, wanted, "{query:?}");
    }
}

async fn a_scan_finds_exactly_the_messages_that_hold_all_terms(stores: &Stores) {
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
        let scan = MessageScan { terms: terms_of(words), limit: 9, ..MessageScan::default() };
        let found: u64 = pages(store, scan).await.iter().map(|(_, seq)| seq).sum();
        assert_eq!(found, wanted, "{words:?}");
    }
}

async fn a_scan_by_terms_pages_like_any_other(stores: &Stores) {
    let store = &*stores.first;
    let texts = (1..=20).map(|n| said(if n % 3 == 0 { "fizz" } else { "plain" })).collect();
    store.append_messages(append("c", texts)).await.expect("appends");
    for limit in [1, 2, 6, 7] {
        let scan = MessageScan { terms: terms_of(&["fizz"]), limit, ..MessageScan::default() };
        let seqs: Vec<_> = pages(store, scan).await.into_iter().map(|(_, seq)| seq).collect();
        assert_eq!(seqs, [18, 15, 12, 9, 6, 3]);
    }
}
