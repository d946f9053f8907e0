//! Reflections, tiers, checkpoints, subscriptions and suggestions: what is kept, found, moved and told.

use super::{House, house};
use crate::memory::{
    AssembleRequest, CheckpointAction, CheckpointRequest, EventMoment, FailureRequest, MemorySettings, NewCheckpoint,
    NewReflection, NewSubscription, NewTierItem, PatternKind, ReflectionAction, ReflectionFilter, ReflectionOutcome,
    ReflectionReport, ReflectionRequest, SessionState, SubscriptionAction, SubscriptionReport, SubscriptionRequest,
    SubscriptionStatus, SuggestionAction, SuggestionRequest, SuggestionStatus, SummaryForm, TierAction, TierReport,
    TierRequest, TierSettings, TriggerKind,
};
use crate::{ChangeBaseline, IndexRequest, NullObserver, OrientationRequest, Project};
use model::{EventKind, MemoryTier, SessionEvent, TokenCount};
use serde_json::{Map, Value, json};
use std::time::{Duration, UNIX_EPOCH};

fn project(house: &House, name: &str) -> Project {
    let path = house.home.path().join("projects").join(name);
    fs_err::create_dir_all(&path).expect("a directory");
    Project::from_directory(&path).expect("a project")
}

async fn reflect(house: &House, project: &Project, action: ReflectionAction) -> ReflectionReport {
    let request = ReflectionRequest { session: Some("s".to_owned()), own_only: false, action };
    house.engine.manage_reflections(project, request).await.expect("reflects")
}

fn lesson(text: &str, outcome: ReflectionOutcome) -> ReflectionAction {
    let context = "error: failed to parse lock file at Cargo.lock".to_owned();
    ReflectionAction::Add(NewReflection { content: text.to_owned(), outcome, context, ..NewReflection::default() })
}

fn about(query: &str) -> ReflectionAction {
    let query = Some(query.to_owned());
    ReflectionAction::Find(ReflectionFilter { query, limit: 5, ..ReflectionFilter::default() })
}

async fn tier(house: &House, project: &Project, action: TierAction) -> TierReport {
    let request = TierRequest { session: Some("s".to_owned()), action };
    house.engine.manage_tiers(project, request).await.expect("it is done")
}

fn item(content: &str, relevance: f64) -> TierAction {
    let relevance = Some(relevance);
    TierAction::Add(NewTierItem { content: content.to_owned(), relevance, ..NewTierItem::default() })
}

fn recall(query: &str) -> TierAction {
    TierAction::Recall { query: query.to_owned(), tiers: Vec::new(), promotes: None, limit: 5 }
}

async fn oriented(house: &House, project: &Project, conversation: &str) -> String {
    let conversation = conversation.to_owned();
    let request = OrientationRequest { conversation, is_resumed: true, health: None, tokens: 1_500 };
    let told = house.engine.orient_session(project, request, &mut SessionState::default()).await.expect("orients");
    told.unwrap_or_default()
}

#[tokio::test]
async fn a_lesson_is_kept_without_its_secrets_found_by_nearness_and_moves() {
    let house = house(MemorySettings::default());
    let (shop, blog) = (project(&house, "shop"), project(&house, "blog"));
    let secret = &*format!("ghp_{}", "Zx9Qw4Er7Ty2Ui5Op8As1Df3Gh6Jk0Lz9Xc2");
    let first =
        reflect(&house, &shop, lesson(&format!("sed -i breaks the lock file {secret}"), ReflectionOutcome::Failure))
            .await;
    assert_eq!((first.is_new, first.secrets.len()), (Some(true), 1));
    assert!(!first.reflections[0].memory.body.content.contains(secret));
    let again = lesson("cargo generate-lockfile writes it anew", ReflectionOutcome::Success);
    reflect(&house, &shop, again.clone()).await;
    house.clock.forward(Duration::from_mins(1));
    let again = reflect(&house, &shop, again).await;
    assert_eq!(again.is_new, Some(false));
    assert!(again.reflections[0].confidence > 0.7, "{:?}", again.reflections[0].confidence);
    let found = reflect(&house, &shop, about("the lock file cannot be parsed")).await.reflections;
    assert_eq!(found.len(), 2);
    let found = reflect(&house, &shop, about("sed")).await.reflections;
    assert_eq!(found.iter().map(|it| it.outcome).collect::<Vec<_>>(), [ReflectionOutcome::Failure]);
    let summary = reflect(&house, &shop, ReflectionAction::Summarize).await.summary.expect("counts");
    assert_eq!((summary.total, summary.by_outcome[&ReflectionOutcome::Failure]), (2, 1));
    assert!(reflect(&house, &blog, about("lock file")).await.reflections.is_empty(), "it is of another project");
}

