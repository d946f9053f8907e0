//! Conformance tests that every store backend must pass, for reading a project's code index back: files, records,
//! postings, totals and symbol summaries.

use super::sample::{ODD_TEXTS, SAMPLE_FINGERPRINT, build_batch, build_version, long_text, project_id};
use super::{StoreCase, StorePair, cases};
use crate::{
    CodeTotals, FileBatch, FileId, FileRecord, FileRecordKind, FileStamp, FileVersion, Fingerprint, SegmentPostings,
    Store, TermPostings, WorktreeId,
};

cases! {
    a_worktree_has_an_identity_of_its_own,
    files_come_back_ordered_by_path,
    facts_come_back_byte_for_byte_in_the_order_asked,
    facts_of_a_worktree_come_ordered_by_path,
    files_are_found_by_their_paths,
    files_are_found_by_the_places_they_are_in,
    units_are_numbered_on_over_segments,
    postings_come_back_ordered_and_byte_for_byte,
    any_text_comes_back,
    a_path_may_be_longer_than_an_index_entry,
    totals_are_of_the_worktree,
    a_large_batch_comes_back,
    problems_are_of_the_files_a_worktree_has_now,
    what_was_never_written_is_empty,
    symbol_summaries_outlive_the_index,
}

pub(super) async fn open_worktree(store: &dyn Store, name: &str, root: &str) -> WorktreeId {
    store.open_worktree(&project_id(name), root).await.expect("opens").id
}

pub(super) async fn write_files(store: &dyn Store, worktree: &WorktreeId, batch: FileBatch) {
    store.write_files(worktree, batch).await.expect("writes");
}

pub(super) async fn file_paths(store: &dyn Store, worktree: &WorktreeId) -> Vec<String> {
    store.worktree_files(worktree).await.expect("reads").into_iter().map(|file| file.path).collect()
}

async fn a_worktree_has_an_identity_of_its_own(stores: &StorePair) {
    let mut found = Vec::new();
    for (store, name, root) in [
        (&stores.first, "p", "/one"),
        (&stores.second, "p", "/one"),
        (&stores.first, "p", "/two"),
        (&stores.first, "q", "/one"),
    ] {
        found.push(store.open_worktree(&project_id(name), root).await.expect("opens").identity);
    }
    assert_eq!(found[0], found[1], "of one worktree");
    found.sort_unstable();
    found.dedup();
    assert_eq!(found.len(), 3, "of three");
}

async fn files_come_back_ordered_by_path(stores: &StorePair) {
    let store = &*stores.first;
    let worktree = open_worktree(store, "p", "/one").await;
    // `a-b`, `a.rs` and `a/b` sort differently by bytes than by the rules of a language, which is what PostgreSQL may
    // do.
    let mut wanted: Vec<FileVersion> = ["b.rs", "a/z.rs", "a.rs", "a-b.rs", "Z.rs", "é.rs", "a/b.rs"]
        .map(|path| build_version(path, path, 2))
        .to_vec();
    wanted[0].language = None;
    // Numbers at their limits: both databases only have signed 64-bit integers.
    wanted[1].stamp = FileStamp { bytes: u64::MAX, modified: i64::MIN };
    wanted[2] = build_version("a.rs", "", 0);
    wanted[3].lines = u32::MAX;
    wanted[4].made = Fingerprint(i64::MIN);
    write_files(store, &worktree, build_batch(wanted.clone(), &[])).await;
    let mut first_unit = 0;
    let mut wanted: Vec<_> = wanted
        .into_iter()
        .map(|file| {
            first_unit += file.units;
            (first_unit - file.units, file)
        })
        .collect();
    wanted.sort_by(|(_, a), (_, b)| a.path.cmp(&b.path));
    let found = store.worktree_files(&worktree).await.expect("reads");
    assert_eq!(found.len(), wanted.len());
    for (found, (first_unit, wanted)) in found.iter().zip(&wanted) {
        assert_eq!((&found.path, found.hash, found.made), (&wanted.path, wanted.hash, wanted.made));
        assert_eq!((found.stamp, &found.language, found.lines), (wanted.stamp, &wanted.language, wanted.lines));
        assert_eq!((found.first_unit.0, found.units), (*first_unit, wanted.units));
    }
}

