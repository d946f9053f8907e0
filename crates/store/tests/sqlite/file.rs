//! Integration tests of what `SqliteStore` promises about its database files: versions, damage, permissions, and
//! durability when processes share a file or are killed.

use crate::children;
use rusqlite::Connection;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;
use store::conformance::sample::{build_append, build_batch, build_version, conversation_id, project_id, text_row};
use store::sqlite::SqliteStore;
use store::{
    CodeStore as _, Error, Fence, FoldStore as _, MemoryStore as _, MessageWindow, Result, VectorSpace,
    VectorStore as _,
};
use tempfile::TempDir;

fn home() -> TempDir {
    TempDir::new().expect("the temporary directory is writable")
}

fn open(home: &Path) -> Result<SqliteStore> {
    SqliteStore::open_anchored(&home.join("data"), &home.join("cache"), &home.join("state"))
}

/// A home with one message and one indexed file, closed again; its canonical and its index database.
async fn filled(home: &Path) -> (PathBuf, PathBuf) {
    let store = open(home).expect("opens");
    store.append_messages(build_append("c", vec![text_row("hi")])).await.expect("appends");
    let worktree = store.open_worktree(&project_id("p"), "/one").await.expect("opens").id;
    store.write_files(&worktree, build_batch(vec![build_version("a.rs", "a", 1)], &["t"])).await.expect("writes");
    (home.join("data/epitome.db"), home.join(format!("cache/index/{}.db", project_id("p"))))
}

fn refused<T>(outcome: Result<T>) -> Error {
    outcome.err().expect("it is refused")
}

#[tokio::test]
async fn a_database_of_a_newer_version_is_refused() {
    let home = home();
    let (canonical, index) = filled(home.path()).await;
    for database in [&canonical, &index] {
        Connection::open(database).expect("opens").pragma_update(None, "user_version", 99).expect("it is a database");
    }
    let check = |error: Error, database: &Path| {
        let wanted =
            format!("cannot open {}: written by a newer version (schema 99, this one knows ", database.display());
        assert!(error.to_string().starts_with(&wanted), "{error}");
    };
    check(refused(open(home.path())), &canonical);

    let other = TempDir::new().expect("the temporary directory is writable");
    let store = SqliteStore::open(other.path(), &home.path().join("cache")).expect("opens");
    check(refused(store.open_worktree(&project_id("p"), "/one").await), &index);
}

#[tokio::test]
async fn a_newer_version_that_takes_the_database_over_is_left_alone_while_we_run() {
    let home = home();
    let (canonical, index) = filled(home.path()).await;
    let store = open(home.path()).expect("opens");
    let worktree = store.open_worktree(&project_id("p"), "/one").await.expect("opens").id;
    store.append_messages(build_append("c", vec![text_row("before")])).await.expect("appends");
    let set_version = |version: u32| {
        for database in [&canonical, &index] {
            let newer = Connection::open(database).expect("opens");
            newer.pragma_update(None, "user_version", version).expect("it is a database");
        }
    };
    let version = |database: &Path| {
        let asked = Connection::open(database).expect("opens");
        asked.pragma_query_value(None, "user_version", |row| row.get::<_, u32>(0)).expect("a version")
    };
    let (own, own_index) = (version(&canonical), version(&index));
    set_version(99);
    let outcomes = [
        store.append_messages(build_append("c", vec![text_row("after")])).await.map(drop),
        store.load_messages(&conversation_id("c"), MessageWindow::Last(9)).await.map(drop),
        store.worktree_files(&worktree).await.map(drop),
        store.write_files(&worktree, build_batch(vec![build_version("b.rs", "b", 1)], &["t"])).await.map(drop),
    ];
    for outcome in outcomes {
        let error = refused(outcome);
        assert!(matches!(&error, Error::Newer { found: 99, .. }), "{error:?}");
    }
    for (database, version) in [(&canonical, own), (&index, own_index)] {
        let back = Connection::open(database).expect("opens");
        back.pragma_update(None, "user_version", version).expect("it is a database");
    }
    let found = store.load_messages(&conversation_id("c"), MessageWindow::Last(9)).await.expect("reads");
    assert_eq!(found.len(), 2, "what was refused is not there");
}

