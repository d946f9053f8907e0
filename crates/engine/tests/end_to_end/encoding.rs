//! Regions in the order of an encoder: only where it has read all of them, and it reads them in the background.

use super::house::{House, engine_in, home, write};
use engine::{AnswerQuery, EncodeReport, Engine, ErrorKind, IndexRequest, NullObserver, Project};
use model::TokenCount;
use providers::{EmbeddingModel, TextEncoder, Vector};
use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Everything that says `wanted` points the way of the question.
struct Pointing {
    model: EmbeddingModel,
    texts: AtomicUsize,
}

impl Pointing {
    fn new() -> Arc<Self> {
        let model = EmbeddingModel { name: Cow::Borrowed("test/pointing"), version: Cow::Borrowed("1"), dimensions: 2 };
        Arc::new(Self { model, texts: AtomicUsize::new(0) })
    }
}

impl TextEncoder for Pointing {
    fn model(&self) -> &EmbeddingModel {
        &self.model
    }

    fn encode_text(&self, text: &str) -> Option<Vector> {
        self.texts.fetch_add(1, Ordering::SeqCst);
        let is_near = text.contains("wanted") || text.starts_with("where is");
        Vector::new(if is_near { &[1.0, 0.0] } else { &[0.0, 1.0] })
    }
}

const FILES: &[(&str, &str)] = &[
    ("src/ledger.py", "def balance_ledger(account):\n    return account.ledger.balance()\n"),
    ("src/other.py", "def balance_other(account):\n    wanted = account.ledger\n    return wanted.balance()\n"),
    ("src/third.py", "def close(account):\n    account.balance = None\n    return account\n"),
];

const QUESTION: &str = "where is the ledger of an account balanced";

fn asking(query: &str) -> AnswerQuery {
    AnswerQuery { query: query.to_owned(), budget: TokenCount(2_000), anyway: true, ..AnswerQuery::default() }
}

async fn first_place(engine: &Engine, project: &Project) -> String {
    let context = engine.build_answer(project, asking(QUESTION)).await.expect("an answer");
    context.items.first().expect("an item").source.clone()
}

#[tokio::test]
async fn the_first_regions_are_in_the_order_of_an_encoder_that_has_read_them() {
    let (directory, project) = home(FILES);
    let encoder = Pointing::new();
    let house = House { engine: engine_in(directory.path()).with_encoder(encoder.clone()), directory, project };
    let House { engine, project, .. } = &house;
    engine.index_project(project, IndexRequest::default(), &NullObserver).await.expect("an index");
    assert!(first_place(engine, project).await.starts_with("src/ledger.py"));
    assert_eq!(encoder.texts.load(Ordering::SeqCst), 0, "nobody stays with the project: nothing is read for it");
    let report = engine.encode_project(project, &NullObserver).await.expect("it reads");
    assert_eq!((report, encoder.texts.load(Ordering::SeqCst)), (EncodeReport { read: 3, left: 0 }, 3));
    assert!(first_place(engine, project).await.starts_with("src/other.py"));
    assert_eq!(encoder.texts.load(Ordering::SeqCst), 4, "the question, and no region again");
    engine.encode_project(project, &NullObserver).await.expect("it reads");
    assert_eq!(encoder.texts.load(Ordering::SeqCst), 4);
    // One that it has not read is enough for the order of before.
    write(&project.root, "src/third.py", "def close(account):\n    account.ledger = None\n    return account\n");
    engine.index_project(project, IndexRequest::default(), &NullObserver).await.expect("an index");
    assert!(first_place(engine, project).await.starts_with("src/ledger.py"));
}

#[tokio::test(flavor = "multi_thread")]
async fn regions_of_a_watched_project_are_read_behind_the_answers() {
    let (directory, project) = home(FILES);
    let encoder = Pointing::new();
    let engine = engine_in(directory.path()).with_encoder(encoder.clone());
    let watch = engine.watch_project(&project).expect("a watch");
    engine.index_project(&project, IndexRequest::default(), &NullObserver).await.expect("an index");
    assert!(first_place(&engine, &project).await.starts_with("src/ledger.py"));
    let mut tries = 0;
    while !first_place(&engine, &project).await.starts_with("src/other.py") {
        tries += 1;
        assert!(tries < 400, "the regions were never read");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    drop(watch);
}

#[tokio::test]
async fn a_report_keeps_its_order() {
    let (directory, project) = home(FILES);
    let encoder = Pointing::new();
    let engine = engine_in(directory.path()).with_encoder(encoder.clone());
    engine.index_project(&project, IndexRequest::default(), &NullObserver).await.expect("an index");
    engine.encode_project(&project, &NullObserver).await.expect("it reads");
    let query = format!("{QUESTION}\n\nWhen I close an account, the sum of its entries is not what the page shows.");
    let context = engine.build_answer(&project, asking(&query)).await.expect("an answer");
    assert!(context.items[0].source.starts_with("src/ledger.py"), "{:?}", context.items[0].source);
    assert_eq!(encoder.texts.load(Ordering::SeqCst), 3, "it reads no report");
}

/// A server has many projects: what one of them found is read there and kept there.
#[tokio::test(flavor = "multi_thread")]
async fn regions_of_two_projects_are_read_each_in_its_own() {
    let (directory, project) = home(FILES);
    let root = directory.path().join("another");
    for (path, text) in FILES {
        write(&root, path, text.replace("account", "customer"));
    }
    let another = Project::from_directory(&root).expect("a project");
    let encoder = Pointing::new();
    let engine = engine_in(directory.path()).with_encoder(encoder.clone());
    let watches = [&project, &another].map(|project| engine.watch_project(project).expect("a watch"));
    for project in [&project, &another] {
        engine.index_project(project, IndexRequest::default(), &NullObserver).await.expect("an index");
    }
    let mut tries = 0;
    loop {
        let one = first_place(&engine, &project).await;
        let other = first_place(&engine, &another).await;
        if one.starts_with("src/other.py") && other.starts_with("src/other.py") {
            break;
        }
        tries += 1;
        assert!(tries < 400, "{one}, {other}: the regions of both are never read");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    drop(watches);
}

#[tokio::test]
async fn who_turned_the_encoder_off_is_told_so() {
    let (directory, project) = home(FILES);
    let engine = engine_in(directory.path());
    let error = engine.encode_project(&project, &NullObserver).await.expect_err("there is no encoder");
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert!(error.to_string().contains("context.encoder"), "{error}");
}
