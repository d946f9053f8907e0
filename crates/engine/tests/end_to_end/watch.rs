//! Watching real files: what is saved, renamed, removed or ignored while the engine listens.

use super::house::{engine_in, home, store_in, write};
use engine::{Clock, Engine, EngineSettings, IndexRequest, NullObserver, Project, ProjectWatch, SearchRequest};
use model::Timestamp;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

struct House {
    directory: tempfile::TempDir,
    engine: Engine,
    project: Project,
    watch: ProjectWatch,
}

impl House {
    async fn new(files: &[(&str, &str)]) -> Self {
        let (directory, project) = home(&[]);
        Self::with(engine_in(directory.path()), directory, project, files).await
    }

    async fn with(engine: Engine, directory: tempfile::TempDir, project: Project, files: &[(&str, &str)]) -> Self {
        let watch = engine.watch_project(&project).expect("a watch");
        let house = Self { directory, engine, project, watch };
        for (path, text) in files {
            house.write(path, text);
        }
        house.wait_until_quiet().await;
        house
    }

    fn root(&self) -> &Path {
        &self.project.root
    }

    fn write(&self, path: &str, text: &str) {
        write(self.root(), path, text);
    }

    /// What a run parsed and removed.
    async fn index(&self) -> (u64, u64) {
        let report =
            self.engine.index_project(&self.project, IndexRequest::default(), &NullObserver).await.expect("a report");
        (report.indexed, report.removed)
    }

    /// Waits for the system to tell of changes, and brings the index up to date.
    async fn wait_until_quiet(&self) -> (u64, u64) {
        tokio::time::timeout(Duration::from_secs(20), self.watch.wait_changed()).await.expect("the system tells");
        self.index().await
    }

    async fn finds(&self, word: &str) -> Vec<String> {
        let request = SearchRequest { query: word.to_owned(), limit: 10, ..SearchRequest::default() };
        let reply = self.engine.search(&self.project, request).await.expect("an answer");
        reply.hits.into_iter().map(|hit| hit.path).collect()
    }
}

#[tokio::test]
async fn only_what_was_saved_is_looked_at() {
    let house = House::new(&[("src/a.py", "def alpha(): pass\n"), ("src/b.py", "def beta(): pass\n")]).await;
    assert_eq!(house.index().await, (0, 0));
    house.write("src/a.py", "def gamma(): pass\n");
    assert_eq!(house.wait_until_quiet().await, (1, 0));
    assert_eq!((house.finds("gamma").await, house.finds("alpha").await), (vec!["src/a.py".to_owned()], vec![]));
}

#[tokio::test]
async fn a_wait_that_is_given_up_loses_nothing() {
    let house = House::new(&[("a.py", "def alpha(): pass\n")]).await;
    house.write("a.py", "def beta(): pass\n");
    // By then the system has told of the save; to see it stay quiet there is no time.
    tokio::time::sleep(Duration::from_millis(300)).await;
    let is_told = tokio::time::timeout(Duration::from_millis(1), house.watch.wait_changed()).await.is_ok();
    let done = if is_told { house.index().await } else { house.wait_until_quiet().await };
    assert_eq!(done, (1, 0));
}

#[tokio::test]
async fn renames_removals_and_new_directories_are_followed() {
    let house = House::new(&[("src/a.py", "def alpha(): pass\n"), ("src/b.py", "def beta(): pass\n")]).await;
    fs_err::rename(house.root().join("src"), house.root().join("lib")).expect("a rename");
    house.wait_until_quiet().await;
    assert_eq!(house.finds("alpha").await, ["lib/a.py"]);
    house.write("lib/deep/er/c.py", "def delta(): pass\n");
    house.wait_until_quiet().await;
    assert_eq!(house.finds("delta").await, ["lib/deep/er/c.py"]);
    house.write("lib/deep/er/c.py", "def epsilon(): pass\n");
    house.wait_until_quiet().await;
    assert_eq!(house.finds("epsilon").await, ["lib/deep/er/c.py"]);
    fs_err::remove_dir_all(house.root().join("lib/deep")).expect("a removal");
    house.wait_until_quiet().await;
    assert!(house.finds("epsilon").await.is_empty());
    house.write("lib/deep/er/c.py", "def zeta(): pass\n");
    house.wait_until_quiet().await;
    assert_eq!(house.finds("zeta").await, ["lib/deep/er/c.py"]);
}

#[tokio::test]
async fn a_change_of_the_rules_is_a_look_at_everything() {
    let house = House::new(&[("src/a.py", "def alpha(): pass\n"), ("b.py", "def beta(): pass\n")]).await;
    house.write(".gitignore", "src/\n");
    house.wait_until_quiet().await;
    assert!(house.finds("alpha").await.is_empty());
    fs_err::remove_file(house.root().join(".gitignore")).expect("a removal");
    house.wait_until_quiet().await;
    assert_eq!(house.finds("alpha").await, ["src/a.py"]);
}

#[tokio::test]
async fn a_storm_of_ten_thousand_events_loses_nothing() {
    let house = House::new(&[("a.py", "def alpha(): pass\n")]).await;
    for number in 0..5_000 {
        house.write(&format!("d{}/f{number}.txt", number % 50), "one");
    }
    for number in (0..5_000).step_by(2) {
        fs_err::remove_file(house.root().join(format!("d{}/f{number}.txt", number % 50))).expect("a removal");
    }
    house.write("last.py", "def omega(): pass\n");
    // However the system cuts the storm into pieces, in the end it is quiet.
    while tokio::time::timeout(Duration::from_millis(500), house.watch.wait_changed()).await.is_ok() {
        house.index().await;
    }
    let report =
        house.engine.index_project(&house.project, IndexRequest::default(), &NullObserver).await.expect("a report");
    assert_eq!(report.totals.files, 2_502);
    assert_eq!(house.finds("omega").await, ["last.py"]);
    drop(house.directory);
}

/// Before every file of a test: no time of change is trusted, as it is right after a save.
struct Dawn;

impl Clock for Dawn {
    fn now(&self) -> Timestamp {
        Timestamp(0)
    }

    fn monotonic_time(&self) -> Duration {
        Duration::ZERO
    }
}

/// On other systems nobody says when all is told.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_is_saved_is_found_at_once() {
    let (directory, project) = home(&[]);
    let engine = Engine::new(Arc::new(store_in(directory.path())), Arc::new(Dawn), EngineSettings::default());
    let house = House::with(engine, directory, project, &[("src/a.py", "def alpha(): pass\n")]).await;
    // As a server does.
    let follow = async {
        loop {
            house.watch.wait_changed().await;
            house.index().await;
        }
    };
    let ask = async {
        for number in 0..100 {
            for (path, name) in [("src/a.py", format!("even{number}x")), ("b.py", format!("odd{number}x"))] {
                house.write(path, &format!("def {name}(): pass\n"));
                assert_eq!(house.finds(&name).await, [path], "{name}");
            }
        }
    };
    tokio::select! {
        () = follow => {}
        () = ask => {}
    }
}
