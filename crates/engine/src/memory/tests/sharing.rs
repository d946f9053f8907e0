//! What people who share a store are told of each other: their own, and what a colleague shares whom they subscribed to.
//! Two engines on one embedded store stand for two members; the wall between teams is tested on PostgreSQL.

use super::conversation_builder::ConversationBuilder;
use super::{Hands, House};
use crate::base::Clock;
use crate::memory::{
    DecisionReport, DecisionRequest, FailureRequest, MemoriesRequest, MemoryAudience, MemoryLookup, NewReflection,
    NewSubscription, PatternKind, ReflectionAction, ReflectionFilter, ReflectionOutcome, ReflectionRequest,
    RememberRequest, SessionState, SubscriptionAction, SubscriptionRequest, TeamAction, TeamFilter, TeamReport,
};
use crate::{Author, Engine, EngineSettings, Error, IngestRequest, OrientationRequest, Project};
use model::MemoryKind;
use std::sync::Arc;
use std::sync::atomic::AtomicI64;
use std::time::Duration;
use store::sqlite::SqliteStore;
use tempfile::TempDir;

/// Two people with one store and one clock.
struct Team {
    ana: House,
    bob: House,
    project: Project,
}

fn team() -> Team {
    let clock = Arc::new(Hands(AtomicI64::new(1_000_000)));
    let home = TempDir::new().expect("a temporary directory");
    let store = Arc::new(SqliteStore::open(home.path(), home.path()).expect("a store"));
    let project = home.path().join("shop");
    fs_err::create_dir_all(&project).expect("a directory");
    let project = Project::from_directory(&project).expect("a project");
    let engine = |name: &str| {
        let author = Author { name: Some(name.to_owned()), shares_store: true };
        let settings = EngineSettings { author, ..EngineSettings::default() };
        Engine::new(Arc::clone(&store) as Arc<dyn store::Store>, Arc::clone(&clock) as Arc<dyn Clock>, settings)
    };
    let (first, second) = (engine("ana"), engine("bob"));
    let spare = TempDir::new().expect("a temporary directory");
    let ana = House { engine: first, clock: Arc::clone(&clock), home };
    let bob = House { engine: second, clock, home: spare };
    Team { ana, bob, project }
}

impl Team {
    /// Remembers a text, and gives its id.
    async fn remember(&self, house: &House, text: &str) -> String {
        house.clock.forward(Duration::from_mins(1));
        let audience = MemoryAudience::Project;
        let request = RememberRequest { text: text.to_owned(), tags: Vec::new(), metadata: None, audience };
        house.engine.remember_text(&self.project, request).await.expect("remembers").memory.id.to_string()
    }

    async fn say(&self, house: &House, name: &str, text: &str) {
        house.clock.forward(Duration::from_mins(1));
        let talk = ConversationBuilder::new().user(text).assistant("It is noted.");
        let messages = talk.messages.iter().map(|message| message.body.clone()).collect();
        let request = IngestRequest { conversation: name.to_owned(), project: Some(self.project.clone()), messages };
        house.engine.ingest_messages(request).await.expect("stores");
    }

    async fn share(&self, house: &House, id: &str) -> TeamReport {
        house.clock.forward(Duration::from_mins(1));
        let action = TeamAction::Share(vec![id.to_owned()]);
        house.engine.manage_team(&self.project, action).await.expect("shares")
    }

    async fn subscribe(&self, house: &House, name: &str) {
        let new = NewSubscription {
            pattern: PatternKind::Author,
            value: name.to_owned(),
            scope: None,
            trigger: None,
            every: None,
            min_relevance: None,
        };
        let request = SubscriptionRequest { session: None, action: SubscriptionAction::Add(new) };
        house.engine.manage_subscriptions(&self.project, request).await.expect("subscribes");
    }

    async fn oriented(&self, house: &House) -> String {
        let request =
            OrientationRequest { conversation: "now".to_owned(), is_resumed: false, health: None, tokens: 1_500 };
        let told = house.engine.orient_session(&self.project, request, &mut SessionState::default()).await;
        told.expect("orients").unwrap_or_default()
    }

    async fn listed(&self, house: &House) -> Vec<String> {
        let listing = house.engine.list_memories(&self.project, MemoriesRequest::default()).await.expect("lists");
        listing.memories.into_iter().map(|listed| listed.memory.body.content).collect()
    }

    async fn decisions(&self, house: &House) -> DecisionReport {
        let request =
            DecisionRequest { project: Some(self.project.id.clone()), limit: 20, ..DecisionRequest::default() };
        house.engine.find_decisions(request).await.expect("finds")
    }
}

