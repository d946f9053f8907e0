//! Benchmark of the learner of view modes: a made-up agent reads the source files of this repository, through the real
//! binary, once with modes by the table and once with learned ones. It needs the bodies of functions for a share of its
//! readings, and reads again where the mode left them out. What it read in all is compared.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use toml::Table;

use super::session::McpSession;
use super::{BenchSetup, workload_number};
use crate::process::{self, command_in};
use crate::repository;

/// Ways of working: the name, and of a hundred readings those that need bodies.
const AGENTS: [(&str, usize); 3] = [("explores", 10), ("works in both ways", 50), ("edits", 85)];

pub(crate) fn run(bench: &BenchSetup, workload: &Table) -> Result<Value> {
    let readings = workload_number(workload, "readings")?;
    let project = bench.scratch.join("project");
    copy_sources(&project)?;
    let files = list_files(&project)?;
    let mut results = Vec::new();
    for (name, share) in AGENTS {
        let read = |is_adaptive: bool| -> Result<ReadBytes> {
            let home = bench.scratch.join(format!("home-{share}-{is_adaptive}"));
            fs_err::create_dir_all(home.join("config"))?;
            let mode = if is_adaptive { "adaptive = true" } else { "mode = 'auto'" };
            fs_err::write(home.join("config").join("config.toml"), format!("[read]\n{mode}\n"))?;
            let session = McpSession::open(bench, &home, &project)?;
            play_agent(session, &files, readings, share)
        };
        let (table, learned) = (read(false)?, read(true)?);
        let spared = |table: u64, learned: u64| 100.0 * (1.0 - learned as f64 / table.max(1) as f64);
        results.push(json!({
            "agent": name,
            "needs_bodies_percent": share,
            "table": table.to_json(),
            "learned": learned.to_json(),
            "spared_percent": spared(table.all, learned.all),
            "spared_percent_second_half": spared(table.second_half, learned.second_half),
        }));
    }
    Ok(json!({ "files": files.len(), "readings": readings, "agents": results }))
}

/// What an agent read, in bytes.
#[derive(Default)]
struct ReadBytes {
    all: u64,
    second_half: u64,
    rereads: u64,
}

impl ReadBytes {
    fn to_json(&self) -> Value {
        json!({ "bytes": self.all, "bytes_second_half": self.second_half, "read_again": self.rereads })
    }
}

fn play_agent(mut session: McpSession, files: &[String], readings: usize, share: usize) -> Result<ReadBytes> {
    let mut read = ReadBytes::default();
    for number in 0..readings {
        let file = &files[number % files.len()];
        let (reply, _) = session.call_operation("read", &json!({ "targets": [file] }))?;
        let item = &reply["items"][0];
        let mut bytes = item["compressed_bytes"].as_u64().context("bytes of a reading")?;
        // Spread over the readings, the same for both runs.
        let needs_bodies = (number * 37 + number / 100 * 11) % 100 < share;
        if needs_bodies && ["aggressive", "map"].contains(&item["mode"].as_str().unwrap_or_default()) {
            let (whole, _) = session.call_operation("read", &json!({ "targets": [file], "mode": "raw" }))?;
            bytes += whole["items"][0]["compressed_bytes"].as_u64().context("bytes of a reading")?;
            read.rereads += 1;
        }
        read.all += bytes;
        read.second_half += if number >= readings / 2 { bytes } else { 0 };
    }
    session.close()?;
    Ok(read)
}

fn copy_sources(project: &Path) -> Result<()> {
    fs_err::create_dir_all(project)?;
    let archive = project.with_extension("tar");
    let out = archive.display().to_string();
    process::read_output(command_in(repository::root(), "git", &["archive", "--output", &out, "HEAD", "crates"]))?;
    process::read_output(command_in(project, "tar", &["--extract", "--file", &out]))?;
    process::read_output(command_in(project, "git", &["init", "--quiet"]))?;
    Ok(())
}

/// The Rust files of the project, by path.
fn list_files(project: &Path) -> Result<Vec<String>> {
    let mut folders = vec![PathBuf::from("crates")];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs_err::read_dir(project.join(&folder))? {
            let entry = entry?;
            let path = folder.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path.display().to_string());
            }
        }
    }
    files.sort();
    Ok(files)
}
