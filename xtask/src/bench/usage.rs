//! Reads CPU time and memory of a process from the operating system (`/proc`), for benchmarks.

use anyhow::{Context as _, Result};

/// Seconds of processor time of all threads so far. Finer than the ticks of `/proc/PID/stat`.
pub(super) fn cpu_seconds(process: u32) -> Result<f64> {
    let mut nanoseconds = 0;
    for task in fs_err::read_dir(format!("/proc/{process}/task"))? {
        // A thread may end while this looks.
        let Ok(text) = fs_err::read_to_string(task?.path().join("schedstat")) else { continue };
        let spent = text.split(' ').next().and_then(|number| number.parse::<u64>().ok());
        nanoseconds += spent.context("a number in schedstat")?;
    }
    Ok(nanoseconds as f64 / 1e9)
}

/// The memory it holds now, in megabytes; what it shares with others counts by its share.
pub(super) fn held_megabytes(process: u32) -> Result<f64> {
    // Proportional memory, because the binary's pages are shared with other processes of it.
    let text = fs_err::read_to_string(format!("/proc/{process}/smaps_rollup"))?;
    let line = text.lines().find_map(|line| line.strip_prefix("Pss:")).context("Pss in smaps_rollup")?;
    let kilobytes: f64 = line.trim().trim_end_matches(" kB").parse()?;
    Ok(kilobytes / 1_000.0)
}

/// The most memory it ever held, in megabytes.
pub(super) fn peak_megabytes(process: u32) -> Result<f64> {
    let text = fs_err::read_to_string(format!("/proc/{process}/status"))?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:")).context("VmHWM in status")?;
    let kilobytes: f64 = line.trim().trim_end_matches(" kB").parse()?;
    Ok(kilobytes / 1_000.0)
}