#[tokio::test]
async fn a_file_that_is_no_database_is_refused_and_kept() {
    let home = home();
    let database = home.path().join("data/epitome.db");
    fs_err::create_dir_all(home.path().join("data")).expect("the home is ours");
    let letter = "dear diary, ".repeat(1_000);
    fs_err::write(&database, &letter).expect("the home is ours");
    let error = refused(open(home.path()));
    assert!(matches!(&error, Error::Corrupt { .. }), "{error:?}");
    assert_eq!(error.to_string(), format!("{} is damaged: file is not a database", database.display()));
    assert_eq!(fs_err::read_to_string(&database).expect("it is still there"), letter);
}

#[tokio::test]
async fn damage_inside_is_found() {
    let home = home();
    let (canonical, _) = filled(home.path()).await;
    let mut bytes = fs_err::read(&canonical).expect("reads");
    let pages = bytes.len() / 4096;
    assert!(pages > 8, "the schema alone takes {pages} pages");
    // Not the first page, which says what the file is, and no page whole, so that something of each still looks right.
    for page in 1..pages {
        bytes[page * 4096..][..64].fill(0xa5);
    }
    fs_err::write(&canonical, bytes).expect("writes");
    let found = match open(home.path()) {
        Ok(store) => store.check_canonical().await,
        Err(error) => Err(error),
    };
    match found {
        Ok(faults) => assert_ne!(faults, []),
        Err(error) => assert!(matches!(error, Error::Corrupt { .. }), "{error}"),
    }
}

#[tokio::test]
async fn a_row_without_what_it_belongs_to_is_found() {
    let home = home();
    let (canonical, _) = filled(home.path()).await;
    let vandalism = "PRAGMA foreign_keys = off;
                     INSERT INTO quarantine VALUES (99, 0, 0, 0, '')";
    Connection::open(canonical).expect("opens").execute_batch(vandalism).expect("inserts");
    let faults = open(home.path()).expect("opens").check_canonical().await.expect("checks");
    let words: Vec<_> = faults.iter().map(|fault| fault.what.as_str()).collect();
    let wanted =
        ["line 0 in quarantine refers to a transcript that is not there", "quarantine has 1 rows, 0 were stored"];
    assert_eq!(words, wanted);
}

#[tokio::test]
async fn a_damaged_index_starts_anew() {
    let home = home();
    let (_, index) = filled(home.path()).await;
    fs_err::write(&index, "dear diary, ".repeat(1_000)).expect("the home is ours");
    let store = open(home.path()).expect("opens");
    let worktree = store.open_worktree(&project_id("p"), "/one").await.expect("opens");
    assert_eq!(worktree.state, store::IndexState::NotReady);
    store.write_files(&worktree.id, build_batch(vec![build_version("a.rs", "a", 1)], &["t"])).await.expect("writes");
}

#[tokio::test]
async fn an_index_of_an_older_version_starts_anew() {
    let home = home();
    let (_, index) = filled(home.path()).await;
    fs_err::remove_file(&index).expect("the home is ours");
    let older = "CREATE TABLE worktrees (number INTEGER PRIMARY KEY, root TEXT); PRAGMA user_version = 1";
    Connection::open(&index).expect("opens").execute_batch(older).expect("it is a database");
    let store = open(home.path()).expect("opens");
    let worktree = store.open_worktree(&project_id("p"), "/one").await.expect("opens");
    store.write_files(&worktree.id, build_batch(vec![build_version("a.rs", "a", 1)], &["t"])).await.expect("writes");
}

