//! Property test that runs random sequences of operations on the SQLite and on the PostgreSQL store and compares
//! everything both answer and hold.

use crate::server::Server;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::fmt::Write as _;
use store::conformance::sample::{
    build_append, build_batch, build_version, conversation_id, project_id, text_row, text_row_as,
};
use store::sqlite::SqliteStore;
use store::{
    EdgeBatch, EncodedEdges, FileBatch, FileId, FileRecordKind, FileStamp, Fingerprint, MessageQuery, MessageWindow,
    Redirect, SegmentMerge, Store, TermPostings, WorktreeId,
};
use tempfile::TempDir;

/// Sequences tried. Each takes about a quarter of a second.
const CASES: u32 = 40;

const TEXTS: [&str; 6] = ["alpha beta", "beta_gamma", "", "a\0b \u{10ffff}", "数据库 alpha", "AND \"alpha\""];
const PATHS: [&str; 4] = ["a.rs", "src/b.rs", "c\n\0.rs", "Z/é.rs"];
const ROOTS: [&str; 2] = ["/one", "/two"];
const PROJECTS: [&str; 2] = ["p", "q"];
const TERMS: [&str; 4] = ["alpha", "beta", "数据", "\0"];

/// Something to do; numbers are places in the lists above.
#[derive(Clone, Debug)]
enum Step {
    /// Messages as id, if any, and text.
    Append { conversation: usize, rows: Vec<(Option<u8>, usize)> },
    /// Files as path and content; those the project has are linked, unless `blind`.
    Write { tree: (usize, usize), files: Vec<(usize, u8)>, removed: Vec<usize>, terms: Vec<usize>, blind: bool },
    /// Edges for some paths, made from the newest version or the one before, and redirects.
    Resolve { tree: (usize, usize), files: Vec<usize>, stale: bool, moved: Vec<(usize, usize)> },
    /// Puts the segments together, all but some.
    Merge { tree: (usize, usize), spared: usize },
    /// Declares an index whole.
    Finish { tree: (usize, usize) },
    /// Forgets a project.
    Drop { project: usize },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let tree = || (0..PROJECTS.len(), 0..ROOTS.len());
    let row = (proptest::option::of(0..3_u8), 0..TEXTS.len());
    let append = (0..3_usize, vec(row, 0..4)).prop_map(|(conversation, rows)| Step::Append { conversation, rows });
    let files = vec((0..PATHS.len(), 0..4_u8), 0..4);
    let write = (tree(), files, vec(0..PATHS.len(), 0..2), vec(0..TERMS.len(), 0..3), any::<bool>())
        .prop_map(|(tree, files, removed, terms, blind)| Step::Write { tree, files, removed, terms, blind });
    let finish = tree().prop_map(|tree| Step::Finish { tree });
    let drop = (0..PROJECTS.len()).prop_map(|project| Step::Drop { project });
    let moved = vec((0..TERMS.len(), 0..TERMS.len()), 0..3);
    let resolve = (tree(), vec(0..PATHS.len(), 0..3), proptest::bool::weighted(0.2), moved)
        .prop_map(|(tree, files, stale, moved)| Step::Resolve { tree, files, stale, moved });
    let merge = (tree(), 0..3_usize).prop_map(|(tree, spared)| Step::Merge { tree, spared });
    vec(prop_oneof![3 => append, 5 => write, 3 => resolve, 2 => merge, 2 => finish, 1 => drop], 1..16)
}