#[tokio::test]
async fn what_is_private_is_told_to_its_author_alone() {
    let team = team();
    let secret = team.remember(&team.ana, "The launch is on the ninth of May").await;
    team.say(&team.ana, "talk", "Never push to main. We decided to use integer cents everywhere.").await;
    team.subscribe(&team.bob, "ana").await;
    let own = team.oriented(&team.ana).await;
    assert!(own.contains("ninth of May") && own.contains("integer cents"), "{own}");
    let told = team.oriented(&team.bob).await;
    assert!(!told.contains("ninth of May") && !told.contains("integer cents") && !told.contains("push"), "{told}");
    assert_eq!(team.listed(&team.bob).await, [""; 0]);
    assert_eq!(team.decisions(&team.bob).await.decisions.len(), 0);
    assert_eq!(team.decisions(&team.ana).await.decisions.len(), 1);
    // Who knows an id learns nothing by it, and can change nothing.
    let described = team.bob.engine.describe_item(&secret).await;
    assert!(matches!(described, Err(Error::NotFound { .. })), "{described:?}");
    assert!(matches!(team.bob.engine.forget_memory(&secret).await, Err(Error::NotFound { .. })));
    let stolen = team.bob.engine.manage_team(&team.project, TeamAction::Share(vec![secret])).await;
    assert!(matches!(stolen, Err(Error::NotFound { .. })), "{stolen:?}");
    assert_eq!(team.listed(&team.ana).await.len(), 1);
}

#[tokio::test]
async fn a_session_that_is_asked_for_is_none_of_a_colleague() {
    let team = team();
    let open = async |house: &House| {
        house.clock.forward(Duration::from_mins(1));
        crate::memory::current_session::open_current(&house.engine.memory, &team.project.id).await.expect("opens")
    };
    let (first, second) = (open(&team.ana).await, open(&team.bob).await);
    assert_eq!((first.author.as_deref(), second.author.as_deref()), (Some("ana"), Some("bob")));
    assert_eq!(open(&team.ana).await.id, first.id);
}

#[tokio::test]
async fn what_is_shared_is_told_to_whoever_subscribed_until_it_is_taken_back() {
    let team = team();
    let id = team.remember(&team.ana, "Deploys run from the release branch only").await;
    let shared = team.share(&team.ana, &id).await;
    assert_eq!((shared.items[0].author.as_deref(), shared.items[0].is_own), (Some("ana"), true));
    assert!(!team.oriented(&team.bob).await.contains("release branch"), "nobody asked to be told");
    let list = TeamAction::List(TeamFilter { limit: 9, ..TeamFilter::default() });
    let listed = team.bob.engine.manage_team(&team.project, list.clone()).await.expect("lists").items;
    assert_eq!((listed.len(), listed[0].is_own, listed[0].is_told), (1, false, false));
    team.subscribe(&team.bob, "*").await;
    let told = team.oriented(&team.bob).await;
    assert!(told.contains(&format!("Deploys run from the release branch only ({id}, from ana)")), "{told}");
    let query = "where do deploys run from".to_owned();
    let lookup = MemoryLookup { query, tags: Vec::new(), everywhere: false, limit: 5 };
    let layers = crate::LayeredQuery { messages: None, memories: Some(lookup), writes_answer: false };
    let found = team.bob.engine.recall_layers(&team.project, layers).await.expect("recalls").memories;
    assert_eq!(found[0].memory.colleague.as_deref(), Some("ana"));
    let other = TeamFilter { author: Some("carol".to_owned()), limit: 9, ..TeamFilter::default() };
    let of_other = team.bob.engine.manage_team(&team.project, TeamAction::List(other)).await.expect("lists");
    assert!(of_other.items.is_empty());
    let rules = TeamFilter { kind: Some(MemoryKind::Rule), limit: 9, ..TeamFilter::default() };
    let of_kind = team.bob.engine.manage_team(&team.project, TeamAction::List(rules)).await.expect("lists");
    assert!(of_kind.items.is_empty());
    assert!(matches!(team.bob.engine.forget_memory(&id).await, Err(Error::Parameter { .. })), "it is not Bob's");
    // What Bob says in the same words is his own, and outlives hers.
    let own = team.remember(&team.bob, "Deploys run from the release branch only").await;
    assert_ne!(own, id);
    team.ana.engine.manage_team(&team.project, TeamAction::Withdraw(vec![id.clone()])).await.expect("withdraws");
    assert_eq!(team.listed(&team.bob).await, ["Deploys run from the release branch only"]);
    team.ana.engine.forget_memory(&id).await.expect("puts it aside");
    assert_eq!(team.listed(&team.bob).await.len(), 1);
    assert_eq!(team.listed(&team.ana).await, [""; 0]);
}

