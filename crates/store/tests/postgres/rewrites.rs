//! Integration tests of purging and forgetting on PostgreSQL: who may do it, which rows it reaches, and what the
//! application's role still may not do. What both stores promise is in the conformance suite.

use crate::server::{Server, connect, in_database};
use store::conformance::sample::{build_append, conversation_id, project_id, text_row};
use store::postgres::{AppRole, PostgresStore};
use store::{
    AppendBatch, Error, MemoryStore as _, MessageRewrite, MessageWindow, RewriteStore as _, Store, StoreRewrite,
};
use testkit::postgres::PostgresCluster;

use model::{Timestamp, TokenCount};

async fn load_texts(store: &dyn Store) -> Vec<String> {
    let window = MessageWindow::After { seq: 0, limit: 10 };
    let messages = store.load_messages(&conversation_id("c"), window).await.expect("reads");
    messages.iter().map(|message| message.body.content()).collect()
}

/// Replaces the words of the first message.
async fn purge_first(store: &PostgresStore) -> Result<(), Error> {
    let window = MessageWindow::After { seq: 0, limit: 1 };
    let message = store.load_messages(&conversation_id("c"), window).await?.pop().expect("there is one");
    let (before, mut body) = (message.body.content_hash(), message.body);
    body.parts = text_row("[secret]").body.parts;
    let message = MessageRewrite { conversation: message.conversation, seq: 1, before, body, tokens: TokenCount(1) };
    let rewrite = StoreRewrite { messages: vec![message], ..StoreRewrite::default() };
    store.rewrite_texts(rewrite, Timestamp(5)).await.map(drop)
}

async fn fill(store: &PostgresStore) {
    let append = AppendBatch { project: Some(project_id("p")), ..build_append("c", vec![text_row("the quince")]) };
    store.append_messages(append).await.expect("appends");
}

#[tokio::test]
async fn without_the_owner_nothing_is_changed_and_the_refusal_says_what_to_give() {
    let server = Server::start().await;
    let store = server.store().await;
    fill(&store).await;
    let refused = purge_first(&store).await.expect_err("it is refused").to_string();
    assert!(refused.contains("database.owner_url"), "{refused}");
    let refused = store.forget_project(&project_id("p"), Timestamp(5)).await.expect_err("it is refused").to_string();
    assert!(refused.contains("EPITOME_DATABASE_OWNER_URL"), "{refused}");
    assert_eq!(load_texts(&store).await, ["the quince"]);
}

/// A superuser is not bound by row-level security; what it changes here stays within the tenant all the same.
#[tokio::test]
async fn another_tenant_with_the_same_conversation_and_project_is_not_touched() {
    let server = Server::start().await;
    let store = server.owned_store().await;
    let (ours, theirs) = (store.for_tenant("ours").expect("a name"), store.for_tenant("theirs").expect("a name"));
    fill(&ours).await;
    fill(&theirs).await;
    purge_first(&ours).await.expect("purges");
    assert_eq!(
        (load_texts(&ours).await, load_texts(&theirs).await),
        (vec!["[secret]".to_owned()], vec!["the quince".to_owned()])
    );
    ours.forget_project(&project_id("p"), Timestamp(6)).await.expect("forgets");
    assert_eq!((load_texts(&ours).await.len(), load_texts(&theirs).await), (0, vec!["the quince".to_owned()]));
    assert_eq!(theirs.list_rewrites().await.expect("lists"), []);
    assert_eq!(ours.list_rewrites().await.expect("lists").len(), 2);
    for store in [&ours, &theirs] {
        assert_eq!(store.check_canonical().await.expect("checks"), []);
    }
}

