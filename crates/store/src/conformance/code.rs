//! Promises about what is read back of a project's code.

use super::sample::{ODD, batch, long_text, project, symbol, version};
use super::{Case, Stores, cases};
use crate::{
    CodeTotals, FileBatch, FileStamp, FileVersion, IndexedUnit, Postings, Store, StoredUnit, TermPostings, UnitId,
    WorktreeId,
};
use model::{ByteSpan, LineRange, SymbolId, SymbolKind};

cases! {
    files_come_back_ordered_by_path,
    symbols_come_back_in_file_order,
    units_come_in_the_order_asked,
    units_are_numbered_on_over_segments,
    postings_come_back_ordered_and_byte_for_byte,
    any_text_comes_back,
    a_path_may_be_longer_than_an_index_entry,
    totals_are_of_the_worktree,
    a_large_batch_comes_back,
    what_was_never_written_is_empty,
}

pub(super) async fn open(store: &dyn Store, name: &str, root: &str) -> WorktreeId {
    store.open_worktree(&project(name), root).await.expect("opens").0
}

pub(super) async fn write(store: &dyn Store, worktree: &WorktreeId, batch: FileBatch) {
    store.write_files(worktree, batch).await.expect("writes");
}

pub(super) async fn paths(store: &dyn Store, worktree: &WorktreeId) -> Vec<String> {
    store.worktree_files(worktree).await.expect("reads").into_iter().map(|file| file.path).collect()
}

async fn files_come_back_ordered_by_path(stores: &Stores) {
    let store = &*stores.first;
    let worktree = open(store, "p", "/one").await;
    let mut wanted: Vec<FileVersion> =
        ["b.rs", "a/z.rs", "a.rs", "a-b.rs", "Z.rs", "é.rs", "a/b.rs"].map(|path| version(path, path, 2)).to_vec();
    wanted[0].language = None;
    wanted[1].stamp = FileStamp { bytes: u64::MAX, modified: i64::MIN };
    wanted[2] = version("a.rs", "", 0);
    wanted[3].lines = u32::MAX;
    write(store, &worktree, batch(wanted.clone(), &[])).await;
    let mut first_unit = 0;
    let mut wanted: Vec<_> = wanted
        .into_iter()
        .map(|file| {
            first_unit += file.units.len() as u32;
            (first_unit - file.units.len() as u32, file)
        })
        .collect();
    wanted.sort_by(|(_, a), (_, b)| a.path.cmp(&b.path));
    let found = store.worktree_files(&worktree).await.expect("reads");
    assert_eq!(found.len(), wanted.len());
    for (found, (first_unit, wanted)) in found.iter().zip(&wanted) {
        assert_eq!(
            (&found.path, found.hash, found.stamp, &found.language, found.lines, found.first_unit.0, found.units),
            (
                &wanted.path,
                wanted.hash,
                wanted.stamp,
                &wanted.language,
                wanted.lines,
                *first_unit,
                wanted.units.len() as u32
            )
        );
    }
}

async fn symbols_come_back_in_file_order(stores: &Stores) {
    let store = &*stores.first;
    let worktree = open(store, "p", "/one").await;
    let mut file = version("a.rs", "a", 0);
    file.symbols = SymbolKind::ALL
        .iter()
        .enumerate()
        .map(|(place, (kind, word))| {
            let mut symbol = symbol("a.rs", word, 20 - place as u32);
            symbol.kind = *kind;
            symbol
        })
        .collect();
    file.symbols[0].span = ByteSpan { start: 0, end: u32::MAX };
    file.symbols[0].container = Some(SymbolId::new("a.rs", "a#b~2"));
    write(store, &worktree, batch(vec![file.clone(), version("b.rs", "b", 1)], &[])).await;
    assert_eq!(store.file_symbols(&worktree, "a.rs").await.expect("reads"), file.symbols);
    assert_eq!(store.file_symbols(&worktree, "c.rs").await.expect("reads"), []);
}

