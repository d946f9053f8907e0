//! `PostgresCluster`, a PostgreSQL server for tests: a temporary one that the test process starts, or the one that
//! `EPITOME_TEST_POSTGRES_URL` names, which all test processes share (`start_durable` always starts its own).
//!
//! Without `fsync`, making and starting one takes about two thirds of a second, so without that variable every test
//! process has its own and none can disturb another. It is stopped when it is dropped. A shell beside it waits for
//! the test process to end, however it ends, and then stops the server and removes its files if they are still there.

use fs_err as fs;
use std::fmt::Write as _;
use std::net::TcpListener;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// The user and group the server runs as when the tests run as root, which PostgreSQL refuses: `nobody`.
pub(crate) const NOBODY_ID: u32 = 65534;

/// A database to which logins as `epitome_app` need a password. Everything else on the server trusts its caller.
pub const SECURED_DATABASE: &str = "secured";

/// A server to test against.
pub struct PostgresCluster {
    url: String,
    server: Option<ServerProcess>,
}

impl PostgresCluster {
    /// The server that `EPITOME_TEST_POSTGRES_URL` names (as a role that may make databases and roles), or a new one
    /// that does not wait for the disk.
    #[expect(clippy::disallowed_methods, reason = "tests have no configuration but their environment")]
    pub fn start() -> Self {
        match std::env::var("EPITOME_TEST_POSTGRES_URL") {
            Ok(url) if !url.is_empty() => Self { url, server: None },
            _ => Self::start_own(ClusterDurability::None),
        }
    }

    /// A new server that keeps what it acknowledged, for tests that crash it.
    pub fn start_durable() -> Self {
        Self::start_own(ClusterDurability::Full)
    }

    /// A new server with more settings in its configuration file (`name = value`, one a line) and other access rules
    /// than usual in `pg_hba.conf`.
    pub fn start_configured(settings: &str, access: &str) -> Self {
        let server = ServerProcess::configured(ClusterDurability::None, settings, access);
        Self::of(server)
    }

    /// Where it listens, as its administrator.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Stops a server of our own without any goodbye and starts it again. What it had handed to the system survives, so this
    /// is less than a power cut.
    pub fn crash_restart(&self) {
        let server = self.server.as_ref().expect("only a server of our own can be crashed");
        server.stop();
        server.start().expect("a stopped server starts again");
    }

    /// Stops a server of our own, changes the files of its data directory, and starts it again.
    pub fn change_files(&self, change: impl FnOnce(&Path)) {
        let server = self.server.as_ref().expect("only the files of a server of our own can be changed");
        server.stop();
        change(&server.root.path().join("data"));
        server.start().expect("a stopped server starts again");
    }

    /// Makes another server that follows this one, and has every commit here wait until it is there, too. The access rules
    /// of this one must let a replica in.
    pub fn start_standby(&self) -> Self {
        let server = self.server.as_ref().expect("only a server of our own can be followed");
        Self::of(ServerProcess::following(server))
    }

    /// Stops a server of our own without any goodbye, for good.
    pub fn crash(&self) {
        self.server.as_ref().expect("only a server of our own can be crashed").stop();
    }

    /// Has a server that follows another one stand for itself.
    pub fn promote(&self) {
        let server = self.server.as_ref().expect("only a server of our own can be promoted");
        server.run_program("pg_ctl", &["--wait", "promote"]).expect("a standby can be promoted");
    }

    fn start_own(durability: ClusterDurability) -> Self {
        let access = format!(
            "host {SECURED_DATABASE} epitome_app 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n"
        );
        Self::of(ServerProcess::configured(durability, "", &access))
    }