#[tokio::test]
async fn what_failed_before_is_told_once_where_the_same_error_is_met() {
    let house = house(MemorySettings::default());
    let shop = project(&house, "shop");
    reflect(&house, &shop, lesson("cargo update repairs it", ReflectionOutcome::Success)).await;
    reflect(&house, &shop, lesson("sed -i on the file", ReflectionOutcome::Failure)).await;
    let mut session = SessionState::default();
    let met = |error: &str| FailureRequest { error: error.to_owned(), input: None, tokens: 400 };
    let same = "   Compiling shop\nerror: failed to parse lock file at Cargo.lock";
    let told = house.engine.recall_for_failure(&shop, met(same), &mut session).await.expect("recalls");
    let told = told.expect("the error was met before");
    let (failed, worked) = (told.find("tried before, and failed: sed"), told.find("worked before: cargo update"));
    assert!(failed.is_some() && failed < worked, "{told}");
    let again = house.engine.recall_for_failure(&shop, met(same), &mut session).await.expect("recalls");
    assert_eq!(again, None);
    let other = met("error: linker `cc` not found");
    let other = house.engine.recall_for_failure(&shop, other, &mut SessionState::default()).await.expect("recalls");
    assert_eq!(other, None);
}

#[tokio::test]
async fn hot_items_are_told_make_room_and_come_back() {
    let tiers = TierSettings { hot_tokens: TokenCount(24), ..TierSettings::USUAL };
    let house = house(MemorySettings { tiers, ..MemorySettings::default() });
    let shop = project(&house, "shop");
    tier(&house, &shop, item("the heron listens on port 8080", 0.2)).await;
    let added = tier(&house, &shop, item("the okapi has to stay under 200 MB", 0.9)).await;
    assert!(added.spilled.is_empty());
    let told = oriented(&house, &shop, "other").await;
    assert!(told.contains("heron listens") && told.contains("okapi has to"), "{told}");
    // The third one does not fit, so the one that matters least makes room.
    let added = tier(&house, &shop, item("the quokka counts bytes instead of characters", 0.5)).await;
    assert_eq!((added.spilled.len(), added.target), (1, Some(MemoryTier::Warm)));
    assert_eq!((added.totals[&MemoryTier::Hot].items, added.totals[&MemoryTier::Warm].items), (2, 1));
    let told = oriented(&house, &shop, "other").await;
    assert!(!told.contains("heron listens") && told.contains("quokka counts"), "{told}");
    // It is found, and the third time that somebody asks for it makes it hot.
    for promoted in [0, 0, 1] {
        let found = tier(&house, &shop, recall("is the heron alive")).await;
        assert_eq!((found.items.len(), found.promoted.len()), (1, promoted));
    }
    assert!(oriented(&house, &shop, "other").await.contains("heron listens"));
    let spill = TierAction::Spill { ids: Vec::new(), count: Some(1), target: MemoryTier::Cold };
    let spilled = tier(&house, &shop, spill).await;
    assert_eq!((spilled.spilled.len(), spilled.totals[&MemoryTier::Cold].items), (1, 1));
    let id = spilled.spilled[0].to_string();
    let promoted = tier(&house, &shop, TierAction::Promote(vec![id])).await;
    assert_eq!((promoted.promoted.len(), promoted.totals[&MemoryTier::Hot].items), (1, 3));
}

