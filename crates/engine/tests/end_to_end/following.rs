//! Names are read once: from then on they follow what is written, whoever writes it.

use super::house::{House, engine_in, home, house, store_in};
use engine::{Clock, Engine, EngineSettings, IndexRequest, NullObserver, SearchRequest};
use model::Timestamp;
use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What the engine says while it works.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    /// Hears everything on this thread until the guard is dropped.
    fn listen(&self) -> tracing::subscriber::DefaultGuard {
        let log = self.clone();
        let writer = move || log.clone();
        let told = tracing_subscriber::fmt().with_max_level(tracing::Level::DEBUG).with_writer(writer).finish();
        tracing::subscriber::set_default(told)
    }

    /// How often all names were read.
    fn whole_loads(&self) -> usize {
        let log = self.0.lock().expect("nobody panics with it");
        String::from_utf8_lossy(&log).matches("reading all names").count()
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("nobody panics with it").extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

async fn index(house: &House, engine: &Engine) {
    engine.index_project(&house.project, IndexRequest::default(), &NullObserver).await.expect("a report");
}

async fn finds(house: &House, word: &str) -> Vec<String> {
    let request = SearchRequest { query: word.to_owned(), limit: 10, ..SearchRequest::default() };
    let reply = house.engine.search(&house.project, request).await.expect("an answer");
    reply.hits.into_iter().map(|hit| hit.path).collect()
}

/// Files enough that a dozen of them are few: where more are others, all are read.
fn many() -> House {
    let house = house(&[]);
    for number in 0..200 {
        house.write(&format!("src/m{number}.py"), format!("from src import m0\n\n\ndef name{number}(): pass\n"));
    }
    house
}

#[tokio::test]
async fn names_follow_saves_and_edges() {
    let house = many();
    let log = Log::default();
    let _listening = log.listen();
    assert_eq!(finds(&house, "name7").await, ["src/m7.py"]);
    for number in 0..15 {
        house.write("src/m7.py", format!("def other{number}x(): pass\n"));
        if number % 3 == 0 {
            index(&house, &house.engine).await;
        }
        assert_eq!(finds(&house, &format!("other{number}x")).await, ["src/m7.py"]);
    }
    assert_eq!(log.whole_loads(), 1);
}

#[tokio::test]
async fn names_follow_where_all_edges_are_made_anew() {
    let house = many();
    let log = Log::default();
    let _listening = log.listen();
    assert_eq!(finds(&house, "name7").await, ["src/m7.py"]);
    // Another manifest, and every import may lead elsewhere.
    house.write("package.json", "{\"name\": \"one\"}\n");
    house.write("main.py", "def omega(): pass\n");
    index(&house, &house.engine).await;
    assert_eq!(finds(&house, "omega").await, ["main.py"]);
    fs_err::remove_file(house.project.root.join("main.py")).expect("a removal");
    index(&house, &house.engine).await;
    assert_eq!((finds(&house, "omega").await, finds(&house, "name8").await), (vec![], vec!["src/m8.py".to_owned()]));
    assert_eq!(log.whole_loads(), 1);
}

#[tokio::test]
async fn names_follow_what_another_process_wrote() {
    let house = many();
    let log = Log::default();
    let other = engine_in(house.directory.path());
    let _listening = log.listen();
    assert_eq!(finds(&house, "name7").await, ["src/m7.py"]);
    for number in 0..12 {
        house.write("src/m7.py", format!("from src import m1\n\n\ndef other{number}x(): pass\n"));
        index(&house, &other).await;
        assert_eq!(finds(&house, &format!("other{number}x")).await, ["src/m7.py"]);
    }
    fs_err::remove_file(house.project.root.join("src/m9.py")).expect("a removal");
    index(&house, &other).await;
    // What nothing is called any more is read as the nearest name.
    let gone = finds(&house, "name9").await;
    let there = finds(&house, "name8").await;
    assert_eq!((gone, there), (vec!["src/m0.py".to_owned()], vec!["src/m8.py".to_owned()]));
    assert_eq!(log.whole_loads(), 1);
}

/// A clock that is set by hand, in minutes.
#[derive(Default)]
struct Hands(Mutex<u64>);

impl Clock for Hands {
    fn now(&self) -> Timestamp {
        // Far in the future of every file of the test: times of change are trusted.
        Timestamp(4_000_000_000_000)
    }

    fn monotonic_time(&self) -> Duration {
        Duration::from_mins(*self.0.lock().expect("held briefly"))
    }
}

#[tokio::test]
async fn names_that_no_question_needs_are_let_go_and_read_again() {
    let (directory, project) = home(&[("a.py", "def alpha(): pass\n")]);
    let hands = Arc::new(Hands::default());
    let clock = Arc::clone(&hands) as Arc<dyn Clock>;
    let engine = Engine::new(Arc::new(store_in(directory.path())), clock, EngineSettings::default());
    let house = House { directory, engine, project };
    let log = Log::default();
    let _listening = log.listen();
    assert_eq!(finds(&house, "alpha").await, ["a.py"]);
    *hands.0.lock().expect("held briefly") = 9;
    assert_eq!(house.engine.release_idle(), 0, "they were asked for nine minutes ago");
    // A save is no question, and does not keep the names.
    house.write("b.py", "def beta(): pass\n");
    index(&house, &house.engine).await;
    *hands.0.lock().expect("held briefly") = 10;
    assert_eq!(house.engine.release_idle(), 1, "the catalog goes; what the save made for the next one stays");
    assert_eq!(log.whole_loads(), 1);
    assert_eq!(finds(&house, "beta").await, ["b.py"]);
    assert_eq!(log.whole_loads(), 2);
    assert_eq!(house.engine.release_idle(), 0);
}
