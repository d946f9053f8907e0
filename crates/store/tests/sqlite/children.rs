//! Helper of the SQLite integration tests: spawns other processes that use the same database, by starting this test
//! binary again, told by its environment what to do, and checks what they noted as acknowledged.

use model::ChainHash;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use store::conformance::sample::{build_append, conversation_id, expect_ack, text_row};
use store::sqlite::SqliteStore;
use store::{FoldStore as _, MemoryStore as _, MessageWindow};

/// Messages that a process appends.
const MESSAGES: usize = 40;

const VARIABLE: &str = "EPITOME_TEST_CHILD";

/// What this process is to do, when it is a child.
pub(crate) struct Task {
    home: PathBuf,
    number: usize,
}

#[expect(clippy::disallowed_methods, reason = "a process is told what to do by its environment")]
pub(crate) fn ours() -> Option<Task> {
    let told = std::env::var(VARIABLE).ok()?;
    let (number, home) = told.split_once(' ').expect("a parent writes a number and a home");
    Some(Task { home: home.into(), number: number.parse().expect("a parent writes a number") })
}

/// Runs one test of this binary in a process of its own.
pub(crate) fn spawn(test: &str, home: &Path, number: usize) -> Child {
    let binary = std::env::current_exe().expect("we are running");
    let mut command = Command::new(binary);
    command.args(["--exact", test]).env(VARIABLE, format!("{number} {}", home.display()));
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it is this binary")
}

/// Appends one message after the other to one conversation, and notes each as soon as it is acknowledged.
pub(crate) async fn append_all(task: &Task) {
    let store = SqliteStore::open(&task.home.join("data"), &task.home.join("cache")).expect("opens");
    let mut notes = fs_err::File::create(notes(&task.home, task.number)).expect("the home is ours");
    for message in 0..MESSAGES {
        let text = format!("{}/{message}", task.number);
        let answer = store.append_messages(build_append("c", vec![text_row(&text)])).await.expect("appends");
        writeln!(notes, "{} {text}", expect_ack(&answer[0]).seq).expect("the home is ours");
    }
}

/// Takes the lease of the conversation, notes it, and holds it until it is killed.
pub(crate) async fn hold_lease(task: &Task) {
    let store = SqliteStore::open(&task.home.join("data"), &task.home.join("cache")).expect("opens");
    let lease = store.lease_context(&conversation_id("c"), std::time::Duration::from_mins(1)).await.expect("asks");
    let lease = lease.taken().expect("nobody has it");
    let mut notes = fs_err::File::create(notes(&task.home, task.number)).expect("the home is ours");
    writeln!(notes, "{} lease", lease.fence.0).expect("the home is ours");
    std::future::pending::<()>().await;
}

/// What a process noted: seq and text of each message.
pub(crate) fn acknowledged(home: &Path, number: usize) -> Vec<(usize, String)> {
    let notes = fs_err::read_to_string(notes(home, number)).unwrap_or_default();
    let whole = notes.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'));
    whole
        .map(|line| {
            let (seq, text) = line.split_once(' ').expect("a note is a number and a text");
            (seq.parse().expect("a note is a number and a text"), text.to_owned())
        })
        .collect()
}

/// Checks that all that processes noted is stored where they noted it, in one unbroken chain.
pub(crate) async fn check_acknowledged(home: &Path, processes: usize) {
    let store = SqliteStore::open(&home.join("data"), &home.join("cache")).expect("opens");
    let messages = store.load_messages(&conversation_id("c"), MessageWindow::Last(10_000)).await.expect("reads");
    let mut hash = ChainHash::for_conversation(&conversation_id("c"));
    for (seq, message) in (1..).zip(&messages) {
        hash = hash.next_link(seq, message.body.content_hash());
        assert_eq!((message.seq, message.hash), (seq, hash));
    }
    let noted: Vec<_> = (0..processes).flat_map(|number| acknowledged(home, number)).collect();
    assert!(!noted.is_empty());
    for (seq, text) in &noted {
        assert_eq!(messages[seq - 1].body.content(), *text);
    }
    // A process that was killed may have stored one more than it could note.
    assert!(messages.len() - noted.len() <= processes, "{} stored, {} noted", messages.len(), noted.len());
}

fn notes(home: &Path, number: usize) -> PathBuf {
    home.join(format!("notes-{number}"))
}
