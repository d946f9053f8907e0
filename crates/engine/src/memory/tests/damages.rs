//! The same ten damages on both stores: each has to give the same report and the same remedy, and what can be mended is
//! mended on both.

use super::generated_conversation::generate_conversation;
use super::{Hands, House};
use crate::base::{Clock, NullObserver};
use crate::memory::{
    ConversationSelection, MemorySettings, RepairEffect, RepairRequest, TierSettings, VerificationProblem,
};
use crate::{Engine, EngineSettings};
use expect_test::{Expect, expect};
use model::{Message, MessagePart, TokenCount};
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::AtomicI64;
use store::Store;
use store::conformance::Vandal;
use store::postgres::{AppRole, PostgresStore};
use store::sqlite::SqliteStore;
use tempfile::TempDir;
use testkit::postgres::PostgresCluster;

const SMALL_SETTINGS: MemorySettings = MemorySettings {
    enabled: true,
    archive_days: None,
    auto_summarize: true,
    tiers: TierSettings::USUAL,
    checkpoints: 10,
    autocompact: true,
    context_tokens: TokenCount(8_000),
    context_threshold: 0.5,
    max_active_messages: None,
    fresh_tail: 2,
    leaf_target_tokens: TokenCount(300),
    condensed_target_tokens: TokenCount(300),
    leaf_chunk_tokens: TokenCount(1_500),
    leaf_fanout: 2,
    condensed_fanout: 2,
    incremental_depth: None,
    expand_tokens: TokenCount(4_000),
    artifact_tokens: TokenCount(3_000),
};

/// The statements, which are the same for both stores.
const DAMAGES: [(&str, &str); 10] = [
    (
        "a summary in the context is gone",
        "DELETE FROM summaries WHERE number = (SELECT summary FROM context_items
           WHERE ordinal = (SELECT min(ordinal) FROM context_items))",
    ),
    ("the state of the context is gone", "DELETE FROM contexts"),
    (
        "an item stands for a summary that never was",
        "UPDATE context_items SET summary = 999999 WHERE ordinal = (SELECT max(ordinal) FROM context_items)",
    ),
    ("a covered summary is gone", "DELETE FROM summaries WHERE number = (SELECT min(covered) FROM summary_covers)"),
    (
        "the text of a summary was changed",
        "UPDATE summaries SET content = 'nothing happened' WHERE number = (SELECT min(summary) FROM context_items)",
    ),
    (
        "a message was changed",
        "UPDATE messages SET content = 'nothing was said' WHERE seq = 3
           AND conversation = (SELECT number FROM conversations WHERE name = 'c')",
    ),
    (
        "a message is gone",
        "DELETE FROM messages WHERE seq = 1 AND conversation = (SELECT number FROM conversations WHERE name = 'large')",
    ),
    ("an artifact is gone", "DELETE FROM artifacts"),
    ("a conversation is gone", "DELETE FROM conversations WHERE name = 'large'"),
    (
        "a fact says something else",
        "UPDATE conversation_facts SET times = times + 7 WHERE fact_id = (SELECT min(fact_id) FROM conversation_facts)",
    ),
];

pub(super) fn engine_on(store: Arc<dyn Store>) -> (Engine, Arc<Hands>) {
    let clock = Arc::new(Hands(AtomicI64::new(1_000_000)));
    let settings = EngineSettings { memory: SMALL_SETTINGS, ..EngineSettings::default() };
    (Engine::new(store, Arc::clone(&clock) as Arc<dyn Clock>, settings), clock)
}

/// A folded conversation, and one with an artifact.
pub(super) async fn fill(store: Arc<dyn Store>) -> House {
    let (engine, clock) = engine_on(store);
    let house = House { engine, clock, home: TempDir::new().expect("a temporary directory") };
    house.told("c", &generate_conversation(1, 12_000)).await;
    let rows: String = (0..2_000).map(|number| format!("row {number}\n")).collect();
    let mut messages: Vec<Message> = generate_conversation(2, 500).talk.messages;
    messages[0].body.parts = vec![MessagePart::Text { text: rows }];
    house.hear("large", &messages).await;
    house.sweep("c").await;
    house
}

/// What is told of a damage, and what is left of it after a repair.
async fn report(engine: &Engine) -> String {
    let mut text = String::new();
    let all = ConversationSelection::All;
    for problem in found(engine).await {
        let remedy = problem.remedy.map_or("-", |remedy| remedy.advice_text());
        let _ = writeln!(text, "{}: {} [{remedy}]", problem.subject, problem.what);
    }
    let request = RepairRequest { which: all.clone(), effect: RepairEffect::Mend };
    match engine.repair(request, &NullObserver).await {
        Ok(repaired) => {
            for problem in repaired.problems {
                let mended = if problem.mended { "mended" } else { "not mended" };
                let _ = writeln!(text, "{mended}: {}", problem.problem.what);
            }
        }
        // The name of the database is in the words.
        Err(error) => {
            let _ = writeln!(text, "no repair: {}", error.code());
        }
    }
    let left = found(engine).await.len();
    let _ = writeln!(text, "left: {left}");
    text
}

async fn found(engine: &Engine) -> Vec<VerificationProblem> {
    let report = engine.verify(&ConversationSelection::All, &NullObserver).await;
    report.expect("damage is no reason to stop").problems
}

