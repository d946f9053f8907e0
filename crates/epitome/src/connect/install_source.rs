//! How the running program was installed, read from where it lies and what the installer left beside it. No network is
//! asked and nothing is run: what is said is the command that a person types.

use fs_err as fs;
use std::path::{Component, Path, PathBuf};

/// The name of the wheel, whose command is `epitome`.
const PYTHON_PACKAGE: &str = "epitome-cli";
const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

/// What put the program where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum InstallSource {
    /// The cache of `npx`, which npm empties when it likes.
    NpmCache,
    /// `npm install --global`.
    NpmGlobal,
    /// `pnpm add --global`.
    PnpmGlobal,
    /// A dependency of the project in this folder.
    NpmProject(PathBuf),
    Pipx,
    UvTool,
    /// With this Python, or the one on the path where the folder of the program has none.
    Pip(PathBuf),
    Homebrew,
    /// A `.deb`, known to the package database.
    Debian,
    /// `cargo install`, with what it was told of the source.
    Cargo(CargoOrigin),
    /// Built in a checkout of the source, in this folder.
    Checkout(PathBuf),
    /// An archive that was unpacked, or anything else.
    Archive,
}

/// Where `cargo install` had the source from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CargoOrigin {
    Registry,
    Git(String),
    Folder(PathBuf),
}

impl InstallSource {
    /// Reads it from the folders around a program, whose links are followed.
    pub(crate) fn find(program: &Path) -> Self {
        let program = fs::canonicalize(program).unwrap_or_else(|_| program.to_owned());
        from_node(&program)
            .or_else(|| from_python(&program))
            .or_else(|| has_folder(&program, "Cellar").then_some(Self::Homebrew))
            .or_else(|| is_listed_by_dpkg(&program).then_some(Self::Debian))
            .or_else(|| from_cargo(&program))
            .or_else(|| from_checkout(&program))
            .unwrap_or(Self::Archive)
    }

    pub(crate) fn as_str(&self) -> &'static str {
        match self {
            Self::NpmCache => "npx",
            Self::NpmGlobal | Self::NpmProject(_) => "npm",
            Self::PnpmGlobal => "pnpm",
            Self::Pipx => "pipx",
            Self::UvTool => "uv",
            Self::Pip(_) => "pip",
            Self::Homebrew => "Homebrew",
            Self::Debian => "Debian package",
            Self::Cargo(_) => "cargo install",
            Self::Checkout(_) => "checkout of the source",
            Self::Archive => "archive",
        }
    }

    /// What a person types for the newest version, a line for each step.
    pub(crate) fn upgrade_steps(&self, program: &Path) -> Vec<String> {
        let releases = format!("{REPOSITORY}/releases");
        match self {
            Self::NpmCache | Self::NpmGlobal => vec!["npm install --global epitome@latest".to_owned()],
            Self::PnpmGlobal => vec!["pnpm add --global epitome@latest".to_owned()],
            Self::NpmProject(folder) => vec![format!("npm install --prefix {} epitome@latest", quote(folder))],
            Self::Pipx => vec![format!("pipx upgrade {PYTHON_PACKAGE}")],
            Self::UvTool => vec![format!("uv tool upgrade {PYTHON_PACKAGE}")],
            Self::Pip(python) => vec![format!("{} -m pip install --upgrade {PYTHON_PACKAGE}", quote(python))],
            Self::Homebrew => vec!["brew upgrade epitome".to_owned()],
            Self::Debian => {
                vec![format!("download the newest .deb from {releases}"), "sudo apt install ./epitome_*.deb".to_owned()]
            }
            Self::Cargo(CargoOrigin::Registry) => vec!["cargo install --locked epitome".to_owned()],
            Self::Cargo(CargoOrigin::Git(url)) => vec![format!("cargo install --locked --git {url} epitome")],
            Self::Cargo(CargoOrigin::Folder(folder)) => vec![
                format!("git -C {} pull", quote(folder)),
                format!("cargo install --locked --path {}", quote(folder)),
            ],
            Self::Checkout(folder) => vec![
                format!("git -C {} pull", quote(folder)),
                format!("cargo build --release --manifest-path {}", quote(&folder.join("Cargo.toml"))),
            ],
            Self::Archive => vec![
                format!("download the newest archive for this system from {releases}"),
                format!("put the program of the archive in the place of {}", quote(program)),
            ],
        }
    }
}

