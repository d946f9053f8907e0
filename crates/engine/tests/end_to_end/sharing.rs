//! Processes share what they know of a project: a file that each of them maps. An answer from it is the answer of the
//! store, whatever was written since, and damage costs time and no answer.

use super::house::{Noon, home, store_in, write};
use engine::{
    Engine, EngineSettings, IndexRequest, NullObserver, Project, RelationDirection, RelationsRequest, SearchRequest,
    SymbolRequest,
};
use providers::vendors::builtin::BuiltinEmbedder;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

const QUESTIONS: [&str; 6] =
    ["name7", "where are tokens checked", "src/m3.py", "check_token", "m12 import", "chek_tokne"];

/// A project of some files that use each other.
fn project() -> (TempDir, Project) {
    let (directory, project) = home(&[("auth/token.py", "def check_token(token):\n    \"\"\"Checks tokens.\"\"\"\n")]);
    for number in 0..60 {
        let text = format!("from auth.token import check_token\n\n\ndef name{number}():\n    check_token({number})\n");
        write(&project.root, &format!("src/m{number}.py"), text);
    }
    (directory, project)
}

/// A new process; the one that shares nothing is what others are compared with.
fn process(home: &Path, shares: bool) -> Engine {
    let images = shares.then(|| home.join("images"));
    let settings = EngineSettings { images, ..EngineSettings::default() };
    Engine::new(Arc::new(store_in(home)), Arc::new(Noon), settings).with_embedder(Arc::new(BuiltinEmbedder))
}

/// What searches find, which leave edges as they are.
async fn found(engine: &Engine, project: &Project) -> Vec<String> {
    let mut told = Vec::new();
    for question in QUESTIONS {
        let request = SearchRequest { query: question.to_owned(), limit: 10, ..SearchRequest::default() };
        let reply = engine.search(project, request).await.expect("an answer");
        told.extend(reply.hits.iter().map(|hit| format!("{question}: {} {:?} {}", hit.path, hit.lines, hit.score)));
    }
    told
}

/// Everything that some questions are answered with.
async fn answers(engine: &Engine, project: &Project) -> Vec<String> {
    let mut told = found(engine, project).await;
    let request = RelationsRequest {
        symbol: "check_token".to_owned(),
        only: Vec::new(),
        direction: RelationDirection::Both,
        depth: 2,
        min_confidence: 0.0,
        limit: 200,
        matches: 5,
        mentions: 5,
        to: None,
    };
    told.push(format!("{:?}", engine.find_relations(project, request).await.expect("relations")));
    let request = SymbolRequest { name: "name5".to_owned(), kinds: Vec::new(), path: None, limit: 20 };
    told.push(format!("{:?}", engine.find_symbols(project, request).await.expect("symbols")));
    told
}

/// The images that are there, once all kinds of them are: they are written behind the answers.
async fn images(home: &Path) -> Vec<PathBuf> {
    for _ in 0..500 {
        let entries = fs_err::read_dir(home.join("images")).into_iter().flatten().flatten();
        let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        found.sort();
        if found.len() == 2 && found.iter().all(|path| path.extension().is_some_and(|ending| ending != "tmp")) {
            return found;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("no images were written");
}

#[tokio::test]
async fn a_process_that_maps_what_another_wrote_gives_the_same_answers() {
    let (directory, project) = project();
    let alone = answers(&process(directory.path(), false), &project).await;
    assert!(alone.len() > 20, "the questions have answers");
    assert_eq!(answers(&process(directory.path(), true), &project).await, alone, "of the one that writes");
    images(directory.path()).await;
    assert_eq!(answers(&process(directory.path(), true), &project).await, alone, "of one that maps");
}

#[tokio::test]
async fn what_was_written_since_is_part_of_the_answer() {
    let (directory, project) = project();
    answers(&process(directory.path(), true), &project).await;
    images(directory.path()).await;
    write(&project.root, "src/m7.py", "def other7(): pass\n");
    write(&project.root, "src/new.py", "from auth.token import check_token\n\n\ndef name70(): check_token(1)\n");
    fs_err::remove_file(project.root.join("src/m9.py")).expect("a removal");
    let alone = found(&process(directory.path(), false), &project).await;
    assert_eq!(found(&process(directory.path(), true), &project).await, alone, "with the edges of before");
    let engine = process(directory.path(), false);
    engine.index_project(&project, IndexRequest::default(), &NullObserver).await.expect("a report");
    let alone = answers(&engine, &project).await;
    assert_eq!(answers(&process(directory.path(), true), &project).await, alone, "with edges of now");
    // The index that takes the place of this one counts from the beginning, and is another one.
    let engine = process(directory.path(), true);
    let rebuilt = IndexRequest { rebuild: true, ..IndexRequest::default() };
    engine.index_project(&project, rebuilt, &NullObserver).await.expect("a report");
    assert_eq!(answers(&process(directory.path(), true), &project).await, alone);
}

#[tokio::test]
async fn damage_is_noticed_and_the_answer_is_the_same() {
    let (directory, project) = project();
    let alone = answers(&process(directory.path(), true), &project).await;
    for step in [997, 5003] {
        for path in images(directory.path()).await {
            let mut bytes = fs_err::read(&path).expect("an image");
            // Behind the head, which is checked when an image is opened: what questions read.
            bytes.iter_mut().skip(8192).step_by(step).for_each(|byte| *byte ^= 0x55);
            fs_err::remove_file(&path).expect("a removal");
            fs_err::write(&path, bytes).expect("an image");
        }
        assert_eq!(answers(&process(directory.path(), true), &project).await, alone);
    }
}

#[tokio::test]
async fn nothing_stays_of_a_project_that_is_forgotten() {
    let (directory, project) = project();
    let (_beside, other) = home(&[("a.py", "def other(): pass\n")]);
    let engine = process(directory.path(), true);
    answers(&engine, &project).await;
    images(directory.path()).await;
    found(&engine, &other).await;
    engine.finish_writes().await;
    engine.forget_project(&project.id).await.expect("forgets");
    let left = fs_err::read_dir(directory.path().join("images")).expect("the folder").flatten();
    let left: Vec<String> = left.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    assert!(!left.is_empty() && left.iter().all(|name| name.starts_with(other.id.as_str())), "{left:?}");
}