fn record_of(version: &FileVersion, record: FileRecordKind) -> &[u8] {
    match record {
        FileRecordKind::Symbols => &version.records.symbols,
        FileRecordKind::Texts => &version.records.texts,
        FileRecordKind::Uses => &version.records.uses,
        FileRecordKind::Vectors => &version.records.vectors,
        FileRecordKind::Document => &version.records.document,
    }
}

async fn facts_come_back_byte_for_byte_in_the_order_asked(stores: &StorePair) {
    let store = &*stores.first;
    let worktree = open_worktree(store, "p", "/one").await;
    let mut a = build_version("a.rs", "a", 1);
    let mut b = build_version("b.rs", "b", 2);
    a.records.symbols = (0..=255).cycle().take(100_000).collect();
    a.records.uses.clear();
    // Zeros alone, since a driver that takes bytes for text would end at the first.
    b.records.texts = vec![0; 3];
    write_files(store, &worktree, build_batch(vec![a.clone(), b.clone()], &[])).await;
    let files = store.worktree_files(&worktree).await.expect("reads");
    let first = files[0].file;
    let second = files[1].file;
    let other = open_worktree(store, "q", "/one").await;
    for record in FileRecordKind::ALL {
        // Asked twice and in between for one that does not exist: answers are matched by place.
        let found =
            store.load_records(&worktree, record, &[second, FileId(i64::MAX), first, second]).await.expect("reads");
        let a = Some(record_of(&a, record).to_vec());
        let b = Some(record_of(&b, record).to_vec());
        assert_eq!(found, [b.clone(), None, a, b], "{record:?}");
        assert_eq!(store.load_records(&worktree, record, &[]).await.expect("reads"), [None::<Vec<u8>>; 0]);
        assert_eq!(store.load_records(&other, record, &[first]).await.expect("reads"), [None], "projects never meet");
    }
}

async fn facts_of_a_worktree_come_ordered_by_path(stores: &StorePair) {
    let store = &*stores.first;
    let one = open_worktree(store, "p", "/one").await;
    let two = open_worktree(store, "p", "/two").await;
    let mut versions = ["b.rs", "a/z.rs", "a.rs", "a-b.rs", "é.rs"].map(|path| build_version(path, path, 2)).to_vec();
    versions[0].language = None;
    write_files(store, &one, build_batch(versions.clone(), &[])).await;
    write_files(store, &two, build_batch(vec![build_version("c.rs", "c", 1)], &[])).await;
    versions.sort_by(|a, b| a.path.cmp(&b.path));
    let files = store.worktree_files(&one).await.expect("reads");
    for record in FileRecordKind::ALL {
        let found = store.worktree_records(&one, record).await.expect("reads");
        let wanted = versions.iter().zip(&files).map(|(version, file)| FileRecord {
            path: version.path.clone(),
            file: file.file,
            language: version.language.clone(),
            lines: version.lines,
            bytes: record_of(version, record).to_vec(),
        });
        assert_eq!(found.files, wanted.collect::<Vec<_>>());
        assert_eq!(found.version, store.open_worktree(&project_id("p"), "/one").await.expect("opens").version);
    }
}

async fn files_are_found_by_their_paths(stores: &StorePair) {
    let store = &*stores.first;
    let one = open_worktree(store, "p", "/one").await;
    let two = open_worktree(store, "p", "/two").await;
    write_files(store, &one, build_batch(vec![build_version("a.rs", "a", 1), build_version("b.rs", "b", 1)], &[]))
        .await;
    // The same path in a second worktree is another file.
    write_files(store, &two, build_batch(vec![build_version("a.rs", "other", 1)], &[])).await;
    let files = store.worktree_files(&one).await.expect("reads");
    let asked = ["b.rs", "never.rs", "a.rs", "b.rs"].map(str::to_owned);
    let found = store.files_at(&one, &asked).await.expect("reads");
    let a = Some(files[0].clone());
    let b = Some(files[1].clone());
    assert_eq!(found, [b.clone(), None, a.clone(), b]);
    let other = store.files_at(&two, &asked).await.expect("reads");
    assert!(matches!(&other[..], [None, None, Some(file), None] if Some(file) != a.as_ref()), "{other:?}");
    assert_eq!(store.files_at(&one, &[]).await.expect("reads"), []);
}

