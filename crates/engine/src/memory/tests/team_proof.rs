//! What `verify` finds out on PostgreSQL when somebody with the database itself changes it past every protection, with
//! counters that match: nothing of it may be called sound.

use super::damages::{engine_on, fill};
use crate::base::NullObserver;
use crate::memory::ConversationSelection;
use model::{
    ContentHash, EdgeKind, EntityKind, EntityLinkStatement, EntityState, EntityStatement, ProjectId, Timestamp,
};
use std::sync::Arc;
use store::conformance::Vandal;
use store::postgres::{AppRole, PostgresStore};
use store::{EntityStatements, Store};
use tempfile::TempDir;
use testkit::postgres::PostgresCluster;

/// What is done, and a statement that does it; `TENANT` stands for the tenant it is done to.
const TAMPERINGS: [(&str, &str); 24] = [
    (
        "the last messages are cut off",
        "WITH c AS (SELECT number, message_count - 3 AS last FROM conversations WHERE name = 'c' AND tenant_id = TENANT),
           gone AS (DELETE FROM messages m USING c WHERE m.conversation = c.number AND m.seq > c.last
             RETURNING m.number, m.token_count),
           parts AS (DELETE FROM message_parts WHERE message IN (SELECT number FROM gone))
         UPDATE conversations SET message_count = c.last,
           head_hash = (SELECT chain_hash FROM messages m WHERE m.conversation = c.number AND m.seq = c.last),
           token_count = token_count - (SELECT sum(gone.token_count) FROM gone)
         FROM c WHERE conversations.number = c.number",
    ),
    (
        "a conversation is deleted with all of its rows",
        "WITH gone AS (DELETE FROM conversations WHERE name = 'c' AND tenant_id = TENANT RETURNING number),
           contexts AS (DELETE FROM contexts WHERE conversation IN (SELECT number FROM gone)),
           items AS (DELETE FROM context_items WHERE conversation IN (SELECT number FROM gone)),
           facts AS (DELETE FROM conversation_facts WHERE conversation IN (SELECT number FROM gone)),
           covers AS (DELETE FROM summary_covers WHERE tenant_id = TENANT),
           summaries AS (DELETE FROM summaries WHERE conversation IN (SELECT number FROM gone))
         DELETE FROM messages WHERE conversation IN (SELECT number FROM gone)",
    ),
    (
        "a message happened at another time",
        "UPDATE messages SET at_instant = coalesce(at_instant, 0) + 60000 WHERE seq = 2 AND tenant_id = TENANT",
    ),
    (
        "a message was stored at another time",
        "UPDATE messages SET stored_at = stored_at + 60000 WHERE seq = 2 AND tenant_id = TENANT",
    ),
    (
        "a message has other tokens, and so has its conversation",
        "WITH more AS (UPDATE messages SET token_count = token_count + 5 WHERE seq = 2 AND tenant_id = TENANT
           RETURNING conversation)
         UPDATE conversations SET token_count = token_count + 5 WHERE number IN (SELECT conversation FROM more)",
    ),
    (
        "a message has another link",
        "UPDATE messages SET chain_hash = sha256(chain_hash) WHERE seq = 2 AND tenant_id = TENANT",
    ),
    (
        "the hash of a message is zeroed",
        "UPDATE messages SET content_hash = decode(repeat('00', 32), 'hex') WHERE seq = 2 AND tenant_id = TENANT",
    ),
    (
        "a message is by somebody else",
        "UPDATE messages SET speaker = 'mallory' WHERE seq = 2 AND tenant_id = TENANT",
    ),
    ("an artifact is deleted while a message names it", "DELETE FROM artifacts WHERE tenant_id = TENANT"),
    (
        "an artifact is deleted with what names it",
        "WITH mentions AS (DELETE FROM message_artifacts WHERE tenant_id = TENANT)
         DELETE FROM artifacts WHERE tenant_id = TENANT",
    ),
    (
        "summaries are deleted with their places in the context",
        "WITH items AS (DELETE FROM context_items WHERE tenant_id = TENANT),
           covers AS (DELETE FROM summary_covers WHERE tenant_id = TENANT)
         DELETE FROM summaries WHERE tenant_id = TENANT",
    ),
    ("the key of placeholders is another one", "UPDATE scrub_keys SET key = sha256(key) WHERE tenant_id = TENANT"),
    ("the key of placeholders is gone", "DELETE FROM scrub_keys WHERE tenant_id = TENANT"),
    (
        "a conversation has another name",
        "UPDATE conversations SET name = 'd' WHERE name = 'c' AND tenant_id = TENANT",
    ),
    (
        "a conversation has another title",
        "UPDATE conversations SET title = 'Another title' WHERE name = 'c' AND tenant_id = TENANT",
    ),
    ("a conversation is archived", "UPDATE conversations SET state = 'archived' WHERE name = 'c' AND tenant_id = TENANT"),
    (
        "a conversation was begun at another time",
        "UPDATE conversations SET created_at = created_at - 1 WHERE name = 'c' AND tenant_id = TENANT",
    ),
    ("facts are deleted", "DELETE FROM conversation_facts WHERE tenant_id = TENANT"),
    (
        "a fact has another subject",
        "UPDATE conversation_facts SET subject = subject || ' not' WHERE tenant_id = TENANT",
    ),
    ("an artifact has another summary", "UPDATE artifacts SET summary = 'nothing' WHERE tenant_id = TENANT"),
    ("an artifact has another name", "UPDATE artifacts SET name = 'other.txt' WHERE tenant_id = TENANT"),
    (
        "words of a message cannot be searched for",
        "DELETE FROM message_terms WHERE tenant_id = TENANT",
    ),
    ("an entity says something else", "UPDATE entities SET content = 'nothing' WHERE tenant_id = TENANT"),
    ("a link leads elsewhere", "UPDATE entity_links SET target = source WHERE tenant_id = TENANT"),
];