#[tokio::test]
async fn cold_items_beyond_the_most_leave_the_tier_and_not_the_store() {
    let tiers = TierSettings { max_cold: 2, ..TierSettings::USUAL };
    let house = house(MemorySettings { tiers, ..MemorySettings::default() });
    let shop = project(&house, "shop");
    for number in 0..5 {
        tier(&house, &shop, item(&format!("item number {number} of the shelf"), 0.5)).await;
    }
    let spill = TierAction::Spill { ids: Vec::new(), count: Some(5), target: MemoryTier::Cold };
    let spilled = tier(&house, &shop, spill).await;
    assert_eq!((spilled.spilled.len(), spilled.totals[&MemoryTier::Cold].items), (5, 2));
    let listed = house.engine.list_memories(&shop, crate::MemoriesRequest::default()).await.expect("lists");
    assert_eq!(listed.memories.len(), 5);
}

#[tokio::test]
async fn hot_items_stand_in_an_assembled_context_within_its_budget() {
    let house = house(MemorySettings::default());
    let shop = project(&house, "shop");
    let talk = super::conversation_builder::ConversationBuilder::new().user("hello").assistant("hello");
    let messages = talk.messages.iter().map(|message| message.body.clone()).collect();
    let request = crate::IngestRequest { conversation: "c".to_owned(), project: Some(shop.clone()), messages };
    house.engine.ingest_messages(request).await.expect("stores");
    tier(&house, &shop, item("the heron listens on port 8080", 0.2)).await;
    let assembled = async |budget: Option<u32>| {
        let (conversation, budget) = ("c".to_owned(), budget.map(TokenCount));
        let request = AssembleRequest { conversation, budget, query: None, form: SummaryForm::default() };
        let context = house.engine.assemble_context(request).await.expect("assembles");
        let facts = context.items.iter().find_map(|item| {
            let crate::AssembledItem::Facts { text, .. } = item else { return None };
            Some(text.clone())
        });
        (facts, context.tokens)
    };
    let (facts, _) = assembled(None).await;
    assert!(facts.is_some_and(|text| text.contains("- the heron listens on port 8080 (mem_")));
    let (_, tokens) = assembled(Some(64)).await;
    assert!(tokens <= TokenCount(64), "{tokens:?}");
}

async fn checkpoint(house: &House, project: &Project, action: CheckpointAction) -> Vec<crate::Checkpoint> {
    let request = CheckpointRequest { session: Some("agent:s".to_owned()), action };
    house.engine.manage_checkpoints(project, request).await.expect("it is done").checkpoints
}

fn state(step: u64) -> Option<Map<String, Value>> {
    json!({ "query": "port it", "plan": ["a", "b", "c"], "currentStepIndex": step }).as_object().cloned()
}

#[tokio::test]
async fn a_checkpoint_of_the_highest_step_is_loaded_and_the_newest_ten_are_listed() {
    let house = house(MemorySettings::default());
    let shop = project(&house, "shop");
    for step in (0..12).rev() {
        house.clock.forward(Duration::from_secs(1));
        let new = NewCheckpoint { state: state(step), ..NewCheckpoint::default() };
        checkpoint(&house, &shop, CheckpointAction::Save(new)).await;
    }
    let listed = checkpoint(&house, &shop, CheckpointAction::List(100)).await;
    assert_eq!(listed.iter().map(|it| it.step).collect::<Vec<_>>(), (0..10).collect::<Vec<_>>());
    let loaded = checkpoint(&house, &shop, CheckpointAction::Load(None)).await.remove(0);
    assert_eq!((loaded.step, loaded.state.query()), (9, Some("port it")));
    let by_id = CheckpointAction::Resume(Some(listed[0].id.to_string()));
    assert_eq!(checkpoint(&house, &shop, by_id).await[0].step, 0);
    let kept = checkpoint(&house, &shop, CheckpointAction::Prune(Some(3))).await;
    assert_eq!(kept.len(), 3);
    // What is listed no more is still there for whoever has its id.
    let by_id = CheckpointAction::Load(Some(listed[9].id.to_string()));
    assert_eq!(checkpoint(&house, &shop, by_id).await[0].step, 9);
}

