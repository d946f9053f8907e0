//! Tests of answers that a model writes from what recall found, with a scripted fake model: what it is shown, what of
//! its text is kept, and the grant it works under.

use super::{Hands, House};
use crate::base::{Clock, Project};
use crate::ledger::{CallInitiative, ProviderSet, SpendPolicy};
use crate::memory::{IngestRequest, RecallRequest, RecallScope, WrittenAnswer};
use crate::{Engine, EngineSettings, LayeredQuery, LayeredRecall};
use async_trait::async_trait;
use model::{DigestBuilder, GrantId, MessagePart, MessageRole, Money, NewMessage, PartMarks, TokenCount, count_tokens};
use providers::{GenerateRequest, GeneratedText, GenerationModel, Generator, StopReason, Usage, Vendor};
use std::sync::atomic::AtomicI64;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use store::sqlite::SqliteStore;
use store::{ExpansionGrant, SpendAmount, SpendLimits};
use tempfile::TempDir;

/// Writes one text, takes its time, and keeps what it was asked.
struct Writer {
    model: GenerationModel,
    text: String,
    takes: Duration,
    clock: Arc<Hands>,
    asked: Mutex<Vec<GenerateRequest>>,
}

#[async_trait]
impl Generator for Writer {
    fn model(&self) -> &GenerationModel {
        &self.model
    }

    async fn generate(&self, request: &GenerateRequest) -> providers::Result<GeneratedText> {
        self.asked.lock().expect("no other test has it").push(request.clone());
        self.clock.forward(self.takes);
        Ok(GeneratedText { text: self.text.clone(), stop: StopReason::End, usage: Usage::default() })
    }
}

struct Answering {
    house: House,
    project: Project,
    writers: Vec<Arc<Writer>>,
}

const STARTED: i64 = 1_000_000;

async fn answering(texts: &[(&str, Duration)]) -> Answering {
    let home = TempDir::new().expect("a temporary directory");
    let store = SqliteStore::open(home.path(), home.path()).expect("a store");
    let clock = Arc::new(Hands(AtomicI64::new(STARTED)));
    let much = SpendAmount { tokens: 100_000_000, money: Money(100_000_000) };
    let limits = SpendLimits { call: much, session: much, day: much, concurrent: 4 };
    let spend = SpendPolicy { limits, ..SpendPolicy::default() };
    let settings = EngineSettings { spend, ..EngineSettings::default() };
    let writers: Vec<Arc<Writer>> = texts
        .iter()
        .zip(["first", "second"])
        .map(|((text, takes), name)| {
            // A program on this machine, so that no price is needed.
            let model = GenerationModel { vendor: Vendor::Ollama, name: name.to_owned() };
            let (text, clock) = ((*text).to_owned(), Arc::clone(&clock));
            Arc::new(Writer { model, text, takes: *takes, clock, asked: Mutex::default() })
        })
        .collect();
    let generators = writers.iter().map(|writer| Arc::clone(writer) as Arc<dyn Generator>).collect();
    let engine = Engine::new(Arc::new(store), Arc::clone(&clock) as Arc<dyn Clock>, settings)
        .with_providers(ProviderSet { generators, ..ProviderSet::default() });
    let project = Project::from_directory(home.path()).expect("a directory");
    let house = House { engine, clock, home };
    let messages = [
        (MessageRole::User, "Which port does the proxy use?"),
        (MessageRole::Assistant, "The proxy listens on port 8443, because 8080 was taken by the old gateway."),
        (MessageRole::User, "Good. The herons nest in March."),
    ];
    let messages = messages.into_iter().map(|(role, text)| NewMessage {
        external_id: None,
        role,
        speaker: None,
        session: None,
        at: None,
        metadata: None,
        parts: vec![MessagePart::Text { text: text.to_owned() }],
        part_marks: PartMarks::default(),
    });
    let request =
        IngestRequest { conversation: "talk".to_owned(), project: Some(project.clone()), messages: messages.collect() };
    house.engine.ingest_messages(request).await.expect("stores");
    Answering { house, project, writers }
}

impl Answering {
    async fn ask(&self, query: &str) -> (WrittenAnswer, LayeredRecall) {
        let messages = RecallRequest {
            query: query.to_owned(),
            scope: RecallScope::Project,
            role: None,
            since: None,
            until: None,
            limit: 10,
            budget: Some(TokenCount(200)),
            initiative: CallInitiative::User,
        };
        let query = LayeredQuery { messages: Some(messages), memories: None, writes_answer: true };
        let mut found = self.house.engine.recall_layers(&self.project, query).await.expect("an answer");
        (found.answer.take().expect("it was asked for"), found)
    }