async fn units_come_in_the_order_asked(stores: &Stores) {
    let store = &*stores.first;
    let worktree = open(store, "p", "/one").await;
    let mut plain = version("b.rs", "b", 1);
    plain.units[0] = IndexedUnit { lines: LineRange { start: 1, end: u32::MAX }, symbol: None };
    write(store, &worktree, batch(vec![version("a.rs", "a", 3), plain], &[])).await;
    let asked = [2, 99, 0, 3, 2].map(UnitId);
    let found = store.units(&worktree, &asked).await.expect("reads");
    let unit = |number: u32, path: &str, name: Option<&str>, start: u32, end: u32| StoredUnit {
        unit: UnitId(number),
        path: path.to_owned(),
        lines: LineRange { start, end },
        symbol: name.map(|name| (SymbolId::new(path, name), SymbolKind::Function)),
    };
    let third = unit(2, "a.rs", Some("item3"), 3, 3);
    let wanted = [third.clone(), unit(0, "a.rs", Some("item1"), 1, 1), unit(3, "b.rs", None, 1, u32::MAX), third];
    assert_eq!(found, wanted);
    assert_eq!(store.units(&worktree, &[]).await.expect("reads"), []);
}

async fn units_are_numbered_on_over_segments(stores: &Stores) {
    let store = &*stores.first;
    let worktree = open(store, "p", "/one").await;
    for (path, units) in [("a.rs", 3), ("b.rs", 0), ("c.rs", 2)] {
        let mut batch = batch(vec![version(path, path, units)], &[]);
        batch.lengths = vec![0, units as u8, 255];
        write(store, &worktree, batch).await;
    }
    let segments = store.segments(&worktree).await.expect("reads");
    let mut found: Vec<_> = segments.iter().map(|s| (s.first_unit.0, s.units, s.lengths.clone())).collect();
    assert!(found.is_sorted_by_key(|(first, ..)| *first), "ordered by first unit");
    found.sort_unstable();
    assert_eq!(found, [(0, 3, vec![0, 3, 255]), (3, 0, vec![0, 0, 255]), (3, 2, vec![0, 2, 255])]);
    let all: Vec<UnitId> = (0..9).map(UnitId).collect();
    let found: Vec<_> = store.units(&worktree, &all).await.expect("reads").into_iter().map(|u| u.unit.0).collect();
    assert_eq!(found, [0, 1, 2, 3, 4]);
}

async fn postings_come_back_ordered_and_byte_for_byte(stores: &Stores) {
    let store = &*stores.first;
    let worktree = open(store, "p", "/one").await;
    let every_byte: Vec<u8> = (0..=255).cycle().take(10_000).collect();
    let mut first = batch(vec![version("a.rs", "a", 1)], &["b", "a", "a_b", "é", "ab"]);
    first.postings[0].bytes.clone_from(&every_byte);
    first.postings[1].bytes.clear();
    write(store, &worktree, first.clone()).await;
    write(store, &worktree, batch(vec![version("b.rs", "b", 1)], &["a", "é"])).await;
    let segments = store.segments(&worktree).await.expect("reads");
    let (one, two) = (segments[0].number, segments[1].number);
    let asked = ["é", "nowhere", "a", "ab", "a", "a_b"].map(str::to_owned);
    let found = store.postings(&worktree, &asked).await.expect("reads");
    let wanted =
        |segment: i64, term: &str, bytes: &[u8]| Postings { segment, term: term.to_owned(), bytes: bytes.to_vec() };
    let mut both = [wanted(one, "a", &every_byte), wanted(two, "a", b"a")];
    both.sort_by_key(|postings| postings.segment);
    assert_eq!(found[..2], both);
    let rest: Vec<_> = found[2..].iter().map(|postings| postings.term.as_str()).collect();
    assert_eq!(rest, ["a_b", "ab", "é", "é"], "ordered by the bytes of the term");
    assert_eq!(found[2].bytes, [0_u8; 0]);
    assert_eq!(store.postings(&worktree, &[]).await.expect("reads"), []);
}

