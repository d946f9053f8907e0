//! Locates the repository root and cargo's target directory.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::process;

/// The repository this xtask was compiled from.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is a folder of the repository")
}

/// The target directory, wherever the environment or a cargo configuration has put it.
pub(crate) fn target_directory() -> Result<PathBuf> {
    // Asked of cargo, since the directory may be set by a variable or by a configuration above the repository.
    let text = process::read_output(process::cargo_command(
        root(),
        &["metadata", "--format-version", "1", "--no-deps", "--offline"],
    ))?;
    let metadata: serde_json::Value = serde_json::from_str(&text).context("cannot read cargo metadata")?;
    let directory = metadata["target_directory"].as_str().context("cargo metadata has no target_directory")?;
    Ok(PathBuf::from(directory))
}
