//! Integration tests of `PostgresCluster`: the temporary server answers until it is dropped, and is gone however the
//! test process ends.

use fs_err as fs;
use std::io::{BufRead as _, BufReader};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;
use testkit::postgres::PostgresCluster;

const VARIABLE: &str = "EPITOME_TEST_CHILD";

/// Host and port in a URL.
fn address(url: &str) -> String {
    let rest = url.split_once('@').expect("it names a user").1;
    rest.split_once('/').expect("it names a database").0.to_owned()
}

#[test]
fn a_server_answers_until_it_is_dropped() {
    let cluster = PostgresCluster::start_durable();
    let address = address(cluster.url());
    TcpStream::connect(&address).expect("it listens");
    cluster.crash_restart();
    TcpStream::connect(&address).expect("it listens again");
    drop(cluster);
    TcpStream::connect(&address).expect_err("it has gone");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a process is told what to do by its environment")]
fn a_killed_test_leaves_no_server_behind() {
    if std::env::var_os(VARIABLE).is_some() {
        wait_to_be_killed(&PostgresCluster::start_durable());
    }
    let home = TempDir::new().expect("the temporary directory is writable");
    // Another user may have to find its files below.
    fs::set_permissions(home.path(), std::fs::Permissions::from_mode(0o755)).expect("it is ours");
    let mut child = Command::new(std::env::current_exe().expect("we are running"))
        .args(["--exact", "a_killed_test_leaves_no_server_behind", "--nocapture"])
        .env(VARIABLE, "1")
        .env("TMPDIR", home.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it is this binary");
    let mut lines = BufReader::new(child.stdout.take().expect("it is piped")).lines().map_while(Result::ok);
    let url = lines.find(|line| line.contains("postgres://")).expect("the child starts its server");
    let address = address(&url);
    TcpStream::connect(&address).expect("it listens");
    child.kill().expect("it is running");
    child.wait().expect("it was started");
    while TcpStream::connect(&address).is_ok() || fs::read_dir(home.path()).expect("lists").next().is_some() {
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[expect(clippy::print_stdout, reason = "the parent reads it")]
fn wait_to_be_killed(cluster: &PostgresCluster) -> ! {
    println!("{}", cluster.url());
    loop {
        std::thread::park();
    }
}
