//! Conformance tests that every store backend must pass, for edges of the symbol graph, the file changes noted since
//! the edges were written, and redirects of symbol ids.

use super::code::{open_worktree, write_files};
use super::sample::{ODD_TEXTS, build_batch, build_version, long_text, project_id};
use super::{StoreCase, StorePair, cases};
use crate::{
    CodeTotals, EdgeBatch, EdgeOrigin, EncodedEdges, Error, FileBatch, FileChange, FileRecordKind, FileStamp,
    Fingerprint, Redirect, Store, TreeVersion, WorktreeId,
};
use model::{SymbolId, Timestamp};

cases! {
    a_version_goes_up_exactly_when_files_change,
    edges_come_back_ordered_and_byte_for_byte,
    edges_of_another_version_are_refused,
    nothing_is_noted_before_the_first_edges,
    changes_are_told_against_what_edges_were_made_from,
    what_edges_were_made_from_stays_readable,
    edges_of_files_that_are_gone_go_with_the_next,
    worktrees_have_edges_of_their_own,
    redirects_come_oldest_first_and_the_newest_counts,
    only_so_many_redirects_are_kept,
    a_dropped_index_has_no_edges,
}

const EDGE_FINGERPRINT: Fingerprint = Fingerprint(41);

async fn tree_version(store: &dyn Store, root: &str) -> TreeVersion {
    store.open_worktree(&project_id("p"), root).await.expect("opens").version
}

fn build_edges(files: &[(&str, u32)]) -> Vec<EncodedEdges> {
    let edges = |(path, count): &(&str, u32)| EncodedEdges {
        path: (*path).to_owned(),
        count: *count,
        bytes: format!("edges of {path}: {count}").into_bytes(),
    };
    files.iter().map(edges).collect()
}

/// Writes edges made from the newest version.
async fn write_edges(store: &dyn Store, worktree: &WorktreeId, root: &str, files: &[(&str, u32)]) {
    let version = tree_version(store, root).await;
    let resolution = EdgeBatch { version, made: EDGE_FINGERPRINT, edges: build_edges(files), redirects: Vec::new() };
    store.write_edges(worktree, resolution).await.expect("writes");
}

async fn remove_file(store: &dyn Store, worktree: &WorktreeId, path: &str) {
    write_files(store, worktree, FileBatch { removed: vec![path.to_owned()], ..FileBatch::default() }).await;
}

async fn changed_paths(store: &dyn Store, worktree: &WorktreeId) -> Vec<String> {
    store.load_changes(worktree).await.expect("reads").into_iter().map(|change| change.path).collect()
}

async fn a_version_goes_up_exactly_when_files_change(stores: &StorePair) {
    let store = &*stores.first;
    let (one, _) = (open_worktree(store, "p", "/one").await, open_worktree(store, "p", "/two").await);
    let mut last = tree_version(store, "/one").await;
    let mut raised = async || {
        // Read through the other handle: a version kept in memory would not be raised there.
        let now = tree_version(&*stores.second, "/one").await;
        let raised = now > last;
        assert!(now >= last);
        last = now;
        raised
    };
    write_files(store, &one, build_batch(vec![build_version("a.rs", "a", 1), build_version("b.rs", "b", 1)], &[]))
        .await;
    assert!(raised().await, "files appeared");
    write_files(store, &one, FileBatch::default()).await;
    remove_file(store, &one, "never.rs").await;
    assert!(!raised().await, "nothing happened");
    write_files(store, &one, build_batch(vec![build_version("a.rs", "a", 1)], &[])).await;
    let a = store.worktree_files(&one).await.expect("reads")[0].file;
    let stamp = FileStamp { bytes: 9, modified: 9 };
    write_files(store, &one, FileBatch { known: vec![("a.rs".to_owned(), a, stamp)], ..FileBatch::default() }).await;
    let removed = vec!["a.rs".to_owned()];
    // Removed and linked again in one batch, as after a checkout that ends where it began.
    let known = vec![("a.rs".to_owned(), a, stamp)];
    write_files(store, &one, FileBatch { known, removed, ..FileBatch::default() }).await;
    assert!(!raised().await, "the same version under the same path is no change");
    write_files(store, &one, build_batch(vec![build_version("a.rs", "new", 1)], &[])).await;
    assert!(raised().await, "another version");
    // Not down to the old number: edges of the first time would then look current.
    write_files(store, &one, FileBatch { known: vec![("a.rs".to_owned(), a, stamp)], ..FileBatch::default() }).await;
    assert!(raised().await, "an old version again");
    remove_file(store, &one, "b.rs").await;
    assert!(raised().await, "a file less");
    store.finish_index(&one, Timestamp(1)).await.expect("finishes");
    assert!(!raised().await, "finishing changes no file");
    assert_eq!(tree_version(store, "/two").await, TreeVersion(0), "another worktree stays where it is");
}

