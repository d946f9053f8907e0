//! Integration tests of `PostgresStore` under connection loss and server crashes, above all around a COMMIT: nothing
//! is lost or stored twice.

use crate::server::{Server, plain_url};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use store::conformance::sample::{
    build_append, build_batch, build_version, conversation_id, expect_ack, project_id, text_row, text_row_as,
};
use store::postgres::PostgresStore;
use store::{AppendOutcome, CodeStore as _, Error, MemoryStore as _, MessageWindow};
use testkit::postgres::PostgresCluster;
use testkit::proxy::{CommitCut, CommitProxy};
use tokio_postgres::config::Host;

/// A store whose connections can be cut.
async fn behind_proxy(server: &Server) -> (CommitProxy, PostgresStore) {
    let config: tokio_postgres::Config = plain_url(&server.url).parse().expect("it is a URL");
    let Host::Tcp(host) = &config.get_hosts()[0] else { panic!("tests use TCP") };
    let target = format!("{host}:{}", config.get_ports()[0]);
    let proxy = CommitProxy::start(&target);
    let url = server.url.replacen(&target, &proxy.address().to_string(), 1);
    let store = PostgresStore::connect(&url, 2).await.expect("connects");
    (proxy, store)
}

async fn texts(store: &PostgresStore) -> Vec<String> {
    let messages = store.load_messages(&conversation_id("c"), MessageWindow::Last(10_000)).await.expect("reads");
    messages.iter().map(|message| message.body.content()).collect()
}

#[tokio::test]
async fn an_append_cut_off_around_its_commit_is_stored_once() {
    let server = Server::start().await;
    let (proxy, store) = behind_proxy(&server).await;
    for (round, cut) in
        [CommitCut::BeforeCommit, CommitCut::AfterCommit, CommitCut::AfterCommit, CommitCut::BeforeCommit]
            .iter()
            .enumerate()
    {
        // The same words every time, and no ids: only the transaction can tell one round from another.
        proxy.cut_next_commit(*cut);
        let answer =
            store.append_messages(build_append("c", vec![text_row("hi"), text_row("ho")])).await.expect("appends");
        assert!(!proxy.is_armed(), "the connection was cut");
        let seqs: Vec<u64> = answer.iter().map(|appended| expect_ack(appended).seq).collect();
        assert_eq!(seqs, [2 * round as u64 + 1, 2 * round as u64 + 2], "{cut:?}");
        assert!(answer.iter().all(|appended| matches!(appended, AppendOutcome::New(_))));
        assert_eq!(texts(&store).await, ["hi", "ho"].repeat(round + 1), "{cut:?}");
    }
}

/// Somebody else says the same words at the same moment: theirs must not be taken for ours.
#[tokio::test]
async fn equal_words_of_another_writer_are_not_taken_for_ours() {
    let server = Server::start().await;
    let (proxy, store) = behind_proxy(&server).await;
    let other = server.store().await;
    for (round, cut) in [CommitCut::BeforeCommit, CommitCut::AfterCommit].into_iter().cycle().take(6).enumerate() {
        proxy.cut_next_commit(cut);
        let (ours, theirs) = tokio::join!(store.append_messages(build_append("c", vec![text_row("hi")])), async {
            // Between our lost attempt and our next one.
            while proxy.is_armed() {
                tokio::task::yield_now().await;
            }
            other.append_messages(build_append("c", vec![text_row("hi")])).await
        });
        let ours = ours.expect("appends");
        let theirs = theirs.expect("appends");
        let mut seqs = [expect_ack(&ours[0]).seq, expect_ack(&theirs[0]).seq];
        seqs.sort_unstable();
        assert_eq!(seqs, [2 * round as u64 + 1, 2 * round as u64 + 2], "{cut:?}");
        assert_eq!(texts(&store).await.len(), 2 * round + 2);
    }
}