#[tokio::test]
async fn a_state_is_kept_without_its_secrets_wherever_they_stand() {
    let house = house(MemorySettings::default());
    let shop = project(&house, "shop");
    let secret = &*format!("ghp_{}", "Zx9Qw4Er7Ty2Ui5Op8As1Df3Gh6Jk0Lz9Xc2");
    let state = json!({ "query": "log in", "results": [{ "deep": [format!("token {secret}\nnext")] }], secret: 1 });
    let new = NewCheckpoint { state: state.as_object().cloned(), ..NewCheckpoint::default() };
    let saved = checkpoint(&house, &shop, CheckpointAction::Save(new)).await.remove(0);
    let kept = saved.state.to_json().to_string();
    assert!(!kept.contains(secret) && kept.contains("[secret:"), "{kept}");
}

fn event(id: &str, kind: EventKind, at: i64) -> SessionEvent<'_> {
    SessionEvent { conversation: Some("agent:s".to_owned()), ..SessionEvent::new(id, "x", at, kind) }
}

#[tokio::test]
async fn events_of_a_session_make_checkpoints_each_once() {
    let house = house(MemorySettings::default());
    let shop = project(&house, "shop");
    let note = async |event: &SessionEvent<'_>| {
        let moment = EventMoment { event, prompt: Some("port the parser") };
        house.engine.note_event(&shop, moment).await.expect("notes");
    };
    let todo = |first: &str| {
        let todos = json!([{ "content": "read it", "status": first }, { "content": "write it", "status": "pending" }]);
        Some(json!({ "todos": todos }).to_string())
    };
    let mut plan = event("e1", EventKind::Result, 1_000);
    (plan.tool.name, plan.tool.input) = (Some("TodoWrite"), todo("in_progress"));
    note(&plan).await;
    note(&plan).await;
    let mut same = event("e2", EventKind::Result, 2_000);
    (same.tool.name, same.tool.input) = (Some("TodoWrite"), todo("in_progress"));
    note(&same).await;
    let mut done = event("e3", EventKind::Result, 3_000);
    (done.tool.name, done.tool.input) = (Some("TodoWrite"), todo("completed"));
    note(&done).await;
    let command = |command: &str| Some(json!({ "command": command }).to_string());
    let mut risky = event("e4", EventKind::Call, 4_000);
    (risky.tool.name, risky.tool.input) = (Some("Bash"), command("git push origin main"));
    note(&risky).await;
    // Told before it ran and with its result, it is one checkpoint.
    risky.tool.call_id = Some("call-1");
    (risky.id, risky.at, risky.tool.input) = ("e4b", 4_100, command("rm -r build"));
    note(&risky).await;
    (risky.id, risky.at, risky.kind) = ("e4c", 4_200, EventKind::Result);
    note(&risky).await;
    let mut failed = event("e5", EventKind::Result, 5_000);
    (failed.tool.name, failed.tool.input, failed.tool.error) = (Some("Bash"), command("make"), Some("no rule"));
    note(&failed).await;
    note(&event("e6", EventKind::BeforeCompact, 6_000)).await;
    let listed = checkpoint(&house, &shop, CheckpointAction::List(100)).await;
    let told: Vec<String> = listed
        .iter()
        .rev()
        .map(|it| format!("{} {} {}", it.step, it.trigger.as_str(), it.description.as_deref().unwrap_or_default()))
        .collect();
    let expected = [
        "0 auto the plan changed: 0 of 2 steps are done",
        "1 auto 1 of 2 steps are done",
        "1 auto before `git push origin main`",
        "1 auto before `rm -r build`",
        "1 error error at step 1: no rule",
        "1 auto before the context was compacted",
    ];
    assert_eq!(told, expected);
    assert_eq!((listed[0].state.query(), listed[0].state.last_error()), (Some("port the parser"), Some("no rule")));
    let told = oriented(&house, &shop, "agent:s").await;
    assert!(told.contains("1 of 2 steps are done, next: write it"), "{told}");
    assert!(!oriented(&house, &shop, "agent:other").await.contains("steps are done"));
}