/// The canonical schema before conversations had titles, times and states.
const BEFORE_SESSIONS: [&str; 6] = [
    include_str!("../../migrations/sqlite/canonical/0001_initial.sql"),
    include_str!("../../migrations/sqlite/canonical/0002_ledger.sql"),
    include_str!("../../migrations/sqlite/canonical/0003_archive.sql"),
    include_str!("../../migrations/sqlite/canonical/0004_folds.sql"),
    include_str!("../../migrations/sqlite/canonical/0005_feedback.sql"),
    include_str!("../../migrations/sqlite/canonical/0006_no_terms.sql"),
];

#[tokio::test]
async fn conversations_of_an_older_version_get_their_titles_and_times() {
    let home = home();
    fs_err::create_dir_all(home.path().join("data")).expect("the home is ours");
    let older = Connection::open(home.path().join("data/epitome.db")).expect("opens");
    for step in BEFORE_SESSIONS {
        older.execute_batch(step).expect("a step");
    }
    let id = conversation_id("c");
    // The last message says a time of the next century.
    let rows = format!(
        "INSERT INTO conversations VALUES (1, '{id}', 'c', NULL, 3, 3, zeroblob(32), 1767225600000);
         INSERT INTO messages (message_id, conversation, seq, role, at_text, at_instant, content, token_count,
           content_hash, chain_hash, stored_at)
         VALUES ('msg_1', 1, 1, 'user', 'a', 1767225000000, 'a', 1, zeroblob(32), zeroblob(32), 1767225600000),
           ('msg_2', 1, 2, 'user', 'b', 1767225300000, 'b', 1, zeroblob(32), zeroblob(32), 1767225600000),
           ('msg_3', 1, 3, 'user', 'c', 4922899200000, 'c', 1, zeroblob(32), zeroblob(32), 1767225600000);
         INSERT INTO generations (agent, path, ordinal, origin, container, conversation, own_id, title, frame_count,
           line_count, message_count, byte_count, mark_hash, stored_at)
         VALUES ('a', '/t', 1, 'first', 'lines', 1, 'x', 'Discount codes', 0, 0, 0, 0, zeroblob(32), 1);
         PRAGMA user_version = 6;"
    );
    older.execute_batch(&rows).expect("rows of an older version");
    drop(older);
    let known = open(home.path()).expect("opens").load_conversation(&id).await.expect("reads").expect("it is there");
    assert_eq!(known.title.as_deref(), Some("Discount codes"));
    assert_eq!((known.created.0, known.updated.0), (1_767_225_000_000, 1_767_225_600_000));
    assert_eq!(known.state, model::ConversationState::Active);
}

#[tokio::test]
async fn of_many_who_open_a_new_index_at_once_nobody_loses_what_another_wrote() {
    for _ in 0..20 {
        let home = home();
        let write = &|number: usize| {
            let store = open(home.path()).expect("opens");
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                let worktree = store.open_worktree(&project_id("p"), &format!("/{number}")).await.expect("opens");
                let files = build_batch(vec![build_version("a.rs", "a", 1)], &["t"]);
                store.write_files(&worktree.id, files).await.expect("writes");
            });
        };
        std::thread::scope(|scope| {
            for number in 0..4 {
                scope.spawn(move || write(number));
            }
        });
        let store = open(home.path()).expect("opens");
        for number in 0..4 {
            let worktree = store.open_worktree(&project_id("p"), &format!("/{number}")).await.expect("opens");
            assert_eq!(store.worktree_files(&worktree.id).await.expect("reads").len(), 1, "of {number}");
        }
    }
}

