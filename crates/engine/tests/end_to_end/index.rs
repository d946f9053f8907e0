//! The index stays true through edits: only what differs is made again, and the result is that of starting anew.

use super::house::{Noon, home, store_in, write};
use engine::{
    Engine, EngineSettings, IndexRequest, IndexSettings, NullObserver, Observer, Project, ReadRequest, SearchRequest,
    SymbolRequest,
};
use model::{ContentHash, SymbolHandle, SymbolId, Timestamp};
use proptest::collection::vec;
use proptest::prelude::*;
use std::path::Path;
use std::sync::Arc;
use store::sqlite::SqliteStore;
use store::{CodeStore as _, FileBatch, FileRecords, FileStamp, FileVersion, Fingerprint, TermPostings};

struct House {
    _directory: tempfile::TempDir,
    store: Arc<SqliteStore>,
    project: Project,
}

impl House {
    fn new() -> Self {
        let (directory, project) = home(&[]);
        Self { store: Arc::new(store_in(directory.path())), _directory: directory, project }
    }

    fn engine(&self, max_file_bytes: u64, languages: &[&str]) -> Engine {
        let languages = languages.iter().map(|&name| name.to_owned()).collect();
        let settings = EngineSettings {
            index: IndexSettings { max_file_bytes, languages, ..IndexSettings::default() },
            ..EngineSettings::default()
        };
        Engine::new(self.store.clone(), Arc::new(Noon), settings)
    }

    fn write(&self, path: &str, text: &str) {
        write(&self.project.root, path, text);
    }

    fn remove(&self, path: &str) {
        let _ = fs_err::remove_file(self.project.root.join(path));
    }
}

async fn index(engine: &Engine, project: &Project) -> u64 {
    engine.index_project(project, IndexRequest::default(), &NullObserver).await.expect("a report").indexed
}

/// What questions get for answers.
async fn answers(engine: &Engine, project: &Project) -> String {
    // Brings edges up to date as well: how much a file is used is part of its score, and may be of a moment ago.
    let report = engine.index_project(project, IndexRequest::default(), &NullObserver).await.expect("a report");
    let mut told = format!("{:?}\n", report.totals);
    for query in ["water the tree", "plant", "grow leaf", "class"] {
        let request = SearchRequest { query: query.to_owned(), limit: 20, ..SearchRequest::default() };
        let reply = engine.search(project, request).await.expect("an answer");
        for hit in reply.hits {
            let symbol = hit.symbol.map(|(id, kind)| format!("{id} {kind}"));
            told += &format!(
                "{}:{}-{} {symbol:?} {:.4} {}\n",
                hit.path, hit.lines.start, hit.lines.end, hit.score, hit.why
            );
        }
    }
    told
}

#[tokio::test]
async fn a_setting_makes_again_what_it_touches_and_nothing_else() {
    let house = House::new();
    house.write("a.py", "def plant(): pass\n");
    house.write("b.go", "package b\nfunc Grow() {}\n");
    house.write("long.py", &"def water(): pass\n".repeat(100));
    house.write("notes.txt", "grow\n");
    let all = house.engine(1 << 20, &[]);
    assert_eq!(index(&all, &house.project).await, 4);
    let python = house.engine(1 << 20, &["python"]);
    assert_eq!(index(&python, &house.project).await, 2, "neither Go nor plain text is asked for any more");
    assert_eq!(index(&python, &house.project).await, 0);
    let short = house.engine(1_000, &["python"]);
    assert_eq!(index(&short, &house.project).await, 1, "one file is over the limit now");
    assert_eq!(index(&all, &house.project).await, 3);
    assert_eq!(index(&all, &house.project).await, 0);
}

#[tokio::test]
async fn many_small_saves_leave_few_segments_and_the_answers_of_a_fresh_index() {
    let house = House::new();
    let engine = house.engine(1 << 20, &[]);
    for save in 0..60 {
        house.write(
            &format!("f{}.py", save % 13),
            &format!("class Tree{save}:\n    def grow(self):\n        plant(water)\n"),
        );
        index(&engine, &house.project).await;
    }
    let told = answers(&engine, &house.project).await;
    let worktree = house.store.open_worktree(&house.project.id, &house.project.root.to_string_lossy()).await;
    let segments = house.store.load_segments(&worktree.expect("opens").id).await.expect("reads");
    assert!(segments.len() <= 16, "{} segments", segments.len());
    engine
        .index_project(&house.project, IndexRequest { rebuild: true, ..IndexRequest::default() }, &NullObserver)
        .await
        .expect("a report");
    assert_eq!(told, answers(&engine, &house.project).await);
}