/// A managed database has no superuser for its customers: the owner may make roles, and no more.
#[tokio::test]
async fn an_owner_that_is_no_superuser_can_purge() {
    let cluster = PostgresCluster::start();
    let admin = connect(cluster.url()).await;
    let name = format!("epitome_owned_{}", std::process::id());
    let make = format!(
        "CREATE ROLE {name} LOGIN CREATEROLE;
         CREATE DATABASE {name} OWNER {name}"
    );
    for statement in make.split(';') {
        admin.batch_execute(statement).await.expect("makes an owner and a database");
    }
    let owner = in_database(cluster.url(), &name).replacen("postgres@", &format!("{name}@"), 1);
    // The role belongs to the whole server, so each of these databases has one of its own.
    let role = AppRole { name: format!("{name}_app"), password: None };
    let ready = PostgresStore::init(&owner, &role).await.expect("makes it ready");
    let store = PostgresStore::connect(&ready.url, 2).await.expect("connects").with_owner(&owner).expect("a URL");
    fill(&store).await;
    purge_first(&store).await.expect("purges");
    assert_eq!(load_texts(&store).await, ["[secret]"]);
    store.erase_freed_pages().await.expect("frees pages");
    assert_eq!(store.check_canonical().await.expect("checks"), []);
}

#[tokio::test]
async fn the_application_may_neither_change_messages_nor_become_the_role_that_may() {
    let server = Server::start().await;
    fill(&server.store().await).await;
    let client = server.tenant_client("default").await;
    for statement in [
        "SET ROLE epitome_app_rewrite",
        "SET epitome.rewriting = 'on'; UPDATE epitome.messages SET content = 'other'",
        "SET epitome.rewriting = 'on'; DELETE FROM epitome.message_parts",
        "SET epitome.rewriting = 'loading'; DELETE FROM epitome.scrub_keys",
        "UPDATE epitome.rewrites SET reason = 'purged'",
    ] {
        let refused = client.batch_execute(statement).await.expect_err("it is refused");
        assert_eq!(refused.code().map(tokio_postgres::error::SqlState::code), Some("42501"), "{statement}: {refused}");
    }
    // The owner is stopped by the triggers unless it says what it does, and by records of it in any case.
    let admin = server.admin().await;
    let statements = ["UPDATE epitome.messages SET content = 'other'", "TRUNCATE epitome.messages CASCADE"];
    for statement in statements {
        admin.batch_execute(statement).await.expect_err("the trigger refuses it");
    }
    purge_first(&server.owned_store().await).await.expect("purges");
    let sql = "SET epitome.rewriting = 'on'; DELETE FROM epitome.rewrites";
    admin.batch_execute(sql).await.expect_err("what was purged stays on record");
}

#[tokio::test]
async fn a_role_that_may_change_messages_is_named() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let make = "DROP ROLE IF EXISTS epitome_meddler; CREATE ROLE epitome_meddler LOGIN;
                GRANT epitome_app_rewrite TO epitome_meddler";
    admin.batch_execute(make).await.expect("makes a role");
    let faults = server.store().await.check_canonical().await.expect("checks");
    let faults: Vec<&str> = faults.iter().map(|fault| fault.what.as_str()).collect();
    assert_eq!(faults, ["role epitome_meddler may change messages"]);
    admin.batch_execute("DROP ROLE epitome_meddler").await.expect("drops it");
}

/// Two machines have an anchor each; a purge on one of them is no loss to the other.
#[tokio::test]
async fn an_anchor_elsewhere_learns_of_purges_from_the_database() {
    let server = Server::start().await;
    let elsewhere = tempfile::TempDir::new().expect("a folder");
    let here = server.owned_store().await;
    let there = here.clone().anchored_in(elsewhere.path());
    fill(&here).await;
    there.append_messages(build_append("c", vec![text_row("from there")])).await.expect("appends");
    purge_first(&here).await.expect("purges");
    there.append_messages(build_append("c", vec![text_row("goes on")])).await.expect("appends");
    let conversation = here.load_conversation(&conversation_id("c")).await.expect("reads").expect("is there");
    let (messages, head) = (conversation.messages, conversation.head.0.to_string());
    for store in [&here, &there] {
        let mut log = store::AnchorStore::read_anchor(store).await.expect("reads");
        for removal in store::AnchorStore::list_removals(store).await.expect("lists") {
            log.apply_removal(&removal);
        }
        let links = &log.conversations[conversation_id("c").as_str()];
        assert!(links.get(&messages).is_none_or(|known| known.iter().eq([&head])), "{links:?}");
        assert!(links.values().all(|known| known.len() == 1), "{links:?}");
    }
}
