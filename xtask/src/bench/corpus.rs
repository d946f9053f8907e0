//! Downloads the source trees that benchmarks index, from package registries (wheels, npm, Debian, crates), so that
//! anyone can repeat a run.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use toml::{Table, Value};

use crate::process::{self, cargo_command, command_in};
use crate::repository;

/// The corpus a workload names, fetched at its first use: wheels, npm packages, Debian packages, and the sources of the
/// crates we use ourselves.
pub(super) fn fetch_corpus(workload: &Table) -> Result<PathBuf> {
    let name = workload.get("corpus").and_then(Value::as_str).context("the workload names no `corpus`")?;
    let folder = repository::target_directory()?.join("corpora").join(name);
    let done = folder.join(".fetched");
    // The list of sources is the key: a workload that names other packages fetches anew.
    let wanted = toml::to_string(&corpus_sources(workload))?;
    if fs_err::read_to_string(&done).is_ok_and(|text| text == wanted) {
        return as_repository(folder.join("tree"));
    }
    if folder.exists() {
        fs_err::remove_dir_all(&folder)?;
    }
    let tree = folder.join("tree");
    let packed = folder.join("packed");
    fs_err::create_dir_all(&tree)?;
    fs_err::create_dir_all(&packed)?;
    for wheel in string_list(workload, "wheels") {
        fetch_wheel(&packed, &tree, wheel)?;
    }
    for package in string_list(workload, "npm") {
        fetch_npm_package(&packed, &tree, package)?;
    }
    for package in string_list(workload, "debian") {
        fetch_debian_package(&packed, &tree, package)?;
    }
    if workload.get("crates").and_then(Value::as_bool) == Some(true) {
        let into = tree.join("crates").display().to_string();
        process::read_output(cargo_command(repository::root(), &["vendor", "--locked", "--quiet", &into]))?;
    }
    fs_err::remove_dir_all(&packed)?;
    fs_err::write(&done, wanted)?;
    as_repository(tree)
}

/// Most projects are repositories, and a server follows those from its start.
fn as_repository(tree: PathBuf) -> Result<PathBuf> {
    if !tree.join(".git").exists() {
        process::read_output(command_in(&tree, "git", &["init", "--quiet"]))?;
        // Packages bring built files, and what git tracks is never left out of an index.
        process::read_output(command_in(&tree, "git", &["add", "--all", "--force"]))?;
    }
    Ok(tree)
}

/// The settings that decide whether a fetched corpus is current.
fn corpus_sources(workload: &Table) -> Table {
    let keys = ["wheels", "npm", "debian", "crates"];
    workload.iter().filter(|(key, _)| keys.contains(&key.as_str())).map(|(k, v)| (k.clone(), v.clone())).collect()
}

fn string_list<'a>(workload: &'a Table, key: &str) -> impl Iterator<Item = &'a str> {
    workload.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

fn fetch_wheel(packed: &Path, tree: &Path, wheel: &str) -> Result<()> {
    let arguments = ["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", "-d", ".", wheel];
    process::read_output(command_in(packed, "python3", &arguments))?;
    for file in files_with_extension(packed, "whl")? {
        let into = tree.join(file.file_stem().unwrap_or_default()).display().to_string();
        process::read_output(command_in(
            packed,
            "python3",
            &["-m", "zipfile", "-e", &file.display().to_string(), &into],
        ))?;
        fs_err::remove_file(file)?;
    }
    Ok(())
}

fn fetch_npm_package(packed: &Path, tree: &Path, package: &str) -> Result<()> {
    process::read_output(command_in(packed, "npm", &["pack", "--silent", package]))?;
    for file in files_with_extension(packed, "tgz")? {
        unpack_archive(packed, &file, &tree.join(file.file_stem().unwrap_or_default()))?;
    }
    Ok(())
}

fn fetch_debian_package(packed: &Path, tree: &Path, package: &str) -> Result<()> {
    process::read_output(command_in(packed, "apt-get", &["download", package]))?;
    for file in files_with_extension(packed, "deb")? {
        let opened = packed.join("opened");
        let from = file.display().to_string();
        let into = opened.display().to_string();
        process::read_output(command_in(packed, "dpkg-deb", &["-x", &from, &into]))?;
        let sources = opened.join("usr").join("src");
        for archive in files_with_extension(&sources, "xz")? {
            unpack_archive(packed, &archive, &tree.join(package))?;
        }
        // Debian keeps only its patches under version control, and its `.gitignore` leaves out all the rest.
        for unpacked in fs_err::read_dir(tree.join(package))? {
            let rules = unpacked?.path().join(".gitignore");
            if rules.exists() {
                fs_err::remove_file(rules)?;
            }
        }
        fs_err::remove_dir_all(opened)?;
        fs_err::remove_file(file)?;
    }
    Ok(())
}

fn unpack_archive(packed: &Path, archive: &Path, into: &Path) -> Result<()> {
    fs_err::create_dir_all(into)?;
    let from = archive.display().to_string();
    let to = into.display().to_string();
    process::read_output(command_in(packed, "tar", &["xf", &from, "-C", &to]))?;
    fs_err::remove_file(archive)?;
    Ok(())
}

/// The files with an extension; there has to be one.
fn files_with_extension(folder: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let mut files: Vec<PathBuf> = fs_err::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    files.retain(|file| file.extension().is_some_and(|found| found == extension));
    ensure!(!files.is_empty(), "no .{extension} in {}", folder.display());
    Ok(files)
}