/// Stops after the files are written, before edges are.
struct Impatient;

impl Observer for Impatient {
    fn report_progress(&self, what: &'static str, _done: u64, _total: u64) {
        assert_ne!(what, "resolving", "it was told to stop");
    }

    fn is_cancelled(&self) -> bool {
        false
    }
}

#[tokio::test]
async fn a_run_that_was_cut_off_is_made_good_by_the_next() {
    let house = House::new();
    house.write("a.py", "from b import plant\n\ndef grow():\n    plant()\n");
    house.write("b.py", "def plant(): pass\n");
    let engine = house.engine(1 << 20, &[]);
    assert_eq!(index(&engine, &house.project).await, 2);
    house.write("b.py", "def water(): pass\n");
    let engine = Arc::new(engine);
    let project = house.project.clone();
    let cut = tokio::spawn({
        let engine = Arc::clone(&engine);
        let project = project.clone();
        async move { engine.index_project(&project, IndexRequest::default(), &Impatient).await.map(drop) }
    });
    assert!(cut.await.is_err(), "it was cut off");
    let told = answers(&engine, &project).await;
    engine
        .index_project(&project, IndexRequest { rebuild: true, ..IndexRequest::default() }, &NullObserver)
        .await
        .expect("a report");
    assert_eq!(told, answers(&engine, &project).await);
}

/// A file as a version of the program wrote it whose postings had three bytes for a word that stands once in a body: how
/// far it is, which fields, how often.
fn written_before(path: &str, text: &str, stamp: FileStamp) -> FileBatch {
    let version = FileVersion {
        path: path.to_owned(),
        hash: ContentHash::hash_bytes(text.as_bytes()),
        made: Fingerprint(5),
        stamp,
        language: Some("python".to_owned()),
        lines: 1,
        symbols: 0,
        units: 1,
        problems: Vec::new(),
        records: FileRecords {
            symbols: Vec::new(),
            texts: Vec::new(),
            uses: Vec::new(),
            vectors: Vec::new(),
            document: Vec::new(),
        },
    };
    let posting = |term: &str| TermPostings { term: term.to_owned(), bytes: vec![0, 0b1_0000, 1] };
    FileBatch {
        versions: vec![version],
        lengths: vec![0, 0, 0, 0, 2],
        postings: vec![posting("plant"), posting("water")],
        ..FileBatch::default()
    }
}

#[tokio::test]
async fn an_index_of_another_format_is_made_anew_for_the_question() {
    let house = House::new();
    let text = "def plant(): water()\n";
    house.write("a.py", text);
    let worktree = house.store.open_worktree(&house.project.id, &house.project.root.to_string_lossy()).await;
    let worktree = worktree.expect("opens").id;
    let modified = fs_err::metadata(house.project.root.join("a.py")).and_then(|it| it.modified()).expect("a file");
    let modified = modified.duration_since(std::time::UNIX_EPOCH).expect("after the epoch").as_nanos() as i64;
    let stamp = FileStamp { bytes: text.len() as u64, modified };
    house.store.write_files(&worktree, written_before("a.py", text, stamp)).await.expect("writes");
    house.store.finish_index(&worktree, Timestamp(1)).await.expect("finishes");
    let before = house.store.load_segments(&worktree).await.expect("reads");
    assert_eq!(before.len(), 1, "that index was whole");
    let engine = house.engine(1 << 20, &[]);
    let told = answers(&engine, &house.project).await;
    let after = house.store.load_segments(&worktree).await.expect("reads");
    assert_eq!(after.len(), 1);
    assert_ne!(after[0].number, before[0].number, "what was written before is gone");
    engine
        .index_project(&house.project, IndexRequest { rebuild: true, ..IndexRequest::default() }, &NullObserver)
        .await
        .expect("a report");
    assert_eq!(told, answers(&engine, &house.project).await);
    assert!(told.contains("a.py#plant"), "{told}");
}