#[test]
fn both_stores_say_the_same() {
    let runtime = tokio::runtime::Runtime::new().expect("makes a runtime");
    let server = runtime.block_on(Server::start());
    let postgres = runtime.block_on(server.store());
    let tenant = std::cell::Cell::new(0);
    let config = Config { cases: CASES, max_shrink_iters: 300, failure_persistence: None, ..Config::default() };
    let outcome = TestRunner::new(config).run(&steps(), |steps| {
        tenant.set(tenant.get() + 1);
        let postgres = postgres.for_tenant(&tenant.get().to_string()).expect("it has a name");
        let home = TempDir::new().expect("the temporary directory is writable");
        let sqlite = SqliteStore::open(home.path(), home.path()).expect("opens");
        let (one, two) = runtime.block_on(async { tokio::join!(story(&sqlite, &steps), story(&postgres, &steps)) });
        prop_assert_eq!(one, two);
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}

/// Everything a store says while the steps are taken, and all it holds afterwards, without its own numbers.
async fn story(store: &dyn Store, steps: &[Step]) -> String {
    let mut said = String::new();
    for step in steps {
        let answer = take(store, step).await;
        writeln!(said, "{step:?}: {answer}").expect("writing to a string");
    }
    tell_conversations(store, &mut said).await;
    for project in PROJECTS {
        for root in ROOTS {
            tell_worktree(store, project, root, &mut said).await;
        }
    }
    said
}

async fn open(store: &dyn Store, (project_, root): (usize, usize)) -> WorktreeId {
    store.open_worktree(&project_id(PROJECTS[project_]), ROOTS[root]).await.expect("opens").id
}

async fn take(store: &dyn Store, step: &Step) -> String {
    match step {
        Step::Append { conversation, rows } => {
            let row = |(id, text): &(Option<u8>, usize)| match id {
                Some(id) => text_row_as(&format!("id{id}"), TEXTS[*text]),
                None => text_row(TEXTS[*text]),
            };
            let rows = rows.iter().map(row).collect();
            format!("{:?}", store.append_messages(build_append(&conversation.to_string(), rows)).await)
        }
        Step::Write { tree, files, removed, terms, blind } => {
            let worktree = open(store, *tree).await;
            let wanted: Vec<_> = files
                .iter()
                .map(|(path, content)| build_version(PATHS[*path], &content.to_string(), u32::from(*content)))
                .collect();
            let asked: Vec<_> = wanted.iter().map(|file| (file.path.clone(), file.hash, file.made)).collect();
            let known = store.known_versions(&worktree, &asked).await.expect("reads");
            let mut terms: Vec<&str> = terms.iter().map(|term| TERMS[*term]).collect();
            terms.sort_unstable();
            terms.dedup();
            let mut batch = FileBatch {
                removed: removed.iter().map(|path| PATHS[*path].to_owned()).collect(),
                ..build_batch(Vec::new(), &terms)
            };
            for (file, known) in wanted.into_iter().zip(known) {
                match known.filter(|_| !blind) {
                    Some(known) => batch.known.push((file.path, known, FileStamp { bytes: 1, modified: -1 })),
                    None => batch.versions.push(file),
                }
            }
            format!("{:?}", store.write_files(&worktree, batch).await)
        }
        Step::Resolve { tree, files, stale, moved } => {
            let found = store.open_worktree(&project_id(PROJECTS[tree.0]), ROOTS[tree.1]).await.expect("opens");
            let version = store::TreeVersion(found.version.0 - i64::from(*stale));
            let mut files = files.clone();
            files.sort_unstable();
            files.dedup();
            let edges = files.iter().map(|at| EncodedEdges {
                path: PATHS[*at].to_owned(),
                count: *at as u32,
                bytes: format!("{at} {version:?}").into_bytes(),
            });
            let id = |at: usize| model::SymbolId::new(PATHS[at % PATHS.len()], TERMS[at]);
            let redirects = moved.iter().map(|(from, to)| Redirect { from: id(*from), to: id(*to) }).collect();
            let made = Fingerprint(version.0 * 3);
            let answer =
                store.write_edges(&found.id, EdgeBatch { version, made, edges: edges.collect(), redirects }).await;
            // The number of the worktree is the store's own.
            match answer {
                Err(store::Error::Conflict { what, .. }) => format!("{what} moved"),
                answer => format!("{answer:?}"),
            }
        }
        Step::Merge { tree, spared } => {
            let worktree = open(store, *tree).await;
            let segments = store.load_segments(&worktree).await.expect("reads");
            let segments: Vec<i64> = segments.iter().skip(*spared).map(|segment| segment.number).collect();
            let files = store.segment_files(&worktree, &segments).await.expect("reads");
            let mut postings: Vec<TermPostings> = Vec::new();
            for old in store.segment_postings(&worktree, &segments).await.expect("reads") {
                match postings.last_mut().filter(|last| last.term == old.term) {
                    Some(last) => last.bytes.extend(old.bytes),
                    None => postings.push(TermPostings { term: old.term, bytes: old.bytes }),
                }
            }
            let files = files.iter().map(|file| file.file).collect();
            let merge = SegmentMerge { segments, files, lengths: vec![4], postings };
            format!("{:?}", store.merge_segments(&worktree, merge).await)
        }
        Step::Finish { tree } => {
            let worktree = open(store, *tree).await;
            format!("{:?}", store.finish_index(&worktree, model::Timestamp(5)).await)
        }
        Step::Drop { project: name } => format!("{:?}", store.drop_index(&project_id(PROJECTS[*name])).await),
    }
}

async fn tell_conversations(store: &dyn Store, said: &mut String) {
    let mut all = store.list_conversations().await.expect("reads");
    for conversation in &mut all {
        conversation.number = 0;
    }
    writeln!(said, "{all:#?}\n{:?}", store.memory_totals().await).expect("writing to a string");
    for name in ["0", "1", "2"] {
        for window in [
            MessageWindow::Last(2),
            MessageWindow::After { seq: 1, limit: 2 },
            MessageWindow::After { seq: 0, limit: 99 },
        ] {
            let messages = store.load_messages(&conversation_id(name), window).await;
            writeln!(said, "{name} {window:?}: {messages:#?}").expect("writing to a string");
        }
    }
    for terms in [vec![], vec!["alpha"], vec!["beta"], vec!["alpha", "数据"], vec!["and", "alpha"]] {
        for conversation_ in [None, Some(conversation_id("1"))] {
            let terms: Vec<String> = terms.iter().map(|term| (*term).to_owned()).collect();
            let find = MessageQuery { conversation: conversation_, terms, ..MessageQuery::default() };
            let found = store.find_messages(find.clone(), None).await.expect("looks");
            let found = store.messages_numbered(&found.cursors()).await.expect("reads");
            let found: Vec<_> = found.iter().flatten().map(|found| (&found.conversation, found.seq)).collect();
            writeln!(said, "{:?} in {:?}: {found:?}", find.terms, find.conversation).expect("writing to a string");
        }
    }
}

async fn tell_worktree(store: &dyn Store, name: &str, root: &str, said: &mut String) {
    let found = store.open_worktree(&project_id(name), root).await.expect("opens");
    let worktree = found.id;
    let states = (found.state, found.version, found.resolved);
    let totals = store.code_totals(&worktree).await;
    writeln!(said, "{name} {root} {states:?} {totals:?}").expect("writing to a string");
    for file in store.worktree_files(&worktree).await.expect("reads") {
        let known = (&file.path, file.hash, file.stamp, &file.language, file.lines, file.first_unit, file.units);
        let records = store.load_records(&worktree, FileRecordKind::Symbols, &[file.file]).await;
        writeln!(said, "{known:?} {records:?}").expect("writing to a string");
    }
    for change in store.load_changes(&worktree).await.expect("reads") {
        let records = store
            .load_records(&worktree, FileRecordKind::Uses, &[change.before, change.now].map(|f| f.unwrap_or(FileId(0))))
            .await;
        writeln!(said, "{} changed: {records:?}", change.path).expect("writing to a string");
    }
    let edges = store.load_edges(&worktree).await;
    let redirects = store.load_redirects(&project_id(name)).await;
    writeln!(said, "{edges:?} {redirects:?}").expect("writing to a string");
    let segments = store.load_segments(&worktree).await.expect("reads");
    for segment in &segments {
        writeln!(said, "{:?} {} {:?}", segment.first_unit, segment.units, segment.lengths)
            .expect("writing to a string");
    }
    let terms = TERMS.map(str::to_owned);
    for postings in store.load_postings(&worktree, &terms).await.expect("reads") {
        let place = segments.iter().position(|segment| segment.number == postings.segment);
        writeln!(said, "{:?} in {place:?}: {:?}", postings.term, postings.bytes).expect("writing to a string");
    }
}