async fn edges_come_back_ordered_and_byte_for_byte(stores: &StorePair) {
    let store = &*stores.first;
    let worktree = open_worktree(store, "p", "/one").await;
    let paths: Vec<String> = ODD_TEXTS.iter().map(|text| format!("dir/{text}")).chain([long_text("a")]).collect();
    let versions = paths.iter().map(|path| build_version(path, path, 1)).collect();
    write_files(store, &worktree, build_batch(versions, &[])).await;
    assert_eq!(store.load_edges(&worktree).await.expect("reads"), []);
    let mut wanted: Vec<EncodedEdges> = build_edges(&paths.iter().map(|path| (path.as_str(), 2)).collect::<Vec<_>>());
    wanted[0].bytes = (0..=255).cycle().take(50_000).collect();
    wanted[1].bytes.clear();
    wanted[1].count = u32::MAX;
    let version = tree_version(store, "/one").await;
    let resolution = EdgeBatch { version, made: EDGE_FINGERPRINT, edges: wanted.clone(), redirects: Vec::new() };
    store.write_edges(&worktree, resolution).await.expect("writes");
    wanted.sort_by(|a, b| a.path.cmp(&b.path));
    assert_eq!(stores.second.load_edges(&worktree).await.expect("reads"), wanted);
    let found = store.open_worktree(&project_id("p"), "/one").await.expect("opens");
    assert_eq!(found.resolved, Some(EdgeOrigin { version, made: EDGE_FINGERPRINT }));
    let total: u64 = wanted.iter().map(|file| u64::from(file.count)).sum();
    assert_eq!(store.code_totals(&worktree).await.expect("reads").edges, total);
}

async fn edges_of_another_version_are_refused(stores: &StorePair) {
    let store = &*stores.first;
    let worktree = open_worktree(store, "p", "/one").await;
    write_files(store, &worktree, build_batch(vec![build_version("a.rs", "a", 1)], &[])).await;
    write_edges(store, &worktree, "/one", &[("a.rs", 1)]).await;
    let stale = tree_version(store, "/one").await;
    // Files changed while edges were worked out from the old ones.
    write_files(&*stores.second, &worktree, build_batch(vec![build_version("a.rs", "new", 1)], &[])).await;
    let redirects = vec![Redirect { from: SymbolId::new("a.rs", "f"), to: SymbolId::new("a.rs", "g") }];
    for version in [stale, TreeVersion(stale.0 + 2)] {
        let resolution = EdgeBatch {
            version,
            made: Fingerprint(0),
            edges: build_edges(&[("a.rs", 9)]),
            redirects: redirects.clone(),
        };
        let refused = store.write_edges(&worktree, resolution).await;
        assert!(matches!(refused, Err(Error::Conflict { what: "worktree", .. })), "{refused:?}");
    }
    assert_eq!(store.load_edges(&worktree).await.expect("reads"), build_edges(&[("a.rs", 1)]));
    let found = store.open_worktree(&project_id("p"), "/one").await.expect("opens");
    assert_eq!(found.resolved, Some(EdgeOrigin { version: stale, made: EDGE_FINGERPRINT }));
    assert_eq!(changed_paths(store, &worktree).await, ["a.rs"]);
    assert_eq!(store.load_redirects(&project_id("p")).await.expect("reads"), []);
}

async fn nothing_is_noted_before_the_first_edges(stores: &StorePair) {
    let store = &*stores.first;
    let worktree = open_worktree(store, "p", "/one").await;
    write_files(store, &worktree, build_batch(vec![build_version("a.rs", "a", 1)], &[])).await;
    write_files(store, &worktree, build_batch(vec![build_version("a.rs", "b", 1)], &[])).await;
    assert_eq!(store.load_changes(&worktree).await.expect("reads"), []);
    assert_eq!(store.open_worktree(&project_id("p"), "/one").await.expect("opens").resolved, None);
}