const LONG_METHOD_BODY: &str =
    "(self, can, bed):\n        wet = can.pour(bed.soil, bed.depth + 1)\n        return wet.total() - bed.lost\n";

#[tokio::test]
async fn an_old_id_or_handle_leads_to_where_the_symbol_went() {
    let house = House::new();
    let engine = house.engine(1 << 20, &[]);
    let class = |name: &str, method: &str| format!("class {name}:\n    def {method}{LONG_METHOD_BODY}");
    house.write("garden.py", &class("Garden", "water"));
    house.write("other.py", "def plant(): pass\n");
    index(&engine, &house.project).await;
    let old = SymbolId::new("garden.py", "Garden.water");
    let steps = [
        ("garden.py", class("Garden", "sprinkle"), "garden.py#Garden.sprinkle"),
        ("garden.py", class("Park", "sprinkle"), "garden.py#Park.sprinkle"),
        ("yard.py", class("Park", "sprinkle"), "yard.py#Park.sprinkle"),
    ];
    for (path, text, now) in &steps {
        house.remove("garden.py");
        house.write(path, text);
        index(&engine, &house.project).await;
        for asked in [old.to_string(), SymbolHandle::from_symbol(&old).to_string()] {
            let request = ReadRequest { targets: vec![asked.clone()], ..ReadRequest::default() };
            let reply = engine.read(&house.project, request).await.expect("it is found");
            let item = &reply.items[0];
            assert_eq!((item.id.as_str(), item.moved_from.as_deref()), (*now, Some(old.as_str())), "{asked}");
            assert!(item.text.contains("can.pour"), "{}", item.text);
        }
    }
    // What has the id again is meant by it.
    house.write("garden.py", &class("Garden", "water"));
    let request = ReadRequest { targets: vec![old.to_string()], ..ReadRequest::default() };
    let reply = engine.read(&house.project, request).await.expect("it is found");
    assert_eq!((reply.items[0].id.as_str(), reply.items[0].moved_from.as_deref()), (old.as_str(), None));
}

#[tokio::test]
async fn a_symbol_is_read_by_a_name_that_only_it_has() {
    let house = House::new();
    let engine = house.engine(1 << 20, &[]);
    house.write("garden.py", "class Garden:\n    def water(self): pass\n\nclass Park:\n    def water(self): pass\n");
    let read = async |target: &str| {
        let request = ReadRequest { targets: vec![target.to_owned()], ..ReadRequest::default() };
        engine.read(&house.project, request).await.map(|reply| reply.items[0].id.clone())
    };
    assert_eq!(read("Park.water").await.expect("it is found"), "garden.py#Park.water");
    assert_eq!(read("Garden").await.expect("it is found"), "garden.py#Garden");
    assert_eq!(read("water").await.expect("each is shown"), "garden.py#Garden.water");
    let words = read("nowhere").await.expect_err("there is none").to_string();
    assert_eq!(words, "file `nowhere` does not exist");
}

const PIECES: [&str; 8] = [
    "from b import plant\n",
    "from a import *\n",
    "class Tree(Leaf):\n    def grow(self):\n        return self.fall().total(1 + 2)\n",
    "class Leaf:\n    def fall(self) -> Tree:\n        return Tree()\n",
    "def plant(tree: Tree):\n    tree.grow().fall()\n    water(tree)\n",
    "def water(tree):\n    plant(tree)\n    leaf = Leaf()\n    return leaf.fall()\n",
    "leaf = plant(Tree())\nleaf.grow()\n",
    "# nothing\n",
];

fn save(root: &Path, path: &str, pieces: &[usize]) {
    let text: String = pieces.iter().map(|piece| PIECES[*piece]).collect();
    fs_err::write(root.join(path), text).expect("a file");
}

