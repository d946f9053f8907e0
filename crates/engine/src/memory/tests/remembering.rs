//! Memories: what is remembered, promoted and forgotten, and how clocks, secrets and wrong input are taken.

use super::conversation_builder::ConversationBuilder;
use super::{House, house};
use crate::base::NullObserver;
use crate::memory::{
    MemoriesRequest, MemoryAudience, MemoryLookup, MemorySettings, PromoteReport, PromoteRequest, RememberOutcome,
    RememberRequest, RememberedText,
};
use crate::{ConversationSelection, IngestRequest, LayeredQuery, Project};
use model::{EventTime, Message};
use std::time::Duration;

const ONE_DAY: Duration = Duration::from_hours(24);
const ONE_CENTURY: Duration = Duration::from_hours(24 * 36_525);

fn project(house: &House, name: &str) -> Project {
    let path = house.home.path().join("projects").join(name);
    fs_err::create_dir_all(&path).expect("a directory");
    Project::from_directory(&path).expect("a project")
}

fn text(text: &str) -> RememberRequest {
    RememberRequest { text: text.to_owned(), tags: Vec::new(), metadata: None, audience: MemoryAudience::Project }
}

async fn remember(house: &House, project: &Project, words: &str) -> RememberedText {
    house.engine.remember_text(project, text(words)).await.expect("remembers")
}

async fn listed(house: &House, project: &Project, everything: bool) -> Vec<String> {
    let request = MemoriesRequest { tags: Vec::new(), everything, limit: None };
    let listing = house.engine.list_memories(project, request).await.expect("lists");
    listing.memories.into_iter().map(|listed| listed.memory.body.content).collect()
}

/// Stores what was said about a project, each message at its time.
async fn hear(house: &House, project: &Project, name: &str, talk: &ConversationBuilder, at: &str) {
    house.clock.forward_to(&EventTime::from_text(at.to_owned()));
    let dated = |message: &Message| {
        let mut body = message.body.clone();
        body.at = Some(EventTime::from_text(at.to_owned()));
        body
    };
    let messages = talk.messages.iter().map(dated).collect();
    let request = IngestRequest { conversation: name.to_owned(), project: Some(project.clone()), messages };
    house.engine.ingest_messages(request).await.expect("stores");
}

async fn promote(house: &House, project: &Project, dry_run: bool) -> PromoteReport {
    let request = PromoteRequest { conversation: None, everything: false, dry_run };
    house.engine.promote_facts(project, request, &NullObserver).await.expect("promotes")
}

#[tokio::test]
async fn a_memory_is_of_its_project_and_one_of_the_user_is_everywhere() {
    let house = house(MemorySettings::default());
    let (shop, blog) = (project(&house, "shop"), project(&house, "blog"));
    remember(&house, &shop, "Deploys run from the release branch only").await;
    let mine = RememberRequest { audience: MemoryAudience::User, ..text("I prefer short answers") };
    house.engine.remember_text(&blog, mine).await.expect("remembers");
    let both = ["I prefer short answers", "Deploys run from the release branch only"];
    assert_eq!(listed(&house, &shop, false).await, both);
    assert_eq!(listed(&house, &blog, false).await, ["I prefer short answers"]);
    assert_eq!(listed(&house, &blog, true).await, both);
}

#[tokio::test]
async fn what_is_said_twice_is_one_memory_with_the_tags_of_both() {
    let house = house(MemorySettings::default());
    let shop = project(&house, "shop");
    let first = remember(&house, &shop, "The staging port is 8080.").await;
    let tagged = RememberRequest { tags: vec!["Code Style".to_owned()], ..text("the staging port is 8080") };
    let second = house.engine.remember_text(&shop, tagged).await.expect("remembers");
    assert_eq!((second.outcome, &second.memory.id), (RememberOutcome::Restated, &first.memory.id));
    assert_eq!((second.memory.tags.join(" "), second.memory.stated), ("code-style".to_owned(), 2));
    assert_eq!(listed(&house, &shop, false).await.len(), 1);
    // Another port is another memory, however alike the words are.
    remember(&house, &shop, "The staging port is 8081.").await;
    assert_eq!(listed(&house, &shop, false).await.len(), 2);
}

