//! Torture scenario: PostgreSQL is stopped without a clean shutdown (crash) in the middle of a fold.

use std::net::TcpListener;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};

use super::fold::{self, MESSAGES, POINTS};
use super::ingest_client::IngestClient;
use super::journal::ClientJournal;
use super::{ScenarioRound, TortureScenario};
use crate::provision::postgres;

pub(super) const STOPPED: TortureScenario = TortureScenario {
    name: "server",
    what: "stops of PostgreSQL during compaction",
    rounds: 20,
    least: 2,
    prepare: None,
    run,
    beside: 1,
};

fn run(round: &mut ScenarioRound<'_>) -> Result<u64> {
    let cluster = CrashCluster::start(round.number)?;
    let plain = round.new_home("home");
    fs_err::create_dir_all(&plain.folder)?;
    let ready = plain.read_json(&["database", "init", &cluster.url()])?;
    let home = plain.with_variable("EPITOME_DATABASE_URL", ready["url"].as_str().context("a URL")?);
    let mut journal = ClientJournal::open(&round.folder.join("journal"))?;
    IngestClient { home: &home, conversation: "c", numbers: 1..MESSAGES + 1, killed_after: None }.run(&mut journal)?;
    ensure!(journal.len() == MESSAGES, "{} acknowledged", journal.len());
    // A short run begins with the folds themselves.
    let (point, most) = POINTS[(round.number + 1) % POINTS.len()];
    let held = round.folder.join("held");
    let times = 1 + round.chance.number_below(most.min(4));
    let mut folding =
        fold::hold_at_point(&home, point, times, &held)?.with_context(|| format!("nothing came to `{point}`"))?;
    cluster.stop_server()?;
    cluster.start_server()?;
    // It may see the server again and go on, or say that it cannot.
    fs_err::remove_file(&held)?;
    folding.wait()?;
    journal.check_stored(&home, "c")?;
    fold::check_recovery(&home, round.place)?;
    let base = round.place.base_folder("fold");
    if base.exists() {
        ensure!(
            home.assemble_context("c")? == fs_err::read_to_string(base.join("assembled"))?,
            "folded in another way"
        );
    }
    journal.check_stored(&home, "c")?;
    Ok(1)
}

/// A server that keeps what it acknowledged.
struct CrashCluster {
    programs: PathBuf,
    folder: PathBuf,
    port: u16,
    is_root: bool,
}

impl CrashCluster {
    fn start(number: usize) -> Result<Self> {
        let programs = postgres::ensure_programs()?;
        // In a folder that all users can reach, because PostgreSQL may have to run as another user.
        let folder = std::env::temp_dir().join(format!("epitome-torture-{}-{number}", std::process::id()));
        fs_err::create_dir_all(&folder)?;
        let is_root = fs_err::metadata(&folder)?.uid() == 0;
        if is_root {
            std::os::unix::fs::chown(&folder, Some(NOBODY), Some(NOBODY))?;
        }
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let cluster = Self { programs, folder, port, is_root };
        cluster.run_program(
            "initdb",
            &["--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"],
        )?;
        cluster.start_server()?;
        Ok(cluster)
    }

    fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }

    fn start_server(&self) -> Result<()> {
        let log = self.folder.join("log").display().to_string();
        let options = format!("-p {} -c listen_addresses=127.0.0.1 -c unix_socket_directories=", self.port);
        self.run_program("pg_ctl", &["--log", &log, "--wait", "--options", &options, "start"])
    }

    fn stop_server(&self) -> Result<()> {
        self.run_program("pg_ctl", &["--mode=immediate", "--wait", "stop"])
    }

    fn run_program(&self, program: &str, options: &[&str]) -> Result<()> {
        let mut command = Command::new(self.programs.join(program));
        command.arg("--pgdata").arg(self.folder.join("data")).args(options).current_dir("/");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        if self.is_root {
            command.uid(NOBODY).gid(NOBODY);
        }
        let status = command.status().with_context(|| format!("cannot start {program}"))?;
        ensure!(status.success(), "{program} {}: {status}", options.join(" "));
        Ok(())
    }
}

impl Drop for CrashCluster {
    fn drop(&mut self) {
        // A cluster that is already gone is as good as stopped.
        let _ = self.stop_server();
        let _ = fs_err::remove_dir_all(&self.folder);
    }
}

/// PostgreSQL refuses to run as root: then it runs as `nobody`.
const NOBODY: u32 = 65534;
