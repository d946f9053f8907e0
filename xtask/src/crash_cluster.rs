//! `CrashCluster`, a PostgreSQL server that keeps what it acknowledged and can be stopped without a clean shutdown, for
//! torture scenarios and for benchmarks of servers that share a database.

use std::net::TcpListener;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};

use crate::process::{self, command_in};
use crate::provision::postgres;

/// A server that keeps what it acknowledged.
pub(crate) struct CrashCluster {
    programs: PathBuf,
    folder: PathBuf,
    port: u16,
    is_root: bool,
}

impl CrashCluster {
    pub(crate) fn start(name: &str) -> Result<Self> {
        let programs = postgres::ensure_programs()?;
        // In a folder that all users can reach, because PostgreSQL may have to run as another user.
        let folder = std::env::temp_dir().join(format!("epitome-{name}-{}", std::process::id()));
        fs_err::create_dir_all(&folder)?;
        let is_root = fs_err::metadata(&folder)?.uid() == 0;
        if is_root {
            std::os::unix::fs::chown(&folder, Some(NOBODY_ID), Some(NOBODY_ID))?;
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

    pub(crate) fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }

    pub(crate) fn start_server(&self) -> Result<()> {
        let log = self.folder.join("log").display().to_string();
        let options = format!(
            "-p {} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=200",
            self.port
        );
        self.run_program("pg_ctl", &["--log", &log, "--wait", "--options", &options, "start"])
    }

    pub(crate) fn stop_server(&self) -> Result<()> {
        self.run_program("pg_ctl", &["--mode=immediate", "--wait", "stop"])
    }

    /// A new folder beside its data, which goes with it and lies in no repository.
    pub(crate) fn make_folder(&self, name: &str) -> Result<PathBuf> {
        let folder = self.folder.join(name);
        fs_err::create_dir_all(&folder)?;
        Ok(folder)
    }

    /// What its files take, the log of changes left out.
    pub(crate) fn size_megabytes(&self) -> Result<f64> {
        let data = self.folder.join("data/base").display().to_string();
        let told = process::read_output(command_in(&self.folder, "du", &["-sb", &data]))?;
        let bytes: f64 = told.split_whitespace().next().context("du says nothing")?.parse()?;
        Ok(bytes / 1e6)
    }

    fn run_program(&self, program: &str, options: &[&str]) -> Result<()> {
        let mut command = Command::new(self.programs.join(program));
        command.arg("--pgdata").arg(self.folder.join("data")).args(options).current_dir("/");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        if self.is_root {
            command.uid(NOBODY_ID).gid(NOBODY_ID);
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
const NOBODY_ID: u32 = 65534;