/// A path as a shell takes it.
fn quote(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-+@:".contains(letter);
    if text.chars().all(is_plain) { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

fn has_folder(program: &Path, name: &str) -> bool {
    folders(program).any(|folder| folder == name)
}

fn folders(program: &Path) -> impl Iterator<Item = &str> {
    program.components().filter_map(|component| match component {
        Component::Normal(name) => name.to_str(),
        Component::Prefix(_) | Component::RootDir | Component::CurDir | Component::ParentDir => None,
    })
}

/// The folder above the outermost folder of this name.
fn above(program: &Path, name: &str) -> Option<PathBuf> {
    let inner = program.ancestors().filter(|folder| folder.file_name().is_some_and(|it| it == name));
    Some(inner.last()?.parent()?.to_owned())
}

fn from_node(program: &Path) -> Option<InstallSource> {
    let project = above(program, "node_modules")?;
    if has_folder(program, "_npx") {
        return Some(InstallSource::NpmCache);
    }
    if has_folder(program, "pnpm") && has_folder(program, "global") {
        return Some(InstallSource::PnpmGlobal);
    }
    // npm keeps what is installed for all projects below `lib`, on Windows beside its own files; no project is there.
    let is_project = project.join("package.json").is_file();
    Some(if is_project { InstallSource::NpmProject(project) } else { InstallSource::NpmGlobal })
}

fn from_python(program: &Path) -> Option<InstallSource> {
    let bin = program.parent()?;
    let root = bin.parent()?;
    if !has_python_package(root) {
        return None;
    }
    let is_in = |tool: [&str; 2]| folders(program).zip(folders(program).skip(1)).any(|pair| pair == (tool[0], tool[1]));
    if is_in(["pipx", "venvs"]) {
        return Some(InstallSource::Pipx);
    }
    if is_in(["uv", "tools"]) {
        return Some(InstallSource::UvTool);
    }
    let python = ["python3", "python.exe"].map(|name| bin.join(name)).into_iter().find(|it| it.is_file());
    Some(InstallSource::Pip(python.unwrap_or_else(|| PathBuf::from("python3"))))
}

/// Whether an environment of Python, with this root, has our wheel.
fn has_python_package(root: &Path) -> bool {
    let package = format!("{}-", PYTHON_PACKAGE.replace('-', "_"));
    let has_wheel = |packages: PathBuf| {
        list_names(&packages).iter().any(|name| name.starts_with(&package) && name.ends_with(".dist-info"))
    };
    let pythons = list_names(&root.join("lib")).into_iter().filter(|name| name.starts_with("python3"));
    let unix = pythons.map(|python| root.join("lib").join(python));
    // Windows has one folder without a version.
    unix.chain([root.join("Lib")])
        .any(|python| ["site-packages", "dist-packages"].iter().any(|name| has_wheel(python.join(name))))
}

fn list_names(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

fn is_listed_by_dpkg(program: &Path) -> bool {
    let Ok(list) = fs::read_to_string("/var/lib/dpkg/info/epitome.list") else { return false };
    list.lines().any(|line| Path::new(line) == program)
}

fn from_cargo(program: &Path) -> Option<InstallSource> {
    let root = program.parent()?.parent()?;
    let list: toml::Table = fs::read_to_string(root.join(".crates.toml")).ok()?.parse().ok()?;
    let installed = list.get("v1")?.as_table()?;
    // `epitome 0.1.0 (git+https://host/epitome#0123abc)`
    let origin =
        installed.keys().find_map(|name| name.strip_prefix("epitome ")?.split_once('(')?.1.strip_suffix(')'))?;
    let plain = origin.split('#').next().unwrap_or(origin);
    Some(InstallSource::Cargo(if let Some(url) = plain.strip_prefix("git+") {
        CargoOrigin::Git(url.split('?').next().unwrap_or(url).to_owned())
    } else if let Some(folder) = plain.strip_prefix("path+file://") {
        CargoOrigin::Folder(PathBuf::from(folder))
    } else {
        CargoOrigin::Registry
    }))
}

fn from_checkout(program: &Path) -> Option<InstallSource> {
    let folder = above(program, "target")?;
    // `target/PROFILE/epitome`, or with the system between: what lies deeper was put there by somebody else.
    let depth = program.strip_prefix(folder.join("target")).ok()?.components().count();
    let is_ours = depth <= 3 && folder.join("crates/epitome/Cargo.toml").is_file();
    is_ours.then_some(InstallSource::Checkout(folder))
}

#[cfg(test)]
mod tests;
