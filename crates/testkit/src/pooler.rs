//! `TransactionPooler`, a pgbouncer for tests in front of a PostgreSQL server, in transaction mode: it hands every
//! transaction to any of its few connections. It is stopped when it is dropped.

use crate::postgres::{NOBODY_ID, free_port};
use fs_err as fs;
use std::net::TcpStream;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A running pooler.
pub struct TransactionPooler {
    process: Child,
    port: u16,
    _folder: TempDir,
}

impl TransactionPooler {
    /// Starts one for the server at `port` of loopback, with `connections` to it for each user; `None` where pgbouncer
    /// is not installed.
    pub fn start(port: u16, connections: usize) -> Option<Self> {
        let program = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/usr/local/bin/pgbouncer"]
            .into_iter()
            .find(|program| fs::metadata(program).is_ok())?;
        let folder = TempDir::with_prefix("epitome-pooler-").expect("the temporary directory is writable");
        let own = free_port();
        let users = folder.path().join("users");
        fs::write(&users, "\"postgres\" \"\"\n\"epitome_app\" \"\"\n").expect("the directory is ours");
        let settings = folder.path().join("settings");
        let text = format!(
            "[databases]\n* = host=127.0.0.1 port={port}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {own}\n\
             unix_socket_dir =\nauth_type = trust\nauth_file = {}\npool_mode = transaction\n\
             default_pool_size = {connections}\nmax_client_conn = 200\nserver_reset_query_always = 0\n",
            users.display()
        );
        fs::write(&settings, text).expect("the directory is ours");
        let mut command = Command::new(program);
        command.arg(&settings).current_dir("/").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        // It refuses to run as root, as the server does.
        if fs::metadata(folder.path()).is_ok_and(|metadata| metadata.uid() == 0) {
            for path in [folder.path(), &users, &settings] {
                std::os::unix::fs::chown(path, Some(NOBODY_ID), Some(NOBODY_ID)).expect("root may give files away");
            }
            command.uid(NOBODY_ID).gid(NOBODY_ID);
        }
        let process = command.spawn().expect("pgbouncer starts");
        let pooler = Self { process, port: own, _folder: folder };
        let deadline = Instant::now() + Duration::from_secs(10);
        while TcpStream::connect(("127.0.0.1", own)).is_err() {
            assert!(Instant::now() < deadline, "pgbouncer does not listen");
            std::thread::sleep(Duration::from_millis(20));
        }
        Some(pooler)
    }

    /// Where it listens on loopback.
    pub fn port(&self) -> u16 {
        self.port
    }
}

impl Drop for TransactionPooler {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}