#[tokio::test]
async fn asking_what_models_made_makes_no_file() {
    let home = home();
    let store = open(home.path()).expect("opens");
    let p = project_id("p");
    let key = build_version("a.rs", "a", 0).hash;
    let space = VectorSpace { model: "m".to_owned(), version: "1".to_owned(), dimensions: 1 };
    assert_eq!(store.symbol_summaries(&p, &[key]).await.expect("reads"), [None]);
    assert_eq!(store.load_vectors(&p, &space, &[key]).await.expect("reads"), [None]);
    assert_eq!(store.vector_spaces(&p).await.expect("reads"), []);
    assert_eq!(store.keep_vectors(&p, &space, &[]).await.expect("drops"), 0);
    assert!(!home.path().join("cache/models").exists());
}

#[tokio::test]
async fn what_was_paid_for_outlives_an_index_that_starts_anew() {
    let home = home();
    let (_, index) = filled(home.path()).await;
    let p = project_id("p");
    let key = build_version("a.rs", "a", 0).hash;
    let space = VectorSpace { model: "m".to_owned(), version: "1".to_owned(), dimensions: 1 };
    {
        let store = open(home.path()).expect("opens");
        store.write_symbol_summaries(&p, vec![(key, "It adds.".to_owned())]).await.expect("writes");
        store.write_vectors(&p, &space, vec![(key, vec![1.0])], model::Timestamp(1)).await.expect("writes");
    }
    fs_err::write(&index, "dear diary, ".repeat(1_000)).expect("the home is ours");
    let store = open(home.path()).expect("opens");
    store.open_worktree(&p, "/one").await.expect("opens");
    assert_eq!(store.symbol_summaries(&p, &[key]).await.expect("reads"), [Some("It adds.".to_owned())]);
    assert_eq!(store.load_vectors(&p, &space, &[key]).await.expect("reads"), [Some(vec![1.0])]);
}

#[tokio::test]
async fn a_place_that_cannot_be_written_is_refused() {
    let home = home();
    let (canonical, _) = filled(home.path()).await;
    let data = home.path().join("data");
    let nowhere = home.path().join("nowhere");
    let bare = home.path().join("bare");
    fs_err::create_dir(&bare).expect("the home is ours");
    for (path, mode) in [(canonical.as_path(), 0o444), (&data, 0o555), (&bare, 0o555), (home.path(), 0o555)] {
        fs_err::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("they are ours");
    }
    for directory in [data, bare, nowhere] {
        let database = directory.join("epitome.db").display().to_string();
        let cache = home.path().join("cache");
        let error = as_nobody(move || refused(write_somewhere(&directory, &cache)));
        assert!(matches!(&error, Error::ReadOnly { .. }), "{error:?}");
        assert!(error.to_string().starts_with(&format!("cannot write {database}: ")), "{error}");
    }
    fs_err::set_permissions(home.path(), std::fs::Permissions::from_mode(0o755)).expect("it is ours");
}

fn write_somewhere(data: &Path, cache: &Path) -> Result<()> {
    let store = SqliteStore::open(data, cache)?;
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("makes a runtime");
    runtime.block_on(store.append_messages(build_append("c", vec![text_row("ho")]))).map(drop)
}

/// Runs something in a thread that is not root's, to whom permissions would mean nothing.
fn as_nobody<T: Send + 'static>(act: impl FnOnce() -> T + Send + 'static) -> T {
    let is_root = fs_err::metadata("/proc/self").is_ok_and(|metadata| metadata.uid() == 0);
    let run = move || {
        if is_root {
            rustix::thread::set_thread_uid(rustix::process::Uid::from_raw(65534)).expect("root may become anybody");
        }
        act()
    };
    std::thread::spawn(run).join().expect("it does not panic")
}

#[tokio::test]
async fn a_store_that_was_closed_is_whole_in_its_files() {
    let home = home();
    let (canonical, index) = filled(home.path()).await;
    for database in [canonical, index] {
        let directory = database.parent().expect("it is in a directory");
        let names: Vec<_> =
            fs_err::read_dir(directory).expect("lists").map(|entry| entry.expect("lists").path()).collect();
        assert_eq!(names, [database]);
    }
}