#[test]
fn a_call_is_marked_where_a_checkpoint_is_made_of_it() {
    let call = |tool: &'static str, input: Value| {
        let mut call = event("e1", EventKind::Call, 1_000);
        (call.tool.name, call.tool.input) = (Some(tool), Some(input.to_string()));
        crate::marks_checkpoint(&call)
    };
    assert!(
        call("Bash", json!({ "command": "git push" }))
            && call("Bash", json!({ "command": "python manage.py migrate" }))
    );
    assert!(!call("Bash", json!({ "command": "cargo test" })) && !call("Read", json!({ "file_path": "a" })));
}

async fn subscribe(house: &House, project: &Project, action: SubscriptionAction) -> SubscriptionReport {
    let request = SubscriptionRequest { session: None, action };
    house.engine.manage_subscriptions(project, request).await.expect("it is done")
}

fn wish(pattern: PatternKind, value: &str) -> NewSubscription {
    let value = value.to_owned();
    NewSubscription { pattern, value, scope: None, trigger: None, every: None, min_relevance: None }
}

#[tokio::test]
async fn files_that_change_are_told_once_with_what_depends_on_them_where_somebody_subscribed() {
    let house = house(MemorySettings::default());
    let shop = project(&house, "shop");
    let write = |path: &str, text: &str| {
        let path = shop.root.join(path);
        fs_err::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs_err::write(path, text).expect("a file");
    };
    write("src/price.py", "def price(item):\n    return 1\n");
    write("src/order.py", "from src.price import price\n\ndef order(item):\n    return price(item)\n");
    write("docs/a.md", "# A\n");
    let mut baseline = ChangeBaseline::default();
    let look = async |baseline: &mut ChangeBaseline| {
        house.engine.index_project(&shop, IndexRequest::default(), &NullObserver).await.expect("indexes");
        house.engine.suggest_changes(&shop, baseline).await.expect("suggests")
    };
    assert!(look(&mut baseline).await.is_empty(), "nobody asked");
    subscribe(&house, &shop, SubscriptionAction::Add(wish(PatternKind::FilePattern, "src/*.py"))).await;
    assert!(look(&mut baseline).await.is_empty(), "the first look only remembers");
    write("src/price.py", "def price(item):\n    return 2\n");
    write("docs/a.md", "# B\n");
    let made = look(&mut baseline).await;
    assert_eq!(made.len(), 1);
    let items: Vec<(&str, &str)> = made[0].items.iter().map(|it| (it.kind.as_str(), it.place.as_str())).collect();
    assert!(items.contains(&("changed", "src/price.py")) && !items.iter().any(|(_, place)| place.contains("docs")));
    assert!(items.iter().any(|(kind, place)| *kind == "caller" && place.contains("order")), "{items:?}");
    assert!(look(&mut baseline).await.is_empty(), "nothing changed since");
    let told = house.engine.deliver_suggestions(&shop, "agent:s", 200).await.expect("delivers").expect("one waits");
    assert!(told.contains("src/price.py changed") && told.contains("sugg_"), "{told}");
    assert_eq!(house.engine.deliver_suggestions(&shop, "agent:s", 200).await.expect("delivers"), None);
    let list = |include_delivered| SuggestionRequest {
        session: None,
        action: SuggestionAction::List { include_delivered, limit: 10 },
    };
    assert!(house.engine.manage_suggestions(&shop, list(false)).await.expect("lists").suggestions.is_empty());
    let all = house.engine.manage_suggestions(&shop, list(true)).await.expect("lists").suggestions;
    assert_eq!(all.iter().map(|it| it.status).collect::<Vec<_>>(), [SuggestionStatus::Delivered]);
    let dismiss = SuggestionRequest { session: None, action: SuggestionAction::Dismiss(all[0].id.to_string()) };
    let dismissed = house.engine.manage_suggestions(&shop, dismiss).await.expect("dismisses").suggestions;
    assert_eq!(dismissed[0].status, SuggestionStatus::Dismissed);
    // What was not wanted makes the next one matter less.
    write("src/price.py", "def price(item):\n    return 3\n");
    let next = look(&mut baseline).await;
    assert!(next[0].relevance < all[0].relevance, "{} {}", next[0].relevance, all[0].relevance);
}

