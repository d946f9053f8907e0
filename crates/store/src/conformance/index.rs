//! Conformance tests that every store backend must pass, for how the code index of a project changes: file versions
//! that are shared, replaced, removed and garbage-collected, and indexes that are finished and dropped.

use super::code::{file_paths, open_worktree, write_files};
use super::sample::{SAMPLE_FINGERPRINT, build_batch, build_version, project_id};
use super::{StoreCase, StorePair, cases};
use crate::{
    Error, FileBatch, FileId, FileRecordKind, FileStamp, Fingerprint, IndexState, ListedWorktree, Store, TreeVersion,
    UnitId, WorktreeId,
};
use model::{ContentHash, Timestamp};

cases! {
    an_index_is_not_ready_until_it_is_finished,
    worktrees_are_listed_by_project_and_root,
    a_second_worktree_shares_versions,
    what_is_made_otherwise_is_another_version,
    a_new_version_replaces_the_old_in_its_worktree_only,
    a_path_written_twice_in_a_batch_keeps_the_last,
    a_version_somebody_else_wrote_is_shared,
    removed_files_vanish,
    finishing_drops_what_no_worktree_uses,
    dropping_an_index_leaves_other_projects_alone,
    projects_never_meet,
    a_worktree_that_was_dropped_cannot_be_written,
    a_version_that_is_gone_is_refused_and_nothing_is_written,
    a_number_that_was_dropped_never_means_something_else,
}

const INDEX_TIME: Timestamp = Timestamp(77);
const STAMP: FileStamp = FileStamp { bytes: 1, modified: 2 };

async fn index_state(store: &dyn Store, root: &str) -> IndexState {
    store.open_worktree(&project_id("p"), root).await.expect("opens").state
}

/// The version that the project has for a path and a text.
async fn known_version(store: &dyn Store, worktree: &WorktreeId, path: &str, text: &str) -> Option<FileId> {
    let wanted = [(path.to_owned(), ContentHash::hash_bytes(text.as_bytes()), SAMPLE_FINGERPRINT)];
    store.known_versions(worktree, &wanted).await.expect("reads")[0]
}

/// How many versions of files the segments of a project hold.
async fn version_count(store: &dyn Store, worktree: &WorktreeId) -> usize {
    let segments = store.load_segments(worktree).await.expect("reads");
    let numbers: Vec<i64> = segments.iter().map(|segment| segment.number).collect();
    store.segment_files(worktree, &numbers).await.expect("reads").len()
}

async fn an_index_is_not_ready_until_it_is_finished(stores: &StorePair) {
    let store = &*stores.first;
    let one = open_worktree(store, "p", "/one").await;
    assert_eq!(index_state(store, "/one").await, IndexState::NotReady);
    write_files(store, &one, build_batch(vec![build_version("a.rs", "a", 1)], &[])).await;
    assert_eq!(index_state(&*stores.second, "/one").await, IndexState::NotReady);
    store.finish_index(&one, INDEX_TIME).await.expect("finishes");
    assert_eq!(index_state(&*stores.second, "/one").await, IndexState::Ready(INDEX_TIME));
    // Opening a second worktree must not inherit the state of the first, whose files it need not have.
    assert_eq!(index_state(store, "/two").await, IndexState::NotReady);
    assert_eq!(open_worktree(&*stores.second, "p", "/one").await, one, "a worktree keeps its number");
    store.finish_index(&one, Timestamp(78)).await.expect("finishes");
    assert_eq!(index_state(store, "/one").await, IndexState::Ready(Timestamp(78)));
}