#[tokio::test(flavor = "multi_thread")]
async fn every_tampering_is_told() {
    let cluster = PostgresCluster::start();
    let url = PostgresStore::init(cluster.url(), &AppRole::default()).await.expect("makes it ready").url;
    let vandal = Vandal::on_server(cluster.url()).await;
    let state = TempDir::new().expect("a temporary directory");
    let connected = PostgresStore::connect(&url, 4).await.expect("connects").anchored_in(state.path());
    // A tenant for each: their rows do not meet.
    let open = |tenant: &str| Arc::new(connected.for_tenant(tenant).expect("a name")) as Arc<dyn Store>;
    let mut missed = Vec::new();
    for (number, (name, statement)) in TAMPERINGS.iter().enumerate() {
        let tenant = format!("team-{number}");
        let store = open(&tenant);
        drop(fill(Arc::clone(&store)).await);
        store.write_entities(stated()).await.expect("writes");
        store.scrub_key().await.expect("a key");
        let before = engine_on(open(&tenant)).0.verify(&ConversationSelection::All, &NullObserver).await;
        assert_eq!(before.expect("verifies").problems.len(), 0, "before: {name}");
        vandal.change(&statement.replace("TENANT", &format!("'{tenant}'"))).await;
        let after = engine_on(open(&tenant)).0.verify(&ConversationSelection::All, &NullObserver).await;
        if after.is_ok_and(|report| report.problems.is_empty()) {
            missed.push(*name);
        }
    }
    assert_eq!(missed, [""; 0]);
}

fn stated() -> EntityStatements {
    let project = ProjectId::from_hash(ContentHash::hash_bytes(b"p"));
    let entity = |name: &str| EntityStatement {
        project: project.clone(),
        state: EntityState::Stated,
        kind: EntityKind::Concept,
        name: name.to_owned(),
        content: Some("opens at eight".to_owned()),
        summary: None,
        metadata: None,
        file: None,
        at: Timestamp(5),
    };
    let link = |source: &str, target: &str| EntityLinkStatement {
        project: project.clone(),
        state: EntityState::Stated,
        source: source.to_owned(),
        target: target.to_owned(),
        relationship: EdgeKind::DependsOn,
        weight: 70,
        metadata: None,
        at: Timestamp(6),
    };
    EntityStatements { entities: vec![entity("gate"), entity("door")], links: vec![link("a", "b"), link("b", "a")] }
}

