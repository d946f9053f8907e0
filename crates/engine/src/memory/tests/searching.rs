//! Tests of search in compacted conversations: `grep` finds patterns in messages, summaries and artifacts page by page;
//! recall returns messages alone.

use super::{House, house};
use crate::base::Project;
use crate::memory::{
    FoldMode, GrepFound, GrepMode, GrepRequest, GrepScope, MemorySettings, RecallRequest, RecallScope,
};
use model::{EventTime, MessagePart, MessageRole, NewMessage, TokenCount};

fn said(text: String, day: usize) -> NewMessage {
    let at = Some(EventTime::from_text(format!("2026-03-{day:02}T12:00:00Z")));
    let parts = vec![MessagePart::Text { text }];
    let part_marks = model::PartMarks::default();
    let role = MessageRole::User;
    NewMessage { external_id: None, role, speaker: None, session: None, at, metadata: None, parts, part_marks }
}

/// Weeks of talk about one thing after the other, folded.
async fn folded() -> House {
    let memory = MemorySettings {
        leaf_chunk_tokens: TokenCount(1_000),
        leaf_target_tokens: TokenCount(400),
        ..Default::default()
    };
    let house = house(memory);
    let topics = ["harbour", "glacier", "violin"];
    let messages = (0..240).map(|number| {
        let topic = topics[number / 80];
        let text = format!("We must keep src/{topic}_{number}.rs: the {topic} of run {number} took {number} steps.");
        said(text, 1 + number / 10)
    });
    let request =
        crate::memory::IngestRequest { conversation: "long".to_owned(), project: None, messages: messages.collect() };
    house.engine.ingest_messages(request).await.expect("stores");
    house.compact("long", FoldMode::Sweep, crate::memory::CompactEffect::Fold).await;
    house
}

fn grep(pattern: &str, mode: GrepMode, scope: GrepScope) -> GrepRequest {
    let conversation = None;
    let since = None;
    let until = None;
    let cursor = None;
    GrepRequest {
        pattern: pattern.to_owned(),
        mode,
        scope,
        conversation,
        project: None,
        since,
        until,
        cursor,
        limit: 7,
    }
}

/// Every page: how many messages, summaries and artifacts in which order, each once.
async fn all(house: &House, mut request: GrepRequest) -> (usize, usize, usize) {
    let mut ids = std::collections::HashSet::new();
    let mut messages = 0;
    let mut summaries = 0;
    let mut artifacts = 0;
    let first = house.engine.grep_messages(request.clone()).await.expect("searches").total;
    loop {
        let reply = house.engine.grep_messages(request.clone()).await.expect("searches");
        assert_eq!((ids.len() as u64 + reply.total, reply.is_complete), (first, true));
        for found in &reply.matches {
            let id = match &found.found {
                GrepFound::Message(message) => {
                    assert_eq!((summaries, artifacts), (0, 0), "messages come first");
                    messages += 1;
                    message.id.to_string()
                }
                GrepFound::Summary(summary) => {
                    summaries += 1;
                    summary.id.to_string()
                }
                GrepFound::Artifact { place, .. } => {
                    artifacts += 1;
                    place.clone()
                }
            };
            assert!(ids.insert(id), "each once");
        }
        let Some(cursor) = reply.cursor else { break };
        request.cursor = Some(cursor);
    }
    assert_eq!(ids.len() as u64, first);
    (messages, summaries, artifacts)
}

#[tokio::test]
async fn patterns_are_found_in_messages_and_in_summaries_page_by_page() {
    let house = folded().await;
    for (mode, pattern) in [(GrepMode::Regex, "glacier_1[0-9]+"), (GrepMode::FullText, "glacier")] {
        let (messages, none, _) = all(&house, grep(pattern, mode, GrepScope::Messages)).await;
        let (no, summaries, _) = all(&house, grep(pattern, mode, GrepScope::Summaries)).await;
        assert_eq!((none, no), (0, 0));
        assert!(messages > 7 && summaries > 0, "{messages} {summaries}");
        assert_eq!(all(&house, grep(pattern, mode, GrepScope::Both)).await, (messages, summaries, 0), "{pattern}");
    }
}

#[tokio::test]
async fn bounds_of_time_hold_for_summaries_too() {
    let house = folded().await;
    let at = |text: &str| EventTime::from_text(text.to_owned()).instant;
    let request = GrepRequest { since: at("2026-03-20T00:00:00Z"), ..grep("run", GrepMode::FullText, GrepScope::Both) };
    let reply = house.engine.grep_messages(GrepRequest { limit: 500, ..request }).await.expect("searches");
    let mut messages = 0;
    let mut summaries = 0;
    for found in reply.matches {
        let until = match found.found {
            GrepFound::Message(message) => {
                messages += 1;
                message.body.at.expect("it says when").text
            }
            GrepFound::Summary(summary) => {
                summaries += 1;
                summary.until.expect("its messages say when")
            }
            GrepFound::Artifact { place, .. } => panic!("{place} is no artifact of ours"),
        };
        assert!(until.as_str() >= "2026-03-20", "{until}");
    }
    assert!(messages > 0 && summaries > 0);
    let none = GrepRequest { until: at("2026-02-01T00:00:00Z"), ..grep("run", GrepMode::FullText, GrepScope::Both) };
    assert_eq!(house.engine.grep_messages(none).await.expect("searches").total, 0);
}