    fn of(server: ServerProcess) -> Self {
        Self { url: format!("postgres://postgres@127.0.0.1:{}/postgres", server.port), server: Some(server) }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ClusterDurability {
    None,
    Full,
}

struct ServerProcess {
    programs: PathBuf,
    root: TempDir,
    /// Whether we are root and the server must not be.
    as_nobody: bool,
    port: u16,
    durability: ClusterDurability,
}

impl ServerProcess {
    fn configured(durability: ClusterDurability, settings: &str, access: &str) -> Self {
        let server = Self::without_files(durability);
        let options = ["--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"];
        server.run_program("initdb", &options).expect("initdb makes a cluster");
        fs::write(server.root.path().join("data/pg_hba.conf"), access).expect("the cluster is ours");
        let file = server.root.path().join("data/postgresql.auto.conf");
        fs::write(file, settings).expect("the cluster is ours");
        server.started()
    }

    /// A copy of another server that goes on receiving what it writes.
    fn following(leader: &Self) -> Self {
        let server = Self::without_files(leader.durability);
        let address = format!("--dbname=postgres://postgres@127.0.0.1:{}/postgres", leader.port);
        let options = [address.as_str(), "--write-recovery-conf", "--checkpoint=fast", "--no-sync"];
        server.run_program("pg_basebackup", &options).expect("the leader lets a replica in");
        server.started()
    }

    /// A directory of its own, and nothing in it.
    fn without_files(durability: ClusterDurability) -> Self {
        let programs = find_programs();
        let root = TempDir::with_prefix("epitome-postgres-").expect("the temporary directory is writable");
        let as_nobody = fs::metadata(root.path()).is_ok_and(|metadata| metadata.uid() == 0);
        if as_nobody {
            std::os::unix::fs::chown(root.path(), Some(NOBODY_ID), Some(NOBODY_ID)).expect("root may give files away");
        }
        Self { programs, root, as_nobody, port: 0, durability }
    }

    /// The server on a free port.
    fn started(mut self) -> Self {
        // Another process may take the free port before the server does.
        let mut problems = String::new();
        for _ in 0..5 {
            self.port = free_port();
            match self.start() {
                Ok(()) => {
                    self.spawn_watchdog();
                    return self;
                }
                Err(problem) => writeln!(problems, "{problem}").expect("writing to a string"),
            }
        }
        panic!("PostgreSQL does not start:\n{problems}");
    }

    fn start(&self) -> Result<(), String> {
        let log = self.root.path().join("log").display().to_string();
        let mut options = format!(
            "-p {} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=200 -c jit=off",
            self.port
        );
        if self.durability == ClusterDurability::None {
            options += " -c fsync=off -c full_page_writes=off";
        }
        self.run_program("pg_ctl", &["--log", &log, "--wait", "--options", &options, "start"])
            .map_err(|problem| problem + &fs::read_to_string(log).unwrap_or_default())
    }

    fn stop(&self) {
        self.run_program("pg_ctl", &["--mode=immediate", "--wait", "stop"]).expect("the server is running");
    }

    /// Cleans up after a test process that is killed and cannot.
    #[expect(clippy::zombie_processes, reason = "it outlives us; that is its purpose")]
    fn spawn_watchdog(&self) {
        let script = r#"while [ -d "$2" ] && kill -0 "$1"; do sleep 1; done
            kill -QUIT "$(head -n 1 "$2/data/postmaster.pid")" && sleep 1
            rm -rf "$2""#;
        // In a group of its own and without our output, so that neither a signal to us nor a wait for us meets it.
        Command::new("sh")
            .args(["-c", script, "watch", &std::process::id().to_string()])
            .arg(self.root.path())
            .current_dir("/")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .expect("there is a shell");
    }

    fn run_program(&self, program: &str, options: &[&str]) -> Result<(), String> {
        // A server inherits what its starter writes to, so this must not be a pipe that we read to its end.
        let said = self.root.path().join(program);
        let output = std::fs::File::from(fs::File::create(&said).expect("the directory is ours"));
        let errors = output.try_clone().expect("a file can be opened twice");
        let mut command = Command::new(self.programs.join(program));
        command.arg("--pgdata").arg(self.root.path().join("data")).args(options).current_dir("/").stdin(Stdio::null());
        command.stdout(output).stderr(errors);
        if self.as_nobody {
            command.uid(NOBODY_ID).gid(NOBODY_ID);
        }
        match command.status() {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(format!("{program}: {status}\n{}", fs::read_to_string(&said).unwrap_or_default())),
            Err(error) => Err(format!("{program}: {error}\n")),
        }
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        // A test that fails must say why, not that its server had already gone.
        drop(self.run_program("pg_ctl", &["--mode=immediate", "--wait", "stop"]));
    }
}

/// The directory of PostgreSQL's programs: on the path, or where Debian keeps them off it.
fn find_programs() -> PathBuf {
    let mut places: Vec<PathBuf> = std::env::split_paths(&crate::search_path()).collect();
    if let Ok(versions) = fs::read_dir("/usr/lib/postgresql") {
        places.extend(versions.flatten().map(|version| version.path().join("bin")));
    }
    let found =
        places.into_iter().find(|place| ["initdb", "pg_ctl", "postgres"].iter().all(|p| place.join(p).is_file()));
    let found = found.unwrap_or_else(|| {
        panic!(
            "PostgreSQL is not installed: no `initdb`, `pg_ctl` and `postgres` on PATH or in /usr/lib/postgresql/*/bin\n\
             hint: install it (Debian: `apt install postgresql`), or set EPITOME_TEST_POSTGRES_URL to a server"
        )
    });
    // Links on the path lead to where all programs of the version are.
    let program = fs::canonicalize(found.join("initdb")).expect("it was found");
    program.parent().expect("a file is in a directory").to_owned()
}

pub(crate) fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
    listener.local_addr().expect("a bound socket has an address").port()
}