/// What is done to entities, and the table that something is missing from.
const ENTITY_TAMPERINGS: [(&str, &str); 8] = [
    ("DELETE FROM entities WHERE name = 'gate' AND tenant_id = TENANT", "entities"),
    (
        "DELETE FROM entities WHERE number = (SELECT max(number) FROM entities WHERE tenant_id = TENANT)
           AND tenant_id = TENANT",
        "entities",
    ),
    ("UPDATE entities SET content = 'opens at nine' WHERE name = 'gate' AND tenant_id = TENANT", "entities"),
    ("UPDATE entities SET state = 'removed' WHERE name = 'gate' AND tenant_id = TENANT", "entities"),
    ("UPDATE entities SET stated_at = stated_at + 1 WHERE name = 'gate' AND tenant_id = TENANT", "entities"),
    ("DELETE FROM entity_links WHERE source = 'a' AND tenant_id = TENANT", "entity_links"),
    ("UPDATE entity_links SET weight = 1 WHERE source = 'a' AND tenant_id = TENANT", "entity_links"),
    ("UPDATE entity_links SET metadata = '{}' WHERE source = 'a' AND tenant_id = TENANT", "entity_links"),
];

/// The database with its sums fits together, as after a rollback of the server: only what lies outside of it knows more.
#[tokio::test(flavor = "multi_thread")]
async fn entities_that_are_gone_are_named_although_the_sums_fit() {
    let cluster = PostgresCluster::start();
    let url = PostgresStore::init(cluster.url(), &AppRole::default()).await.expect("makes it ready").url;
    let vandal = Vandal::on_server(cluster.url()).await;
    let state = TempDir::new().expect("a temporary directory");
    let connected = PostgresStore::connect(&url, 4).await.expect("connects");
    let all = ConversationSelection::All;
    for (number, (statement, table)) in ENTITY_TAMPERINGS.into_iter().enumerate() {
        let tenant = format!("team-{number}");
        let of_tenant = connected.for_tenant(&tenant).expect("a name");
        let anchored: Arc<dyn Store> = Arc::new(of_tenant.clone().anchored_in(state.path()));
        anchored.write_entities(stated()).await.expect("writes");
        let (engine, _) = engine_on(anchored);
        let whole = engine.verify(&all, &NullObserver).await.expect("verifies");
        assert_eq!((whole.problems.len(), whole.caught_up), (0, 0), "{statement}: {:?}", whole.problems);
        let tenant = format!("'{tenant}'");
        vandal.change(&statement.replace("TENANT", &tenant)).await;
        let recount = "WITH gone AS (DELETE FROM table_sums WHERE tenant_id = TENANT)
            INSERT INTO table_sums (tenant_id, table_name, row_count, digest)
              SELECT c.tenant_id, c.table_name, c.row_count, c.digest FROM count_rows(TENANT) c";
        vandal.change(&recount.replace("TENANT", &tenant)).await;
        let wanted = format!("was stored, and is not in {table}");
        let told = |report: crate::memory::VerifyReport| {
            let told: Vec<String> = report.problems.into_iter().map(|problem| problem.what).collect();
            assert!(told.contains(&wanted), "{statement}: {told:?}");
        };
        told(engine.verify(&all, &NullObserver).await.expect("verifies"));
        // A machine that never saw the tenant knows it from a statement that was kept elsewhere.
        let (elsewhere, _) = engine_on(Arc::new(of_tenant));
        let blind = elsewhere.verify(&all, &NullObserver).await.expect("verifies");
        assert_eq!(blind.problems.len(), 0, "{statement}: the sums fit: {:?}", blind.problems);
        told(elsewhere.verify_expecting(&all, &whole.statement, &NullObserver).await.expect("verifies"));
    }
}