#[tokio::test]
async fn what_was_too_large_for_its_message_is_found_and_read_from_there() {
    let house = house(MemorySettings { artifact_tokens: TokenCount(500), ..Default::default() });
    let messages = (0..9).map(|number| {
        let filler = |word: &str| format!("{word} {number} of the log\n").repeat(300);
        said(format!("{}the needle_{number} fell\n{}", filler("before"), filler("behind")), 1 + number)
    });
    let request =
        crate::memory::IngestRequest { conversation: "logs".to_owned(), project: None, messages: messages.collect() };
    house.engine.ingest_messages(request).await.expect("stores");
    for (pattern, mode) in [("needle_[0-9]", GrepMode::Regex), ("needle fell", GrepMode::FullText)] {
        assert_eq!(all(&house, grep(pattern, mode, GrepScope::Both)).await, (0, 0, 9), "{pattern}");
    }
    let reply =
        house.engine.grep_messages(grep("needle_4", GrepMode::Regex, GrepScope::Messages)).await.expect("searches");
    let GrepFound::Artifact { place, message } = &reply.matches[0].found else { panic!("no artifact: {reply:?}") };
    assert_eq!((reply.total, message.seq), (1, 5));
    let Ok(crate::memory::DescribedItem::Artifact(page)) = house.engine.describe_item(place).await else {
        panic!("{place} is one")
    };
    assert!(String::from_utf8_lossy(&page.bytes).contains("the needle_4 fell"));
    // One that is damaged takes nothing from the others, and is told.
    let entries =
        |folder: &std::path::Path| fs_err::read_dir(folder).expect("a folder").map(|entry| entry.expect("one").path());
    let digits = &place["art_".len()..place.find(':').expect("bytes")];
    let file = entries(&house.home.path().join("artifacts"))
        .flat_map(|folder| entries(&folder))
        .find(|file| file.file_name().is_some_and(|name| name.to_string_lossy().starts_with(digits)));
    fs_err::remove_file(file.expect("it is a file")).expect("our own file");
    let reply = house.engine.grep_messages(grep("needle", GrepMode::Regex, GrepScope::Both)).await.expect("searches");
    assert_eq!((reply.total, reply.degraded.len()), (8, 1), "{:?}", reply.degraded);
    let early = GrepRequest {
        until: EventTime::from_text("2026-03-03T00:00:00Z".to_owned()).instant,
        ..grep("needle", GrepMode::Regex, GrepScope::Both)
    };
    assert_eq!(house.engine.grep_messages(early).await.expect("searches").total, 2);
}

#[tokio::test]
async fn a_cursor_of_other_matches_is_refused() {
    let house = folded().await;
    for (cursor, scope) in [("3", GrepScope::Summaries), ("s3", GrepScope::Messages), ("sx", GrepScope::Both)] {
        let request = GrepRequest { cursor: Some(cursor.to_owned()), ..grep("run", GrepMode::Regex, scope) };
        let error = house.engine.grep_messages(request).await.expect_err("no cursor of these");
        assert_eq!(error.to_string(), format!("`cursor` `{cursor}` is not one: take it from an earlier reply"));
    }
}

#[tokio::test]
async fn summaries_move_their_messages_and_are_no_answers() {
    let house = folded().await;
    let project = Project::discover_from(std::path::Path::new("/")).expect("a directory");
    let request = RecallRequest {
        query: "which steps of the glacier took run 100".to_owned(),
        scope: RecallScope::Everywhere,
        role: None,
        since: None,
        until: None,
        limit: 10,
        budget: None,
        initiative: crate::ledger::CallInitiative::Background,
    };
    let reply = house.engine.recall_messages(&project, request.clone()).await.expect("an answer");
    assert_eq!(reply.results[0].message.seq, 101);
    assert!(reply.results.iter().any(|result| result.parts.summary > 0.0), "the summaries of the topic");
    for result in &reply.results {
        assert!(result.message.body.content().contains(&result.text), "verbatim, of a message");
    }
    let summaries =
        house.engine.grep_messages(grep("run", GrepMode::Regex, GrepScope::Summaries)).await.expect("summaries");
    let Some(GrepFound::Summary(summary)) = summaries.matches.into_iter().last().map(|found| found.found) else {
        panic!("a summary")
    };
    let scope = RecallScope::Summaries(vec![summary.id.to_string()]);
    let reply = house.engine.recall_messages(&project, RecallRequest { scope, ..request }).await.expect("an answer");
    assert!(!reply.results.is_empty());
    for result in &reply.results {
        assert!((summary.range.first..=summary.range.last).contains(&result.message.seq), "{summary:?}");
    }
}
