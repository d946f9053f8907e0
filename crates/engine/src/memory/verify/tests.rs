//! Tests of `verify` on a store whose database or artifact files were changed from outside: each change is reported,
//! and the rest is still checked.

use super::VerifyReport;
use crate::base::NullObserver;
use crate::memory::tests::generated_conversation::generate_conversation;
use crate::memory::tests::{House, house, reopened, rewrite};
use crate::memory::{IngestRequest, MemorySettings};
use model::{MessagePart, MessageRole, NewMessage, TokenCount};
use std::path::{Path, PathBuf};

fn settings() -> MemorySettings {
    MemorySettings {
        leaf_chunk_tokens: TokenCount(2_000),
        artifact_tokens: TokenCount(6_000),
        fresh_tail: 2,
        ..MemorySettings::default()
    }
}

/// Says something so large that it is kept beside its message.
async fn say_much(house: &House) {
    say(house, "large", (0..2_000).map(|number| format!("row {number}\n")).collect()).await;
}

async fn say(house: &House, conversation: &str, text: String) {
    let parts = vec![MessagePart::Text { text }];
    let message = NewMessage {
        external_id: None,
        role: MessageRole::User,
        speaker: None,
        session: None,
        at: None,
        metadata: None,
        parts,
        part_marks: model::PartMarks::default(),
    };
    let request = IngestRequest { conversation: conversation.to_owned(), project: None, messages: vec![message] };
    house.engine.ingest_messages(request).await.expect("stores");
}

/// A store with folded messages and an artifact, changed while no engine has it open.
async fn changed(change: impl FnOnce(&Path)) -> House {
    let house = house(settings());
    house.told("c", &generate_conversation(1, 12_000)).await;
    say(&house, "short", "It is Monday.".to_owned()).await;
    say_much(&house).await;
    house.sweep("c").await;
    reopened(house, settings(), change)
}

async fn verified(house: &House) -> VerifyReport {
    house
        .engine
        .verify(&crate::memory::ConversationSelection::All, &NullObserver)
        .await
        .expect("damage is no reason to stop")
}

/// The files of artifacts.
fn files(home: &Path) -> Vec<PathBuf> {
    let entries = |path: &Path| -> Vec<PathBuf> {
        fs_err::read_dir(path).expect("a directory").map(|entry| entry.expect("an entry").path()).collect()
    };
    entries(&home.join("artifacts")).iter().flat_map(|directory| entries(directory)).collect()
}

#[tokio::test]
async fn a_changed_message_is_named_and_the_rest_is_looked_at() {
    let whole = verified(&changed(|_| {}).await).await;
    assert_eq!((whole.problems.len(), whole.gaps, whole.artifacts), (0, 0, 1));
    assert!(whole.summaries > 2);
    let report = verified(&changed(|home| rewrite(home, "It is Monday.", "It is Sunday.")).await).await;
    let [counted, problem] = &report.problems[..] else { panic!("{:?}", report.problems) };
    assert_eq!(counted.what, "a row of messages is not as it was stored");
    assert_eq!(problem.what, "its content is not what was acknowledged");
    assert!(problem.subject.starts_with("msg_"), "{}", problem.subject);
    assert_eq!((report.messages, report.artifacts), (whole.messages, 1));
}

#[tokio::test]
async fn a_changed_summary_is_named_with_what_could_be_done() {
    let report = verified(&changed(|home| rewrite(home, "Expand for details", "Expand for dEtails")).await).await;
    let (counted, named) = report.problems.split_first().expect("problems");
    assert_eq!(counted.what, "a row of summaries is not as it was stored");
    assert!(!named.is_empty());
    for problem in named {
        assert!(problem.subject.starts_with("sum_") && problem.remedy.is_some(), "{problem:?}");
    }
}

#[tokio::test]
async fn a_row_that_nobody_can_read_is_a_problem_and_no_end() {
    let report = verified(&changed(|home| rewrite(home, "extractive", "extractivE")).await).await;
    // The statements that made the tables have the word, too.
    let named = report.problems.iter().filter(|problem| !problem.what.starts_with("table "));
    let [problem] = &named.collect::<Vec<_>>()[..] else { panic!("{:?}", report.problems) };
    assert!(problem.what.contains("extractivE"), "{}", problem.what);
    assert_eq!((report.conversations, report.artifacts), (3, 1));
}

#[tokio::test]
async fn an_artifact_that_was_changed_or_taken_away_is_a_gap() {
    let cut = |path: &Path| {
        let bytes = fs_err::read(path).expect("a file");
        fs_err::write(path, &bytes[..bytes.len() / 2]).expect("our own file");
    };
    let gone = |path: &Path| fs_err::remove_file(path).expect("our own file");
    for (change, what) in [(&cut as &dyn Fn(&Path), "compressed bytes"), (&gone, "its file is not there")] {
        let house = changed(|home| files(home).iter().for_each(|path| change(path))).await;
        let report = verified(&house).await;
        let [problem] = &report.problems[..] else { panic!("{:?}", report.problems) };
        assert!(problem.subject.starts_with("art_") && problem.what.contains(what), "{problem:?}");
        assert_eq!((report.gaps, report.artifacts), (1, 0));
        // A caller that still has the content brings it back by storing it again.
        say_much(&house).await;
        assert_eq!(verified(&house).await.problems, []);
    }
}

#[tokio::test]
async fn a_file_that_belongs_to_no_artifact_is_named_and_stays() {
    let stray = |home: &Path| home.join("artifacts/ab/left.part");
    let house = changed(|home| {
        fs_err::create_dir_all(home.join("artifacts/ab")).expect("our own directory");
        fs_err::write(stray(home), b"half").expect("our own file");
    })
    .await;
    let report = verified(&house).await;
    assert_eq!((report.stray, report.problems), (vec!["ab/left.part".to_owned()], Vec::new()));
    assert!(stray(house.home.path()).exists());
}
