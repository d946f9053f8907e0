//! Puts the files of a session's repository, as they were when the session began, where its hooks will be called.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use super::trace::SessionTrace;
use crate::bench::BenchSetup;
use crate::process::{self, command_in};

/// The project of a session, and whether it has its files.
pub(super) fn prepare_project(bench: &BenchSetup, repository: &str, trace: &SessionTrace) -> Result<(PathBuf, bool)> {
    let project = bench.scratch.join("projects").join(repository);
    let mirror = std::env::var_os("BENCH_MIRROR").map(|folder| PathBuf::from(folder).join(repository).join("repo"));
    let mirror = mirror.filter(|path| path.is_dir());
    if !project.is_dir() {
        fs_err::create_dir_all(&project)?;
        process::read_output(command_in(&project, "git", &["init", "--quiet"]))?;
        // A link in a foreign repository could lead out of the folder.
        process::read_output(command_in(&project, "git", &["config", "core.symlinks", "false"]))?;
        if let Some(mirror) = &mirror {
            let objects = mirror.join("objects");
            fs_err::write(project.join(".git/objects/info/alternates"), format!("{}\n", objects.display()))?;
        }
    }
    let Some(mirror) = mirror else { return Ok((project, false)) };
    let Some(commit) = commit_before(&mirror, trace)? else { return Ok((project, false)) };
    for arguments in [&["read-tree", "--reset", &commit][..], &["update-ref", "--no-deref", "HEAD", &commit]] {
        process::read_output(command_in(&project, "git", arguments))?;
    }
    // A stored copy of a repository may lack its largest files; all others are written.
    command_in(&project, "git", &["checkout-index", "--all", "--force", "--quiet"]).output()?;
    process::read_output(command_in(&project, "git", &["clean", "-ffdqx"]))?;
    process::read_output(program_in(bench, &project, &["index", "--quiet"]))?;
    Ok((project, true))
}

/// The newest commit of the session's branch that was there when it began; of the main branch, where its own is gone.
fn commit_before(mirror: &Path, trace: &SessionTrace) -> Result<Option<String>> {
    let before = format!("--before={}", trace.started);
    let branches = trace.branch.iter().map(|name| format!("refs/heads/{name}")).chain(["HEAD".to_owned()]);
    for branch in branches {
        let is_there = command_in(mirror, "git", &["rev-parse", "--quiet", "--verify", &branch]).output()?;
        if !is_there.status.success() {
            continue;
        }
        let found = process::read_output(command_in(mirror, "git", &["rev-list", "-1", &before, &branch, "--"]))?;
        if !found.trim().is_empty() {
            return Ok(Some(found.trim().to_owned()));
        }
    }
    Ok(None)
}

/// The program in a project, with the store and the home that hooks have.
pub(super) fn program_in(bench: &BenchSetup, project: &Path, arguments: &[&str]) -> Command {
    let mut command = command_in(project, &bench.binary, arguments);
    command.env("EPITOME_HOME", &bench.scratch).env("HOME", &bench.scratch);
    command
}