async fn changes_are_told_against_what_edges_were_made_from(stores: &StorePair) {
    let store = &*stores.first;
    let worktree = open_worktree(store, "p", "/one").await;
    let files = ["a.rs", "b.rs", "c.rs", "d.rs"];
    write_files(store, &worktree, build_batch(files.map(|path| build_version(path, "1", 1)).to_vec(), &[])).await;
    write_edges(store, &worktree, "/one", &files.map(|path| (path, 1))).await;
    let before = store.worktree_files(&worktree).await.expect("reads");
    write_files(
        store,
        &worktree,
        build_batch(vec![build_version("a.rs", "2", 1), build_version("new.rs", "1", 1)], &[]),
    )
    .await;
    write_files(store, &worktree, build_batch(vec![build_version("a.rs", "3", 1), build_version("c.rs", "2", 1)], &[]))
        .await;
    remove_file(store, &worktree, "b.rs").await;
    // One that comes and goes, and one that is back as it was, did not change.
    write_files(store, &worktree, build_batch(vec![build_version("brief.rs", "1", 1)], &[])).await;
    remove_file(store, &worktree, "brief.rs").await;
    write_files(store, &worktree, build_batch(vec![build_version("c.rs", "1", 1)], &[])).await;
    let now = store.worktree_files(&worktree).await.expect("reads");
    let of = |files: &[crate::TreeFile], path: &str| files.iter().find(|f| f.path == path).map(|f| f.file);
    let wanted = ["a.rs", "b.rs", "new.rs"].map(|path| FileChange {
        path: path.to_owned(),
        before: of(&before, path),
        now: of(&now, path),
    });
    assert_eq!(stores.second.load_changes(&worktree).await.expect("reads"), wanted);
    write_edges(store, &worktree, "/one", &[("a.rs", 2), ("new.rs", 3)]).await;
    assert_eq!(store.load_changes(&worktree).await.expect("reads"), []);
    let wanted = build_edges(&[("a.rs", 2), ("c.rs", 1), ("d.rs", 1), ("new.rs", 3)]);
    assert_eq!(store.load_edges(&worktree).await.expect("reads"), wanted, "what did not change keeps its edges");
}

async fn what_edges_were_made_from_stays_readable(stores: &StorePair) {
    let store = &*stores.first;
    let worktree = open_worktree(store, "p", "/one").await;
    write_files(store, &worktree, build_batch(vec![build_version("a.rs", "old", 1)], &["t"])).await;
    write_edges(store, &worktree, "/one", &[("a.rs", 1)]).await;
    write_files(store, &worktree, build_batch(vec![build_version("a.rs", "new", 1)], &["t"])).await;
    store.finish_index(&worktree, Timestamp(1)).await.expect("finishes");
    // The old records are needed to tell which edges the change takes away.
    let before = store.load_changes(&worktree).await.expect("reads")[0].before.expect("it was there");
    let read = async || store.load_records(&worktree, FileRecordKind::Uses, &[before]).await.expect("reads");
    assert_eq!(read().await, [Some(build_version("a.rs", "old", 0).records.uses)]);
    write_edges(store, &worktree, "/one", &[("a.rs", 1)]).await;
    store.finish_index(&worktree, Timestamp(2)).await.expect("finishes");
    assert_eq!(read().await, [None]);
    assert_eq!(store.load_segments(&worktree).await.expect("reads").len(), 1);
}

async fn edges_of_files_that_are_gone_go_with_the_next(stores: &StorePair) {
    let store = &*stores.first;
    let worktree = open_worktree(store, "p", "/one").await;
    write_files(store, &worktree, build_batch(vec![build_version("a.rs", "a", 1), build_version("b.rs", "b", 1)], &[]))
        .await;
    write_edges(store, &worktree, "/one", &[("a.rs", 3), ("b.rs", 4)]).await;
    remove_file(store, &worktree, "b.rs").await;
    write_edges(store, &worktree, "/one", &[]).await;
    assert_eq!(store.load_edges(&worktree).await.expect("reads"), build_edges(&[("a.rs", 3)]));
    write_files(store, &worktree, build_batch(vec![build_version("b.rs", "b", 1)], &[])).await;
    write_edges(store, &worktree, "/one", &[("a.rs", 5), ("b.rs", 6)]).await;
    assert_eq!(store.load_edges(&worktree).await.expect("reads"), build_edges(&[("a.rs", 5), ("b.rs", 6)]));
    let wanted = CodeTotals { files: 2, symbols: 2, edges: 11, units: 2 };
    assert_eq!(store.code_totals(&worktree).await.expect("reads"), wanted);
}

