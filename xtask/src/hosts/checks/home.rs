//! Assertions of the end-to-end tests on the home directory: what `epitome doctor` reports, and that disconnecting
//! leaves nothing of ours.

use anyhow::Result;

use super::{DayEvidence, HostCheck, build_check};
use crate::hosts::day::wait_until;

pub(super) fn check_home(evidence: &DayEvidence) -> Vec<HostCheck> {
    vec![
        build_check("the doctor finds nothing wrong", doctor_problem(evidence)),
        build_check("disconnecting gives the home back", left_behind(evidence)),
        build_check("the daemon ends with the last agent", daemon_problem(evidence)),
    ]
}

fn doctor_problem(evidence: &DayEvidence) -> Result<Option<String>> {
    // The doctor ends with another status when it finds something, so its output is read in any case.
    let mut command = evidence.stage.build_command(evidence.stage.program_path(), &["doctor", "--json"]);
    let report: serde_json::Value = serde_json::from_slice(&command.output()?.stdout)?;
    let wrong: Vec<String> = report["checks"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|check| check["ok"] != true)
        .map(|check| {
            format!("{}: {}", check["check"].as_str().unwrap_or_default(), check["what"].as_str().unwrap_or_default())
        })
        .collect();
    Ok((!wrong.is_empty()).then(|| wrong.join("; ")))
}

/// A file that only we wrote is as it was to the byte. Where the agent wrote into it, too, nothing of ours is in it.
fn left_behind(evidence: &DayEvidence) -> Result<Option<String>> {
    let homes = &evidence.played.homes;
    evidence.stage.run_epitome(&["disconnect", "--agent", evidence.host.name])?;
    let after = evidence.stage.snapshot_home()?;
    let written = homes.connected.iter().filter(|(path, bytes)| homes.before.get(*path) != Some(bytes));
    for (path, connected) in written {
        let before = homes.before.get(path);
        let now = after.get(path);
        // The agent did not touch the file, so every byte of it has to be back.
        if homes.worked.get(path) == Some(connected) {
            if before != now {
                return Ok(Some(format!("{} is not what it was", path.display())));
            }
        } else if let Some(now) = now
            && String::from_utf8_lossy(now).contains("epitome hook")
        {
            return Ok(Some(format!("{} still has our hooks", path.display())));
        } else if let Some(now) = now
            && String::from_utf8_lossy(now).contains("bin/epitome")
        {
            return Ok(Some(format!("{} still names our program", path.display())));
        }
    }
    Ok(None)
}

fn daemon_problem(evidence: &DayEvidence) -> Result<Option<String>> {
    let is_gone = wait_until(|| Ok(!evidence.stage.run_epitome(&["daemon", "status"])?.contains("runs as")))?;
    Ok((!is_gone).then(|| "it still runs".to_owned()))
}