async fn any_text_comes_back(stores: &Stores) {
    let store = &*stores.first;
    let mut versions = Vec::new();
    for text in ODD {
        let path = format!("dir/{text}");
        let mut file = version(&path, text, 2);
        file.language = Some((*text).to_owned());
        for symbol in &mut file.symbols {
            symbol.id = SymbolId::new(&path, text);
            (*text).clone_into(&mut symbol.name);
            symbol.container = Some(SymbolId::new(&path, text));
            (*text).clone_into(&mut symbol.signature);
            symbol.doc = Some((*text).to_owned());
        }
        versions.push(file);
    }
    let mut batch = batch(versions.clone(), ODD);
    batch.postings.dedup_by(|a, b| a.term == b.term);
    for root in ODD {
        let worktree = open(store, "p", &format!("/{root}")).await;
        assert_eq!(open(&*stores.second, "p", &format!("/{root}")).await, worktree);
        write(store, &worktree, batch.clone()).await;
        let found = store.worktree_files(&worktree).await.expect("reads");
        let mut wanted: Vec<_> = versions.iter().map(|file| (file.path.clone(), file.language.clone())).collect();
        wanted.sort_unstable();
        assert_eq!(found.into_iter().map(|file| (file.path, file.language)).collect::<Vec<_>>(), wanted);
        for file in &versions {
            assert_eq!(store.file_symbols(&worktree, &file.path).await.expect("reads"), file.symbols);
        }
    }
    let worktree = open(store, "p", "/").await;
    let unit = &store.units(&worktree, &[UnitId(4)]).await.expect("reads")[0];
    assert_eq!(unit.symbol.as_ref().map(|(id, _)| id), Some(&versions[2].symbols[0].id));
    let terms: Vec<String> = ODD.iter().map(|term| (*term).to_owned()).collect();
    let mut found: Vec<TermPostings> = Vec::new();
    for postings in store.postings(&worktree, &terms).await.expect("reads") {
        found.push(TermPostings { term: postings.term, bytes: postings.bytes });
    }
    found.dedup();
    assert_eq!(found, batch.postings);
}

async fn a_path_may_be_longer_than_an_index_entry(stores: &Stores) {
    let store = &*stores.first;
    let (root, path, other) = (format!("/{}", long_text("r")), long_text("a"), long_text("b"));
    let worktree = open(store, "p", &root).await;
    write(store, &worktree, batch(vec![version(&path, "a", 1), version(&other, "b", 1)], &[])).await;
    write(store, &worktree, batch(vec![version(&path, "c", 1)], &[])).await;
    let mut wanted = [path.clone(), other.clone()];
    wanted.sort_unstable();
    assert_eq!(paths(store, &worktree).await, wanted);
    let asked = [(path.clone(), version(&path, "c", 0).hash), (other.clone(), version(&other, "c", 0).hash)];
    let known = store.known_versions(&worktree, &asked).await.expect("reads");
    assert!(matches!(known[..], [Some(_), None]));
    write(store, &worktree, FileBatch { removed: vec![path], ..FileBatch::default() }).await;
    assert_eq!(paths(store, &worktree).await, [other]);
}

async fn totals_are_of_the_worktree(stores: &Stores) {
    let store = &*stores.first;
    let (one, two) = (open(store, "p", "/one").await, open(store, "p", "/two").await);
    write(store, &one, batch(vec![version("a.rs", "a", 3), version("b.rs", "b", 2)], &[])).await;
    write(store, &two, batch(vec![version("c.rs", "c", 1)], &[])).await;
    let totals = async |worktree| store.code_totals(worktree).await.expect("reads");
    assert_eq!(totals(&one).await, CodeTotals { files: 2, symbols: 5, edges: 3, units: 5 });
    assert_eq!(totals(&two).await, CodeTotals { files: 1, symbols: 1, edges: 0, units: 1 });
}

async fn a_large_batch_comes_back(stores: &Stores) {
    let store = &*stores.first;
    let worktree = open(store, "p", "/one").await;
    let versions: Vec<_> = (0..1_000).map(|n| version(&format!("src/{n}.rs"), &n.to_string(), 11)).collect();
    let terms: Vec<String> = (0..25_000).map(|n| format!("term{n}")).collect();
    let terms: Vec<&str> = terms.iter().map(String::as_str).collect();
    write(store, &worktree, batch(versions, &terms)).await;
    let totals = store.code_totals(&worktree).await.expect("reads");
    assert_eq!(totals, CodeTotals { files: 1_000, symbols: 11_000, edges: 10_000, units: 11_000 });
    let asked: Vec<String> = terms.iter().map(|term| (*term).to_owned()).collect();
    assert_eq!(store.postings(&worktree, &asked).await.expect("reads").len(), 25_000);
    let all: Vec<UnitId> = (0..11_000).map(UnitId).collect();
    assert_eq!(store.units(&worktree, &all).await.expect("reads").len(), 11_000);
}

async fn what_was_never_written_is_empty(stores: &Stores) {
    let store = &*stores.first;
    let worktree = open(store, "p", "/one").await;
    assert_eq!(paths(store, &worktree).await, [""; 0]);
    assert_eq!(store.segments(&worktree).await.expect("reads"), []);
    assert_eq!(store.code_totals(&worktree).await.expect("reads"), CodeTotals::default());
    write(store, &worktree, FileBatch::default()).await;
    assert_eq!(store.segments(&worktree).await.expect("reads"), []);
    assert_eq!(store.known_versions(&worktree, &[]).await.expect("reads"), []);
}