#[tokio::test]
async fn a_batch_cut_off_around_its_commit_is_there_once() {
    let server = Server::start().await;
    let (proxy, store) = behind_proxy(&server).await;
    let worktree = store.open_worktree(&project_id("p"), "/one").await.expect("opens").id;
    for (round, cut) in [CommitCut::AfterCommit, CommitCut::BeforeCommit].into_iter().enumerate() {
        proxy.cut_next_commit(cut);
        let text = format!("round {round}");
        store.write_files(&worktree, build_batch(vec![build_version("a.rs", &text, 2)], &["t"])).await.expect("writes");
        assert!(!proxy.is_armed(), "the connection was cut");
        proxy.cut_next_commit(cut);
        store.finish_index(&worktree, model::Timestamp(1)).await.expect("finishes");
        let files = store.worktree_files(&worktree).await.expect("reads");
        assert_eq!((files.len(), files[0].hash), (1, build_version("a.rs", &text, 0).hash));
        assert_eq!(store.load_segments(&worktree).await.expect("reads").len(), 1, "finishing drops what a retry left");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn backends_that_are_terminated_lose_nothing() {
    let server = Server::start().await;
    let store = server.store().await;
    let admin = server.admin().await;
    let terminate = async {
        // Not more often than an append is tried, so that none can be hit every time.
        for _ in 0..6 {
            tokio::time::sleep(Duration::from_millis(50)).await;
            let sql = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                       WHERE usename = 'epitome_app' AND datname = current_database()";
            admin.batch_execute(sql).await.expect("terminates");
        }
    };
    let write = async {
        let callers = (0..6).map(|caller| {
            let store = &store;
            async move {
                for number in 0..12 {
                    let rows = (0..5).map(|row| text_row(&format!("{caller}/{number}/{row}"))).collect();
                    store.append_messages(build_append("c", rows)).await.expect("appends");
                }
            }
        });
        futures::future::join_all(callers).await;
    };
    tokio::join!(terminate, write);
    let mut found = texts(&store).await;
    found.sort_unstable();
    let mut wanted: Vec<String> = (0..6)
        .flat_map(|caller| (0..12).flat_map(move |number| (0..5).map(move |row| format!("{caller}/{number}/{row}"))))
        .collect();
    wanted.sort_unstable();
    assert_eq!(found, wanted);
}

#[tokio::test]
async fn what_was_acknowledged_survives_a_crash_of_the_server() {
    let server = Server::on(PostgresCluster::start_durable()).await;
    let store = server.store().await;
    for round in 1..=3 {
        store.append_messages(build_append("c", vec![text_row("hi"), text_row("ho")])).await.expect("appends");
        server.cluster.crash_restart();
        assert_eq!(texts(&store).await.len(), 2 * round, "the pool finds its way back");
    }
}

/// The machine of the database is lost, and the standby takes its place while writers are at work.
#[tokio::test(flavor = "multi_thread")]
async fn a_standby_that_takes_over_has_everything_that_was_acknowledged() {
    let access = "host all all 127.0.0.1/32 trust\nhost replication all 127.0.0.1/32 trust\n";
    let server = Server::on(PostgresCluster::start_configured("", access)).await;
    let standby = tokio::task::block_in_place(|| server.cluster.start_standby());
    let admin = server.admin().await;
    admin.batch_execute("ALTER SYSTEM SET synchronous_standby_names = '*'").await.expect("sets");
    admin.batch_execute("SELECT pg_reload_conf()").await.expect("reads it");
    let waits = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'";
    while admin.query_one(waits, &[]).await.expect("asks").get::<_, i64>(0) == 0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let host = |url: &str| url.split_once('@').and_then(|(_, rest)| rest.split_once('/')).expect("a URL").0.to_owned();
    let (first, second) = (host(server.cluster.url()), host(standby.url()));
    let url = server.url.replacen(&first, &format!("{first},{second}"), 1) + "&target_session_attrs=read-write";
    let store = PostgresStore::connect(&url, 4).await.expect("connects");
    let acknowledged = Arc::new(AtomicUsize::new(0));
    let is_promoted = Arc::new(AtomicBool::new(false));
    let writers = (0..4).map(|writer| {
        let store = store.for_tenant("default").expect("a name");
        let (acknowledged, is_promoted) = (Arc::clone(&acknowledged), Arc::clone(&is_promoted));
        tokio::spawn(async move {
            let (mut told, mut behind) = (Vec::new(), 0);
            while behind < 5 {
                behind += usize::from(is_promoted.load(Ordering::Relaxed));
                let text = format!("{writer}/{}", told.len());
                // On a busy machine the standby may take longer than a store waits: the caller sends the same again.
                while let Err(error) = store.append_messages(build_append("c", vec![text_row_as(&text, &text)])).await {
                    assert!(matches!(error, Error::Unavailable { .. } | Error::Busy { .. }), "{error:?}");
                }
                told.push(text);
                acknowledged.fetch_add(1, Ordering::Relaxed);
            }
            told
        })
    });
    let writers: Vec<_> = writers.collect();
    while acknowledged.load(Ordering::Relaxed) < 40 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    tokio::task::block_in_place(|| {
        server.cluster.crash();
        standby.promote();
    });
    is_promoted.store(true, Ordering::Relaxed);
    let told = futures::future::try_join_all(writers).await.expect("every writer goes on");
    let (mut told, mut found) = (told.concat(), texts(&store).await);
    told.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, told);
    assert_eq!(store.check_canonical().await.expect("checks"), []);
}

/// The administrator's default does not matter: what is acknowledged is on the disk.
#[tokio::test]
async fn an_append_waits_for_the_disk_and_an_index_does_not() {
    let server = Server::start().await;
    let database: tokio_postgres::Config = plain_url(&server.url).parse().expect("it is a URL");
    let spy = format!(
        "CREATE TABLE public.seen (setting TEXT);
         CREATE FUNCTION public.note() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER AS
           $$ BEGIN INSERT INTO public.seen VALUES (TG_TABLE_NAME || ' ' || current_setting('synchronous_commit'));
              RETURN NULL; END $$;
         CREATE TRIGGER note AFTER INSERT ON epitome.messages FOR EACH ROW EXECUTE FUNCTION public.note();
         CREATE TRIGGER note AFTER INSERT ON epitome.facts FOR EACH ROW EXECUTE FUNCTION public.note();
         ALTER DATABASE {} SET synchronous_commit = off",
        database.get_dbname().expect("it names a database")
    );
    let admin = server.admin().await;
    admin.batch_execute(&spy).await.expect("sets a spy");
    let store = server.store().await;
    store.append_messages(build_append("c", vec![text_row("hi")])).await.expect("appends");
    let worktree = store.open_worktree(&project_id("p"), "/one").await.expect("opens").id;
    store.write_files(&worktree, build_batch(vec![build_version("a.rs", "a", 1)], &[])).await.expect("writes");
    let seen = admin.query("SELECT setting FROM public.seen", &[]).await.expect("asks");
    let seen: Vec<String> = seen.iter().map(|row| row.get(0)).collect();
    assert_eq!(seen, ["messages on", "facts off"]);
}

#[tokio::test]
async fn a_writer_that_waits_too_long_says_busy() {
    let server = Server::start().await;
    let store = server.store().await;
    let mut admin = server.admin().await;
    let lock = admin.transaction().await.expect("begins");
    lock.batch_execute("LOCK TABLE epitome.messages IN ACCESS EXCLUSIVE MODE").await.expect("locks");
    let error = store.append_messages(build_append("c", vec![text_row("hi")])).await.expect_err("somebody holds it");
    assert!(matches!(error, Error::Busy { .. }), "{error:?}");
    lock.rollback().await.expect("lets go");
    store.append_messages(build_append("c", vec![text_row("hi")])).await.expect("nobody holds it");
    assert_eq!(texts(&store).await, ["hi"]);
}

/// A caller may lose interest at any moment.
#[tokio::test]
async fn an_append_that_is_dropped_is_there_whole_or_not_at_all() {
    let server = Server::start().await;
    let store = server.store().await;
    for millis in 0..20 {
        let rows = (0..20).map(|_| text_row("hi")).collect();
        let append = store.append_messages(build_append("c", rows));
        drop(tokio::time::timeout(Duration::from_millis(millis), append).await);
        let found = texts(&store).await.len();
        assert!(found.is_multiple_of(20), "{found}");
    }
    store
        .append_messages(build_append("c", vec![text_row("still")]))
        .await
        .expect("the connections are as good as before");
}
