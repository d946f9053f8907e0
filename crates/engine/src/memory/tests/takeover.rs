//! A test of several processes on one PostgreSQL store: one is killed while it compacts a conversation, nothing is
//! lost, and another one takes the job over.

use super::Hands;
use crate::base::{Clock, NullObserver};
use crate::ledger::{ProviderSet, SpendPolicy};
use crate::memory::integrity::check_folds;
use crate::memory::tests::generated_conversation::generate_conversation;
use crate::memory::{IngestRequest, JobOutcome, LeaseTimes, MemorySettings, conversation_id, find_conversation};
use crate::{Engine, EngineSettings};
use async_trait::async_trait;
use model::{Message, Money, SummaryMethod, TokenCount};
use providers::{GenerateRequest, GeneratedText, GenerationModel, Generator, StopReason, Usage, Vendor};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use std::time::Duration;
use store::postgres::{AppRole, PostgresStore};
use store::{SpendAmount, SpendLimits};
use testkit::postgres::PostgresCluster;
use tokio::sync::Notify;
use tokio::task::JoinSet;

/// So short that the test can wait for its end.
const SHORT_LEASES: LeaseTimes =
    LeaseTimes { lasts: Duration::from_millis(1_500), renewed_every: Duration::from_millis(300) };

/// Answers twice, and then never again.
struct Stuck {
    model: GenerationModel,
    asked: AtomicU32,
    told: Arc<Notify>,
}

#[async_trait]
impl Generator for Stuck {
    fn model(&self) -> &GenerationModel {
        &self.model
    }

    async fn generate(&self, _request: &GenerateRequest) -> providers::Result<GeneratedText> {
        if self.asked.fetch_add(1, Ordering::Relaxed) >= 2 {
            self.told.notify_one();
            std::future::pending::<()>().await;
        }
        Ok(GeneratedText { text: "The cache works. ".repeat(20), stop: StopReason::End, usage: Usage::default() })
    }
}

/// An engine as a process of its own would have it: its own connections, its own providers, the same wall clock.
async fn process(url: &str, clock: &Arc<Hands>, providers: ProviderSet) -> Engine {
    let store = PostgresStore::connect(url, 4).await.expect("connects").for_tenant("team").expect("a name");
    let much = SpendAmount { tokens: 100_000_000, money: Money(100_000_000) };
    let spend = SpendPolicy {
        limits: SpendLimits { call: much, session: much, day: much, concurrent: 4 },
        background: true,
        ..SpendPolicy::default()
    };
    let memory = MemorySettings {
        leaf_chunk_tokens: TokenCount(4_000),
        context_tokens: TokenCount(20_000),
        ..MemorySettings::default()
    };
    let settings = EngineSettings { spend, memory, ..EngineSettings::default() };
    let clock = Arc::clone(clock) as Arc<dyn Clock>;
    let mut engine = Engine::new(Arc::new(store), clock, settings).with_providers(providers);
    engine.memory.leases = SHORT_LEASES;
    engine
}

async fn hear(engine: &Engine, messages: &[Message]) {
    let messages = messages.iter().map(|message| message.body.clone()).collect();
    let request = IngestRequest { conversation: "c".to_owned(), project: None, messages };
    engine.ingest_messages(request).await.expect("stores");
}

async fn sound(engine: &Engine) {
    let id = find_conversation(&engine.memory, "c").await.expect("it exists");
    let conversation = engine.store.load_conversation(&id).await.expect("reads").expect("it exists");
    assert_eq!(check_folds(&engine.memory, &conversation).await.expect("checks").problems, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_processes_one_is_killed_while_it_folds_and_the_other_takes_over() {
    let cluster = PostgresCluster::start();
    let url = PostgresStore::init(cluster.url(), &AppRole::default()).await.expect("makes it ready").url;
    let clock = Arc::new(Hands(AtomicI64::new(1_000_000)));
    let stuck = Arc::new(Notify::new());
    let model = GenerationModel { vendor: Vendor::Ollama, name: "test".to_owned() };
    let generator = Stuck { model, asked: AtomicU32::default(), told: Arc::clone(&stuck) };
    let providers = ProviderSet { generators: vec![Arc::new(generator)], ..ProviderSet::default() };
    let first = process(&url, &clock, providers).await;
    let second = process(&url, &clock, ProviderSet::default()).await;

    let story = generate_conversation(1, 60_000);
    let (early, late) = story.talk.messages.split_at(story.talk.messages.len() - 20);
    hear(&first, early).await;
    assert_eq!(first.request_folding().await.expect("asks"), 1);
    let mut working = JoinSet::new();
    working.spawn(async move { first.run_next_job(&NullObserver).await.map(drop) });
    stuck.notified().await;
    // Its connections go with it, and it gives nothing back.
    working.shutdown().await;

    let written = second.store.active_context(&conversation_id("c")).await.expect("reads");
    assert_eq!(written.summaries.len(), 2, "what it had folded is kept, and nothing by half");
    sound(&second).await;
    assert!(second.run_next_job(&NullObserver).await.expect("works").is_none(), "it may still be at it");
    hear(&second, late).await;

    // The server's clock ends the lease, whatever ours says: it has stood still all the time.
    tokio::time::sleep(SHORT_LEASES.lasts).await;
    let worked = second.run_next_job(&NullObserver).await.expect("works");
    let Some(JobOutcome::Compacted(run)) = worked else { panic!("{worked:?}") };
    assert!(run.tokens_after < 15_000, "{}", run.tokens_after);
    sound(&second).await;
    assert_eq!(second.store.list_jobs().await.expect("reads"), []);
    let summaries = second.store.scan_summaries(None, None, 1_000).await.expect("reads");
    let by_model = summaries.iter().filter(|(_, summary)| matches!(summary.method, SummaryMethod::Model { .. }));
    assert_eq!(by_model.count(), 2, "its work is not done again");
    assert_eq!(second.store.list_conversations().await.expect("reads")[0].messages, story.talk.messages.len() as u64);
}