/// A project with a class, what uses it and a document, and a way to change it.
async fn shop_with_code(house: &House) -> Project {
    let shop = project(house, "shop");
    write(&shop, "src/cart.py", "class Cart:\n    pass\n\n\nclass Basket:\n    pass\n\n\ndef total():\n    return 1\n");
    write(&shop, "src/order.py", "from src.cart import Cart\n\ndef order():\n    return Cart()\n");
    write(&shop, "docs/a.md", "# A\n\nAbout vouchers.\n");
    index(house, &shop).await;
    shop
}

fn write(project: &Project, path: &str, text: &str) {
    let path = project.root.join(path);
    fs_err::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs_err::write(path, text).expect("a file");
}

async fn index(house: &House, project: &Project) {
    house.engine.index_project(project, IndexRequest::default(), &NullObserver).await.expect("indexes");
}

fn told(made: &[crate::Suggestion]) -> Vec<(&str, Vec<(&str, &str)>)> {
    made.iter()
        .map(|it| {
            let title = it.title.split(';').next().unwrap_or_default();
            (title, it.items.iter().map(|it| (it.kind.as_str(), it.place.as_str())).collect())
        })
        .collect()
}

#[tokio::test]
async fn symbols_of_a_kind_are_told_when_they_change_and_a_word_where_a_file_has_it() {
    let house = house(MemorySettings::default());
    let shop = shop_with_code(&house).await;
    let scoped = NewSubscription { scope: Some("src".to_owned()), ..wish(PatternKind::EntityType, "class") };
    subscribe(&house, &shop, SubscriptionAction::Add(scoped)).await;
    let trigger = Some(TriggerKind::FileChange);
    let word = NewSubscription { trigger, ..wish(PatternKind::Keyword, "voucher") };
    subscribe(&house, &shop, SubscriptionAction::Add(word)).await;
    let mut baseline = ChangeBaseline::default();
    assert!(house.engine.suggest_changes(&shop, &mut baseline).await.expect("suggests").is_empty());
    // A function of the same file is no class.
    write(&shop, "src/cart.py", "class Cart:\n    pass\n\n\nclass Basket:\n    pass\n\n\ndef total():\n    return 2\n");
    index(&house, &shop).await;
    let made = house.engine.suggest_changes(&shop, &mut baseline).await.expect("suggests");
    assert!(made.is_empty(), "{made:?}");
    write(&shop, "src/cart.py", "# a voucher\nclass Cart:\n    size = 1\n\n\ndef total():\n    return 2\n");
    write(&shop, "docs/b.md", "# B\n\nAbout vouchers.\n");
    index(&house, &shop).await;
    let made = house.engine.suggest_changes(&shop, &mut baseline).await.expect("suggests");
    let made = told(&made);
    let [(classes, items), (words, files)] = &made[..] else { panic!("{made:?}") };
    assert_eq!(*classes, "2 places of the kind `class` changed");
    assert!(items.contains(&("changed", "src/cart.py#Cart")) && items.contains(&("removed", "src/cart.py#Basket")));
    assert!(items.contains(&("caller", "src/order.py#order")), "{items:?}");
    assert_eq!((*words, files[0]), ("src/cart.py changed", ("changed", "src/cart.py")));
}