async fn files_are_found_by_the_places_they_are_in(stores: &StorePair) {
    let store = &*stores.first;
    let one = open_worktree(store, "p", "/one").await;
    let two = open_worktree(store, "p", "/two").await;
    // Names around `a/`: `-` and `.` sort before `/`, `0` right after it; `_` and `%` are wildcards of LIKE.
    let paths = ["a", "a-b/c", "a.rs", "a/b", "a/b/c", "a/\0b", "a0", "b/a", "a_b", "aXb/c"];
    write_files(store, &one, build_batch(paths.map(|path| build_version(path, path, 1)).to_vec(), &[])).await;
    write_files(store, &two, build_batch(vec![build_version("a/two", "a", 1)], &[])).await;
    let check = async |places: &[&str], expected: &[&str]| {
        let places: Vec<String> = places.iter().map(|place| (*place).to_owned()).collect();
        let found = store.files_within(&one, &places).await.expect("reads");
        let all = store.worktree_files(&one).await.expect("reads");
        assert_eq!(found.iter().map(|file| &file.path).collect::<Vec<_>>(), expected, "{places:?}");
        assert!(found.iter().all(|file| all.contains(file)));
    };
    check(&["a"], &["a", "a/\0b", "a/b", "a/b/c"]).await;
    check(&["a/b", "a", "b", "nowhere"], &["a", "a/\0b", "a/b", "a/b/c", "b/a"]).await;
    check(&["a/b/c", "a.rs"], &["a.rs", "a/b/c"]).await;
    check(&["a_b", "a/%"], &["a_b"]).await;
    check(&[], &[]).await;
}

async fn units_are_numbered_on_over_segments(stores: &StorePair) {
    let store = &*stores.first;
    let worktree = open_worktree(store, "p", "/one").await;
    for (path, units) in [("a.rs", 3), ("b.rs", 0), ("c.rs", 2)] {
        // A file without units still has a place in the order, and shares its first number with the next file.
        let mut batch = build_batch(vec![build_version(path, path, units)], &[]);
        batch.lengths = vec![0, units as u8, 255];
        write_files(store, &worktree, batch).await;
    }
    let segments = store.load_segments(&worktree).await.expect("reads");
    let mut found: Vec<_> = segments.iter().map(|s| (s.first_unit.0, s.units, s.lengths.clone())).collect();
    assert!(found.is_sorted_by_key(|(first, ..)| *first), "ordered by first unit");
    found.sort_unstable();
    assert_eq!(found, [(0, 3, vec![0, 3, 255]), (3, 0, vec![0, 0, 255]), (3, 2, vec![0, 2, 255])]);
    let files = store.worktree_files(&worktree).await.expect("reads");
    assert_eq!(files.iter().map(|file| (file.first_unit.0, file.units)).collect::<Vec<_>>(), [(0, 3), (3, 0), (3, 2)]);
}

async fn postings_come_back_ordered_and_byte_for_byte(stores: &StorePair) {
    let store = &*stores.first;
    let worktree = open_worktree(store, "p", "/one").await;
    let every_byte: Vec<u8> = (0..=255).cycle().take(10_000).collect();
    let mut first = build_batch(vec![build_version("a.rs", "a", 1)], &["b", "a", "a_b", "é", "ab"]);
    first.postings[0].bytes.clone_from(&every_byte);
    first.postings[1].bytes.clear();
    write_files(store, &worktree, first.clone()).await;
    write_files(store, &worktree, build_batch(vec![build_version("b.rs", "b", 1)], &["a", "é"])).await;
    let segments = store.load_segments(&worktree).await.expect("reads");
    let one = segments[0].number;
    let two = segments[1].number;
    let asked = ["é", "nowhere", "a", "ab", "a", "a_b"].map(str::to_owned);
    let found = store.load_postings(&worktree, &asked).await.expect("reads");
    let wanted = |segment: i64, term: &str, bytes: &[u8]| SegmentPostings {
        segment,
        term: term.to_owned(),
        bytes: bytes.to_vec(),
    };
    let mut both = [wanted(one, "a", &every_byte), wanted(two, "a", b"a")];
    both.sort_by_key(|postings| postings.segment);
    assert_eq!(found[..2], both);
    let rest: Vec<_> = found[2..].iter().map(|postings| postings.term.as_str()).collect();
    assert_eq!(rest, ["a_b", "ab", "é", "é"], "ordered by the bytes of the term");
    assert_eq!(found[2].bytes, [0_u8; 0]);
    assert_eq!(store.load_postings(&worktree, &[]).await.expect("reads"), []);
}