#[tokio::test]
async fn what_was_acknowledged_is_there_after_reopening() {
    let home = home();
    for round in 1..=3 {
        let store = open(home.path()).expect("opens");
        let rows = (0..10).map(|number| text_row(&number.to_string())).collect();
        store.append_messages(build_append("c", rows)).await.expect("appends");
        drop(store);
        let found =
            open(home.path()).expect("opens").load_messages(&conversation_id("c"), MessageWindow::Last(99)).await;
        assert_eq!(found.expect("reads").len(), 10 * round);
    }
}

#[test]
fn a_database_can_be_made_by_many_at_once() {
    let home = home();
    let opened: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| open(home.path()).map(drop))).collect();
        threads.into_iter().map(|thread| thread.join().expect("it does not panic")).collect()
    });
    for outcome in opened {
        outcome.expect("opens");
    }
}

#[tokio::test]
async fn others_may_not_look_into_its_directories() {
    let home = home();
    filled(home.path()).await;
    for directory in ["data", "cache", "cache/index"] {
        let mode = fs_err::metadata(home.path().join(directory)).expect("it is there").mode();
        assert_eq!(mode & 0o777, 0o700, "{directory}");
    }
}

#[tokio::test]
async fn the_scrub_key_is_a_file_that_only_its_owner_may_open() {
    let home = home();
    let store = open(home.path()).expect("opens");
    let key = store.scrub_key().await.expect("a key");
    let path = home.path().join("data/scrub.key");
    assert_eq!(fs_err::read(&path).expect("it is there"), key.as_bytes());
    assert_eq!(fs_err::metadata(&path).expect("it is there").mode() & 0o777, 0o600);
    drop(store);
    assert_eq!(open(home.path()).expect("opens").scrub_key().await.expect("a key"), key);

    fs_err::write(&path, b"short").expect("the home is ours");
    let error = refused(open(home.path()).expect("opens").scrub_key().await);
    assert_eq!(error.to_string(), format!("{} is damaged: 5 bytes, a key has 32", path.display()));
}

#[tokio::test]
async fn processes_share_a_database() {
    if let Some(child) = children::ours() {
        return children::append_all(&child).await;
    }
    let home = home();
    let running: Vec<_> =
        (0..3).map(|number| children::spawn("file::processes_share_a_database", home.path(), number)).collect();
    for mut child in running {
        assert!(child.wait().expect("it was started").success());
    }
    children::check_acknowledged(home.path(), 3).await;
}

#[tokio::test]
async fn a_killed_process_takes_nothing_acknowledged_with_it() {
    if let Some(child) = children::ours() {
        return children::append_all(&child).await;
    }
    let home = home();
    let mut child = children::spawn("file::a_killed_process_takes_nothing_acknowledged_with_it", home.path(), 0);
    while children::acknowledged(home.path(), 0).len() < 5 {
        std::thread::yield_now();
    }
    child.kill().expect("it is running");
    child.wait().expect("it was started");
    children::check_acknowledged(home.path(), 1).await;
}

#[tokio::test]
async fn the_lease_of_a_killed_process_is_free_at_once() {
    if let Some(child) = children::ours() {
        return children::hold_lease(&child).await;
    }
    let home = home();
    let store = SqliteStore::open(&home.path().join("data"), &home.path().join("cache")).expect("opens");
    store.append_messages(build_append("c", vec![text_row("hi")])).await.expect("appends");
    let mut child = children::spawn("file::the_lease_of_a_killed_process_is_free_at_once", home.path(), 0);
    while children::acknowledged(home.path(), 0).is_empty() {
        std::thread::yield_now();
    }
    let ask = async || store.lease_context(&conversation_id("c"), Duration::from_mins(1)).await.expect("asks");
    assert!(ask().await.taken().is_none(), "the child holds it");
    child.kill().expect("it is running");
    child.wait().expect("it was started");
    let lease = ask().await.taken().expect("its holder is dead");
    assert_eq!(lease.fence, Fence(2));
}