#[tokio::test]
async fn what_is_forgotten_is_kept_and_comes_back_when_it_is_remembered_again() {
    let house = house(MemorySettings::default());
    let shop = project(&house, "shop");
    let kept = remember(&house, &shop, "Use tabs").await.memory;
    let forgotten = house.engine.forget_memory(&format!("`{}`.", kept.id)).await.expect("forgets");
    assert_eq!(forgotten.id, kept.id);
    assert_eq!(listed(&house, &shop, false).await, [""; 0]);
    assert_eq!(listed(&house, &shop, true).await, ["Use tabs"]);
    assert!(!house.engine.forget_memory(kept.id.as_str()).await.expect("is forgotten").is_active());
    assert_eq!(remember(&house, &shop, "Use tabs").await.outcome, RememberOutcome::Restated);
    assert_eq!(listed(&house, &shop, false).await, ["Use tabs"]);
    for unknown in ["mem_0123456789abcdef", "mem_01", "nothing", ""] {
        let error = house.engine.forget_memory(unknown).await.expect_err("there is none");
        assert_eq!(error.to_string(), format!("memory `{unknown}` does not exist"));
    }
}

#[tokio::test]
async fn what_cannot_be_remembered_is_refused_by_name() {
    let house = house(MemorySettings::default());
    let shop = project(&house, "shop");
    let long = "long ".repeat(100_000);
    let refused = async |request: RememberRequest| {
        house.engine.remember_text(&shop, request).await.expect_err("it is refused").to_string()
    };
    assert_eq!(refused(text(" \n\t")).await, "`text` is empty: say what to remember");
    let said = refused(text(&long)).await;
    assert!(said.starts_with("`text` has 499999 characters, and a memory 4000 at most"), "{said}");
    assert_eq!(refused(RememberRequest { tags: vec![" ".to_owned()], ..text("a") }).await, "`tags` has an empty tag");
    let tags = vec!["t".repeat(65)];
    let said = refused(RememberRequest { tags, ..text("a") }).await;
    assert_eq!(said, "`tags` has a tag of more than 64 characters");
    assert_eq!(listed(&house, &shop, true).await, [""; 0], "nothing of it is stored");
}

#[tokio::test]
async fn secrets_are_gone_before_anything_is_stored() {
    let house = house(MemorySettings::default());
    let shop = project(&house, "shop");
    let token = format!("ghp_{}", "Zx9Qw4Er7Ty2Ui5Op8As1Df3Gh6Jk0Lz9Xc2");
    let request = RememberRequest {
        tags: vec![token.clone()],
        metadata: Some(format!("{{\"token\":\"{token}\"}}")),
        ..text(&format!("The token of the mirror is {token}"))
    };
    let kept = house.engine.remember_text(&shop, request).await.expect("remembers");
    assert!(kept.memory.body.content.contains("[secret:"), "{}", kept.memory.body.content);
    assert_eq!(kept.secrets.len(), 3, "in the text, the tag and what is kept beside: {:?}", kept.secrets);
    let House { engine, home, .. } = house;
    drop(engine);
    for entry in fs_err::read_dir(home.path()).expect("the store") {
        let path = entry.expect("an entry").path();
        let bytes = if path.is_file() { fs_err::read(&path).expect("a file") } else { Vec::new() };
        assert!(memchr::memmem::find(&bytes, token.as_bytes()).is_none(), "{}", path.display());
    }
}

#[tokio::test]
async fn only_facts_are_promoted_and_only_once() {
    let house = house(MemorySettings::default());
    let shop = project(&house, "shop");
    let talk = ConversationBuilder::new()
        .user("Never push to main. We decided to use integer cents everywhere. Please fix the total of the cart.")
        .assistant("I decided to look at the root cause first. It is fixed and resolved now, as agreed.")
        .failed_bash("pytest", "ModuleNotFoundError: No module named 'requests'\nexit code 1")
        .bash("pip install requests", "Successfully installed requests")
        .bash("pytest", "3 passed");
    hear(&house, &shop, "talk", &talk, "2026-03-01T10:00:00Z").await;
    let shown = promote(&house, &shop, true).await;
    assert_eq!(listed(&house, &shop, true).await, [""; 0], "a dry run writes nothing");
    let report = promote(&house, &shop, false).await;
    let contents = |report: &PromoteReport| {
        report.promoted.iter().map(|it| format!("{}: {}", it.kind.as_str(), it.content)).collect::<Vec<_>>()
    };
    assert_eq!(contents(&report), contents(&shown));
    assert_eq!((report.processed, report.ended.len()), (1, 0));
    assert_eq!(
        contents(&report),
        [
            "rule: Never push to main.",
            "decision: We decided to use integer cents everywhere.",
            "fix: `pytest` failed with \"ModuleNotFoundError: No module named 'requests'\"; the failure was gone after `pip \
             install requests`",
        ]
    );
    assert_eq!(promote(&house, &shop, false).await.promoted.len(), 0, "nothing is new");
    assert_eq!(listed(&house, &shop, true).await.len(), 3);
}

