//! A property test of `grep` by words: the results are the same whether or not the recall index is there to prefilter
//! messages.

use super::{House, house};
use crate::base::Project;
use crate::memory::{GrepFound, GrepMode, GrepRequest, GrepScope, RecallRequest, RecallScope};
use model::{MessagePart, MessageRole, NewMessage, terms};
use proptest::collection::vec;
use proptest::prelude::*;

/// Words with and without blanks between them, in scripts with and without, so long that passages are cut in them.
fn text() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        4 => "[a-c]{1,2}(ing|ed|s)?",
        2 => "(fooBar|run_all|v2|\u{212a}elvin|数据库|Ünder)",
        1 => "[ab数据]{150,500}",
    ];
    vec((word, "[ \n.,_-]"), 0..40).prop_map(|words| words.into_iter().map(|(word, blank)| word + &blank).collect())
}

fn message() -> impl Strategy<Value = NewMessage> {
    (text(), proptest::option::of("(Ann|bob)"), any::<bool>()).prop_map(|(text, speaker, is_named)| {
        let front = speaker.as_deref().filter(|_| is_named).map_or(String::new(), |name| format!("{name}: "));
        let parts = vec![MessagePart::Text { text: format!("{front}{text}.") }];
        NewMessage {
            external_id: None,
            role: MessageRole::User,
            speaker,
            session: None,
            at: None,
            metadata: None,
            parts,
            part_marks: model::PartMarks::default(),
        }
    })
}

async fn hear(house: &House, name: &str, messages: &[NewMessage]) {
    let request =
        crate::memory::IngestRequest { conversation: name.to_owned(), project: None, messages: messages.to_vec() };
    house.engine.ingest_messages(request).await.expect("stores");
}

/// The messages that hold words, newest first.
async fn found(house: &House, words: &str) -> Vec<(String, u64)> {
    let request = GrepRequest {
        pattern: words.to_owned(),
        mode: GrepMode::FullText,
        scope: GrepScope::Messages,
        conversation: None,
        project: None,
        since: None,
        until: None,
        cursor: None,
        limit: 1_000,
    };
    let reply = house.engine.grep_messages(request).await.expect("searches");
    let place = |found: GrepFound| match found {
        GrepFound::Message(message) => (message.conversation.to_string(), message.seq),
        other @ (GrepFound::Summary(_) | GrepFound::Artifact { .. }) => panic!("not a message: {other:?}"),
    };
    reply.matches.into_iter().map(|found| place(found.found)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn what_recall_knows_changes_nothing_that_words_find(
        old in vec(message(), 1..60),
        new in vec(message(), 0..5),
        words in proptest::sample::select(vec!["a", "bs", "b", "running", "foo", "run_all", "kelvin", "数据", "据库", "Ann", "bob ab", "under"]),
    ) {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        runtime.block_on(async {
            let house = house(crate::memory::MemorySettings::default());
            hear(&house, "one", &old).await;
            hear(&house, "two", &old[..old.len() / 2]).await;
            let before = found(&house, words).await;
            let held = |message: &&NewMessage| {
                let held = terms::distinct_terms(&message.content());
                terms::distinct_terms(words).iter().all(|word| held.contains(word))
            };
            let wanted = old.iter().filter(held).count() + old[..old.len() / 2].iter().filter(held).count();
            assert_eq!(before.len(), wanted);
            let request = RecallRequest {
                query: "a".to_owned(),
                scope: RecallScope::Everywhere,
                role: None,
                since: None,
                until: None,
                limit: 1,
                budget: None,
                initiative: crate::ledger::CallInitiative::Background,
            };
            let project = Project::from_directory(house.home.path()).expect("a directory");
            house.engine.recall_messages(&project, request).await.expect("recalls");
            assert_eq!(found(&house, words).await, before);
            hear(&house, "one", &new).await;
            let after = found(&house, words).await;
            assert_eq!(after.len(), wanted + new.iter().filter(held).count());
            assert_eq!(&after[after.len() - before.len()..], before);
        });
    }
}