async fn worktrees_are_listed_by_project_and_root(stores: &StorePair) {
    let store = &*stores.first;
    assert_eq!(store.list_worktrees().await.expect("lists"), [], "none was opened");
    let two = open_worktree(store, "p", "/two").await;
    let one = open_worktree(store, "p", "/one").await;
    let other = open_worktree(store, "q", "/one").await;
    store.finish_index(&two, INDEX_TIME).await.expect("finishes");
    store.finish_index(&two, Timestamp(78)).await.expect("finishes again");
    stores.second.note_commit(&two, Some("c0ffee")).await.expect("notes");
    stores.second.note_commit(&one, Some("c0ffee")).await.expect("notes");
    stores.second.note_commit(&one, None).await.expect("notes");
    let opened = store.open_worktree(&project_id("p"), "/two").await.expect("opens");
    assert_eq!((&opened.id, opened.commit.as_deref()), (&two, Some("c0ffee")));
    let listed = |id, root: &str| ListedWorktree {
        root: root.to_owned(),
        id,
        state: IndexState::NotReady,
        first_finished: None,
        commit: None,
    };
    let two = ListedWorktree {
        state: IndexState::Ready(Timestamp(78)),
        first_finished: Some(INDEX_TIME),
        commit: Some("c0ffee".to_owned()),
        ..listed(two, "/two")
    };
    let mut expected = [listed(one, "/one"), two, listed(other.clone(), "/one")];
    expected.sort_by(|a, b| (&a.id.project, &a.root).cmp(&(&b.id.project, &b.root)));
    assert_eq!(stores.second.list_worktrees().await.expect("lists"), expected);
    store.drop_index(&project_id("q")).await.expect("drops");
    let gone = store.note_commit(&other, Some("c0ffee")).await;
    assert!(matches!(gone, Err(Error::NotFound { what: "worktree", .. })), "{gone:?}");
    let left = stores.second.list_worktrees().await.expect("lists");
    assert!(left.iter().all(|listed| listed.id.project == project_id("p")) && left.len() == 2, "{left:?}");
}

async fn a_second_worktree_shares_versions(stores: &StorePair) {
    let store = &*stores.first;
    let one = open_worktree(store, "p", "/one").await;
    let two = open_worktree(store, "p", "/two").await;
    write_files(store, &one, build_batch(vec![build_version("a.rs", "a", 2), build_version("b.rs", "b", 1)], &["t"]))
        .await;
    let a = known_version(store, &two, "a.rs", "a").await;
    let b = known_version(store, &two, "b.rs", "b").await;
    let a = a.expect("the project has it");
    let b = b.expect("the project has it");
    // The same content elsewhere has other paths in its symbols.
    assert_eq!(known_version(store, &two, "a.rs", "b").await, None, "a version is a path and a content");
    let links = vec![("a.rs".to_owned(), a, STAMP), ("b.rs".to_owned(), b, STAMP)];
    write_files(store, &two, FileBatch { known: links, ..FileBatch::default() }).await;
    let in_one = store.worktree_files(&one).await.expect("reads");
    let in_two = store.worktree_files(&two).await.expect("reads");
    for (one, two) in in_one.iter().zip(&in_two) {
        assert_eq!((&one.path, one.file, one.first_unit), (&two.path, two.file, two.first_unit));
        assert_eq!((one.stamp.modified, two.stamp), (7, STAMP), "a stamp is the worktree's own");
    }
    assert_eq!(in_two.len(), 2);
    assert_eq!((version_count(store, &two).await, store.load_segments(&two).await.expect("reads").len()), (2, 1));
    assert_eq!(store.code_totals(&one).await.expect("reads"), store.code_totals(&two).await.expect("reads"));
    assert_eq!(
        store.worktree_records(&one, FileRecordKind::Symbols).await.expect("reads").files,
        store.worktree_records(&two, FileRecordKind::Symbols).await.expect("reads").files
    );
}

async fn what_is_made_otherwise_is_another_version(stores: &StorePair) {
    let store = &*stores.first;
    let worktree = open_worktree(store, "p", "/one").await;
    write_files(store, &worktree, build_batch(vec![build_version("a.rs", "a", 2)], &[])).await;
    // Another fingerprint means another version of the program read the file, possibly with other rules.
    let other = Fingerprint(SAMPLE_FINGERPRINT.0 + 1);
    let wanted = [("a.rs".to_owned(), ContentHash::hash_bytes(b"a"), other)];
    assert_eq!(store.known_versions(&worktree, &wanted).await.expect("reads"), [None]);
    let mut anew = build_version("a.rs", "a", 3);
    anew.made = other;
    write_files(store, &worktree, build_batch(vec![anew], &[])).await;
    let files = store.worktree_files(&worktree).await.expect("reads");
    assert_eq!((files.len(), files[0].made, files[0].units), (1, other, 3));
    assert_eq!(store.known_versions(&worktree, &wanted).await.expect("reads"), [Some(files[0].file)]);
    let old = known_version(store, &worktree, "a.rs", "a").await;
    assert!(old.is_some_and(|old| old != files[0].file), "{old:?}");
}

