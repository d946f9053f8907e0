//! Integration tests of conversation memory on the embedded store, and their shared fixture: `House`, an engine with
//! its own temporary store and a manual clock.

mod acceptance;
mod answering;
mod assembling;
pub(crate) mod conversation_builder;
mod damages;
mod deciding;
mod expanding;
mod folding;
pub(crate) mod generated_conversation;
mod models;
mod orienting;
mod patterns;
mod properties;
mod remembering;
mod repairing;
mod searching;
mod sessions;
mod settings;
mod sharing;
mod takeover;
mod team_proof;
mod wording;
mod working;

use super::{CompactEffect, CompactReport, CompactRequest, ConversationSelection, FoldMode, MemorySettings};
use crate::base::{Clock, NullObserver};
use crate::memory::IngestRequest;
use crate::{Engine, EngineSettings};
use generated_conversation::GeneratedConversation;
use model::{EventTime, FoldTrigger, Message, NewMessage, Timestamp};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;
use store::sqlite::SqliteStore;
use tempfile::TempDir;

/// An engine with a store of its own and a clock that stands still until it is moved.
pub(super) struct House {
    pub(super) engine: Engine,
    pub(super) clock: Arc<Hands>,
    pub(super) home: TempDir,
}

/// The hands of a clock.
pub(super) struct Hands(AtomicI64);

impl Hands {
    pub(super) fn forward(&self, by: Duration) {
        self.0.fetch_add(by.as_millis() as i64, Ordering::Relaxed);
    }

    /// Moves on to the time that a message says, so that nothing is said before it happened.
    pub(super) fn forward_to(&self, at: &EventTime) {
        self.0.fetch_max(at.instant.map_or(0, |instant| instant.0), Ordering::Relaxed);
    }

    pub(super) fn backward(&self, by: Duration) {
        self.0.fetch_sub(by.as_millis() as i64, Ordering::Relaxed);
    }
}

impl Clock for Hands {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::Relaxed))
    }

    fn monotonic_time(&self) -> Duration {
        Duration::from_millis(self.0.load(Ordering::Relaxed) as u64)
    }
}

pub(super) fn house(memory: MemorySettings) -> House {
    housed(TempDir::new().expect("a temporary directory"), memory)
}

/// A house whose files `change` edited while no engine had them open.
pub(super) fn reopened(house: House, memory: MemorySettings, change: impl FnOnce(&Path)) -> House {
    let House { engine, home, .. } = house;
    drop(engine);
    change(home.path());
    housed(home, memory)
}

/// Changes words in a closed database, wherever they are: pages keep old copies of rows.
pub(super) fn rewrite(home: &Path, from: &str, to: &str) {
    assert_eq!(from.len(), to.len(), "pages do not move");
    let path = home.join("epitome.db");
    let mut bytes = fs_err::read(&path).expect("the database");
    let places: Vec<usize> = memchr::memmem::find_iter(&bytes, from.as_bytes()).collect();
    assert!(!places.is_empty(), "the words are in the database");
    for at in places {
        bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
    }
    fs_err::write(path, bytes).expect("our own file");
}

fn housed(home: TempDir, memory: MemorySettings) -> House {
    let store = SqliteStore::open(home.path(), home.path()).expect("a store");
    let clock = Arc::new(Hands(AtomicI64::new(1_000_000)));
    let settings = EngineSettings { memory, ..EngineSettings::default() };
    let engine = Engine::new(Arc::new(store), Arc::clone(&clock) as Arc<dyn Clock>, settings);
    House { engine, clock, home }
}

impl House {
    /// Stores messages as a caller of ingest sends them.
    pub(super) async fn hear(&self, name: &str, messages: &[Message]) {
        let messages: Vec<NewMessage> = messages.iter().map(|message| message.body.clone()).collect();
        let request = IngestRequest { conversation: name.to_owned(), project: None, messages };
        self.engine.ingest_messages(request).await.expect("stores");
    }

    pub(super) async fn told(&self, name: &str, story: &GeneratedConversation) {
        self.hear(name, &story.talk.messages).await;
    }

    pub(super) async fn compact(&self, name: &str, mode: FoldMode, effect: CompactEffect) -> CompactReport {
        let which = ConversationSelection::One(name.to_owned());
        let request = CompactRequest { which, mode, trigger: FoldTrigger::Manual, effect, provider: None };
        self.engine.compact_conversations(request, &NullObserver).await.expect("folds")
    }

    pub(super) async fn sweep(&self, name: &str) -> CompactReport {
        self.compact(name, FoldMode::Sweep, CompactEffect::Fold).await
    }

    /// Looks whether everything fits together.
    pub(super) async fn sound(&self, name: &str) {
        let id = super::find_conversation(&self.engine.memory, name).await.expect("it exists");
        let conversation = self.engine.store.load_conversation(&id).await.expect("reads").expect("it exists");
        let check = super::integrity::check_folds(&self.engine.memory, &conversation).await.expect("checks");
        assert_eq!(check.problems, []);
    }
}