async fn worktrees_have_edges_of_their_own(stores: &StorePair) {
    let store = &*stores.first;
    let one = open_worktree(store, "p", "/one").await;
    let two = open_worktree(store, "p", "/two").await;
    for (worktree, root, count) in [(&one, "/one", 1), (&two, "/two", 2)] {
        write_files(store, worktree, build_batch(vec![build_version("a.rs", "a", 1)], &[])).await;
        write_edges(store, worktree, root, &[("a.rs", count)]).await;
    }
    write_files(store, &one, build_batch(vec![build_version("a.rs", "new", 1)], &[])).await;
    assert_eq!((changed_paths(store, &one).await.len(), changed_paths(store, &two).await.len()), (1, 0));
    assert_eq!(store.load_edges(&one).await.expect("reads"), build_edges(&[("a.rs", 1)]));
    assert_eq!(store.load_edges(&two).await.expect("reads"), build_edges(&[("a.rs", 2)]));
}

async fn write_redirects(store: &dyn Store, worktree: &WorktreeId, redirects: Vec<Redirect>) {
    let version = tree_version(store, "/one").await;
    store
        .write_edges(worktree, EdgeBatch { version, made: EDGE_FINGERPRINT, edges: Vec::new(), redirects })
        .await
        .expect("writes");
}

fn build_redirect(from: &str, to: &str) -> Redirect {
    Redirect { from: SymbolId::new("a.rs", from), to: SymbolId::new("b.rs", to) }
}

async fn redirects_come_oldest_first_and_the_newest_counts(stores: &StorePair) {
    let store = &*stores.first;
    let worktree = open_worktree(store, "p", "/one").await;
    let long = long_text("x");
    let odd = ODD_TEXTS[7];
    write_redirects(
        store,
        &worktree,
        vec![build_redirect("a", "1"), build_redirect("b", "2"), build_redirect("a", "3"), build_redirect(&long, odd)],
    )
    .await;
    write_redirects(store, &worktree, vec![build_redirect("b", "4"), build_redirect(odd, &long)]).await;
    write_redirects(store, &worktree, Vec::new()).await;
    let wanted =
        [build_redirect("a", "3"), build_redirect(&long, odd), build_redirect("b", "4"), build_redirect(odd, &long)];
    assert_eq!(stores.second.load_redirects(&project_id("p")).await.expect("reads"), wanted);
    assert_eq!(store.load_redirects(&project_id("q")).await.expect("reads"), []);
}

async fn only_so_many_redirects_are_kept(stores: &StorePair) {
    let store = &*stores.first;
    let worktree = open_worktree(store, "p", "/one").await;
    let many = |range: std::ops::Range<usize>| range.map(|n| build_redirect(&n.to_string(), "x")).collect();
    write_redirects(store, &worktree, many(0..Redirect::MAX_PER_PROJECT)).await;
    write_redirects(store, &worktree, many(Redirect::MAX_PER_PROJECT..Redirect::MAX_PER_PROJECT + 5)).await;
    let kept = store.load_redirects(&project_id("p")).await.expect("reads");
    assert_eq!(kept, many(5..Redirect::MAX_PER_PROJECT + 5));
}

async fn a_dropped_index_has_no_edges(stores: &StorePair) {
    let store = &*stores.first;
    let worktree = open_worktree(store, "p", "/one").await;
    write_files(store, &worktree, build_batch(vec![build_version("a.rs", "a", 1)], &[])).await;
    write_edges(store, &worktree, "/one", &[("a.rs", 1)]).await;
    write_redirects(store, &worktree, vec![build_redirect("a", "b")]).await;
    write_files(store, &worktree, build_batch(vec![build_version("a.rs", "new", 1)], &[])).await;
    stores.second.drop_index(&project_id("p")).await.expect("drops");
    let refused = store
        .write_edges(
            &worktree,
            EdgeBatch { version: TreeVersion(0), made: EDGE_FINGERPRINT, edges: Vec::new(), redirects: Vec::new() },
        )
        .await;
    assert!(matches!(refused, Err(Error::NotFound { what: "worktree", .. })), "{refused:?}");
    let again = open_worktree(store, "p", "/one").await;
    for worktree in [&worktree, &again] {
        assert_eq!(store.load_edges(worktree).await.expect("reads"), []);
        assert_eq!(store.load_changes(worktree).await.expect("reads"), []);
    }
    assert_eq!(store.load_redirects(&project_id("p")).await.expect("reads"), []);
}