#[tokio::test]
async fn words_that_are_gone_weigh_nothing() {
    let house = House::new();
    house.write("a.py", "def zephir_leaves(): return 'azure basalt cobalt'\n");
    house.write("b.py", "def zephyr_leaves(): return 'water the tree'\n");
    house.write("c.py", "def rest(): return 'nothing else'\n");
    let engine = house.engine(1 << 20, &[]);
    index(&engine, &house.project).await;
    house.remove("a.py");
    let ask = async |engine: &Engine, query: &str| {
        let request = SearchRequest { query: query.to_owned(), limit: 5, ..SearchRequest::default() };
        let reply = engine.search(&house.project, request).await.expect("an answer");
        (reply.hits.into_iter().map(|hit| (hit.path, hit.score)).collect::<Vec<_>>(), reply.corrected)
    };
    let other = House::new();
    let anew = Engine::new(other.store.clone(), Arc::new(Noon), EngineSettings::default());
    let long = "water the azure basalt cobalt tree";
    let mistyped = "zephir_leaves";
    assert_eq!(ask(&engine, long).await, ask(&anew, long).await);
    let (found, corrected) = ask(&engine, mistyped).await;
    assert_eq!(corrected.len(), 1, "nothing is called so any more");
    assert_eq!((found, corrected), ask(&anew, mistyped).await);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    /// Whatever is written and removed: what the index says is what one made anew says.
    #[test]
    fn an_index_kept_up_is_one_made_anew(
        steps in vec((0..3usize, proptest::option::weighted(0.85, vec(0..PIECES.len(), 0..4)), any::<bool>()), 1..8)
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let house = House::new();
            let engine = house.engine(1 << 20, &[]);
            for (file, pieces, asks) in &steps {
                let path = ["a.py", "b.py", "c.py"][*file];
                match pieces {
                    Some(pieces) => save(&house.project.root, path, pieces),
                    None => house.remove(path),
                }
                if *asks {
                    // A question that needs no edges leaves them as they are.
                    let request = SearchRequest { query: "tree".to_owned(), limit: 1, ..SearchRequest::default() };
                    engine.search(&house.project, request).await.expect("an answer");
                } else {
                    index(&engine, &house.project).await;
                }
            }
            let told = facts(&engine, &house.project).await;
            engine.index_project(&house.project, IndexRequest { rebuild: true, ..IndexRequest::default() }, &NullObserver).await.expect("a report");
            prop_assert_eq!(told, facts(&engine, &house.project).await);
            Ok(())
        })?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 5, ..ProptestConfig::default() })]

    /// Whatever is written, removed and put back, with edges made at any time: what ranking knows is what it would know
    /// if it had just been read. There are enough other files that it goes on from what it knew, and enough steps that
    /// segments are put together on the way.
    #[test]
    fn an_answer_kept_up_is_one_made_anew(
        steps in vec((0..3usize, proptest::option::weighted(0.8, vec(0..PIECES.len(), 0..4)), any::<bool>()), 1..20)
    ) {
        answers_keep_up(&steps)?;
    }
}

#[test]
fn a_file_that_comes_back_counts_for_what_it_uses() {
    answers_keep_up(&[(0, Some(vec![2]), false), (2, None, false), (2, Some(vec![6]), false)])
        .expect("the same answers");
}

#[test]
fn edges_of_a_file_that_was_removed_count_no_more() {
    let steps = [
        (0, Some(vec![3, 0, 0]), true),
        (1, Some(vec![]), false),
        (1, Some(vec![4]), true),
        (0, Some(vec![1, 6]), true),
        (1, Some(vec![3, 1, 2]), true),
        (2, Some(vec![6, 3]), true),
        (1, None, false),
        (0, None, false),
        (2, Some(vec![2]), true),
        (0, Some(vec![6, 6]), false),
        (1, Some(vec![]), false),
        (2, Some(vec![6]), false),
    ];
    answers_keep_up(&steps).expect("the same answers");
}

/// A file, what is saved there or that it is removed, and whether edges are made then.
type Step = (usize, Option<Vec<usize>>, bool);