#[tokio::test]
async fn what_the_cursor_is_near_is_told_once_a_day() {
    let house = house(MemorySettings::default());
    let shop = shop_with_code(&house).await;
    let near = async |place: &str| house.engine.suggest_near(&shop, place).await.expect("suggests");
    assert!(near("src/cart.py:2").await.is_empty(), "nobody asked");
    let trigger = Some(TriggerKind::CursorProximity);
    for (pattern, value) in
        [(PatternKind::FilePattern, "src/*.py"), (PatternKind::EntityType, "class"), (PatternKind::Keyword, "vouchers")]
    {
        subscribe(&house, &shop, SubscriptionAction::Add(NewSubscription { trigger, ..wish(pattern, value) })).await;
    }
    let made = near("src/cart.py:2").await;
    let first = told(&made);
    let [file, class] = &first[..] else { panic!("{made:?}") };
    assert_eq!((file.0, file.1[0]), ("the cursor is at src/cart.py#Cart", ("near", "src/cart.py#Cart")));
    assert_eq!(file.1, class.1);
    assert!(file.1.contains(&("caller", "src/order.py#order")), "{file:?}");
    assert!(near("src/cart.py:1").await.is_empty(), "it is the same class");
    let made = near("src/cart.py:10").await;
    let titles: Vec<&str> = told(&made).into_iter().map(|(title, _)| title).collect();
    assert_eq!(titles, ["the cursor is at src/cart.py#total", "the cursor is at src/cart.py#Basket"]);
    assert_eq!(told(&near("docs/a.md:1").await).len(), 1, "the word is two lines below");
    assert!(near("docs/none.md:1").await.is_empty());
    house.clock.forward(Duration::from_hours(24));
    assert_eq!(near("src/cart.py:1").await.len(), 2);
    for wrong in ["src/cart.py", "src/cart.py:0", ":1", "src/cart.py:x"] {
        let refused = house.engine.suggest_near(&shop, wrong).await.expect_err("it is no place");
        assert!(refused.to_string().contains("has to be a place"), "{refused}");
    }
}

