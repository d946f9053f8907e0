//! What is folded is still found: by pattern in messages and in summaries, by question in messages alone.

use super::{House, house};
use crate::{
    FoldMode, GrepFound, GrepMode, GrepRequest, GrepScope, MemorySettings, Project, RecallRequest, RecallScope,
};
use model::{EventTime, NewMessage, Part, Role, Tokens};

fn said(text: String, day: usize) -> NewMessage {
    let at = Some(EventTime::read(format!("2026-03-{day:02}T12:00:00Z")));
    let parts = vec![Part::Text { text }];
    NewMessage { external_id: None, role: Role::User, speaker: None, session: None, at, parts }
}

/// Weeks of talk about one thing after the other, folded.
async fn folded() -> House {
    let memory =
        MemorySettings { leaf_chunk_tokens: Tokens(1_000), leaf_target_tokens: Tokens(400), ..Default::default() };
    let house = house(memory);
    let topics = ["harbour", "glacier", "violin"];
    let messages = (0..240).map(|number| {
        let topic = topics[number / 80];
        let text = format!("We must keep src/{topic}_{number}.rs: the {topic} of run {number} took {number} steps.");
        said(text, 1 + number / 10)
    });
    let request = crate::IngestRequest { conversation: "long".to_owned(), project: None, messages: messages.collect() };
    house.engine.ingest(request).await.expect("stores");
    house.compact("long", FoldMode::Sweep, crate::Effect::Fold).await;
    house
}

fn grep(pattern: &str, mode: GrepMode, scope: GrepScope) -> GrepRequest {
    let (conversation, since, until, cursor) = Default::default();
    GrepRequest { pattern: pattern.to_owned(), mode, scope, conversation, since, until, cursor, limit: 7 }
}

/// Every page: how many messages and summaries in which order, each once.
async fn all(house: &House, mut request: GrepRequest) -> (usize, usize) {
    let (mut ids, mut messages, mut summaries) = (std::collections::HashSet::new(), 0, 0);
    let first = house.engine.grep(request.clone()).await.expect("searches").total;
    loop {
        let reply = house.engine.grep(request.clone()).await.expect("searches");
        assert_eq!((ids.len() as u64 + reply.total, reply.is_complete), (first, true));
        for found in &reply.matches {
            let id = match &found.found {
                GrepFound::Message(message) => {
                    assert_eq!(summaries, 0, "messages come first");
                    messages += 1;
                    message.id.to_string()
                }
                GrepFound::Summary(summary) => {
                    summaries += 1;
                    summary.id.to_string()
                }
            };
            assert!(ids.insert(id), "each once");
        }
        let Some(cursor) = reply.cursor else { break };
        request.cursor = Some(cursor);
    }
    assert_eq!(ids.len() as u64, first);
    (messages, summaries)
}

#[tokio::test]
async fn patterns_are_found_in_messages_and_in_summaries_page_by_page() {
    let house = folded().await;
    for (mode, pattern) in [(GrepMode::Regex, "glacier_1[0-9]+"), (GrepMode::FullText, "glacier")] {
        let (messages, none) = all(&house, grep(pattern, mode, GrepScope::Messages)).await;
        let (no, summaries) = all(&house, grep(pattern, mode, GrepScope::Summaries)).await;
        assert_eq!((none, no), (0, 0));
        assert!(messages > 7 && summaries > 0, "{messages} {summaries}");
        assert_eq!(all(&house, grep(pattern, mode, GrepScope::Both)).await, (messages, summaries), "{pattern}");
    }
}

#[tokio::test]
async fn bounds_of_time_hold_for_summaries_too() {
    let house = folded().await;
    let at = |text: &str| EventTime::read(text.to_owned()).instant;
    let request = GrepRequest { since: at("2026-03-20T00:00:00Z"), ..grep("run", GrepMode::FullText, GrepScope::Both) };
    let reply = house.engine.grep(GrepRequest { limit: 500, ..request }).await.expect("searches");
    let (mut messages, mut summaries) = (0, 0);
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
        };
        assert!(until.as_str() >= "2026-03-20", "{until}");
    }
    assert!(messages > 0 && summaries > 0);
    let none = GrepRequest { until: at("2026-02-01T00:00:00Z"), ..grep("run", GrepMode::FullText, GrepScope::Both) };
    assert_eq!(house.engine.grep(none).await.expect("searches").total, 0);
}

#[tokio::test]
async fn a_cursor_of_other_matches_is_refused() {
    let house = folded().await;
    for (cursor, scope) in [("3", GrepScope::Summaries), ("s3", GrepScope::Messages), ("sx", GrepScope::Both)] {
        let request = GrepRequest { cursor: Some(cursor.to_owned()), ..grep("run", GrepMode::Regex, scope) };
        let error = house.engine.grep(request).await.expect_err("no cursor of these");
        assert_eq!(error.to_string(), format!("`cursor` `{cursor}` is not one: take it from an earlier reply"));
    }
}

#[tokio::test]
async fn summaries_move_their_messages_and_are_no_answers() {
    let house = folded().await;
    let project = Project::around(std::path::Path::new("/")).expect("a directory");
    let request = RecallRequest {
        query: "which steps of the glacier took run 100".to_owned(),
        scope: RecallScope::Everywhere,
        role: None,
        since: None,
        until: None,
        limit: 10,
        budget: None,
    };
    let reply = house.engine.recall(&project, request).await.expect("an answer");
    assert_eq!(reply.results[0].message.seq, 101);
    assert!(reply.results.iter().any(|result| result.parts.summary > 0.0), "the summaries of the topic");
    for result in &reply.results {
        assert!(result.message.body.content().contains(&result.text), "verbatim, of a message");
    }
}
