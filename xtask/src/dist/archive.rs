//! Archives and their sums, made by `tools/dist/pack.py`: the same folder gives the same bytes on every machine.

use std::path::Path;

use anyhow::{Context as _, Result};

use super::binary_format::SystemKind;
use super::{PackEffort, ReleaseBuild};
use crate::process::{self, command_in};
use crate::repository;

const SUMS: &str = "SHA256SUMS";

/// The archive for people and scripts: the program, its completions, the licences.
pub(super) fn pack(build: &ReleaseBuild) -> Result<()> {
    let folder = build.stage("archive")?;
    build.place_binary(&folder.join(build.platform.program_file()))?;
    build.place_notices(&folder)?;
    fs_err::copy(repository::root().join("README.md"), folder.join("README.md"))?;
    fs_err::copy(repository::root().join("CHANGELOG.md"), folder.join("CHANGELOG.md"))?;
    let kind = if build.platform.system == SystemKind::Windows { "zip" } else { "tar" };
    let prefix = format!("{}/", build.base_name());
    pack_folder(kind, &folder, &build.out.join(build.platform.archive_file(&build.product)), &[&prefix], build.effort)
}

/// Packs a folder; what kinds there are says the script.
pub(super) fn pack_folder(kind: &str, folder: &Path, out: &Path, more: &[&str], effort: PackEffort) -> Result<()> {
    let mut command = pack_script(kind);
    command.arg(folder).arg(out).args(more);
    command.env("PACK_LEVEL", if effort == PackEffort::Smallest { "9" } else { "1" });
    process::run_command(command)
}

/// Writes the sums of all packages of a folder, and gives them with their files.
pub(super) fn write_sums(out: &Path) -> Result<Vec<(String, String)>> {
    let mut command = pack_script("sums");
    let path = out.join(SUMS);
    command.arg(&path);
    for entry in fs_err::read_dir(out)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if is_package(&name) {
            command.arg(entry.path());
        }
    }
    process::run_command(command)?;
    let text = fs_err::read_to_string(path)?;
    text.lines()
        .map(|line| line.split_once("  ").map(|(sum, file)| (sum.to_owned(), file.to_owned())))
        .collect::<Option<_>>()
        .with_context(|| format!("{SUMS} has a line without a sum"))
}

pub(super) fn is_package(name: &str) -> bool {
    [".tar.gz", ".zip", ".tgz", ".whl", ".deb", ".json", ".vsix"].iter().any(|ending| name.ends_with(ending))
}

fn pack_script(kind: &str) -> std::process::Command {
    let python = if cfg!(windows) { "py" } else { "python3" };
    command_in(repository::root(), python, &["tools/dist/pack.py", kind])
}