#[tokio::test]
async fn a_prompt_that_names_a_file_or_a_symbol_of_a_kind_mentions_it() {
    let house = house(MemorySettings::default());
    let shop = shop_with_code(&house).await;
    let trigger = Some(TriggerKind::ContextMention);
    for (pattern, value) in [(PatternKind::FilePattern, "src/*.py"), (PatternKind::EntityType, "function")] {
        subscribe(&house, &shop, SubscriptionAction::Add(NewSubscription { trigger, ..wish(pattern, value) })).await;
    }
    let said = async |prompt: &str, event: &str| {
        let made = house.engine.suggest_mentions(&shop, "agent:s", prompt, event).await.expect("suggests");
        told(&made).into_iter().map(|(title, _)| title.to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(
        said("look at order.py and total()", "p1").await,
        ["`src/order.py` was mentioned", "`src/cart.py#total` was mentioned"]
    );
    assert!(said("look at the order of docs/a.md", "p2").await.is_empty());
    assert!(said("is `Cart` a class", "p3").await.is_empty(), "it is no function");
}

#[tokio::test]
async fn a_schedule_tells_what_changed_when_its_time_has_come() {
    let house = house(MemorySettings::default());
    let shop = shop_with_code(&house).await;
    let every = Some(Duration::from_hours(6));
    let added = NewSubscription { every, ..wish(PatternKind::FilePattern, "src/*.py") };
    let added = subscribe(&house, &shop, SubscriptionAction::Add(added)).await.subscriptions.remove(0);
    for path in ["src/cart.py", "src/order.py", "docs/a.md"] {
        let file = fs_err::OpenOptions::new().append(true).open(shop.root.join(path)).expect("a file");
        file.into_file().set_modified(UNIX_EPOCH).expect("a time");
    }
    assert_eq!((added.trigger, added.every), (TriggerKind::Schedule, every));
    let kind = NewSubscription { every, ..wish(PatternKind::EntityType, "class") };
    subscribe(&house, &shop, SubscriptionAction::Add(kind)).await;
    let due = async || house.engine.suggest_due(&shop).await.expect("suggests");
    house.clock.forward(Duration::from_hours(5));
    assert!(due().await.is_empty(), "its time has not come");
    house.clock.forward(Duration::from_hours(2));
    assert!(due().await.is_empty(), "nothing was written since");
    let written = |path: &str, after: Duration| {
        let file = fs_err::OpenOptions::new().append(true).open(shop.root.join(path)).expect("a file");
        let at = UNIX_EPOCH + Duration::from_millis(added.created.0.unsigned_abs()) + after;
        file.into_file().set_modified(at).expect("a time");
    };
    written("src/cart.py", Duration::from_hours(1));
    written("src/order.py", Duration::from_hours(2));
    let made = due().await;
    assert_eq!(made.len(), 2, "{made:?}");
    assert!(made[0].title.contains("2 files that fit `src/*.py` changed"), "{}", made[0].title);
    let classes: Vec<&str> =
        made[1].items.iter().filter(|it| it.kind == "changed").map(|it| it.place.as_str()).collect();
    assert_eq!(classes, ["src/cart.py"], "the other file has none");
    assert!(due().await.is_empty(), "it was told");
    house.clock.forward(Duration::from_hours(7));
    assert!(due().await.is_empty(), "nothing changed since");
}

#[tokio::test]
async fn a_subscription_rests_ends_and_says_what_it_cannot_do() {
    let house = house(MemorySettings::default());
    let shop = project(&house, "shop");
    let added = subscribe(&house, &shop, SubscriptionAction::Add(wish(PatternKind::Keyword, "heron"))).await;
    let id = added.subscriptions[0].id.to_string();
    let again = subscribe(&house, &shop, SubscriptionAction::Add(wish(PatternKind::Keyword, "heron"))).await;
    assert_eq!(again.subscriptions[0].id.to_string(), id, "asked for twice it is told once");
    let mut statuses = Vec::new();
    for action in [
        SubscriptionAction::Pause(id.clone()),
        SubscriptionAction::Pause(id.clone()),
        SubscriptionAction::Remove(id.clone()),
    ] {
        statuses.push(subscribe(&house, &shop, action).await.subscriptions[0].status);
    }
    let expected = [SubscriptionStatus::Paused, SubscriptionStatus::Active, SubscriptionStatus::Completed];
    assert_eq!(statuses, expected);
    let list = |everything| SubscriptionAction::List { everything };
    assert!(subscribe(&house, &shop, list(false)).await.subscriptions.is_empty());
    assert_eq!(subscribe(&house, &shop, list(true)).await.subscriptions.len(), 1);
    let every = Some(Duration::from_hours(1));
    let scheduled = NewSubscription { trigger: Some(TriggerKind::Schedule), ..wish(PatternKind::Keyword, "x") };
    let hurried = NewSubscription { every: Some(Duration::from_secs(9)), ..scheduled.clone() };
    let near = NewSubscription { trigger: Some(TriggerKind::CursorProximity), every, ..scheduled.clone() };
    for (new, said) in [
        (wish(PatternKind::EntityType, "klass"), "is no kind of symbols: there are module, class,"),
        (scheduled, "is needed for a `schedule`"),
        (hurried, "has to be a minute or more"),
        (near, "goes with the trigger `schedule` only"),
        (wish(PatternKind::FilePattern, "!src"), "is no pattern of paths"),
        (wish(PatternKind::Keyword, " "), "has to have 1 to"),
    ] {
        let request = SubscriptionRequest { session: None, action: SubscriptionAction::Add(new) };
        let refused = house.engine.manage_subscriptions(&shop, request).await.expect_err("it is refused");
        assert!(refused.to_string().contains(said), "{refused}");
    }
    let request = SubscriptionRequest { session: None, action: SubscriptionAction::Pause(id) };
    assert!(house.engine.manage_subscriptions(&shop, request).await.is_err(), "it is over");
}
