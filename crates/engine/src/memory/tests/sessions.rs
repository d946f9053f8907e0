//! Tests of conversations as sessions: states, archiving of idle ones, session summaries, the current session, short
//! names, and clocks that jump.

use super::conversation_builder::ConversationBuilder;
use super::{House, house};
use crate::base::NullObserver;
use crate::memory::{
    HistoryRequest, IngestRequest, ListRequest, MemorySettings, SessionAction, SessionListing, find_conversation,
    name_in_project,
};
use crate::{Error, Project};
use expect_test::expect;
use model::{ConversationState, EventTime, MessagePart, MessageRole, NewMessage, Timestamp};
use std::time::Duration;
use tempfile::TempDir;

const DAY: Duration = Duration::from_hours(24);
/// As a clock of today, so that times that messages name can be believed.
const TODAY: Duration = Duration::from_hours(24 * 20_454);

fn project() -> (TempDir, Project) {
    let home = TempDir::new().expect("a folder");
    let project = Project::from_directory(home.path()).expect("a project");
    (home, project)
}

fn said(text: &str) -> NewMessage {
    NewMessage {
        external_id: None,
        role: MessageRole::User,
        speaker: None,
        session: None,
        at: None,
        metadata: None,
        parts: vec![MessagePart::Text { text: text.to_owned() }],
        part_marks: model::PartMarks::default(),
    }
}

async fn ingest(house: &House, project: &Project, name: &str, message: NewMessage) -> Result<(), Error> {
    let conversation = name_in_project(project, name);
    let request = IngestRequest { conversation, project: Some(project.clone()), messages: vec![message] };
    house.engine.ingest_messages(request).await.map(drop)
}

async fn manage(house: &House, project: &Project, action: SessionAction) -> SessionListing {
    let mut report = house.engine.manage_session(project, action).await.expect("does it");
    assert_eq!(report.sessions.len(), 1, "{report:?}");
    report.sessions.remove(0)
}

async fn states(house: &House, project: &Project) -> Vec<(String, ConversationState)> {
    let list = SessionAction::List { state: None, limit: 50 };
    let report = house.engine.manage_session(project, list).await.expect("lists");
    let line =
        |session: SessionListing| (session.listing.conversation.name.clone(), session.listing.conversation.state);
    report.sessions.into_iter().map(line).collect()
}

