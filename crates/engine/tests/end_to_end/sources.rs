//! A local encoder as the source of vectors: put beside the static model, it is filled when the index is made, free and
//! unasked, and compares meaning once it has everything.

use super::house::{Noon, home, store_in};
use async_trait::async_trait;
use engine::{Engine, IndexRequest, Project, Providers, SearchReply, SearchRequest, Settings, Unobserved};
use providers::vendors::builtin::Builtin;
use providers::{Embedded, Embedder, EmbeddingModel, Usage, Vector, Vendor};
use std::borrow::Cow;
use std::sync::{Arc, Mutex};

/// Knows what lets people in, and that a zebra means that.
struct Encoder {
    model: EmbeddingModel,
    /// The texts of each call.
    calls: Mutex<Vec<Vec<String>>>,
}

impl Encoder {
    fn new() -> Arc<Self> {
        let model = EmbeddingModel { name: Cow::Borrowed("encoder"), version: Cow::Borrowed("1"), dimensions: 3 };
        Arc::new(Self { model, calls: Mutex::default() })
    }

    fn calls(&self) -> Vec<Vec<String>> {
        std::mem::take(&mut *self.calls.lock().expect("held briefly"))
    }
}

#[async_trait]
impl Embedder for Encoder {
    fn model(&self) -> &EmbeddingModel {
        &self.model
    }

    fn vendor(&self) -> Vendor {
        Vendor::Builtin
    }

    async fn embed(&self, texts: &[&str]) -> providers::Result<Embedded> {
        let vector = |text: &&str| {
            let lets_in = text.contains("authenticate") || text.contains("zebra");
            Vector::new(&[if lets_in { 1.0 } else { 0.05 }, 0.2, text.len() as f32 / 10_000.0])
        };
        let vectors = texts.iter().map(vector).collect();
        self.calls.lock().expect("held briefly").push(texts.iter().map(|text| (*text).to_owned()).collect());
        Ok(Embedded { vectors, usage: Usage::default() })
    }
}

/// More units than are embedded while somebody waits.
fn files() -> Vec<(String, String)> {
    let function = |name: &str, at: u32| {
        let lines: String = (0..6).map(|line| format!("    let value{line} = {at} + {line};\n")).collect();
        format!("pub fn {name}_{at}() -> u32 {{\n{lines}    value0\n}}\n\n")
    };
    let many = |name: &str, count: u32| (0..count).map(|at| function(name, at)).collect::<String>();
    vec![("src/gate.rs".to_owned(), many("authenticate", 1)), ("src/made.rs".to_owned(), many("made", 12))]
}

fn engine_in(directory: &tempfile::TempDir, encoder: &Arc<Encoder>) -> Engine {
    let embedders = vec![Arc::clone(encoder) as Arc<dyn Embedder>, Arc::new(Builtin)];
    Engine::new(Arc::new(store_in(directory.path())), Arc::new(Noon), Settings::default())
        .with_providers(Providers { embedders, ..Providers::default() })
        .with_embedder(Arc::new(Builtin))
}

async fn search(engine: &Engine, project: &Project, query: &str) -> SearchReply {
    let request = SearchRequest { query: query.to_owned(), limit: 5, ..SearchRequest::default() };
    engine.search(project, request).await.expect("an answer")
}

#[tokio::test]
async fn a_local_encoder_compares_meaning_once_it_has_everything() {
    let files = files();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let (directory, project) = home(&files);
    let encoder = Encoder::new();
    let engine = engine_in(&directory, &encoder);

    let early = search(&engine, &project, "zebra").await;
    assert!(early.degraded.is_empty(), "nobody configured it, nobody is told: {:?}", early.degraded);
    assert!(early.hits.iter().all(|hit| hit.path != "src/gate.rs"), "the static model answers");
    assert!(encoder.calls().is_empty(), "too much is missing for a question to wait for");

    let report = engine.index(&project, IndexRequest::default(), &Unobserved).await.expect("indexes");
    let embedding = report.embedding.expect("it is free: nobody has to allow it");
    assert_eq!((embedding.model.as_deref(), embedding.left), (Some("encoder"), 0));
    assert_eq!(encoder.calls().concat().len() as u64, embedding.embedded);

    let found = search(&engine, &project, "zebra").await;
    assert_eq!(found.hits.first().map(|hit| hit.path.as_str()), Some("src/gate.rs"), "{:?}", found.hits);
    assert_eq!(encoder.calls(), [["zebra"]], "one text a question");
    let again = engine_in(&directory, &encoder);
    search(&again, &project, "where is authenticate").await;
    assert_eq!(encoder.calls(), [["where is authenticate"]], "vectors are kept");

    fs_err::write(project.root.join("src/gate.rs"), "pub fn authenticate_anew() -> u32 {\n    1\n}\n").expect("ours");
    search(&again, &project, "zebra").await;
    let calls = encoder.calls();
    assert_eq!(calls.len(), 2, "what little changed is embedded before the question: {calls:?}");
    assert!(calls[0].iter().all(|text| text.contains("authenticate_anew")), "{calls:?}");
}