/// Ids as their prefixes, and each line once: how much was folded is no matter of this test.
fn mask_ids(report: &str) -> String {
    let ids = regex::Regex::new("(conv|sum|msg|fact|art)_[0-9a-f]{16}").expect("a pattern");
    let numbers = regex::Regex::new("[0-9]+").expect("a pattern");
    let mut lines: Vec<String> = Vec::new();
    for line in report.lines() {
        let line = ids.replace_all(line, "$1").into_owned();
        let line = numbers.replace_all(&line, "N").into_owned();
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines.join("\n")
}

async fn on_sqlite(statement: &str) -> String {
    let home = TempDir::new().expect("a temporary directory");
    let open = || Arc::new(SqliteStore::open(home.path(), home.path()).expect("a store")) as Arc<dyn Store>;
    drop(fill(open()).await);
    let vandal = Vandal::in_folder(home.path());
    vandal.change(statement).await;
    drop(vandal);
    report(&engine_on(open()).0).await
}

async fn on_postgres(url: &str, vandal: &Vandal, statement: &str) -> String {
    vandal.empty_postgres().await;
    let state = TempDir::new().expect("a temporary directory");
    let store = || async {
        let connected = PostgresStore::connect(url, 4).await.expect("connects").anchored_in(state.path());
        Arc::new(connected.for_tenant("team").expect("a name")) as Arc<dyn Store>
    };
    drop(fill(store().await).await);
    vandal.change(statement).await;
    report(&engine_on(store().await).0).await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_damage_gives_the_same_report_and_remedy_on_both_stores() {
    let cluster = PostgresCluster::start();
    let url = PostgresStore::init(cluster.url(), &AppRole::default()).await.expect("makes it ready").url;
    let vandal = Vandal::on_server(cluster.url()).await;
    let mut told = String::new();
    for (name, statement) in DAMAGES {
        let sqlite = on_sqlite(statement).await;
        let postgres = on_postgres(&url, &vandal, statement).await;
        assert_eq!(sqlite, postgres, "{name}");
        let _ = writeln!(told, "{name}\n{}\n", mask_ids(&sqlite));
    }
    let wanted: Expect = expect![[r#"
        a summary in the context is gone
        database: what a summary covers at place N refers to a summary that is not there [restore a backup and keep the damaged file]
        database: item N of the context of conv refers to a summary that is not there [let the messages stand for themselves again]
        database: summaries has N rows, N were stored [-]
        sum: was stored, and is not in summaries [restore a newer backup; where an older one was restored on purpose: epitome verify --accept-restored NAME]
        mended: item N of its context refers to a summary that is not there
        left: N

        the state of the context is gone
        database: item N of the context of conv refers to a context that is not there [let the messages stand for themselves again]
        database: contexts has N rows, N were stored [-]
        mended: item N of its context refers to a context that is not there
        left: N

        an item stands for a summary that never was
        database: item N of the context of conv refers to a summary that is not there [let the messages stand for themselves again]
        database: a row of context_items is not as it was stored [-]
        mended: item N of its context refers to a summary that is not there
        left: N

        a covered summary is gone
        database: what sum covers at place N refers to a summary that is not there [restore a backup and keep the damaged file]
        database: summaries has N rows, N were stored [-]
        sum: its text or what it covers is not what it was made with [restore a backup and keep the damaged file]
        sum: was stored, and is not in summaries [restore a newer backup; where an older one was restored on purpose: epitome verify --accept-restored NAME]
        not mended: its text or what it covers is not what it was made with
        left: N

        the text of a summary was changed
        database: a row of summaries is not as it was stored [-]
        sum: its text or what it covers is not what it was made with [restore a backup and keep the damaged file]
        sum: says N tokens, its text has N [restore a backup and keep the damaged file]
        not mended: its text or what it covers is not what it was made with
        not mended: says N tokens, its text has N
        left: N

        a message was changed
        database: a row of messages is not as it was stored [-]
        msg: its parts do not fit its content [-]
        no repair: damaged
        left: N

        a message is gone
        database: the mention of art in a message refers to a message that is not there [restore a backup and keep the damaged file]
        database: messages has N rows, N were stored [-]
        msg: stands at N but N comes next [-]
        msg: its content is not what was acknowledged [-]
        left: N

        an artifact is gone
        database: the mention of an artifact in msg refers to an artifact that is not there [restore a backup and keep the damaged file]
        database: artifacts has N rows, N were stored [-]
        art: was stored, and is not in artifacts [restore a newer backup; where an older one was restored on purpose: epitome verify --accept-restored NAME]
        left: N

        a conversation is gone
        database: msg refers to a conversation that is not there [restore a backup and keep the damaged file]
        database: conversations has N rows, N were stored [-]
        conv: N messages were acknowledged, and it is not there [restore a newer backup; where an older one was restored on purpose: epitome verify --accept-restored NAME]
        left: N

        a fact says something else
        database: a row of conversation_facts is not as it was stored [-]
        fact: is not what its messages say [take the facts of the conversation from its messages again]
        mended: is not what its messages say
        left: N

    "#]];
    wanted.assert_eq(&told);
}