#[tokio::test]
async fn the_newest_statement_counts_in_whatever_order_conversations_are_read() {
    let house = house(MemorySettings::default());
    let shop = project(&house, "shop");
    let rule = ConversationBuilder::new().user("Never push to main.");
    let back = ConversationBuilder::new().user("You can push to main again.");
    // The permission is read first, and is older.
    hear(&house, &shop, "b", &back, "2026-03-02T10:00:00Z").await;
    promote(&house, &shop, false).await;
    hear(&house, &shop, "c", &rule, "2026-03-03T10:00:00Z").await;
    promote(&house, &shop, false).await;
    assert_eq!(listed(&house, &shop, false).await, ["Never push to main."]);
    // Now it is taken back, and later stated once more.
    hear(&house, &shop, "d", &back, "2026-03-04T10:00:00Z").await;
    assert_eq!(promote(&house, &shop, false).await.ended.len(), 1);
    assert_eq!(listed(&house, &shop, false).await, [""; 0]);
    hear(&house, &shop, "e", &rule, "2026-03-05T10:00:00Z").await;
    promote(&house, &shop, false).await;
    assert_eq!(listed(&house, &shop, false).await, ["Never push to main."]);
}

#[tokio::test]
async fn what_a_user_forgot_is_not_promoted_again_until_it_is_said_again() {
    let house = house(MemorySettings::default());
    let shop = project(&house, "shop");
    house.clock.forward(Duration::from_secs(1_772_360_000));
    let rule = ConversationBuilder::new().user("Never push to main.");
    hear(&house, &shop, "a", &rule, "2026-02-01T10:00:00Z").await;
    let id = promote(&house, &shop, false).await.promoted[0].id.clone();
    house.engine.forget_memory(id.as_str()).await.expect("forgets");
    hear(&house, &shop, "b", &rule, "2026-02-02T10:00:00Z").await;
    assert_eq!(promote(&house, &shop, false).await.promoted.len(), 0, "it was said before it was forgotten");
    hear(&house, &shop, "c", &rule, "2026-04-01T10:00:00Z").await;
    assert_eq!(promote(&house, &shop, false).await.promoted.len(), 1);
    assert_eq!(listed(&house, &shop, false).await, ["Never push to main."]);
}

#[tokio::test]
async fn conversations_without_a_project_are_told_nobody() {
    let house = house(MemorySettings::default());
    let shop = project(&house, "shop");
    house.hear("loose", &ConversationBuilder::new().user("Never push to main.").messages).await;
    let request = PromoteRequest { conversation: Some("loose".to_owned()), everything: false, dry_run: false };
    let report = house.engine.promote_facts(&shop, request, &NullObserver).await.expect("promotes");
    assert_eq!((report.processed, report.homeless, report.promoted.len()), (1, 1, 0));
}

#[tokio::test]
async fn a_fold_promotes_the_facts_of_its_conversation() {
    let settings =
        MemorySettings { leaf_chunk_tokens: model::TokenCount(300), fresh_tail: 2, ..MemorySettings::default() };
    let house = house(settings);
    let shop = project(&house, "shop");
    let mut talk = ConversationBuilder::new().user("Never push to main.");
    for number in 0..60 {
        let words = format!("Part {number} of the parser reads header {number} and then goes on. ").repeat(8);
        talk = talk.user(&format!("Tell me about part {number}?")).assistant(&words);
    }
    hear(&house, &shop, "long", &talk, "2026-03-01T10:00:00Z").await;
    let folded = house.sweep("long").await;
    assert!(!folded.runs[0].folded.is_empty(), "there is something to fold");
    assert_eq!(listed(&house, &shop, false).await, ["Never push to main."]);
}