async fn any_text_comes_back(stores: &StorePair) {
    let store = &*stores.first;
    let mut versions = Vec::new();
    for text in ODD_TEXTS {
        let path = format!("dir/{text}");
        let mut file = build_version(&path, text, 2);
        file.language = Some((*text).to_owned());
        versions.push(file);
    }
    let mut batch = build_batch(versions.clone(), ODD_TEXTS);
    batch.postings.dedup_by(|a, b| a.term == b.term);
    for root in ODD_TEXTS {
        let worktree = open_worktree(store, "p", &format!("/{root}")).await;
        assert_eq!(open_worktree(&*stores.second, "p", &format!("/{root}")).await, worktree);
        write_files(store, &worktree, batch.clone()).await;
        let found = store.worktree_files(&worktree).await.expect("reads");
        let mut wanted: Vec<_> = versions.iter().map(|file| (file.path.clone(), file.language.clone())).collect();
        wanted.sort_unstable();
        assert_eq!(found.into_iter().map(|file| (file.path, file.language)).collect::<Vec<_>>(), wanted);
    }
    let worktree = open_worktree(store, "p", "/").await;
    let terms: Vec<String> = ODD_TEXTS.iter().map(|term| (*term).to_owned()).collect();
    let mut found: Vec<TermPostings> = Vec::new();
    for postings in store.load_postings(&worktree, &terms).await.expect("reads") {
        found.push(TermPostings { term: postings.term, bytes: postings.bytes });
    }
    found.dedup();
    assert_eq!(found, batch.postings);
}

async fn a_path_may_be_longer_than_an_index_entry(stores: &StorePair) {
    let store = &*stores.first;
    // A B-tree entry of PostgreSQL holds about 2,700 bytes at most, so keys are hashes and not the texts.
    let root = format!("/{}", long_text("r"));
    let path = long_text("a");
    let other = long_text("b");
    let worktree = open_worktree(store, "p", &root).await;
    write_files(store, &worktree, build_batch(vec![build_version(&path, "a", 1), build_version(&other, "b", 1)], &[]))
        .await;
    write_files(store, &worktree, build_batch(vec![build_version(&path, "c", 1)], &[])).await;
    let mut wanted = [path.clone(), other.clone()];
    wanted.sort_unstable();
    assert_eq!(file_paths(store, &worktree).await, wanted);
    let hash = build_version(&path, "c", 0).hash;
    let asked = [(path.clone(), hash, SAMPLE_FINGERPRINT), (other.clone(), hash, SAMPLE_FINGERPRINT)];
    let known = store.known_versions(&worktree, &asked).await.expect("reads");
    assert!(matches!(known[..], [Some(_), None]));
    write_files(store, &worktree, FileBatch { removed: vec![path], ..FileBatch::default() }).await;
    assert_eq!(file_paths(store, &worktree).await, [other]);
}

async fn totals_are_of_the_worktree(stores: &StorePair) {
    let store = &*stores.first;
    let one = open_worktree(store, "p", "/one").await;
    let two = open_worktree(store, "p", "/two").await;
    write_files(store, &one, build_batch(vec![build_version("a.rs", "a", 3), build_version("b.rs", "b", 2)], &[]))
        .await;
    write_files(store, &two, build_batch(vec![build_version("c.rs", "c", 1)], &[])).await;
    let totals = async |worktree| store.code_totals(worktree).await.expect("reads");
    assert_eq!(totals(&one).await, CodeTotals { files: 2, symbols: 5, edges: 0, units: 5 });
    assert_eq!(totals(&two).await, CodeTotals { files: 1, symbols: 1, edges: 0, units: 1 });
}

async fn a_large_batch_comes_back(stores: &StorePair) {
    let store = &*stores.first;
    let worktree = open_worktree(store, "p", "/one").await;
    let versions: Vec<_> = (0..1_000).map(|n| build_version(&format!("src/{n}.rs"), &n.to_string(), 11)).collect();
    let terms: Vec<String> = (0..25_000).map(|n| format!("term{n}")).collect();
    let terms: Vec<&str> = terms.iter().map(String::as_str).collect();
    write_files(store, &worktree, build_batch(versions, &terms)).await;
    let totals = store.code_totals(&worktree).await.expect("reads");
    assert_eq!(totals, CodeTotals { files: 1_000, symbols: 11_000, edges: 0, units: 11_000 });
    let asked: Vec<String> = terms.iter().map(|term| (*term).to_owned()).collect();
    assert_eq!(store.load_postings(&worktree, &asked).await.expect("reads").len(), 25_000);
    assert_eq!(store.worktree_records(&worktree, FileRecordKind::Uses).await.expect("reads").files.len(), 1_000);
}