#[tokio::test]
async fn a_decision_of_a_conversation_is_shared_with_what_it_is_taken_from() {
    let team = team();
    team.say(&team.ana, "talk", "We decided to use Redis for the cache.").await;
    team.say(&team.bob, "other", "We decided to use Memcached for the cache.").await;
    let decision = team.decisions(&team.ana).await.decisions.remove(0);
    let shared = team.share(&team.ana, decision.id.as_str()).await.items.remove(0).memory;
    assert_eq!(
        (shared.body.kind, shared.body.conversation.as_ref()),
        (MemoryKind::Decision, Some(&decision.conversation))
    );
    assert!(shared.sources.contains(&decision.id.to_string()));
    assert!(decision.messages.iter().all(|message| shared.sources.contains(&message.to_string())));
    assert_eq!(shared.said, decision.at.expect("it has a time"), "sharing makes it no newer");
    team.subscribe(&team.bob, "ana").await;
    let found = team.decisions(&team.bob).await;
    assert_eq!(found.decisions.len(), 1, "his own holds");
    let (of_ana, own) = (&found.shared[0], &found.decisions[0]);
    assert_eq!((of_ana.memory.id.clone(), of_ana.memory.colleague.as_deref()), (shared.id.clone(), Some("ana")));
    assert_eq!(of_ana.disputes, [(own.id.to_string(), false)], "his is the newer one");
    let told = team.oriented(&team.bob).await;
    assert!(told.contains("Memcached for the cache"), "{told}");
    assert!(told.contains("Redis for the cache") && told.contains(&format!("contradicts {} above", own.id)), "{told}");
}

#[tokio::test]
async fn of_two_who_share_the_contrary_both_are_told_and_marked() {
    let team = team();
    let first = team.remember(&team.ana, "We use Redis for the cache").await;
    let second = team.remember(&team.bob, "We use Memcached for the cache").await;
    team.share(&team.ana, &first).await;
    team.share(&team.bob, &second).await;
    for (reader, author) in [(&team.ana, "bob"), (&team.bob, "ana")] {
        team.subscribe(reader, author).await;
        let told = team.oriented(reader).await;
        assert!(
            told.contains("We use Redis for the cache") && told.contains("We use Memcached for the cache"),
            "{told}"
        );
        assert!(told.contains(&format!("contradicts {second}, which is newer")), "{told}");
        assert!(told.contains(&format!("contradicts {first}, which is older")), "{told}");
        assert_eq!(team.listed(reader).await.len(), 2, "neither ends the other");
    }
    // A third hears of both, too.
    let list = TeamAction::List(TeamFilter { limit: 9, ..TeamFilter::default() });
    let listed = team.bob.engine.manage_team(&team.project, list).await.expect("lists").items;
    let disputed: Vec<bool> = listed.iter().map(|item| item.memory.disputes[0].is_newer).collect();
    assert_eq!(disputed, [true, false]);
}

#[tokio::test]
async fn a_lesson_of_a_colleague_is_told_where_the_same_error_is_met() {
    let team = team();
    let context = "error: failed to parse lock file at Cargo.lock".to_owned();
    let new = NewReflection {
        content: "sed -i on the lock file".to_owned(),
        outcome: ReflectionOutcome::Failure,
        context: context.clone(),
        ..NewReflection::default()
    };
    let reflect = |action| ReflectionRequest { session: Some("s".to_owned()), own_only: false, action };
    let kept = team.ana.engine.manage_reflections(&team.project, reflect(ReflectionAction::Add(new.clone()))).await;
    let id = kept.expect("keeps").reflections[0].memory.id.to_string();
    team.share(&team.ana, &id).await;
    let fail = || FailureRequest { error: context.clone(), input: None, tokens: 400 };
    let mut session = SessionState::default();
    let told = team.bob.engine.recall_for_failure(&team.project, fail(), &mut session).await.expect("looks");
    assert_eq!(told, None, "Bob did not subscribe");
    team.subscribe(&team.bob, "ana").await;
    let told = team.bob.engine.recall_for_failure(&team.project, fail(), &mut session).await.expect("looks");
    let told = told.expect("it is told");
    assert!(told.contains("tried before, and failed: sed -i") && told.contains("from ana"), "{told}");
    // His own experience is his own lesson.
    let again = team.bob.engine.manage_reflections(&team.project, reflect(ReflectionAction::Add(new))).await;
    assert_eq!(again.expect("keeps").is_new, Some(true));
    let filter = ReflectionFilter { limit: 9, ..ReflectionFilter::default() };
    let found = team.ana.engine.manage_reflections(&team.project, reflect(ReflectionAction::Find(filter))).await;
    assert_eq!(found.expect("lists").reflections.len(), 1, "what Bob did not share, Ana is not told");
}

#[tokio::test]
async fn what_was_there_before_authors_is_of_all() {
    let team = team();
    let author = Author { name: None, shares_store: true };
    let settings = EngineSettings { author, ..EngineSettings::default() };
    let store = Arc::clone(&team.ana.engine.store);
    let clock = Arc::clone(&team.ana.clock) as Arc<dyn Clock>;
    let nobody = House {
        engine: Engine::new(store, clock, settings),
        clock: Arc::clone(&team.ana.clock),
        home: TempDir::new().expect("a temporary directory"),
    };
    team.remember(&nobody, "Prices are whole cents").await;
    for house in [&team.ana, &team.bob, &nobody] {
        assert_eq!(team.listed(house).await, ["Prices are whole cents"]);
    }
    // Said again by one of them, it is theirs as well, and told once.
    team.remember(&team.ana, "Prices are whole cents").await;
    assert_eq!((team.listed(&team.ana).await.len(), team.listed(&team.bob).await.len()), (1, 1));
}
