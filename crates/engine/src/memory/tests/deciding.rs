//! Tests of listing decisions: the usual wordings of both roles, agreement, refusal, decisions that replace others in
//! the same and in later conversations, filters, and ids.

use super::conversation_builder::ConversationBuilder;
use super::{House, house, reopened};
use crate::memory::{Decision, DecisionReport, DecisionRequest, DecisionStatus, MemorySettings};
use std::time::Duration;

/// One sentence for each wording that states a decision.
const SENTENCES: [&str; 15] = [
    "We'll use PostgreSQL for the audit log.",
    "We will store amounts in cents.",
    "We should cache the parsed configuration.",
    "We decided to drop Python 3.8.",
    "We agreed on weekly releases.",
    "We chose Axum over Actix.",
    "Let's go with SQLite for the tests.",
    "Let's use tabs in the Makefile.",
    "Let's implement retries in the client.",
    "The decision is to keep the old endpoint.",
    "The plan is to migrate the users table first.",
    "I'll go with a B-tree for the index.",
    "It was agreed that discounts round down.",
    "Going with Redis for the queue.",
    "We settled on UUIDv7 for the orders.",
];

fn request() -> DecisionRequest {
    DecisionRequest { limit: 50, ..DecisionRequest::default() }
}

async fn find(house: &House, request: DecisionRequest) -> DecisionReport {
    house.engine.find_decisions(request).await.expect("finds")
}

async fn house_with(conversations: &[(&str, ConversationBuilder)]) -> House {
    let house = house(MemorySettings::default());
    for (name, talk) in conversations {
        house.hear(name, &talk.messages).await;
        house.clock.forward(Duration::from_mins(1));
    }
    house
}

fn lines(report: &DecisionReport) -> Vec<String> {
    let line = |decision: &Decision| format!("{:?}: {}", decision.status, decision.title);
    let mut lines: Vec<String> = report.decisions.iter().map(line).collect();
    lines.sort();
    lines
}

#[tokio::test]
async fn fourteen_of_fifteen_wordings_are_found_for_both_roles() {
    for is_user in [true, false] {
        let mut talk = ConversationBuilder::new();
        for sentence in SENTENCES {
            talk = if is_user { talk.user(sentence) } else { talk.assistant(sentence).user("What else is there?") };
        }
        let house = house_with(&[("c", talk)]).await;
        let report = find(&house, request()).await;
        let status = if is_user { DecisionStatus::InForce } else { DecisionStatus::Proposed };
        let is_found = |sentence: &&str| {
            report.decisions.iter().any(|found| found.decision == **sentence && found.status == status)
        };
        let missed: Vec<&str> = SENTENCES.into_iter().filter(|sentence| !is_found(sentence)).collect();
        assert!(missed.len() <= 1, "of the user: {is_user}, missed: {missed:?}");
    }
}

#[tokio::test]
async fn agreement_takes_the_sentence_it_agrees_with_and_refusal_ends_it() {
    let check = async |said: &str, answer: &str, expected: &[&str]| {
        let talk = ConversationBuilder::new().user("Which cache?").assistant(said).user(answer);
        let house = house_with(&[("c", talk)]).await;
        assert_eq!(lines(&find(&house, request()).await), expected, "{said} {answer}");
    };
    check("I suggest Redis for the cache.", "Agreed.", &["InForce: Redis for the cache"]).await;
    check("Shall we use Redis for the cache?", "Agreed.", &["InForce: Use Redis for the cache"]).await;
    check("Let's go with Redis.", "What does it cost?", &["Proposed: Go with Redis"]).await;
    check("I suggest Redis for the cache.", "No.", &["Withdrawn: Redis for the cache"]).await;
    check("I suggest Redis for the cache.", "No, do not use Redis.", &["Withdrawn: Redis for the cache"]).await;
}

#[tokio::test]
async fn a_decision_says_why_what_not_and_where() {
    let talk = ConversationBuilder::new()
        .user("We chose Axum over Actix in `server/main.rs` because it has fewer macros.")
        .assistant("Fine.");
    let house = house_with(&[("c", talk.clone())]).await;
    let report = find(&house, request()).await;
    let [decision] = &report.decisions[..] else { panic!("one: {report:?}") };
    assert_eq!(decision.reason.as_deref(), Some("it has fewer macros"));
    assert_eq!(decision.alternatives, ["Actix in `server/main.rs`"]);
    assert_eq!(decision.related, ["server/main.rs"]);
    assert_eq!(decision.messages.len(), 1);
    for (entity, found) in [("main.rs", 1), ("server/main.rs", 1), ("axum", 1), ("in.rs", 0), ("client.rs", 0)] {
        let request = DecisionRequest { entity: Some(entity.to_owned()), ..request() };
        assert_eq!(find(&house, request).await.decisions.len(), found, "{entity}");
    }
}