async fn a_new_version_replaces_the_old_in_its_worktree_only(stores: &StorePair) {
    let store = &*stores.first;
    let one = open_worktree(store, "p", "/one").await;
    let two = open_worktree(store, "p", "/two").await;
    write_files(store, &one, build_batch(vec![build_version("a.rs", "old", 3)], &[])).await;
    let old = known_version(store, &one, "a.rs", "old").await.expect("the project has it");
    // The old version stays linked from the second worktree, which has not changed its file.
    write_files(store, &two, FileBatch { known: vec![("a.rs".to_owned(), old, STAMP)], ..FileBatch::default() }).await;
    write_files(store, &one, build_batch(vec![build_version("a.rs", "new", 1)], &[])).await;
    let files = async |worktree| store.worktree_files(worktree).await.expect("reads");
    let in_one = files(&one).await;
    let in_two = files(&two).await;
    assert_eq!((in_one.len(), in_one[0].hash, in_one[0].units), (1, ContentHash::hash_bytes(b"new"), 1));
    assert_eq!((in_two.len(), in_two[0].hash, in_two[0].units), (1, ContentHash::hash_bytes(b"old"), 3));
    for (worktree, text) in [(&one, "new"), (&two, "old")] {
        let facts = store.worktree_records(worktree, FileRecordKind::Symbols).await.expect("reads").files;
        assert_eq!(facts[0].bytes, build_version("a.rs", text, 0).records.symbols);
    }
}

async fn a_path_written_twice_in_a_batch_keeps_the_last(stores: &StorePair) {
    let store = &*stores.first;
    let worktree = open_worktree(store, "p", "/one").await;
    write_files(store, &worktree, build_batch(vec![build_version("b.rs", "b", 1)], &[])).await;
    let b = known_version(store, &worktree, "b.rs", "b").await.expect("the project has it");
    let versions = vec![build_version("a.rs", "1", 1), build_version("a.rs", "2", 2), build_version("b.rs", "new", 4)];
    let mut batch = build_batch(versions, &[]);
    // `a.rs` and `c.rs` are both removed and given: a file that is there wins over the note that it went.
    batch.known = vec![("b.rs".to_owned(), b, STAMP), ("c.rs".to_owned(), b, STAMP)];
    batch.removed = vec!["a.rs".to_owned(), "c.rs".to_owned()];
    write_files(store, &worktree, batch).await;
    let files = store.worktree_files(&worktree).await.expect("reads");
    let found: Vec<_> = files.iter().map(|file| (file.path.as_str(), file.units)).collect();
    assert_eq!(found, [("a.rs", 2), ("b.rs", 4), ("c.rs", 1)]);
}

/// Two runs plan at once, and both find the version new.
async fn a_version_somebody_else_wrote_is_shared(stores: &StorePair) {
    let one = open_worktree(&*stores.first, "p", "/one").await;
    let two = open_worktree(&*stores.second, "p", "/two").await;
    let versions = || vec![build_version("a.rs", "a", 2), build_version("a.rs", "a", 2)];
    write_files(&*stores.first, &one, build_batch(versions(), &["t"])).await;
    let mut later = versions();
    later.push(build_version("b.rs", "b", 1));
    write_files(&*stores.second, &two, build_batch(later, &["t"])).await;
    let store = &*stores.first;
    let in_one = store.worktree_files(&one).await.expect("reads");
    let in_two = store.worktree_files(&two).await.expect("reads");
    assert_eq!((in_one.len(), in_two.len()), (1, 2));
    assert_eq!(in_one[0].file, in_two[0].file);
    assert_eq!(in_two[1].first_unit, UnitId(8), "unit numbers count every version of a batch");
    assert_eq!(version_count(store, &one).await, 2);
}

async fn removed_files_vanish(stores: &StorePair) {
    let store = &*stores.first;
    let one = open_worktree(store, "p", "/one").await;
    let two = open_worktree(store, "p", "/two").await;
    for worktree in [&one, &two] {
        write_files(
            store,
            worktree,
            build_batch(vec![build_version("a.rs", "a", 1), build_version("b.rs", "b", 1)], &[]),
        )
        .await;
    }
    let removed = vec!["a.rs".to_owned(), "never.rs".to_owned()];
    write_files(store, &one, FileBatch { removed, ..FileBatch::default() }).await;
    assert_eq!(file_paths(store, &one).await, ["b.rs"]);
    assert_eq!(file_paths(store, &two).await, ["a.rs", "b.rs"]);
    assert_eq!(store.worktree_records(&one, FileRecordKind::Uses).await.expect("reads").files.len(), 1);
    assert_eq!(store.code_totals(&one).await.expect("reads").files, 1);
}