    /// The grant that the first answer was written under.
    async fn grant(&self) -> ExpansionGrant {
        let conversation = crate::memory::conversation_id("talk");
        let started = Duration::from_millis(STARTED as u64).as_nanos();
        let digest = DigestBuilder::new("grant").add_field(b"recall").add_field(&STARTED.to_le_bytes());
        let digest = digest.add_field(&started.to_le_bytes()).add_field(conversation.as_str().as_bytes());
        let id = GrantId::from_hash(digest.finish());
        self.house.engine.store.load_grant(&id).await.expect("reads").expect("it was given")
    }

    fn asked(&self, writer: usize) -> Vec<GenerateRequest> {
        self.writers[writer].asked.lock().expect("no other test has it").clone()
    }
}

#[tokio::test]
async fn a_model_writes_an_answer_from_what_was_found_and_cites_it() {
    let answering = answering(&[("It listens on port 8443 [1], for 8080 was taken [1].", Duration::ZERO)]).await;
    let (answer, found) = answering.ask("which port does the proxy listen on").await;
    let said = found.messages.results[0].message.id.clone();
    assert_eq!(answer.cited, std::slice::from_ref(&said));
    let text = format!("It listens on port 8443 [{said}], for 8080 was taken [{said}].");
    assert_eq!((answer.text, answer.model.as_deref()), (Some(text), Some("ollama/first")));
    assert!(!answer.is_truncated && answer.source_tokens > TokenCount(0), "{}", answer.source_tokens);
    let [asked] = answering.asked(0).try_into().expect("it was asked once");
    let shown = &asked.messages[0].text;
    assert!(shown.contains("The proxy listens on port 8443") && shown.contains("which port does the proxy"), "{shown}");
    assert!(asked.deadline <= Duration::from_mins(2));
    let grant = answering.grant().await;
    assert!(grant.revoked.is_some() && grant.used > TokenCount(0), "{grant:?}");
    assert_eq!(grant.expires.0 - grant.issued.0, 120_000, "it ends by itself where the process dies");
}

#[tokio::test]
async fn an_answer_is_no_longer_than_asked_for() {
    let long = "The proxy listens on port 8443 [1]. ".repeat(100);
    let answering = answering(&[(&long, Duration::ZERO)]).await;
    let (answer, _) = answering.ask("which port does the proxy listen on").await;
    let text = answer.text.expect("it is an answer");
    assert!(answer.is_truncated && count_tokens(&text) <= TokenCount(200), "{text}");
    assert!(text.ends_with([']', '.']), "{text}");
}

#[tokio::test]
async fn a_text_that_the_messages_do_not_support_is_no_answer() {
    for (text, why) in [
        ("It listens on port 9999 [1].", "ollama/first names what the messages do not: 9999"),
        ("It listens on port 8443.", "ollama/first cites no message"),
        ("It listens on port 8443 [77].", "ollama/first cites [77], which it was not shown"),
        ("NO_ANSWER", "ollama/first found no answer in the messages"),
    ] {
        let answering = answering(&[(text, Duration::ZERO)]).await;
        let (answer, found) = answering.ask("which port does the proxy listen on").await;
        assert_eq!(answer.text, None, "{text}");
        assert!(!found.messages.results.is_empty(), "the messages stand for themselves");
        let notes = &found.messages.degraded;
        assert!(notes.contains(&format!("no answer was written: {why}")), "{notes:?}");
        assert!(answering.grant().await.revoked.is_some(), "{text}");
    }
}

#[tokio::test]
async fn two_minutes_are_for_all_models_together() {
    let slow = ("NO_ANSWER", Duration::from_secs(90));
    let answering = answering(&[slow, ("The proxy is on port 8443 [1].", Duration::ZERO)]).await;
    let (answer, _) = answering.ask("which port does the proxy listen on").await;
    assert_eq!(answer.model.as_deref(), Some("ollama/second"));
    assert!(answering.asked(1)[0].deadline <= Duration::from_secs(30), "{:?}", answering.asked(1)[0].deadline);

    let slower = ("NO_ANSWER", Duration::from_secs(121));
    let answering = super::answering::answering(&[slower, ("It is on port 8443 [1].", Duration::ZERO)]).await;
    let (answer, found) = answering.ask("which port does the proxy listen on").await;
    assert_eq!((answer.text, answering.asked(1).len()), (None, 0));
    let notes = &found.messages.degraded;
    assert!(notes.contains(&"no answer was written: 120 s were over".to_owned()), "{notes:?}");
}

#[tokio::test]
async fn without_a_model_the_messages_are_the_answer() {
    let answering = answering(&[]).await;
    let (answer, found) = answering.ask("which port does the proxy listen on").await;
    let ids: Vec<_> = found.messages.results.iter().map(|result| result.message.id.clone()).collect();
    assert_eq!((answer.text, answer.cited), (None, ids));
    assert_eq!(found.messages.degraded, Vec::<String>::new());
}