#[tokio::test]
async fn a_memory_fades_while_nobody_asks_and_a_question_keeps_it() {
    let house = house(MemorySettings::default());
    let shop = project(&house, "shop");
    remember(&house, &shop, "The staging port is 8080.").await;
    let confidence = async || {
        let listing = house.engine.list_memories(&shop, MemoriesRequest::default()).await.expect("lists");
        (listing.memories[0].confidence * 100.0).round() as u32
    };
    let ask = async |words: &str| {
        let lookup = MemoryLookup { query: words.to_owned(), tags: Vec::new(), everywhere: false, limit: 3 };
        let query = LayeredQuery { messages: None, memories: Some(lookup), writes_answer: false };
        let found = house.engine.recall_layers(&shop, query).await.expect("looks").memories.len();
        house.engine.flush_pending().await;
        found
    };
    assert_eq!(confidence().await, 100);
    house.clock.forward(ONE_DAY * 182);
    assert_eq!(confidence().await, 50);
    assert_eq!((ask("how is the weather").await, confidence().await), (0, 50));
    assert_eq!((ask("which port does staging use").await, confidence().await), (1, 100));
    ask("which port does staging use").await;
    let listing = house.engine.list_memories(&shop, MemoriesRequest::default()).await.expect("lists");
    assert_eq!(listing.memories[0].memory.recalled, 1, "once a day counts");
    // A clock that jumps changes how old it looks, and loses nothing.
    house.clock.forward(ONE_CENTURY);
    assert_eq!(listed(&house, &shop, false).await.len(), 1);
    house.clock.backward(ONE_CENTURY * 2);
    assert_eq!(confidence().await, 100);
    remember(&house, &shop, "The production port is 443.").await;
    assert_eq!(listed(&house, &shop, false).await[0], "The production port is 443.", "the order is that of notes");
}

#[tokio::test]
async fn a_damaged_memory_is_named_and_never_shown() {
    let house = house(MemorySettings::default());
    let shop = project(&house, "shop");
    remember(&house, &shop, "The staging port is 8080.").await;
    let kept = remember(&house, &shop, "The release day is Monday.").await.memory;
    let house = super::reopened(house, MemorySettings::default(), |home| {
        super::rewrite(home, "The release day is Monday.", "The release day is Sunday.");
    });
    assert_eq!(listed(&house, &shop, true).await, ["The staging port is 8080."]);
    let listing = house.engine.list_memories(&shop, MemoriesRequest::default()).await.expect("lists");
    assert_eq!(listing.damaged, std::slice::from_ref(&kept.id));
    let report = house.engine.verify(&ConversationSelection::All, &NullObserver).await.expect("verifies");
    let found: Vec<(&str, &str)> =
        report.problems.iter().map(|problem| (problem.subject.as_str(), problem.what.as_str())).collect();
    let row = ("database", "a row of memories is not as it was stored");
    assert_eq!(found, [row, (kept.id.as_str(), "its words are not those it was stored with")]);
    let error = house.engine.forget_memory(kept.id.as_str()).await.expect_err("it is damaged");
    assert!(error.to_string().contains(kept.id.as_str()), "{error}");
}

#[tokio::test]
async fn a_list_has_as_many_as_were_asked_for_and_counts_the_rest() {
    let house = house(MemorySettings::default());
    let shop = project(&house, "shop");
    for words in ["Deploys run on Fridays", "Prices are whole cents", "The cart has no cache"] {
        remember(&house, &shop, words).await;
        house.clock.forward(Duration::from_mins(1));
    }
    let newest = MemoriesRequest { limit: Some(2), ..MemoriesRequest::default() };
    let listing = house.engine.list_memories(&shop, newest.clone()).await.expect("lists");
    let shown: Vec<&str> = listing.memories.iter().map(|listed| listed.memory.body.content.as_str()).collect();
    assert_eq!((shown, listing.omitted), (vec!["The cart has no cache", "Prices are whole cents"], 1));
    remember(&house, &shop, "Deploys run on Fridays").await;
    let listing = house.engine.list_memories(&shop, newest).await.expect("lists");
    assert_eq!(listing.memories[0].memory.body.content, "Deploys run on Fridays");
}