async fn problems_are_of_the_files_a_worktree_has_now(stores: &StorePair) {
    let store = &*stores.first;
    let worktree = open_worktree(store, "p", "/one").await;
    let other = open_worktree(store, "p", "/two").await;
    let with = |path: &str, text: &str, problems: &[&str]| FileVersion {
        problems: problems.iter().map(|&problem| problem.to_owned()).collect(),
        ..build_version(path, text, 1)
    };
    let versions =
        vec![with("b.rs", "b", &["minified", "odd \u{0}"]), with("a.rs", "a", &[]), with("Z.rs", "z", &["x"])];
    write_files(store, &worktree, build_batch(versions, &[])).await;
    let told = async |worktree: &WorktreeId| store.file_problems(worktree).await.expect("reads");
    let of = |path: &str, problems: &[&str]| {
        (path.to_owned(), problems.iter().map(|&problem| problem.to_owned()).collect::<Vec<_>>())
    };
    assert_eq!(told(&worktree).await, [of("Z.rs", &["x"]), of("b.rs", &["minified", "odd \u{0}"])]);
    assert_eq!(told(&other).await, []);
    write_files(store, &worktree, build_batch(vec![with("b.rs", "better", &[])], &[])).await;
    assert_eq!(told(&worktree).await, [of("Z.rs", &["x"])]);
}

async fn what_was_never_written_is_empty(stores: &StorePair) {
    let store = &*stores.first;
    let worktree = open_worktree(store, "p", "/one").await;
    assert_eq!(file_paths(store, &worktree).await, [""; 0]);
    assert_eq!(store.load_segments(&worktree).await.expect("reads"), []);
    assert_eq!(store.code_totals(&worktree).await.expect("reads"), CodeTotals::default());
    // An empty batch is a run that found nothing new: an empty segment for each would slow every later query.
    write_files(store, &worktree, FileBatch::default()).await;
    assert_eq!(store.load_segments(&worktree).await.expect("reads"), []);
    assert_eq!(store.known_versions(&worktree, &[]).await.expect("reads"), []);
}

async fn symbol_summaries_outlive_the_index(stores: &StorePair) {
    let p = project_id("p");
    let q = project_id("q");
    let key = |text: &str| model::ContentHash::hash_bytes(text.as_bytes());
    let of = |key: model::ContentHash, text: &str| (key, text.to_owned());
    let odd: Vec<_> = ODD_TEXTS.iter().map(|text| of(key(text), text)).collect();
    stores.first.write_symbol_summaries(&p, odd.clone()).await.expect("writes");
    stores.first.write_symbol_summaries(&p, Vec::new()).await.expect("writes nothing");
    // The same key twice in one statement is an error of PostgreSQL's `ON CONFLICT` unless it is handled.
    let twice = vec![of(key("a"), "old"), of(key("a"), "newer")];
    stores.second.write_symbol_summaries(&p, twice).await.expect("writes");
    let before = stores.first.symbol_summary_revision(&p).await.expect("reads");
    stores.second.write_symbol_summaries(&p, vec![of(key("a"), "newest")]).await.expect("writes");
    let after = stores.first.symbol_summary_revision(&p).await.expect("reads");
    assert!(0 < before && before < after, "a summary that is replaced is another one: {before} {after}");
    stores.first.write_model_answers(&p, vec![of(key("question"), "answer")]).await.expect("writes");
    assert_eq!(stores.second.symbol_summary_revision(&p).await.expect("reads"), after, "an answer is no summary");
    assert_eq!(stores.first.symbol_summary_revision(&q).await.expect("reads"), 0);
    // Summaries were paid for, and an index can be built again from the files.
    stores.first.drop_index(&p).await.expect("drops");

    let mut keys: Vec<_> = odd.iter().map(|(key, _)| *key).collect();
    keys.extend([key("a"), key("never"), key("a"), key("question")]);
    let mut wanted: Vec<_> = odd.into_iter().map(|(_, text)| Some(text)).collect();
    wanted.extend([Some("newest".to_owned()), None, Some("newest".to_owned()), Some("answer".to_owned())]);
    assert_eq!(stores.second.symbol_summaries(&p, &keys).await.expect("reads"), wanted);
    assert_eq!(stores.second.symbol_summaries(&q, &[key("a")]).await.expect("reads"), [None]);
}
