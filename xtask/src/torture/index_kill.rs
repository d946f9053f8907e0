//! Torture scenario: `epitome index` is killed at random times; whatever it left, the next run finds all that the files
//! say.

use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};

use super::{ScenarioRound, TortureScenario};

pub(super) const INDEX_KILL_SCENARIO: TortureScenario = TortureScenario {
    name: "index",
    what: "kills while code is indexed",
    rounds: 25,
    least: 2,
    prepare: None,
    run,
    beside: 2,
};

/// Kills of one home.
const KILLS: u64 = 5;
/// The latest moment of a kill: an index of these files is made in about that time.
const MAX_KILL_DELAY_MS: u64 = 700;
/// Files of the project, and functions in each.
const FILES: u64 = 150;
const FUNCTIONS: u64 = 20;

fn run(round: &mut ScenarioRound<'_>) -> Result<u64> {
    let home = round.new_home("home");
    let project = round.folder.join("project");
    fs_err::create_dir_all(&project)?;
    for file in 0..FILES {
        let function = |number: u64| format!("pub fn part{number}_of_file{file}() {{ part{number}_of_file0(); }}\n");
        fs_err::write(project.join(format!("file{file}.rs")), (0..FUNCTIONS).map(function).collect::<String>())?;
    }
    let path = project.display().to_string();
    let mut kills = 0;
    for kill in 0..KILLS {
        // What changes between two runs has to be seen by the second, whatever became of the first.
        fs_err::write(project.join("changing.rs"), format!("pub fn quokka{kill}() {{ part0_of_file0(); }}\n"))?;
        let mut command = home.build_command(&["--project", &path, "index"]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().context("cannot start epitome")?;
        std::thread::sleep(Duration::from_millis(round.chance.number_below(MAX_KILL_DELAY_MS)));
        kills += u64::from(child.try_wait()?.is_none());
        child.kill()?;
        child.wait()?;
        let word = format!("quokka{kill}");
        let found = home.read_output(&["--project", &path, "search", &word])?;
        ensure!(found.contains("changing.rs"), "`{word}` is not found after kill {kill}: {found}");
    }
    home.read_output(&["--project", &path, "index"])?;
    for file in [0, FILES / 2, FILES - 1] {
        let (word, name) = (format!("part{}_of_file{file}", FUNCTIONS - 1), format!("file{file}.rs"));
        let found = home.read_output(&["--project", &path, "search", &word])?;
        ensure!(found.contains(&name), "`{word}` is not found: {found}");
    }
    home.run_verify()?;
    Ok(kills)
}