fn answers_keep_up(steps: &[Step]) -> Result<(), TestCaseError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let house = House::new();
        for number in 0..60 {
            save(&house.project.root, &format!("other_{number}.py"), &[number % PIECES.len(), number % 3]);
        }
        let engine = house.engine(1 << 20, &[]);
        for (file, pieces, makes_edges) in steps {
            let path = ["a.py", "b.py", "other_7.py"][*file];
            match pieces {
                Some(pieces) => save(&house.project.root, path, pieces),
                None => house.remove(path),
            }
            if *makes_edges {
                index(&engine, &house.project).await;
            }
            for query in ["plant a tree", "other 7 fall"] {
                let kept = ranked(&engine, &house.project, query).await;
                let anew = ranked(&house.engine(1 << 20, &[]), &house.project, query).await;
                prop_assert_eq!(kept, anew, "{} after {:?}", query, steps);
            }
        }
        Ok(())
    })
}

/// Every file that a question finds, and what speaks for it.
async fn ranked(engine: &Engine, project: &Project, query: &str) -> Vec<String> {
    let request = SearchRequest { query: query.to_owned(), limit: 70, ..SearchRequest::default() };
    let hits = engine.search(project, request).await.expect("an answer").hits;
    let told = |hit: &engine::SearchHit| format!("{}:{:?} {:?} {:?}", hit.path, hit.lines, hit.symbol, hit.parts);
    hits.iter().map(told).collect()
}

/// Every symbol, edge and answer.
async fn facts(engine: &Engine, project: &Project) -> String {
    let mut told = answers(engine, project).await;
    for name in ["Tree", "Leaf", "plant", "water", "grow", "fall", "leaf"] {
        let request = SymbolRequest { name: name.to_owned(), kinds: Vec::new(), path: None, limit: 50 };
        let reply = engine.find_symbols(project, request).await.expect("an answer");
        told += &format!("{:?}\n", reply.hits);
    }
    engine
        .export_graph(project, &mut |line| {
            told += &format!("{line:?}\n");
            std::ops::ControlFlow::Continue(())
        })
        .await
        .expect("an export");
    told
}

/// A function somewhere: which text it has, its file and its name.
#[derive(Clone)]
struct Placed {
    text: usize,
    file: usize,
    name: String,
}

impl Placed {
    fn id(&self) -> SymbolId {
        SymbolId::new(&format!("f{}.py", self.file), &self.name)
    }

    fn written(&self) -> String {
        let name = &self.name;
        let text = self.text;
        format!(
            "def {name}(bed, can):\n    wet = can.pour(bed.soil_{text}, {text})\n    return wet.total() - {name}\n\n\n"
        )
    }
}

fn lay_out(house: &House, all: &[Placed], padding: usize) {
    for file in 0..3 {
        let mut text = "# a line\n".repeat(padding);
        text.extend(all.iter().filter(|placed| placed.file == file).map(Placed::written));
        house.write(&format!("f{file}.py"), &text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10, ..ProptestConfig::default() })]

    /// However often a symbol is renamed or moved, and whatever is written around it: the id it had first leads to it.
    #[test]
    fn renames_and_moves_leave_a_way(steps in vec((0..4usize, 0..3usize, any::<bool>(), 0..3usize), 1..7)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let house = House::new();
            let engine = house.engine(1 << 20, &[]);
            let mut all: Vec<Placed> =
                (0..4).map(|text| Placed { text, file: text % 3, name: format!("first_{text}") }).collect();
            let first: Vec<SymbolId> = all.iter().map(Placed::id).collect();
            lay_out(&house, &all, 0);
            index(&engine, &house.project).await;
            for (step, (which, file, renames, padding)) in steps.iter().enumerate() {
                if *renames {
                    all[*which].name = format!("later_{step}");
                } else {
                    all[*which].file = *file;
                }
                lay_out(&house, &all, *padding);
                index(&engine, &house.project).await;
                for (first, placed) in first.iter().zip(&all) {
                    let request = ReadRequest { targets: vec![first.to_string()], ..ReadRequest::default() };
                    let reply = engine.read(&house.project, request).await.expect("it is found");
                    let id = &reply.items[0].id;
                    let moved_from = &reply.items[0].moved_from;
                    prop_assert_eq!(id, &placed.id().to_string());
                    prop_assert_eq!(moved_from.is_some(), *first != placed.id());
                }
            }
            Ok(())
        })?;
    }
}