#[tokio::test]
async fn a_session_is_summed_up_archived_and_goes_on() {
    let house = house(MemorySettings::default());
    let (_home, project) = project();
    ingest(&house, &project, "talk", said("Fix the login. We decided to use bcrypt.")).await.expect("stores");
    let summed = manage(&house, &project, SessionAction::Summarize(Some("talk".to_owned()))).await;
    assert_eq!(summed.listing.conversation.state, ConversationState::Summarized);
    expect![[r#"
        Main topics:
        - Fix the login.
        Key decisions:
        - We decided to use bcrypt.
        Unresolved questions:
        - none
        Important context:
        - none"#]]
    .assert_eq(&summed.summary.expect("a text").content);
    let archived = manage(&house, &project, SessionAction::Archive("talk".to_owned())).await;
    assert_eq!(archived.listing.conversation.state, ConversationState::Archived);
    ingest(&house, &project, "talk", said("One more thing: which port?")).await.expect("stores");
    assert_eq!(states(&house, &project).await, [("talk".to_owned(), ConversationState::Active)]);
    let again = manage(&house, &project, SessionAction::Summarize(None)).await;
    let text = again.summary.expect("a text").content;
    assert!(text.contains("Unresolved questions:\n- One more thing: which port?"), "{text}");
    let resumed = manage(&house, &project, SessionAction::Resume("talk".to_owned())).await;
    assert_eq!(resumed.listing.conversation.state, ConversationState::Active);
    assert_eq!(resumed.listing.conversation.messages, 2, "nothing was deleted");
}

#[tokio::test]
async fn an_empty_session_says_so() {
    let house = house(MemorySettings::default());
    let (_home, project) = project();
    manage(&house, &project, SessionAction::Create(Some("empty".to_owned()))).await;
    let summed = manage(&house, &project, SessionAction::Summarize(Some("empty".to_owned()))).await;
    assert_eq!(summed.summary.expect("a text").content, "Empty session with no messages.");
    let again = house.engine.manage_session(&project, SessionAction::Create(Some("empty".to_owned()))).await;
    let error = again.expect_err("the name is taken").to_string();
    assert_eq!(error, "`session` is `empty`, which exists: `session resume` goes on with it");
}

#[tokio::test]
async fn only_what_nobody_spoke_in_for_long_is_archived() {
    let house = house(MemorySettings { archive_days: Some(30), ..MemorySettings::default() });
    house.clock.forward(TODAY);
    let (_home, project) = project();
    ingest(&house, &project, "old", said("We agreed on weekly releases.")).await.expect("stores");
    ingest(&house, &project, "resumed", said("hello")).await.expect("stores");
    house.clock.forward(DAY * 20);
    ingest(&house, &project, "new", said("hello")).await.expect("stores");
    assert_eq!(house.engine.archive_idle_conversations(&NullObserver).await.expect("looks"), 0);
    house.clock.forward(DAY * 11);
    manage(&house, &project, SessionAction::Resume("resumed".to_owned())).await;
    assert_eq!(house.engine.archive_idle_conversations(&NullObserver).await.expect("looks"), 1);
    assert_eq!(house.engine.archive_idle_conversations(&NullObserver).await.expect("looks"), 0);
    let mut states = states(&house, &project).await;
    states.sort();
    let active = ConversationState::Active;
    assert_eq!(
        states,
        [("new".to_owned(), active), ("old".to_owned(), ConversationState::Archived), ("resumed".to_owned(), active)]
    );
    let id = find_conversation(&house.engine.memory, "old").await.expect("it is there");
    let text = house.engine.store.session_summary(&id).await.expect("reads").expect("it was summed up").content;
    assert!(text.contains("Key decisions:\n- We agreed on weekly releases."), "{text}");
}

#[tokio::test]
async fn archiving_follows_the_settings() {
    for (settings, archived, summed) in [
        (MemorySettings { archive_days: None, ..MemorySettings::default() }, 0, false),
        (MemorySettings { auto_summarize: false, ..MemorySettings::default() }, 1, false),
        (MemorySettings::default(), 1, true),
    ] {
        let house = house(settings);
        let (_home, project) = project();
        ingest(&house, &project, "c", said("hello")).await.expect("stores");
        house.clock.forward(DAY * 31);
        assert_eq!(house.engine.archive_idle_conversations(&NullObserver).await.expect("looks"), archived);
        let id = find_conversation(&house.engine.memory, "c").await.expect("it is there");
        assert_eq!(house.engine.store.session_summary(&id).await.expect("reads").is_some(), summed);
    }
}

#[tokio::test]
async fn messages_without_a_session_go_to_the_current_one() {
    let house = house(MemorySettings::default());
    let (_home, project) = project();
    let (_other_home, other) = self::project();
    let history = async |project: &Project| {
        let request = HistoryRequest { conversation: name_in_project(project, "current"), limit: 9 };
        let said = house.engine.load_history(request).await.expect("reads").messages;
        said.iter().map(|message| message.body.content()).collect::<Vec<_>>()
    };
    assert_eq!(history(&project).await, Vec::<String>::new(), "no session has begun");
    // What an agent writes down itself is never the current session.
    ingest(&house, &project, "claude-code:a6a3", said("of the agent")).await.expect("stores");
    ingest(&house, &project, "current", said("one")).await.expect("stores");
    ingest(&house, &project, "current", said("two")).await.expect("stores");
    ingest(&house, &other, "current", said("elsewhere")).await.expect("stores");
    assert_eq!(history(&project).await, ["one", "two"]);
    assert_eq!(history(&other).await, ["elsewhere"]);
    house.clock.forward(DAY);
    let first = manage(&house, &project, SessionAction::Current).await.listing.conversation.name;
    manage(&house, &project, SessionAction::Create(Some("second".to_owned()))).await;
    ingest(&house, &project, "current", said("three")).await.expect("stores");
    assert_eq!(history(&project).await, ["three"]);
    manage(&house, &project, SessionAction::Archive("second".to_owned())).await;
    assert_eq!(history(&project).await, ["one", "two"], "the newest active one");
    manage(&house, &project, SessionAction::Archive(first)).await;
    ingest(&house, &project, "current", said("four")).await.expect("stores");
    assert_eq!(history(&project).await, ["four"], "a new one, for none was active");
}

#[tokio::test]
async fn conversations_are_named_by_a_beginning_and_by_latest() {
    let house = house(MemorySettings::default());
    let (_home, project) = project();
    let (_other_home, other) = self::project();
    for (project, name) in
        [(&project, "claude-code:a6a3f00d-1111"), (&project, "codex:a6a3beef-2222"), (&other, "codex:77d2beef-3333")]
    {
        ingest(&house, project, name, said("hello")).await.expect("stores");
        house.clock.forward(DAY);
    }
    let find = async |name: &str| {
        let id = find_conversation(&house.engine.memory, name).await?;
        let known = house.engine.store.load_conversation(&id).await.expect("reads").expect("it is there");
        Ok::<_, Error>((known.name, id.to_string()))
    };
    let (name, id) = find("a6a3f").await.expect("one begins so");
    assert_eq!(name, "claude-code:a6a3f00d-1111");
    for text in [&id[..9], &id[5..11], "A6A3F00D", "claude", "a6a3f00d-1111", " 'a6a3f' ".trim_matches([' ', '\''])] {
        assert_eq!(find(text).await.expect(text).0, name, "{text}");
    }
    assert_eq!(find("latest").await.expect("there is one").0, "codex:77d2beef-3333");
    assert_eq!(find(&name_in_project(&project, "latest")).await.expect("of the project").0, "codex:a6a3beef-2222");
    let error = find("a6a3").await.expect_err("two begin so").to_string();
    assert!(error.contains("`conversation` is `a6a3`, which may be `"), "{error}");
    assert!(error.contains("`claude-code:a6a3f00d-1111` (conv_") && error.contains("`codex:a6a3beef-2222` (conv_"));
    for unknown in ["a6a", "zzzz", "conv_0000000000000000", ""] {
        let error = find(unknown).await.expect_err("nobody is called so");
        assert!(matches!(error, Error::NotFound { .. }), "{unknown}: {error}");
    }
}

#[tokio::test]
async fn messages_are_named_by_the_beginning_of_their_id() {
    let house = house(MemorySettings::default());
    let (_home, project) = project();
    for number in 0..40 {
        ingest(&house, &project, "c", said(&format!("message {number}"))).await.expect("stores");
    }
    let request = HistoryRequest { conversation: "c".to_owned(), limit: 1 };
    let id = house.engine.load_history(request).await.expect("reads").messages[0].id.to_string();
    let described = house.engine.describe_item(&id[..14]).await.expect("one begins so");
    assert!(matches!(described, crate::memory::DescribedItem::Message { message, .. } if message.id.to_string() == id));
    let error = house.engine.describe_item("msg_000000000").await.expect_err("none begins so").to_string();
    assert_eq!(
        error,
        "`id` is `msg_000000000`, which is no id of a message, nor the beginning of one: `msg_` and 16 hexadecimal digits"
    );
}

#[tokio::test]
async fn clocks_that_jump_neither_archive_a_conversation_nor_keep_it_the_latest() {
    const CENTURY: i64 = 100 * 365 * 24 * 60 * 60 * 1_000;
    let house = house(MemorySettings::default());
    house.clock.forward(TODAY);
    let (_home, project) = project();
    for (name, jump) in [("future", CENTURY), ("past", -CENTURY)] {
        let at = TODAY.as_millis() as i64 + jump;
        let time = EventTime { text: at.to_string(), instant: Some(Timestamp(at)) };
        ingest(&house, &project, name, NewMessage { at: Some(time), ..said("hello") }).await.expect("stores");
    }
    house.clock.forward(Duration::from_secs(1));
    ingest(&house, &project, "now", said("hello")).await.expect("stores");
    assert_eq!(house.engine.archive_idle_conversations(&NullObserver).await.expect("looks"), 0);
    let request = ListRequest { project: Some(project.id.clone()), state: None, limit: 9 };
    let list = house.engine.list_conversations(request).await.expect("lists");
    assert_eq!(list.listed[0].conversation.name, "now");
    assert_eq!(list.listed.len(), 3, "nothing is lost");
}

#[tokio::test]
async fn a_list_has_titles_and_counts_what_it_leaves_out() {
    let house = house(MemorySettings::default());
    let (_home, project) = project();
    let talk =
        ConversationBuilder::new().system("You help.").user("Fix the login. Then the logout.").assistant("Done.");
    house.hear("of nobody", &talk.messages).await;
    let list = async |project: Option<&Project>| {
        let request = ListRequest { project: project.map(|project| project.id.clone()), state: None, limit: 9 };
        house.engine.list_conversations(request).await.expect("lists")
    };
    let all = list(None).await;
    assert_eq!(all.listed[0].title.as_deref(), Some("Fix the login."));
    assert_eq!(all.listed[0].opening.as_deref(), Some("Fix the login. Then the logout."));
    let own = list(Some(&project)).await;
    assert_eq!((own.listed.len(), own.elsewhere), (0, 1), "a conversation without a project is told of");
}