async fn finishing_drops_what_no_worktree_uses(stores: &StorePair) {
    let store = &*stores.first;
    let one = open_worktree(store, "p", "/one").await;
    let two = open_worktree(store, "p", "/two").await;
    write_files(
        store,
        &one,
        build_batch(vec![build_version("a.rs", "a", 2), build_version("b.rs", "b", 1)], &["first"]),
    )
    .await;
    write_files(store, &two, build_batch(vec![build_version("c.rs", "c", 1)], &["second"])).await;
    write_files(store, &one, build_batch(vec![build_version("a.rs", "new", 1)], &["third"])).await;
    let removed = vec!["c.rs".to_owned()];
    write_files(store, &two, FileBatch { removed, ..FileBatch::default() }).await;
    assert!(known_version(store, &one, "a.rs", "a").await.is_some(), "nothing is dropped before the run is finished");

    store.finish_index(&one, INDEX_TIME).await.expect("finishes");
    assert_eq!(known_version(store, &one, "a.rs", "a").await, None);
    assert_eq!(known_version(store, &one, "c.rs", "c").await, None);
    assert!(known_version(store, &one, "b.rs", "b").await.is_some());
    let files = store.worktree_files(&one).await.expect("reads");
    let found: Vec<_> = files.iter().map(|file| (file.path.as_str(), file.first_unit.0)).collect();
    assert_eq!(found, [("a.rs", 4), ("b.rs", 2)], "numbers stay");
    let asked = ["first", "second", "third"].map(str::to_owned);
    let terms: Vec<_> = store.load_postings(&one, &asked).await.expect("reads").into_iter().map(|p| p.term).collect();
    assert_eq!(terms, ["first", "third"], "a segment stays while one of its versions does");
    assert_eq!(store.load_segments(&one).await.expect("reads").len(), 2);
    assert_eq!(store.code_totals(&one).await.expect("reads").symbols, 2);
}

async fn dropping_an_index_leaves_other_projects_alone(stores: &StorePair) {
    let store = &*stores.first;
    let mine = open_worktree(store, "p", "/one").await;
    let other = open_worktree(store, "q", "/one").await;
    for worktree in [&mine, &other] {
        write_files(store, worktree, build_batch(vec![build_version("a.rs", "a", 2)], &["t"])).await;
        store.finish_index(worktree, INDEX_TIME).await.expect("finishes");
    }
    store.drop_index(&project_id("p")).await.expect("drops");
    store.drop_index(&project_id("nobody's")).await.expect("there is nothing to drop");
    let again = stores.second.open_worktree(&project_id("p"), "/one").await.expect("opens");
    assert_eq!((again.state, again.version, again.resolved), (IndexState::NotReady, TreeVersion(0), None));
    let again = again.id;
    assert_eq!((file_paths(store, &again).await.len(), version_count(store, &again).await), (0, 0));
    assert_eq!(store.load_segments(&again).await.expect("reads"), []);
    assert_eq!(store.load_postings(&again, &["t".to_owned()]).await.expect("reads"), []);
    assert_eq!(known_version(store, &again, "a.rs", "a").await, None);
    assert_eq!((file_paths(store, &other).await.len(), version_count(store, &other).await), (1, 1));
    write_files(store, &again, build_batch(vec![build_version("a.rs", "a", 2)], &["t"])).await;
    assert_eq!(version_count(store, &again).await, 1);
}

async fn projects_never_meet(stores: &StorePair) {
    let store = &*stores.first;
    let mine = open_worktree(store, "p", "/one").await;
    let other = open_worktree(store, "q", "/one").await;
    write_files(store, &mine, build_batch(vec![build_version("a.rs", "a", 2)], &["t"])).await;
    assert_eq!(known_version(store, &other, "a.rs", "a").await, None);
    assert_eq!((file_paths(store, &other).await.len(), version_count(store, &other).await), (0, 0));
    assert_eq!(store.load_postings(&other, &["t".to_owned()]).await.expect("reads"), []);
    write_files(store, &other, build_batch(vec![build_version("a.rs", "a", 1)], &["t"])).await;
    assert_eq!(
        store.worktree_files(&other).await.expect("reads")[0].first_unit,
        UnitId(0),
        "numbers are the project's"
    );
    assert_eq!((version_count(store, &mine).await, version_count(store, &other).await), (1, 1));
    store.finish_index(&other, INDEX_TIME).await.expect("finishes");
    // The other project has the same root; its run must not make this index ready.
    assert_eq!(index_state(store, "/one").await, IndexState::NotReady);
}