#[tokio::test]
async fn later_decisions_and_orders_end_earlier_ones_also_in_other_conversations() {
    let old = ConversationBuilder::new()
        .user("We decided to use SQLite for the cache.")
        .user("Let's use Kafka for the events.")
        .user("We agreed on weekly releases.");
    let new = ConversationBuilder::new()
        .user("Let's use PostgreSQL instead of SQLite.")
        .user("No, do not use Kafka.")
        .user("we agreed on weekly releases!");
    let house = house_with(&[("old", old), ("new", new)]).await;
    let report = find(&house, request()).await;
    assert_eq!(
        lines(&report),
        [
            "InForce: Use PostgreSQL instead of SQLite",
            "InForce: Weekly releases",
            "Superseded: Use SQLite for the cache",
            "Withdrawn: Use Kafka for the events",
        ]
    );
    let of = |title: &str| report.decisions.iter().find(|found| found.title.starts_with(title)).expect("it is there");
    assert_eq!(of("Use SQLite").superseded_by.as_ref(), Some(&of("Use PostgreSQL").id));
    assert_eq!(of("Weekly").messages.len(), 2, "both conversations state it");
    let only = DecisionRequest { status: Some(DecisionStatus::Superseded), ..request() };
    assert_eq!(find(&house, only).await.decisions.len(), 1);
    let within = DecisionRequest { conversation: Some("new".to_owned()), ..request() };
    assert_eq!(find(&house, within).await.decisions.len(), 2);
}

#[tokio::test]
async fn what_it_is_about_ranks_and_the_rest_is_counted() {
    let talk = ConversationBuilder::new()
        .user("We decided to keep sessions in the database.")
        .user("We decided to cache sessions in the database of the server.")
        .user("We agreed on weekly releases.");
    let house = house_with(&[("c", talk)]).await;
    let about = |text: &str, limit| DecisionRequest { about: Some(text.to_owned()), limit, ..request() };
    let report = find(&house, about("how does the server cache sessions?", 1)).await;
    assert_eq!(report.decisions[0].title, "Cache sessions in the database of the server");
    assert_eq!(report.omitted, 1);
    assert_eq!(find(&house, about("elephants", 9)).await.decisions.len(), 0);
}

#[tokio::test]
async fn an_id_may_be_short_and_a_wrong_one_says_so() {
    let mut talk = ConversationBuilder::new();
    for sentence in SENTENCES {
        talk = talk.user(sentence);
    }
    let house = house_with(&[("c", talk)]).await;
    let known = find(&house, request()).await.decisions;
    let id = known[0].id.as_str();
    let of = async |id: &str| {
        let request = DecisionRequest { id: Some(id.to_owned()), ..request() };
        house.engine.find_decisions(request).await
    };
    for text in [id, &id[..14], &id[5..14]] {
        assert_eq!(of(text).await.expect("it is one").decisions[0].decision, known[0].decision, "{text}");
    }
    assert_eq!(of("ffffffff").await.expect_err("there is none").to_string(), "decision `ffffffff` does not exist");
    // Every id begins with the empty text and some with each digit: neither is taken for one of them.
    assert!(of("fact_").await.is_err());
    let twice = (0..16).map(|digit| format!("{digit:x}")).find(|digit| {
        known.iter().filter(|decision| decision.id.as_str()[5..].starts_with(digit.as_str())).count() > 1
    });
    if let Some(digit) = twice {
        let error = of(&digit).await.expect_err("several").to_string();
        assert!(error.starts_with(&format!("`id` is `{digit}`, which may be `fact_{digit}")), "{error}");
    }
}

#[tokio::test]
async fn a_conversation_of_no_project_is_counted_and_not_taken() {
    let house = house_with(&[("c", ConversationBuilder::new().user("We agreed on weekly releases."))]).await;
    let home = tempfile::TempDir::new().expect("a folder");
    let project = crate::Project::from_directory(home.path()).expect("a project");
    let report = find(&house, DecisionRequest { project: Some(project.id), ..request() }).await;
    assert_eq!((report.decisions.len(), report.elsewhere), (0, 1));
}

#[tokio::test]
async fn many_conversations_are_read_once_and_again_where_they_went_on() {
    const CHOSEN: [&str; 12] =
        ["Redis", "Kafka", "Axum", "Actix", "Tokio", "Serde", "Maud", "Rayon", "Clap", "Insta", "Jiff", "Zstd"];
    let talk = |name: &str| ConversationBuilder::new().user(&format!("We decided to use {name} for the orders."));
    let talks: Vec<(&str, ConversationBuilder)> = CHOSEN.iter().map(|name| (*name, talk(name))).collect();
    let house = house_with(&talks).await;
    let first = find(&house, request()).await;
    assert_eq!(first.decisions.len(), CHOSEN.len());
    assert!(first.decisions.iter().all(|decision| decision.at.is_some()));
    assert_eq!(lines(&find(&house, request()).await), lines(&first));
    // Another process has nothing in memory, and takes what is stored.
    let house = reopened(house, MemorySettings::default(), |_| {});
    assert_eq!(lines(&find(&house, request()).await), lines(&first));
    house.hear("Axum", &ConversationBuilder::new().user("No, do not use Axum.").messages).await;
    let after = find(&house, request()).await;
    let is_ended = |decision: &&Decision| decision.status == DecisionStatus::Withdrawn;
    let ended: Vec<&str> = after.decisions.iter().filter(is_ended).map(|decision| &*decision.decision).collect();
    assert_eq!(ended, ["We decided to use Axum for the orders."]);
}
