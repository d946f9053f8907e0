//! Builds and configures an `LD_PRELOAD` library that injects disk and clock faults into a process, for torture
//! scenarios.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::TortureSetup;
use super::home::TortureHome;
use crate::process::{self, command_in};

/// Longer than any lease.
pub(super) const CLOCK_OFFSET_SECONDS: i64 = 600;

/// Compiles the library; the C compiler that builds SQLite builds it as well.
pub(super) fn build_library(folder: &Path) -> Result<PathBuf> {
    let source = folder.join("shim.c");
    let library = folder.join("shim.so");
    fs_err::write(&source, include_str!("shim.c"))?;
    let paths = [library.display().to_string(), source.display().to_string()];
    // Preloaded between the process and the system, so that the real binary is tested and not a build with hooks in it.
    process::run_command(command_in(folder, "cc", &["-shared", "-fPIC", "-O1", "-o", &paths[0], &paths[1], "-ldl"]))?;
    Ok(library)
}

/// How a process is to be misled.
pub(super) struct FaultShim(Vec<(&'static str, String)>);

/// When an act fails.
#[derive(Clone, Copy)]
pub(super) enum FaultRepeat {
    Once,
    On,
}

impl FaultShim {
    pub(super) fn new(place: &TortureSetup) -> Self {
        Self(vec![("LD_PRELOAD", place.shim.display().to_string())])
    }

    /// The wall clock is off by some seconds.
    pub(super) fn with_clock_offset(mut self, seconds: i64) -> Self {
        self.0.push(("TORTURE_CLOCK", seconds.to_string()));
        self
    }

    /// The wall clock goes back by so many milliseconds at every look.
    pub(super) fn with_backward_clock(mut self, milliseconds: u64) -> Self {
        self.0.push(("TORTURE_BACKWARDS", milliseconds.to_string()));
        self
    }

    /// The n-th `write` or `sync` of a file fails with an error of the system.
    pub(super) fn with_failure(mut self, act: &str, at: u64, how: FaultRepeat, error: i32) -> Self {
        let how = match how {
            FaultRepeat::Once => "once",
            FaultRepeat::On => "on",
        };
        self.0.push(("TORTURE_FAIL", format!("{act}:{at}:{how}:{error}")));
        self
    }

    /// Nothing below a folder can be opened for writing.
    pub(super) fn read_only(mut self, folder: &Path) -> Self {
        self.0.push(("TORTURE_READ_ONLY", folder.display().to_string()));
        self
    }

    /// A home whose processes are misled.
    pub(super) fn wrap_home(self, home: &TortureHome) -> TortureHome {
        self.0.into_iter().fold(home.clone(), |home, (name, value)| home.with_variable(name, value))
    }
}