async fn a_worktree_that_was_dropped_cannot_be_written(stores: &StorePair) {
    let store = &*stores.first;
    let worktree = open_worktree(store, "p", "/one").await;
    write_files(store, &worktree, build_batch(vec![build_version("a.rs", "a", 1)], &[])).await;
    // Through the other handle: another process may drop the index while this one is in the middle of a run.
    stores.second.drop_index(&project_id("p")).await.expect("drops");
    for refused in [
        store.write_files(&worktree, build_batch(vec![build_version("a.rs", "a", 1)], &["t"])).await,
        store.write_files(&worktree, FileBatch::default()).await,
        store.finish_index(&worktree, INDEX_TIME).await,
    ] {
        assert!(matches!(refused, Err(Error::NotFound { what: "worktree", .. })), "{refused:?}");
    }
    assert_eq!(file_paths(store, &worktree).await, [""; 0]);
    assert_eq!(store.load_segments(&worktree).await.expect("reads"), []);
}

/// Another worktree's run may drop a version between our question and our answer.
async fn a_version_that_is_gone_is_refused_and_nothing_is_written(stores: &StorePair) {
    let store = &*stores.first;
    let one = open_worktree(store, "p", "/one").await;
    let two = open_worktree(store, "p", "/two").await;
    write_files(store, &one, build_batch(vec![build_version("a.rs", "a", 1), build_version("b.rs", "b", 1)], &[]))
        .await;
    let a = known_version(store, &two, "a.rs", "a").await.expect("the project has it");
    write_files(store, &one, FileBatch { removed: vec!["a.rs".to_owned()], ..FileBatch::default() }).await;
    store.finish_index(&one, INDEX_TIME).await.expect("finishes");
    let mut batch = build_batch(vec![build_version("c.rs", "c", 1)], &["t"]);
    batch.known = vec![("a.rs".to_owned(), a, STAMP)];
    batch.removed = vec!["b.rs".to_owned()];
    let refused = store.write_files(&one, batch).await;
    assert!(matches!(refused, Err(Error::NotFound { what: "file version", .. })), "{refused:?}");
    assert_eq!(file_paths(store, &one).await, ["b.rs"]);
    assert_eq!(known_version(store, &one, "c.rs", "c").await, None);
    assert_eq!(store.load_segments(&one).await.expect("reads").len(), 1);
}

async fn a_number_that_was_dropped_never_means_something_else(stores: &StorePair) {
    let store = &*stores.first;
    let one = open_worktree(store, "p", "/one").await;
    write_files(store, &one, build_batch(vec![build_version("a.rs", "a", 1)], &["t"])).await;
    let a = known_version(store, &one, "a.rs", "a").await.expect("the project has it");
    let segment = store.load_segments(&one).await.expect("reads")[0].number;
    write_files(store, &one, FileBatch { removed: vec!["a.rs".to_owned()], ..FileBatch::default() }).await;
    store.finish_index(&one, INDEX_TIME).await.expect("finishes");
    write_files(store, &one, build_batch(vec![build_version("b.rs", "b", 1)], &["t"])).await;
    // Readers keep segments in memory by number: one used again would show the words of another file.
    assert_ne!(store.load_segments(&one).await.expect("reads")[0].number, segment);
    let stale = FileBatch { known: vec![("a.rs".to_owned(), a, STAMP)], ..FileBatch::default() };
    let refused = store.write_files(&one, stale).await;
    assert!(matches!(refused, Err(Error::NotFound { what: "file version", .. })), "{refused:?}");

    stores.second.drop_index(&project_id("p")).await.expect("drops");
    let two = open_worktree(&*stores.second, "p", "/two").await;
    let refused = store.write_files(&one, build_batch(vec![build_version("a.rs", "a", 1)], &[])).await;
    assert!(matches!(refused, Err(Error::NotFound { what: "worktree", .. })), "{refused:?}");
    assert_eq!(file_paths(store, &two).await, [""; 0]);
}
